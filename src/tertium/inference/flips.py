"""Pairs of systems by human scores and by a metric: permutation tests, pairwise accuracy, soft pairwise accuracy.

The paired permutation test swaps two systems' segments: the sign of each segment's difference is flipped or not. Masks
are drawn once for all pairs; where there are few segments, all masks are enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.errors import OptionError
from tertium.inference.paired import check_trials
from tertium.inference.pairs import as_groups, differences
from tertium.inference.seeds import ALPHA, WMT_SEED, WMT_TRIALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

MOST = 20  # values whose swaps are all gone through
BLOCK = 1 << 24  # numbers held at a time
ROUNDING = 1e-9  # of the sum of all absolute differences: sums this close to 0 are 0


def masks(n: int, trials: int = WMT_TRIALS, seed: int = WMT_SEED) -> Iterator[NDArray[np.bool_]]:
    """Fair coins, blocks of rows: true where a value keeps its side, false where it is swapped. # (b, n)"""
    import numpy as np

    check_trials(trials, seed)
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, n))
    for first in range(0, trials, step):
        yield rng.random((min(step, trials - first), n), dtype=np.float32) > 0.5


def all_masks(n: int) -> NDArray[np.bool_]:
    """Every way to keep and swap n values. # (2^n, n)"""
    import numpy as np

    if n > MOST:
        raise OptionError(f"{n} values can be swapped in 2^{n} ways; more than 2^{MOST} are drawn at random instead")

    return (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(bool)


def flip_p_values(
    gaps: Array, *, trials: int = WMT_TRIALS, seed: int = WMT_SEED, enumerated: bool | None = None
) -> Array:
    """One-sided p of the paired permutation test: how often flipped differences sum to at least as much.

    One for each row; a difference that is missing (NaN) takes no part. Flipping subtracts the flipped differences
    twice, so the sum stays as large where those add up to at most 0. All flips are enumerated where there are no more
    than `trials`, unless `enumerated` says otherwise. # (pairs, n) -> (pairs,)
    """
    import numpy as np

    filled = np.nan_to_num(gaps)
    small = ROUNDING * np.abs(filled).sum(axis=1)
    count, drawn = np.zeros(len(gaps)), 0
    for kept in mask_blocks(gaps.shape[1], trials, seed, enumerated):
        count += ((~kept).astype(np.float64) @ filled.T <= small).sum(axis=0)
        drawn += len(kept)
    return count / drawn


def flips(n: int, *, trials: int = WMT_TRIALS, seed: int = WMT_SEED, enumerated: bool | None = None) -> list[Array]:
    """Masks that are used several times, 1 where a segment is flipped. # each (b, n)"""
    import numpy as np

    return [(~kept).astype(np.float64) for kept in mask_blocks(n, trials, seed, enumerated)]


def system_flips(values: Array, flipped: Sequence[Array]) -> NDArray[np.bool_]:
    """Which flips leave the difference of two systems at least as large, for every pair of systems with all scores: a
    product for each system serves all its pairs. # (systems, n) -> (pairs, flips)
    """
    import numpy as np

    small = ROUNDING * np.abs(differences(values)).sum(axis=1)
    return np.concatenate([differences(values @ mask.T) <= small[:, None] for mask in flipped], axis=1)


def system_p_values(values: Array, flipped: Sequence[Array]) -> Array:
    """`flip_p_values` of every pair of systems. # (systems, n) -> (pairs,)"""
    return system_flips(values, flipped).mean(axis=1)  # type: ignore[no-any-return]


def goes_through_all(n: int, trials: int, enumerated: bool | None = None) -> bool:
    """Whether all ways to swap n values are enumerated: where they are no more than trials, unless `enumerated` says
    otherwise."""
    return n <= math.log2(max(1, trials)) if enumerated is None else enumerated


def mask_blocks(n: int, trials: int, seed: int, enumerated: bool | None = None) -> Iterator[NDArray[np.bool_]]:
    """All masks where they are enumerated, else as many random ones as trials."""
    if goes_through_all(n, trials, enumerated):
        return iter([all_masks(n)])
    return masks(n, trials, seed)


class Accuracy(NamedTuple):
    """Pairs of systems that the metric orders as people do, and all pairs; adds up over test sets."""

    agree: int
    pairs: int

    @property
    def value(self) -> float:
        """The share of pairs; NaN where there are none."""
        return self.agree / self.pairs if self.pairs else math.nan

    def pooled(self, other: Accuracy) -> Accuracy:
        """The pairs of both: a system is only compared with systems of its own test set."""
        return Accuracy(self.agree + other.agree, self.pairs + other.pairs)


def pairwise_accuracy(gold: ArrayLike, metric: ArrayLike, which: NDArray[np.bool_] | None = None) -> Accuracy:
    """Pairwise accuracy (Kocmi et al. 2021): how often the metric ranks two systems as people do. # (systems,)

    A tie is right where both have one. `which` keeps only those pairs of systems, in the order (1, 2), (1, 3), ...
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    people, machine = differences(left).ravel(), differences(right).ravel()
    known = ~np.isnan(people) if which is None else ~np.isnan(people) & which
    return Accuracy(int(np.count_nonzero(known & (np.sign(people) == np.sign(machine)))), int(known.sum()))


def separated(
    gold: ArrayLike, alpha: float = ALPHA, *, trials: int = WMT_TRIALS, seed: int = WMT_SEED
) -> NDArray[np.bool_]:
    """Pairs of systems whose human scores differ significantly on the segments judged for both.

    By the paired permutation test, two-sided; the scores themselves count as one more trial. # (systems, n) -> (pairs,)
    """
    import numpy as np

    gaps = differences(as_groups(gold, gold)[0])
    p = np.minimum(*(flip_p_values(side, trials=trials, seed=seed) for side in (gaps, -gaps)))  # equal systems: both 1
    return 2 * (p * trials + 1) / (trials + 1) <= alpha


class SoftAccuracy(NamedTuple):
    """SPA, the number of segments, and the standard error that random flips leave in SPA: 0 where all flips were
    enumerated. Other trials, or another seed, move SPA by about so much; other segments by more."""

    value: float
    n: int
    error: float


def soft_pairwise_accuracy(
    gold: ArrayLike,
    metric: ArrayLike,
    *,
    trials: int = WMT_TRIALS,
    seed: int = WMT_SEED,
    enumerated: bool | None = None,
) -> SoftAccuracy:
    """SPA (Thompson et al. 2024): 1 minus the mean distance between the p-values of people and metric.

    Over the n segments that have all scores; p is one-sided, for "the system in the earlier row is better". The error
    is that of a mean over trials: each adds to |p - q| by which of the two it counts for, with the sign of p - q.
    # (systems, segments)
    """
    import numpy as np

    left, right = as_groups(gold, metric)
    whole = ~np.isnan(left).any(axis=0)
    n = int(whole.sum())
    if n == 0 or len(left) < 2:
        return SoftAccuracy(math.nan, n, math.nan)
    flipped = flips(n, trials=trials, seed=seed, enumerated=enumerated)
    people, machine = (system_flips(side[:, whole], flipped) for side in (left, right))
    gaps = people.mean(axis=1) - machine.mean(axis=1)
    error = 0.0
    if not goes_through_all(n, trials, enumerated):
        shares = np.sign(gaps) @ (people.astype(np.float64) - machine) / len(gaps)  # (trials,)
        error = float(shares.std(ddof=1)) / math.sqrt(len(shares)) if len(shares) > 1 else math.nan
    return SoftAccuracy(float(1 - np.abs(gaps).mean()), n, error)
