"""A permutation test of two systems on different segments: which unit belongs to which system is drawn again.

If the systems were equal, any division of all units into two parts of these sizes would be as likely (Fisher 1935;
Noreen 1989, chapter 2). Like the paired tests it needs only sums of rows, so it serves every metric.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.metric import Metric
from tertium.core.stats import Stats
from tertium.inference.paired import check_trials
from tertium.inference.seeds import SEED, SWAPS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1 << 22  # numbers held at a time
BUDGET = 1 << 30  # numbers drawn at most, so that it takes seconds
FEWEST = 1_000  # trials, however many units there are
ROUNDING = 1e-12  # differences that are as close as this, relative to their size, are equal


class Unpaired(NamedTuple):
    """The difference of the second from the first, its p, two-sided, and the trials behind it."""

    difference: float
    p: float
    trials: int


def divisions(n: int, first: int, trials: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Random parts of `first` units among n, blocks of rows: true where a unit is in the first part. # (b, n)"""
    import numpy as np

    rng, step = np.random.default_rng(seed), max(1, BLOCK // max(1, n))
    start = np.arange(n) < first
    for done in range(0, trials, step):
        yield rng.permuted(np.tile(start, (min(step, trials - done), 1)), axis=1)


def unpaired_test(one: Stats, other: Stats, metric: Metric, *, trials: int = SWAPS, seed: int = SEED) -> Unpaired:
    """Whether two systems differ, whose rows are of different segments."""
    import numpy as np

    check_trials(trials, seed)
    rows = np.concatenate([one.segments()[one.scored], other.segments()[other.scored]])
    first, n = int(one.scored.sum()), len(rows)
    trials = min(trials, max(FEWEST, BUDGET // max(1, n)))
    total = rows.sum(axis=0)

    def differences(kept: NDArray[np.bool_]) -> NDArray[np.float64]:
        sums = kept.astype(np.float64) @ rows
        found: NDArray[np.float64] = np.asarray(metric.score(total - sums)) - np.asarray(metric.score(sums))
        return found

    observed = float(differences((np.arange(n) < first)[None])[0])
    least = abs(observed) * (1 - ROUNDING)
    larger = sum(int((np.abs(differences(kept)) >= least).sum()) for kept in divisions(n, first, trials, seed))
    return Unpaired(observed, (larger + 1) / (trials + 1), trials)
