"""The laws of statistics that travel: what is counted pickles, knows what it is of, and is not joined wrongly."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import TertiumError
from tertium.core.header import Header
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.io.stats import load_stats, save_stats

from .texts import make_testset
from .variants import NAMES, variants

every_metric = pytest.mark.parametrize("name", NAMES)

REFERENCES = [["the cat sat", "a cat"], ["on a mat"], [], ["in Paris"], ["again and again", "again"], ["no"]]
OUTPUTS = ["the cat", None, "mat", "in a Paris", "again", ""]


def counted(name: str, first: int = 0, last: int = 6, *, whole: Any = None) -> Stats:
    """The rows of some segments, counted as a part of the test set."""
    metric, testset = tt.parse(name), make_testset(REFERENCES)
    parts = [(testset.slice(0, 3), 0), (testset.slice(3, 6), 3)]
    origin = door.origin_of(metric, testset) if whole is None else whole
    prepared = door.share([door.prepare(metric, part, first=start, origin=origin) for part, start in parts])
    outputs = tt.Lines.of(OUTPUTS)
    found = [
        door.count(metric, outputs[:3], prepared[0], first=0),
        door.count(metric, outputs[3:], prepared[1], first=3),
    ]
    return Stats.concat([part for part, (_, start) in zip(found, parts, strict=True) if first <= start < last])


def copy(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def same(a: Stats, b: Stats) -> None:
    assert (a.form, a.columns, a.n, len(a)) == (b.form, b.columns, b.n, len(b))
    assert a.header == b.header
    assert a.sums() == b.sums()
    assert (a.types is None) == (b.types is None)
    if a.form != "sums":
        assert a.segments().tobytes() == b.segments().tobytes()
        assert a.scored.tolist() == b.scored.tolist()


@every_metric
def test_what_is_prepared_pickles(name: str) -> None:
    """Processes and other machines are sent it."""
    metric, testset = tt.parse(name), make_testset(REFERENCES)
    before = door.prepare(metric, testset)
    after = copy(before)
    assert after.header == before.header == Header(door.origin_of(metric, testset), (0, 6))
    assert after.header.testset == testset.digest
    same(door.count(metric, tt.Lines.of(OUTPUTS), after), door.count(metric, tt.Lines.of(OUTPUTS), before))
    some = np.array([4, 0])
    assert after.take(some).header == before.take(some).header == Header(before.header.origin, None)


@every_metric
def test_statistics_pickle(name: str) -> None:
    stats = counted(name)
    assert stats.header is not None
    for before in (stats, stats.take(np.array([3, 0])), stats.summed(), stats.take(np.array([1])).summed()):
        same(copy(before), before)
    assert copy(stats).header.signature == tt.evaluate(
        make_testset(REFERENCES), [tt.System(name="a", outputs=tt.Lines.of(OUTPUTS))], name
    ).signatures[name]  # fmt: skip


@every_metric
def test_evaluations_pickle(name: str) -> None:
    testset, system = make_testset(REFERENCES), tt.System(name="a", outputs=tt.Lines.of(OUTPUTS))
    before = tt.evaluate(testset, [system], variants(name)[:3])
    after = copy(before)
    for level in ("corpus", "segment"):
        assert repr(after.scores(level)) == repr(before.scores(level))
    assert after.table.keys() == before.table.keys()
    for key, stats in before.table.items():
        same(after.table[key], stats)
        assert stats.header is not None
        assert (stats.header.metric, stats.header.rows) == (key[1], (0, 6))
        assert stats.header.signature == before.signatures[key[1]]
    same_again = before.merge(after)
    assert repr(same_again.scores()) == repr(before.scores())


@every_metric
def test_files_keep_statistics(name: str, tmp_path: Any) -> None:
    stats = counted(name)
    for before, suffix in [(stats, "npz"), (stats, "parquet"), (stats.take(np.array([5, 3])), "npz"),
                           (stats.summed(), "npz")]:  # fmt: skip
        path = tmp_path / f"a.{suffix}"
        save_stats(before, path)
        same(load_stats(path), before)
    system = tt.System(name="a", outputs=tt.Lines.of(OUTPUTS))
    evaluation = tt.evaluate(make_testset(REFERENCES), [system], name)
    tt.save(evaluation, tmp_path / "a.tertium")
    loaded = tt.load(tmp_path / "a.tertium")
    same(loaded.stats("a", name), evaluation.stats("a", name))
    evaluation.merge(loaded)
    loaded.merge(evaluation)


@every_metric
def test_sums_are_those_of_all_rows(name: str) -> None:
    """Whichever part comes first; types are those of all parts."""
    metric = tt.parse(name)
    whole, one, other = counted(name), counted(name, 0, 3), counted(name, 3, 6)
    assert whole.header is not None
    for parts in ([one, other], [other, one]):
        sums = Stats.concat([part.summed() for part in parts])
        assert (sums.form, sums.n, len(sums), sums.header) == ("sums", whole.n, 6, whole.header)
        table = dict(zip(sums.columns, sums.sums(), strict=True))
        assert table == pytest.approx(dict(zip(whole.columns, whole.sums(), strict=True)), rel=1e-14)
        assert (sums.types is None) == (not isinstance(whole.rows, SparseRows))
        assert float(metric.score(sums.total())) == pytest.approx(float(metric.score(whole.total())), rel=1e-12)


@every_metric
def test_a_wrong_merge_is_refused(name: str) -> None:
    one, other = counted(name, 0, 3), counted(name, 3, 6)
    for parts in ([one, other], [one.summed(), other.summed()]):
        Stats.concat(parts)
    with pytest.raises(TertiumError, match=f"^statistics of {name}: rows 1 to 3 of the test set would count twice"):
        Stats.concat([one, one])
    with pytest.raises(TertiumError, match=f"^statistics of {name}: rows 1 to 3 of the test set would count twice"):
        Stats.concat([one.summed(), one.summed()])
    with pytest.raises(TertiumError, match="rows 4 to 6 of the test set would stand before rows 1 to 3"):
        Stats.concat([other, one])
    elsewhere = counted(name, 3, 6, whole=door.origin_of(tt.parse(name), make_testset([["x"]] * 6)))
    for join in (Stats.concat, Stats.aligned):
        with pytest.raises(TertiumError, match="they are of different test sets"):
            join([one, elsewhere])
    stranger = counted("bleu" if name != "bleu" else "ter", 3, 6)
    for join in (Stats.concat, Stats.aligned):
        with pytest.raises(TertiumError, match="do not belong together; join those of one metric"):
            join([one, stranger])
