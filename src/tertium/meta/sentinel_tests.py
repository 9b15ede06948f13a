"""Is a metric closer to people than a score that sees too little? Every metric against every sentinel.

Two statistics, because sentinels of source and reference say nothing about which of several translations is better:
pairwise accuracy with ties by segment, and Pearson's r of all outputs together, which a score that only knows which
segments are hard may reach. Whole segments are swapped at random, the same ones for all; one-sided, because that the
metric should be the closer one was clear before; corrected by step-down max-T over all pairs of a statistic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.wording import number, p_equals
from tertium.inference.averages import mean_of
from tertium.inference.correlation_tests import Gains, permuted_means, permuted_pearson
from tertium.inference.correlations import pearson
from tertium.inference.maxt import step_down
from tertium.inference.pairs import count_pairs
from tertium.inference.ties import calibrate
from tertium.meta.arrays import Scores
from tertium.meta.sentinels import PREFIX, SEES

if TYPE_CHECKING:
    from tertium.core.stats import Array

STATISTICS = {"acc_eq": "pairwise accuracy with ties (acc_eq*)", "pearson": "Pearson r of all outputs"}


@dataclass(frozen=True, kw_only=True)
class SentinelTest:
    """A metric and a sentinel by one statistic; `adjusted` is p for "the metric is closer", after the correction."""

    metric: str
    sentinel: str
    statistic: str  # a key of STATISTICS
    value: float  # of the metric
    reached: float  # by the sentinel
    p: float
    adjusted: float
    better: bool

    @property
    def difference(self) -> float:
        """How much closer the metric is."""
        return self.value - self.reached


def against_sentinels(
    gold: Array, metrics: Sequence[Scores], sentinels: Sequence[Scores], *, trials: int, seed: int, alpha: float
) -> list[SentinelTest]:
    """All metrics against all sentinels by both statistics. # gold: (systems, segments)"""
    found: list[SentinelTest] = []
    for statistic, contest in (("acc_eq", _by_accuracy), ("pearson", _by_pearson)):
        values, gains = contest(gold, metrics, sentinels, trials, seed)
        found += _corrected(statistic, values, gains, alpha)
    return found


Pair = tuple[str, str]  # sentinel, metric
Found = tuple[dict[str, float], dict[Pair, Gains]]


def _by_accuracy(gold: Array, metrics: Sequence[Scores], sentinels: Sequence[Scores], trials: int, seed: int) -> Found:
    import numpy as np

    segments = {}
    for scores in (*metrics, *sentinels):
        best = calibrate(gold, scores.segments)
        eps = 0.0 if math.isnan(best.eps) else best.eps
        segments[scores.name] = count_pairs(gold, scores.segments, eps).acc_eq()
    pairs = [(sentinel.name, metric.name) for metric in metrics for sentinel in sentinels]
    sides = (np.stack([segments[pair[k]] for pair in pairs]) for k in (0, 1))
    gains = dict(zip(pairs, permuted_means(*sides, trials=trials, seed=seed), strict=True))
    return {name: mean_of(values)[0] for name, values in segments.items()}, gains


def _by_pearson(gold: Array, metrics: Sequence[Scores], sentinels: Sequence[Scores], trials: int, seed: int) -> Found:
    values = {scores.name: pearson(gold, scores.segments).value for scores in (*metrics, *sentinels)}
    gains = {
        (sentinel.name, metric.name): permuted_pearson(
            gold, sentinel.segments, metric.segments, swap="inputs", trials=trials, seed=seed
        )
        for metric in metrics
        for sentinel in sentinels
    }
    return values, gains


def _corrected(
    statistic: str, values: Mapping[str, float], gains: Mapping[Pair, Gains], alpha: float
) -> Iterator[SentinelTest]:
    import numpy as np

    known = [pair for pair, gain in gains.items() if not math.isnan(gain.observed)]
    adjusted: dict[Pair, float] = {}
    if known:
        observed, drawn = zip(*(gains[pair].extremes("one") for pair in known), strict=True)
        adjusted = dict(zip(known, step_down(np.array(observed), np.stack(drawn)).tolist(), strict=True))
    for (sentinel, metric), gain in gains.items():
        p = adjusted.get((sentinel, metric), math.nan)
        yield SentinelTest(
            metric=metric,
            sentinel=sentinel,
            statistic=statistic,
            value=values[metric],
            reached=values[sentinel],
            p=gain.p("one"),
            adjusted=p,
            better=p <= alpha,
        )


def not_better(found: Sequence[SentinelTest], testset: str) -> Iterator[str]:
    """A sentence for each metric that is not significantly closer to people than a sentinel that is defined."""
    for test in found:
        if test.better or math.isnan(test.adjusted):
            continue
        what = test.sentinel.removeprefix(PREFIX)
        yield (
            f"{testset}: {test.metric} is not significantly closer to people than the sentinel of the {what}, which "
            f"sees {SEES[test.sentinel]}, by {STATISTICS[test.statistic]}: {number(test.value, 3)} and "
            f"{number(test.reached, 3)}, {p_equals(test.adjusted)}"
        )
