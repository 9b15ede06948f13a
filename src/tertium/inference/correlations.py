"""Correlations of two lists of numbers, with p and n. Where one is undefined it is NaN, never 0.

A value that is missing (NaN or infinite) on either side leaves the pair out. p is two-sided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import TYPE_CHECKING, Literal, NamedTuple

from tertium.core.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tertium.core.stats import Array


EXACT = 8  # points: up to so many all orders are tried


class Correlation(NamedTuple):
    """A correlation, its p-value (of the hypothesis that there is none), and the number of pairs."""

    value: float
    p: float
    n: int


def both_known(x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    """The pairs of which neither side is missing. # (n,), (n,) -> (m,), (m,)"""
    import numpy as np

    left, right = np.asarray(x, dtype=np.float64).ravel(), np.asarray(y, dtype=np.float64).ravel()
    if len(left) != len(right):
        raise InputError(f"a correlation needs two equally long lists; got {len(left)} and {len(right)} numbers")
    known = np.isfinite(left) & np.isfinite(right)
    return left[known], right[known]


def pearson(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Pearson's r (1895): how close the points are to a line; p by Student's t with n - 2 degrees of freedom.

    Two points always lie on a line: their p is 1.
    """
    return _on_a_line(*both_known(x, y))


def spearman(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Spearman's rho (1904): Pearson's r of the ranks, where equal values share the mean of their ranks.

    p is exact up to EXACT points: the share of all orders of one side with a rho at least as far from 0. Of more
    points it is by Student's t. Of 3 systems in the same order p is 1/3, where Student's t would say 0.
    """
    from scipy import stats

    left, right = both_known(x, y)
    if len(left) == 0:
        return Correlation(math.nan, math.nan, 0)
    ranks = stats.rankdata(left), stats.rankdata(right)
    found = _on_a_line(*ranks)
    return found if len(left) > EXACT or math.isnan(found.value) else found._replace(p=_exact(*ranks))


def _exact(x: Array, y: Array) -> float:
    """The share of all orders of y that go with x, either way, at least as well as this one. # (n,), (n,)"""
    import numpy as np

    left, right = x - x.mean(), y - y.mean()
    orders = np.array(list(permutations(range(len(x)))))
    sums = np.abs(right[orders] @ left)
    return float((sums >= sums[0] * (1 - 1e-9)).mean())


def tau_b(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Kendall's tau-b (1945): (C - D) / sqrt((P - ties in x)(P - ties in y)) over all P pairs of points.

    C and D count the pairs that both sides order alike and against each other. p is exact for small lists without ties,
    else by the normal approximation that ties correct.
    """
    return _kendall(x, y, "b")


def tau_c(x: ArrayLike, y: ArrayLike) -> Correlation:
    """Kendall's tau-c (Stuart 1953): 2 (C - D) / (n^2 (m - 1) / m), m the smaller number of different values.

    It can reach 1 where one side has few different values and the other many. p is that of tau-b.
    """
    return _kendall(x, y, "c")


CORRELATIONS: dict[str, Callable[[ArrayLike, ArrayLike], Correlation]] = {
    "pearson": pearson,
    "spearman": spearman,
    "tau_b": tau_b,
    "tau_c": tau_c,
}


def _on_a_line(x: Array, y: Array) -> Correlation:
    """Pearson's r of complete pairs."""
    import numpy as np

    n = len(x)
    if n < 2 or x.min() == x.max() or y.min() == y.max():  # one value is not spread over anything
        return Correlation(math.nan, math.nan, n)
    left, right = x - x.mean(), y - y.mean()
    # Scaled first, so that squares of very large or very small numbers stay in range.
    left, right = left / np.abs(left).max(), right / np.abs(right).max()
    r = float(left @ right / math.sqrt(float(left @ left) * float(right @ right)))
    r = max(-1.0, min(1.0, r))
    return Correlation(r, p_of_r(r, n), n)


def p_of_r(r: float, n: int) -> float:
    """Two-sided p of Pearson's r: how often n points without correlation lie at least as close to a line."""
    from scipy import special

    if n <= 2 or math.isnan(r):
        return 1.0 if n == 2 else math.nan
    if abs(r) == 1:
        return 0.0
    t = abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
    return float(2 * special.stdtr(n - 2, -t))


def _kendall(x: ArrayLike, y: ArrayLike, variant: Literal["b", "c"]) -> Correlation:
    from scipy import stats

    left, right = both_known(x, y)
    if len(left) < 2:
        return Correlation(math.nan, math.nan, len(left))
    found = stats.kendalltau(left, right, variant=variant)
    return Correlation(float(found.statistic), float(found.pvalue), len(left))
