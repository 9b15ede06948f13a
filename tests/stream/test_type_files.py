"""Word types that are too many for memory lie in files, and come to the same sums and scores."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tertium.core.errors import TertiumError
from tertium.core.lines import Lines
from tertium.core.stats import Stats
from tertium.core.sums import Sums
from tertium.core.type_stats import TypeColumns
from tertium.engines import totals
from tertium.engines.stream import Streamed, stream
from tertium.io import blocks, type_files
from tertium.io.shards import find_shards
from tertium.io.type_files import PARTS, TypeFiles, part_numbers

from .engines import OneByOne


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = random.Random(8)
    words = [f"{letter}{k}é" for letter in "abc" for k in range(90)] + [".", "x" * 100, "词"]
    for k in range(5):
        lines = [" ".join(rng.choices(words, k=rng.randint(0, 12))) for _ in range(40)]
        (tmp_path / f"r{k}.txt").write_text("".join(f"{line}\n" for line in lines[:20]))
        (tmp_path / f"h{k}.txt").write_text("".join(f"{line}\n" for line in lines[20:]))
    return tmp_path


def run(corpus: Path, **options: Any) -> Streamed:
    shards = find_shards(None, [str(corpus / "r*.txt")], [str(corpus / "h*.txt")])
    return stream(shards, ["mt"], "bleu,macrof,microf(tokenize='none')", **options)


def by_type(stats: Stats) -> dict[str | None, tuple[float, ...]]:
    types, planes = stats.types, stats.total().reshape(3, -1)
    assert types is not None
    assert len(set(types)) == len(types)
    return {text: tuple(planes[:, k]) for k, text in enumerate(types)}


@pytest.mark.parametrize("limit", [0, 30, 150])
def test_sums_are_the_same(corpus: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(corpus).evaluation
    monkeypatch.setattr(totals, "IN_MEMORY", limit)
    monkeypatch.setattr(blocks, "SIP", 200)
    found = run(corpus).evaluation
    for metric in found.metrics[1:]:
        ours, theirs = found.stats("mt", metric), whole.stats("mt", metric)
        assert isinstance(ours.total().base, np.memmap)
        assert by_type(ours) == by_type(theirs)
        assert (ours.n, len(ours)) == (theirs.n, len(theirs)) == (100, 100)
    for ours, theirs in zip(found.scores(), whole.scores(), strict=True):
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert ours.parts == theirs.parts


def test_a_checkpoint_holds_them(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals, "IN_MEMORY", 30)
    first = run(corpus, checkpoint=str(tmp_path / "kept")).evaluation
    (corpus / "r1.txt").touch()
    again = run(corpus, checkpoint=str(tmp_path / "kept")).evaluation
    for metric in first.metrics:
        assert first.stats("mt", metric).total().tobytes() == again.stats("mt", metric).total().tobytes()


def test_they_travel(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    monkeypatch.setattr(totals, "IN_MEMORY", 30)
    stats = run(corpus).evaluation.stats("mt", "macrof")
    other = pickle.loads(pickle.dumps(stats))
    assert not isinstance(other.total().base, np.memmap)
    assert by_type(other) == by_type(stats)


def test_an_engine_has_files_of_its_own(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What travels is memory."""
    here = run(corpus).evaluation
    monkeypatch.setattr(totals, "IN_MEMORY", 30)
    there = run(corpus, engine=OneByOne()).evaluation
    for metric in here.metrics[1:]:
        assert by_type(there.stats("mt", metric)) == by_type(here.stats("mt", metric))


def sums_of(texts: list[str], rng: random.Random) -> Stats:
    values = np.array([rng.randint(0, 1 << 40) for _ in range(3 * len(texts))], dtype=np.float64)
    return Stats(TypeColumns(Lines.of(texts)), Sums(values, 7, 5, True))


def test_types_of_any_bytes() -> None:
    """Line ends, NULs, no bytes at all, any characters, a megabyte, and beginnings that are the same."""
    rng = random.Random(11)
    odd = ["", "\n", "\r\n", "\0", "\0\0", "\u2028", "\U0010ffff", "x" * 1_000_000, "x" * 999_999 + "y"]
    odd += ["".join(map(chr, rng.choices(range(0xD7FF), k=rng.randint(1, 9)))) for _ in range(200)]
    odd += [f"https://example.org/{'a' * 64}/{k}" for k in range(300)]
    odd = list(dict.fromkeys(odd))
    files, expected = TypeFiles(), dict[str | None, list[float]]()
    for _ in range(9):
        part = sums_of(rng.sample(odd, rng.randint(0, len(odd))), rng)
        files.add(part)
        for text, values in by_type(part).items():
            expected[text] = [a + b for a, b in zip(expected.get(text, [0.0] * 3), values, strict=True)]
    found = files.sums()
    assert {text: list(values) for text, values in by_type(found).items()} == expected
    assert (len(found), found.n) == (63, 45)


def test_files_have_no_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the process, and whenever: there is nothing to be found, and nothing to be removed."""
    if sys.platform == "win32":
        pytest.skip("Windows removes files that have names")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = TypeFiles()
    files.add(sums_of([f"w{k}" for k in range(5000)], random.Random(2)))
    assert list(tmp_path.iterdir()) == []
    found = files.sums()
    assert list(tmp_path.iterdir()) == []
    assert len(by_type(found)) == 5000


def test_files_are_closed(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import gc

    opened = []

    def recorded(**options: Any) -> Any:
        opened.append(tempfile.TemporaryFile(**options))  # noqa: SIM115
        return opened[-1]

    monkeypatch.setattr(type_files, "TemporaryFile", recorded)
    monkeypatch.setattr(totals, "IN_MEMORY", 30)
    found = run(corpus)
    assert opened
    assert all(file.closed for file in opened)
    opened.clear()
    monkeypatch.setattr(Stats, "concat", staticmethod(interrupted))
    waiting = TypeFiles()
    waiting.add(found.evaluation.stats("mt", "macrof"))
    with pytest.raises(KeyboardInterrupt):
        waiting.sums()
    assert len(opened) == 6
    assert all(file.closed for file in opened)
    opened.clear()
    waiting = TypeFiles()
    del waiting
    gc.collect()
    assert [file.closed for file in opened] == [True]


def interrupted(_: Any) -> Stats:
    raise KeyboardInterrupt


def test_a_full_disk_is_a_sentence(corpus: Path, tmp_path: Path) -> None:
    """Files of this process may have no more than so many bytes; those that are mapped must not end it by a signal."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)\n"
        "from tertium.engines import totals; totals.IN_MEMORY = 30\n"
        "from tertium.cli.main import main; main()"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = ["score", "--ref", f"{corpus}/r*.txt", "--hyp", f"{corpus}/h*.txt", "-m", "macrof"]
    said = f"tertium: word types that do not fit into memory cannot be written to {scratch} (File too large); "
    for size in (100, 3000, 12_000):
        done = subprocess.run(
            [sys.executable, "-c", code, str(size), *command], env={**os.environ, "TMPDIR": str(scratch)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"{said}name a folder with more room (TMPDIR=FOLDER)\n"
    assert list(scratch.iterdir()) == []


def test_every_type_has_a_part_of_its_own() -> None:
    """The part of a text depends on nothing else, and natural words fill the parts."""
    words = [f"{'www.' * rest}word{k}" for rest in (0, 40) for k in range(10_000)]
    part_of = part_numbers(Lines.of(words))
    assert set(part_of.tolist()) == set(range(PARTS))
    assert np.bincount(part_of).max() < 1.5 * len(words) / PARTS
    shuffled = [*reversed(words), "", "\N{CJK UNIFIED IDEOGRAPH-8BCD}" * 1000]
    again = part_numbers(Lines.of(shuffled))
    assert again[: len(words)].tolist() == part_of[::-1].tolist()


def test_other_sums_are_refused() -> None:
    with pytest.raises(TertiumError, match="other things than word types"):
        TypeFiles().add(Stats(("a",), Sums([1.0], 1, 1, False)))


def test_nothing_was_added() -> None:
    assert TypeFiles().sums().width == 0
