"""The Poisson bootstrap: how often a row is drawn depends on the row's number alone, so rows can lie anywhere.

The multinomial bootstrap draws n of n rows, which needs all rows in one place. Its counts are nearly independent and
nearly Poisson with mean 1; counts that are exactly so give the same intervals when n is large (Hanley and MacGibbon
2006, "Creating non-parametric bootstrap samples using Poisson frequencies"; Chamandy et al. 2012, "Estimating
uncertainty for massive data streams"). Count t of row i is a place in the stream of Philox, a counter-based generator
(Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), so it is the same however rows are shared out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.score import Score
from tertium.core.stats import Stats
from tertium.inference.bootstrap import interval_of
from tertium.inference.seeds import RESAMPLES, SEED, check_drawn

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.engines.stream import Streamed

# Of 2^16 equally likely numbers, so many stand for the counts 0, 1, 2, ... 8: each share is that of Poisson(1) to
# within 2 / 2^16, mean and variance are exactly 1.
SHARES = (24109, 24110, 12055, 4017, 1005, 201, 34, 4, 1)
AT_A_TIME = 256  # rows that are drawn at a time: their counts stay in a processor's cache
# Multiplications of one product. BLAS shares larger ones out to threads of its own, which wait for each other in loops:
# with our threads beside them that cost four times the work.
PRODUCT = 1 << 18
PER_STEP = 16  # numbers of 16 bits that one step of the generator gives


class PoissonDraws:
    """Counts of every trial for rows by their numbers."""

    def __init__(self, trials: int = RESAMPLES, seed: int = SEED) -> None:
        check_drawn(trials, seed, "resamples")
        if seed >= 1 << 128:
            raise OptionError(f"seed {seed}: must be less than 2^128")
        self.trials, self.seed = trials, seed

    @property
    def text(self) -> str:
        """What is drawn."""
        return f"poisson:{self.trials}, seed {self.seed}"

    def counts(self, first: int, last: int) -> Array:
        """How often rows [first, last) are drawn in each trial. # (last - first, trials)"""
        import numpy as np

        steps = -(-self.trials // PER_STEP)
        generator = np.random.Philox(key=self.seed)
        generator.advance(first * steps)
        raw: Any = generator.random_raw((last - first) * steps * 4)
        numbers = raw.astype("<u8", copy=False).view("<u2").reshape(last - first, steps * PER_STEP)
        counts: Array = np.take(self._table, numbers, mode="clip")
        return counts[:, : self.trials]

    def weigh(self, parts: Sequence[Stats], first: int) -> list[Array]:
        """Sums of resampled rows, which begin at row `first` of all; parts are of the same rows. # each (trials, k)"""
        import numpy as np

        rows = np.concatenate([part.segments() for part in parts], axis=1)
        sums = np.zeros((rows.shape[1], self.trials))
        step = max(1, PRODUCT // (AT_A_TIME * rows.shape[1]))
        for start in range(0, len(rows), AT_A_TIME):
            part = np.ascontiguousarray(rows[start : start + AT_A_TIME].T)
            counts = self.counts(first + start, first + start + part.shape[1])
            for trial in range(0, self.trials, step):
                here = slice(trial, trial + step)
                sums[:, here] += part @ counts[:, here]
        ends = np.cumsum([part.width for part in parts])
        return [np.ascontiguousarray(part.T) for part in np.split(sums, ends[:-1])]

    @cached_property
    def _table(self) -> Array:
        """The count that each of 2^16 numbers stands for."""
        import numpy as np

        return np.repeat(np.arange(len(SHARES), dtype=np.float64), SHARES)


def streamed_scores(streamed: Streamed, draws: PoissonDraws | None, confidence: float | None) -> list[Score]:
    """The scores of a corpus in shards, with intervals where resamples were drawn."""
    found = streamed.evaluation.scores()
    if draws is None or confidence is None:
        return found
    if not 0 < confidence < 1:
        raise OptionError(f"confidence {confidence}: must lie between 0 and 1, such as 0.95")
    return [_with_interval(score, streamed, draws, confidence) for score in found]


def _with_interval(score: Score, streamed: Streamed, draws: PoissonDraws, confidence: float) -> Score:
    sums = streamed.drawn.get((score.system, score.metric))
    if sums is None:
        return score
    metric = streamed.evaluation.metric(score.metric)
    kind = f"|poisson-bs:{draws.trials}|seed:{draws.seed}|ci:{confidence:g}"
    interval = interval_of(metric.score(sums), confidence) if score.n else None
    return replace(score, interval=interval, signature=score.signature + kind)
