"""Tests of whether one metric is closer to human scores than another.

Williams' test compares two correlations with the same list (Williams 1959; Graham and Baldwin 2014 for metrics).
Permutation (Deutsch et al. 2021) swaps the two metrics' scores at random: if they were equally good, the swapped scores
would be as likely as the real ones. What is swapped together is one score (PERM-BOTH), all scores of a segment
(PERM-INPUTS) or of a system (PERM-SYSTEMS). p is two-sided, for "one of the metrics is closer to people", or one-sided,
for "the second is closer than the first": the latter only where that was the question before anyone looked. Asked for
whichever metric is ahead, as WMT does, it finds a difference between equal metrics twice as often as it says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from tertium.core.errors import InputError
from tertium.core.metric import choose
from tertium.inference.correlations import pearson
from tertium.inference.flips import goes_through_all, mask_blocks, masks
from tertium.inference.pairs import divided
from tertium.inference.seeds import WMT_SEED, WMT_TRIALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

Swap = Literal["both", "inputs", "systems"]
SWAPS = ("both", "inputs", "systems")
Sides = Literal["two", "one"]
SIDES: tuple[Sides, ...] = ("two", "one")
ROUNDING = 1e-12  # a difference of statistics that only another order of adding makes
CLOSE = 1e-9  # the same, in units of the trials' spread
Statistic = Callable[["Array", "Array"], float]  # of gold and metric, systems x segments


class Gains(NamedTuple):
    """How much closer to people the second metric is than the first: as they are, and in each trial. # (), (N,)"""

    observed: float
    drawn: Array

    def extremes(self, sides: Sides) -> tuple[float, Array]:
        """The same in units that pairs of metrics share, their root mean square; larger is more extreme. # (), (N,)"""
        import numpy as np

        values = np.append(self.drawn, self.observed)
        values[np.abs(values) < ROUNDING] = 0.0
        values /= math.sqrt(float(np.nanmean(values**2))) or 1.0
        values = np.abs(values) if sides == "two" else values
        values = np.nan_to_num(values, nan=-math.inf)  # undefined: not extreme
        return float(values[-1]) - CLOSE, values[:-1]

    def p(self, sides: Sides) -> float:
        """The share of trials that are at least as extreme; the scores as they are count as one."""
        if math.isnan(self.observed):
            return math.nan
        observed, drawn = self.extremes(sides)
        return (int((drawn >= observed).sum()) + 1) / (len(drawn) + 1)


def _undefined() -> Gains:
    import numpy as np

    return Gains(math.nan, np.empty(0))


def two_sided(p: float) -> float:
    """For "one of them is better", from p for "the second is better"."""
    return 2 * min(p, 1 - p)


def williams(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> float:
    """Williams' test of two Pearson correlations with one list, one-sided: p for "the second correlates better".

    An approximation, good where scores are normal and there are not too few.

    t = (r2 - r1) sqrt((n - 1)(1 + r12)) / sqrt(2 K (n - 1)/(n - 3) + ((r1 + r2)/2)^2 (1 - r12)^3), n - 3 degrees of
    freedom, K = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12. NaN with fewer than four scores.
    """
    import numpy as np
    from scipy import special

    people, one, other = (np.asarray(values, dtype=float).ravel() for values in (gold, first, second))
    known = np.isfinite(people) & np.isfinite(one) & np.isfinite(other)
    people, one, other = people[known], one[known], other[known]
    n = len(people)
    r1, r2, r12 = pearson(people, one).value, pearson(people, other).value, pearson(one, other).value
    if n < 4 or math.isnan(r1 + r2 + r12):
        return math.nan
    if r1 == r2:
        return 0.5
    k = max(0.0, 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12)
    below = math.sqrt(2 * (n - 1) / (n - 3) * k + ((r1 + r2) / 2) ** 2 * (1 - r12) ** 3)
    above = (r2 - r1) * math.sqrt((n - 1) * (1 + r12))
    if below == 0:
        return 0.0 if above > 0 else 1.0
    return float(special.stdtr(n - 3, -above / below))


def standardised(values: Array) -> Array:
    """Mean 0 and standard deviation 1, so that scores of two metrics can be swapped."""
    import numpy as np

    spread = float(np.nanstd(values))
    return (values - np.nanmean(values)) / (spread if spread > 0 else 1.0)


def swap_masks(shape: tuple[int, int], swap: Swap, trials: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Masks over systems x segments, true where a score stays; broadcast where scores are swapped together."""
    systems, segments = shape
    width = {"both": systems * segments, "inputs": segments, "systems": systems}[swap]
    shapes = {"both": (systems, segments), "inputs": (1, segments), "systems": (systems, 1)}
    for block in masks(width, trials, seed):
        for row in block:
            yield row.reshape(shapes[swap])


def permutation(
    gold: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    statistic: Statistic,
    *,
    swap: Swap = "both",
    trials: int = WMT_TRIALS,
    seed: int = WMT_SEED,
) -> Gains:
    """PERM-BOTH, PERM-INPUTS or PERM-SYSTEMS of any statistic of systems x segments.

    Scores of both metrics are standardised over the cells that have all three scores, then swapped.
    """
    import numpy as np

    choose("permutation", "swap", swap, SWAPS)
    people, one, other = cells(gold, first, second)
    observed = statistic(people, other) - statistic(people, one)
    if math.isnan(observed):
        return _undefined()
    drawn = []
    for kept in swap_masks(people.shape, swap, trials, seed):
        left, right = np.where(kept, one, other), np.where(kept, other, one)
        drawn.append(statistic(people, right) - statistic(people, left))
    return Gains(observed, np.array(drawn))


def permuted_pearson(
    gold: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    swap: Swap = "both",
    trials: int = WMT_TRIALS,
    seed: int = WMT_SEED,
) -> Gains:
    """`permutation` of Pearson's r of all scores at once, in a few products: sums of swapped scores are linear."""
    import numpy as np

    choose("permutation", "swap", swap, SWAPS)
    people, one, other = cells(gold, first, second)
    known = ~np.isnan(people)
    if known.sum() < 2 or any(np.ptp(side[known]) == 0 for side in (people, one, other)):
        return _undefined()
    weight = np.where(known, people - people[known].mean(), 0.0)
    weight /= np.sqrt((weight**2).sum())
    sums = [np.where(known, part, 0.0) for part in (weight * one, one, one**2, weight * other, other, other**2)]
    axis = {"both": None, "inputs": 0, "systems": 1}[swap]
    parts = np.stack([part.ravel() if axis is None else part.sum(axis=axis) for part in sums])  # (6, units)
    total = parts.sum(axis=1)
    n = int(known.sum())

    def gain(x: Array, y: Array) -> Array:
        return _r(y, n) - _r(x, n)

    drawn = []
    for kept in masks(parts.shape[1], trials, seed):
        stay = kept.astype(float) @ parts.T  # (b, 6)
        left = stay[:, :3] + total[3:] - stay[:, 3:]
        right = stay[:, 3:] + total[:3] - stay[:, :3]
        drawn.append(gain(left, right))
    return Gains(float(gain(total[:3], total[3:])), np.concatenate(drawn))


def _r(sums: Array, n: int) -> Array:
    """Pearson's r from sums of products with the standardised gold, of scores, and of their squares."""
    import numpy as np

    products, scores, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    spread = squares - scores**2 / n
    return divided(products, np.sqrt(np.where(spread > ROUNDING * squares, spread, 0.0)))  # swapped scores may be equal


def permuted_means(first: Array, second: Array, *, trials: int = WMT_TRIALS, seed: int = WMT_SEED) -> list[Gains]:
    """PERM-INPUTS of the mean over segments of a statistic, for many pairs of metrics: whole segments are swapped, the
    same ones in all pairs. # (pairs, segments)

    Segments for which either is undefined take no part. Where there are no more ways to swap than trials, all are gone
    through.
    """
    import numpy as np

    gains = second - first
    known = (~np.isnan(gains)).sum(axis=1)
    gains = np.nan_to_num(gains) / np.maximum(known, 1)[:, None]
    n = gains.shape[1]
    kept = np.concatenate([block.astype(np.float64) @ gains.T for block in mask_blocks(n, trials, seed)])  # (N, pairs)
    if goes_through_all(n, trials):
        kept = kept[:-1]  # the last one swaps nothing: these are the scores as they are
    total = gains.sum(axis=1)
    return [Gains(float(total[k]), 2 * kept[:, k] - total[k]) if known[k] else _undefined() for k in range(len(total))]


def cells(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> tuple[Array, Array, Array]:
    """The three tables with NaN wherever one has it, the two metrics standardised. # (systems, segments)

    A list is one score for each system.
    """
    import numpy as np

    tables = [np.asarray(values, dtype=float) for values in (gold, first, second)]
    people, one, other = (table.reshape(-1, 1) if table.ndim < 2 else table for table in tables)
    if not people.shape == one.shape == other.shape:
        raise InputError(
            "human scores and the scores of both metrics must be tables of one shape; got "
            f"{people.shape}, {one.shape} and {other.shape}"
        )
    known = np.isfinite(people) & np.isfinite(one) & np.isfinite(other)
    if not known.any():
        return people * np.nan, one * np.nan, other * np.nan
    people, one, other = (np.where(known, values, np.nan) for values in (people, one, other))
    return people, standardised(one), standardised(other)
