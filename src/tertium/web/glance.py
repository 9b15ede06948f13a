"""What the list of evaluations shows of each: the verdict, the best score, and scores for the history of a test set.

Worked out once, by a worker, and kept in the index, so that the list opens no evaluation.
"""

from __future__ import annotations

import math
from typing import Any

from tertium.core.evaluation import Evaluation
from tertium.core.wording import number
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.shipping import against_baseline
from tertium.report.standing import standings
from tertium.report.verdict import Verdict, verdict


def glance(evaluation: Evaluation, baseline: str | None = None) -> dict[str, Any]:
    """Plain values for the index. A verdict that cannot be had leaves the scores: they are counted, and stay."""
    results = Results(evaluation=evaluation)
    metrics = results.metrics
    scores = {
        str(metric): {name: _finite(results.group_value(name, metric)) for name in results.groups} for metric in metrics
    }
    first = metrics[0]
    best = next((name for name in results.groups if scores[str(first)][name] is not None), None)
    found: dict[str, Any] = {
        "baseline": baseline,
        "scores": scores,
        "titles": {text: title.removesuffix(" ↓") for text, title in results.titles.items()},
        "better": {str(metric): metric.better for metric in metrics},
        "best": None,
    }
    if best is not None:
        value = results.group_value(best, first)
        found["best"] = {"system": best, "metric": str(first), "value": value,
                         "text": f"{number(value, first.decimals)} {results.plain_title(first)}"}  # fmt: skip
    try:
        said = decided(results, baseline)
        found |= {"case": said.case, "verdict": said.sentence}
    except Exception as error:  # whatever it is: that nothing can be said of scores does not undo them
        found |= {"case": "failed", "verdict": f"No verdict: {error}"}
    return found


def decided(results: Results, baseline: str | None) -> Verdict:
    """The verdict that stands first in the report."""
    found = standings(results, People(evaluation=results.evaluation), baseline)
    if baseline is not None and len(results.groups) > 1:
        return against_baseline(found, baseline)
    alone = results.scores.get((results.systems[0], str(results.metrics[0]))) if len(results.groups) == 1 else None
    return verdict(found, len(results.evaluation.testset), alone)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
