"""Which MT metric foretells retrieval: scores of systems by metrics beside measures of retrieval, as one table.

The measure is the gold, as people's judgements are elsewhere; its groups are measure and test set. So correlations with
p and n, wins and summaries are those of `meta`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tertium.core.errors import InputError
from tertium.core.metric import Metric
from tertium.core.wording import headings
from tertium.meta.table import ScoreTable, score_table
from tertium.retrieval.experiment import MEASURES, RetrievalTest
from tertium.retrieval.metric import TopicEvaluation
from tertium.retrieval.result import RetrievalResult
from tertium.retrieval.topics import Recipe

GOLD = "retrieval"
FORETOLD: Mapping[Recipe, tuple[str, ...]] = {  # of the usual measures
    "known-item": ("RR",),
    "term": ("AP", "mAQWV"),
    "pseudo": ("AP", "RBO(0.9)"),
    "own": ("AP",),
}


def measure_name(test: RetrievalTest, measure: Metric) -> str:
    """`mAP (term)`: the measure and where its topics come from."""
    return f"{headings([measure])[str(measure)]} ({test.recipe})"


def foretold(test: RetrievalTest, evaluation: TopicEvaluation) -> list[Metric]:
    """The measures that metrics are correlated with: of the usual ones the most telling, else all that were asked."""
    asked = {measure.measure: measure for measure in evaluation.measures}
    if tuple(asked) != MEASURES[test.recipe]:
        return list(evaluation.metrics)
    return [asked[name] for name in FORETOLD[test.recipe]]


def correlate_retrieval(results: Sequence[RetrievalResult]) -> ScoreTable:
    """A row for every system, test set and measure: how well its documents are found, and what each metric says."""
    columns: dict[str, list[Any]] = {"measure": [], "test set": [], "system": [], GOLD: []}
    titles, lower = dict[str, str](), []
    scored = [(result, result.metrics) for result in results if result.metrics is not None]
    if len(scored) < len(results) or not scored:
        raise InputError("there are no scores of MT metrics to set against retrieval; name some (metrics)")
    for _, evaluation in scored:
        titles |= headings(evaluation.metrics)
        lower += [titles[str(metric)] for metric in evaluation.metrics if metric.better == "lower"]
    names = {title.removesuffix(" ↓"): text for text, title in titles.items()}
    columns |= {name: [] for name in names}
    for result, metrics in scored:
        known = {(score.system, score.metric): score.value for score in metrics.scores()}
        for test, evaluation in zip(result.tests, result.evaluations, strict=True):
            found = {(score.system, score.metric): score.value for score in evaluation.scores()}
            for measure in foretold(test, evaluation):
                for system in (name for name in test.systems if (name, next(iter(names.values()))) in known):
                    columns["measure"].append(measure_name(test, measure))
                    columns["test set"].append(result.name)
                    columns["system"].append(system)
                    columns[GOLD].append(found[system, str(measure)])
                    for name, text in names.items():
                        columns[name].append(known.get((system, text), float("nan")))
    return score_table(
        columns, gold=GOLD, metrics=list(names), group=["measure", "test set"], system="system",
        lower=[name.removesuffix(" ↓") for name in dict.fromkeys(lower)],
    )  # fmt: skip
