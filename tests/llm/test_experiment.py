"""The experiment of templates with a real language model: what a template does, nothing asked twice, and kill -9."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tertium.prompt.curves import few_shot_curves
from tertium.prompt.experiment import Experiment, run_grid

pytestmark = pytest.mark.llm

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SHORT = 10  # segments
GRID = """
testset = "testset.toml"
examples = "pool.tsv"
metrics = "chrf"
steps = "none"

[models.gemma]
model = "gemma"

[decoding.greedy]
tokens = 32
stop = "\\n"

[[grid]]
template = ["A", "B", "C", "D", "E", "F"]

[[grid]]
template = "A"
shots = 3
"""
SETTINGS = 7


def texts(name: str) -> list[str]:
    return (EXAMPLES / name).read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ten shortest segments of the example; the others are demonstrations."""
    folder = tmp_path_factory.mktemp("grid")
    source, reference = texts("source.de"), texts("reference.a.en")
    order = sorted(range(len(source)), key=lambda k: (len(source[k]), k))
    for name, lines in (("f.de", source), ("f.en", reference)):
        (folder / name).write_text("".join(f"{lines[k]}\n" for k in order[:SHORT]), encoding="utf-8")
    pool = "".join(f"{source[k]}\t{reference[k]}\n" for k in order[SHORT:])
    (folder / "pool.tsv").write_text(f"source\treference\n{pool}", encoding="utf-8")
    (folder / "copied.en").write_text((folder / "f.de").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "testset.toml").write_text(
        'source_language = "de"\ntarget_language = "en"\nsource = "f.de"\nreferences = "f.en"\nsystems = "copied.en"\n'
    )
    (folder / "grid.toml").write_text(GRID)
    return folder


# Says when half of the fourth setting is answered, and then waits for an end that only kill -9 brings.
KILLED = """
import sys
from tertium.core.run import Run
from tertium.prompt.experiment import run_grid

def tell(stage, done, total):
    if stage.startswith("4 of") and done == 5:
        print("half way", flush=True)
        sys.stdin.read()

run_grid(sys.argv[1], cache=sys.argv[2], say=lambda _: None, run=Run(progress=tell))
"""
ANSWERED = 35  # until then


@pytest.fixture(scope="module")
def resumed(folder: Path, gemma_path: Path) -> dict[str, Any]:
    """What `tertium prompt run` says when it goes on with an experiment that was killed in the middle."""
    assert gemma_path.is_file()
    grid, cache = str(folder / "grid.toml"), str(folder / "answers.sqlite")
    pipe = subprocess.PIPE
    begun = [sys.executable, "-c", KILLED, grid, cache]
    with subprocess.Popen(begun, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half way\n"
        process.kill()
        assert process.wait() == -signal.SIGKILL
    command = [sys.executable, "-m", "tertium", "prompt", "run", grid, "--cache", cache, "-f", "json"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.fixture(scope="module")
def done(resumed: dict[str, Any], folder: Path) -> Experiment:
    """The same once more, here."""
    assert resumed["stopped"] is None
    return run_grid(folder / "grid.toml", cache=folder / "answers.sqlite")


def test_a_killed_run_goes_on(resumed: dict[str, Any]) -> None:
    assert len(resumed["settings"]) == SETTINGS
    assert resumed["calls"] == SETTINGS * SHORT - ANSWERED
    assert all(row["asked"] == SHORT for row in resumed["settings"])


def test_the_second_run_makes_no_call(resumed: dict[str, Any], done: Experiment) -> None:
    assert done.calls == 0
    scores = {score.system: score.value for score in done.scored.scores()}
    assert {row["system"]: row["chrf"] for row in resumed["settings"]} == {
        name: value for name, value in scores.items() if name != "copied"
    }


def test_a_template_decides_whether_anything_is_said(done: Experiment) -> None:
    empty = {one.setting.name: one.facts.empty for one in done.results}
    assert empty["D/en/break"] - empty["A/en/break"] >= SHORT // 2


def test_demonstrations_beat_copying(done: Experiment) -> None:
    scores = {score.system: score.value for score in done.scored.scores()}
    assert scores["A/en/break/3-first"] - scores["copied"] >= 10


def test_prompts_grow_and_never_leak(done: Experiment, folder: Path) -> None:
    [curve] = few_shot_curves(done, done.scored.metric("chrf"))
    assert curve.points[1].prompt > curve.points[0].prompt
    shown = "\n".join(asked[0].rpartition("\n\n")[0] for asked in done.prompts["A/en/break/3-first"] if asked)
    assert shown.count("German: ") == 3 * SHORT
    hidden = [line for name in ("f.de", "f.en") for line in (folder / name).read_text(encoding="utf-8").splitlines()]
    assert not any(line in shown for line in hidden)


def test_tokens_and_seconds_are_told(done: Experiment) -> None:
    for one in done.results:
        assert (one.facts.prompt_tokens or 0) > SHORT
        assert (one.facts.answer_tokens or 0) >= 0
        assert 0 < (one.facts.median or 0) <= (one.facts.slow or 0)
