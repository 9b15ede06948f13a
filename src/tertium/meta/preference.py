"""What a difference in a metric is worth: how likely people prefer the system that scores higher.

    P(people prefer A to B | difference d) = 1 / (1 + exp(-b d))

fitted to all pairs of systems within groups. There is no constant, because which system is called A is arbitrary: at d
= 0 the probability is one half. Pairs that people do not tell apart count as half a preference for either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.core.score import Interval
from tertium.core.wording import counted
from tertium.inference.bootstrap import interval_of
from tertium.inference.seeds import CONFIDENCE, RESAMPLES, SEED, check_drawn
from tertium.meta.pairs import SystemPairs, system_pairs
from tertium.meta.table import ScoreTable

if TYPE_CHECKING:
    from tertium.core.stats import Array

BLOCK = 1 << 18  # numbers held at a time: few enough to stay near the processor
STEPS = 200
FEW = 10  # rows, below which intervals are said to be unreliable
NEVER = 0.05  # a probability that is as good as none
SHARES = (0.75, 0.9, 0.95)  # probabilities of which the difference it takes is shown
EXACT = 1e-8  # relative step after which the fit has arrived: each step squares what is left


@dataclass(frozen=True, kw_only=True)
class Chance:
    """A probability, or the difference that gives it, with its confidence interval."""

    value: float
    interval: Interval | None = None

    @property
    def vague(self) -> bool:
        """Whether the interval of a probability reaches from nearly 0 to nearly 1, and so excludes nothing."""
        return self.interval is not None and self.interval.low <= NEVER and self.interval.high >= 1 - NEVER


@dataclass(frozen=True, kw_only=True)
class Preference:
    """The fitted curve of one metric.

    `slope` is b, infinite if the metric never contradicts people, NaN if it knows no difference. `accuracy` is the
    share of the pairs told apart by people in which the metric agrees; `largest` the largest difference among the
    pairs: beyond it, the curve is not supported by anything.
    """

    metric: str
    gold: str
    n: int  # rows, of systems, that have both scores and another row to be compared with
    groups: int
    pairs: int
    ties: int  # pairs that people do not tell apart
    accuracy: float
    slope: float
    interval: Interval | None
    differences: Array  # how much each pair differs, without its sign; never NaN (p,)
    agree: Array  # 1 where people prefer the same system, 0 the other, 0.5 neither (p,)
    trials: int = 0  # resamples behind the intervals
    seed: int = SEED

    @property
    def largest(self) -> float:
        """The largest difference seen."""
        return float(self.differences.max()) if len(self.differences) else math.nan

    def probability(self, difference: float) -> Chance:
        """How likely people prefer the system that scores higher by so much."""
        return self._through(lambda slope: _logistic(slope, difference))

    def difference(self, probability: float) -> Chance:
        """How much higher a system must score for people to prefer it with this probability."""
        if not 0.5 < probability < 1:
            raise OptionError(f"probability {probability}: must lie between 0.5 and 1, such as 0.9")
        logit = math.log(probability / (1 - probability))

        def needed(slope: float) -> float:
            if math.isnan(slope):
                return math.nan
            return logit / slope if slope > 0 else math.inf  # no difference is enough

        return self._through(needed)

    def observed(self, difference: float) -> tuple[float, int]:
        """The share of pairs in which people agree, among those that differ by about so much (a factor of the square
        root of 2 either way), and how many those are: what the curve should be near to."""
        near = (self.differences >= difference / math.sqrt(2)) & (self.differences < difference * math.sqrt(2))
        return (float(self.agree[near].mean()) if near.any() else math.nan), int(near.sum())

    def _through(self, formula: Callable[[float], float]) -> Chance:
        """A formula of the slope, and of the ends of its interval."""
        if self.interval is None:
            return Chance(value=formula(self.slope))
        low, high = sorted((formula(self.interval.low), formula(self.interval.high)))
        return Chance(value=formula(self.slope), interval=Interval(low, high, self.interval.confidence))


def preferences(
    table: ScoreTable, *, confidence: float | None = CONFIDENCE, trials: int = RESAMPLES, seed: int = SEED
) -> list[Preference]:
    """The curve of every metric; with `confidence`, intervals by drawing systems again within their groups.

    Pairs share systems, so they are not independent: intervals from the number of pairs would be far too narrow.
    """
    import numpy as np

    if confidence is not None and not 0 < confidence < 1:
        raise OptionError(f"confidence {confidence}: must lie between 0 and 1, such as 0.95")
    if confidence is not None:
        check_drawn(trials, seed, "resamples")
    pairs = system_pairs(table)
    prefer = np.where(pairs.gold > 0, 1.0, 0.5)
    # A pair that a metric has not scored is as one in which it sees no difference: the slope does not depend on it.
    signed = {metric: np.nan_to_num(column) for metric, column in pairs.differences.items()}
    drawn: dict[str, list[Array]] = {metric: [] for metric in signed}
    for weights in _pair_weights(table, pairs, trials if confidence is not None else 0, seed):
        for metric, difference in signed.items():
            drawn[metric].append(fit_slopes(difference, prefer, weights))
    found = []
    for metric, difference in signed.items():
        interval = None if confidence is None else _interval(np.concatenate(drawn[metric]), confidence)
        slope = float(fit_slopes(difference, prefer)[0])
        curve = _preference(table.gold, metric, pairs, prefer, slope, interval)
        found.append(replace(curve, trials=0 if confidence is None else trials, seed=seed))
    return found


def _interval(slopes: Array, confidence: float) -> Interval:
    import numpy as np

    known = slopes[~np.isnan(slopes)]  # a resample may draw one system only
    return interval_of(known, confidence) if len(known) else Interval(math.nan, math.nan, confidence)


def _preference(
    gold: str, metric: str, pairs: SystemPairs, prefer: Array, slope: float, interval: Interval | None
) -> Preference:
    """The curve with what it rests on."""
    import numpy as np

    known = np.isfinite(pairs.differences[metric])
    difference, share = pairs.differences[metric][known], prefer[known]
    told = share == 1
    return Preference(
        metric=metric,
        gold=gold,
        n=len(np.unique(np.concatenate([pairs.first[known], pairs.second[known]]))),
        groups=len(np.unique(pairs.group[known])),
        pairs=len(difference),
        ties=int((~told).sum()),
        accuracy=float((difference[told] > 0).mean()) if told.any() else math.nan,
        slope=slope,
        interval=interval,
        differences=np.abs(difference),
        agree=np.where(difference == 0, 0.5, np.where(difference > 0, share, 1 - share)),
    )


def cautions(found: Sequence[Preference], names: Mapping[str, str] | None = None) -> list[str]:
    """What a reader should know before trusting a curve, with other `names` of metrics and people's scores."""
    known = names or {}
    few = min((item.n for item in found), default=0)
    notes = (
        [f"only {few} systems have both scores: curves and intervals of so few are not reliable"] if few < FEW else []
    )
    for item in found:
        if math.isinf(item.slope):
            side = "never contradicts" if item.slope > 0 else "always contradicts"
            metric, gold = (known.get(name, name).removesuffix(" ↓") for name in (item.metric, item.gold))
            notes.append(f"{metric} {side} {gold} ({counted(item.pairs, 'pair')}), so no curve can be fitted")
    return notes


def fit_slopes(difference: Array, share: Array, weights: Array | None = None) -> Array:
    """The slopes of greatest likelihood, one for each row of weights. # (p,), (p,), (b, p) -> (b,)

    Newton's steps from 0 never overshoot: the curvature, the sum of d^2 P (1 - P), is greatest at 0 and falls with |b|.
    The slope is infinite where every pair that differs is on one side, NaN where none differs.
    """
    import numpy as np

    scale = math.sqrt(float((difference**2).mean())) if len(difference) else 0.0
    rows = 1 if weights is None else len(weights)
    if not scale > 0:
        return np.full(rows, np.nan)
    d = difference / scale
    w = np.ones((1, len(d))) if weights is None else weights
    agreeing, contradicting = w @ (np.maximum(d, 0) * share), w @ (np.maximum(-d, 0) * share)
    tied = w @ (np.abs(d) * (share < 1))
    slopes = np.where(agreeing + contradicting > 0, np.where(agreeing > 0, np.inf, -np.inf), np.nan)
    open_ = np.flatnonzero((tied > 0) | ((agreeing > 0) & (contradicting > 0)))
    slopes[open_] = _climb(d, share, w[open_]) / scale
    return slopes


def _climb(d: Array, share: Array, weights: Array) -> Array:
    """Newton's method for rows of weights at once. # (p,), (p,), (b, p) -> (b,)"""
    import numpy as np
    from scipy.special import expit

    slopes, wanted = np.zeros(len(weights)), weights @ (d * share)
    going = np.arange(len(weights))
    for _ in range(STEPS):
        chance = expit(np.multiply.outer(slopes[going], d))  # (b, p)
        expected = (weights if len(going) == len(weights) else weights[going]) * chance
        gradient, curvature = wanted[going] - expected @ d, (expected * (1 - chance)) @ d**2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            change = np.nan_to_num(gradient / curvature, nan=0.0, posinf=np.inf, neginf=-np.inf)
        slopes[going] += change  # infinite where the only pairs that speak against it are too small for arithmetic
        going = going[(np.abs(change) > EXACT * np.abs(slopes[going])) & np.isfinite(slopes[going])]
        if not len(going):
            break
    return slopes


def _logistic(slope: float, difference: float) -> float:
    """1 / (1 + exp(-slope difference)); one half at no difference, whatever the slope."""
    from scipy.special import expit

    return 0.5 if difference == 0 and math.isinf(slope) else float(expit(slope * difference))


def _pair_weights(table: ScoreTable, pairs: SystemPairs, trials: int, seed: int) -> Iterator[Array]:
    """Blocks of weights of the pairs when systems are drawn again with replacement within their groups: a pair of which
    one is drawn m and the other k times counts m k times. # (b, p)"""
    import numpy as np

    rng = np.random.default_rng(seed)
    judged = np.zeros(len(table), dtype=bool)
    judged[pairs.first] = judged[pairs.second] = True
    members = [rows[judged[rows]] for rows in table.groups.values() if judged[rows].any()]
    step = max(1, BLOCK // max(1, len(pairs), len(table)))
    for start in range(0, trials, step):
        size = min(step, trials - start)
        counts = np.zeros((size, len(table)))
        for rows in members:
            counts[:, rows] = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=size)
        yield counts[:, pairs.first] * counts[:, pairs.second]


def round_differences(preference: Preference) -> list[float]:
    """Up to five round numbers (1, 2, 5, 10, ...) among the differences seen, from the small ones on."""
    import numpy as np

    seen = preference.differences[preference.differences > 0]
    if not len(seen):
        return []
    low, high = float(np.quantile(seen, 0.1)), float(seen.max())
    ladder = (float(f"{digit}e{power}") for power in range(math.floor(math.log10(low)), 400) for digit in (1, 2, 5))
    found: list[float] = []
    for step in ladder:
        if step > high or len(found) == 5:
            break
        if step >= low:
            found.append(step)
    return found
