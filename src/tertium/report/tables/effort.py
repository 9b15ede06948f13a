"""Post-editing effort as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tertium.core.score import Score, ends
from tertium.core.table import Cell, Column, Rows, Table, chances, numbers, texts
from tertium.core.wording import counted, number
from tertium.human.effort.analysis import ALL, Effort, EffortRow
from tertium.human.effort.measures import KINDS, MEASURES, Measure

TOP = 10  # documents of a text table


def shown_measures(result: Effort) -> list[Measure]:
    """Those that have a value somewhere."""
    return [one for name, one in MEASURES.items() if any(not math.isnan(row.scores[name].value) for row in result.rows)]


def cell(score: Score, measure: Measure) -> Cell:
    """`18.9 [17.1, 20.7]`."""
    text, inside = number(score.value, measure.decimals), score.interval
    if inside is not None and not math.isnan(score.value):
        text += f" [{number(inside.low, measure.decimals)}, {number(inside.high, measure.decimals)}]"
    low, high = ends(inside)
    return Cell(
        text,
        None if math.isnan(score.value) else score.value,
        title=counted(score.n, "segment"),
        ends=None if low is None or high is None else (low, high),
    )


def effort_table(result: Effort, by: str = ALL, *, top: int | None = None, shown: int | None = None) -> Table:
    """The measures of the groups of one kind; of `top` groups, those with the highest HTER."""
    measures, groups = shown_measures(result), result.rows[:1] if by == ALL else result.by(by)
    chosen = sorted(groups, key=lambda row: -row.scores["hter"].value)[:top] if top else groups
    rows: Rows = [
        [row.name, row.segments, round(row.words), *(cell(row.scores[one.name], one) for one in measures)]
        for row in chosen
    ]
    heads = [
        Column(f"{one.title} {'↓' if one.better == 'lower' else '↑'}", "number", one.decimals, spare=1)
        for one in measures
    ]
    several = f", the {len(chosen)} of {len(groups)} that took most" if len(chosen) < len(groups) else ""
    return Table(
        title="All segments" if by == ALL else f"By {by}{several}",
        columns=[*texts("" if by == ALL else by), *numbers("segments", "words", decimals=0), *heads],
        rows=rows,
        shown=shown,
    )


def kind_table(result: Effort, kinds: Sequence[str]) -> Table:
    """Edits by kind, of all segments and of the groups of these kinds."""
    groups: list[EffortRow] = [result.whole, *(row for kind in kinds for row in result.by(kind))]
    rows: Rows = [[_named(row), *(cell(row.kinds[name], one) for name, one in KINDS.items())] for row in groups]
    return Table(
        title="Edits by kind, per 100 words of the post-edit",
        columns=[*texts("segments"), *numbers(*(one.title for one in KINDS.values()), decimals=1)],
        rows=rows,
        note="Inserted: words that outputs lacked. Deleted: words taken out. Substituted: words put in place of "
        "others. Shifted: blocks of words moved. They add up to HTER.",
    )


def _named(row: EffortRow) -> str:
    return row.name if row.by == ALL else f"{row.by} {row.name}" if row.by != "translator" else row.name


def engine_table(result: Effort) -> Table:
    """Engines against each other."""
    title = MEASURES["hter"].title
    rows: Rows = [
        [item.first, item.second, item.values[0], item.values[1], item.difference, item.p, item.adjusted,
         item.better or "undecided", f"{item.design}, {_units(item.units, item.unit)}"]
        for item in result.tests
    ]  # fmt: skip
    return Table(
        title=f"Engines against each other, by {title}",
        columns=[
            *texts("first", "second"),
            *numbers("HTER of first", "of second", "difference", decimals=1),
            *chances("p", "p (Holm)"),
            *texts("less effort", "test", spare=1),
        ],
        rows=rows,
        note="Permutation tests, two-sided: paired where engines translated the same segments, else of segments or "
        "documents divided anew at random.",
    )


def _units(units: tuple[int, int], unit: str) -> str:
    one, other = units
    return counted(one, unit) if one == other else f"{one} and {counted(other, unit)}"


def effort_tables(result: Effort, *, top: int | None = TOP) -> list[Table]:
    """All tables, as they are printed."""
    small = [kind for kind in result.kinds if kind != "document"]
    tables = [effort_table(result), *(effort_table(result, kind) for kind in small)]
    if "document" in result.kinds:
        tables.append(effort_table(result, "document", top=top))
    tables.append(kind_table(result, small))
    return [*tables, *([engine_table(result)] if result.tests else [])]


def effort_rows(result: Effort) -> Table:
    """One row for each group and measure, for programs."""
    heads = ["by", "name", "measure", "value", "low", "high", "segments", "words", "scored", "unit", "units",
             "confidence", "trials", "seed", "metric"]  # fmt: skip
    rows: Rows = [
        [row.by, row.name, name, score.value, *ends(score.interval), row.segments, row.words, score.n, row.unit,
         row.units, result.confidence, result.trials, result.seed, result.metric]
        for row in result.rows
        for scores in (row.scores, row.kinds)
        for name, score in scores.items()
    ]  # fmt: skip
    return Table(title="Effort, one measure in each row", columns=numbers(*heads), rows=rows)


def meaning_note(result: Effort) -> str:
    """What the columns mean."""
    told = [f"{one.title}: {one.meaning}." for one in shown_measures(result)]
    return " ".join([*told, f"↓ lower, ↑ higher is less effort. {interval_note(result)}"])


def interval_note(result: Effort) -> str:
    """How intervals came about."""
    within = ", of a single one its segments" if result.unit == "document" else ""
    return (
        f"Brackets: {100 * result.confidence:g} % percentile bootstrap intervals, {result.unit}s{within} drawn again "
        f"{result.trials} times, seed {result.seed}."
    )
