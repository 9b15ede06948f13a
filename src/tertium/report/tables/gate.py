"""What a gate found, as tables: its rules, and the scores behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertium.core.score import ends
from tertium.core.table import Cell, Column, Rows, Table, chances, numbers, texts
from tertium.core.wording import p_text, stars
from tertium.report.results import Results
from tertium.report.standing import Standing

if TYPE_CHECKING:
    from tertium.report.gate import Check


def check_table(checks: Sequence[Check]) -> Table:
    """A row for each rule."""
    rows: Rows = [["passed" if check.passed else "FAILED", check.what, check.rule, check.got] for check in checks]
    return Table(title="Checks", columns=texts("result", "what", "wanted", "found"), rows=rows)


def score_table(results: Results, found: Sequence[Standing], baseline: str | None, system: str) -> Table:
    """A row for each metric: its scores on the segments that both systems have, and what the paired test says; without
    a baseline the corpus score."""
    if baseline is None:
        rows: Rows = [
            [results.titles[str(metric)], _number(results.group_value(system, metric), metric.decimals)]
            for metric in results.metrics
        ]
        return Table(title="Scores", columns=[*texts("metric"), *numbers(system)], rows=rows)
    rows = []
    for metric, standing in zip(results.metrics, found, strict=True):
        item, places = standing.pair(baseline, system), metric.decimals
        name = results.titles[str(metric)]
        if item is None:
            rows.append([name, *([None] * 7)])
            continue
        scores = (_number(value, places) for value in (item.baseline_score, item.system_score))
        change = Cell(f"{item.difference:+.{places}f}", item.difference)
        interval = (_number(end, places) for end in ends(item.interval))
        p = Cell(f"{p_text(item.adjusted)} {stars(item.adjusted)}".rstrip(), item.adjusted)
        rows.append([name, *scores, change, *interval, p, item.n])
    columns = [
        *texts("metric"),
        *numbers(baseline, system, "change", "low", "high"),
        *chances("p"),
        *numbers("segments", spare=2),
    ]
    return Table(title=f"{system} beside {baseline}", columns=columns, rows=rows)


def _number(value: float | None, decimals: int) -> Cell:
    return Column("", decimals=decimals).cell(value)
