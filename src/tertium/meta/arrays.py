"""Scores of people and metrics as arrays, systems x segments, in which higher is better and missing is NaN."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric
from tertium.inference.correlations import Correlation, pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

EXACT = 9  # decimals of segment scores: what lies behind them is rounding error, and would break ties
ENOUGH = 300  # segments from which on a wrong join shows
UNRELATED = 0.1  # segment means of people and of a metric with references correlate above .4 where both are of one text


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """What one metric, or people, said of the systems; higher is better."""

    name: str
    corpus: Array  # (systems,)
    segments: Array  # (systems, segments)


@dataclass(frozen=True, eq=False, kw_only=True)
class Tables:
    """People and metrics, on the systems that people judged."""

    testset: str
    systems: tuple[str, ...]
    gold: Scores
    metrics: tuple[Scores, ...]
    grounded: tuple[str, ...]  # metrics that look at references
    unjudged: tuple[str, ...]  # systems left out


def read_tables(evaluation: Evaluation, gold: str | Metric | Mapping[str, ArrayLike]) -> Tables:
    """The arrays behind an evaluation. `gold` is one of its metrics, or people's scores of each system's segments."""
    import numpy as np

    people = _given(evaluation, gold) if isinstance(gold, Mapping) else _scores(evaluation, evaluation.metric(gold))
    others = [metric for metric in evaluation.metrics if str(metric) != people.name]
    if not others:
        raise OptionError(f"no metric to compare with {people.name}; name some (-m bleu,chrf)")
    judged = np.flatnonzero(~np.isnan(people.corpus))
    if len(judged) < 2:
        raise InputError(
            f"test set {evaluation.testset.name}: {people.name} has scores of {len(judged)} of "
            f"{len(evaluation.systems)} systems; at least two are needed to ask whether metrics rank them alike"
        )
    names = tuple(evaluation.systems[k].name for k in judged)
    rest = tuple(system.name for system in evaluation.systems if system.name not in names)
    return Tables(
        testset=evaluation.testset.name,
        systems=names,
        gold=_some(people, judged),
        metrics=tuple(_some(_scores(evaluation, metric), judged) for metric in others),
        grounded=tuple(str(metric) for metric in others if "references" in metric.needs),
        unjudged=rest,
    )


def _some(scores: Scores, systems: NDArray[np.intp]) -> Scores:
    return Scores(name=scores.name, corpus=scores.corpus[systems], segments=scores.segments[systems])


def _scores(evaluation: Evaluation, metric: Metric) -> Scores:
    """Of every system; NaN where it has no rows."""
    import numpy as np

    sign = 1 if metric.better == "higher" else -1
    corpus, rows = [], []
    for system in evaluation.systems:
        stats = evaluation.table.get((system.name, str(metric)))
        if stats is None or stats.n == 0:
            corpus.append(math.nan)
            rows.append(np.full(len(evaluation.testset), np.nan))
            continue
        corpus.append(sign * float(metric.score(stats.total())))
        rows.append(sign * np.round(row_values(stats, partial(segment_scores, metric)), EXACT))
    return Scores(name=str(metric), corpus=np.array(corpus), segments=np.array(rows))


def _given(evaluation: Evaluation, gold: Mapping[str, ArrayLike]) -> Scores:
    """Scores by people that come from elsewhere; higher is better. A system's is the mean of its segments."""
    import numpy as np

    n, known = len(evaluation.testset), [system.name for system in evaluation.systems]
    for name in gold:
        if name not in known:
            raise InputError(f"people judged system {name}, which is not in the evaluation; there: {', '.join(known)}")
    rows = np.full((len(known), n), np.nan)
    for k, name in enumerate(known):
        if name in gold:
            values = np.asarray(gold[name], dtype=float)
            if values.shape != (n,):
                raise InputError(
                    f"system {name}: {values.size} scores by people, but test set {evaluation.testset.name} has {n} "
                    f"segments; use NaN where nobody judged"
                )
            rows[k] = values
    return Scores(name="people", corpus=means(rows), segments=rows)


def means(rows: Array) -> Array:
    """Over the segments that have a score. # (systems, segments) -> (systems,)"""
    import numpy as np

    n = (~np.isnan(rows)).sum(axis=-1)
    return np.where(n > 0, np.nansum(rows, axis=-1) / np.maximum(n, 1), np.nan)


def segment_agreement(gold: Array, metric: Array) -> Correlation:
    """Pearson of segment means over the judged outputs, people's scores minus the mean of their system: are easy
    segments easy for both? # (systems, segments)"""
    import numpy as np

    known = ~(np.isnan(gold) | np.isnan(metric))
    people, machine = (np.where(known, values, np.nan) for values in (gold, metric))
    return pearson(means((people - means(people)[:, None]).T), means(machine.T))


def check_join(tables: Tables) -> None:
    """Refuse scores by people that cannot belong to these texts: nearly no segment is easy for both."""
    found = {
        scores.name: segment_agreement(tables.gold.segments, scores.segments)
        for scores in tables.metrics
        if scores.name in tables.grounded
    }
    tried = {name: item for name, item in found.items() if item.n >= ENOUGH and not math.isnan(item.value)}
    if not tried or max(item.value for item in tried.values()) >= UNRELATED:
        return
    name, best = max(tried.items(), key=lambda pair: pair[1].value)
    raise InputError(
        f"test set {tables.testset}: scores by {tables.gold.name} do not seem to be about these outputs: "
        f"means of {best.n} segments correlate {best.value:.3f} with {name}, and more than {UNRELATED} is expected; "
        f"are segments numbered in another order (WMT sorts documents by name)? "
        f"--trust-join (trust_join=True) goes on all the same"
    )


def between(scores: Sequence[Scores], *, segments: bool) -> Array:
    """Pearson of every metric with every other. # (metrics, metrics)"""
    import numpy as np

    sides = [item.segments if segments else item.corpus for item in scores]
    matrix = np.ones((len(sides), len(sides)))
    for i, left in enumerate(sides):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = pearson(left, sides[j]).value
    return matrix
