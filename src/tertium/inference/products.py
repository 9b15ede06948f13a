"""Products of weights and rows that are cheap where a processor has other things to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

ONE_THREAD = 1 << 18  # multiplications up to which OpenBLAS takes one thread; more threads mostly wait for each other
PIECE = 512  # rows of a product: from some hundreds on it does not matter how many there are


def exact_product(weights: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """W @ S of whole numbers, whose sums are the same in any order, piece by piece. # (b, n), (n, k) -> (b, k)"""
    import numpy as np

    (count, n), width = weights.shape, rows.shape[1]
    size = min(PIECE, ONE_THREAD // max(1, count * width))
    pieces = n // size if size >= PIECE // 8 else 0
    if pieces < 2:
        return weights @ rows  # type: ignore[no-any-return]
    end = pieces * size
    left = weights[:, :end].reshape(count, pieces, size).swapaxes(0, 1)
    sums = np.matmul(left, rows[:end].reshape(pieces, size, width)).sum(axis=0)
    return sums + weights[:, end:] @ rows[end:]  # type: ignore[no-any-return]
