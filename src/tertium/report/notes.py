"""What is said of each segment beside it, in a file of translators: a sentence for each system."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tertium.core.evaluation import Evaluation
from tertium.core.wording import headings, number

if TYPE_CHECKING:
    from tertium.analysis.diagnose import Finding


def segment_notes(evaluation: Evaluation, findings: Iterable[Finding] = ()) -> list[list[str]]:
    """`atlas: chrF 61.2, TER 20.0; numbers: 12 is missing`, for every segment and system of which there is something to
    say. Metrics whose scores of single segments mean nothing by themselves are left out."""
    count, names = len(evaluation.testset), headings(evaluation.metrics)
    metrics = {str(metric): metric for metric in evaluation.metrics if metric.resampling == "percentile"}
    scores: dict[tuple[int, str], list[str]] = {}
    for k, score in enumerate(evaluation.scores("segment")):
        if score.metric in metrics and not math.isnan(score.value):
            said = f"{names[score.metric].removesuffix(' ↓')} {number(score.value, metrics[score.metric].decimals)}"
            scores.setdefault((k % count, score.system), []).append(said)
    found: dict[tuple[int, str], list[str]] = {}
    for finding in findings:
        found.setdefault((finding.segment - 1, finding.system), []).append(f"{finding.kind}: {finding.evidence}")
    notes: list[list[str]] = [[] for _ in range(count)]
    for k in range(count):
        for system in evaluation.systems:
            parts = [", ".join(scores.get((k, system.name), ())), *found.get((k, system.name), ())]
            if any(parts):
                notes[k].append(f"{system.name}: {'; '.join(filter(None, parts))}")
    return notes
