"""Metrics beside people as plain JSON values: for the command line's `-f json` and for the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.version import VERSION
from tertium.meta.judge import TITLES, MetaEvaluation, MetaScore, pool
from tertium.meta.rivalry import TEST_TITLES

if TYPE_CHECKING:
    from tertium.meta.rivalry import Rivalry


def meta_object(evaluations: Sequence[Evaluation], found: Sequence[MetaEvaluation]) -> dict[str, Any]:
    """Every statistic and test of every test set, and what they come to over all."""
    return {
        "tertium": VERSION,
        "signatures": {key: text for item in evaluations for key, text in item.signatures.items()},
        "testsets": [
            {
                "testset": result.testset,
                "gold": result.gold,
                "gold_scores": result.gold_scores,
                "systems": list(result.systems),
                "metrics": list(result.metrics),
                "judged": result.judged,
                "trials": result.trials,
                "seed": result.seed,
                "scores": [_score(score) for score in result.scores],
                "tests": {level: _rivalry(rivalry) for level, rivalry in result.rivalries.items()},
                "between": {level: plain(table.tolist()) for level, table in result.between.items()},
                "warnings": [*evaluation.warnings, *result.warnings],
            }
            for evaluation, result in zip(evaluations, found, strict=True)
        ],
        "pooled": [_score(score) for score in pool(found)] if len(found) > 1 else [],
    }


def _score(score: MetaScore) -> Any:
    """A statistic, with its name in words."""
    return plain({**asdict(score), "title": TITLES[score.statistic]})


def _rivalry(rivalry: Rivalry) -> Any:
    """Tests between metrics."""
    return plain({**asdict(rivalry), "title": TEST_TITLES[rivalry.test]})
