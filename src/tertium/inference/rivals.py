"""Is one metric closer to people than another, or could it be luck?

Williams' test compares two correlations with the same list (Williams 1959; Graham and Baldwin 2014 for metrics).
Permutation (Deutsch et al. 2021) swaps the two metrics' scores at random: if they were equally good, nobody could tell.
What is swapped together is one score (PERM-BOTH), all scores of a segment (PERM-INPUTS) or of a system (PERM-SYSTEMS).
p is one-sided: for "the second metric is closer to people than the first".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from tertium.core.errors import InputError
from tertium.core.metric import choose
from tertium.inference.correlations import pearson
from tertium.inference.flips import SEED, TRIALS, flip_p_values, masks
from tertium.inference.pairs import divided

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

Swap = Literal["both", "inputs", "systems"]
SWAPS = ("both", "inputs", "systems")
ROUNDING = 1e-12  # a difference of statistics that only another order of adding makes
Statistic = Callable[["Array", "Array"], float]  # of gold and metric, systems x segments


def williams(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> float:
    """Williams' test of two Pearson correlations with one list, one-sided: p for "the second correlates better".

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
    trials: int = TRIALS,
    seed: int = SEED,
) -> float:
    """PERM-BOTH, PERM-INPUTS or PERM-SYSTEMS of any statistic of systems x segments; the scores count as one trial.

    Scores of both metrics are standardised over the cells that have all three scores, then swapped.
    """
    import numpy as np

    choose("permutation", "swap", swap, SWAPS)
    people, one, other = cells(gold, first, second)
    observed = statistic(people, other) - statistic(people, one)
    if math.isnan(observed):
        return math.nan
    extreme = 0
    for kept in swap_masks(people.shape, swap, trials, seed):
        left, right = np.where(kept, one, other), np.where(kept, other, one)
        extreme += statistic(people, right) - statistic(people, left) >= observed - ROUNDING
    return (extreme + 1) / (trials + 1)


def permuted_pearson(
    gold: ArrayLike, first: ArrayLike, second: ArrayLike, *, swap: Swap = "both", trials: int = TRIALS, seed: int = SEED
) -> float:
    """`permutation` of Pearson's r of all scores at once, in a few products: sums of swapped scores are linear."""
    import numpy as np

    choose("permutation", "swap", swap, SWAPS)
    people, one, other = cells(gold, first, second)
    known = ~np.isnan(people)
    if known.sum() < 2 or any(np.ptp(side[known]) == 0 for side in (people, one, other)):
        return math.nan
    weight = np.where(known, people - people[known].mean(), 0.0)
    weight /= np.sqrt((weight**2).sum())
    sums = [np.where(known, part, 0.0) for part in (weight * one, one, one**2, weight * other, other, other**2)]
    axis = {"both": None, "inputs": 0, "systems": 1}[swap]
    parts = np.stack([part.ravel() if axis is None else part.sum(axis=axis) for part in sums])  # (6, units)
    total = parts.sum(axis=1)
    n = int(known.sum())

    def gain(x: Array, y: Array) -> Array:
        return _r(y, n) - _r(x, n)

    observed = float(gain(total[:3], total[3:]))
    extreme = 0
    for kept in masks(parts.shape[1], trials, seed):
        stay = kept.astype(float) @ parts.T  # (b, 6)
        left = stay[:, :3] + total[3:] - stay[:, 3:]
        right = stay[:, 3:] + total[:3] - stay[:, :3]
        extreme += int(np.count_nonzero(gain(left, right) >= observed - ROUNDING))
    return (extreme + 1) / (trials + 1)


def _r(sums: Array, n: int) -> Array:
    """Pearson's r from sums of products with the standardised gold, of scores, and of their squares."""
    import numpy as np

    products, scores, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    spread = squares - scores**2 / n
    return divided(products, np.sqrt(np.where(spread > ROUNDING * squares, spread, 0.0)))  # swapped scores may be equal


def permuted_means(first: Array, second: Array, *, trials: int = TRIALS, seed: int = SEED) -> float:
    """PERM-INPUTS of the mean over segments of a statistic: whole segments are swapped. # (segments,)

    Segments for which either is undefined are left out.
    """
    import numpy as np

    gains = second - first
    gains = gains[~np.isnan(gains)]
    if len(gains) == 0:
        return math.nan
    share = float(flip_p_values(gains[None, :], trials=trials, seed=seed)[0])
    return (share * trials + 1) / (trials + 1)


def cells(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> tuple[Array, Array, Array]:
    """The three tables with NaN wherever one has it, the two metrics standardised. # (systems, segments)

    A list is one score for each system.
    """
    import numpy as np

    tables = [np.asarray(values, dtype=float) for values in (gold, first, second)]
    people, one, other = (table.reshape(-1, 1) if table.ndim < 2 else table for table in tables)
    if not people.shape == one.shape == other.shape:
        raise InputError(f"tables of three shapes: {people.shape}, {one.shape}, {other.shape}")
    known = np.isfinite(people) & np.isfinite(one) & np.isfinite(other)
    if not known.any():
        return people * np.nan, one * np.nan, other * np.nan
    people, one, other = (np.where(known, values, np.nan) for values in (people, one, other))
    return people, standardised(one), standardised(other)
