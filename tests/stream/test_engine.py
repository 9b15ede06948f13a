"""Shards counted by an engine: whatever travels, and wherever a shard is counted, the result is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.engines.stream import Streamed, stream
from tertium.inference.poisson import PoissonDraws
from tertium.io.shards import find_shards

from .corpora import OUTPUTS, REFERENCES, TABLES, write_parquet
from .engines import Loaded, OneByOne

METRICS = "bleu,chrf,ter,macrof,wer,hlepor"


def find(folder: Path) -> Any:
    return find_shards(None, [f"{folder}/p-*.parquet:ref"], [f"{folder}/p-*.parquet:mt"])


def assert_equal(one: Streamed, other: Streamed) -> None:
    """To the last bit, floats too: blocks are the same, and so is the order in which they are added."""
    assert one.evaluation.signatures == other.evaluation.signatures
    assert one.evaluation.warnings == other.evaluation.warnings
    assert (one.describe(), one.skipped) == (other.describe(), other.skipped)
    for metric in one.evaluation.metrics:
        assert one.evaluation.stats("mt", metric).sums() == other.evaluation.stats("mt", metric).sums(), metric
    assert {key: sums.tolist() for key, sums in one.drawn.items()} == {
        key: sums.tolist() for key, sums in other.drawn.items()
    }
    assert one.evaluation.scores() == other.evaluation.scores()


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("draws", [None, PoissonDraws(50, 3)], ids=["plain", "drawn"])
def test_an_engine_changes_nothing(kind: str, draws: PoissonDraws | None, tmp_path: Path) -> None:
    pattern = TABLES[kind](tmp_path, REFERENCES, OUTPUTS)
    shards = find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"])
    here = stream(shards, ["mt"], METRICS, draws=draws)
    engine = OneByOne()
    assert_equal(stream(shards, ["mt"], METRICS, draws=draws, engine=engine), here)
    assert engine.asked == (4 if draws is None else 8)  # draws need the numbers of rows before


@pytest.mark.parametrize("draws", [None, PoissonDraws(50, 3)], ids=["plain", "drawn"])
def test_bad_shards(draws: PoissonDraws | None, tmp_path: Path) -> None:
    """Rows after a bad shard have the numbers that they have without it."""
    write_parquet(tmp_path, REFERENCES, OUTPUTS)
    (tmp_path / "p-2.parquet").write_bytes((tmp_path / "p-2.parquet").read_bytes()[:-30])
    with pytest.raises(InputError, match=r"p-2\.parquet: not a Parquet file"):
        stream(find(tmp_path), ["mt"], METRICS, draws=draws, engine=OneByOne())
    found = stream(find(tmp_path), ["mt"], METRICS, draws=draws, bad_shards="skip", engine=OneByOne())
    assert len(found.skipped) == 1
    assert_equal(found, stream(find(tmp_path), ["mt"], METRICS, draws=draws, bad_shards="skip"))


@pytest.mark.parametrize("draws", [None, PoissonDraws(50, 3)], ids=["plain", "drawn"])
def test_checkpoints_are_of_either_engine(draws: PoissonDraws | None, tmp_path: Path) -> None:
    write_parquet(tmp_path, REFERENCES, OUTPUTS)
    kept, whole = str(tmp_path / "kept"), stream(find(tmp_path), ["mt"], METRICS, draws=draws)

    def go(engine: OneByOne | None) -> int:
        found = stream(find(tmp_path), ["mt"], METRICS, draws=draws, checkpoint=kept, engine=engine)
        assert_equal(found, whole)
        return 0 if engine is None else engine.asked

    go(OneByOne())
    times = {path.name: path.stat().st_mtime_ns for path in Path(kept).iterdir()}
    go(None)  # which finds all that it needs
    assert {path.name: path.stat().st_mtime_ns for path in Path(kept).iterdir()} == times
    assert go(OneByOne()) == 0
    (Path(kept) / "shard-000002.npz").unlink()
    assert go(OneByOne()) == (1 if draws is None else 2)


def test_a_shard_that_changes_while_it_is_read(tmp_path: Path) -> None:
    """Rows would have other numbers than was said."""
    write_parquet(tmp_path, REFERENCES, OUTPUTS)

    class Meanwhile(OneByOne):
        def map(self, task: Any, jobs: Any, *, learned: bool = False) -> Any:
            yield from super().map(task, jobs, learned=learned)
            (tmp_path / "p-1.parquet").write_bytes((tmp_path / "p-2.parquet").read_bytes())

    with pytest.raises(InputError, match=r"p-1\.parquet: was changed while it was read; start again"):
        stream(find(tmp_path), ["mt"], "bleu", draws=PoissonDraws(9, 1), engine=Meanwhile())


@pytest.mark.parametrize("draws", [None, PoissonDraws(50, 3)], ids=["plain", "drawn"])
def test_an_error_in_a_segment_says_which_of_which_shard(draws: PoissonDraws | None, tmp_path: Path) -> None:
    """An engine does not know how many rows there are before."""
    outputs = [text if k != 20 else "not a number" for k, text in enumerate(OUTPUTS)]
    write_parquet(tmp_path, REFERENCES, outputs)

    with pytest.raises(InputError, match=r"p-3\.parquet: mt, segment 4: .*not a finite number"):
        stream(find(tmp_path), ["mt"], [Endless()], draws=draws, engine=OneByOne())


class Endless(Loaded):
    """Of one output the statistic is infinite."""

    def __init__(self) -> None:
        super().__init__(folder="")

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Any:  # noqa: ARG002
        from tertium.core.metric import Prepared

        return Prepared(references=testset.references)

    def stats(self, outputs: tt.Lines, prepared: Any, run: tt.Run) -> tt.Stats:  # noqa: ARG002
        rows = [[float("inf") if text == "not a number" else 1.0] for text in outputs]
        import numpy as np

        return tt.Stats(("value",), np.array(rows))


def test_tables_are_written_where_they_are_counted(tmp_path: Path) -> None:
    """The same files, conditions among them; of a bad one none."""
    import pyarrow.parquet as pq

    from tertium.engines.annotate import annotate

    write_parquet(tmp_path, REFERENCES, OUTPUTS)
    (tmp_path / "p-2.parquet").write_bytes((tmp_path / "p-2.parquet").read_bytes()[:-30])
    found = {}
    for name, engine in (("here", None), ("there", OneByOne())):
        found[name] = annotate(f"{tmp_path}/p-*.parquet", tmp_path / name, "chrf,bleu", outputs="mt", references="ref",
                               keep="chrf > 40", bad_shards="skip", engine=engine)  # fmt: skip
    here, there = found["here"], found["there"]
    assert [Path(path).name for path in there.written] == ["p-0.parquet", "p-1.parquet", "p-3.parquet"]
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == sorted(
        path.name for path in (tmp_path / "here").iterdir()
    )
    for path in here.written:
        assert pq.read_table(path).equals(pq.read_table(tmp_path / "there" / Path(path).name))
    assert (there.kept, there.scores(), there.conditions) == (here.kept, here.scores(), here.conditions)


def test_what_is_known_of_the_whole_corpus_does_not_travel(tmp_path: Path) -> None:
    write_parquet(tmp_path, REFERENCES, OUTPUTS)
    with pytest.raises(OptionError, match="nist: what it has to know of all references stays in one process"):
        stream(find(tmp_path), ["mt"], "nist", engine=OneByOne())
