"""Bootstrap resampling (Efron 1979; Koehn 2004 for MT): segments are drawn again with replacement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.score import Interval
from tertium.core.stats import Stats
from tertium.engines.threads import in_order
from tertium.inference.jackknife import leave_one_out
from tertium.inference.products import EXACT, is_whole, weigher
from tertium.inference.seeds import CONFIDENCE, RESAMPLES, SEED, check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

BLOCK = 1 << 16  # draws at a time: larger arrays are given back to the system after each use, and cleared anew
TOGETHER = 4  # blocks whose sums are scored in one go


def resample_weights(n: int, trials: int, seed: int, single: bool = False) -> Iterator[NDArray[Any]]:
    """Multinomial counts, blocks of rows of W: how often each segment was drawn. # (b, n)

    The draws are numpy's `default_rng(seed).integers(n)`, one trial after the other. `single`: in single precision.
    """
    import numpy as np

    generator, left = np.random.PCG64(seed), np.zeros(0, dtype=np.uint32)
    step = max(1, BLOCK // max(1, n))
    for first in range(0, trials, step):
        counts: NDArray[Any] = np.zeros((min(step, trials - first), n), dtype=np.float32 if single else np.float64)
        done = counts.size if n < 2 else 0  # of one segment, nothing is drawn
        if n == 1:
            counts += 1
        while done < counts.size:
            if not len(left):
                raw: Any = generator.random_raw(-(-(counts.size - done) // 2))
                left = raw.astype("<u8", copy=False).view("<u4").astype(np.uint32, copy=False)
            used, done = _kernel.count_draws(left, counts, done)
            left = left[used:]
        yield counts


def resampled_blocks(n: int, trials: int, seed: int, single: bool) -> Iterator[list[NDArray[Any]]]:
    """The same, several blocks at a time."""
    blocks = resample_weights(n, trials, seed, single)
    while some := list(islice(blocks, TOGETHER)):
        yield some


def bootstrap(stats: Stats, metric: Metric, *, trials: int = RESAMPLES, seed: int = SEED, run: Run = PLAIN) -> Array:
    """Scores of resampled corpora. # (trials,)"""
    return bootstrap_together([(stats, metric)], trials=trials, seed=seed, run=run)[0]


def bootstrap_together(
    pairs: Sequence[tuple[Stats, Metric]], *, trials: int = RESAMPLES, seed: int = SEED, run: Run = PLAIN
) -> list[Array]:
    """The same for several rows and metrics; what is drawn for the same segments is drawn once. # each (trials,)"""
    import numpy as np

    same: dict[bytes, list[int]] = {}
    for k, (stats, _) in enumerate(pairs):
        same.setdefault(np.packbits(stats.scored).tobytes() + len(stats).to_bytes(8), []).append(k)
    found: list[Array] = [np.zeros(0)] * len(pairs)
    for numbers in same.values():
        chosen = [pairs[k] for k in numbers]
        for k, scores in zip(numbers, _of_same_segments(chosen, trials, seed, run), strict=True):
            found[k] = scores
    return found


def _of_same_segments(pairs: Sequence[tuple[Stats, Metric]], trials: int, seed: int, run: Run) -> Iterator[Array]:
    import numpy as np

    first = pairs[0][0]
    scored = np.flatnonzero(first.scored)  # only segments that have a score are drawn
    weighers = [weigher(stats) for stats, _ in pairs]

    def placed(drawn: NDArray[Any]) -> NDArray[Any]:
        if len(scored) == len(first):
            return drawn
        weights = np.zeros((len(drawn), len(first)), dtype=drawn.dtype)
        weights[:, scored] = drawn
        return weights

    def scores(blocks: list[NDArray[Any]]) -> list[Array]:
        weights = [placed(drawn) for drawn in blocks]
        sums = (np.concatenate([weigh(part) for part in weights]) for weigh in weighers)
        return [metric.score(each) for each, (_, metric) in zip(sums, pairs, strict=True)]

    drawn = resampled_blocks(len(scored), trials, seed, single=len(scored) < EXACT)
    found = list(in_order(scores, drawn, threads_for(run, [stats for stats, _ in pairs], trials)))
    return map(np.concatenate, zip(*found, strict=True))


def threads_for(run: Run, parts: Sequence[Stats], trials: int) -> Run:
    """As many threads as there may be, where sums are exact and there is enough to do for two: products of other rows
    have threads of their own, which would wait for ours."""
    enough = trials * max(map(len, parts)) > 4 * TOGETHER * BLOCK
    return run if enough and all(map(is_whole, parts)) else replace(run, threads=1)


def percentile_interval(
    stats: Stats,
    metric: Metric,
    *,
    confidence: float = CONFIDENCE,
    trials: int = RESAMPLES,
    seed: int = SEED,
    run: Run = PLAIN,
) -> Interval:
    """The middle `confidence` of the bootstrap scores (Efron and Tibshirani 1993, chapter 13)."""
    check_resampling(metric)
    _check(confidence, trials, seed)
    return interval_of(bootstrap(stats, metric, trials=trials, seed=seed, run=run), confidence)


def bca_interval(
    stats: Stats,
    metric: Metric,
    *,
    confidence: float = CONFIDENCE,
    trials: int = RESAMPLES,
    seed: int = SEED,
    run: Run = PLAIN,
) -> Interval:
    """Bias-corrected and accelerated (Efron 1987): percentiles that are moved where the resamples are off centre (z0)
    or their spread depends on the score (a)."""
    from statistics import NormalDist  # costs more to import than a test set to count

    import numpy as np

    check_resampling(metric)
    _check(confidence, trials, seed)
    scores = bootstrap(stats, metric, trials=trials, seed=seed, run=run)
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
    pairs: Sequence[tuple[Stats, Metric]], *, confidence: float, trials: int, seed: int, run: Run = PLAIN
) -> list[Interval]:
    """Percentile intervals of several rows and metrics, from the same draws."""
    for _, metric in pairs:
        check_resampling(metric)
    _check(confidence, trials, seed)
    return [interval_of(scores, confidence) for scores in bootstrap_together(pairs, trials=trials, seed=seed, run=run)]


def bca_intervals(
    pairs: Sequence[tuple[Stats, Metric]], *, confidence: float, trials: int, seed: int, run: Run = PLAIN
) -> list[Interval]:
    """Bias-corrected and accelerated intervals of several rows and metrics."""
    return [bca_interval(*pair, confidence=confidence, trials=trials, seed=seed, run=run) for pair in pairs]


INTERVALS = {"percentile": percentile_interval, "bca": bca_interval}
OF_MANY = {"percentile": percentile_intervals, "bca": bca_intervals}


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
