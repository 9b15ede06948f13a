"""Which metric correlates best with human scores: counted over groups, and averaged over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from tertium.inference.seeds import ALPHA
from tertium.meta.correlate import CorrelationCell, by_group

DECIMALS = 3  # to which correlations are compared: as tables print them


@dataclass(frozen=True)
class Wins:
    """In how many groups each metric is the best; `groups` is how many there are, `decided` in how many one is."""

    wins: dict[str, int]
    groups: int
    decided: int


def wins(cells: Sequence[CorrelationCell], *, alpha: float = ALPHA, decimals: int = DECIMALS) -> Wins:
    """Count the groups in which a metric has the highest correlation (Gowda et al. 2021, table 3).

    Only positive correlations with p < alpha compete, rounded to `decimals`; metrics that share the highest all win.
    """
    counts = dict.fromkeys((cell.metric for cell in cells), 0)
    groups = by_group(cells)
    decided = 0
    for group in groups.values():
        values = {
            metric: round(cell.value, decimals)
            for metric, cell in group.items()
            if cell.significant(alpha) and cell.value > 0
        }
        for metric, value in values.items():
            counts[metric] += value == max(values.values())
        decided += bool(values)
    return Wins(counts, len(groups), decided)


def wins_by(cells: Sequence[CorrelationCell], *, alpha: float = ALPHA, decimals: int = DECIMALS) -> dict[str, Wins]:
    """Wins for each value of the first of several columns that make a group, such as each year."""
    parts: dict[str, list[CorrelationCell]] = {}
    for cell in cells:
        if len(cell.group) > 1:
            parts.setdefault(cell.group[0], []).append(cell)
    return {name: wins(part, alpha=alpha, decimals=decimals) for name, part in parts.items()}


@dataclass(frozen=True)
class WinSummary:
    """A metric over all groups: `significant` in how many; `mean` and `median` over the `common` groups in which every
    metric is significant; `mean_of_all` over the `defined` ones, significant or not."""

    metric: str
    groups: int
    significant: int
    common: int
    mean: float
    median: float
    defined: int
    mean_of_all: float


def summaries(cells: Sequence[CorrelationCell], *, alpha: float = ALPHA) -> list[WinSummary]:
    """A summary of every metric. Means over groups in which only some metrics are significant would favour whoever
    fails on the hard ones; so they are over the groups that all share."""
    groups = by_group(cells)
    common = [group for group in groups.values() if all(cell.significant(alpha) for cell in group.values())]
    found = []
    for metric in dict.fromkeys(cell.metric for cell in cells):
        shared = [group[metric].value for group in common]
        defined = [group[metric].value for group in groups.values() if not math.isnan(group[metric].value)]
        found.append(
            WinSummary(
                metric=metric,
                groups=len(groups),
                significant=sum(group[metric].significant(alpha) for group in groups.values()),
                common=len(common),
                mean=fmean(shared) if shared else math.nan,
                median=median(shared) if shared else math.nan,
                defined=len(defined),
                mean_of_all=fmean(defined) if defined else math.nan,
            )
        )
    return found
