"""Stats: weights times rows, dense or sparse, and shards joined."""

import random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.dense import empty_rows
from tertium.core.errors import TertiumError
from tertium.core.lines import Lines
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.type_stats import TypeColumns, types_of_rows

NAMES = ("a", "b", "c", "d")
MATRICES = st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=5)


def dense_stats(matrix: list[list[int]], scored: list[bool] | None = None) -> Stats:
    mask = None if scored is None else np.array(scored, dtype=bool)
    return Stats(NAMES, np.array(matrix, dtype=np.float64), mask)


def sparse_stats(matrix: list[list[int]], names: tuple[str, ...] = NAMES) -> Stats:
    """Values split in two where they can be, to meet columns that come twice in a row; order within a row is free."""
    starts, indices, values = [0], [], []
    rng = random.Random(str(matrix))
    for row in matrix:
        entries = [(k, value) for k, value in enumerate(row) if value]
        entries += [(k, -1) for k, value in enumerate(row) if value > 5]
        entries = [(k, value + (value > 5)) for k, value in entries]
        rng.shuffle(entries)
        indices += [k for k, _ in entries]
        values += [value for _, value in entries]
        starts.append(len(indices))
    rows = SparseRows(
        np.array(starts), np.array(indices, dtype=np.int64), np.array(values, dtype=np.float64), len(names)
    )
    return Stats(names, rows, np.ones(len(matrix), dtype=bool))


KINDS = {"dense": dense_stats, "sparse": sparse_stats}
kinds = pytest.mark.parametrize("kind", KINDS)


@kinds
@given(matrix=MATRICES, data=st.data())
def test_weigh_equals_a_loop(kind: str, matrix: list[list[int]], data: st.DataObject) -> None:
    stats, n = KINDS[kind](matrix), len(matrix)
    weights = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=n, max_size=n), min_size=1, max_size=3))
    expected = [[sum(w * row[k] for w, row in zip(line, matrix, strict=True)) for k in range(4)] for line in weights]
    assert stats.weigh(np.array(weights)).tolist() == expected
    assert stats.weigh(np.array(weights[0])).tolist() == expected[0]
    assert stats.weigh(weights[0]).tolist() == expected[0]


@kinds
@given(matrix=MATRICES)
def test_total_segments_and_shape(kind: str, matrix: list[list[int]]) -> None:
    stats = KINDS[kind](matrix)
    assert stats.total().tolist() == [sum(column) for column in zip(*matrix, strict=True)]
    assert stats.sums() == stats.total().tolist()
    assert stats.segments().tolist() == matrix
    assert len(stats) == stats.n == len(matrix)
    assert stats.columns == NAMES
    assert stats.scored.tolist() == [True] * len(matrix)


@kinds
@given(matrix=MATRICES, data=st.data())
def test_groups_equal_a_group_matrix(kind: str, matrix: list[list[int]], data: st.DataObject) -> None:
    stats = KINDS[kind](matrix)
    group = data.draw(st.lists(st.integers(0, 2), min_size=len(matrix), max_size=len(matrix)))
    indicator = np.array([[g == k for g in group] for k in range(3)], dtype=np.float64)
    assert stats.groups(np.array(group), 3).tolist() == (indicator @ np.array(matrix)).tolist()


@kinds
@given(matrices=st.lists(MATRICES, min_size=1, max_size=4))
def test_concat_puts_rows_one_after_the_other(kind: str, matrices: list[list[list[int]]]) -> None:
    joined = Stats.concat([KINDS[kind](matrix) for matrix in matrices])
    assert joined.segments().tolist() == [row for matrix in matrices for row in matrix]
    assert joined.columns == NAMES


def test_scored_segments_are_joined_and_counted() -> None:
    part = dense_stats([[1, 2, 3, 4], [0, 0, 0, 0]], [True, False])
    joined = Stats.concat([part, dense_stats([[1, 1, 1, 1]])])
    assert joined.scored.tolist() == [True, False, True]
    assert (part.n, joined.n, len(joined)) == (1, 2, 3)


def test_sparse_rows_align_their_columns_by_name() -> None:
    left = sparse_stats([[1, 2], [0, 3]], ("cat", "mat"))
    right = sparse_stats([[4, 5], [6, 0]], ("hat", "cat"))
    joined = Stats.concat([left, right])
    table = dict(zip(joined.columns, joined.segments().T.tolist(), strict=True))
    assert table == {"cat": [1, 0, 5, 0], "mat": [2, 3, 0, 0], "hat": [0, 0, 4, 6]}
    nothing = sparse_stats([[]], ())
    assert Stats.concat([nothing, left]).segments().tolist() == [[0, 0], [1, 2], [0, 3]]


def test_blocks_of_sparse_rows() -> None:
    matrix = [[1, 0, 0, 2], [0, 0, 0, 0], [0, 3, 9, 0]]
    rows = sparse_stats(matrix).rows
    assert isinstance(rows, SparseRows)
    assert len(rows) == 3
    for first in range(4):
        for last in range(first, 4):
            assert rows.dense(first, last).tolist() == matrix[first:last]
    assert rows.dense().tolist() == matrix
    assert rows.row_numbers().tolist() == [0, 0, 2, 2, 2]


def test_sparse_equals_dense_where_it_matters() -> None:
    """A thousand weights at once."""
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 5, size=(40, 4)).tolist()
    weights = rng.integers(0, 4, size=(1000, 40))
    assert np.array_equal(dense_stats(matrix).weigh(weights), sparse_stats(matrix).weigh(weights))


def test_counts_beyond_float32_stay_exact() -> None:
    stats = dense_stats([[2**24 + 1, 1, 0, 0], [1, 0, 0, 2**40 + 1]])
    assert stats.total().tolist() == [2**24 + 2, 1, 0, 2**40 + 1]
    assert stats.weigh(np.ones(2, dtype=np.float32)).tolist() == stats.total().tolist()


@pytest.mark.parametrize(("shape", "segments", "names"), [((2, 4), 3, NAMES), ((2, 3), 2, NAMES), ((2, 4), 2, ("a",))])
def test_rows_that_do_not_fit_are_refused(shape: tuple[int, int], segments: int, names: tuple[str, ...]) -> None:
    with pytest.raises(TertiumError, match=f"{shape[0]} rows of {shape[1]} columns"):
        Stats(names, np.zeros(shape), np.ones(segments, dtype=bool))


def test_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TertiumError, match="different columns"):
        Stats.concat([dense_stats([[1, 2, 3, 4]]), Stats(("x",), np.zeros((1, 1)), np.ones(1, dtype=bool))])
    with pytest.raises(TertiumError, match="dense and sparse"):
        Stats.concat([dense_stats([[1, 2, 3, 4]]), sparse_stats([[1, 2, 3, 4]])])


def test_rows_made_for_the_kernel_are_seen_by_numpy() -> None:
    rows = empty_rows(2, 3)
    stats = Stats(("a", "b", "c"), rows)
    rows[1, 2] = 5.0
    assert stats.segments().tolist() == [[0, 0, 0], [0, 0, 5]]
    assert stats.sums() == [0, 0, 5]
    assert (stats.n, len(stats)) == (2, 2)
    for shape in [(0, 3), (2, 0), (0, 0)]:
        assert np.shape(empty_rows(*shape)) == shape


# Types: three columns each


def type_stats(matrix: list[list[int]], types: list[str]) -> Stats:
    return sparse_stats(matrix, tuple(TypeColumns(Lines.of(types))))


TYPES = ["the", "a:b", "", "中"]
TYPE_MATRICES = st.lists(st.lists(st.integers(0, 9), min_size=12, max_size=12), min_size=1, max_size=6)


def test_columns_of_types() -> None:
    columns = TypeColumns(Lines.of(TYPES))
    assert tuple(columns)[:4] == ("output:the", "output:a:b", "output:", "output:中")
    assert [columns[k] for k in range(len(columns))] == list(columns)
    assert (columns[-1], columns[1:3]) == ("both:中", ("output:a:b", "output:"))
    again = TypeColumns.read(tuple(columns))
    assert again is not None
    assert list(again.types) == TYPES
    for names in (("a",), ("output:a", "reference:a"), ("output:a", "reference:b", "both:a"), tuple(columns)[1:]):
        assert TypeColumns.read(names) is None


def test_who_has_types() -> None:
    matrix = [[1] * 12]
    stats = type_stats(matrix, TYPES)
    assert stats.types is not None
    assert list(stats.types) == TYPES
    assert stats.columns[5] == "reference:a:b"
    assert sparse_stats([[1, 2, 3, 4]]).types is None
    assert Stats(tuple(TypeColumns(Lines.of(TYPES))), np.ones((1, 12))).types is None  # dense rows are read as they are


@given(matrix=TYPE_MATRICES, size=st.integers(1, 40))
def test_blocks_of_types_hold_what_the_rows_hold(matrix: list[list[int]], size: int) -> None:
    """Every row once; of a row, the types that are not zero throughout, in order."""
    seen = {}
    with patch("tertium.core.type_stats.AT_A_TIME", size):
        for numbers, block in type_stats(matrix, TYPES).blocks():
            assert block.shape[1] <= 12
            seen |= dict(zip(numbers.tolist(), block.tolist(), strict=True))
    assert sorted(seen) == list(range(len(matrix)))
    for k, row in enumerate(matrix):
        there = [t for t in range(4) if row[t] or row[4 + t] or row[8 + t]]
        assert seen[k] == [row[plane + t] for plane in (0, 4, 8) for t in there]


@pytest.mark.parametrize("types", [5, 1 << 58])  # also where places and types together need more than 64 bits
@given(
    cells=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 4), st.integers(1, 9)), max_size=30)
)
def test_types_of_rows_are_summed_one_by_one(types: int, cells: list[tuple[int, int, int, int]]) -> None:
    """Columns in any order, and several times in a row."""
    cells.sort(key=lambda cell: cell[0])
    starts = np.searchsorted([row for row, *_ in cells], np.arange(4))
    indices = np.array([plane * types + number for _, plane, number, _ in cells], dtype=np.int64)
    values = np.array([value for *_, value in cells], dtype=np.float64)
    row_of, type_of, sums = types_of_rows(SparseRows(starts, indices, values, 3 * types))
    expected: dict[tuple[int, int], list[float]] = {}
    for row, plane, number, value in cells:
        expected.setdefault((row, number), [0.0, 0.0, 0.0])[plane] += value
    assert list(zip(row_of.tolist(), type_of.tolist(), strict=True)) == sorted(expected)
    assert sums.tolist() == [expected[each] for each in sorted(expected)]


@kinds
@given(matrix=MATRICES, size=st.integers(1, 9))
def test_blocks_of_other_rows_are_the_rows(kind: str, matrix: list[list[int]], size: int) -> None:
    with patch("tertium.core.sparse.BLOCK", size):
        blocks = list(KINDS[kind](matrix).blocks())
        assert KINDS[kind](matrix).total().tolist() == np.sum(matrix, axis=0).tolist()
    assert np.concatenate([numbers for numbers, _ in blocks]).tolist() == list(range(len(matrix)))
    assert np.concatenate([block for _, block in blocks]).tolist() == matrix


def test_a_block_is_not_as_wide_as_the_vocabulary() -> None:
    """A thousand segments with three types each, of 3,000: 9 columns, not 9,000."""
    starts, indices = np.arange(0, 9001, 9), np.arange(9000).reshape(3, 1000, 3).swapaxes(0, 1).ravel()
    rows = SparseRows(starts, indices, np.ones(9000), 9000)
    stats = Stats(TypeColumns(Lines.of([str(k) for k in range(3000)])), rows)
    assert [block.shape for _, block in stats.blocks()] == [(1000, 9)]


@given(matrix=TYPE_MATRICES, data=st.data())
def test_joined_rows_of_types(matrix: list[list[int]], data: st.DataObject) -> None:
    group = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(matrix), max_size=len(matrix))))
    for order in (group, np.sort(group)):
        joined = type_stats(matrix, TYPES).join(order, 3)
        expected = [
            [sum(row[k] for row, g in zip(matrix, order, strict=True) if g == n) for k in range(12)] for n in range(3)
        ]
        assert joined.segments().tolist() == expected
        assert joined.scored.tolist() == [n in order for n in range(3)]
        assert joined.types is not None


def test_types_are_aligned_when_shards_are_joined() -> None:
    left = type_stats([[1, 0, 2, 3, 1, 0]], ["cat", "mat"])
    right = type_stats([[4, 6, 5, 0, 4, 0], [0, 1, 0, 1, 0, 1]], ["hat", "cat"])
    joined = Stats.concat([left, right])
    assert joined.types is not None
    assert list(joined.types) == ["cat", "mat", "hat"]
    assert joined.segments().tolist() == [
        [1, 0, 0, 2, 3, 0, 1, 0, 0],
        [6, 0, 4, 0, 0, 5, 0, 0, 4],
        [1, 0, 0, 1, 0, 0, 1, 0, 0],
    ]
    mixed = Stats.concat([left, sparse_stats([[7]], ("other",))])  # aligned by name all the same
    assert mixed.columns == (*left.columns, "other")


@kinds
@given(matrix=MATRICES, data=st.data())
def test_rows_are_taken_in_any_order(kind: str, matrix: list[list[int]], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, len(matrix) - 1), max_size=6))
    taken = KINDS[kind](matrix).take(np.array(numbers, dtype=np.int64))
    assert taken.segments().tolist() == [matrix[k] for k in numbers]
    assert len(taken) == taken.n == len(numbers)


def test_what_is_taken_is_as_scored_as_it_was() -> None:
    stats = dense_stats([[1, 2, 3, 4], [0, 0, 0, 0]], [True, False])
    assert stats.take(np.array([1, 0])).scored.tolist() == [False, True]
