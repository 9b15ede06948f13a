"""Sums of rows under weights: products that are exact, and cheap where a processor has other things to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.metric import Metric
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tertium.core.stats import Array

ONE_THREAD = 1 << 18  # multiplications up to which OpenBLAS takes one thread; more threads mostly wait for each other
PIECE = 512  # rows of a product: from some hundreds on it does not matter how many there are
FEWEST = 64  # rows, below which products cost more than they do
EXACT = 1 << 24  # below which all whole numbers are exact in single precision, which is twice as fast


def product(weights: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """W @ S, piece by piece. Of up to 4,096 columns, numbers are added up in the same order however many processors
    there are, which OpenBLAS's own threads do not do; whole numbers are exact in any. # (b, n), (n, k) -> (b, k)"""
    import numpy as np

    (count, n), width = weights.shape, rows.shape[1]
    step = max(1, ONE_THREAD // (FEWEST * max(1, width)))
    size = min(PIECE, ONE_THREAD // max(1, min(count, step) * width))
    if size < FEWEST or not width:
        return weights @ rows  # type: ignore[no-any-return]
    end = n // size * size
    pieces, rest = rows[:end].reshape(-1, size, width), rows[end:]
    sums = np.empty((count, width), np.result_type(weights, rows))
    for first in range(0, count, step):
        some = weights[first : first + step]
        left = some[:, :end].reshape(len(some), len(pieces), size).swapaxes(0, 1)
        sums[first : first + step] = some[:, end:] @ rest + np.matmul(left, pieces).sum(axis=0)
    return sums


def is_whole(stats: Stats) -> bool:
    """Whether all rows are whole numbers, whose sums are exact in any order."""
    import numpy as np

    rows = stats.rows
    return stats.is_whole if isinstance(rows, SparseRows) else np.array_equal(rows, np.rint(rows))


def weigher(stats: Stats) -> Callable[[NDArray[Any]], Array]:
    """W @ S under weights that add up to n; in single precision where that is exact. # (b, n) -> (b, k)"""
    import numpy as np

    rows = stats.rows
    if isinstance(rows, SparseRows):
        return stats.weigh
    single = is_whole(stats) and len(rows) * np.abs(rows).max(initial=0.0) < EXACT
    counted = rows.astype(np.float32) if single else rows

    def weigh(weights: NDArray[Any]) -> Array:
        sums: Array = product(weights.astype(counted.dtype, copy=False), counted).astype(np.float64, copy=False)
        return sums

    return weigh


class Changes:
    """The rows of the first of several systems, and how those of the others differ from them, column by column.

    Systems are measured by the same references and say much the same: what is left is mostly 0, and what is counted of
    references alone falls out. Sums of whole numbers are exact, so that nothing is lost on the way.
    """

    def __init__(self, stats: Sequence[Stats]) -> None:
        import numpy as np

        self.own, *others = (np.asarray(part.rows) for part in stats)
        self.systems = len(stats)
        columns = {}
        for number, rows in enumerate(others, 1):
            changes = rows - self.own
            for k in np.flatnonzero(changes.any(axis=0)).tolist():
                columns[k * self.systems + number] = changes[:, k].copy()
        self.filled = sorted(columns)  # columns that are not all 0, of (k, systems)
        self.rows = np.empty((len(self.own), len(columns)))  # (n, filled)
        for place, k in enumerate(self.filled):
            self.rows[:, place] = columns[k]

    def spread(self, sums: Array) -> Array:
        """Sums of the changes by statistic, system and trial: those of the first system are 0.

        # (filled, b) -> (k, systems, b)
        """
        import numpy as np

        found = np.zeros((self.own.shape[1] * self.systems, sums.shape[1]))
        found[self.filled] = sums
        return found.reshape(-1, self.systems, sums.shape[1])


def scores_of(metric: Metric, sums: Array) -> Array:
    """The score of many sums in one go. # (k, systems, b) -> (systems, b)"""
    width, *shape = sums.shape
    values: Array = metric.score(sums.reshape(width, -1).T)
    return values.reshape(*shape, *values.shape[1:])
