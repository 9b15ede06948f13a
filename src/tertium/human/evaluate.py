"""Rows of texts and of people in one evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.system import check_lengths
from tertium.engines.evaluate import evaluate


def evaluate_all(
    given: Evaluation,
    metrics: Sequence[Metric],
    *,
    run: Run = PLAIN,
    trusted: bool = True,
    trust_join: bool = False,
) -> Evaluation:
    """Rows of all metrics: those of texts are counted, those of people come from the judgements, which are refused
    where they cannot be about these texts unless the join is trusted."""
    asked = [metric for metric in metrics if "judgements" in metric.needs]
    counted = [metric for metric in metrics if metric not in asked]
    found = replace(given, metrics=(), table={}, signatures={})
    if counted or not asked:
        found = evaluate(given.testset, given.systems, counted, judgements=given.judgements, run=run,
                         trusted=trusted)  # fmt: skip
    if not asked:
        return found
    from tertium.human.scores import judge  # texts alone are counted without numpy

    for system in given.systems:
        check_lengths(system, given.testset)
    return replace(judge(found, *asked, trust_join=trust_join), metrics=tuple(metrics))
