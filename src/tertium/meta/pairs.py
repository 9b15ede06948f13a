"""Pairs of systems: does a metric prefer the one that people prefer?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.meta.table import Group, ScoreTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

MOST = 2_000_000  # pairs: beyond this a table has segments in its rows, and they are not in their groups


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """All pairs of systems within groups, as arrays; the first of a pair is the one that people prefer.

    `gold` are the differences between the human scores, never below 0; `differences` those of each metric. A metric
    contradicts people where its difference is below 0 and theirs is above.
    """

    groups: tuple[Group, ...]  # all groups
    group: NDArray[np.int64]  # the number of a pair's group (p,)
    first: NDArray[np.int64]  # row of the table (p,)
    second: NDArray[np.int64]  # row of the table (p,)
    gold: Array  # (p,)
    differences: Mapping[str, Array]  # each (p,), NaN where the metric is missing

    def __len__(self) -> int:
        return len(self.gold)

    def contradicted(self, metric: str) -> NDArray[np.bool_]:
        """The pairs in which a metric prefers the other system. # (p,)"""
        return (self.gold > 0) & (self.differences[metric] < 0)


def system_pairs(table: ScoreTable) -> SystemPairs:
    """Every pair of systems with human scores in every group."""
    import numpy as np

    gold = table.columns[table.gold]
    parts: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    total = 0
    for number, rows in enumerate(table.groups.values()):
        judged = rows[np.isfinite(gold[rows])]
        total += len(judged) * (len(judged) - 1) // 2
        if total > MOST:
            raise InputError(
                f"more than {MOST} pairs of rows in {len(table.groups)} groups; are rows segments? "
                f"then make every segment a group, or use one row per system"
            )
        i, j = np.triu_indices(len(judged), 1)
        better = gold[judged[i]] >= gold[judged[j]]
        first, second = np.where(better, judged[i], judged[j]), np.where(better, judged[j], judged[i])
        parts.append((np.full(len(i), number, dtype=np.int64), first, second))
    group, one, two = (np.concatenate(column) for column in zip(*parts, strict=True))
    return SystemPairs(
        tuple(table.groups), group, one, two, gold[one] - gold[two],
        {name: table.columns[name][one] - table.columns[name][two] for name in table.metrics},
    )  # fmt: skip


@dataclass(frozen=True)
class PairVerdict:
    """How often a metric and people prefer the same system. `equal` counts the pairs in which the metric sees no
    difference; pairs that people do not tell apart, or that the metric has not scored, are in none of the counts."""

    metric: str
    pairs: int
    agree: int
    contradict: int
    equal: int
    largest: float  # the largest difference between human scores that the metric contradicts; NaN if there is none

    @property
    def accuracy(self) -> float:
        """The share of pairs in which they agree (Kocmi et al. 2021); NaN without pairs."""
        return self.agree / self.pairs if self.pairs else float("nan")


def verdicts(pairs: SystemPairs) -> list[PairVerdict]:
    """The pairs of each metric, counted."""
    import numpy as np

    found = []
    for metric, difference in pairs.differences.items():
        told = (pairs.gold > 0) & np.isfinite(difference)
        against = pairs.contradicted(metric)
        found.append(
            PairVerdict(
                metric=metric,
                pairs=int(told.sum()),
                agree=int((told & (difference > 0)).sum()),
                contradict=int(against.sum()),
                equal=int((told & (difference == 0)).sum()),
                largest=float(pairs.gold[against].max()) if against.any() else float("nan"),
            )
        )
    return found
