"""Scores of shards are those of one test set, whatever the files, blocks and threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.laws.variants import NAMES, variants

import tertium as tt
from tertium.core.errors import CancelledError, InputError, OptionError
from tertium.core.metric import Metric, Prepared
from tertium.engines.stream import Streamed, stream
from tertium.io import blocks
from tertium.io.shards import find_shards
from tertium.metrics.nist import Information

from .corpora import OUTPUTS, REFERENCES, SOURCES, TABLES, write_text


@pytest.fixture(params=[(1 << 21, 1 << 14), (50, 3)], ids=["wide", "narrow"])
def block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    size, rows = request.param
    monkeypatch.setattr(blocks, "SIP", size)
    monkeypatch.setattr(blocks, "ROWS", rows)


def in_memory(metrics: Any, outputs: Any = OUTPUTS, references: Any = REFERENCES) -> tt.Evaluation:
    streams = (tt.Lines.of(references),)
    testset = tt.TestSet(
        segments=len(outputs), references=tt.References(streams, len(outputs)), sources=tt.Lines.of(SOURCES)
    )
    return tt.evaluate(testset, [tt.System(name="mt", outputs=tt.Lines.of(outputs))], metrics)


def shards_of(folder: Path, outputs: Any = OUTPUTS) -> Any:
    return find_shards(
        write_text(folder, "src", SOURCES), [write_text(folder, "ref", REFERENCES)], [write_text(folder, "mt", outputs)]
    )


def assert_same(found: Streamed, expected: tt.Evaluation) -> None:
    for metric in found.evaluation.metrics:
        text = str(metric)
        one, other = found.evaluation.stats("mt", metric), expected.stats("mt", metric)
        assert (one.form, len(one), one.n) == ("sums", len(other), other.n)
        sums = dict(zip(other.columns, other.sums(), strict=True))
        assert dict(zip(one.columns, one.sums(), strict=True)) == pytest.approx(sums, rel=1e-14, abs=0), text
        if all(value.is_integer() for value in sums.values()):
            assert dict(zip(one.columns, one.sums(), strict=True)) == sums, text
    for one_score, other_score in zip(found.evaluation.scores(), expected.scores(), strict=True):
        assert one_score.value == pytest.approx(other_score.value, rel=1e-13), one_score.metric


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_is_counted_as_in_memory_or_refused(name: str, tmp_path: Path) -> None:
    """A law: nothing is lost. What rows depend on in the whole test set is gathered before (NIST)."""
    shards = shards_of(tmp_path)
    for metric in variants(name):
        assert_same(stream(shards, ["mt"], metric, run=tt.Run(threads=2)), in_memory([metric]))


def test_what_is_gathered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = sum(len(text.split()) for text in REFERENCES)
    for most in (words, words - 1):
        monkeypatch.setattr(Information, "most", most)
        if most == words:
            assert_same(
                stream(shards_of(tmp_path), ["mt"], 'nist(tokenize="none")'), in_memory('nist(tokenize="none")')
            )
        else:
            with pytest.raises(InputError, match=f"the references have more than {most} words"):
                stream(shards_of(tmp_path), ["mt"], 'nist(tokenize="none")')


def test_bad_shards_tell_nothing_of_references(tmp_path: Path) -> None:
    shards = shards_of(tmp_path)
    (tmp_path / "mt-2.txt").write_text("too few\n")
    with pytest.raises(InputError, match="files of a shard must have"):
        stream(shards, ["mt"], "nist")
    found = stream(shards, ["mt"], "nist", bad_shards="skip")
    rest = [k for part in (range(5), range(17, 36)) for k in part]
    streams = (tt.Lines.of([REFERENCES[k] for k in rest]),)
    testset = tt.TestSet(segments=len(rest), references=tt.References(streams, len(rest)))
    system = tt.System(name="mt", outputs=tt.Lines.of([OUTPUTS[k] for k in rest]))
    assert_same(found, tt.evaluate(testset, [system], "nist"))


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_file_gives_the_same(kind: str, tmp_path: Path) -> None:
    plain = stream(find_shards(None, [write_text(tmp_path, "ref", REFERENCES)], [write_text(tmp_path, "mt", OUTPUTS)]),
                   ["mt"], "bleu,chrf,macrof")  # fmt: skip
    pattern = TABLES[kind](tmp_path, REFERENCES, OUTPUTS)
    found = stream(find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"]), ["mt"], "bleu,chrf,macrof")
    assert_same(found, in_memory("bleu,chrf,macrof"))
    assert found.evaluation.signatures == plain.evaluation.signatures  # the digests of the texts are in them
    assert found.describe() == "36 segments in 3 shards, 1 reference per segment"


def test_texts_are_in_the_signature(tmp_path: Path) -> None:
    shards = shards_of(tmp_path)
    before = stream(shards, ["mt"], "bleu").evaluation.signatures["bleu"]
    assert before.startswith("bleu|refs:1|n:36|shards:3|data:")
    path = tmp_path / "ref-2.txt"
    path.write_text(path.read_text().replace("dog", "dig", 1))
    assert stream(shards, ["mt"], "bleu").evaluation.signatures["bleu"] != before


@pytest.mark.usefixtures("block_size")
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_what_is_missing_is_not_scored(kind: str, tmp_path: Path) -> None:
    outputs = [None if k % 4 == 1 else text for k, text in enumerate(OUTPUTS)]
    references = [None if k % 6 == 2 else text for k, text in enumerate(REFERENCES)]
    pattern = TABLES[kind](tmp_path, references, outputs)
    found = stream(find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"]), ["mt"], "bleu,ter")
    assert_same(found, in_memory("bleu,ter", outputs, references))
    assert found.references == (0, 1)
    assert found.evaluation.warnings == (
        "mt: 15 of 36 segments are not scored by bleu",
        "mt: 15 of 36 segments are not scored by ter",
    )


def test_lists_of_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks in which nobody has a second reference have no second stream; digests are the same for any blocks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = [["a b c d"], ["b c d e", "b c"], [], None, ["x y z w", None, "x y"], ["q"]]
    pq.write_table(
        pa.table({"ref": pa.array(lists, pa.list_(pa.string())), "mt": ["a b c d"] * 6}), tmp_path / "l.parquet"
    )
    shards = find_shards(None, [f"{tmp_path / 'l*.parquet'}:ref"], [f"{tmp_path / 'l*.parquet'}:mt"])
    found = []
    for rows in (1 << 14, 2, 1):
        monkeypatch.setattr(blocks, "ROWS", rows)
        found.append(stream(shards, ["mt"], "bleu"))
    assert found[0].references == (0, 2)
    streams = [[None if texts is None or k >= len(texts) else texts[k] for texts in lists] for k in range(3)]
    testset = tt.TestSet(segments=6, references=tt.References(tuple(map(tt.Lines.of, streams)), 6))
    whole = tt.evaluate(testset, [tt.System(name="mt", outputs=tt.Lines.of(["a b c d"] * 6))], "bleu")
    for item in found:
        assert item.evaluation.stats("mt", "bleu").sums() == whole.stats("mt", "bleu").sums()
        assert item.evaluation.signatures == found[0].evaluation.signatures


def test_a_byte_order_mark_is_one_at_the_beginning_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\ufeffa b\n\ufeffc d\r\n\ufeffe f"
    (tmp_path / "x.txt").write_bytes(text.encode())
    for size in (1, 2, 5, 7, 9, 1000):
        monkeypatch.setattr(blocks, "SIP", size)
        lines = [line for block in blocks.text_blocks(str(tmp_path / "x.txt")) for line in block.lines]
        assert lines == ["a b", "\ufeffc d", "\ufeffe f"]


def test_the_metric_of_another_package_is_refused_if_it_shares_something(tmp_path: Path) -> None:
    """It does not say what depends on it; so rows may."""

    class Known:
        def merge(self, other: Known) -> Known:  # noqa: ARG002
            return self

    from dataclasses import replace

    from tertium.metrics.bleu import Bleu

    class Sharing(Bleu):
        def prepare(self, testset: tt.TestSet, run: tt.Run = tt.Run()) -> Prepared:  # noqa: B008
            return replace(super().prepare(testset, run), shared=Known())

    metric: Metric = Sharing()
    with pytest.raises(OptionError, match="bleu cannot be scored in shards: its rows depend on the whole test set"):
        stream(shards_of(tmp_path), ["mt"], [metric])


def test_progress_ends_where_the_rows_end(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    stream(shards_of(tmp_path), ["mt"], "bleu", run=tt.Run(progress=lambda *said: told.append(said), threads=1))
    assert told[-1] == ("counting segments", 36, 36)
    assert all(done <= total for _, done, total in told)
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


def test_a_stream_can_be_cancelled(tmp_path: Path) -> None:
    asked = iter([False, False, True])
    with pytest.raises(CancelledError, match="cancelled while counting segments"):
        stream(shards_of(tmp_path), ["mt"], "bleu", run=tt.Run(cancelled=lambda: next(asked)))


def test_nothing_to_score(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    shards = find_shards(None, [str(tmp_path / "a*.txt")], [str(tmp_path / "a*.txt")])
    with pytest.raises(InputError, match="no segment to score in 1 shard"):
        stream(shards, ["mt"], "bleu")
    with pytest.raises(InputError, match="two systems are called a"):
        stream(shards, ["a", "a"], "bleu")
    with pytest.raises(InputError, match="no metric to score with"):
        stream(shards, ["a"], [])
    with pytest.raises(InputError, match=r"comet needs the source|bleu needs references, and there are none"):
        stream(shards_without_references(tmp_path), ["a"], "bleu")


def shards_without_references(folder: Path) -> Any:
    return find_shards(write_text(folder, "src", SOURCES), [], [write_text(folder, "mt", OUTPUTS)])


def test_memory_does_not_hold_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are let go: however many there are, few are alive at a time."""
    import gc

    from tertium.io.shards import ShardBlock

    monkeypatch.setattr(blocks, "SIP", 2000)
    for name in ("r", "h"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{name} sits on mat {k}\n" for k in range(20_000)))
    alive: list[int] = []

    def look(*_: Any) -> None:
        if len(alive) % 50 == 0:
            alive.append(sum(type(item) is ShardBlock for item in gc.get_objects()))
        else:
            alive.append(0)

    shards = find_shards(None, [str(tmp_path / "r*.txt")], [str(tmp_path / "h*.txt")])
    found = stream(shards, ["mt"], "bleu", run=tt.Run(threads=2, progress=look))
    assert len(alive) > 150
    assert max(alive) <= 12  # 4 for each thread wait, and some are on their way
    assert len(found.evaluation.testset) == 20_000


def test_types_are_joined_a_few_times_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each join reads all types of both sides: joined one by one, work would grow as the square of the blocks."""
    from tertium.core.stats import Stats

    monkeypatch.setattr(blocks, "SIP", 200)
    (tmp_path / "a.txt").write_text("".join(f"w{k} x{k}\n" for k in range(2000)))
    read: list[int] = []
    concat = Stats.concat

    def counting(parts: Any) -> Stats:
        read.append(sum(part.width for part in parts))
        return concat(parts)

    monkeypatch.setattr(Stats, "concat", staticmethod(counting))
    shards = find_shards(None, [str(tmp_path / "a*.txt")], [str(tmp_path / "a*.txt")])
    found = stream(shards, ["mt"], "macrof")
    assert found.evaluation.scores()[0].value == 100
    types = 2 * 2000 * 3
    assert sum(read) < types * 2 * np.log2(2000)
