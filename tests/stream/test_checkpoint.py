"""A run that was killed goes on from the shards that it had finished, and ends as if it had not been."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import InputError
from tertium.engines.stream import Streamed, stream
from tertium.inference.poisson import PoissonDraws, streamed_scores
from tertium.io import shards as shards_module
from tertium.io.shards import Shard, find_shards

SHARDS, LINES = 12, 9

# The command, which kills itself (SIGKILL: nothing is tidied up) at the step of that number. Steps are blocks that are
# read, and all that a file goes through before it is there: made, written through to the disk, put in its place.
KILLED = """
import os, signal, sys, tempfile
from tertium.io import archive, files, shards

steps, log = int(sys.argv.pop(1)), sys.argv.pop(1)

def step(name):
    global steps
    with open(log, "a") as file:
        file.write(name + "\\n")
    steps -= 1
    if steps == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def stepping(name, function):
    def call(*arguments, **options):
        step(name)
        found = function(*arguments, **options)
        step(name)
        return found
    return call

blocks = shards.Shard.blocks
def read(self):
    for block in blocks(self):
        step("read " + self.name)
        yield block
shards.Shard.blocks = read
os.fsync = stepping("fsync", os.fsync)
os.replace = stepping("replace", os.replace)
tempfile.mkstemp = stepping("mkstemp", tempfile.mkstemp)

from tertium.cli.main import main
main()
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = random.Random(4)
    for k in range(SHARDS):
        lines = [" ".join(rng.choices("a b c d e f g .".split(), k=rng.randint(1, 12))) for _ in range(2 * LINES)]
        (tmp_path / f"r{k:02d}.txt").write_text("".join(f"{line}\n" for line in lines[:LINES]))
        (tmp_path / f"h{k:02d}.txt").write_text("".join(f"{line}\n" for line in lines[LINES:]))
    return tmp_path


def find(folder: Path) -> list[Shard]:
    return find_shards(None, [str(folder / "r*.txt")], [str(folder / "h*.txt")])


def run(folder: Path, metrics: str = "bleu,macrof", **options: Any) -> Streamed:
    return stream(find(folder), ["mt"], metrics, run=tt.Run(threads=1), **options)


def facts(found: Streamed) -> Any:
    stats = found.evaluation.table
    return (
        {key: (item.columns, item.sums(), item.n, len(item)) for key, item in stats.items()},
        {key: sums.tolist() for key, sums in found.drawn.items()},
        dict(found.evaluation.signatures),
        found.references,
    )


def test_killed_twenty_times(corpus: Path) -> None:
    """At steps drawn from a seed; each start goes on with what is there. No shard counts twice, none is lost, and no
    shard that is finished is read again."""
    rng, log, kept = random.Random(20), corpus / "log", corpus / "kept"
    command = [
        sys.executable,
        "-c",
        KILLED,
        "STEPS",
        str(log),
        "score",
        "-m",
        "bleu,meteor,nist,macrof",
        "--threads",
        "1",
    ]
    command += ["--ref", str(corpus / "r*.txt"), "--hyp", f"mt={corpus / 'h*.txt'}", "--checkpoint", str(kept)]
    command += ["--confidence", "--trials", "20", "-f", "json"]
    kills = 0
    while True:
        finished = {path.name for path in kept.glob("shard-*.npz")}
        log.write_text("")
        command[3] = str(SHARDS + rng.randint(1, 9) if kills < 20 else 0)
        done = subprocess.run(command, capture_output=True, check=False)
        read = [line for line in log.read_text().splitlines() if line.startswith("read")]
        for line in set(read):  # all are read for NIST, before, and those that are not finished once more
            done_before = f"shard-{int(line[-6:-4]):06d}.npz" in finished
            assert read.count(line) <= (1 if done_before else 2)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        kills += 1
    assert kills == 20
    command[command.index("--checkpoint") :][1] = ""
    again = [*command[:3], "0", *command[4:]]
    again[again.index(str(kept))] = str(corpus / "fresh")
    undisturbed = subprocess.run(again, capture_output=True, check=True)
    assert done.stdout == undisturbed.stdout
    assert json.loads(done.stdout)["scores"][0]["n"] == SHARDS * LINES


def test_a_finished_run_reads_nothing(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draws = PoissonDraws(30, 7)
    plain = run(corpus, draws=draws)
    first = run(corpus, draws=draws, checkpoint=str(corpus / "kept"))
    monkeypatch.setattr(shards_module, "read_blocks", None)
    second = run(corpus, draws=draws, checkpoint=str(corpus / "kept"))
    assert facts(plain) == facts(first) == facts(second)
    assert streamed_scores(plain, draws, 0.9) == streamed_scores(second, draws, 0.9)


def test_a_shard_that_changed_is_counted_again(corpus: Path) -> None:
    kept = str(corpus / "kept")
    run(corpus, checkpoint=kept)
    path = corpus / "h03.txt"
    path.write_text(path.read_text().replace("a", "z"))
    assert facts(run(corpus, checkpoint=kept)) == facts(run(corpus))
    (corpus / "h05.txt").write_text("".join(["q\n"] * (LINES + 1)))
    (corpus / "r05.txt").write_text("".join(["q\n"] * (LINES + 1)))
    assert facts(run(corpus, checkpoint=kept)) == facts(run(corpus))  # the rows behind it have other numbers


def test_what_is_gathered_is_of_the_same_references(corpus: Path) -> None:
    """Rows of NIST depend on all references, so those of finished shards are none of another corpus."""
    kept = str(corpus / "kept")
    assert facts(run(corpus, "nist", checkpoint=kept)) == facts(run(corpus, "nist"))
    assert facts(run(corpus, "nist", checkpoint=kept)) == facts(run(corpus, "nist"))
    path = corpus / "r03.txt"
    path.write_text(path.read_text().replace("a", "z"))
    with pytest.raises(InputError, match="is the checkpoint of another run, with other references"):
        run(corpus, "nist", checkpoint=kept)


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:0], lambda data: data[:-9] + b"9" * 9]
)
def test_a_damaged_file_is_counted_again(corpus: Path, damage: Any) -> None:
    kept = corpus / "kept"
    run(corpus, checkpoint=str(kept))
    path = kept / "shard-000004.npz"
    path.write_bytes(damage(path.read_bytes()))
    assert facts(run(corpus, checkpoint=str(kept))) == facts(run(corpus))


def test_other_columns_are_another_shard(corpus: Path) -> None:
    """The file is the same; what is read of it is not."""
    (corpus / "t.tsv").write_text("a\tb\tc\n" + "x y\tx y\tq\n" * 3)
    kept, table = str(corpus / "kept"), str(corpus / "t*.tsv")
    values = [
        stream(find_shards(None, [f"{table}:a"], [f"{table}:{name}"]), ["mt"], "wer", checkpoint=kept)
        .evaluation.scores()[0]
        .value
        for name in ("b", "c", "b")
    ]
    assert values == [0, 100, 0]


def test_another_question_is_refused(corpus: Path) -> None:
    kept = str(corpus / "kept")
    run(corpus, checkpoint=kept, draws=PoissonDraws(10, 1))
    for options, reason in (
        ({"metrics": "bleu"}, "with other metrics"),
        ({"metrics": 'bleu(tokenize="char"),macrof'}, "with other metrics"),
        ({"draws": PoissonDraws(10, 2)}, "with other draws (poisson:10, seed 1; now poisson:10, seed 2)"),
        ({"draws": None}, "with other draws (poisson:10, seed 1; now none)"),
    ):
        asked = {"draws": PoissonDraws(10, 1), **options}
        with pytest.raises(InputError) as caught:
            run(corpus, checkpoint=kept, **asked)
        assert f"{kept} is the checkpoint of another run, {reason}" in str(caught.value)
    with pytest.raises(InputError, match="with other systems"):
        stream(find(corpus), ["other"], "bleu,macrof", checkpoint=kept, draws=PoissonDraws(10, 1))


def test_a_folder_that_is_none(corpus: Path) -> None:
    (corpus / "file").write_text("")
    with pytest.raises(InputError, match="cannot be used as a checkpoint"):
        run(corpus, checkpoint=str(corpus / "file"))
    with pytest.raises(
        InputError, match=r"the name of the checkpoint's folder is empty; name one \(--checkpoint DIR\)"
    ):
        run(corpus, checkpoint="")
    (corpus / "bad").mkdir()
    (corpus / "bad" / "run.json").write_text("{")
    with pytest.raises(InputError, match=r"run\.json: damaged"):
        run(corpus, checkpoint=str(corpus / "bad"))
    (corpus / "bad" / "run.json").write_text("[1]")
    with pytest.raises(InputError, match="not what a run was asked"):
        run(corpus, checkpoint=str(corpus / "bad"))
    os.rename(corpus / "bad" / "run.json", corpus / "bad" / "shard-000000.npz")  # noqa: PTH104
    with pytest.raises(InputError, match=r"shards, but no run\.json"):
        run(corpus, checkpoint=str(corpus / "bad"))
