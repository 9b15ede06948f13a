"""One test set of a report about several: what it is called, its results, where its systems stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.standing import Standing, standings


@dataclass(frozen=True, eq=False, kw_only=True)
class OneOfSeveral:
    """One test set of several; with a baseline, its systems are measured from that."""

    name: str
    results: Results
    people: People
    baseline: str | None = None

    @cached_property
    def standings(self) -> list[Standing]:
        """Of its metrics, then of people."""
        return standings(self.results, self.people, self.baseline)

    @cached_property
    def tested(self) -> list[Standing]:
        """Of the metrics by which a difference could have been significant."""
        return [standing for standing in self.standings if standing.tested and not standing.people]

    def score(self, metric: Metric, name: str) -> float:
        """A corpus score, the mean over runs; NaN where there is none."""
        return self.results.group_value(name, metric) if name in self.results.groups else math.nan


def set_names(evaluations: Sequence[Evaluation]) -> list[str]:
    """How test sets are called: by name, or by languages, or by both; numbered where that is not enough."""
    plain = [evaluation.testset.name for evaluation in evaluations]
    pairs = [evaluation.testset.language_pair or "" for evaluation in evaluations]
    for names in (plain, pairs, [f"{name} {pair}".strip() for name, pair in zip(plain, pairs, strict=True)]):
        if all(names) and len(set(names)) == len(names):
            return names
    return [f"{name} {k}" for k, name in enumerate(plain, 1)]
