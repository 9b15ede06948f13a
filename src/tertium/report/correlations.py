"""A table of scores as a page: how far metrics go with people, group by group, and where they contradict them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tertium.core.shown import counted, number, p_equals
from tertium.meta.correlate import TITLES, by_group, correlate, matrix
from tertium.meta.correlate import Cell as Correlation
from tertium.meta.outliers import Outliers, without_outliers
from tertium.meta.preference import Preference
from tertium.meta.table import Group, ScoreTable
from tertium.meta.wins import DECIMALS, summaries, wins, wins_by
from tertium.report import figures_people
from tertium.report.charts import Chart
from tertium.report.page import Page, Section
from tertium.report.parts import Part, composed
from tertium.report.system_pairs import SystemScores, pair_part, preference_parts
from tertium.report.tables import Cell, Table, Value, p_cell

SHOWN = 24
DIGITS = 3
Rows = list[list[Value | Cell]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlations:
    """What the page is made of, each worked out once."""

    table: ScoreTable
    statistics: tuple[str, ...]
    alpha: float
    limit: float  # deviations from which on a system is an outlier

    @cached_property
    def cells(self) -> dict[str, list[Correlation]]:
        """Correlations by statistic."""
        return {statistic: correlate(self.table, statistic) for statistic in self.statistics}

    @cached_property
    def names(self) -> dict[str, str]:
        """Columns with arrows."""
        return {name: self.table.shown(name) for name in (self.table.gold, *self.table.metrics)}

    @property
    def heads(self) -> list[str]:
        """The columns that say which group it is."""
        return list(self.table.group_names) or ["group"]


def correlation_page(given: Correlations, title: str, about: str) -> Page:
    """Correlations, wins, outliers, pairs of systems, and metrics beside each other."""
    scores = SystemScores(table=given.table, names=given.names)
    parts: list[Section | None] = [
        correlations(given),
        best(given),
        outliers(given),
        composed("pairs", "Pairs of systems", [pair_part(scores)]) if len(scores.pairs) else None,
        beside(given),
    ]
    return Page(title=title, subtitle=about, sections=[part for part in parts if part is not None])


def preference_page(found: Sequence[Preference], table: ScoreTable, title: str, about: str) -> Page:
    """What a difference is worth."""
    names = {name: table.shown(name) for name in (table.gold, *table.metrics)}
    parts = list(preference_parts(found, names))
    text = [] if parts else ["There are no pairs of rows with human scores in any group."]
    return Page(title=title, subtitle=about, sections=[composed("preference", "Preferences", parts, text)])


def group_of(group: Group) -> list[str]:
    """What stands in the columns of a group."""
    return list(group) or ["all"]


def correlations(given: Correlations) -> Section:
    """Every correlation, and its p."""
    tables = []
    for statistic, cells in given.cells.items():
        groups = by_group(cells)
        values: Rows = []
        chances: Rows = []
        for group, found in groups.items():
            values.append([*group_of(group), rows_of(found), *(marked(cell, given.alpha) for cell in found.values())])
            chances.append([*group_of(group), rows_of(found), *(p_cell(cell.p) for cell in found.values())])
        heads = [*given.heads, "n", *(given.names[metric] for metric in given.table.metrics)]
        name, left = TITLES[statistic], len(given.heads)
        note = f"*: significant, p < {given.alpha:g}, each by itself. n: rows of the group that have both numbers."
        tables += [
            Table(title=f"{name} with {given.table.gold}", heads=heads, rows=values, left=left, note=note, shown=SHOWN),
            Table(title=f"p of {name}, two-sided, uncorrected", heads=heads, rows=chances, left=left, shown=SHOWN),
        ]
    notes = [f"{note[:1].upper()}{note[1:]}." for note in given.table.warnings]
    return composed("correlations", "Correlations with people", [Part(tables=tables)], notes)


def rows_of(found: Mapping[str, Correlation]) -> Cell:
    """`11`, or `9-11` where metrics rest on different numbers of rows."""
    counts = [cell.n for cell in found.values()]
    low, high = min(counts), max(counts)
    return Cell(str(low) if low == high else f"{low}-{high}", low)


def marked(cell: Correlation, alpha: float) -> Cell | None:
    """A correlation, with a star where it is significant."""
    if math.isnan(cell.value):
        return None
    star = "*" if cell.significant(alpha) else ""
    return Cell(number(cell.value, DIGITS) + star, cell.value, title=f"{p_equals(cell.p)}, n = {cell.n}")


def best(given: Correlations) -> Section | None:
    """Which metric goes best with people, counted over groups; nothing to count in one."""
    if len(given.table.groups) < 2:
        return None
    parts = []
    for statistic, cells in given.cells.items():
        found = {**wins_by(cells, alpha=given.alpha), "all": wins(cells, alpha=given.alpha)}
        metrics = given.table.metrics
        counts: Rows = [
            [name, part.groups, part.decided, *(part.wins[metric] for metric in metrics)]
            for name, part in found.items()
        ]
        over: Rows = [
            [
                given.names[item.metric],
                *(item.groups, item.significant, item.common),
                *(item.mean, item.median),
                *(item.defined, item.mean_of_all),
            ]
            for item in summaries(cells, alpha=given.alpha)
        ]
        name = TITLES[statistic]
        tables = [
            Table(
                title=f"Groups in which a metric has the highest {name}",
                heads=[given.heads[0], "groups", "decided", *(given.names[metric] for metric in metrics)],
                rows=counts,
                note=f"Among correlations with p < {given.alpha:g}, compared to {DECIMALS} decimals; metrics that "
                "share the highest all win.",
            ),
            Table(
                title=f"{name} over groups",
                heads=["metric", "groups", "significant", "common", "mean", "median", "defined", "mean of defined"],
                rows=over,
                decimals=DIGITS,
                note="Mean and median: over the common groups, in which every metric is significant. Groups chosen by "
                "high values have high means; the mean of defined is over all groups.",
            ),
        ]
        parts.append(Part(tables=tables))
    return composed("wins", "Wins", parts)


def outliers(given: Correlations) -> Section:
    """Systems far from all others, and what correlations are without them."""
    found = {statistic: without_outliers(given.table, statistic, limit=given.limit) for statistic in given.statistics}
    first = next(iter(found.values()))
    rule = f"human scores more than {given.limit:g} median absolute deviations from the median of their group"
    if not first:
        return composed("outliers", "Outliers", [], [f"No system is an outlier: none has {rule}."])
    far: Rows = [[*group_of(item.group), name, value] for item in first for name, value in item.systems.items()]
    tables = [
        Table(
            title=f"Systems with {rule}",
            heads=[*given.heads, "system", "deviations"],
            rows=far,
            left=len(given.heads) + 1,
            shown=SHOWN,
        ),
        *(_without(given, statistic, items) for statistic, items in found.items()),
    ]
    text = ["One broken system can carry a whole correlation: look at what is left without it."]
    return composed("outliers", "Outliers", [Part(tables=tables)], text)


def _without(given: Correlations, statistic: str, found: Sequence[Outliers]) -> Table:
    rows: Rows = [
        [
            *group_of(item.group),
            given.names[one.metric],
            *(one.n, one.value, p_cell(one.p)),
            *(two.n, two.value, p_cell(two.p)),
        ]
        for item in found
        for one, two in zip(item.before, item.after, strict=True)
    ]
    return Table(
        title=f"{TITLES[statistic]} with {given.table.gold}, with and without outliers",
        heads=[*given.heads, "metric", "n", "with", "p with", "n without", "without", "p without"],
        rows=rows,
        left=len(given.heads) + 1,
        decimals=DIGITS,
        shown=SHOWN,
    )


def beside(given: Correlations) -> Section:
    """The heat maps."""
    return composed("metrics", "Metrics beside each other", [Part(charts=list(_heat_maps(given)))])


def _heat_maps(given: Correlations) -> Iterator[Chart]:
    over = "" if len(given.table.groups) < 2 else f"Means over {counted(len(given.table.groups), 'group')}."
    for statistic in given.statistics:
        names, means, _ = matrix(given.table, statistic)
        shown = [given.names[name] for name in names]
        yield figures_people.heat_maps({"": (shown, means)}, statistic=TITLES[statistic], note=over)
