"""Correlations of each metric with human scores, group by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import OptionError
from tertium.inference.correlations import CORRELATIONS
from tertium.inference.seeds import ALPHA
from tertium.io.texts import suggest
from tertium.meta.table import Group, ScoreTable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

TITLES = {"pearson": "Pearson r", "spearman": "Spearman rho", "tau_b": "Kendall tau-b", "tau_c": "Kendall tau-c"}


@dataclass(frozen=True)
class CorrelationCell:
    """A correlation of one metric with the gold in one group: NaN where it is not defined, p two-sided."""

    group: Group
    metric: str
    statistic: str
    value: float
    p: float
    n: int

    def significant(self, alpha: float = ALPHA) -> bool:
        """Whether the correlation is unlikely to be chance alone; an undefined one is not."""
        return self.p < alpha


def statistic_name(word: str) -> str:
    """The canonical name of a statistic: `tau-b` and `tau_b` are one."""
    name = word.strip().lower().replace("-", "_")
    if name not in CORRELATIONS:
        raise OptionError(
            f"statistic {word!r} is unknown{suggest(name, CORRELATIONS)} known: {', '.join(CORRELATIONS)}"
        )
    return name


def correlate(table: ScoreTable, statistic: str = "tau_b") -> list[CorrelationCell]:
    """Correlations with the gold: for every group in its order, for every metric in its order.

    Rows in which either number is missing are left out, so n may differ from metric to metric.
    """
    name = statistic_name(statistic)
    return [cell for group, rows in table.groups.items() for cell in group_cells(table, group, rows, name)]


def group_cells(table: ScoreTable, group: Group, rows: NDArray[np.int64], statistic: str) -> list[CorrelationCell]:
    """The correlations of one group, over some of its rows."""
    gold, measure = table.columns[table.gold][rows], CORRELATIONS[statistic]
    return [
        CorrelationCell(group, metric, statistic, *measure(gold, table.columns[metric][rows]))
        for metric in table.metrics
    ]


def matrix(table: ScoreTable, statistic: str = "pearson") -> tuple[tuple[str, ...], Array, NDArray[np.int64]]:
    """Correlations of the gold and all metrics with each other: names, means over the groups in which they are defined,
    and how many groups those are. # (k,), (k, k), (k, k)"""
    import numpy as np

    measure = CORRELATIONS[statistic_name(statistic)]
    names = (table.gold, *table.metrics)
    sums, counts = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)), dtype=np.int64)
    for rows in table.groups.values():
        for i, first in enumerate(names):
            for j, second in enumerate(names[: i + 1]):
                value = measure(table.columns[first][rows], table.columns[second][rows]).value
                if not np.isnan(value):
                    sums[i, j] += value
                    counts[i, j] += 1
    means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    lower = np.tril_indices(len(names), -1)
    means.T[lower], counts.T[lower] = means[lower], counts[lower]
    return names, means, counts


def by_group(cells: Sequence[CorrelationCell]) -> dict[Group, dict[str, CorrelationCell]]:
    """Cells of one statistic by group and metric."""
    found: dict[Group, dict[str, CorrelationCell]] = {}
    for cell in cells:
        found.setdefault(cell.group, {})[cell.metric] = cell
    return found
