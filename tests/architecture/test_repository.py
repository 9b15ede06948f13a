"""What is around the package: examples, Makefile, the check of a submission, the advice to contributors."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.metric import ALIASES, REGISTRY
from tertium.models.gemma import SHA256
from tertium.testing import LAWS, Subject

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

# The example test set

LINES = [
    *("source.de", "reference.a.en", "reference.b.en", "documents.txt", "domains.txt"),
    *(f"systems/{name}.en" for name in ("atlas", "brook", "cinder", "delta")),
]
PROMPTING = {
    f"prompting/{name}"
    for name in ("grid.toml", "testset.toml", "source.de", "reference.en", "pool.tsv", "answers.jsonl.gz")
}


RETRIEVAL = [
    *("testset.toml", "source.de", "reference.a.en", "reference.b.en", "documents.txt"),
    *(f"systems/{name}.en" for name in ("brief", "gaps", "steady", "synonym")),
]
SPEECH = {f"speech/{name}" for name in ("reference.en", "outputs.en", "documents.txt", "output-documents.txt")}

LOCALISATION = {f"localisation/{name}" for name in ("kladde.xlf", "glossary.csv", "glossary.tbx", "forbidden.txt")}


@pytest.mark.parametrize("name", LINES)
def test_examples_have_96_lines(name: str) -> None:
    data = (EXAMPLES / name).read_bytes()
    assert data.count(b"\n") == 96
    assert data.endswith(b"\n")
    assert b"\r" not in data
    assert unicodedata.is_normalized("NFC", data.decode())


def test_examples_are_what_their_page_lists() -> None:
    """A file that nobody wrote for this project would have to be put on the list first."""
    there = {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*") if path.is_file()}
    others = {
        "README.md", "testset.toml", "campaign.toml", "gate.toml", "ratings.tsv", "candidates.tsv", "candidates.de",
        "scores.tsv",
    }  # fmt: skip
    there -= {f"retrieval/{name}" for name in RETRIEVAL}
    assert there == {*LINES, *others, *PROMPTING, *LOCALISATION, *SPEECH}
    page = (EXAMPLES / "README.md").read_text()
    for name in RETRIEVAL:
        assert f"`retrieval/{'systems/*.en' if name.startswith('systems/') else name}`" in page
    for name in there - {"README.md"}:
        assert f"`{'systems/*.en' if name.startswith('systems/') else name}`" in page


def test_examples_are_said_to_be_invented() -> None:
    page = " ".join((EXAMPLES / "README.md").read_text().split())
    assert "**Everything here is invented for this project.**" in page
    assert "taken from no corpus" in page
    assert "Licence: Apache-2.0" in page
    assert "invented" in (EXAMPLES / "testset.toml").read_text().splitlines()[0]


def test_examples_are_as_described() -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    testset = given.testset
    assert len(testset) == 96
    assert testset.documents is not None
    assert [testset.documents.count(name) for name in dict.fromkeys(testset.documents)] == [8] * 12
    assert [len(texts) for texts in testset.references].count(2) == 48
    assert testset.references.fewest_and_most == (1, 2)
    kinds = [judgement.kind for judgement in given.judgements]
    assert (kinds.count("genuine"), kinds.count("repeat"), len(kinds)) == (2304, 115, 2419)
    cinder = next(system for system in given.systems if system.name == "cinder")
    assert [k for k, text in enumerate(cinder.outputs, 1) if text == ""] == [37]


def test_the_experiment_divides_the_example() -> None:
    """The 30 shortest segments are translated, all others may be shown; what a model said of it says whose it is."""
    folder = EXAMPLES / "prompting"
    source, reference = ((EXAMPLES / name).read_text().splitlines() for name in ("source.de", "reference.a.en"))
    pairs = list(zip(source, reference, strict=True))
    asked = [(folder / name).read_text().splitlines() for name in ("source.de", "reference.en")]
    short = set(sorted(range(96), key=lambda k: (len(source[k]), k))[:30])
    assert list(zip(*asked, strict=True)) == [pair for k, pair in enumerate(pairs) if k in short]
    shown = [tuple(line.split("\t")) for line in (folder / "pool.tsv").read_text().splitlines()[1:]]
    assert shown == [pair for k, pair in enumerate(pairs) if k not in short]
    packed = (folder / "answers.jsonl.gz").read_bytes()
    assert len(packed) < 300_000
    about = json.loads(gzip.decompress(packed).splitlines()[0])["about"]
    for said in ("gemma-3-270m", SHA256, "2026-11-18", "greedy", "at most 40 tokens", "ai.google.dev/gemma/terms"):
        assert said in about


def test_nothing_large_is_in_the_repository() -> None:
    large = 1 << 20
    folders = [ROOT / name for name in ("src", "kernel", "tests", "docs", "examples", "benchmarks")]
    files = [
        path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    files = [path for path in files if "results" not in path.parts]
    assert len(files) > 100
    assert [path.relative_to(ROOT).as_posix() for path in files if path.stat().st_size > large] == []


# Makefile and .ci/run

STEPS = ["test", "test-slow", "test-neural", "test-llm", "test-services", "test-wheel"]
TARGETS = [
    "help", "demo", *STEPS, "check", "bench", "bench-comet", "bench-page", "sanitize", "toolkit", "browser", "database",
    "docs", "dist", "release-check", "clean",
]  # fmt: skip


def test_makefile_has_the_words_a_newcomer_guesses() -> None:
    text = (ROOT / "Makefile").read_text()
    rules = re.findall(r"^([a-z-]+):.*## (\S.*)$", text, re.MULTILINE)
    assert [name for name, _ in rules] == TARGETS
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony is not None
    assert phony[1].split() == TARGETS
    assert ".DEFAULT_GOAL := help" in text


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_explains_itself() -> None:
    # What a surrounding `make test` tells its children is not meant for this one.
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(["make"], cwd=ROOT, env=plain, capture_output=True, check=True)
    assert re.findall(r"^  make (\S+)", done.stdout.decode(), re.MULTILINE) == TARGETS


def test_submissions_are_checked_whole() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert re.findall(r"^make (\S+)$", text, re.MULTILINE) == ["check", *STEPS, "docs"]
    assert "set -euo pipefail" in text


def test_files_that_people_look_for() -> None:
    for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "CITATION.cff"):
        assert (ROOT / name).stat().st_size > 100
    assert (ROOT / "LICENSE").read_text().split()[:2] == ["Apache", "License"]


# CONTRIBUTING.md


@pytest.fixture
def length_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Any]]:
    """The metric of CONTRIBUTING.md as a module of its own, forgotten afterwards."""
    [code] = re.findall(r"^```python\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL)
    before = dict(REGISTRY), dict(ALIASES)
    (tmp_path / "contributed.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("contributed").LengthRatio
    del sys.modules["contributed"]
    for now, old in zip((REGISTRY, ALIASES), before, strict=True):
        now.clear()
        now.update(old)


OUTPUTS, REFERENCES = ["four", "three", "\u00e9"], ["fourteen", "three", "eleven"]  # 4, 5, 2 of 8, 5, 6 bytes


@pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")
def test_the_metric_for_contributors_works(length_ratio: type[Any]) -> None:
    assert tt.parse("length_ratio") == length_ratio()
    assert isinstance(length_ratio(), tt.Metric)
    [score] = tt.score(OUTPUTS, references=REFERENCES, metrics="length_ratio", confidence=0.9, trials=50)
    assert score.value == pytest.approx(100 * 11 / 19, rel=1e-12)
    assert score.interval.low < score.value < score.interval.high
    segments = tt.score(OUTPUTS, references=REFERENCES, metrics="length_ratio", level="segment")
    assert [item.value for item in segments] == pytest.approx([50, 100, 100 / 3], rel=1e-12)


@pytest.mark.usefixtures("length_ratio")
@pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")
def test_the_metric_for_contributors_knows_what_is_missing() -> None:
    for outputs, references in [(["four", None], ["fourteen", "three"]), (["four", "three"], ["fourteen", None])]:
        [score] = tt.score(outputs, references=references, metrics="length_ratio")
        assert (score.value, score.n) == (50.0, 1)


@pytest.mark.parametrize("name", LAWS)
def test_the_metric_for_contributors_obeys_the_laws(length_ratio: type[Any], name: str) -> None:
    subject = Subject(length_ratio())
    if reason := LAWS[name].applies(subject):
        pytest.skip(reason)
    LAWS[name].check(subject)


def test_the_metric_for_contributors_is_forgotten() -> None:
    with pytest.raises(tt.TertiumError, match=r"^unknown metric 'length_ratio'"):
        tt.parse("length_ratio")
