"""The tables of `tertium meta correlate`, for people and for programs. No arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

from tertium.cli.listings import Listing, Value
from tertium.cli.meta_table import group_cells, group_heads, narrow
from tertium.core.errors import OptionError
from tertium.core.shown import number, p_text
from tertium.meta.correlate import TITLES, Cell, by_group, correlate, matrix
from tertium.meta.table import ScoreTable

SHOW = ("correlations", "wins", "summary", "outliers", "differences", "matrix", "accuracy", "pairs")
DEFAULT = SHOW[:3]
LONG_LIST = 20  # differences that are listed one by one
NAME = 16  # characters of a system's name in a list of pairs
Tables = tuple[list[Listing], Listing]  # for people, for programs
Cells = Callable[[str], list[Cell]]  # of a statistic


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which tables, and how they are made."""

    show: tuple[str, ...]
    statistics: tuple[str, ...]
    alpha: float
    limit: float
    top: int
    width: int
    narrow: bool


def choose_tables(show: Sequence[str], form: str, groups: int) -> tuple[str, ...]:
    """The tables that are named, or what suits the format and the number of groups."""
    named = tuple(dict.fromkeys(name.strip() for text in show for name in text.split(",")))
    named = SHOW if named == ("all",) else named
    for name in named:
        if name not in SHOW:
            raise OptionError(f"--show {name}: unknown; choose from {', '.join(SHOW)}, all")
    if form == "csv" and len(named) > 1:
        raise OptionError(f"csv holds one table; choose one of --show {', '.join(named)}")
    return named or (DEFAULT[:1] if form == "csv" or groups == 1 else DEFAULT)


def listings(table: ScoreTable, choice: Choice) -> tuple[list[Listing], dict[str, Listing]]:
    """All tables for people, and those for programs by name."""
    shown: list[Listing] = []
    data = {}
    cells = cache(partial(correlate, table))  # three tables are made of them
    for name in choice.show:
        for_people, data[name] = MAKERS[name](table, choice, cells)
        shown += for_people
    return shown, data


def _parts(listing: Listing, fixed: int, choice: Choice) -> list[Listing]:
    return narrow(listing, fixed, choice.width) if choice.narrow else [listing]


def _counts(cells: Sequence[Cell]) -> str:
    """`11`, or `9-11` where metrics rest on different numbers of rows."""
    low, high = min(cell.n for cell in cells), max(cell.n for cell in cells)
    return str(low) if low == high else f"{low}-{high}"


def _correlations(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:
    fixed = [*group_heads(table), "n"]
    heads = [*fixed, *(table.shown(metric) for metric in table.metrics)]
    shown: list[Listing] = []
    rows: list[list[Value]] = []
    for statistic in choice.statistics:
        values: list[list[Value]] = []
        chances: list[list[Value]] = []
        for group, found in by_group(cells(statistic)).items():
            start = [*group_cells(group), _counts(list(found.values()))]
            values.append([*start, *(_marked(cell, choice) for cell in found.values())])
            chances.append([*start, *(cell.p for cell in found.values())])
        rows += [[*group_cells(c.group), c.metric, statistic, c.value, c.p, c.n] for c in cells(statistic)]
        name, left = TITLES[statistic], len(fixed) - 1
        title = f"{name} with {table.gold} (* significant: p < {choice.alpha:g})"
        shown += _parts(Listing(title, heads, values, left), len(fixed), choice)
        shown += _parts(
            _chances(Listing(f"p of {name}, two-sided, uncorrected", heads, chances, left)), len(fixed), choice
        )
    return shown, Listing("correlations", [*fixed[:-1], "metric", "statistic", "value", "p", "n"], rows)


def _chances(listing: Listing) -> Listing:
    """Numbers that are p-values in columns named otherwise."""
    rows: list[list[Value]] = [[p_text(v) if isinstance(v, float) else v for v in row] for row in listing.rows]
    return Listing(listing.title, listing.heads, rows, listing.left, listing.note)


def _arrows(table: ScoreTable, listing: Listing, heads: Sequence[str]) -> Listing:
    """Metrics with arrows where lower is better."""
    rows: list[list[Value]] = [
        [table.shown(str(value)) if head in heads else value for head, value in zip(listing.heads, row, strict=True)]
        for row in listing.rows
    ]
    return Listing(listing.title, listing.heads, rows, listing.left, listing.note)


def _marked(cell: Cell, choice: Choice) -> str:
    """The number, with a star where it is significant; as text with a blank where it is not, so that points align."""
    plain = not cell.significant(choice.alpha) or math.isnan(cell.value)
    return number(cell.value, choice.width) + ((" " if choice.narrow else "") if plain else "*")


def _wins(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:
    from tertium.meta.wins import DECIMALS, wins, wins_by

    heads = [
        group_heads(table)[0] if table.group_names else "",
        "groups",
        "decided",
        *(table.shown(metric) for metric in table.metrics),
    ]
    shown: list[Listing] = []
    rows: list[list[Value]] = []
    for statistic in choice.statistics:
        found = {
            **wins_by(cells(statistic), alpha=choice.alpha),
            "all": wins(cells(statistic), alpha=choice.alpha),
        }
        counts: list[list[Value]] = [
            [name, part.groups, part.decided, *(part.wins[metric] for metric in table.metrics)]
            for name, part in found.items()
        ]
        title = f"wins: groups with the highest {TITLES[statistic]}, p < {choice.alpha:g}"
        note = f"compared to {DECIMALS} decimals; metrics that share the highest all win"
        shown += _parts(Listing(title, heads, counts, note=note), 3, choice)
        rows += [[name, statistic, part.groups, part.decided, metric, part.wins[metric]]
                 for name, part in found.items() for metric in table.metrics]  # fmt: skip
    return shown, Listing("wins", [heads[0] or "group", "statistic", "groups", "decided", "metric", "wins"], rows)


def _summary(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:
    from tertium.meta.wins import summaries

    heads = ["metric", "groups", "significant", "common", "mean", "median", "defined", "mean of defined"]
    shown = []
    rows: list[list[Value]] = []
    for statistic in choice.statistics:
        found = summaries(cells(statistic), alpha=choice.alpha)
        values: list[list[Value]] = [
            [item.metric, item.groups, item.significant, item.common, item.mean, item.median, item.defined,
             item.mean_of_all] for item in found
        ]  # fmt: skip
        title = f"{TITLES[statistic]} over groups"
        note = ("mean and median: over the common groups, in which every metric is significant;\n"
                "groups chosen by high values have high means: of all groups, the mean of defined")  # fmt: skip
        shown.append(Listing(title, heads, [[table.shown(str(name)), *rest] for name, *rest in values], note=note))
        rows += [[name, statistic, *rest] for name, *rest in values]
    return shown, Listing("summary", ["metric", "statistic", *heads[1:]], rows)


def _outliers(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:  # noqa: ARG001
    from tertium.meta.outliers import without_outliers

    fixed = group_heads(table)
    heads = [*fixed, "metric", "n", "value", "p", "n without", "without", "p without"]
    shown: list[Listing] = []
    rows: list[list[Value]] = []
    for statistic in choice.statistics:
        found = without_outliers(table, statistic, limit=choice.limit)
        if not shown:
            far: list[list[Value]] = [
                [*group_cells(item.group), name, value] for item in found for name, value in item.systems.items()
            ]
            title = f"outliers: {table.gold} over {choice.limit:g} deviations (MAD) from the median"
            note = "" if far else "none"
            shown.append(Listing(title, [*fixed, "system", "deviations"], far, len(fixed) + 1, note))
        values: list[list[Value]] = [
            [*group_cells(item.group), one.metric, one.n, one.value, one.p, two.n, two.value, two.p]
            for item in found
            for one, two in zip(item.before, item.after, strict=True)
        ]
        if values:
            title = f"{TITLES[statistic]} with {table.gold}, with and without outliers"
            listing = _arrows(table, Listing(title, heads, values, len(fixed) + 1), ("metric",))
            shown.append(listing)
        systems = {tuple(group_cells(item.group)): ", ".join(item.systems) for item in found}
        rows += [[*row, statistic, systems[tuple(str(word) for word in row[: len(fixed)])]] for row in values]
    return shown, Listing("outliers", [*heads, "statistic", "left out"], rows)


def _differences(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:  # noqa: ARG001
    from tertium.meta.differences import count_better, differences

    fixed, found = group_heads(table), differences(table)
    heads = [*fixed, "better", "worse", "r better", "r worse", "r between", "p", "p (Holm)", "n"]
    rows: list[list[Value]] = [
        [*group_cells(item.group), item.better, item.worse, item.r_better, item.r_worse, item.r_between, item.p,
         item.adjusted, item.n]
        for item in found
    ]  # fmt: skip
    data = Listing("Williams' test of Pearson r, two-sided; Holm within each group", heads, rows, len(fixed) + 2)
    if len(rows) <= LONG_LIST:
        return [_arrows(table, data, ("better", "worse"))], data
    times = count_better(found, choice.alpha)
    counts: list[list[Value]] = [
        [table.shown(better), *(times[better, worse] if better != worse else None for worse in table.metrics)]
        for better in table.metrics
    ]
    title = f"in how many of {len(table.groups)} groups the row has a higher Pearson r than the column"
    note = f"Williams' test, two-sided, p after Holm within each group < {choice.alpha:g};\nevery pair: --format csv"
    names = [table.shown(metric) for metric in table.metrics]
    return _parts(Listing(title, ["", *names], counts, note=note), 1, choice), data


def _matrix(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:  # noqa: ARG001
    shown: list[Listing] = []
    rows: list[list[Value]] = []
    for statistic in choice.statistics:
        names, means, counts = matrix(table, statistic)
        heads = [table.shown(name) for name in names]
        values: list[list[Value]] = [[head, *line] for head, line in zip(heads, means.tolist(), strict=True)]
        title = f"{TITLES[statistic]} between columns, mean over groups"
        shown += _parts(Listing(title, ["", *heads], values), 1, choice)
        rows += [[first, second, statistic, float(means[i, j]), int(counts[i, j])]
                 for i, first in enumerate(names) for j, second in enumerate(names)]  # fmt: skip
    return shown, Listing("matrix", ["first", "second", "statistic", "mean", "groups"], rows)


def _accuracy(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:  # noqa: ARG001
    from tertium.meta.pairs import system_pairs, verdicts

    rows: list[list[Value]] = [
        [item.metric, item.pairs, item.agree, item.contradict, item.equal, item.accuracy, item.largest]
        for item in verdicts(system_pairs(table))
    ]
    title = f"pairs of systems that {table.gold} tells apart: does the metric agree?"
    heads = ["metric", "pairs", "agree", "contradict", "equal", "accuracy", "largest"]
    note = f"largest: the largest difference in {table.gold} that the metric contradicts"
    data = Listing(title, heads, rows, note=note)
    return [_arrows(table, data, ("metric",))], data


def _pairs(table: ScoreTable, choice: Choice, cells: Cells) -> Tables:  # noqa: ARG001
    from tertium.meta.pairs import system_pairs

    pairs, fixed = system_pairs(table), group_heads(table)
    against = {metric: pairs.contradicted(metric) for metric in table.metrics}
    heads = [*fixed, "preferred", "other", table.gold, *table.metrics]
    rows: list[list[Value]] = []
    contradicting = []
    for k in range(len(pairs)):
        numbers = [float(pairs.gold[k]), *(float(column[k]) for column in pairs.differences.values())]
        systems = table.systems[pairs.first[k]], table.systems[pairs.second[k]]
        rows.append([*group_cells(pairs.groups[pairs.group[k]]), *systems, *numbers])
        contradicting.append([metric for metric in table.metrics if against[metric][k]])
    data = Listing("pairs", [*heads, "contradicted by"],
                   [[*row, ", ".join(metrics)] for row, metrics in zip(rows, contradicting, strict=True)])  # fmt: skip
    worst = sorted(
        (k for k in range(len(pairs)) if contradicting[k]), key=lambda k: (-len(contradicting[k]), -pairs.gold[k])
    )
    text = [_pair_text(rows[k], contradicting[k], heads, len(fixed), choice.width) for k in worst[: choice.top]]
    title = f"pairs in which metrics contradict {table.gold}: {len(worst)} of {len(pairs)}"
    note = "differences: preferred minus other, above 0 where it is better; ! below 0" if text else ""
    names = [*heads[: len(fixed) + 2], *(table.shown(name) for name in heads[len(fixed) + 2 :])]
    return _parts(Listing(title, names, text, len(fixed) + 2, note), len(fixed) + 3, choice), data


def _pair_text(
    row: Sequence[Value], contradicting: Sequence[str], heads: Sequence[str], fixed: int, width: int
) -> list[Value]:
    """A pair as it is shown: long names cut, contradictions marked."""
    cells: list[Value] = list(row[:fixed])
    for head, value in zip(heads[fixed:], row[fixed:], strict=True):
        if isinstance(value, str):
            cells.append(value if len(value) <= NAME else value[: NAME - 1] + "…")
        elif isinstance(value, float):
            cells.append(number(value, width) + ("!" if head in contradicting else " "))
    return cells


MAKERS: dict[str, Callable[[ScoreTable, Choice, Cells], Tables]] = {
    "correlations": _correlations,
    "wins": _wins,
    "summary": _summary,
    "outliers": _outliers,
    "differences": _differences,
    "matrix": _matrix,
    "accuracy": _accuracy,
    "pairs": _pairs,
}
