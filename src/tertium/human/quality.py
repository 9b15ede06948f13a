"""Quality control of raters.

After Graham et al. (2017), "Can machine translation systems be evaluated by the crowd alone". Among genuine outputs a
rater is shown some of them again, damaged, or beside the reference. An attentive rater scores the damaged one lower,
the reference higher and a repeated one alike. Flags are advice; nothing is left out unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.judgement import Judgement, Kind
from tertium.core.metric import choose
from tertium.human.judgement_arrays import KINDS, JudgementArrays, group_numbers, judgement_arrays_of
from tertium.human.significance import signed_rank
from tertium.human.standardise import moments
from tertium.inference.seeds import ALPHA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

FLAGS = ("degraded", "references", "repeats", "constant", "runs", "fast")
EFFECT = 0.5  # Cohen's d that power is shown for: a medium effect (Cohen 1988)
RUN = 8  # WMT looks at raters who gave the same value more often than this in a row
CHANCE = 0.001  # of such a run, if the rater's values came in any order
FAST = 3.0  # seconds; WMT looks at raters who need less than 300 for a task of 100
FEW = 5  # pairs; of fewer control items or repeats nothing follows


class PairedTest(NamedTuple):
    """Does a rater score one kind of item below the other? Differences are of the same output in the same task."""

    n: int  # pairs
    difference: float  # mean, in points of the scale; positive: as it should be
    t: float  # p of the one-sided paired t-test; NaN of fewer than two pairs, or where all differences are equal
    wilcoxon: float  # p of the one-sided signed-rank test
    power: float  # how often the t-test finds an effect of d = 0.5 with so many pairs


@dataclass(frozen=True, kw_only=True)
class RaterQuality:
    """The figures of one rater. `flags` names those that give reason for doubt."""

    rater: str
    n: int  # judgements of all kinds
    mean: float  # of genuine and repeated items
    sd: float
    degraded: PairedTest
    references: PairedTest
    repeats: int
    repeat_error: float  # mean absolute difference of an item and its repeat
    any_error: float  # mean absolute difference of any two of the rater's judgements
    longest_run: int  # of the same value, in the order of the judgements
    seconds: float  # per judgement, in the fastest task; time in which tasks are open side by side is shared among them
    flags: tuple[str, ...]


def rater_quality(
    judgements: Iterable[Judgement] | JudgementArrays, scale: str | None = None, *, alpha: float = ALPHA
) -> list[RaterQuality]:
    """Every rater, in order of first appearance."""
    if not 0 < alpha < 1:
        raise OptionError(f"alpha {alpha}: must lie between 0 and 1, such as 0.05")
    answers = judgements if isinstance(judgements, JudgementArrays) else judgement_arrays_of(judgements, scale)
    degraded = _differences(answers, "degraded", -1 if answers.scale.better == "higher" else 1)
    references = _differences(answers, "reference", 1 if answers.scale.better == "higher" else -1)
    repeats = _differences(answers, "repeat", 1)
    outputs = answers.among(("genuine", "repeat"))
    mean, sd = moments(answers.value[outputs], answers.rater[outputs], len(answers.raters))
    seconds, found = _seconds(answers), []
    for k, name in enumerate(answers.raters):
        values = answers.value[answers.rater == k]
        again = abs(repeats.gain[repeats.rater == k])
        quality = RaterQuality(
            rater=name,
            n=len(values),
            mean=float(mean[k]),
            sd=float(sd[k]),
            degraded=_paired(degraded.gain[degraded.rater == k], alpha),
            references=_paired(references.gain[references.rater == k], alpha),
            repeats=len(again),
            repeat_error=float(again.mean()) if len(again) else float("nan"),
            any_error=mean_difference(values),
            longest_run=longest_run(values),
            seconds=float(seconds[k]),
            flags=(),
        )
        found.append(_flagged(quality, values, alpha))
    return found


def _flagged(quality: RaterQuality, values: Array, alpha: float) -> RaterQuality:
    import dataclasses

    holds = {
        "degraded": quality.degraded.n >= FEW and quality.degraded.t > alpha,  # False where nothing is known
        "references": quality.references.n >= FEW and quality.references.difference <= 0,
        "repeats": quality.repeats >= FEW and quality.repeat_error >= quality.any_error,
        "constant": quality.n > 1 and bool((values == values[0]).all()),
        "runs": quality.longest_run > RUN and run_chance(values, quality.longest_run) < CHANCE,
        "fast": quality.seconds < FAST,
    }
    return dataclasses.replace(quality, flags=tuple(name for name in FLAGS if holds[name]))


def without_flagged(
    answers: JudgementArrays, quality: Iterable[RaterQuality], flags: Iterable[str]
) -> tuple[JudgementArrays, tuple[str, ...]]:
    """The answers of raters who have none of these flags, and who was left out."""
    import numpy as np

    wanted = set(flags)
    for flag in wanted:
        choose("raters", "flag", flag, FLAGS)
    dropped = tuple(item.rater for item in quality if wanted & set(item.flags))
    places = [answers.raters.index(name) for name in dropped]
    return answers.take(~np.isin(answers.rater, places)), dropped


class Differences(NamedTuple):
    """Control items less the genuine ones they were made of, and whose they are. # (d,), (d,)"""

    gain: Array
    rater: NDArray[np.int64]


def _differences(answers: JudgementArrays, kind: Kind, sign: int) -> Differences:
    """Pairs of the same rater, task, system and segment; where an item comes several times, in their order."""
    import numpy as np

    both = np.flatnonzero(answers.among(("genuine", kind)))
    some = answers.take(both)
    _, item = group_numbers(some.rater, some.task, some.system, some.segment)
    control = some.kind == KINDS.index(kind)
    _, key = group_numbers(item, _occurrence(item * 2 + control))
    order = np.lexsort((control, key))
    pair = np.flatnonzero(key[order][1:] == key[order][:-1])  # a genuine item, then its control
    genuine, other = order[pair], order[pair + 1]
    return Differences(sign * (some.value[other] - some.value[genuine]), some.rater[genuine])


def _occurrence(key: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each number came before. # (m,)"""
    import numpy as np

    order = np.argsort(key, kind="stable")
    first = np.concatenate([[True], key[order][1:] != key[order][:-1]])[: len(key)]
    starts = np.maximum.accumulate(np.where(first, np.arange(len(key)), 0))
    found = np.empty(len(key), dtype=np.int64)
    found[order] = np.arange(len(key)) - starts
    return found


def _paired(gains: Array, alpha: float) -> PairedTest:
    import numpy as np
    from scipy import stats

    n, nothing = len(gains), float("nan")
    if n < 2:
        return PairedTest(n, float(gains.mean()) if n else nothing, nothing, nothing, nothing)
    varied = bool((gains != gains[0]).any())
    return PairedTest(
        n,
        float(gains.mean()),
        float(stats.t.sf(gains.mean() / (gains.std(ddof=1) / np.sqrt(n)), n - 1)) if varied else nothing,
        signed_rank(gains) if gains.any() else nothing,
        t_power(n, EFFECT, alpha),
    )


def t_power(n: int, effect: float, alpha: float) -> float:
    """How often a one-sided paired t-test at level alpha finds an effect of that size (Cohen 1988): noncentral t."""
    from scipy import stats

    return float(stats.nct.sf(stats.t.isf(alpha, n - 1), n - 1, effect * n**0.5))


def mean_difference(values: Array) -> float:
    """The mean absolute difference of any two of them (Gini)."""
    import numpy as np

    n = len(values)
    if n < 2:
        return float("nan")
    return float(2 * ((2 * np.arange(1, n + 1) - n - 1) @ np.sort(values)) / (n * (n - 1)))


def longest_run(values: Array) -> int:
    """The length of the longest run of equal values."""
    import numpy as np

    breaks = np.flatnonzero(np.diff(values) != 0) + 1
    return int(np.diff(np.concatenate([[0], breaks, [len(values)]])).max())


def run_chance(values: Array, length: int) -> float:
    """About how many runs so long there would be if the same values came in any order: sum of m p^length (1 - p)."""
    import numpy as np

    _, counts = np.unique(values, return_counts=True)
    share = counts / len(values)
    return float((len(values) * share**length * (1 - share)).sum())


def _seconds(answers: JudgementArrays) -> Array:
    """Seconds per judgement in the fastest task of every rater; NaN where nobody took the time. # (raters,)"""
    import numpy as np

    known = ~np.isnan(answers.duration)
    some = answers.take(known)
    spent = some.duration.copy()
    for rater in np.unique(some.rater[~np.isnan(some.start)]).tolist():
        timed = np.flatnonzero((some.rater == rater) & ~np.isnan(some.start))
        spent[timed] = shared_seconds(some.start[timed], some.duration[timed])
    count, unit = group_numbers(some.rater, some.task)
    mean, _ = moments(spent, unit, count)
    fastest = np.full(len(answers.raters), np.inf)
    np.minimum.at(fastest, some.rater, mean[unit])
    return np.where(np.isinf(fastest), np.nan, fastest)


def shared_seconds(start: Array, duration: Array) -> Array:
    """The seconds of each piece of work, where a moment that belongs to k of them gives each 1/k of it. # (m,)"""
    import numpy as np

    ends = start + duration
    moments_of = np.unique(np.concatenate([start, ends]))
    if len(moments_of) < 2:
        return np.zeros(len(start))
    first, last = np.searchsorted(moments_of, start), np.searchsorted(moments_of, ends)
    change = np.bincount(first, minlength=len(moments_of)) - np.bincount(last, minlength=len(moments_of))
    opened = np.cumsum(change)[:-1]
    elapsed = np.concatenate([[0.0], np.cumsum(np.where(opened > 0, np.diff(moments_of) / np.maximum(opened, 1), 0))])
    return np.asarray(elapsed[last] - elapsed[first])
