"""Coefficients of agreement over all raters at once: Fleiss' kappa, Gwet's AC1 and AC2, Krippendorff's alpha.

Every coefficient is made of sums over items. A `Coefficient` holds the rows of the items and a function of weights
(b, n), so the value (weights of ones) and its bootstrap (multinomial counts) are one implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array
    from tertium.human.ratings import Ratings

LEVELS = ("nominal", "ordinal", "interval", "ratio")
CHUNK = 512  # columns of a table of distances that are there at a time


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of one table of ratings: its value under weights of the items, (b, n) -> (b,)."""

    under: Callable[[Array], Array]
    width: int  # numbers it holds for each row of weights
    pairs: int = 0  # pairs of raters it is a mean of, 0 where it takes all raters at once
    each: Callable[[Array], Array] | None = None  # (b, n) -> (b, pairs)


def fold(
    item: NDArray[np.int64], key: NDArray[np.int64], values: Any, shape: tuple[int, int]
) -> Callable[[Array], Array]:
    """Sums by key of what items have, under weights of the items: (b, n) -> (b, keys)."""
    import numpy as np
    from scipy import sparse

    data = np.broadcast_to(np.asarray(values, dtype=np.float64), item.shape)
    rows = sparse.csr_array((data, (key, item)), shape=(shape[1], shape[0]))
    return lambda weights: np.asarray((rows @ weights.T).T)


def divide(above: Array, below: Array) -> Array:
    """NaN, never 0, where there is nothing to divide by."""
    import numpy as np

    out: Array = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    np.divide(above, below, out=out, where=below > 0)
    return out


def fleiss(ratings: Ratings, code: NDArray[np.int64], k: int) -> Coefficient:
    """Fleiss (1971), "Measuring nominal scale agreement among many raters".

    kappa = (P - E) / (1 - E); P: the mean over items of the share of pairs of raters who agree; E: the sum of squares
    of the categories' shares. Items may have different numbers of raters: every item then counts once, in P and in the
    shares (Gwet 2014).
    """
    import numpy as np

    n, sizes, counts = len(ratings.unit), _sizes(ratings), _counts(ratings, code, k)
    agreeing = (counts.power(2).sum(axis=1) - sizes) / (sizes * (sizes - 1))
    shares = fold(ratings.item, code, 1 / sizes[ratings.item], (n, k))

    def under(weights: Array) -> Array:
        items = weights.sum(axis=1)
        chance = (divide(shares(weights), items[:, None]) ** 2).sum(axis=1)
        one = np.isclose(chance, 1, rtol=0, atol=1e-12)  # a single category: nothing to agree about
        return divide(divide(weights @ agreeing, items) - chance, np.where(one, 0, 1 - chance))

    return Coefficient(under, k)


def gwet(ratings: Ratings, code: NDArray[np.int64], k: int, weighting: str = "nominal") -> Coefficient:
    """Gwet's AC1 (2008, "Computing inter-rater reliability and its variance in the presence of high agreement"), and
    AC2, which weighs how far apart answers are (Gwet 2014, "Handbook of inter-rater reliability", chapter 5).

    AC = (P - E) / (1 - E); P: the mean, over items with two answers or more, of the mean weight of their pairs of
    answers; E = sum of weights / (k (k - 1)) * sum of s (1 - s), s: the categories' shares, every item counting once,
    those with a single answer too. Weights of categories i and j are 1 if i = j else 0 (AC1), 1 - |i - j| / (k - 1)
    (linear) or 1 - (i - j)^2 / (k - 1)^2 (quadratic); k counts categories that nobody used.
    """
    import numpy as np

    n, sizes, counts = len(ratings.unit), _sizes(ratings), _counts(ratings, code, k)
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]) / max(1, k - 1)
    weight = {"nominal": (apart == 0) + 0.0, "linear": 1 - apart, "quadratic": 1 - apart**2}[weighting]
    shared, known = sizes > 1, (sizes > 0) + 0.0
    pairs = counts.multiply(counts @ weight).sum(axis=1) - sizes  # each answer with itself has weight 1
    agreeing = np.where(shared, pairs / np.maximum(sizes * (sizes - 1), 1), 0.0)
    shares = fold(ratings.item, code, 1 / sizes[ratings.item], (n, k))

    def under(weights: Array) -> Array:
        if k < 2:
            return np.full(len(weights), np.nan)
        share = divide(shares(weights), (weights @ known)[:, None])
        chance = weight.sum() / (k * (k - 1)) * (share * (1 - share)).sum(axis=1)
        return divide(divide(weights @ agreeing, weights @ (shared + 0.0)) - chance, 1 - chance)

    return Coefficient(under, k)


def alpha(ratings: Ratings, level: str, code: NDArray[np.int64] | None = None) -> Coefficient:
    """Krippendorff's alpha (2004, "Content analysis", chapter 11): 1 - observed / expected disagreement.

    observed = 1/n sum over items of sum over ordered pairs of d(a, b) / (m - 1), for items with m >= 2 answers;
    expected = sum over ordered pairs of all n answers of d(a, b) / (n (n - 1)). The distance d of two values is
    nominal: 0 or 1; interval: (a - b)^2; ratio: ((a - b) / (a + b))^2; ordinal: the squared difference of their
    midranks among the n answers. `code`, where given, stands for the values (bins).
    """
    if level not in LEVELS:
        raise OptionError(f"alpha has no level {level!r}; choose from {', '.join(LEVELS)}")
    values = ratings.value if code is None else code.astype(float)
    if level == "interval":
        return _alpha_interval(ratings, values)
    import numpy as np

    points, number = np.unique(values, return_inverse=True)
    if level == "nominal":
        return _alpha_nominal(ratings, number, len(points))
    if level == "ordinal":
        return _alpha_ordinal(ratings, number, len(points))
    return _alpha_ratio(ratings, number, points)


def _sizes(ratings: Ratings) -> Array:
    """Answers to each item. # (n,)"""
    import numpy as np

    return np.bincount(ratings.item, minlength=len(ratings.unit)).astype(np.float64)


def _counts(ratings: Ratings, number: NDArray[np.int64], k: int) -> Any:
    """How often each item was given each value, sparse. # (n, k)"""
    import numpy as np
    from scipy import sparse

    ones = np.ones(len(number))
    return sparse.csr_array((ones, (ratings.item, number)), shape=(len(ratings.unit), k))


def _ratio(observed: Array, expected: Array, n: Array) -> Array:
    """1 - (observed / n) / (expected / (n (n - 1))); NaN where no two answers differ."""
    return 1 - divide(observed * (n - 1), expected)


def _alpha_interval(ratings: Ratings, values: Array) -> Coefficient:
    """Sums of squares stand for sums over pairs: sum of (a - b)^2 = 2 (n sum of a^2 - (sum of a)^2)."""
    import numpy as np

    n, sizes = len(ratings.unit), _sizes(ratings)
    values = values - values[0] if len(values) else values  # equal values become 0 exactly
    sums = np.bincount(ratings.item, values, n)
    gaps = values - (sums / np.maximum(sizes, 1))[ratings.item]
    within = 2 * sizes * np.bincount(ratings.item, gaps**2, n) / (sizes - 1)
    rows = np.stack([sizes, sums, np.bincount(ratings.item, values**2, n), within], axis=1)

    def under(weights: Array) -> Array:
        count, total, squares, observed = (weights @ rows).T
        expected = 2 * (count * squares - total**2)
        return _ratio(observed, np.where(expected > 1e-12 * count * squares, expected, 0), count)

    return Coefficient(under, 4)


def _alpha_nominal(ratings: Ratings, number: NDArray[np.int64], k: int) -> Coefficient:
    sizes, counts = _sizes(ratings), _counts(ratings, number, k)
    within = (sizes**2 - counts.power(2).sum(axis=1)) / (sizes - 1)

    def under(weights: Array) -> Array:
        totals = (counts.T @ weights.T).T  # (b, k)
        n = totals.sum(axis=1)
        return _ratio(weights @ within, n**2 - (totals**2).sum(axis=1), n)

    return Coefficient(under, k)


def _alpha_ordinal(ratings: Ratings, number: NDArray[np.int64], k: int) -> Coefficient:
    """Interval alpha of midranks, which are those of the answers drawn: they move with the weights."""
    sizes, counts = _sizes(ratings), _counts(ratings, number, k)

    def under(weights: Array) -> Array:
        totals = (counts.T @ weights.T).T  # (b, k)
        n = totals.sum(axis=1)
        ranks = totals.cumsum(axis=1) - totals / 2 - (n / 2)[:, None]  # their mean is 0
        sums, squares = (counts @ ranks.T).T, (counts @ (ranks**2).T).T  # (b, n)
        observed = (weights * 2 * (sizes * squares - sums**2) / (sizes - 1)).sum(axis=1)
        expected = 2 * n * (totals * ranks**2).sum(axis=1)
        return _ratio(observed, expected, n)

    return Coefficient(under, k + 2 * len(sizes))


def _alpha_ratio(ratings: Ratings, number: NDArray[np.int64], points: Array) -> Coefficient:
    """Undefined where a value is negative: a ratio scale begins at 0."""
    import numpy as np

    sizes, counts = _sizes(ratings), _counts(ratings, number, len(points))
    pairs = ratings.pairs
    gaps = _ratios(points[number[pairs.left]], points[number[pairs.right]])
    within = 2 * np.bincount(pairs.item, gaps, len(sizes)) / (sizes - 1)

    def under(weights: Array) -> Array:
        if len(points) and points[0] < 0:
            return np.full(len(weights), np.nan)
        totals = (counts.T @ weights.T).T  # (b, k)
        expected = np.zeros(len(weights))
        for first in range(0, len(points), CHUNK):
            part = slice(first, first + CHUNK)
            expected += ((totals @ _ratios(points[:, None], points[None, part])) * totals[:, part]).sum(axis=1)
        return _ratio(weights @ within, expected, totals.sum(axis=1))

    return Coefficient(under, len(points))


def _ratios(a: Array, b: Array) -> Array:
    import numpy as np

    return (np.divide(a - b, a + b, out=np.zeros(np.broadcast_shapes(a.shape, b.shape)), where=a + b != 0)) ** 2
