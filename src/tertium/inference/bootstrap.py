"""Bootstrap resampling (Efron 1979; Koehn 2004 for MT): segments are drawn again with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.core.score import Interval
from tertium.core.stats import Stats
from tertium.inference.jackknife import leave_one_out
from tertium.inference.seeds import CONFIDENCE, RESAMPLES, SEED, check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

BLOCK = 1 << 21  # random numbers drawn at a time


def resample_weights(n: int, trials: int, seed: int) -> Iterator[Array]:
    """Multinomial counts, blocks of rows of W: how often each segment was drawn. # (b, n)"""
    import numpy as np

    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, n))
    for first in range(0, trials, step):
        rows = min(step, trials - first)
        drawn = rng.integers(0, n, size=(rows, n))
        drawn += np.arange(rows)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def bootstrap(stats: Stats, metric: Metric, *, trials: int = RESAMPLES, seed: int = SEED) -> Array:
    """Scores of resampled corpora. # (trials,)"""
    return bootstrap_together([(stats, metric)], trials=trials, seed=seed)[0]


def bootstrap_together(
    pairs: Sequence[tuple[Stats, Metric]], *, trials: int = RESAMPLES, seed: int = SEED
) -> list[Array]:
    """The same for several rows and metrics; what is drawn for the same segments is drawn once. # each (trials,)"""
    import numpy as np

    same: dict[bytes, list[int]] = {}
    for k, (stats, _) in enumerate(pairs):
        same.setdefault(np.packbits(stats.scored).tobytes() + len(stats).to_bytes(8), []).append(k)
    found: list[list[Array]] = [[] for _ in pairs]
    for numbers in same.values():
        first = pairs[numbers[0]][0]
        scored = np.flatnonzero(first.scored)  # only segments that have a score are drawn
        for drawn in resample_weights(len(scored), trials, seed):
            weights = drawn
            if len(scored) < len(first):
                weights = np.zeros((len(drawn), len(first)))
                weights[:, scored] = drawn
            for k in numbers:
                stats, metric = pairs[k]
                found[k].append(metric.score(stats.weigh(weights)))
    return [np.concatenate(scores) for scores in found]


def percentile_interval(
    stats: Stats, metric: Metric, *, confidence: float = CONFIDENCE, trials: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """The middle `confidence` of the bootstrap scores (Efron and Tibshirani 1993, chapter 13)."""
    check_resampling(metric)
    _check(confidence, trials, seed)
    return interval_of(bootstrap(stats, metric, trials=trials, seed=seed), confidence)


def bca_interval(
    stats: Stats, metric: Metric, *, confidence: float = CONFIDENCE, trials: int = RESAMPLES, seed: int = SEED
) -> Interval:
    """Bias-corrected and accelerated (Efron 1987): percentiles that are moved where the resamples are off centre (z0)
    or their spread depends on the score (a)."""
    from statistics import NormalDist  # costs more to import than a test set to count

    import numpy as np

    check_resampling(metric)
    _check(confidence, trials, seed)
    scores = bootstrap(stats, metric, trials=trials, seed=seed)
    whole, without = leave_one_out(stats, metric)
    below = (np.count_nonzero(scores < whole) + np.count_nonzero(scores == whole) / 2) / len(scores)
    if not 0 < below < 1:  # all resamples on one side: nothing to correct by
        return interval_of(scores, confidence)
    gaps = without[stats.scored].mean() - without[stats.scored]
    spread = float((gaps**2).sum()) ** 1.5
    normal, bias = NormalDist(), NormalDist().inv_cdf(below)
    acceleration = float((gaps**3).sum()) / (6 * spread) if spread > 0 else 0.0

    def quantile(share: float) -> float:
        shifted = bias + normal.inv_cdf(share)
        return float(np.quantile(scores, normal.cdf(bias + shifted / (1 - acceleration * shifted))))

    tail = (1 - confidence) / 2
    return Interval(quantile(tail), quantile(1 - tail), confidence)


def percentile_intervals(
    pairs: Sequence[tuple[Stats, Metric]], *, confidence: float, trials: int, seed: int
) -> list[Interval]:
    """Percentile intervals of several rows and metrics, from the same draws."""
    for _, metric in pairs:
        check_resampling(metric)
    _check(confidence, trials, seed)
    return [interval_of(scores, confidence) for scores in bootstrap_together(pairs, trials=trials, seed=seed)]


def bca_intervals(
    pairs: Sequence[tuple[Stats, Metric]], *, confidence: float, trials: int, seed: int
) -> list[Interval]:
    """Bias-corrected and accelerated intervals of several rows and metrics."""
    return [bca_interval(*pair, confidence=confidence, trials=trials, seed=seed) for pair in pairs]


INTERVALS = {"percentile": percentile_interval, "bca": bca_interval}
TOGETHER = {"percentile": percentile_intervals, "bca": bca_intervals}


def interval_of(scores: NDArray[np.float64], confidence: float) -> Interval:
    """Order statistics that leave the same number of scores out at both ends."""
    import numpy as np

    ordered = np.sort(scores)
    out = int(len(ordered) * (1 - confidence) / 2 + 1e-9)
    return Interval(float(ordered[out]), float(ordered[len(ordered) - 1 - out]), confidence)


def check_resampling(metric: Metric) -> None:
    """Refuse metrics for which a percentile interval is not valid."""
    if metric.resampling != "percentile":
        raise OptionError(refusal(metric))


def refusal(metric: Metric) -> str:
    """Why a metric has no percentile interval, and what to do instead."""
    return (
        f"{metric}: a percentile interval is not valid for a type average (docs/explanation/macrof.md); "
        f"compare systems in pairs instead"
    )


def _check(confidence: float, trials: int, seed: int) -> None:
    if not 0 < confidence < 1:
        raise OptionError(f"confidence {confidence}: must lie between 0 and 1, such as 0.95")
    check_drawn(trials, seed, "resamples")
