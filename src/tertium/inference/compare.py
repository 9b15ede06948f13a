"""Systems in pairs under one metric: the difference, how sure it is, how large it is, and what could be seen at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Literal, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, choose
from tertium.core.score import Interval
from tertium.core.stats import Stats
from tertium.inference.bootstrap import SEED, interval_of
from tertium.inference.clusters import clusters
from tertium.inference.corrections import CORRECTIONS
from tertium.inference.paired import TRIALS, check_trials, p_value, permuted_differences, resampled_scores
from tertium.inference.runs import resampled_runs, runs_of

if TYPE_CHECKING:
    from tertium.core.stats import Array

Test = Literal["permutation", "bootstrap", "sign", "wilcoxon"]
Pair = tuple[str, str]  # baseline, system
SEGMENT_TESTS = ("sign", "wilcoxon")
TESTS = ("permutation", "bootstrap", *SEGMENT_TESTS)
RESAMPLES = 1_000  # behind the interval of a difference
POWER = 0.8  # the field's habit: a detectable difference is found four times out of five


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A system beside a baseline. `difference` is system minus baseline, whichever direction is better."""

    metric: str
    baseline: str
    system: str
    n: int  # segments that were scored for both
    baseline_score: float
    system_score: float
    difference: float
    interval: Interval | None  # of the difference, where the metric allows one
    p: float
    effect: float  # Cohen's d of the segments' differences, positive where the system is better
    wins: int  # segments on which the system is better
    losses: int
    ties: int
    detectable: float  # the smallest difference that this test set would show four times out of five
    test: str
    trials: int
    seed: int
    correction: str
    alpha: float
    adjusted: float = math.nan  # p after the correction for many comparisons
    verdict: Literal["better", "worse", "undecided"] = "undecided"  # at level alpha


class Question(NamedTuple):
    """What is asked of every pair, and how it is answered."""

    metric: Metric
    test: Test
    trials: int
    seed: int
    correction: str
    alpha: float
    confidence: float

    def judge(self, item: Comparison) -> Comparison:
        """With the verdict that the corrected p-value allows."""
        if not item.adjusted <= self.alpha or item.difference == 0:
            return item
        better = (item.difference > 0) == (self.metric.better == "higher")
        return replace(item, verdict="better" if better else "worse")


def compare(
    evaluation: Evaluation,
    metric: Metric | str | None = None,
    *,
    baseline: str | None = None,
    test: Test = "permutation",
    trials: int | None = None,
    seed: int = SEED,
    correction: str = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
) -> list[Comparison]:
    """Every other system against the baseline; without one, every pair of systems. The correction is over all of them.

    `sign` and `wilcoxon` test segment scores, the other two the score itself. Runs of one system (`NAME@RUN`) are drawn
    again like segments, by the bootstrap.
    """
    chosen = evaluation.metric(metric)
    choose("compare", "test", test, TESTS)
    choose("compare", "correction", correction, tuple(CORRECTIONS))
    for name, share in (("alpha", alpha), ("confidence", confidence)):
        if not 0 < share < 1:
            raise OptionError(f"{name} {share}: must lie between 0 and 1, such as {0.05 if name == 'alpha' else 0.95}")
    trials = TRIALS.get(test, RESAMPLES) if trials is None else trials
    check_trials(trials, seed)
    question = Question(chosen, test, trials, seed, correction, alpha, confidence)
    groups = runs_of(evaluation.systems)
    pairs = _pairs(list(groups), baseline)
    found: list[Comparison] = []
    for some, stats in _by_segments(evaluation, question.metric, groups, pairs):
        found += _on_same_segments(question, some, {name: groups[name] for name in _names(some)}, stats)
    adjusted = CORRECTIONS[correction]([item.p for item in found])
    return [question.judge(replace(item, adjusted=p)) for item, p in zip(found, adjusted, strict=True)]


def _pairs(names: Sequence[str], baseline: str | None) -> list[Pair]:
    if len(names) < 2:
        raise InputError(f"one system, {names[0]}, cannot be compared; name another (--hyp FILE)")
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise OptionError(f"no system is called {baseline}; there are: {', '.join(names)}")
    return [(baseline, name) for name in names if name != baseline]


def _by_segments(
    evaluation: Evaluation, metric: Metric, groups: Mapping[str, Sequence[str]], pairs: Sequence[Pair]
) -> Iterable[tuple[Sequence[Pair], dict[str, Stats]]]:
    """Pairs, and the rows of their systems on the segments that are scored for all of them."""
    import numpy as np

    whole = {run: evaluation.stats(run, metric) for name in _names(pairs) for run in groups[name]}
    if all(stats.n == len(stats) for stats in whole.values()):
        yield pairs, dict(zip(whole, Stats.aligned(list(whole.values())), strict=True))
        return
    for pair in pairs:
        some = {run: whole[run] for name in pair for run in groups[name]}
        scored = np.flatnonzero(np.logical_and.reduce([stats.scored for stats in some.values()]))
        if len(scored) == 0:
            raise InputError(f"{pair[0]} and {pair[1]} have no scored segment in common under {metric}")
        yield [pair], dict(zip(some, Stats.aligned([stats.take(scored) for stats in some.values()]), strict=True))


def _names(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(name for pair in pairs for name in pair))


def _on_same_segments(
    question: Question, pairs: Sequence[Pair], groups: Mapping[str, Sequence[str]], stats: Mapping[str, Stats]
) -> Iterator[Comparison]:
    """Comparisons of systems on the same segments: what is drawn at random is drawn once for all of them."""
    metric, test, trials, seed = question.metric, question.test, question.trials, question.seed
    if test != "bootstrap" and any(len(runs) > 1 for runs in groups.values()):
        raise OptionError(f"systems with several runs are compared by the bootstrap, not by test={test!r}")
    corpus = {run: float(metric.score(part.total())) for run, part in stats.items()}
    scores = {name: fmean(corpus[run] for run in runs) for name, runs in groups.items()}
    segments = {name: _segment_means(metric, [stats[run] for run in runs]) for name, runs in groups.items()}
    swapped = permuted_differences(stats, metric, pairs, trials, seed) if test == "permutation" else {}
    drawn: dict[str, Array] = {}
    valid = metric.resampling == "percentile"  # intervals
    if test == "bootstrap" or valid:
        resamples = trials if test == "bootstrap" else RESAMPLES
        drawn = resampled_runs(resampled_scores(stats, metric, resamples, seed), groups, seed)
    for baseline, system in pairs:
        difference = scores[system] - scores[baseline]
        gains = (segments[system] - segments[baseline]) * (1 if metric.better == "higher" else -1)
        resampled = drawn[system] - drawn[baseline] if drawn else None
        trial = swapped.get((baseline, system), resampled)
        interval = None if resampled is None or not valid else interval_of(resampled, question.confidence)
        spread = resampled if valid else trial
        yield Comparison(
            metric=str(metric),
            baseline=baseline,
            system=system,
            n=len(gains),
            baseline_score=scores[baseline],
            system_score=scores[system],
            difference=difference,
            interval=interval,
            p=segment_p_value(gains, test)
            if trial is None or test in SEGMENT_TESTS
            else p_value(trial, difference, test, runs=any(len(runs) > 1 for runs in groups.values())),
            effect=cohens_d(gains),
            wins=int((gains > 0).sum()),
            losses=int((gains < 0).sum()),
            ties=int((gains == 0).sum()),
            detectable=math.nan if spread is None else detectable_difference(float(spread.std()), question.alpha),
            test=test,
            trials=trials,
            seed=seed,
            correction=question.correction,
            alpha=question.alpha,
        )


def _segment_means(metric: Metric, runs: Sequence[Stats]) -> Array:
    """Scores of single segments, the mean over runs. # (n,)"""
    import numpy as np

    formula = partial(segment_scores, metric)
    return np.mean([row_values(stats, formula) for stats in runs], axis=0)  # type: ignore[no-any-return]


def cohens_d(gains: Array) -> float:
    """The mean of paired differences in units of their standard deviation (Cohen 1988); 0 where nothing differs."""
    spread = float(gains.std(ddof=1)) if len(gains) > 1 else 0.0
    return float(gains.mean()) / spread if spread > 0 else 0.0


def detectable_difference(spread: float, alpha: float) -> float:
    """The difference that a test at level alpha finds four times out of five, if trials differ by that spread."""
    normal = NormalDist()
    return (normal.inv_cdf(POWER) - normal.inv_cdf(alpha / 2)) * spread


def segment_p_value(gains: Array, test: str) -> float:
    """Two-sided: are there as many segments that gain as segments that lose (sign), and by as much (Wilcoxon 1945)?"""
    from scipy import stats

    moved = gains[gains != 0]
    if len(moved) == 0:
        return 1.0
    if test == "sign":
        return float(stats.binomtest(int((moved > 0).sum()), len(moved)).pvalue)
    return float(stats.wilcoxon(moved).pvalue)


def ranked_clusters(comparisons: Sequence[Comparison], better: Literal["higher", "lower"]) -> list[list[str]]:
    """Systems from best to worst in groups that cannot be told apart; of comparisons of every pair."""
    scores = {item.baseline: item.baseline_score for item in comparisons}
    scores |= {item.system: item.system_score for item in comparisons}
    won = {(c.system, c.baseline) for c in comparisons if c.verdict == "better"}
    won |= {(c.baseline, c.system) for c in comparisons if c.verdict == "worse"}
    ranked = sorted(scores, key=lambda name: scores[name], reverse=better == "higher")
    return clusters(ranked, lambda above, below: (above, below) in won)
