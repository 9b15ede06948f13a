"""The Poisson bootstrap: how often a row is drawn depends on the row's number alone, so rows can lie anywhere.

The multinomial bootstrap draws n of n rows, which needs all rows in one place. Its counts are nearly independent and
nearly Poisson with mean 1; counts that are exactly so give the same intervals when n is large (Hanley and MacGibbon
2006, "Creating non-parametric bootstrap samples using Poisson frequencies"; Chamandy et al. 2012, "Estimating
uncertainty for massive data streams"). Count t of row i is a place in the stream of Philox, a counter-based generator
(Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"), so it is the same however rows are shared out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.score import Score
from tertium.core.stats import Stats
from tertium.inference.bootstrap import interval_of
from tertium.inference.seeds import RESAMPLES, SEED, check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array
    from tertium.engines.stream import Streamed

# Of 2^16 equally likely numbers, so many stand for the counts 0, 1, 2, ... 8: each share is that of Poisson(1) to
# within 2 / 2^16, mean and variance are exactly 1.
SHARES = (24109, 24110, 12055, 4017, 1005, 201, 34, 4, 1)
AT_A_TIME = 1 << 19  # counts that are drawn at a time: they stay in a processor's cache
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

    def counts(self, first: int, last: int) -> NDArray[np.uint8]:
        """How often rows [first, last) are drawn in each trial. # (last - first, trials)"""
        import numpy as np

        steps = -(-self.trials // PER_STEP)
        generator = np.random.Philox(key=self.seed)
        generator.advance(first * steps)
        raw: Any = generator.random_raw((last - first) * steps * 4)
        numbers = raw.astype("<u8", copy=False).view("<u2").reshape(last - first, steps * PER_STEP)
        counts: NDArray[np.uint8] = _table()[numbers[:, : self.trials]]
        return counts

    def weigh(self, stats: Stats, first: int) -> Array:
        """Sums of resampled rows, which begin at row `first` of all. # (trials, k)"""
        import numpy as np

        rows = stats.segments()
        sums = np.zeros((self.trials, rows.shape[1]))
        step = max(1, AT_A_TIME // self.trials)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            counts = self.counts(first + start, first + start + len(part))
            sums += counts.T.astype(np.float64) @ part
        return sums


def _table() -> NDArray[np.uint8]:
    """The count that each of 2^16 numbers stands for."""
    import numpy as np

    return np.repeat(np.arange(len(SHARES), dtype=np.uint8), SHARES)


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
