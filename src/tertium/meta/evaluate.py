"""Meta-evaluation: every statistic of every metric against human scores, on one test set or several."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.inference.averages import AVERAGES, average, mean_of
from tertium.inference.correlations import CORRELATIONS, pearson
from tertium.inference.flips import Accuracy, pairwise_accuracy, separated, soft_pairwise_accuracy
from tertium.inference.pairs import count_pairs, difference_pearson, kendall_like
from tertium.inference.resolution import unresolvable
from tertium.inference.seeds import ALPHA, WMT_SEED, WMT_TRIALS
from tertium.inference.ties import DEGENERATE, calibrate
from tertium.meta.arrays import Scores, Tables, between, check_join, people_scores, read_tables
from tertium.meta.metric_comparison import MetricComparison, Rules, check_thresholds, compare_metrics
from tertium.meta.outliers import LIMIT, deviations
from tertium.meta.sentinel_tests import SentinelTest, against_sentinels, not_better
from tertium.meta.sentinels import is_sentinel, of_systems
from tertium.meta.sentinels import sentinels as make_sentinels
from tertium.meta.table import ScoreTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

Level = Literal["system", "segment"]
LEVELS: tuple[Level, ...] = ("system", "segment")
SCORES = {"z": "standard scores (z)", "raw": "raw scores", "": "scores as they were given"}
PAIRS_SHARE = "metrics are compared by swapping pairs, which share outputs: equal metrics are told apart too often"
DARR = 25.0  # points of 100 that two direct assessments must be apart to count as a preference (WMT17 to WMT20)

# Statistics by the names they are printed under.
TITLES = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "tau_b": "Kendall tau-b",
    "tau_c": "Kendall tau-c",
    "accuracy": "pairwise accuracy",
    "accuracy_separated": "pairwise accuracy, separated pairs",
    "spa": "soft pairwise accuracy",
    "tau_eq": "tau_eq, eps 0",
    "acc_eq": "acc_eq, eps 0",
    "acc_eq_calibrated": "acc_eq, calibrated eps",
    "acc_eq_given": "acc_eq, given eps",
    "kendall_like": "Kendall-like (DARR)",
    "difference_pearson": "pairwise difference Pearson",
}


@dataclass(frozen=True, kw_only=True)
class MetaScore:
    """How close a metric is to people by one statistic. n counts what `unit` says; NaN means undefined."""

    metric: str
    level: Level
    statistic: str  # a key of TITLES
    average: str  # none, item or system
    value: float
    p: float = math.nan
    n: int
    unit: Literal["systems", "scores", "pairs", "segments"]
    groups: int = 1  # that the value is a mean of
    eps: float = math.nan  # the largest difference that is a tie
    tied: float = math.nan  # share of pairs tied at eps
    agree: int | None = None  # pairs, of an accuracy
    error: float = math.nan  # of SPA: the standard error that drawing flips leaves in it


@dataclass(frozen=True, eq=False, kw_only=True)
class MetaEvaluation:
    """Metrics against human scores: statistics, tests between metrics, and correlations of metrics with each other."""

    testset: str
    gold: str
    gold_scores: str  # z or raw; empty where scores were given and nobody said what they are
    systems: tuple[str, ...]
    metrics: tuple[str, ...]
    judged: int  # system outputs with a score by people
    trials: int  # behind SPA and the pairs that people separate; tests between metrics name their own
    seed: int
    corpus: Mapping[str, Array]  # system scores of people and metrics, higher is better # each (systems,)
    segments: Mapping[str, Array]  # and those of single outputs, NaN where there is none # each (systems, segments)
    scores: tuple[MetaScore, ...]
    comparisons: Mapping[Level, MetricComparison]
    between: Mapping[Level, Array]  # Pearson of metrics with each other # (metrics, metrics)
    warnings: tuple[str, ...] = field(default=())
    eps: Mapping[str, float] = field(default_factory=dict)  # thresholds for ties that come from elsewhere
    sentinels: tuple[str, ...] = ()  # scores that see too little, whose statistics are among `scores`
    sentinel_folds: str = ""  # how they were kept from what they are judged by
    sentinel_tests: tuple[SentinelTest, ...] = ()

    def find(self, metric: str, statistic: str, level: Level = "system", average: str = "none") -> MetaScore:
        """One of the scores."""
        for score in self.scores:
            if (score.metric, score.statistic, score.level, score.average) == (metric, statistic, level, average):
                return score
        raise OptionError(f"no {statistic} ({level}, {average}) of {metric}; there are: {', '.join(TITLES)}")


def meta_evaluate(
    evaluation: Evaluation,
    gold: str | Metric | Mapping[str, ArrayLike],
    *,
    levels: Sequence[Level] = LEVELS,
    micro: bool = False,
    threshold: float | None = None,
    rules: Rules | None = None,
    trials: int | None = None,
    seed: int = WMT_SEED,
    alpha: float = ALPHA,
    trust_join: bool = False,
    gold_scores: str = "",
    eps: Mapping[str, float] | MetaEvaluation | None = None,
    gold_name: str = "people",
    system_scores: Mapping[str, Mapping[str, float]] | None = None,
    sentinels: bool = False,
) -> MetaEvaluation:
    """How close every metric of the evaluation is to people.

    `gold` names people's rows in the evaluation, such as `human`, or gives a score for each system and segment, NaN
    where nobody judged; such scores may have a name and be said to be `gold_scores` z or raw. Averages are plain
    (macro) or weighted by the size of groups (micro). `threshold`: how far apart two judgements must be for the
    Kendall-like statistic; else 25 on scales from 0 to 100. `rules` say how metrics are compared. `trials` are 1,000,
    and more for a test whose correction or alpha takes more. `eps`: thresholds for ties from elsewhere, such as the
    evaluation of another test set. `system_scores`, by `gold_name` or metric: published ones, in the place of means of
    segments. `sentinels`: also what scores reach that see too little. Where people's segment means have nothing to do
    with those of metrics that look at references, the join is refused unless it is trusted.
    """
    _check_asked(levels, alpha)
    chosen = rules or Rules()
    tables = read_tables(evaluation, gold, gold_name, system_scores)
    if not trust_join:
        check_join(tables)
    if not isinstance(gold, Mapping):
        gold_scores, points = people_scores(evaluation, evaluation.metric(gold))
        threshold = DARR if threshold is None and points else threshold
    flipped = WMT_TRIALS if trials is None else trials
    ties = _ties(eps, names := [metric.name for metric in tables.metrics])
    apart = separated(tables.gold.segments, alpha, trials=flipped, seed=seed)
    low = make_sentinels(evaluation, tables) if sentinels else None
    scores: list[MetaScore] = []
    for metric in (*tables.metrics, *(low.scores if low else ())):
        if "system" in levels:
            scores += system_level(tables.gold, of_systems(metric), apart, flipped, seed)
        if "segment" in levels:
            scores += segment_level(tables.gold, metric, threshold, micro, (ties or {}).get(metric.name))
    tests = _beside(tables, low.scores if low and "segment" in levels else (), flipped, seed, alpha)
    shown, noted = (tables.gold, *tables.metrics), [*_warnings(tables, scores), *not_better(tests, tables.testset)]
    return MetaEvaluation(
        testset=tables.testset,
        gold=tables.gold.name,
        gold_scores=gold_scores,
        systems=tables.systems,
        metrics=tuple(names),
        judged=_judged(tables),
        trials=flipped,
        seed=seed,
        corpus={item.name: item.corpus for item in shown},
        segments={item.name: item.segments for item in shown},
        scores=tuple(scores),
        comparisons={level: compare_metrics(tables, level, chosen, trials, seed, alpha, ties) for level in levels},
        between={level: between(tables.metrics, segments=level == "segment") for level in levels},
        warnings=(*noted, *_of_trials(tables.testset, flipped, alpha, levels, chosen)),
        sentinels=low.names if low else (),
        sentinel_folds=f"{low.folds} folds of {low.by}" if low else "",
        sentinel_tests=tuple(tests),
        eps=ties or {},
    )


def _ties(eps: Mapping[str, float] | MetaEvaluation | None, metrics: Sequence[str]) -> dict[str, float] | None:
    """Thresholds for ties that were given, of each metric; None if none were."""
    if eps is None:
        return None
    given = best_thresholds(eps) if isinstance(eps, MetaEvaluation) else eps
    check_thresholds(given, metrics)
    return {name: float(given[name]) for name in metrics}


def _beside(tables: Tables, low: Sequence[Scores], trials: int, seed: int, alpha: float) -> list[SentinelTest]:
    """Every metric against every sentinel, on single outputs."""
    if not low:
        return []
    return against_sentinels(tables.gold.segments, tables.metrics, low, trials=trials, seed=seed, alpha=alpha)


def _check_asked(levels: Sequence[Level], alpha: float) -> None:
    if not 0 < alpha < 1:
        raise OptionError(f"alpha {alpha}: must lie between 0 and 1, such as 0.05")
    for level in levels:
        if level not in LEVELS:
            raise OptionError(f"level {level!r} is unknown; choose from {', '.join(LEVELS)}")


def best_thresholds(found: MetaEvaluation) -> dict[str, float]:
    """The threshold for ties that makes acc_eq highest there, of each metric."""
    return {
        score.metric: score.eps
        for score in found.scores
        if score.statistic == "acc_eq_calibrated" and not (math.isnan(score.eps) or is_sentinel(score.metric))
    }


def _judged(tables: Tables) -> int:
    import numpy as np

    return int(np.count_nonzero(~np.isnan(tables.gold.segments)))


def system_level(gold: Scores, metric: Scores, apart: NDArray[np.bool_], trials: int, seed: int) -> Iterator[MetaScore]:
    """Do people and metric rank systems alike? Corpus scores, but for SPA, which is of segments."""
    for name, correlate in CORRELATIONS.items():
        found = correlate(gold.corpus, metric.corpus)
        yield MetaScore(metric=metric.name, level="system", statistic=name, average="none", value=found.value,
                        p=found.p, n=found.n, unit="systems")  # fmt: skip
    whole = pairwise_accuracy(gold.corpus, metric.corpus)
    yield accuracy_score(metric.name, "accuracy", whole)
    yield accuracy_score(metric.name, "accuracy_separated", pairwise_accuracy(gold.corpus, metric.corpus, apart))
    soft = soft_pairwise_accuracy(gold.segments, metric.segments, trials=trials, seed=seed)
    yield MetaScore(metric=metric.name, level="system", statistic="spa", average="none", value=soft.value, n=soft.n,
                    unit="segments", error=soft.error)  # fmt: skip


def accuracy_score(metric: str, statistic: str, accuracy: Accuracy) -> MetaScore:
    """A pairwise accuracy as a score."""
    return MetaScore(metric=metric, level="system", statistic=statistic, average="none", value=accuracy.value,
                     n=accuracy.pairs, unit="pairs", agree=accuracy.agree)  # fmt: skip


def segment_level(
    gold: Scores, metric: Scores, threshold: float | None, micro: bool, eps: float | None = None
) -> Iterator[MetaScore]:
    """Do people and metric agree on single outputs?"""
    people, machine, name = gold.segments, metric.segments, metric.name
    for statistic in CORRELATIONS:
        for by in AVERAGES:
            found = average(people, machine, statistic, by, micro=micro)
            yield MetaScore(metric=name, level="segment", statistic=statistic, average=by, value=found.value,
                            p=found.p, n=found.n, unit="scores", groups=found.groups)  # fmt: skip
    for statistic in ("tau_eq", "acc_eq"):
        for by in AVERAGES:
            found = average(people, machine, statistic, by, micro=micro)
            yield MetaScore(metric=name, level="segment", statistic=statistic, average=by, value=found.value,
                            n=found.n, unit="scores", groups=found.groups, eps=0.0)  # fmt: skip
    best = calibrate(people, machine)
    yield MetaScore(metric=name, level="segment", statistic="acc_eq_calibrated", average="item", value=best.acc_eq,
                    n=best.pairs, unit="pairs", groups=best.groups, eps=best.eps, tied=best.tied)  # fmt: skip
    if eps is not None:
        yield _at_given(name, people, machine, eps)
    pooled = difference_pearson(people, machine)
    yield MetaScore(metric=name, level="segment", statistic="difference_pearson", average="item", value=pooled.value,
                    n=pooled.pairs, unit="pairs")  # fmt: skip
    if threshold is not None:
        pooled = kendall_like(people, machine, threshold)
        yield MetaScore(metric=name, level="segment", statistic="kendall_like", average="item", value=pooled.value,
                        n=pooled.pairs, unit="pairs", eps=threshold)  # fmt: skip


def _at_given(name: str, people: Array, machine: Array, eps: float) -> MetaScore:
    """acc_eq by item at a threshold for ties that comes from elsewhere."""
    counts = count_pairs(people, machine, eps)
    value, groups = mean_of(counts.acc_eq())
    pairs = int(counts.pairs.sum())
    tied = int((counts.metric_ties + counts.both_ties).sum())
    return MetaScore(metric=name, level="segment", statistic="acc_eq_given", average="item", value=value, n=pairs,
                     unit="pairs", groups=groups, eps=eps, tied=tied / pairs if pairs else math.nan)  # fmt: skip


def _of_trials(testset: str, trials: int, alpha: float, levels: Sequence[Level], rules: Rules) -> Iterator[str]:
    """Where no pair of systems could be told apart, whatever people said (p is that of two sides); a test that tells
    too many metrics apart."""
    reason = unresolvable(trials, alpha, 2)
    if reason is not None and "system" in levels:
        yield f"{testset}: which pairs of systems people tell apart is {reason}"
    if "segment" in levels and rules.of("segment")[1] == "pairs":
        yield f"{testset}: {PAIRS_SHARE}"


def _warnings(tables: Tables, scores: Iterable[MetaScore]) -> Iterator[str]:
    import numpy as np

    if tables.unjudged:
        yield f"{tables.testset}: nobody judged {', '.join(tables.unjudged)}; left out"
    if tables.absent:
        names = ", ".join(tables.absent)
        yield f"{tables.testset}: people also judged {names}, which are not among the systems here; left out"
    far = np.abs(deviations(tables.gold.corpus)) > LIMIT
    if far.any() and np.count_nonzero(~far) > 2:
        names = ", ".join(name for name, out in zip(tables.systems, far, strict=True) if out)
        them = "it" if np.count_nonzero(far) == 1 else "them"
        changes = ", ".join(
            f"{pearson(tables.gold.corpus, metric.corpus).value:.3f} to "
            f"{pearson(tables.gold.corpus[~far], metric.corpus[~far]).value:.3f} for {metric.name}"
            for metric in tables.metrics
        )
        yield (
            f"{tables.testset}: far from the other systems: {names}; without {them}, Pearson r by systems goes from "
            f"{changes}"
        )
    for score in scores:
        if score.tied > DEGENERATE and not is_sentinel(score.metric):
            yield (
                f"{tables.testset}: {score.metric}: acc_eq is best with {100 * score.tied:.0f} % of the pairs tied "
                f"(eps {score.eps:.4g}): it rewards saying nothing; read tau-b instead"
            )


def system_table(found: Sequence[MetaEvaluation]) -> ScoreTable:
    """The systems' scores as a table, in which every test set is a group; metrics that all test sets have."""
    import numpy as np

    gold = found[0].gold
    metrics = [name for name in found[0].metrics if all(name in result.metrics for result in found)]
    return ScoreTable(
        gold=gold,
        metrics=tuple(metrics),
        columns={
            name: np.concatenate([result.corpus[name if name in metrics else result.gold] for result in found])
            for name in (gold, *metrics)
        },
        systems=tuple(system for result in found for system in result.systems),
        group_names=("testset",) if len(found) > 1 else (),
        keys=tuple((result.testset,) if len(found) > 1 else () for result in found for _ in result.systems),
    )


def pool(found: Sequence[MetaEvaluation]) -> list[MetaScore]:
    """The same statistics over several test sets: pairs of accuracies are pooled, all others are plain means."""
    groups: dict[tuple[str, Level, str, str], list[MetaScore]] = {}
    for result in found:
        for score in result.scores:
            groups.setdefault((score.metric, score.level, score.statistic, score.average), []).append(score)
    pooled = []
    for (metric, level, statistic, by), items in groups.items():
        n, known = sum(item.n for item in items), [item.value for item in items if not math.isnan(item.value)]
        agree = None if items[0].agree is None else sum(item.agree or 0 for item in items)
        value = math.nan
        if agree is not None:
            value = Accuracy(agree, n).value
        elif known:
            value = math.fsum(known) / len(known)
        errors = [item.error for item in items if not math.isnan(item.value)]  # of a mean of independent ones
        error = math.hypot(*errors) / len(errors) if errors else math.nan
        pooled.append(MetaScore(metric=metric, level=level, statistic=statistic, average=by, value=value, n=n,
                                unit=items[0].unit, groups=len(known), agree=agree, error=error))  # fmt: skip
    return pooled
