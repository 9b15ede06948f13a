"""Stats: one row of additive statistics per segment, dense or sparse. score = metric.score(W @ S)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tertium.core.errors import TertiumError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Compressed sparse rows: row i has `values[starts[i]:starts[i+1]]` in the columns `indices[...]`."""

    starts: NDArray[np.int64]  # (n + 1,)
    indices: NDArray[np.int64]  # (nonzeros,)
    values: Array  # (nonzeros,)
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row_numbers(self) -> NDArray[np.int64]:
        """The row of every stored value. # (nonzeros,)"""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def dense(self, first: int = 0, last: int | None = None) -> Array:
        """Rows [first, last) as a block. # (last - first, width)"""
        last = len(self) if last is None else last
        block = np.zeros((last - first, self.width))
        here = slice(self.starts[first], self.starts[last])
        rows = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        np.add.at(block, (rows, self.indices[here]), self.values[here])
        return block


@dataclass(frozen=True, eq=False)
class Stats:
    """Rows are finite. A segment that could not be scored is a zero row and false in `scored`."""

    columns: tuple[str, ...]
    rows: Array | SparseRows  # (n, k)
    scored: NDArray[np.bool_]  # (n,)

    def __post_init__(self) -> None:
        width = self.rows.width if isinstance(self.rows, SparseRows) else self.rows.shape[1]
        if width != len(self.columns) or len(self.rows) != len(self.scored):
            raise TertiumError(
                f"statistics: {len(self.rows)} rows of {width} columns, but {len(self.scored)} segments and "
                f"{len(self.columns)} column names"
            )

    def __len__(self) -> int:
        return len(self.scored)

    @property
    def n(self) -> int:
        """How many segments were scored."""
        return int(np.count_nonzero(self.scored))

    def weigh(self, weights: NDArray[np.generic]) -> Array:
        """W @ S: sums of rows under weights of shape (n,) or (b, n). # (k,) or (b, k)"""
        if isinstance(self.rows, np.ndarray):
            product: Array = np.asarray(weights, dtype=np.float64) @ self.rows
            return product
        flat = np.asarray(weights, dtype=np.float64).reshape(-1, len(self))
        of_row = self.rows.row_numbers()
        sums = np.empty((len(flat), self.rows.width))
        for b, weight in enumerate(flat):
            sums[b] = np.bincount(self.rows.indices, weight[of_row] * self.rows.values, self.rows.width)
        return sums.reshape(*weights.shape[:-1], self.rows.width)

    def total(self) -> Array:
        """The corpus: a row of ones. # (k,)"""
        if isinstance(self.rows, np.ndarray):
            sums: Array = self.rows.sum(axis=0)
            return sums
        return np.bincount(self.rows.indices, self.rows.values, self.rows.width).astype(np.float64)

    def segments(self) -> Array:
        """Every segment on its own: the identity. # (n, k)"""
        return self.rows if isinstance(self.rows, np.ndarray) else self.rows.dense()

    def groups(self, group: NDArray[np.int64], count: int) -> Array:
        """Sums by group number, a 0/1 group matrix. # (count, k)"""
        sums = np.zeros((count, len(self.columns)))
        if isinstance(self.rows, np.ndarray):
            np.add.at(sums, group, self.rows)
        else:
            np.add.at(sums, (group[self.rows.row_numbers()], self.rows.indices), self.rows.values)
        return sums

    @staticmethod
    def concat(parts: Sequence[Stats]) -> Stats:
        """Rows of shards, one after the other; sparse rows align their columns by name."""
        if len(parts) == 1:
            return parts[0]
        scored = np.concatenate([part.scored for part in parts])
        dense = [part.rows for part in parts if isinstance(part.rows, np.ndarray)]
        if len(dense) == len(parts):
            if any(part.columns != parts[0].columns for part in parts):
                raise TertiumError("statistics with different columns cannot be joined; were the options the same?")
            return Stats(parts[0].columns, np.concatenate(dense), scored)
        sparse = [part.rows for part in parts if isinstance(part.rows, SparseRows)]
        if len(sparse) != len(parts):
            raise TertiumError("dense and sparse statistics cannot be joined")
        columns = {name: k for k, name in enumerate(dict.fromkeys(c for part in parts for c in part.columns))}
        indices = [
            np.array([columns[name] for name in part.columns], dtype=np.int64)[rows.indices]
            for part, rows in zip(parts, sparse, strict=True)
        ]
        starts = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(rows.starts) for rows in sparse]))])
        joined = SparseRows(
            starts.astype(np.int64),
            np.concatenate(indices),
            np.concatenate([rows.values for rows in sparse]),
            len(columns),
        )
        return Stats(tuple(columns), joined, scored)
