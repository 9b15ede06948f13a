"""Pairs of scores within groups: which of two is better, according to people and according to a metric.

Arrays are (members, groups), NaN where a score is missing: for example systems x segments, where the pairs are two
systems on one segment. Statistics are one number for each group, NaN where a group has nothing to compare.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import InputError
from tertium.inference.correlations import tau_b

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

FEW = 64  # members of a group, up to which all of its pairs are looked at one by one


class PairCounts(NamedTuple):
    """Pairs that people and the metric order alike, in opposite ways, or tie. # each (groups,)"""

    concordant: Any
    discordant: Any
    gold_ties: Any  # tied for people only
    metric_ties: Any  # tied for the metric only
    both_ties: Any

    @property
    def pairs(self) -> Any:
        """The number of all pairs."""
        return sum(self)

    def tau_b(self) -> Array:
        """Kendall (1945): (C - D) / sqrt of the pairs untied for people times those untied for the metric."""
        import numpy as np

        untied_gold = np.asarray(self.pairs - self.gold_ties - self.both_ties, dtype=float)
        untied_metric = np.asarray(self.pairs - self.metric_ties - self.both_ties, dtype=float)
        return divided(self.concordant - self.discordant, np.sqrt(untied_gold * untied_metric))

    def tau_eq(self) -> Array:
        """Deutsch et al. (2023): right minus wrong pairs, over all; a tie is right where both sides have one."""
        right = self.concordant + self.both_ties
        return divided(right - (self.pairs - right), self.pairs)

    def acc_eq(self) -> Array:
        """Deutsch et al. (2023): the share of pairs for which the metric says what people say: better, worse, tied."""
        return divided(self.concordant + self.both_ties, self.pairs)


def divided(above: Any, below: Any) -> Array:
    """above / below, NaN where below is 0."""
    import numpy as np

    top, bottom = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    found: Array = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)
    return found


def as_groups(gold: ArrayLike, metric: ArrayLike) -> tuple[Array, Array]:
    """Both as (members, groups), NaN on both sides where either is missing; a plain list is one group."""
    import numpy as np

    left, right = np.asarray(gold, dtype=float), np.asarray(metric, dtype=float)
    if left.shape != right.shape or left.ndim > 2:
        raise InputError(f"people's scores and the metric's must be tables of one shape; got {left.shape} and "
                         f"{right.shape}")  # fmt: skip
    if left.ndim < 2:
        left, right = left.reshape(-1, 1), right.reshape(-1, 1)
    known = np.isfinite(left) & np.isfinite(right)
    return np.where(known, left, np.nan), np.where(known, right, np.nan)


def differences(values: Array) -> Array:
    """Of every pair of members in every group, NaN where one is missing. # (m, g) -> (pairs, g)"""
    import numpy as np

    first, second = np.triu_indices(len(values), 1)
    return values[first] - values[second]


def count_pairs(gold: ArrayLike, metric: ArrayLike, eps: float = 0.0) -> PairCounts:
    """The counts of every group. Metric scores that differ by at most eps are tied. # each (groups,)

    Pairs of small groups are looked at one by one. Of large ones O(n log n) is enough where eps is 0.
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    if len(left) > FEW and eps == 0:
        counts = [_count_sorted(left[:, k], right[:, k]) for k in range(left.shape[1])]
        return PairCounts(*np.array(counts, dtype=np.int64).reshape(-1, 5).T)
    if len(left) > FEW:  # a group at a time: its pairs may be millions
        parts = [compare_pairs(differences(left[:, [k]]), differences(right[:, [k]]), eps)
                 for k in range(left.shape[1])]  # fmt: skip
        return PairCounts(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    return compare_pairs(differences(left), differences(right), eps)


def compare_pairs(gold: Array, metric: Array, eps: float = 0.0) -> PairCounts:
    """The counts of pairs whose differences are known. # (pairs, groups) -> each (groups,)"""
    import numpy as np

    known = ~np.isnan(gold)
    people, machine = np.sign(gold), np.where(np.abs(metric) <= eps, 0.0, np.sign(metric))
    product = people * machine
    tied_gold, tied_metric = people == 0, machine == 0

    def count(which: NDArray[np.bool_]) -> Any:
        return np.count_nonzero(which & known, axis=0)

    return PairCounts(
        count(product > 0),
        count(product < 0),
        count(tied_gold & ~tied_metric),
        count(~tied_gold & tied_metric),
        count(tied_gold & tied_metric),
    )


def _count_sorted(gold: Array, metric: Array) -> tuple[int, int, int, int, int]:
    """The counts of one long group. Ties are counted by sorting; C - D is the numerator of tau-b, a whole number."""
    import numpy as np

    known = ~np.isnan(gold)
    left, right = gold[known], metric[known]
    n = len(left)
    total = n * (n - 1) // 2

    def tied(sizes: NDArray[np.int64]) -> int:
        return int((sizes * (sizes - 1) // 2).sum())

    # Values by their places in order: a pair of places is one whole number, which sorts faster than two values.
    places, others = (np.unique(values, return_inverse=True)[1] for values in (left, right))
    together = np.unique(places * n + others, return_counts=True)[1]
    in_gold, in_metric, both = tied(np.bincount(places)), tied(np.bincount(others)), tied(together)
    untied = total - in_gold - in_metric + both
    if in_gold == total or in_metric == total:
        balance = 0
    else:
        balance = round(tau_b(left, right).value * np.sqrt(float(total - in_gold)) * np.sqrt(float(total - in_metric)))
    return (untied + balance) // 2, (untied - balance) // 2, in_gold - both, in_metric - both, both


class Pooled(NamedTuple):
    """A statistic of the pairs of all groups together, and how many pairs there are."""

    value: float
    pairs: int


def kendall_like(gold: ArrayLike, metric: ArrayLike, threshold: float = 25.0) -> Pooled:
    """WMT's Kendall-like tau on relative ranks made of direct assessments (DARR; Ma et al. 2019).

    Only pairs that people set at least `threshold` apart count, pooled over the groups; a metric's tie is discordant.
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    if len(left) > FEW:
        parts = [(differences(left[:, [k]]), differences(right[:, [k]])) for k in range(left.shape[1])]
    else:
        parts = [(differences(left), differences(right))]
    apart = concordant = 0
    for people, machine in parts:
        far = np.abs(people) >= threshold  # NaN is never far
        apart += int(np.count_nonzero(far))
        concordant += int(np.count_nonzero(far & (np.sign(people) * np.sign(machine) > 0)))
    return Pooled((2 * concordant - apart) / apart if apart else float("nan"), apart)


def difference_pearson(gold: ArrayLike, metric: ArrayLike) -> Pooled:
    """Pearson of the differences between pairs, both ways round, of all groups together, and how many pairs.

    Both ways round, differences have mean 0: r = sum(dx dy) / sqrt(sum(dx^2) sum(dy^2)). So groups with a wide spread
    weigh more, and it does not matter how good a group is as a whole.
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    known = ~np.isnan(left)
    sizes = known.sum(axis=0)
    # sum over pairs of (x_i - x_j)(y_i - y_j) = n sum(x - mean)(y - mean): no pair has to be made.
    x, y = _centred(left, known, sizes), _centred(right, known, sizes)
    xy, xx, yy = ((sizes * (a * b).sum(axis=0)).sum() for a, b in ((x, y), (x, x), (y, y)))
    pairs = int((sizes * (sizes - 1) // 2).sum())
    flat = any(len(sizes) == 0 or not (np.abs(part) > 1e-12 * np.nanmax(np.abs(whole), initial=0)).any()
               for part, whole in ((x, left), (y, right)))  # fmt: skip
    return Pooled(float("nan") if flat else float(xy / np.sqrt(xx) / np.sqrt(yy)), pairs)


def _centred(values: Array, known: NDArray[np.bool_], sizes: NDArray[np.int64]) -> Array:
    """Values minus the mean of their group, 0 where there is none."""
    import numpy as np

    filled = np.where(known, values, 0.0)
    return np.where(known, filled - filled.sum(axis=0) / np.maximum(sizes, 1), 0.0)
