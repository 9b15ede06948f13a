"""Correlations of tables, systems x segments: of all scores at once, or averaged over segments or over systems.

Within a segment a statistic asks which of several translations is better; within a system, which of its translations
are. All scores at once mix both questions. A group for which a statistic is undefined is left out of the average.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NamedTuple

from tertium.core.metric import choose
from tertium.inference.correlations import CORRELATIONS, spearman
from tertium.inference.pairs import FEW, as_groups, count_pairs, differences, divided

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

By = Literal["none", "item", "system"]
AVERAGES: tuple[By, ...] = ("none", "item", "system")


class Average(NamedTuple):
    """A statistic, its p-value where there is one, the scores it rests on, and the groups it is the mean of."""

    value: float
    p: float
    n: int
    groups: int


def average(gold: ArrayLike, metric: ArrayLike, statistic: str, by: By = "none", *, micro: bool = False) -> Average:
    """A statistic of two tables. # (systems, segments)

    `none` takes all scores as one list, `item` averages over segments, `system` over systems: plainly (macro), or
    weighted by how many scores (pairs, for tau_eq and acc_eq) a group has (micro). p is for `item` only: Student's t of
    the segments' correlations against a mean of 0. Outputs that share segments and systems are not independent, as a p
    of all scores together would suppose; averages over systems share their segments; and tau_eq and acc_eq have no zero
    that means chance: there p is NaN.
    """
    choose("average", "statistic", statistic, tuple(GROUPED))
    choose("average", "by", by, AVERAGES)
    left, right = arrange(gold, metric, by)
    sizes = (~_missing(left)).sum(axis=0)
    if by == "none" and statistic in CORRELATIONS:
        found = CORRELATIONS[statistic](left, right)
        return Average(found.value, math.nan, found.n, 1)
    values = GROUPED[statistic](left, right)
    weights = sizes * (sizes - 1) // 2 if statistic in OF_PAIRS else sizes
    value, groups = mean_of(values, weights if micro else None)
    p = p_of_mean(values) if by == "item" and statistic not in OF_PAIRS and not micro else math.nan
    return Average(value, p, int(sizes.sum()), groups)


def arrange(gold: ArrayLike, metric: ArrayLike, by: By) -> tuple[Array, Array]:
    """Two tables, systems x segments, as groups whose members are compared. # (s, n) -> (members, groups)"""
    left, right = as_groups(gold, metric)
    if by == "none":
        return left.reshape(-1, 1), right.reshape(-1, 1)
    return (left, right) if by == "item" else (left.T, right.T)


def mean_of(values: Array, weights: NDArray[np.int64] | None = None) -> tuple[float, int]:
    """The mean of the values that are not NaN, and how many they are; NaN where there are none."""
    import numpy as np

    there = ~np.isnan(values)
    if not there.any():
        return math.nan, 0
    weighted = None if weights is None else weights[there]
    return float(np.average(values[there], weights=weighted)), int(there.sum())


def p_of_mean(values: Array) -> float:
    """Student's t-test, two-sided, of the hypothesis that the values have mean 0."""
    import numpy as np
    from scipy import special

    there = values[~np.isnan(values)]
    if len(there) < 2 or there.min() == there.max():
        return math.nan
    t = abs(float(there.mean())) / (float(there.std(ddof=1)) / math.sqrt(len(there)))
    return float(2 * special.stdtr(len(there) - 1, -t))


def pearson_of_groups(gold: Array, metric: Array) -> Array:
    """Pearson's r in every group. # (m, g) -> (g,)"""
    import numpy as np

    known = ~_missing(gold)
    sizes = known.sum(axis=0)
    sides = []
    for values in (gold, metric):
        filled = np.where(known, values, 0.0)
        centred = np.where(known, filled - filled.sum(axis=0) / np.maximum(sizes, 1), 0.0)
        largest = np.abs(centred).max(axis=0, initial=0.0)
        flat = _lowest(values) == -_lowest(-values)  # one value only: its distances from the mean are rounding errors
        # Scaled, so that squares of very large or very small numbers stay in range.
        sides.append(np.where(flat, 0.0, centred / np.where(largest > 0, largest, 1.0)))
    x, y = sides
    r = divided((x * y).sum(axis=0), np.sqrt((x * x).sum(axis=0)) * np.sqrt((y * y).sum(axis=0)))
    return np.clip(r, -1.0, 1.0)


def spearman_of_groups(gold: Array, metric: Array) -> Array:
    """Spearman's rho in every group. # (m, g) -> (g,)"""
    import numpy as np

    if len(gold) > FEW:
        return np.array([spearman(gold[:, k], metric[:, k]).value for k in range(gold.shape[1])])
    return pearson_of_groups(_ranks(gold), _ranks(metric))


def _ranks(values: Array) -> Array:
    """Ranks within groups, up to a constant: how many members one is better than, minus how many are better."""
    import numpy as np

    first, second = np.triu_indices(len(values), 1)
    signs = np.nan_to_num(np.sign(differences(values)))
    ranks = np.zeros(values.shape)
    np.add.at(ranks, first, signs)
    np.add.at(ranks, second, -signs)
    return np.where(_missing(values), np.nan, ranks)


def tau_b_of_groups(gold: Array, metric: Array) -> Array:
    """Kendall's tau-b in every group. # (m, g) -> (g,)"""
    return count_pairs(gold, metric).tau_b()


def tau_c_of_groups(gold: Array, metric: Array) -> Array:
    """Kendall's tau-c in every group. # (m, g) -> (g,)"""
    import numpy as np

    counts = count_pairs(gold, metric)
    sizes = (~_missing(gold)).sum(axis=0)
    kinds = np.minimum(_distinct(gold), _distinct(metric))
    reach = sizes**2 * divided(kinds - 1, kinds)
    return divided(2 * (counts.concordant - counts.discordant), np.nan_to_num(reach))


def tau_eq_of_groups(gold: Array, metric: Array) -> Array:
    """tau_eq in every group. # (m, g) -> (g,)"""
    return count_pairs(gold, metric).tau_eq()


def acc_eq_of_groups(gold: Array, metric: Array) -> Array:
    """acc_eq in every group, as the scores are: no ties are made. # (m, g) -> (g,)"""
    return count_pairs(gold, metric).acc_eq()


GROUPED: dict[str, Callable[[Array, Array], Array]] = {
    "pearson": pearson_of_groups,
    "spearman": spearman_of_groups,
    "tau_b": tau_b_of_groups,
    "tau_c": tau_c_of_groups,
    "tau_eq": tau_eq_of_groups,
    "acc_eq": acc_eq_of_groups,
}
OF_PAIRS = ("tau_eq", "acc_eq")  # means over pairs


def _missing(values: Array) -> NDArray[np.bool_]:
    import numpy as np

    return np.isnan(values)


def _lowest(values: Array) -> Array:
    """The smallest value of every group; infinite where it has none. # (m, g) -> (g,)"""
    import numpy as np

    return np.min(np.where(np.isnan(values), np.inf, values), axis=0, initial=np.inf)  # type: ignore[no-any-return]


def _distinct(values: Array) -> NDArray[np.int64]:
    """How many different values every group has. # (m, g) -> (g,)"""
    import numpy as np

    ordered = np.sort(values, axis=0)  # NaN comes last
    steps = (ordered[1:] != ordered[:-1]) & ~np.isnan(ordered[1:])
    found: NDArray[np.int64] = steps.sum(axis=0) + (~np.isnan(ordered[:1])).sum(axis=0)
    return found
