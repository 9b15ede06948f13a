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
    from tertium.human.answers import Ratings

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


def correlation(ratings: Ratings, *, ranks: bool) -> Coefficient:
    """Pearson's r, or Spearman's rho (Pearson's r of midranks), of two raters on the items they share.

    Undefined for a rater who gives the same answer to all of them.
    """
    import numpy as np

    pairs = ratings.pairs
    order = np.argsort(pairs.pair, kind="stable")
    item, pair = pairs.item[order], pairs.pair[order]
    x, y = ratings.value[pairs.left[order]], ratings.value[pairs.right[order]]
    starts = np.searchsorted(pair, np.arange(len(pairs.raters)))
    tied = [_Ties(pair, side, starts) for side in (x, y)]

    def sums(rows: Array) -> Array:
        return np.add.reduceat(rows, starts, axis=1) if len(starts) else np.zeros((len(rows), 0))

    def each(weights: Array) -> Array:
        w = weights[:, item]  # (b, p)
        n = sums(w)
        centred, varied = [], []
        for side, ties in zip((x, y), tied, strict=True):
            value = ties.midranks(w) if ranks else np.broadcast_to(side, w.shape)
            centred.append(value - divide(sums(w * value), n)[:, pair])
            varied.append(ties.distinct(w) > 1)
        a, b = (np.where(w > 0, side, 0) for side in centred)  # a mean of nothing is NaN
        xx, yy, xy = sums(w * a * a), sums(w * b * b), sums(w * a * b)
        return np.clip(divide(xy, np.where(varied[0] & varied[1], np.sqrt(xx * yy), 0)), -1, 1)

    return averaged(each, ratings, 8 * len(item))


class _Ties:
    """The values of one rater of each pair, equal ones together, where every value is drawn some number of times."""

    def __init__(self, pair: NDArray[np.int64], values: Array, starts: NDArray[np.int64]) -> None:
        import numpy as np

        self.order = np.lexsort((values, pair))
        ordered, pairs = values[self.order], pair[self.order]
        new = np.ones(len(ordered), dtype=bool)
        new[1:] = (ordered[1:] != ordered[:-1]) | (pairs[1:] != pairs[:-1])
        self.ties = np.flatnonzero(new)  # where each group of equal values begins
        group = np.cumsum(new) - 1
        self.firsts = group[starts]  # the lowest group of each pair
        self.lowest = self.firsts[pairs[self.ties]]  # of each group
        self.group = np.empty_like(self.order)  # of each answer
        self.group[self.order] = group

    def drawn(self, w: Array) -> Array:
        """How often each group of equal values is drawn. # (b, groups)"""
        import numpy as np

        return np.add.reduceat(w[:, self.order], self.ties, axis=1) if len(self.ties) else w

    def distinct(self, w: Array) -> NDArray[np.int64]:
        """How many different values of each pair are drawn: 1 where a rater is constant. # (b, pairs)"""
        import numpy as np

        there = (self.drawn(w) > 0).astype(np.int64)
        return np.add.reduceat(there, self.firsts, axis=1) if len(self.ties) else there

    def midranks(self, w: Array) -> Array:
        """Midranks within each pair, from 1/2 less than usual: only their differences matter. # (b, p)"""
        import numpy as np

        drawn = self.drawn(w)
        below = np.cumsum(drawn, axis=1) - drawn
        ranks = below - below[:, self.lowest] + drawn / 2
        return np.asarray(ranks[:, self.group])


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
