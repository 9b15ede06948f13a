"""Scores with their uncertainty: from an Evaluation, or straight from texts."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines, frame_columns
from tertium.core.metric import Metric, choose
from tertium.core.run import PLAIN, Run, TertiumWarning
from tertium.core.score import Level, Score
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines.evaluate import evaluate
from tertium.inference.seeds import RESAMPLES, SEED, check_drawn
from tertium.inference.units import UNITS, Unit, rows_of_units

if TYPE_CHECKING:
    from tertium.core.layout import Layout


def scores(
    evaluation: Evaluation,
    level: Level = "corpus",
    *,
    confidence: float | None = None,
    method: str = "percentile",
    trials: int = RESAMPLES,
    seed: int = SEED,
    unit: Unit = "segment",
    run: Run = PLAIN,
) -> list[Score]:
    """All scores of a level; with `confidence`, corpus scores have intervals where the metric allows them.

    `unit` is what is drawn: segments, or whole documents.
    """
    found = evaluation.scores(level)
    if confidence is None:
        return found
    from tertium.inference.bootstrap import OF_MANY  # a score without an interval does without it

    if level != "corpus":
        raise OptionError(f"intervals are for corpus scores; level is {level}")
    choose("scores", "method", method, tuple(OF_MANY))
    choose("scores", "unit", unit, UNITS)
    check_drawn(trials, seed, "resamples")
    if not isinstance(confidence, int | float):
        raise OptionError(f"confidence {confidence!r}: must lie between 0 and 1, such as 0.95")
    metrics = {str(metric): metric for metric in evaluation.metrics}
    if not any(metric.resampling == "percentile" for metric in metrics.values()):
        raise OptionError("; ".join(interval_warnings(evaluation)))
    drawn = [score for score in found if metrics[score.metric].resampling == "percentile"]
    scored = [score for score in drawn if score.n]
    rows = rows_of_units([evaluation.stats(score.system, score.metric) for score in scored], evaluation.testset, unit)
    pairs = [(part, metrics[score.metric]) for score, part in zip(scored, rows, strict=True)]
    intervals = OF_MANY[method](pairs, confidence=confidence, trials=trials, seed=seed, run=run)
    known = {id(score): interval for score, interval in zip(scored, intervals, strict=True)}
    kind = f"|bs:{trials}|seed:{seed}|{'ci' if method == 'percentile' else method}:{confidence:g}"
    kind += "|unit:document" if unit == "document" else ""
    made = {
        id(score): dataclasses.replace(score, interval=known.get(id(score)), signature=score.signature + kind)
        for score in drawn
    }
    return [made.get(id(score), score) for score in found]


def interval_warnings(evaluation: Evaluation) -> list[str]:
    """Metrics without an interval, and why; and what an interval is not about, where a metric declares that."""
    from tertium.inference.bootstrap import refusal

    refused = [refusal(metric) for metric in evaluation.metrics if metric.resampling != "percentile"]
    noted = [(metric, getattr(metric, "interval_note", None)) for metric in evaluation.metrics]
    return [*refused, *(f"{metric} {note}" for metric, note in noted if note)]


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
    trials: int = RESAMPLES,
    seed: int = SEED,
    unit: Unit = "segment",
    run: Run = PLAIN,
) -> list[Score]:
    """Score outputs: a text, a list of texts, a data frame column, or a mapping of system names to any of these.

    References may be given per segment or per stream; where the lengths do not tell, pass `layout`.
    """
    from tertium.core.layout import references_of

    systems = systems_of(outputs)
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
        documents=None if documents is None else _documents(documents),
    )
    evaluation = evaluate(testset, systems, metrics, run=run)
    for message in (*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())):
        warnings.warn(message, TertiumWarning, stacklevel=2)
    return scores(evaluation, level, confidence=confidence, method=method, trials=trials, seed=seed, unit=unit, run=run)


def _documents(documents: Any) -> tuple[str, ...]:
    if isinstance(documents, str) or not isinstance(documents, Iterable):
        raise InputError(f"documents: {type(documents).__name__}; pass a list of names, one per segment")
    return tuple(documents)


def systems_of(outputs: Any) -> Sequence[System]:
    """Systems of one output, of a list of them, or of a mapping of names to either."""
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
