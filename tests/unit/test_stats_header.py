"""What statistics know of themselves: their header, what is refused because of it, and sums without rows."""

import dataclasses
import pickle
import re
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import numpy as np
import pytest

import tertium as tt
from tertium.core.dense import empty_rows
from tertium.core.errors import InputError, TertiumError
from tertium.core.header import Header, Origin, without_version
from tertium.core.lines import Lines
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.type_stats import TypeColumns
from tertium.engines import door

SIGNED = "ter|refs:1|n:9|tertium:0.1.0"
ORIGIN = Origin("ter", SIGNED, "a" * 64)


def rows_of(first: int, last: int, origin: Origin = ORIGIN) -> Stats:
    """Rows [first, last) of nine, each with its own number."""
    return Stats(("a",), np.arange(first, last, dtype=np.float64)[:, None], None, Header(origin, (first, last)))


def refused(call: Callable[..., Any], *values: Any) -> str:
    with pytest.raises(TertiumError) as error:
        call(*values)
    return str(error.value)


def never() -> NoReturn:
    raise AssertionError("it was asked for")


# Headers


def test_signature_and_digest_are_worked_out_once_and_only_when_asked_for() -> None:
    asked = []

    def digest() -> str:
        asked.append(1)
        return "d"

    origin = Origin("ter", SIGNED, digest)
    joined = Stats.concat([rows_of(0, 2, origin), rows_of(2, 3, origin)])
    assert Stats.aligned([joined, joined.take(np.array([0]))])
    assert joined.header is not None
    assert (joined.header.metric, joined.header.rows, asked) == ("ter", (0, 3), [])
    assert (joined.header.testset, joined.header.testset, joined.header.signature) == ("d", "d", SIGNED)
    assert asked == [1]


def test_counting_asks_for_no_digest_of_the_test_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signature needs the references' alone; sources and names are hashed when somebody wants to know."""
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 2)
    monkeypatch.setattr(tt.TestSet, "digest", property(lambda _: never()))
    testset = tt.TestSet(segments=3, references=tt.References((Lines.of(["a", "b", "c"]),), 3))
    evaluation = tt.evaluate(testset, [tt.System(name="x", outputs=Lines.of(["a", "b", "d"]))], "bleu,macrof,microf")
    assert evaluation.scores()


def test_a_header_pickles_without_the_test_set() -> None:
    testset = tt.TestSet(segments=1, references=tt.References((Lines.of(["a" * 100_000]),), 1))
    header = Header(door.origin_of(tt.parse("ter"), testset), (0, 1))
    packed = pickle.dumps(header)
    assert len(packed) < 1000
    again = pickle.loads(packed)
    assert again == header
    assert again.testset == testset.digest
    assert again.signature.startswith("ter|refs:1|n:1|data:")


def test_what_becomes_of_rows() -> None:
    stats = rows_of(2, 5)
    assert stats.header == Header(ORIGIN, (2, 5))
    for other in (stats.take(np.array([2, 0])), stats.join(np.array([0, 0, 1]), 2)):
        assert other.header == Header(ORIGIN, None)
    assert stats.summed().header == stats.header
    assert Stats.concat([stats.take(np.array([1])), stats]).header == Header(ORIGIN, None)
    assert Stats.concat([stats, rows_of(5, 5), rows_of(5, 9)]).header == Header(ORIGIN, (2, 9))
    assert Stats.concat([rows_of(5, 5), rows_of(5, 5)]).header == Header(ORIGIN, (5, 5))
    assert len({Header(ORIGIN), Header(Origin("ter", SIGNED, "a" * 64)), Header(Origin("ter", SIGNED, "b"))}) == 2


def test_statistics_made_by_hand_have_none_and_join_with_all() -> None:
    plain = Stats(("a",), np.ones((2, 1)))
    assert plain.header is None
    joined = Stats.concat([rows_of(0, 2), plain, rows_of(7, 9)])
    assert (joined.header, len(joined)) == (None, 6)
    assert Stats.aligned([plain, rows_of(0, 2)])[1].header == Header(ORIGIN, (0, 2))
    assert refused(Stats.concat, [rows_of(0, 2), plain, rows_of(2, 3, Origin("per", "per", "t"))]) == (
        "statistics of ter and of per do not belong together; join those of one metric"
    )


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            Origin("per", SIGNED, "a" * 64),
            "statistics of ter and of per do not belong together; join those of one metric",
        ),
        (
            Origin("ter", SIGNED, "b" * 64),
            "statistics of ter do not belong together: they are of different test sets (aaaaaaaaaaaa and "
            "bbbbbbbbbbbb); join those of one test set",
        ),
        (
            Origin("ter", "ter|refs:1|n:9|spm:5|tertium:0.1.0", "a" * 64),
            "statistics of ter do not belong together: they were counted differently (ter|refs:1|n:9|tertium:0.1.0 and "
            "ter|refs:1|n:9|spm:5|tertium:0.1.0); count one of them again",
        ),
    ],
)
def test_other_origins_are_refused(other: Origin, said: str) -> None:
    for join in (Stats.concat, Stats.aligned):
        assert refused(join, [rows_of(0, 2), rows_of(2, 4, other)]) == said


def test_the_version_of_tertium_changes_no_statistic() -> None:
    newer = Origin("ter", "ter|refs:1|n:9|tertium:9.9", "a" * 64)
    assert len(Stats.concat([rows_of(0, 2), rows_of(2, 4, newer)])) == 4
    assert without_version("m|n:2") == "m|n:2"


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([(0, 3), (2, 5)], "row 3 of the test set would count twice; join parts that do not overlap"),
        ([(0, 9), (2, 4)], "rows 3 to 4 of the test set would count twice; join parts that do not overlap"),
        (
            [(0, 3), (5, 9)],
            "rows 4 to 5 of the test set would be missing between the parts; add the part that has them",
        ),
        (
            [(3, 5), (0, 3)],
            "rows 4 to 5 of the test set would stand before rows 1 to 3; join the parts in the order of the test set",
        ),
    ],
)
def test_rows_that_do_not_follow_one_another_are_refused(runs: list[tuple[int, int]], said: str) -> None:
    assert refused(Stats.concat, [rows_of(*run) for run in runs]) == f"statistics of ter: {said}"


def test_a_header_of_other_rows_is_refused() -> None:
    assert refused(Stats, ("a",), np.ones((1, 1)), None, Header(ORIGIN, (2, 5))) == (
        "statistics of ter: the header says rows 3 to 5 of the test set, but there is 1 row"
    )


# Evaluations


def evaluation(references: list[str] = ["a b", "c"]) -> tt.Evaluation:  # noqa: B006
    testset = tt.TestSet(segments=2, references=tt.References((Lines.of(references),), 2))
    return tt.evaluate(testset, [tt.System(name="x", outputs=Lines.of(["a b", "x"]))], "ter")


def test_evaluations_with_strange_statistics_do_not_merge() -> None:
    good, other = evaluation(), evaluation(["a", "c"])
    stats = good.stats("x", "ter")
    assert stats.header is not None

    def put(strange: Stats, metric: str = "ter") -> tt.Evaluation:
        return dataclasses.replace(good, table={("x", metric): strange})

    assert good.merge(put(stats)).scores() == good.scores()
    assert refused(good.merge, put(stats, "per")) == ("system x: statistics under per are of ter; evaluate it again")
    assert refused(good.merge, put(stats.take(np.array([1, 0])))) == (
        "system x: statistics under ter hold a selection of the test set, not rows 1 to 2; join all parts first"
    )
    part = Stats(stats.columns, stats.segments()[:1], None, Header(stats.header.origin, (0, 1)))
    assert refused(put(part).merge, good) == (
        "system x: statistics under ter hold row 1 of the test set, not rows 1 to 2; join all parts first"
    )
    assert refused(good.merge, put(other.stats("x", "ter"))) == (
        f"system x: statistics under ter are of another test set ({other.testset.digest[:12]}) than testset "
        f"({good.testset.digest[:12]}); evaluate it again"
    )
    counted = Header(Origin("ter", "ter|spm:1", good.testset.digest), (0, 2))
    assert refused(good.merge, put(stats.with_header(counted))).startswith(
        "statistics of ter do not belong together: they were counted differently (ter|refs:1|n:2|"
    )
    assert put(Stats(stats.columns, stats.segments())).merge(good).scores() == good.scores()


def test_signatures_that_name_no_version_are_told_apart() -> None:
    """What stood before the version was compared, and of these two that was nothing."""
    one, other = (dataclasses.replace(evaluation(), signatures={"ter": text}) for text in ("ter|n:2", "ter|n:3"))
    with pytest.raises(InputError, match=re.escape("both evaluations have ter, counted differently: ter|n:2 and")):
        one.merge(other)


# Sums without rows


def test_sums_of_dense_rows_need_no_numpy_arrays() -> None:
    rows = empty_rows(2, 2)
    rows[0, 1] = 3.0
    stats = Stats(("a", "b"), rows).summed()
    assert (stats.form, stats.columns, stats.sums(), stats.n, len(stats), stats.stored) == (
        "sums", ("a", "b"), [0.0, 3.0], 2, 2, 2
    )  # fmt: skip
    assert stats.summed() is stats
    assert stats.total().tolist() == [0.0, 3.0]


def test_sums_count_the_segments_that_were_scored() -> None:
    stats = Stats(("a",), np.array([[1.0], [0.0], [2.0]]), np.array([True, False, True])).summed()
    both = Stats.concat([stats, Stats(("a",), np.ones((1, 1))).summed()])
    assert (both.sums(), both.n, len(both)) == ([4.0], 3, 4)


def test_sums_that_are_not_whole_do_not_depend_on_the_order() -> None:
    parts = [Stats(("a",), np.array([[value]])).summed() for value in (1e16, 1.0, -1e16, 0.1)]
    assert Stats.concat(parts).sums() == Stats.concat(parts[::-1]).sums() == [1.1]


def of_types(types: list[str], values: list[float], header: Header | None = None) -> Stats:
    """One row with all these numbers."""
    columns = TypeColumns(Lines.of(types))
    rows = SparseRows(np.array([0, len(values)]), np.arange(len(values)), np.array(values), len(values))
    return Stats(columns, rows, None, header)


def test_sums_of_types_are_over_all_types() -> None:
    left, right = of_types(["cat", "mat"], [1, 0, 2, 3, 1, 0]), of_types(["hat", "cat"], [4, 6, 5, 0, 4, 0])
    added = Stats.concat([left.summed(), right.summed()])
    rows = Stats.concat([left, right])
    assert added.types is not None
    assert list(added.types) == ["cat", "mat", "hat"]
    assert added.sums() == rows.sums() == [7, 0, 4, 2, 3, 5, 1, 0, 4]
    one, other = Stats.aligned([left.summed(), right.summed()])
    assert one.columns == other.columns == rows.columns
    assert [one.sums(), other.sums()] == rows.segments().tolist()


def test_sums_of_other_sparse_rows_are_aligned_by_name() -> None:
    def named(names: tuple[str, ...]) -> Stats:
        return Stats(names, SparseRows(np.array([0, 2]), np.array([0, 1]), np.array([1.0, 2.0]), 2)).summed()

    added = Stats.concat([named(("x", "y")), named(("y", "z"))])
    assert (added.columns, added.sums(), added.types) == (("x", "y", "z"), [1, 3, 2], None)


@pytest.mark.parametrize(
    "ask",
    [
        lambda stats: stats.rows,
        lambda stats: stats.scored,
        lambda stats: stats.segments(),
        lambda stats: stats.weigh(np.ones(3)),
        lambda stats: stats.take(np.array([0])),
        lambda stats: stats.join(np.zeros(3, dtype=np.int64), 1),
        lambda stats: list(stats.blocks()),
    ],
)
def test_what_needs_rows_is_refused_by_sums(ask: Callable[[Stats], Any]) -> None:
    said = (
        "rows were not kept, only the sums of 3 segments; segment scores, groups, intervals and tests need rows: "
        "count again and keep them"
    )
    assert refused(ask, rows_of(0, 3).summed()) == f"statistics of ter: {said}"
    assert refused(ask, Stats(("a",), np.ones((3, 1))).summed()) == f"statistics: {said}"


def test_an_evaluation_of_sums_has_corpus_scores_alone() -> None:
    texts = ["the cat sat on the mat", "a cat", "again and again"]
    testset = tt.TestSet(segments=3, references=tt.References((Lines.of(texts),), 3))
    system = tt.System(name="x", outputs=Lines.of(["the cat on the mat", "cat a", None]))
    whole = tt.evaluate(testset, [system], "bleu,macrof,chrf,nist")
    table = {key: stats.summed() for key, stats in whole.table.items()}
    sums = dataclasses.replace(whole, table=table)
    assert sums.scores() == whole.scores()
    for metric in ("bleu", "macrof"):
        only = dataclasses.replace(sums, metrics=(tt.parse(metric),))
        assert f"statistics of {metric}: rows were not kept" in refused(only.scores, "segment")
    only = dataclasses.replace(sums, metrics=(tt.parse("bleu"),))
    assert "statistics of bleu: rows were not kept" in refused(partial(tt.scores, confidence=0.95), only)


def test_sums_and_rows_are_not_joined() -> None:
    assert refused(Stats.concat, [rows_of(0, 2), rows_of(2, 3).summed()]) == (
        "dense and sums statistics cannot be joined; join the sums of all of them (summed())"
    )
    assert refused(Stats.concat, [Stats((name,), np.ones((1, 1))).summed() for name in "ab"]) == (
        "statistics with different columns cannot be joined; were the options the same?"
    )


# Rows made by hand


def test_rows_are_what_the_kernel_can_read() -> None:
    """Whole numbers, columns first, lists: sums of them were a TypeError."""
    expected = [[1.0, 2.0], [3.0, 4.0]]
    given = np.array(expected)
    for rows in (given.astype(int), np.asfortranarray(given), expected, memoryview(given.astype("f4"))):
        stats = Stats(("a", "b"), rows, [True, True])
        assert isinstance(stats.rows, np.ndarray)
        assert (stats.rows.tolist(), stats.rows.dtype, stats.sums(), stats.n) == (expected, np.float64, [4, 6], 2)
    assert Stats(("a", "b"), given).rows is given
    assert refused(Stats, ("a",), np.ones(3)) == (
        "statistics: rows of shape (3,); there must be one for each segment, (n, k)"
    )
