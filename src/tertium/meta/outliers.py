"""Systems far from all others: one broken system can carry a whole correlation.

Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU": a system is an outlier if its human score is more than 2.5 median
absolute deviations from the median of its group (Iglewicz and Hoaglin 1993; Rousseeuw and Hubert 2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.meta.correlate import CorrelationCell, group_cells, statistic_name
from tertium.meta.table import Group, ScoreTable

if TYPE_CHECKING:
    from tertium.core.stats import Array

LIMIT = 2.5
CONSISTENT = 1.483  # makes the deviation that of a normal distribution


def deviations(values: Array) -> Array:
    """Distances from the median in median absolute deviations; NaN if half of the values are the same. # (n,)"""
    import numpy as np

    known = values[np.isfinite(values)]
    if not len(known):
        return np.full(len(values), np.nan)
    middle = np.median(known)
    spread = CONSISTENT * np.median(np.abs(known - middle))
    return (values - middle) / spread if spread > 0 else np.full(len(values), np.nan)


@dataclass(frozen=True)
class Outliers:
    """What one group's correlations are with and without the systems that are far from the others."""

    group: Group
    systems: dict[str, float]  # the outliers and their deviations
    before: tuple[CorrelationCell, ...]
    after: tuple[CorrelationCell, ...]


def without_outliers(table: ScoreTable, statistic: str = "pearson", *, limit: float = LIMIT) -> list[Outliers]:
    """The groups that have outliers, and their correlations before and after these are left out."""
    import numpy as np

    if not limit > 0:
        raise OptionError(f"outliers at {limit} deviations: must be more than 0, such as {LIMIT}")
    name, found = statistic_name(statistic), []
    for group, rows in table.groups.items():
        far = deviations(table.columns[table.gold][rows])
        out = np.abs(far) > limit
        if out.any():
            systems = {table.systems[row]: float(value) for row, value in zip(rows[out], far[out], strict=True)}
            before, after = group_cells(table, group, rows, name), group_cells(table, group, rows[~out], name)
            found.append(Outliers(group, systems, tuple(before), tuple(after)))
    return found
