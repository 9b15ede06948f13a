"""Stats: one row of additive statistics per segment, dense or sparse. score = metric.score(W @ S)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.errors import TertiumError
from tertium.core.lines import Lines
from tertium.core.shown import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BLOCK = 1 << 22  # stored values of sparse rows that are worked on at a time

# What is counted of every type: `output:the`, `reference:the`, `both:the`. The columns are three planes, those of all
# types for outputs, then for references, then for both: formulas read numbers that stand together twice as fast.
OF_TYPE = ("output", "reference", "both")


def empty_rows(segments: int, columns: int) -> Any:
    """Rows of zeros for the kernel to fill; numpy reads them without copying. # (segments, columns)"""
    return _kernel.zeros(segments, columns)


def pair_rows(columns: int, outputs: int, references: int) -> tuple[Any, Any]:
    """Planes of zeros for the kernel to fill, and the same numbers as rows. # (k, n, m), (n, m, k)"""
    import numpy as np

    planes = np.zeros((columns, outputs, references))
    return planes, np.moveaxis(planes, 0, -1)


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Compressed sparse rows: row i has `values[starts[i]:starts[i+1]]` in the columns `indices[...]`."""

    starts: NDArray[np.int64]  # (n + 1,)
    indices: NDArray[np.integer]  # (nonzeros,)
    values: NDArray[np.number]  # (nonzeros,), in as few bytes as they need: there may be as many as words
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row_numbers(self) -> NDArray[np.int64]:
        """The row of every stored value. # (nonzeros,)"""
        import numpy as np

        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def slice(self, first: int, last: int) -> SparseRows:
        """Rows [first, last)."""
        here = slice(self.starts[first], self.starts[last])
        starts = self.starts[first : last + 1] - self.starts[first]
        return SparseRows(starts, self.indices[here], self.values[here], self.width)

    def dense(self, first: int = 0, last: int | None = None) -> Array:
        """Rows [first, last) as a block. # (last - first, width)"""
        import numpy as np

        rows = self.slice(first, len(self) if last is None else last)
        block = np.zeros((len(rows), self.width))
        np.add.at(block, (rows.row_numbers(), rows.indices), rows.values)
        return block

    def total(self) -> Array:
        """The sum of all rows, block by block, because numpy widens what it counts. # (width,)"""
        import numpy as np

        sums = np.zeros(self.width)
        for first in range(0, len(self.indices), BLOCK):
            here = slice(first, first + BLOCK)
            sums += np.bincount(self.indices[here], self.values[here], self.width)
        return sums

    def join(self, group: NDArray[np.int64], count: int) -> SparseRows:
        """One row for each group, with all that the rows of the group hold; a column may come several times."""
        import numpy as np

        sizes = np.diff(self.starts)
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, sizes, count))]).astype(np.int64)
        if (np.diff(group) >= 0).all():  # as documents mostly are: the rows need not move
            return SparseRows(starts, self.indices, self.values, self.width)
        moved = self.take(np.argsort(group, kind="stable"))
        return SparseRows(starts, moved.indices, moved.values, self.width)

    def take(self, numbers: NDArray[np.int64]) -> SparseRows:
        """The rows of these numbers, in this order."""
        import numpy as np

        sizes = np.diff(self.starts)[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], sizes)
        return SparseRows(starts, self.indices[taken], self.values[taken], self.width)

    def weigh(self, weights: Array) -> Array:
        """W @ S, added up in the order in which values are stored. # (b, n) -> (b, width)"""
        import numpy as np

        sums = np.zeros((len(weights), self.width))
        narrow = self.indices.dtype == np.int32
        whole = self.values.dtype == np.uint32
        _kernel.weigh_sparse(
            np.ascontiguousarray(weights),
            np.ascontiguousarray(self.starts, dtype=np.int64),
            np.ascontiguousarray(self.indices, dtype=np.int32 if narrow else np.int64),
            np.ascontiguousarray(self.values, dtype=np.uint32 if whole else np.float64),
            sums,
        )
        return sums

    def bounds(self, size: int) -> Iterator[tuple[int, int]]:
        """Runs of rows that hold about `size` values together, at least one row each."""
        import numpy as np

        first = 0
        while first < len(self):
            last = int(np.searchsorted(self.starts, self.starts[first] + size, side="right")) - 1
            yield first, max(first + 1, last)
            first = max(first + 1, last)


class TypeColumns(Sequence[str]):
    """The names of three columns for each type, made when somebody asks for them: there may be millions."""

    def __init__(self, types: Lines) -> None:
        self.types = types

    def __len__(self) -> int:
        return len(OF_TYPE) * len(self.types)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        k = range(len(self))[index]
        what, number = divmod(k, len(self.types))
        return f"{OF_TYPE[what]}:{self.types[number]}"

    def __iter__(self) -> Iterator[str]:
        return (f"{what}:{text}" for what in OF_TYPE for text in self.types)

    @classmethod
    def read(cls, names: Sequence[str]) -> TypeColumns | None:
        """The types behind names of columns, if that is what they name."""
        types = [name.removeprefix(f"{OF_TYPE[0]}:") for name in names[: len(names) // len(OF_TYPE)]]
        expected = (f"{what}:{text}" for what in OF_TYPE for text in types)
        if len(names) != len(OF_TYPE) * len(types) or any(a != b for a, b in zip(names, expected, strict=True)):
            return None
        return cls(Lines.of(types))


class Stats:
    """Rows are finite. A segment that could not be scored is a zero row and false in `scored`."""

    def __init__(self, columns: tuple[str, ...] | TypeColumns, rows: Any, scored: Any = None) -> None:
        self._columns = columns
        self._rows = rows  # SparseRows, or an array or memoryview of float64 (n, k)
        self._scored = scored  # None: all
        width = rows.width if isinstance(rows, SparseRows) else rows.shape[1]
        if width != len(columns) or (scored is not None and len(rows) != len(scored)):
            raise TertiumError(
                f"statistics: {counted(len(rows), 'row')} of {counted(width, 'column')}, but "
                + counted(len(columns), "column name")
                + ("" if scored is None else f" and {counted(len(scored), 'segment')}")
            )

    def __len__(self) -> int:
        return len(self._rows)

    def __reduce__(self) -> tuple[Any, ...]:
        return Stats, (self._columns, self.rows, self._scored)  # not a view of the kernel's memory

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the k columns."""
        return self._columns if isinstance(self._columns, tuple) else tuple(self._columns)

    @property
    def types(self) -> Lines | None:
        """The types of which sparse rows hold three numbers each (OF_TYPE); None for other statistics.

        A formula over such rows is the same whatever the order of the types, and types that do not occur add nothing.
        """
        if isinstance(self._columns, tuple) and isinstance(self._rows, SparseRows):
            self._columns = TypeColumns.read(self._columns) or self._columns
        return None if isinstance(self._columns, tuple) else self._columns.types

    @property
    def rows(self) -> Array | SparseRows:
        """One row per segment. # (n, k)"""
        if isinstance(self._rows, SparseRows):
            return self._rows
        import numpy as np

        return np.asarray(self._rows)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which segments could be scored. # (n,)"""
        import numpy as np

        return np.ones(len(self), dtype=np.bool_) if self._scored is None else self._scored

    @property
    def width(self) -> int:
        """How many numbers a formula reads."""
        return len(self._columns)

    @property
    def stored(self) -> int:
        """How many numbers the rows hold."""
        return len(self._rows.indices) if isinstance(self._rows, SparseRows) else len(self) * self.width

    @property
    def is_whole(self) -> bool:
        """Whether the rows are stored as whole numbers, which are always finite."""
        return isinstance(self._rows, SparseRows) and self._rows.values.dtype.kind in "iu"

    @property
    def n(self) -> int:
        """How many segments were scored."""
        return len(self) if self._scored is None else int(self._scored.sum())

    def sums(self) -> list[float]:
        """The corpus as plain numbers: a row of ones."""
        return self.total().tolist() if isinstance(self._rows, SparseRows) else _kernel.column_sums(self._rows)

    def total(self) -> Array:
        """The corpus as an array. # (k,)"""
        import numpy as np

        rows = self.rows
        if isinstance(rows, np.ndarray):
            return np.array(_kernel.column_sums(rows))
        return rows.total()

    def weigh(self, weights: Any) -> Array:
        """W @ S: sums of rows under weights of shape (n,) or (b, n). # (k,) or (b, k)"""
        import numpy as np

        weights, rows = np.asarray(weights, dtype=np.float64), self.rows
        if isinstance(rows, np.ndarray):
            product: Array = weights @ rows
            return product
        sums = rows.weigh(weights.reshape(-1, len(self)))
        return sums.reshape(*weights.shape[:-1], rows.width)

    def take(self, numbers: NDArray[np.int64]) -> Stats:
        """The segments of these numbers, in this order."""
        rows = self.rows
        taken = rows.take(numbers) if isinstance(rows, SparseRows) else rows[numbers]
        return Stats(self._columns, taken, None if self._scored is None else self.scored[numbers])

    def segments(self) -> Array:
        """Every segment on its own: the identity. # (n, k)"""
        rows = self.rows
        return rows.dense() if isinstance(rows, SparseRows) else rows

    def join(self, group: NDArray[np.int64], count: int) -> Stats:
        """Rows added up by group number: a 0/1 group matrix, without the memory of one."""
        import numpy as np

        scored, rows = np.bincount(group, self.scored, count) > 0, self.rows
        if isinstance(rows, SparseRows):
            return Stats(self._columns, rows.join(group, count), scored)
        sums = np.zeros((count, len(self._columns)))
        np.add.at(sums, group, rows)
        return Stats(self._columns, sums, scored)

    def groups(self, group: NDArray[np.int64], count: int) -> Array:
        """Sums by group number. # (count, k)"""
        return self.join(group, count).segments()

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Every row once, in blocks that a formula can read: the numbers of the rows, and the rows. # (b,), (b, k)

        Rows of types hold only the types they have, so that a corpus with a large vocabulary needs little memory.
        """
        import numpy as np

        rows = self.rows
        if isinstance(rows, np.ndarray):
            yield np.arange(len(rows)), rows
        elif self.types is None:
            step = max(1, BLOCK // max(1, rows.width))
            for first in range(0, len(rows), step):
                last = min(first + step, len(rows))
                yield np.arange(first, last), rows.dense(first, last)
        else:
            for first, last in rows.bounds(BLOCK):
                for numbers, block in _blocks_of_types(rows.slice(first, last)):
                    yield numbers + first, block

    @staticmethod
    def concat(parts: Sequence[Stats]) -> Stats:
        """Rows of shards, one after the other; sparse rows align their columns by name."""
        if len(parts) == 1:
            return parts[0]
        import numpy as np

        scored = np.concatenate([part.scored for part in parts])
        dense = [part.rows for part in parts if isinstance(part.rows, np.ndarray)]
        if len(dense) == len(parts):
            if any(part.columns != parts[0].columns for part in parts):
                raise TertiumError("statistics with different columns cannot be joined; were the options the same?")
            return Stats(parts[0].columns, np.concatenate(dense), scored)
        sparse = [part.rows for part in parts if isinstance(part.rows, SparseRows)]
        if len(sparse) != len(parts):
            raise TertiumError("dense and sparse statistics cannot be joined")
        columns, places = _aligned_columns(parts)
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(rows.starts) for rows in sparse]))])
        joined = SparseRows(
            starts.astype(np.int64),
            np.concatenate([place[rows.indices] for place, rows in zip(places, sparse, strict=True)]),
            np.concatenate([rows.values for rows in sparse]),
            len(columns),
        )
        return Stats(columns, joined, scored)

    @staticmethod
    def aligned(parts: Sequence[Stats]) -> list[Stats]:
        """The same statistics with the same columns in the same order, so that sums of them can be subtracted."""
        sparse = [part.rows for part in parts if isinstance(part.rows, SparseRows)]
        if len(sparse) < len(parts):
            return list(parts)
        columns, places = _aligned_columns(parts)
        return [
            Stats(columns, SparseRows(rows.starts, place[rows.indices], rows.values, len(columns)), part.scored)
            for part, place, rows in zip(parts, places, sparse, strict=True)
        ]


def _aligned_columns(parts: Sequence[Stats]) -> tuple[tuple[str, ...] | TypeColumns, list[NDArray[np.integer]]]:
    """Every column once, in order of first appearance, and for each part the places of its own among them."""
    import numpy as np

    lists = [types for part in parts if (types := part.types) is not None]
    if len(lists) == len(parts):
        texts, numbers = _kernel.join_types([types.view for types in lists])
        split = np.split(np.asarray(numbers), np.cumsum([len(types) for types in lists])[:-1])
        columns = TypeColumns(Lines(*texts))
        narrow = np.int32 if len(columns) < 1 << 31 else np.int64
        planes = len(columns.types) * np.arange(len(OF_TYPE))[:, None]
        return columns, [(planes + k).ravel().astype(narrow) for k in split]
    place = {name: k for k, name in enumerate(dict.fromkeys(name for part in parts for name in part.columns))}
    return tuple(place), [np.array([place[name] for name in part.columns], dtype=np.int64) for part in parts]


def types_of_rows(rows: SparseRows) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Every type of every row once: the row's number, the type's, and the sums of OF_TYPE. # (m,), (m,), (m, 3)"""
    import numpy as np

    fields, types = len(OF_TYPE), max(1, rows.width // len(OF_TYPE))
    what, number = np.divmod(rows.indices, types)
    key = (rows.row_numbers() * types + number) * fields + what
    order = np.argsort(key, kind="stable")
    key, values = key[order], rows.values[order]
    of_type = key // fields
    fresh = np.concatenate([[True], of_type[1:] != of_type[:-1]])[: len(key)]
    numbers = np.cumsum(fresh) - 1  # each type of each row
    count = int(numbers[-1]) + 1 if len(numbers) else 0
    counted = np.bincount(numbers * fields + key % fields, values, count * fields)
    row_of, type_of = np.divmod(of_type[fresh], types)
    return row_of, type_of, np.asarray(counted, dtype=np.float64).reshape(count, fields)


def _blocks_of_types(rows: SparseRows) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Rows with equally many types side by side: nothing is padded, so a row scores the same among any others."""
    import numpy as np

    row_of, _, sums = types_of_rows(rows)
    sizes = np.bincount(row_of, minlength=len(rows))
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        block = sums[starts[same][:, None] + np.arange(size)]  # (b, size, 3)
        yield same, np.moveaxis(block, -1, 1).reshape(len(same), len(OF_TYPE) * size)
