"""Stats: one row of additive statistics per segment, dense or sparse. score = metric.score(W @ S)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.errors import TertiumError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


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
    indices: NDArray[np.int64]  # (nonzeros,)
    values: Array  # (nonzeros,)
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row_numbers(self) -> NDArray[np.int64]:
        """The row of every stored value. # (nonzeros,)"""
        import numpy as np

        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def dense(self, first: int = 0, last: int | None = None) -> Array:
        """Rows [first, last) as a block. # (last - first, width)"""
        import numpy as np

        last = len(self) if last is None else last
        block = np.zeros((last - first, self.width))
        here = slice(self.starts[first], self.starts[last])
        rows = np.repeat(np.arange(last - first), np.diff(self.starts[first : last + 1]))
        np.add.at(block, (rows, self.indices[here]), self.values[here])
        return block


class Stats:
    """Rows are finite. A segment that could not be scored is a zero row and false in `scored`."""

    def __init__(self, columns: tuple[str, ...], rows: Any, scored: Any = None) -> None:
        self.columns = columns
        self._rows = rows  # SparseRows, or an array or memoryview of float64 (n, k)
        self._scored = scored  # None: all
        width = rows.width if isinstance(rows, SparseRows) else rows.shape[1]
        if width != len(columns) or (scored is not None and len(rows) != len(scored)):
            raise TertiumError(
                f"statistics: {len(rows)} rows of {width} columns, but {len(columns)} column names"
                + ("" if scored is None else f" and {len(scored)} segments")
            )

    def __len__(self) -> int:
        return len(self._rows)

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
        return np.bincount(rows.indices, rows.values, rows.width).astype(np.float64)

    def weigh(self, weights: Any) -> Array:
        """W @ S: sums of rows under weights of shape (n,) or (b, n). # (k,) or (b, k)"""
        import numpy as np

        weights, rows = np.asarray(weights, dtype=np.float64), self.rows
        if isinstance(rows, np.ndarray):
            product: Array = weights @ rows
            return product
        flat, of_row = weights.reshape(-1, len(self)), rows.row_numbers()
        sums = np.empty((len(flat), rows.width))
        for b, weight in enumerate(flat):
            sums[b] = np.bincount(rows.indices, weight[of_row] * rows.values, rows.width)
        return sums.reshape(*weights.shape[:-1], rows.width)

    def segments(self) -> Array:
        """Every segment on its own: the identity. # (n, k)"""
        rows = self.rows
        return rows.dense() if isinstance(rows, SparseRows) else rows

    def groups(self, group: NDArray[np.int64], count: int) -> Array:
        """Sums by group number, a 0/1 group matrix. # (count, k)"""
        import numpy as np

        sums, rows = np.zeros((count, len(self.columns))), self.rows
        if isinstance(rows, SparseRows):
            np.add.at(sums, (group[rows.row_numbers()], rows.indices), rows.values)
        else:
            np.add.at(sums, group, rows)
        return sums

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
