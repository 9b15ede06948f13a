"""Intervals of many differences at once, from the same resamples (Westfall and Young 1993; Romano and Wolf 2005).

One interval in twenty of 95 % misses its true difference. Of many pairs of systems some interval would miss almost
always, and the best system, which is picked from the same data, would look better than it is. Here all intervals
together hold their true differences in 95 of 100 test sets, whichever of them the reader looks at: every difference
is put in units of its spread over resamples, and the interval is as many units wide as the largest deviation of any
difference exceeds in only 5 of 100 resamples.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

from tertium.core.score import Interval

if TYPE_CHECKING:
    from tertium.core.stats import Array


def simultaneous_intervals(observed: Array, resampled: Array, confidence: float) -> list[Interval]:
    """Intervals that together hold all true differences with this confidence: difference -+ c spread.

    c is the quantile, over resamples, of the largest |resampled - observed| / spread of any difference. A difference
    that is the same in every resample has no spread, and an interval of no width. # (m,), (m, N)
    """
    import numpy as np

    spread = resampled.std(axis=1)
    moving = spread > 0
    deviations = np.abs(resampled[moving] - observed[moving, None]) / spread[moving, None]
    critical = float(np.quantile(deviations.max(axis=0), confidence)) if moving.any() else 0.0
    return _around(observed, spread, critical, confidence)


def bonferroni_intervals(observed: Array, spread: Array, confidence: float) -> list[Interval]:
    """The same where differences do not share their resamples: each is as wide as a test at alpha / m (Dunn 1961)."""
    critical = -NormalDist().inv_cdf((1 - confidence) / 2 / len(observed))
    return _around(observed, spread, critical, confidence)


def _around(observed: Array, spread: Array, critical: float, confidence: float) -> list[Interval]:
    pairs = zip(observed.tolist(), (critical * spread).tolist(), strict=True)
    return [Interval(value - width, value + width, confidence) for value, width in pairs]
