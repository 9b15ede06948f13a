"""How far metrics go with people in a table of scores, as tables: for people, and for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tertium.core.table import Cell, Column, Rows, Table, Value, chances, numbers, texts
from tertium.core.wording import number, p_equals
from tertium.meta.correlate import TITLES, CorrelationCell, by_group, correlate, matrix
from tertium.meta.differences import count_better, differences
from tertium.meta.outliers import Outliers, without_outliers
from tertium.meta.table import ScoreTable
from tertium.meta.wins import DECIMALS, Wins, summaries, wins, wins_by
from tertium.report.tables.system_pairs import (
    DIGITS,
    SystemScores,
    contradiction_table,
    group_cells,
    group_heads,
    pair_rows,
    verdict_table,
)

LONG_LIST = 20  # differences that are listed one by one
SUMMARY = ["groups", "significant", "common", "mean", "median", "defined", "mean of defined"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlations:
    """What is asked of a table of scores, and what tables are made of, each worked out once."""

    table: ScoreTable
    statistics: tuple[str, ...]
    alpha: float
    limit: float  # deviations from which on a system is an outlier
    decimals: int = DIGITS
    shown: int | None = None  # rows of a page before the reader asks for all

    @cached_property
    def cells(self) -> dict[str, list[CorrelationCell]]:
        """Correlations by statistic."""
        return {statistic: correlate(self.table, statistic) for statistic in self.statistics}

    @cached_property
    def wins(self) -> dict[str, dict[str, Wins]]:
        """Wins by statistic and first part of the group; `all` are those of all groups."""
        return {
            statistic: {**wins_by(cells, alpha=self.alpha), "all": wins(cells, alpha=self.alpha)}
            for statistic, cells in self.cells.items()
        }

    @cached_property
    def outliers(self) -> dict[str, list[Outliers]]:
        """Groups with outliers, by statistic."""
        return {s: without_outliers(self.table, s, limit=self.limit) for s in self.statistics}

    @cached_property
    def names(self) -> dict[str, str]:
        """Columns with arrows."""
        return {name: self.table.shown(name) for name in (self.table.gold, *self.table.metrics)}

    @cached_property
    def scores(self) -> SystemScores:
        """Pairs of systems."""
        return SystemScores(table=self.table, names=self.names)

    @property
    def heads(self) -> list[str]:
        """The columns that say which group it is."""
        return group_heads(self.table)

    @property
    def metrics(self) -> list[str]:
        """Metrics with arrows."""
        return [self.names[metric] for metric in self.table.metrics]


# Correlations


def correlation_tables(given: Correlations) -> list[Table]:
    """Every correlation, and its p."""
    tables = []
    for statistic, cells in given.cells.items():
        values: Rows = []
        ps: Rows = []
        for group, found in by_group(cells).items():
            start: list[Value | Cell] = [*group_cells(group), _counts(found)]
            values.append([*start, *(_marked(given, cell) for cell in found.values())])
            ps.append([*start, *(cell.p for cell in found.values())])
        start_columns = [*texts(*given.heads), Column("n", spare=0)]
        name = TITLES[statistic]
        note = f"*: significant, p < {given.alpha:g}, each by itself. n: rows of the group that have both numbers."
        tables += [
            Table(title=f"{name} with {given.table.gold}",
                  columns=[*start_columns, *numbers(*given.metrics, decimals=given.decimals)],
                  rows=values, note=note, shown=given.shown),
            Table(title=f"p of {name}, two-sided, uncorrected", columns=[*start_columns, *chances(*given.metrics)],
                  rows=ps, shown=given.shown),
        ]  # fmt: skip
    return tables


def _counts(found: Mapping[str, CorrelationCell]) -> Cell:
    """`11`, or `9-11` where metrics rest on different numbers of rows."""
    low, high = min(cell.n for cell in found.values()), max(cell.n for cell in found.values())
    return Cell(str(low) if low == high else f"{low}-{high}", low)


def _marked(given: Correlations, cell: CorrelationCell) -> Cell | None:
    """A correlation, with a star where it is significant."""
    if math.isnan(cell.value):
        return None
    star = "*" if cell.significant(given.alpha) else ""
    return Cell(number(cell.value, given.decimals) + star, cell.value, title=f"{p_equals(cell.p)}, n = {cell.n}")


def correlation_rows(given: Correlations) -> Table:
    """Every correlation in a row of its own."""
    rows: Rows = [
        [*group_cells(c.group), c.metric, statistic, c.value, c.p, c.n]
        for statistic, cells in given.cells.items()
        for c in cells
    ]
    return Table(columns=numbers(*given.heads, "metric", "statistic", "value", "p", "n"), rows=rows)


# Wins


def win_tables(given: Correlations) -> list[Table]:
    """In how many groups each metric is the best."""
    head = given.heads[0] if given.table.group_names else ""
    return [
        Table(
            title=f"Groups in which a metric has the highest {TITLES[statistic]}",
            columns=[
                *texts(head), Column("groups", spare=0), Column("decided", spare=0), *numbers(*given.metrics)
            ],
            rows=[[name, part.groups, part.decided, *(part.wins[m] for m in given.table.metrics)]
                  for name, part in found.items()],
            note=f"Among correlations with p < {given.alpha:g}, compared to {DECIMALS} decimals; metrics that share "
            "the highest all win.",
        )
        for statistic, found in given.wins.items()
    ]  # fmt: skip


def win_rows(given: Correlations) -> Table:
    """The wins of each metric in a row of its own."""
    rows: Rows = [
        [name, statistic, part.groups, part.decided, metric, part.wins[metric]]
        for statistic, found in given.wins.items()
        for name, part in found.items()
        for metric in given.table.metrics
    ]
    return Table(columns=numbers(given.heads[0], "statistic", "groups", "decided", "metric", "wins"), rows=rows)


def _summaries(given: Correlations, statistic: str, names: Mapping[str, str]) -> Rows:
    return [
        [names[item.metric], item.groups, item.significant, item.common, item.mean, item.median, item.defined,
         item.mean_of_all]
        for item in summaries(given.cells[statistic], alpha=given.alpha)
    ]  # fmt: skip


def summary_tables(given: Correlations) -> list[Table]:
    """Correlations over groups."""
    return [
        Table(
            title=f"{TITLES[statistic]} over groups",
            columns=[*texts("metric"), *numbers(*SUMMARY, decimals=given.decimals)],
            rows=_summaries(given, statistic, given.names),
            note="Mean and median: over the common groups, in which every metric is significant. Groups chosen by high "
            "values have high means; the mean of defined is over all groups.",
        )
        for statistic in given.statistics
    ]


def summary_rows(given: Correlations) -> Table:
    """The same of all statistics."""
    plain = {metric: metric for metric in given.table.metrics}
    rows: Rows = [
        [name, statistic, *rest]
        for statistic in given.statistics
        for name, *rest in _summaries(given, statistic, plain)
    ]
    return Table(columns=numbers("metric", "statistic", *SUMMARY), rows=rows)


# Outliers


def outlier_tables(given: Correlations) -> list[Table]:
    """Systems far from all others, and what correlations are without them; only the first where there are none."""
    far: Rows = [
        [*group_cells(item.group), name, value]
        for item in next(iter(given.outliers.values()))
        for name, value in item.systems.items()
    ]
    rule = f"human scores more than {given.limit:g} median absolute deviations from the median of their group"
    first = Table(
        title=f"Systems with {rule}",
        columns=[*texts(*given.heads, "system"), *numbers("deviations", decimals=given.decimals)],
        rows=far,
        note="" if far else "none",
        shown=given.shown,
    )
    columns = [*texts(*given.heads, "metric"), Column("n"), *numbers("with", decimals=given.decimals),
               *chances("p with"), *numbers("n without", "without", decimals=given.decimals),
               *chances("p without")]  # fmt: skip
    return [first] + [
        Table(
            title=f"{TITLES[statistic]} with {given.table.gold}, with and without outliers",
            columns=columns,
            rows=[row for item in found for row in _without(item, given.names)],
            shown=given.shown,
        )
        for statistic, found in given.outliers.items()
        if found
    ]


def _without(item: Outliers, names: Mapping[str, str]) -> Rows:
    return [
        [*group_cells(item.group), names[one.metric], one.n, one.value, one.p, two.n, two.value, two.p]
        for one, two in zip(item.before, item.after, strict=True)
    ]


def outlier_rows(given: Correlations) -> Table:
    """Every correlation with and without outliers."""
    plain = {metric: metric for metric in given.table.metrics}
    rows: Rows = [
        [*row, statistic, ", ".join(item.systems)]
        for statistic, found in given.outliers.items()
        for item in found
        for row in _without(item, plain)
    ]
    heads = [*given.heads, "metric", "n", "value", "p", "n without", "without", "p without", "statistic", "left out"]
    return Table(columns=numbers(*heads), rows=rows)


# Metrics beside each other


def difference_tables(given: Correlations) -> list[Table]:
    """Every pair of metrics in every group; counted, where there are many."""
    rows = _differences(given, given.names)
    if len(rows) <= LONG_LIST:
        return [rows_of_differences(given, rows)]
    times = count_better(differences(given.table), given.alpha)
    metrics = given.table.metrics
    counts: Rows = [
        [given.names[better], *(times[better, worse] if better != worse else None for worse in metrics)]
        for better in metrics
    ]
    title = f"In how many of {len(given.table.groups)} groups the row has a higher Pearson r than the column"
    note = f"Williams' test, two-sided, p after Holm within each group < {given.alpha:g};\nevery pair: --format csv"
    return [Table(title=title, columns=[*texts(""), *numbers(*given.metrics)], rows=counts, note=note)]


def _differences(given: Correlations, names: Mapping[str, str]) -> Rows:
    return [
        [*group_cells(item.group), names[item.better], names[item.worse], item.r_better, item.r_worse, item.r_between,
         item.p, item.adjusted, item.n]
        for item in differences(given.table)
    ]  # fmt: skip


def rows_of_differences(given: Correlations, rows: Rows) -> Table:
    """A row for each pair of metrics."""
    return Table(
        title="Williams' test of Pearson r, two-sided; Holm within each group",
        columns=[
            *texts(*given.heads, "better", "worse"),
            *numbers("r better", "r worse", "r between", decimals=given.decimals),
            *chances("p", "p (Holm)"),
            *numbers("n"),
        ],
        rows=rows,
    )


def difference_rows(given: Correlations) -> Table:
    """Every pair of metrics."""
    return rows_of_differences(given, _differences(given, {metric: metric for metric in given.table.metrics}))


def matrix_tables(given: Correlations) -> list[Table]:
    """Columns beside each other."""
    tables = []
    for statistic in given.statistics:
        names, means, _ = matrix(given.table, statistic)
        heads = [given.names[name] for name in names]
        rows: Rows = [[head, *line] for head, line in zip(heads, means.tolist(), strict=True)]
        title = f"{TITLES[statistic]} between columns, mean over groups"
        tables.append(Table(title=title, columns=[*texts(""), *numbers(*heads, decimals=given.decimals)], rows=rows))
    return tables


def matrix_rows(given: Correlations) -> Table:
    """Two columns in a row."""
    rows: Rows = []
    for statistic in given.statistics:
        names, means, counts = matrix(given.table, statistic)
        rows += [[first, second, statistic, float(means[i, j]), int(counts[i, j])]
                 for i, first in enumerate(names) for j, second in enumerate(names)]  # fmt: skip
    return Table(columns=numbers("first", "second", "statistic", "mean", "groups"), rows=rows)


# All of them, by name


class ShownAndRows(NamedTuple):
    """Tables for people, and the one for programs."""

    shown: Callable[[Correlations], Sequence[Table]]
    rows: Callable[[Correlations], Table]


TABLES = {
    "correlations": ShownAndRows(correlation_tables, correlation_rows),
    "wins": ShownAndRows(win_tables, win_rows),
    "summary": ShownAndRows(summary_tables, summary_rows),
    "outliers": ShownAndRows(outlier_tables, outlier_rows),
    "differences": ShownAndRows(difference_tables, difference_rows),
    "matrix": ShownAndRows(matrix_tables, matrix_rows),
    "accuracy": ShownAndRows(
        lambda given: [verdict_table(given.scores, given.names)],
        lambda given: verdict_table(given.scores, {metric: metric for metric in given.table.metrics}),
    ),
    "pairs": ShownAndRows(
        lambda given: [contradiction_table(given.scores, given.decimals)], lambda given: pair_rows(given.scores)
    ),
}
