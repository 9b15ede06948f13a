"""Whether one metric goes significantly better with people than another, group by group."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from tertium.inference.correlations import pearson
from tertium.inference.rivals import williams
from tertium.meta.table import Group, ScoreTable


@dataclass(frozen=True)
class Difference:
    """Two metrics in one group, over the n rows that have both and the gold. p is of Williams' test, one-sided, for
    "`better` correlates better (Pearson's r) than `worse`"; NaN where it is not defined."""

    group: Group
    better: str
    worse: str
    r_better: float
    r_worse: float
    r_between: float
    p: float
    n: int


def differences(table: ScoreTable) -> list[Difference]:
    """Every pair of metrics in every group (Williams 1959; Graham and Baldwin 2014)."""
    import numpy as np

    found = []
    for group, rows in table.groups.items():
        gold = table.columns[table.gold][rows]
        for pair in combinations(table.metrics, 2):
            one, two = (table.columns[name][rows] for name in pair)
            known = np.isfinite(gold) & np.isfinite(one) & np.isfinite(two)
            values = {name: table.columns[name][rows][known] for name in pair}
            r = {name: pearson(gold[known], column).value for name, column in values.items()}
            better, worse = sorted(pair, key=lambda name: -math.inf if math.isnan(r[name]) else r[name], reverse=True)
            found.append(
                Difference(
                    group=group,
                    better=better,
                    worse=worse,
                    r_better=r[better],
                    r_worse=r[worse],
                    r_between=pearson(values[better], values[worse]).value,
                    p=williams(gold[known], values[worse], values[better]),
                    n=int(known.sum()),
                )
            )
    return found


def count_better(found: Sequence[Difference], alpha: float) -> Counter[tuple[str, str]]:
    """In how many groups the first of two metrics is significantly better than the second."""
    return Counter((item.better, item.worse) for item in found if item.p < alpha)
