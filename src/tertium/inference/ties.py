"""Tie calibration: metric scores that differ by at most eps count as tied; eps is the one that fits human ties best.

Deutsch, Foster and Freitag (2023), "Ties matter". People often find two translations equally good, a metric hardly
ever. The largest difference that counts as a tie, eps, is chosen for a metric so that the mean of acc_eq over groups is
as large as it can be. Sorting the pairs by their differences makes that one pass: O(P log P).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.inference.pairs import as_groups, differences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

DEGENERATE = 0.9  # a share of tied pairs above which the best metric is one that says nothing
SAME = 1e-12  # differences this close, as a share of the largest, are told apart by rounding errors only
WHOLE = 1 << 62  # sums of whole numbers below this fit into 64 bits


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The best eps, acc_eq with it, and the number of pairs and groups."""

    acc_eq: float
    eps: float  # the smallest that is best
    highest_eps: float  # the largest that is best
    pairs: int
    groups: int
    tied: float  # share of pairs that the metric ties at eps
    gold_tied: float  # share of pairs that people tie

    @property
    def tau_eq(self) -> float:
        """Right minus wrong pairs; best at the same eps."""
        return 2 * self.acc_eq - 1

    @property
    def degenerate(self) -> bool:
        """Whether nearly all pairs are tied: then acc_eq is about how often people tie, not about the metric."""
        return self.tied > DEGENERATE


def calibrate(gold: ArrayLike, metric: ArrayLike) -> Calibration:
    """The eps that makes the mean of acc_eq over groups as large as it can be. # (members, groups)

    Exact: groups have different numbers of pairs, so every pair counts L / pairs of its group, L their least common
    multiple, in whole numbers. eps is 0 or the difference of one of the pairs.
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    people, machine = differences(left), differences(right)
    pair, group = np.nonzero(~np.isnan(people))
    people, gaps = people[pair, group], machine[pair, group]
    sizes = np.bincount(group, minlength=left.shape[1])
    groups = int(np.count_nonzero(sizes))
    if groups == 0:
        return Calibration(acc_eq=math.nan, eps=math.nan, highest_eps=math.nan, pairs=0, groups=0, tied=math.nan,
                           gold_tied=math.nan)  # fmt: skip
    whole = math.lcm(*np.unique(sizes[sizes > 0]).tolist())
    weights = _weights(whole, sizes, groups)[group]
    gold_tied = people == 0
    right_now = np.where(gaps == 0, gold_tied, np.sign(people) * np.sign(gaps) > 0)
    order = np.argsort(np.abs(gaps), kind="stable")
    size = np.abs(gaps)[order]
    # A pair that becomes a tie is right where people tie it, and no longer right where it was.
    steps = (weights * (gold_tied.astype(np.int64) - right_now.astype(np.int64)))[order]
    value = (weights * right_now).sum() + np.cumsum(steps)
    last = np.flatnonzero(np.append(np.diff(size) > SAME * size[-1], True))  # all pairs of one difference tie at once
    values, limits = value[last], size[last]
    if limits[0] > 0:  # no pair is tied as it is
        values, limits = np.append((weights * right_now).sum(), values), np.append(0.0, limits)
    best = np.flatnonzero(values == values.max())
    eps = float(limits[best[0]])
    return Calibration(
        acc_eq=int(values[best[0]]) / (whole * groups),
        eps=eps,
        highest_eps=float(limits[best[-1]]),
        pairs=len(people),
        groups=groups,
        tied=float(np.mean(size <= eps)),
        gold_tied=float(gold_tied.mean()),
    )


def _weights(whole: int, sizes: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """What a pair of each group counts; as Python's own whole numbers where 64 bits are too few. # (groups,)"""
    import numpy as np

    kind = np.int64 if whole * groups < WHOLE else object
    return np.array([whole // size if size else 0 for size in sizes.tolist()], dtype=kind)
