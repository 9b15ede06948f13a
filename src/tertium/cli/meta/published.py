"""What people said that is published beside a test set: a file of WMT, or the scores in a folder of mt-metrics-eval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.io.evalset import EvalSet
from tertium.metrics import parse, parse_each, parse_list, split_list

if TYPE_CHECKING:
    from tertium.io.ratings.segment_scores import Column

USUAL = "bleu,chrf,ter"


@dataclass(frozen=True, kw_only=True)
class Gold:
    """What metrics are compared with: a metric of people's judgements, or scores of each system's segments."""

    segments: Any
    scores: str = ""  # z or raw, where it is known
    name: str = "people"
    systems: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # published, of people and of metrics


def chosen_metrics(words: Sequence[str], evalset: EvalSet | None) -> tuple[tuple[Metric, ...], tuple[str, ...]]:
    """Metrics that are counted here, and those whose scores are in the folder: all of it where none is named."""
    if evalset is None:
        return parse_list(words or (USUAL,)), ()
    if not words:
        return (() if evalset.metrics else parse_list(USUAL)), evalset.brings()
    items = [item.strip() for word in words for item in split_list(word)]
    theirs = tuple(dict.fromkeys(item for item in items if item in evalset.metrics))
    own = parse_each([item for item in items if item not in theirs], parse)
    return own, evalset.brings(theirs) if theirs else ()


def of_folder(evalset: EvalSet, evaluation: Evaluation, name: str | None) -> Gold:
    """People's scores of that name in the folder, or the only ones."""
    from tertium.metrics.scores import ElsewhereScores

    if name is None and len(evalset.people) != 1:
        there = ", ".join(evalset.people) or "none"
        raise OptionError(f"{evalset.where}: say which scores by people (--gold NAME); there are: {there}")
    chosen = name or next(iter(evalset.people))
    called = f"people ({chosen})"
    systems = {called: evalset.system_scores(chosen)}
    for metric in evaluation.metrics:
        if isinstance(metric, ElsewhereScores) and metric.of in evalset.metrics:
            systems[str(metric)] = evalset.metric_system_scores(metric.of)
    last = chosen.rpartition("-")[2]
    return Gold(
        segments=evalset.people_scores(chosen, len(evaluation.testset)),
        scores=last if last in ("z", "raw") else "",
        name=called,
        systems=systems,
    )


def of_file(path: str, evaluation: Evaluation, column: Column | None, order: str) -> Gold:
    """Scores of segments as WMT publishes them."""
    from tertium.io.ratings.segment_scores import read_segment_scores, usual_column

    chosen = column or usual_column(path)
    return Gold(segments=read_segment_scores(path, evaluation.testset, chosen, order=order), scores=chosen)
