"""Metrics judged by their use: as a filter that keeps good translations, and as a chooser among several.

A translation is good if people score it at least as high as a level that is stated. The threshold of a filter is given,
or chosen where it is not judged: documents are dealt into folds, and what is kept of a fold is decided by the threshold
that has the highest F on the others. A chooser takes, of the outputs of a segment, the one that the metric scores
highest. Intervals draw documents again; tests swap, document by document, what two metrics did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.score import Interval
from tertium.core.wording import number
from tertium.inference.correlation_tests import Gains
from tertium.inference.filtering import (
    FilterSums,
    drawn,
    held_out_thresholds,
    interval,
    picks,
    swapped_f,
    swapped_means,
)
from tertium.inference.maxt import step_down
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED, check_drawn
from tertium.meta.arrays import Tables, check_join, people_scores, read_tables
from tertium.meta.metric_comparison import MetricPair
from tertium.meta.sentinels import folds, is_sentinel
from tertium.meta.sentinels import sentinels as make_sentinels

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

ALL, BEST, ANY = "everything kept", "best system always", "any output"


@dataclass(frozen=True, kw_only=True)
class Filter:
    """What a metric keeps. `thresholds` are one where it was given, else one for each fold, chosen on the others."""

    name: str
    thresholds: tuple[float, ...]
    kept: float  # share of the outputs
    precision: float
    recall: float
    f: float
    precision_interval: Interval | None
    recall_interval: Interval | None
    f_interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class MetricChooser:
    """How often what a metric takes is what people score highest, and what people say of it."""

    name: str
    precision: float
    interval: Interval | None
    people: float  # people's mean score of what was taken
    people_interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class Use:
    """Metrics in use on one test set; baselines (everything kept; any output; the best system) are among them."""

    testset: str
    gold: str
    gold_scores: str  # z or raw; empty where nobody said
    good: float  # people's score from which on a translation is good, on their own scale
    lower: bool  # whether lower is better there
    outputs: int  # that people judged and all metrics scored
    share: float  # of them that are good
    segments: int  # with outputs to choose among
    candidates: float  # how many, on average
    best: float  # people's mean score of the best output of each
    unit: str  # documents or segments
    units: int
    folds: int
    trials: int
    seed: int
    confidence: float
    alpha: float
    metrics: tuple[str, ...]
    filters: tuple[Filter, ...]
    choosers: tuple[MetricChooser, ...]
    filter_tests: tuple[MetricPair, ...]
    chooser_tests: tuple[MetricPair, ...]
    warnings: tuple[str, ...] = ()


def judge_use(
    evaluation: Evaluation,
    gold: str | Metric | Mapping[str, ArrayLike],
    *,
    good: float,
    thresholds: Mapping[str, float] | None = None,
    sentinels: bool = False,
    confidence: float = CONFIDENCE,
    trials: int = RESAMPLES,
    seed: int = SEED,
    alpha: float = ALPHA,
    trust_join: bool = False,
    gold_name: str = "people",
    gold_scores: str = "",
) -> Use:
    """How useful each metric of the evaluation is as a filter and as a chooser, by what people said (`gold`).

    `good` is people's score from which on a translation is good (up to which, where lower is better). `thresholds` are
    metrics' scores from which on outputs are kept (up to which); of others they are chosen on other documents.
    """
    import numpy as np

    check_drawn(trials, seed, "resamples")
    if not 0 < confidence < 1 or not 0 < alpha < 1:
        raise OptionError(f"confidence {confidence} and alpha {alpha} must lie between 0 and 1, such as 0.95 and 0.05")
    tables = read_tables(evaluation, gold, gold_name, fewest=1)
    if not trust_join:
        check_join(tables)
    if not isinstance(gold, Mapping):
        gold_scores, _ = people_scores(evaluation, evaluation.metric(gold))
    lower = not isinstance(gold, Mapping) and evaluation.metric(gold).better == "lower"
    scored = {scores.name: scores.segments for scores in tables.metrics}
    if sentinels:
        scored |= {scores.name: scores.segments for scores in make_sentinels(evaluation, tables).scores}
    people = tables.gold.segments
    known = ~np.isnan(people) & np.logical_and.reduce([~np.isnan(values) for values in scored.values()])
    is_good = known & (people >= (-good if lower else good))
    _check_good(tables, people[known], is_good[known], good, lower)
    if np.count_nonzero(known.any(axis=0)) < 2:
        raise InputError(
            f"test set {tables.testset}: people judged one segment; at least two are needed, so that what is chosen on "
            f"one is judged on the other"
        )
    fold, _ = folds(evaluation.testset, known.sum(axis=0))
    unit, units = _units(evaluation)
    given = _given(evaluation, tables, thresholds or {})
    told = _Told(people=people, known=known, good=is_good, fold=fold, unit=units)
    filters, filter_tests = _filters(told, scored, given, confidence, trials, seed, alpha)
    chosen = known & (known.sum(axis=0) > 1)
    there = np.where(chosen, people, np.nan)
    apart = chosen.any(axis=0) & (_extreme(there, np.nanmax) > _extreme(there, np.nanmin))
    choosers, chooser_tests = _choosers(told, scored, there[:, apart], apart, confidence, trials, seed, alpha)
    return Use(
        testset=tables.testset, gold=tables.gold.name, gold_scores=gold_scores, good=good, lower=lower,
        outputs=int(known.sum()),
        share=float(is_good.sum() / known.sum()), segments=int(apart.sum()),
        candidates=float(chosen[:, apart].sum() / max(1, apart.sum())),
        best=float((-1 if lower else 1) * _extreme(there[:, apart], np.nanmax).mean()) if apart.any() else math.nan,
        unit=unit, units=int(units.max()) + 1, folds=int(fold.max()) + 1, trials=trials, seed=seed,
        confidence=confidence, alpha=alpha, metrics=tuple(scored),
        filters=tuple(_turned(filters, evaluation)), choosers=tuple(_people_turned(choosers, lower=lower)),
        filter_tests=tuple(filter_tests), chooser_tests=tuple(chooser_tests),
        warnings=tuple(_warnings(tables.testset, filters, filter_tests, choosers, chooser_tests)),
    )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class _Told:
    """What people said, which outputs take part, which are good; the fold and the unit of each segment."""

    people: Array
    known: NDArray[np.bool_]
    good: NDArray[np.bool_]
    fold: NDArray[np.int64]
    unit: NDArray[np.int64]

    def by_unit(self, counts: Array) -> Array:
        """Sums over systems and over the segments of a unit. # (systems, segments) or (segments,) -> (units,)"""
        import numpy as np

        values = counts.sum(axis=0) if counts.ndim > 1 else counts
        return np.bincount(self.unit, weights=values, minlength=int(self.unit.max()) + 1).astype(float)


def _extreme(values: Array, formula: object) -> Array:
    import numpy as np

    filled = np.where(np.isnan(values).all(axis=0), 0.0, values)
    return formula(filled, axis=0)  # type: ignore[operator,no-any-return]


def _check_good(tables: Tables, people: Array, good: Array, level: float, lower: bool) -> None:
    """Refuse a level that tells nothing apart; what people's scores are helps to name one."""
    import numpy as np

    if not len(people):
        raise InputError(f"test set {tables.testset}: no output was both judged and scored by every metric")
    if not good.any() or good.all():
        low, middle, high = np.quantile(-people if lower else people, [0.25, 0.5, 0.75])
        raise OptionError(
            f"good {level:g}: {'every' if good.all() else 'no'} output of {tables.testset} is good by that; the "
            f"quartiles of {tables.gold.name} are {number(float(low), 3)}, {number(float(middle), 3)} and "
            f"{number(float(high), 3)}: choose a level among them"
        )


def _units(evaluation: Evaluation) -> tuple[str, NDArray[np.int64]]:
    """What is drawn and swapped together: the document of every segment, else each segment for itself."""
    import numpy as np

    testset = evaluation.testset
    if testset.documents is None or len(set(testset.documents)) < 2:
        return "segments", np.arange(len(testset))
    return "documents", testset.by_document()[1]


def _given(evaluation: Evaluation, tables: Tables, thresholds: Mapping[str, float]) -> dict[str, float]:
    """Thresholds that were given, as higher is better."""
    names = [scores.name for scores in tables.metrics]
    for name, value in thresholds.items():
        if name not in names:
            raise OptionError(f"a threshold for {name}, but the metrics are {', '.join(names)}")
        if not math.isfinite(value):
            raise OptionError(f"threshold of {name} is {value}; expected a number")
    return {name: _sign(evaluation, name) * value for name, value in thresholds.items()}


def _sign(evaluation: Evaluation, name: str) -> int:
    lower = {str(metric) for metric in evaluation.metrics if metric.better == "lower"}
    return -1 if name in lower else 1


def _filters(told: _Told, scored: Mapping[str, Array], given: Mapping[str, float], confidence: float, trials: int,
             seed: int, alpha: float) -> tuple[list[Filter], list[MetricPair]]:  # fmt: skip
    import numpy as np

    good = told.by_unit(told.good.astype(float))
    chosen: dict[str, tuple[tuple[float, ...], Array]] = {ALL: ((), told.known.astype(float))}
    for name, values in scored.items():
        limits: tuple[float, ...]
        if name in given:
            limits, limit = (given[name],), np.full(len(told.fold), given[name])
        else:
            cells = np.broadcast_to(told.fold, values.shape)[told.known]
            best = held_out_thresholds(values[told.known], told.good[told.known], cells)
            limits, limit = tuple(best.tolist()), best[told.fold]
        chosen[name] = limits, (told.known & (np.nan_to_num(values, nan=-np.inf) >= limit)).astype(float)
    kept = np.stack([told.by_unit(keep) for _, keep in chosen.values()], axis=1)  # (units, filters)
    right = np.stack([told.by_unit(keep * told.good) for _, keep in chosen.values()], axis=1)
    size = len(chosen)
    sums = drawn(np.concatenate([right, kept, good[:, None]], axis=1), trials, seed)
    found = []
    for k, (name, (limits, _)) in enumerate(chosen.items()):
        whole = FilterSums(right[:, k].sum(), kept[:, k].sum(), good.sum())
        again = FilterSums(sums[:, k], sums[:, size + k], sums[:, -1])
        found.append(Filter(
            name=name, thresholds=limits, kept=float(kept[:, k].sum() / told.known.sum()),
            precision=float(whole.precision()), recall=float(whole.recall()), f=float(whole.f()),
            precision_interval=interval(again.precision(), confidence),
            recall_interval=interval(again.recall(), confidence), f_interval=interval(again.f(), confidence),
        ))  # fmt: skip
    pairs = list(combinations(range(size), 2))
    gains = swapped_f(right, kept, good, pairs, trials, seed)
    return found, _tests([item.name for item in found], pairs, gains, alpha)


def _choosers(told: _Told, scored: Mapping[str, Array], people: Array, apart: NDArray[np.bool_], confidence: float,
              trials: int, seed: int, alpha: float) -> tuple[list[MetricChooser], list[MetricPair]]:  # fmt: skip
    import numpy as np

    if not apart.any():
        return [], []
    unit = np.unique(told.unit[apart], return_inverse=True)[1]
    sides = {ANY: np.where(np.isnan(people), np.nan, 0.0), BEST: _best_systems(told, people.shape, apart)}
    sides |= {name: values[:, apart] for name, values in scored.items()}
    hits, values = (
        np.stack(side, axis=1) for side in zip(*(picks(people, side) for side in sides.values()), strict=True)
    )

    def summed(rows: Array) -> Array:
        return np.stack([np.bincount(unit, weights=row) for row in rows.T], axis=1)

    per_unit, said, n = summed(hits), summed(values), np.bincount(unit).astype(float)
    again = drawn(np.concatenate([per_unit, said, n[:, None]], axis=1), trials, seed)
    total, size = n.sum(), len(sides)
    found = [
        MetricChooser(
            name=name, precision=float(per_unit[:, k].sum() / total),
            interval=interval(again[:, k] / again[:, -1], confidence), people=float(said[:, k].sum() / total),
            people_interval=interval(again[:, size + k] / again[:, -1], confidence),
        )
        for k, name in enumerate(sides)
    ]  # fmt: skip
    pairs = list(combinations(range(size), 2))
    gains = swapped_means(per_unit, float(total), pairs, trials, seed)
    return found, _tests(list(sides), pairs, gains, alpha)


def _best_systems(told: _Told, shape: tuple[int, ...], apart: NDArray[np.bool_]) -> Array:
    """Scores by which the system is taken that people score highest on the other folds. # (systems, chosen segments)"""
    import numpy as np

    people, scores = np.where(told.known, told.people, np.nan), np.zeros(shape)
    fold = told.fold[apart]
    for k in range(int(told.fold.max()) + 1):
        rest = people[:, told.fold != k]
        known = (~np.isnan(rest)).sum(axis=1)
        means = np.where(known > 0, np.nansum(rest, axis=1) / np.maximum(known, 1), -np.inf)
        scores[:, fold == k] = means[:, None]
    return scores


def _tests(
    names: Sequence[str], pairs: Sequence[tuple[int, int]], gains: Sequence[Gains], alpha: float
) -> list[MetricPair]:
    """Every two, corrected by step-down max-T; two-sided."""
    import numpy as np

    defined = [k for k, gain in enumerate(gains) if not math.isnan(gain.observed)]
    adjusted: dict[int, float] = {}
    if defined:
        observed, trials = zip(*(gains[k].extremes("two") for k in defined), strict=True)
        adjusted = dict(zip(defined, step_down(np.array(observed), np.stack(trials)).tolist(), strict=True))
    found = []
    for k, ((first, second), gain) in enumerate(zip(pairs, gains, strict=True)):
        ahead, behind = (second, first) if gain.observed > 0 else (first, second)
        p = adjusted.get(k, math.nan)
        found.append(MetricPair(better=names[ahead], worse=names[behind], difference=abs(gain.observed),
                                p=gain.p("two"), adjusted=p, significant=p <= alpha and gain.observed != 0),
        )  # fmt: skip
    return found


def _turned(filters: Sequence[Filter], evaluation: Evaluation) -> list[Filter]:
    """Thresholds on the metrics' own scales."""
    return [
        replace(item, thresholds=tuple(_sign(evaluation, item.name) * value + 0.0 for value in item.thresholds))
        for item in filters
    ]


def _people_turned(choosers: Sequence[MetricChooser], *, lower: bool) -> list[MetricChooser]:
    """People's scores on their own scale."""
    if not lower:
        return list(choosers)
    return [
        replace(
            item, people=-item.people,
            people_interval=None if item.people_interval is None else Interval(
                -item.people_interval.high, -item.people_interval.low, item.people_interval.confidence
            ),
        )
        for item in choosers
    ]  # fmt: skip


def beats(tests: Sequence[MetricPair], name: str, other: str) -> bool:
    """Whether one is significantly better than the other."""
    return any((test.better, test.worse) == (name, other) and test.significant for test in tests)


def _warnings(testset: str, filters: Sequence[Filter], filter_tests: Sequence[MetricPair],
              choosers: Sequence[MetricChooser], chooser_tests: Sequence[MetricPair]) -> list[str]:  # fmt: skip
    """Who is no better than a baseline that looks at nothing."""
    rated = {item.name for item in filters[1:] if not is_sentinel(item.name)}
    weak = [item.name for item in filters if item.name in rated and not beats(filter_tests, item.name, ALL)]
    found = []
    if weak:
        found.append(
            f"{testset}: as a filter not significantly better than keeping everything, by F: {', '.join(weak)}"
        )
    poor = [item.name for item in choosers if item.name in rated and not beats(chooser_tests, item.name, BEST)]
    if poor:
        found.append(
            f"{testset}: as a chooser not significantly better than always taking the best system: {', '.join(poor)}"
        )
    return found
