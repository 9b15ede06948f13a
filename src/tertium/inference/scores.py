"""Scores with their uncertainty: from an Evaluation, or straight from texts."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.layout import Layout, references_of
from tertium.core.lines import Lines, frame_columns
from tertium.core.metric import Metric, choose
from tertium.core.score import Level, Score
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines.evaluate import evaluate
from tertium.inference.bootstrap import SEED, TOGETHER, refusal


class TertiumWarning(UserWarning):
    """Suspicious but valid input."""


def scores(
    evaluation: Evaluation,
    level: Level = "corpus",
    *,
    confidence: float | None = None,
    method: str = "percentile",
    trials: int = 1000,
    seed: int = SEED,
) -> list[Score]:
    """All scores of a level; with `confidence`, corpus scores have intervals where the metric allows them."""
    found = evaluation.scores(level)
    if confidence is None:
        return found
    if level != "corpus":
        raise OptionError(f"intervals are for corpus scores; level is {level}")
    choose("scores", "method", method, tuple(TOGETHER))
    metrics = {str(metric): metric for metric in evaluation.metrics}
    if not any(metric.resampling == "percentile" for metric in metrics.values()):
        raise OptionError("; ".join(interval_warnings(evaluation)))
    drawn = [score for score in found if metrics[score.metric].resampling == "percentile"]
    scored = [score for score in drawn if score.n]
    pairs = [(evaluation.stats(score.system, score.metric), metrics[score.metric]) for score in scored]
    intervals = TOGETHER[method](pairs, confidence=confidence, trials=trials, seed=seed)
    known = {id(score): interval for score, interval in zip(scored, intervals, strict=True)}
    kind = f"|bs:{trials}|seed:{seed}|{'ci' if method == 'percentile' else method}:{confidence:g}"
    made = {
        id(score): dataclasses.replace(score, interval=known.get(id(score)), signature=score.signature + kind)
        for score in drawn
    }
    return [made.get(id(score), score) for score in found]


def interval_warnings(evaluation: Evaluation) -> list[str]:
    """Metrics that show no interval, and why."""
    return [refusal(metric) for metric in evaluation.metrics if metric.resampling != "percentile"]


def score(
    outputs: Any,
    *,
    references: Any = None,
    sources: Any = None,
    metrics: str | Metric | Iterable[str | Metric] = ("bleu",),
    layout: Layout | None = None,
    documents: Sequence[str] | None = None,
    level: Level = "corpus",
    confidence: float | None = None,
    method: str = "percentile",
    trials: int = 1000,
    seed: int = SEED,
    threads: int | None = None,
) -> list[Score]:
    """Score outputs: a text, a list of texts, a data frame column, or a mapping of system names to any of these.

    References may be given per segment or per stream; where the lengths do not tell, pass `layout`.
    """
    systems = _systems(outputs)
    segments = len(systems[0].outputs)
    if (
        isinstance(outputs, str)
        and isinstance(references, list | tuple)
        and all(isinstance(r, str) for r in references)
    ):
        references = [references]  # several references of the one segment
    testset = TestSet(
        segments=segments,
        references=references_of(references, segments, layout),
        sources=None if sources is None else Lines.of([sources] if isinstance(sources, str) else sources, "sources"),
        documents=None if documents is None else tuple(documents),
    )
    evaluation = evaluate(testset, systems, metrics, threads=threads)
    for message in (*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())):
        warnings.warn(message, TertiumWarning, stacklevel=2)
    return scores(evaluation, level, confidence=confidence, method=method, trials=trials, seed=seed)


def _systems(outputs: Any) -> Sequence[System]:
    if isinstance(outputs, System):
        return [outputs]
    frame = None if isinstance(outputs, Mapping) else frame_columns(outputs)
    outputs = outputs if frame is None else frame
    if isinstance(outputs, Mapping):
        named = [System(name=str(name), outputs=Lines.of(texts, str(name))) for name, texts in outputs.items()]
        if not named:
            raise OptionError("outputs: an empty mapping; pass at least one system")
        return named
    if isinstance(outputs, list | tuple) and outputs and all(isinstance(item, System) for item in outputs):
        return outputs
    return [System(name="output", outputs=Lines.of([outputs] if isinstance(outputs, str) else outputs, "outputs"))]
