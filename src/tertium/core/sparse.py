"""Sparse rows: only the numbers that are not zero, and the columns they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium import _kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

BLOCK = 1 << 22  # stored values of sparse rows that are worked on at a time


class SparseRows:
    """Compressed sparse rows: row i has `values[starts[i]:starts[i+1]]` in the columns `indices[...]`."""

    __slots__ = ("indices", "starts", "values", "width")

    def __init__(
        self, starts: NDArray[np.int64], indices: NDArray[np.integer], values: NDArray[np.number], width: int
    ) -> None:
        self.starts = starts  # (n + 1,)
        self.indices = indices  # (nonzeros,)
        self.values = values  # (nonzeros,), in as few bytes as they need: there may be as many as words
        self.width = width

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

    def move(self, places: NDArray[np.integer], width: int) -> SparseRows:
        """The same rows among other columns: column k goes to places[k]."""
        return SparseRows(self.starts, places[self.indices], self.values, width)

    def less(self, other: SparseRows) -> SparseRows:
        """These rows less those of another, which has as many in the same columns; what becomes 0 is not stored."""
        import numpy as np
        from scipy.sparse import csr_array

        starts, indices, values = [np.zeros(1, dtype=np.int64)], [self.indices[:0]], [np.zeros(0)]
        for first, last in self.bounds():
            one, two = (
                csr_array((rows.values.astype(np.float64), rows.indices, rows.starts), shape=(last - first, self.width))
                for rows in (self.slice(first, last), other.slice(first, last))
            )
            left = one - two
            starts.append(left.indptr[1:] + starts[-1][-1])
            indices.append(left.indices.astype(self.indices.dtype))
            values.append(left.data)
        return SparseRows(np.concatenate(starts), np.concatenate(indices), np.concatenate(values), self.width)

    @staticmethod
    def concat(parts: Sequence[SparseRows]) -> SparseRows:
        """The rows of all parts, which have the same columns, one after the other."""
        import numpy as np

        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.starts) for part in parts]))])
        return SparseRows(
            starts.astype(np.int64),
            np.concatenate([part.indices for part in parts]),
            np.concatenate([part.values for part in parts]),
            parts[0].width,
        )

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

    def bounds(self, size: int | None = None) -> Iterator[tuple[int, int]]:
        """Runs of rows that hold about `size` values together (BLOCK, if none is said), at least one row each."""
        import numpy as np

        size, first = size or BLOCK, 0
        while first < len(self):
            last = int(np.searchsorted(self.starts, self.starts[first] + size, side="right")) - 1
            yield first, max(first + 1, last)
            first = max(first + 1, last)

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Every row once, dense, block by block: the numbers of the rows, and the rows. # (b,), (b, width)"""
        import numpy as np

        step = max(1, BLOCK // max(1, self.width))
        for first in range(0, len(self), step):
            last = min(first + step, len(self))
            yield np.arange(first, last), self.dense(first, last)
