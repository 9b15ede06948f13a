"""Human scores and metric scores as arrays, systems x segments, in which higher is better and missing is NaN."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judged_names import left_out
from tertium.core.judgement import SCALES
from tertium.core.metric import Metric
from tertium.core.wording import counted
from tertium.inference import join
from tertium.inference.correlations import pearson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores:
    """The scores of the systems by one metric, or by people; higher is better."""

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
    absent: tuple[str, ...]  # judged, but not among the systems here


def read_tables(
    evaluation: Evaluation,
    gold: str | Metric | Mapping[str, ArrayLike],
    gold_name: str = "people",
    system_scores: Mapping[str, Mapping[str, float]] | None = None,
    fewest: int = 2,
) -> Tables:
    """The arrays behind an evaluation. `gold` is one of its metrics, or people's scores of each system's segments,
    which are called by a name. `system_scores` are published ones, of people by that name or of metrics, and stand in
    the place of those that segments make."""
    import numpy as np

    known = [system.name for system in evaluation.systems]
    absent = left_out(gold, known) if isinstance(gold, Mapping) else []  # else the evaluation says it
    if isinstance(gold, Mapping):
        people = _given(evaluation, gold, gold_name)
    else:
        people = _scores(evaluation, evaluation.metric(gold))
    people = _published(people, known, system_scores or {})
    others = [metric for metric in evaluation.metrics if str(metric) != people.name]
    if not others:
        raise OptionError(f"no metric to compare with {people.name}; name some (-m bleu,chrf)")
    known_corpus = ~np.isnan(people.corpus)
    judged = np.flatnonzero(known_corpus | ~np.isnan(people.segments).all(axis=1))
    enough = known_corpus.sum() if fewest > 1 else len(judged)
    if enough < fewest:
        raise InputError(
            f"test set {evaluation.testset.name}: {people.name} has scores of {enough} of "
            f"{counted(len(evaluation.systems), 'system')}; at least {'two are' if fewest > 1 else 'one is'} needed to "
            f"ask whether metrics {'rank them alike' if fewest > 1 else 'agree'}"
        )
    names = tuple(evaluation.systems[k].name for k in judged)
    rest = tuple(name for name in known if name not in names)
    return Tables(
        testset=evaluation.testset.name,
        systems=names,
        gold=_some(people, judged),
        metrics=tuple(
            _some(_published(_scores(evaluation, metric), known, system_scores or {}, metric), judged)
            for metric in others
        ),
        grounded=tuple(str(metric) for metric in others if "references" in metric.needs),
        unjudged=rest,
        absent=tuple(absent),
    )


def people_scores(evaluation: Evaluation, metric: Metric) -> tuple[str, bool]:
    """Whether people's rows are z or raw scores, which their signature says, and whether they are points of 100."""
    match = re.search(r"\|scores:(z|raw)\b", evaluation.signatures.get(str(metric), ""))
    scores = match[1] if match else ""
    scale = SCALES.get(getattr(metric, "scale", ""))
    hundred = scale is not None and (scale.low, scale.high) == (0, 100)
    return scores, metric.range == (0, 100) or (hundred and scores == "raw")


def _published(
    scores: Scores, known: Sequence[str], given: Mapping[str, Mapping[str, float]], metric: Metric | None = None
) -> Scores:
    """The scores, those of systems as they were published."""
    import numpy as np

    values = given.get(scores.name)
    if not values:
        return scores
    sign = -1 if metric is not None and metric.better == "lower" else 1
    there = np.isnan(scores.corpus)
    corpus = [math.nan if there[k] else sign * values.get(name, math.nan) for k, name in enumerate(known)]
    return Scores(name=scores.name, corpus=np.array(corpus), segments=scores.segments)


def _some(scores: Scores, systems: NDArray[np.intp]) -> Scores:
    return Scores(name=scores.name, corpus=scores.corpus[systems], segments=scores.segments[systems])


def _scores(evaluation: Evaluation, metric: Metric) -> Scores:
    """Of every system; NaN where it has no rows."""
    import numpy as np

    sign = 1 if metric.better == "higher" else -1
    found = [evaluation.table.get((system.name, str(metric))) for system in evaluation.systems]
    corpus = [
        math.nan if stats is None or stats.n == 0 else sign * float(metric.score(stats.total())) for stats in found
    ]
    return Scores(name=str(metric), corpus=np.array(corpus), segments=join.segment_rows(evaluation, metric))


def _given(evaluation: Evaluation, gold: Mapping[str, ArrayLike], called: str) -> Scores:
    """Scores by people that come from elsewhere; higher is better. A system's is the mean of its segments."""
    import numpy as np

    n, known = len(evaluation.testset), [system.name for system in evaluation.systems]
    rows = np.full((len(known), n), np.nan)
    for k, name in enumerate(known):
        if name in gold:
            values = np.asarray(gold[name], dtype=float)
            if values.shape != (n,):
                raise InputError(
                    f"system {name}: {counted(values.size, 'score')} by people, but test set "
                    f"{evaluation.testset.name} has {counted(n, 'segment')}; use NaN where nobody judged"
                )
            rows[k] = values
    return Scores(name=called, corpus=join.means(rows), segments=rows)


def check_join(tables: Tables) -> None:
    """Refuse scores by people that cannot belong to these texts."""
    grounded = ((scores.name, scores.segments) for scores in tables.metrics if scores.name in tables.grounded)
    join.check_join(tables.testset, tables.gold.name, tables.gold.segments, grounded)


def between(scores: Sequence[Scores], *, segments: bool) -> Array:
    """Pearson of every metric with every other. # (metrics, metrics)"""
    import numpy as np

    sides = [item.segments if segments else item.corpus for item in scores]
    matrix = np.ones((len(sides), len(sides)))
    for i, left in enumerate(sides):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = pearson(left, sides[j]).value
    return matrix
