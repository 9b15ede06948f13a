"""Questions of the JSON interface about an evaluation, each answered as the command of that name answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.score import Level
from tertium.report import objects


def score(
    evaluation: Evaluation, level: Level, confidence: float | None, method: str, trials: int, seed: int
) -> dict[str, Any]:
    """Scores, as `tertium score -f json`."""
    from tertium.inference.scores import interval_warnings, scores

    found = scores(evaluation, level, confidence=confidence, method=method, trials=trials, seed=seed)
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())]
    return objects.scores_object(evaluation, found, warnings)


def compare(evaluation: Evaluation, metrics: Sequence[str], baseline: str | None, **options: Any) -> dict[str, Any]:
    """Comparisons, as `tertium compare -f json`."""
    from tertium.inference.compare import compare as compare_systems

    found = {
        text: compare_systems(evaluation, text, baseline=baseline, **options) for text in chosen(evaluation, metrics)
    }
    return objects.comparisons_object(evaluation, found, baseline)


def disagree(
    evaluation: Evaluation, first: str, second: str, metrics: Sequence[str], by: str, top: int | None
) -> dict[str, Any]:
    """Segments on which metrics disagree, as `tertium disagree -f json`."""
    from tertium.analysis.favouritism import rank_segments

    names = chosen(evaluation, metrics)
    found = rank_segments(evaluation, first, second, names if metrics else names[:2], by=by)
    return objects.disagreements_object(evaluation, (first, second), found.items(top), by, len(found))


def types(evaluation: Evaluation, metric: str | None, **options: Any) -> dict[str, Any]:
    """Types of every system, as `tertium types -f json`."""
    from tertium.analysis.types import types as find_types

    counting = [str(item) for item in evaluation.metrics if hasattr(item, "type_weights")]
    name = metric or next(iter(counting), None)
    if name is None:
        raise OptionError("no metric of this evaluation counts types; add one that does, such as macrof")
    text = str(evaluation.metric(name))
    tables = {
        system.name: objects.type_rows(find_types(evaluation, system.name, text, **options))
        for system in evaluation.systems
        if (system.name, text) in evaluation.table
    }
    return objects.types_object(evaluation, text, {"types": tables})


def diagnose(evaluation: Evaluation, detectors: str | None, keep: int | None) -> dict[str, Any]:
    """Errors that a program can see, as `tertium diagnose -f json`."""
    from tertium.analysis.diagnose import diagnose as find

    return objects.diagnosis_object(find(evaluation, detectors=detectors, keep=keep))


def buckets(evaluation: Evaluation, by: str, confidence: float | None, **options: Any) -> dict[str, Any]:
    """Scores of parts of the test set, as `tertium buckets -f json`."""
    from tertium.analysis.buckets import buckets as bucket_scores
    from tertium.inference.scores import interval_warnings

    found = bucket_scores(evaluation, by, confidence=confidence, **options)
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if confidence else ())]
    return objects.buckets_object(evaluation, by, found, warnings)


def chosen(evaluation: Evaluation, metrics: Sequence[str]) -> list[str]:
    """The metrics that are named, or all."""
    from tertium.metrics import parse_list

    names = [str(metric) for metric in parse_list(metrics)] if metrics else []
    found = [str(evaluation.metric(name)) for name in names] or [str(metric) for metric in evaluation.metrics]
    if not found:
        raise OptionError("the evaluation has no metric; score it first")
    return found


ANSWERS: dict[str, Callable[..., dict[str, Any]]] = {
    "score": score,
    "compare": compare,
    "disagree": disagree,
    "types": types,
    "diagnose": diagnose,
    "buckets": buckets,
}
