"""Check that human judgements belong to these texts: segments that are hard are hard for people and for metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, is_human
from tertium.inference.correlations import Correlation, pearson

if TYPE_CHECKING:
    from tertium.core.stats import Array

EXACT = 9  # decimals of segment scores: what lies behind them is rounding error, and would break ties
ENOUGH = 300  # segments from which on a wrong join shows
UNRELATED = 0.1  # segment means of people and of a metric with references correlate above .4 where both are of one text


def segment_rows(evaluation: Evaluation, metric: Metric) -> Array:
    """Scores of every system's segments, higher is better; NaN where there is none. # (systems, segments)"""
    import numpy as np

    sign = 1 if metric.better == "higher" else -1
    rows = np.full((len(evaluation.systems), len(evaluation.testset)), np.nan)
    for k, system in enumerate(evaluation.systems):
        stats = evaluation.table.get((system.name, str(metric)))
        if stats is not None and stats.n:
            rows[k] = sign * np.round(row_values(stats, partial(segment_scores, metric)), EXACT)
    return rows


def means(rows: Array) -> Array:
    """Over the segments that have a score. # (systems, segments) -> (systems,)"""
    import numpy as np

    n = (~np.isnan(rows)).sum(axis=-1)
    return np.where(n > 0, np.nansum(rows, axis=-1) / np.maximum(n, 1), np.nan)


def segment_agreement(gold: Array, metric: Array) -> Correlation:
    """Pearson's r of segment means over the judged outputs, human scores minus the mean of their system: are easy
    segments easy for both? # (systems, segments)"""
    import numpy as np

    known = ~(np.isnan(gold) | np.isnan(metric))
    people, machine = (np.where(known, values, np.nan) for values in (gold, metric))
    return pearson(means((people - means(people)[:, None]).T), means(machine.T))


def check_join(testset: str, people: str, gold: Array, metrics: Iterable[tuple[str, Array]]) -> None:
    """Refuse human scores that cannot belong to these texts: their segment means do not correlate with any metric's.
    `metrics` are those that read references, with their rows. # (systems, segments)"""
    best, named = Correlation(-math.inf, math.nan, 0), ""
    for name, rows in metrics:
        found = segment_agreement(gold, rows)
        if found.n < ENOUGH or math.isnan(found.value):
            continue
        if found.value >= UNRELATED:
            return
        if found.value > best.value:
            best, named = found, name
    if not named:
        return
    raise InputError(
        f"test set {testset}: scores by {people} do not seem to be about these outputs: "
        f"means of {best.n} segments correlate {best.value:.3f} with {named}, and more than {UNRELATED} is expected; "
        f"are segments numbered in another order (WMT sorts documents by name)? "
        f"--trust-join (trust_join=True) goes on all the same"
    )


def check_people(evaluation: Evaluation) -> None:
    """Refuse an evaluation whose human scores cannot be about its texts."""
    grounded = [metric for metric in evaluation.metrics if "references" in metric.needs]
    for people in evaluation.metrics:
        if is_human(people) and grounded:
            rows = ((str(metric), segment_rows(evaluation, metric)) for metric in grounded)
            check_join(evaluation.testset.name, str(people), segment_rows(evaluation, people), rows)
