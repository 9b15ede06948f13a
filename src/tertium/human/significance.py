"""One-sided tests of two systems' segments: are the scores of the first higher than those of the second?

`rank-sum` (Wilcoxon 1945; Mann and Whitney 1947) takes all judged segments of both, as WMT does; `rank-sum-matched`
only those that both have, as Appraise does; the others look at differences segment by segment. Scores are rounded to
ten decimals first, because ranks would make a difference of two equal means out of their rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tertium.inference.bootstrap import resample_weights
from tertium.inference.paired import swap_weights

if TYPE_CHECKING:
    from tertium.core.stats import Array

TIES = 10  # decimals
EXACT = 50  # differences
TITLES = {
    "rank-sum": "Wilcoxon rank-sum test of all judged segments",
    "rank-sum-matched": "Wilcoxon rank-sum test of segments judged for both",
    "signed-rank": "Wilcoxon signed-rank test of segments judged for both",
    "permutation": "paired permutation test of segments judged for both",
    "bootstrap": "paired bootstrap test of segments judged for both",
}


def p_values(scores: Array, test: str, trials: int, seed: int) -> Array:
    """The p-value of every system (row) against every other (column), NaN where they cannot be compared.

    scores: higher is better, NaN where a segment was not judged. # (s, n) -> (s, s)
    """
    import numpy as np

    if test in DRAWN:
        drawn: Array = DRAWN[test](scores, trials, seed)
        return drawn
    rounded = np.round(scores, TIES)
    found = np.full((len(scores), len(scores)), np.nan)
    for a, first in enumerate(rounded):
        for b, second in enumerate(rounded):
            if a != b:
                found[a, b] = PAIRS[test](first, second)
    return found


def _rank_sum(first: Array, second: Array) -> float:
    import numpy as np

    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    if not len(first) or not len(second):
        return float("nan")
    if (first == first[0]).all() and (second == first[0]).all():
        return 0.5
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(first, second, alternative="greater").pvalue)


def _rank_sum_matched(first: Array, second: Array) -> float:
    import numpy as np

    both = ~np.isnan(first) & ~np.isnan(second)
    return _rank_sum(first[both], second[both])


def _signed_rank(first: Array, second: Array) -> float:
    import numpy as np

    gains = first - second
    gains = np.round(gains[~np.isnan(gains)], TIES)
    if not len(gains):
        return float("nan")
    return signed_rank(gains)


def signed_rank(gains: Array) -> float:
    """One-sided p of Wilcoxon's signed-rank test: are gains above 0? Zeros are left out; 0.5 where nothing is left.

    Exact up to 50 differences, ties included (by the distribution of all sums of signed ranks); then the normal
    approximation.
    """
    import numpy as np
    from scipy import stats

    moved = gains[gains != 0]
    if not len(moved):
        return 0.5
    if len(moved) > EXACT:
        return float(stats.wilcoxon(moved, alternative="greater", method="asymptotic").pvalue)
    ranks = np.rint(2 * stats.rankdata(np.abs(moved))).astype(np.int64)  # halves of tied ranks become whole
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1.0
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    return float(ways[int(ranks[moved > 0].sum()) :].sum() / 2.0 ** len(moved))


def _gains(scores: Array) -> tuple[Array, Array]:
    """Differences of all pairs of systems, 0 where a segment lacks one of them, and where it does not. # (n, s * s)"""
    import numpy as np

    gains = (scores[:, None] - scores[None]).reshape(-1, scores.shape[1]).T
    known = ~np.isnan(gains)
    return np.where(known, gains, 0.0), known.astype(np.float64)


def _permutation(scores: Array, trials: int, seed: int) -> Array:
    """Differences change sign by fair coins, the same ones for all pairs: as if outputs were swapped."""
    import numpy as np

    gains, known = _gains(scores)
    observed, higher = gains.sum(axis=0), np.zeros(gains.shape[1], dtype=np.int64)
    slack = 1e-9 * np.abs(gains).sum(axis=0)  # sums of the same numbers in another order are equal
    for kept in swap_weights(len(gains), trials, seed, gains.shape[1]):
        higher += ((2 * (kept.astype(np.float64) @ gains) - observed) >= observed - slack).sum(axis=0)
    return _square((higher + 1) / (trials + 1), known, len(scores))


def _bootstrap(scores: Array, trials: int, seed: int) -> Array:
    """Segments are drawn again; the share of draws in which the first system is not better."""
    import numpy as np

    gains, known = _gains(scores)
    lower, slack = np.zeros(gains.shape[1], dtype=np.int64), 1e-9 * np.abs(gains).sum(axis=0)
    for drawn in resample_weights(len(gains), trials, seed):
        lower += ((drawn @ gains) <= slack).sum(axis=0)
    return _square((lower + 1) / (trials + 1), known, len(scores))


def _square(p: Array, known: Array, systems: int) -> Array:
    import numpy as np

    found = np.where(known.any(axis=0), p, np.nan).reshape(systems, systems)
    np.fill_diagonal(found, np.nan)
    return found


PAIRS: dict[str, Callable[[Any, Any], float]] = {
    "rank-sum": _rank_sum,
    "rank-sum-matched": _rank_sum_matched,
    "signed-rank": _signed_rank,
}
DRAWN: dict[str, Callable[[Any, int, int], Any]] = {"permutation": _permutation, "bootstrap": _bootstrap}
TESTS = (*PAIRS, *DRAWN)
