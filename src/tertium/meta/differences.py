"""Whether one metric correlates significantly better with human scores than another, group by group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tertium.inference.corrections import holm
from tertium.inference.correlation_tests import Sides, two_sided, williams
from tertium.inference.correlations import pearson
from tertium.meta.table import Group, ScoreTable


@dataclass(frozen=True)
class Difference:
    """Two metrics in one group, over the n rows that have both and the gold. p is of Williams' test of their Pearson
    correlations, two-sided unless one side was asked for; `adjusted` is corrected for all pairs of the group (Holm).
    NaN where it is not defined."""

    group: Group
    better: str
    worse: str
    r_better: float
    r_worse: float
    r_between: float
    p: float
    n: int
    adjusted: float = math.nan


def differences(table: ScoreTable, sides: Sides = "two") -> list[Difference]:
    """Every pair of metrics in every group (Williams 1959; Graham and Baldwin 2014). One-sided, p is for the metric
    that is ahead, which only the data say: equal metrics are then told apart twice as often as alpha says."""
    import numpy as np

    found = []
    for group, rows in table.groups.items():
        here = []
        gold = table.columns[table.gold][rows]
        for pair in combinations(table.metrics, 2):
            one, two = (table.columns[name][rows] for name in pair)
            known = np.isfinite(gold) & np.isfinite(one) & np.isfinite(two)
            values = {name: table.columns[name][rows][known] for name in pair}
            r = {name: pearson(gold[known], column).value for name, column in values.items()}
            better, worse = sorted(pair, key=lambda name: -math.inf if math.isnan(r[name]) else r[name], reverse=True)
            p = williams(gold[known], values[worse], values[better])
            here.append(
                Difference(
                    group=group,
                    better=better,
                    worse=worse,
                    r_better=r[better],
                    r_worse=r[worse],
                    r_between=pearson(values[better], values[worse]).value,
                    p=two_sided(p) if sides == "two" else p,
                    n=int(known.sum()),
                )
            )
        adjusted = iter(holm([item.p for item in here if not math.isnan(item.p)]))
        found += [item if math.isnan(item.p) else replace(item, adjusted=next(adjusted)) for item in here]
    return found


def count_better(found: Sequence[Difference], alpha: float) -> Counter[tuple[str, str]]:
    """In how many groups the first of two metrics is significantly better than the second, after the correction."""
    return Counter((item.better, item.worse) for item in found if item.adjusted < alpha)
