"""Systems in pairs under one metric: difference, p-value, effect size, and the smallest difference that the test could
detect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, choose
from tertium.core.run import PLAIN, Run
from tertium.core.score import Interval
from tertium.core.stats import Stats
from tertium.core.wording import counted
from tertium.inference.bootstrap import interval_of
from tertium.inference.corrections import CORRECTIONS
from tertium.inference.maxt import step_down
from tertium.inference.paired import (
    check_trials,
    null_sizes,
    permuted_differences,
    resampled_scores,
    share_of,
)
from tertium.inference.resolution import enough_trials, smallest_swap_p, unresolvable
from tertium.inference.runs import resampled_runs, runs_of
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED, TRIALS
from tertium.inference.simultaneous import bonferroni_intervals, simultaneous_intervals
from tertium.inference.units import UNITS, Unit, in_documents, rows_of_units

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Test = Literal["permutation", "bootstrap", "sign", "wilcoxon"]
Verdict = Literal["better", "worse", "undecided"]
Pair = tuple[str, str]  # baseline, system
SEGMENT_TESTS = ("sign", "wilcoxon")
TESTS = ("permutation", "bootstrap", *SEGMENT_TESTS)
MAX_T = "max-t"
ADJUSTMENTS = (MAX_T, *CORRECTIONS)
POWER = 0.8  # the field's habit: a detectable difference is found four times out of five
BUDGET = 8 * 10**8  # numbers that trials read unless more are asked for: a few seconds
CHEAPER = 8  # times: adding rows up, beside the formula over their sums


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A system beside a baseline. `difference` is system minus baseline, whichever direction is better."""

    metric: str
    baseline: str
    system: str
    n: int  # segments that were scored for both
    baseline_score: float  # on these segments
    system_score: float
    difference: float
    interval: Interval | None  # of the difference, where the metric allows one
    p: float
    effect: float  # Cohen's d of the segments' differences, positive where the system is better
    wins: int  # segments on which the system is better
    losses: int
    ties: int
    detectable: float  # the smallest difference that this test, corrected, would find four times out of five
    test: str
    trials: int
    seed: int
    correction: str
    alpha: float
    unit: Unit  # what was swapped or drawn
    units: int  # how many of them
    adjusted: float = math.nan  # p after the correction for many comparisons
    verdict: Verdict = "undecided"  # at level alpha
    unresolvable: str | None = None  # why no difference, however large, could have been significant
    other_verdict: Verdict | None = None  # by the other unit, where both were asked (`with_other_unit`)
    simultaneous: Interval | None = None  # of the difference, wide enough for all comparisons together


class Question(NamedTuple):
    """What is tested in every pair, and how."""

    metric: Metric
    test: Test
    trials: int
    seed: int
    correction: str
    alpha: float
    confidence: float | None  # no intervals without it
    unit: Unit

    def judge(self, item: Comparison) -> Comparison:
        """With the verdict that the corrected p-value allows."""
        if not item.adjusted <= self.alpha or item.difference == 0:
            return item
        better = (item.difference > 0) == (self.metric.better == "higher")
        return replace(item, verdict="better" if better else "worse")

    def tests(self, pairs: int) -> int:
        """The factor by which the correction multiplies the smallest p."""
        return 1 if self.correction in (MAX_T, "none") else pairs

    def unresolvable(self, pairs: int, units: int) -> str | None:
        """Why no difference could be significant, if so: too few trials, or too few segments or documents to swap."""
        tests = self.tests(pairs)
        if self.test in TRIALS and (reason := unresolvable(self.trials, self.alpha, tests)):
            return reason
        least = smallest_swap_p(units, tests)
        if self.test == "bootstrap" or least <= self.alpha:
            return None
        return f"not resolvable with {counted(units, self.unit)}: no p can be below {least:.2g}"


class Tested(NamedTuple):
    """A comparison before the correction, and what its trials gave."""

    item: Comparison
    sizes: Array | None  # differences in trials in which the systems are equal # (trials,)
    scale: float  # the spread of differences in trials
    spread: float  # of the difference over test sets: that of resamples, where the metric allows them
    resampled: Array | None = None  # differences of resamples, where there is an interval # (trials,)


def compare(
    evaluation: Evaluation,
    metric: Metric | str | None = None,
    *,
    baseline: str | None = None,
    test: Test = "permutation",
    trials: int | None = None,
    seed: int = SEED,
    correction: str | None = None,
    unit: Unit = "segment",
    alpha: float = ALPHA,
    confidence: float = CONFIDENCE,
    run: Run = PLAIN,
) -> list[Comparison]:
    """Every other system against the baseline; without one, every pair of systems. The correction is over all of them.

    `permutation` (approximate randomization) and `bootstrap` test the score itself, `sign` and `wilcoxon` scores of
    segments (or documents). Runs of one system (`NAME@RUN`) are resampled like segments, by the bootstrap. The
    correction is step-down max-T where all pairs can share their trials, else Holm's. By default there are as many
    trials as the correction needs, if that takes seconds.
    """
    chosen = evaluation.metric(metric)
    choose("compare", "test", test, TESTS)
    choose("compare", "unit", unit, UNITS)
    for name, share, usual in (("alpha", alpha, ALPHA), ("confidence", confidence, CONFIDENCE)):
        if not 0 < share < 1:
            raise OptionError(f"{name} {share}: must lie between 0 and 1, such as {usual}")
    groups = runs_of(evaluation.systems)
    pairs = _pairs(list(groups), baseline)
    whole = _rows(evaluation, chosen, groups, pairs)
    correction = _correction(correction, test, whole)
    question = Question(chosen, test, 1, seed, correction, alpha, confidence, unit)
    question = question._replace(trials=_default_trials(question, pairs, whole) if trials is None else trials)
    check_trials(question.trials, seed)
    return _compare(evaluation, question, pairs, whole, run)


def with_other_unit(evaluation: Evaluation, found: Sequence[Comparison], run: Run = PLAIN) -> list[Comparison]:
    """The same comparisons with the verdict that the other unit gives, where segments stand in documents."""
    if not found or not in_documents(evaluation.testset):
        return list(found)
    first = found[0]
    other: Unit = "segment" if first.unit == "document" else "document"
    metric = evaluation.metric(first.metric)
    test: Test = first.test  # type: ignore[assignment]
    question = Question(metric, test, first.trials, first.seed, first.correction, first.alpha, None, other)
    pairs = [(item.baseline, item.system) for item in found]
    whole = _rows(evaluation, metric, runs_of(evaluation.systems), pairs)
    again = _compare(evaluation, question, pairs, whole, run)
    verdicts = {(item.baseline, item.system): item.verdict for item in again}
    return [replace(item, other_verdict=verdicts[item.baseline, item.system]) for item in found]


def _pairs(names: Sequence[str], baseline: str | None) -> list[Pair]:
    if len(names) < 2:
        raise InputError(f"one system, {names[0]}, cannot be compared; name another (--hyp FILE)")
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise OptionError(f"no system is called {baseline}; there are: {', '.join(names)}")
    return [(baseline, name) for name in names if name != baseline]


def _rows(
    evaluation: Evaluation, metric: Metric, groups: Mapping[str, Sequence[str]], pairs: Sequence[Pair]
) -> dict[str, Stats]:
    """The rows of every run of these systems."""
    return {run: evaluation.stats(run, metric) for name in _names(pairs) for run in groups[name]}


def _correction(asked: str | None, test: Test, whole: Mapping[str, Stats]) -> str:
    """Max-T where trials can be shared by all pairs: drawn, and on the same segments."""
    if asked is not None:
        choose("compare", "correction", asked, ADJUSTMENTS)
    shared = test in TRIALS and same_segments(list(whole.values()))
    if asked == MAX_T and not shared:
        reason = "some segments are not scored for all systems" if test in TRIALS else f"{test} draws nothing"
        raise OptionError(f"correction {MAX_T} needs trials that all pairs share, but {reason}; take holm")
    return asked or (MAX_T if shared else "holm")


def same_segments(parts: Sequence[Stats]) -> bool:
    """Whether the same segments were scored for all."""
    return all((part.scored == parts[0].scored).all() for part in parts)


def _default_trials(question: Question, pairs: Sequence[Pair], whole: Mapping[str, Stats]) -> int:
    """The usual number, or what the correction needs, if that takes seconds; else as many as take seconds, but enough
    for one test."""
    if question.test not in TRIALS:
        return RESAMPLES  # behind intervals
    formulas = len(pairs) * max(part.width for part in whole.values())
    numbers = formulas + sum(part.stored for part in whole.values()) // CHEAPER
    wanted = max(TRIALS[question.test], enough_trials(question.alpha, question.tests(len(pairs))))
    return max(enough_trials(question.alpha), min(wanted, BUDGET // max(1, numbers)))


def _compare(
    evaluation: Evaluation, question: Question, pairs: Sequence[Pair], whole: Mapping[str, Stats], run: Run
) -> list[Comparison]:
    """All pairs, corrected together."""
    groups = runs_of(evaluation.systems)
    if question.test != "bootstrap" and any(len(groups[name]) > 1 for name in _names(pairs)):
        raise OptionError(f"systems with several runs are compared by the bootstrap, not by test={question.test!r}")
    found: list[Tested] = []
    for some, numbers in _on_segments(question.metric, groups, pairs, whole):
        names = {name: groups[name] for name in _names(some)}
        runs = [run for own in names.values() for run in own]
        parts = Stats.aligned([whole[run] if numbers is None else whole[run].take(numbers) for run in runs])
        units = rows_of_units(parts, evaluation.testset, question.unit, numbers)
        found += _on_same_segments(
            question, some, names, dict(zip(runs, parts, strict=True)), dict(zip(runs, units, strict=True)), run
        )
    return [question.judge(item) for item in _corrected(question, found)]


def _on_segments(
    metric: Metric, groups: Mapping[str, Sequence[str]], pairs: Sequence[Pair], whole: Mapping[str, Stats]
) -> Iterator[tuple[Sequence[Pair], NDArray[np.int64] | None]]:
    """Pairs, and the numbers of the segments that are scored for all of them; None for all segments."""
    import numpy as np

    if all(stats.n == len(stats) for stats in whole.values()):
        yield pairs, None
        return
    together = [pairs] if same_segments(list(whole.values())) else [[pair] for pair in pairs]
    for some in together:
        scored = [whole[run].scored for name in _names(some) for run in groups[name]]
        numbers = np.flatnonzero(np.logical_and.reduce(scored))
        if len(numbers) == 0:
            first, second = some[0]
            raise InputError(f"{first} and {second} have no scored segment in common under {metric}")
        yield some, numbers


def _names(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(name for pair in pairs for name in pair))


def _on_same_segments(
    question: Question,
    pairs: Sequence[Pair],
    groups: Mapping[str, Sequence[str]],
    segments: Mapping[str, Stats],
    units: Mapping[str, Stats],
    run: Run,
) -> Iterator[Tested]:
    """Comparisons of systems on the same segments: what is drawn at random is drawn once for all of them."""
    metric = question.metric
    corpus = {run: float(metric.score(part.total())) for run, part in segments.items()}
    scores = {name: fmean(corpus[run] for run in runs) for name, runs in groups.items()}
    means = _means(groups, segments, partial(segment_scores, metric))
    judged = means if question.unit == "segment" else _means(groups, units, metric.score)
    sign = 1 if metric.better == "higher" else -1
    allowed = question.confidence is not None and metric.resampling == "percentile"
    for (baseline, system), drawn in zip(pairs, _draws(question, pairs, groups, units, run), strict=True):
        difference = scores[system] - scores[baseline]
        gains = (means[system] - means[baseline]) * sign
        sizes, scale = drawn.null(question.test, difference)
        item = Comparison(
            metric=str(metric),
            baseline=baseline,
            system=system,
            n=len(gains),
            baseline_score=scores[baseline],
            system_score=scores[system],
            difference=difference,
            interval=interval_of(drawn.resampled, question.confidence)
            if allowed and drawn.resampled is not None and question.confidence is not None
            else None,
            p=segment_p_value((judged[system] - judged[baseline]) * sign, question.test)
            if sizes is None
            else share_of(sizes, difference),
            effect=cohens_d(gains),
            wins=int((gains > 0).sum()),
            losses=int((gains < 0).sum()),
            ties=int((gains == 0).sum()),
            detectable=math.nan,  # depends on the other comparisons
            test=question.test,
            trials=question.trials,
            seed=question.seed,
            correction=question.correction,
            alpha=question.alpha,
            unit=question.unit,
            units=len(units[groups[system][0]]),
        )
        yield Tested(item, sizes, scale, drawn.spread(metric), drawn.resampled if allowed else None)


class Draws(NamedTuple):
    """The trials of a pair: differences after swapping, differences of resamples. # (trials,), or None"""

    swapped: Array | None
    resampled: Array | None
    runs: bool  # were drawn, too

    def null(self, test: Test, difference: float) -> tuple[Array | None, float]:
        """Sizes of differences in trials in which the systems are equal, and their spread; none for tests of ranks."""
        if test == "permutation" and self.swapped is not None:
            # The systems as they are count as a trial here too: else trials would be measured by another spread.
            squares = float((self.swapped**2).sum()) + difference**2
            return null_sizes(self.swapped, difference, test), (squares / (len(self.swapped) + 1)) ** 0.5
        if test == "bootstrap" and self.resampled is not None:
            return null_sizes(self.resampled, difference, test, runs=self.runs), float(self.resampled.std())
        return None, math.nan

    def spread(self, metric: Metric) -> float:
        """How much the difference varies over test sets: as resamples do, where the metric allows them."""
        drawn = self.resampled if metric.resampling == "percentile" and self.resampled is not None else self.swapped
        return math.nan if drawn is None else float(drawn.std())


def _draws(
    question: Question, pairs: Sequence[Pair], groups: Mapping[str, Sequence[str]], units: Mapping[str, Stats], run: Run
) -> Iterator[Draws]:
    """What is drawn of every pair: swaps for the permutation test, resamples for the bootstrap and for intervals."""
    metric, test, trials, seed = question.metric, question.test, question.trials, question.seed
    swapped: dict[Pair, Array] = {}
    if test == "permutation":  # a system has one run then, which may have a name of its own
        alone = {name: units[own[0]] for name, own in groups.items()}
        swapped = permuted_differences(alone, metric, pairs, trials, seed, run)
    drawn: dict[str, Array] = {}
    if test == "bootstrap" or (metric.resampling == "percentile" and question.confidence is not None):
        resamples = trials if test == "bootstrap" else RESAMPLES
        drawn = resampled_runs(resampled_scores(units, metric, resamples, seed, run), groups, seed)
    runs = any(len(own) > 1 for own in groups.values())
    for baseline, system in pairs:
        yield Draws(swapped.get((baseline, system)), drawn[system] - drawn[baseline] if drawn else None, runs)


def _means(
    groups: Mapping[str, Sequence[str]], rows: Mapping[str, Stats], formula: Callable[[Any], Any]
) -> dict[str, Array]:
    """Values of single rows by a formula, the mean over the runs of each system. # each (n,)"""
    import numpy as np

    return {name: np.mean([row_values(rows[run], formula) for run in runs], axis=0) for name, runs in groups.items()}


def _corrected(question: Question, found: Sequence[Tested]) -> list[Comparison]:
    """With p-values corrected over all pairs, and the difference that the corrected test could detect."""
    import numpy as np

    raw = [tested.item.p for tested in found]
    if question.correction == MAX_T:
        # Differences in units of their spread can be compared, so that no pair is the largest by its size alone.
        scales = np.array([tested.scale or 1.0 for tested in found])
        observed = np.array([abs(tested.item.difference) for tested in found]) / scales
        trials = np.stack([tested.sizes for tested in found if tested.sizes is not None]) / scales[:, None]
        adjusted = np.maximum(step_down(observed, trials), raw).tolist()  # rounding must not make p smaller
        critical = float(np.quantile(trials.max(axis=0), 1 - question.alpha))
    else:
        adjusted = CORRECTIONS[question.correction](raw)
        critical = -NormalDist().inv_cdf(question.alpha / 2 / question.tests(len(found)))
    items = []
    for tested, p, together in zip(found, adjusted, _simultaneous(question, found), strict=True):
        reason = question.unresolvable(len(found), tested.item.units)
        seen = math.nan if reason else detectable_difference(tested.spread, critical)
        items.append(replace(tested.item, adjusted=p, detectable=seen, unresolvable=reason, simultaneous=together))
    return items


def _simultaneous(question: Question, found: Sequence[Tested]) -> Sequence[Interval | None]:
    """Intervals for all pairs together, where the metric allows intervals; by max-T where pairs share resamples."""
    import numpy as np

    drawn = [tested.resampled for tested in found if tested.resampled is not None]
    if question.confidence is None or len(drawn) < len(found):
        return [None] * len(found)
    observed = np.array([tested.item.difference for tested in found])
    if question.correction == MAX_T:
        return simultaneous_intervals(observed, np.stack(drawn), question.confidence)
    return bonferroni_intervals(observed, np.array([part.std() for part in drawn]), question.confidence)


def cohens_d(gains: Array) -> float:
    """The mean of paired differences in units of their standard deviation (Cohen 1988); 0 where nothing differs."""
    spread = float(gains.std(ddof=1)) if len(gains) > 1 else 0.0
    return float(gains.mean()) / spread if spread > 0 else 0.0


def detectable_difference(spread: float, critical: float) -> float:
    """The difference that is found four times out of five, if test sets differ by that spread, and it takes `critical`
    times the spread to be significant: 1.96 for one test at 0.05, more where many are corrected."""
    return (critical + NormalDist().inv_cdf(POWER)) * spread


def segment_p_value(gains: Array, test: str) -> float:
    """Two-sided p of the differences of segments, by the sign test or by Wilcoxon's signed-rank test (1945)."""
    from scipy import stats

    moved = gains[gains != 0]
    if len(moved) == 0:
        return 1.0
    if test == "sign":
        return float(stats.binomtest(int((moved > 0).sum()), len(moved)).pvalue)
    return float(stats.wilcoxon(moved).pvalue)
