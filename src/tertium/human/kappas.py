"""Coefficients of two raters, averaged over all pairs of raters; each pair weighs as much as the items it shares.

With two raters that is the coefficient itself, with the same items for everybody Light's (1971) mean over pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tertium.human.coefficients import Coefficient, divide, fold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array
    from tertium.human.ratings import Ratings

Each = Callable[["Array"], "Array"]


def averaged(each: Each, ratings: Ratings, width: int) -> Coefficient:
    """The mean over the pairs of raters for which the coefficient is defined, weighted by the items they share."""
    import numpy as np

    pairs = ratings.pairs
    shared = fold(pairs.item, pairs.pair, 1.0, (len(ratings.unit), len(pairs.raters)))

    def under(weights: Array) -> Array:
        values, n = each(weights), shared(weights)
        n = np.where(np.isnan(values), 0, n)
        return divide((np.where(np.isnan(values), 0, values) * n).sum(axis=1), n.sum(axis=1))

    return Coefficient(under, width, len(pairs.raters), each)


def _share(ratings: Ratings, code: NDArray[np.int64]) -> Each:
    """How often two raters choose the same category."""
    import numpy as np

    pairs = ratings.pairs
    shape = (len(ratings.unit), len(pairs.raters))
    agreeing = fold(pairs.item, pairs.pair, (code[pairs.left] == code[pairs.right]).astype(np.float64), shape)
    shared = fold(pairs.item, pairs.pair, 1.0, shape)
    return lambda weights: divide(agreeing(weights), shared(weights))


def observed(ratings: Ratings, code: NDArray[np.int64]) -> Coefficient:
    """The share of pairs of answers to one item that are in the same category; no chance taken off."""
    return averaged(_share(ratings, code), ratings, 2 * len(ratings.pairs.raters))


def bennett(ratings: Ratings, code: NDArray[np.int64], k: int) -> Coefficient:
    """Bennett, Alpert and Goldstein's S (1954): kappa with uniform chance.

    Two raters who answer at random on k points agree 1/k of the time: there are k ways to agree among k * k pairs of
    answers. (Not 1/k^2, which is the chance that both give one certain answer.)
    """
    import numpy as np

    share = _share(ratings, code)

    def each(weights: Array) -> Array:
        values = share(weights)
        return (values - 1 / k) / (1 - 1 / k) if k > 1 else np.full_like(values, np.nan)

    return averaged(each, ratings, 2 * len(ratings.pairs.raters))


def scott(ratings: Ratings, code: NDArray[np.int64], k: int) -> Coefficient:
    """Scott's pi (1955): chance from the answers of both raters together."""
    return _kappa(ratings, code, k, "nominal", pooled=True)


def cohen(ratings: Ratings, code: NDArray[np.int64], k: int, weighting: str = "nominal") -> Coefficient:
    """Cohen's kappa (1960), and weighted kappa (1968): 1 - observed / expected disagreement.

    Disagreement of categories i and j is 0 or 1 (nominal), |i - j| (linear) or (i - j)^2 (quadratic); what is expected
    comes from each rater's own shares. i and j are places on the scale, those of categories nobody used included.
    """
    return _kappa(ratings, code, k, weighting, pooled=False)


def _kappa(ratings: Ratings, code: NDArray[np.int64], k: int, weighting: str, *, pooled: bool) -> Coefficient:
    import numpy as np

    pairs = ratings.pairs
    count = len(pairs.raters)
    left, right = code[pairs.left], code[pairs.right]
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :]).astype(np.float64)
    distance = {"nominal": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weighting]
    shape = (len(ratings.unit), count * k)
    gaps = fold(pairs.item, pairs.pair, distance[left, right], (shape[0], count))
    lefts = fold(pairs.item, pairs.pair * k + left, 1.0, shape)
    rights = fold(pairs.item, pairs.pair * k + right, 1.0, shape)

    def each(weights: Array) -> Array:
        a, b = (side(weights).reshape(len(weights), count, k) for side in (lefts, rights))
        n = a.sum(axis=2)
        if pooled:
            a = b = (a + b) / 2
        expected = ((a @ distance) * b).sum(axis=2)  # n^2 times the mean distance
        return 1 - divide(gaps(weights) * n, expected)

    return averaged(each, ratings, 3 * count * k)


def pearson(ratings: Ratings) -> Coefficient:
    """Pearson's r of two raters on the items they share; undefined for one who gives the same answer to all of them."""
    import numpy as np

    pairs = ratings.pairs
    count = len(pairs.raters)
    shared = np.bincount(pairs.pair, minlength=count)

    def centred(place: NDArray[np.int64]) -> Array:
        values = ratings.value[place]
        return np.asarray(values - (np.bincount(pairs.pair, values, count) / shared)[pairs.pair])

    x, y = centred(pairs.left), centred(pairs.right)
    shape = (len(ratings.unit), count)
    folds = [fold(pairs.item, pairs.pair, values, shape) for values in (1.0, x, y, x * x, y * y, x * y)]

    def each(weights: Array) -> Array:
        n, sx, sy, sxx, syy, sxy = (sums(weights) for sums in folds)
        xx, yy = n * sxx - sx**2, n * syy - sy**2
        varied = (xx > ROUNDING * n * sxx) & (yy > ROUNDING * n * syy)
        return np.clip(divide(n * sxy - sx * sy, np.where(varied, np.sqrt(np.abs(xx * yy)), 0)), -1, 1)

    return averaged(each, ratings, 12 * count)


ROUNDING = 1e-12  # what may be left of the variance of equal values


class _Ties:
    """The answers of one rater of each pair, equal ones together, in rising order."""

    def __init__(self, ratings: Ratings, place: NDArray[np.int64]) -> None:
        import numpy as np

        pairs, values = ratings.pairs, ratings.value[place]
        order = np.lexsort((values, pairs.pair))
        ordered, pair = values[order], pairs.pair[order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (ordered[1:] != ordered[:-1]) | (pair[1:] != pair[:-1])
        self.tie = np.empty_like(order)  # of each answer
        self.tie[order] = np.cumsum(new) - 1
        self.pair = pair[new]  # of each tie
        self.starts = np.searchsorted(self.pair, np.arange(len(pairs.raters)))
        self.drawn = fold(pairs.item, self.tie, 1.0, (len(ratings.unit), len(self.pair)))

    def midranks(self, weights: Array) -> tuple[Array, Array]:
        """The midrank of each tie among the answers drawn, less their mean; and the sum of squares of each pair."""
        import numpy as np

        drawn = self.drawn(weights)  # (b, ties)
        below = np.cumsum(drawn, axis=1) - drawn
        n = np.add.reduceat(drawn, self.starts, axis=1)
        ranks = below - (below[:, self.starts] + n / 2)[:, self.pair] + drawn / 2
        return ranks, np.add.reduceat(drawn * ranks**2, self.starts, axis=1)


def spearman(ratings: Ratings) -> Coefficient:
    """Spearman's rho of two raters: Pearson's r of midranks, which are those of the answers drawn."""
    import numpy as np

    pairs = ratings.pairs
    left, right = _Ties(ratings, pairs.left), _Ties(ratings, pairs.right)
    cells, cell = np.unique(left.tie * len(right.pair) + right.tie, return_inverse=True)
    x, y = cells // max(1, len(right.pair)), cells % max(1, len(right.pair))
    starts = np.searchsorted(left.pair[x], np.arange(len(pairs.raters)))
    drawn = fold(pairs.item, cell, 1.0, (len(ratings.unit), len(cells)))

    def each(weights: Array) -> Array:
        if not len(cells):
            return np.zeros((len(weights), 0))
        (rx, xx), (ry, yy) = left.midranks(weights), right.midranks(weights)
        xy = np.add.reduceat(drawn(weights) * rx[:, x] * ry[:, y], starts, axis=1)
        return np.clip(divide(xy, np.sqrt(xx * yy)), -1, 1)

    return averaged(each, ratings, 3 * len(cells) + 3 * len(left.pair) + 3 * len(right.pair))


def ranking_kappa(ratings: Ratings, *, chance: bool = True) -> Coefficient:
    """WMT's kappa of pairwise comparisons (Bojar et al. 2013): better, worse or tied, all raters pooled.

    kappa = (A - E) / (1 - E); A: the share of pairs of answers that are the same; E = t^2 + 2 ((1 - t) / 2)^2 with t
    the share of ties. Which of two systems is named first is arbitrary, so better and worse are equally likely.
    `ratings` are `preferences`. Without `chance` it is A alone.
    """
    import numpy as np

    pairs = ratings.pairs
    n = len(ratings.unit)
    left, right = ratings.value[pairs.left], ratings.value[pairs.right]
    rows = np.stack(
        [np.bincount(pairs.item, values, n) for values in (left == right, ((left == 0) + 0.0 + (right == 0)) / 2)], 1
    )
    compared = np.bincount(pairs.item, minlength=n).astype(np.float64)

    def under(weights: Array) -> Array:
        total = weights @ compared
        agreed, tied = (divide(column, total) for column in (weights @ rows).T)
        if not chance:
            return agreed
        expected = tied**2 + (1 - tied) ** 2 / 2
        return divide(agreed - expected, np.where(tied == 1, 0, 1 - expected))

    return Coefficient(under, 3)
