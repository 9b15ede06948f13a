"""The chart of a test set's history, by Altair: a panel for each metric, a line for each system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tertium.report.charts import Chart
from tertium.report.figures.overview import drawn
from tertium.report.figures.stress import PANEL, key_of, marked_lines

DAYS = 2 * 86_400_000  # milliseconds from which on days say enough
TICKS = 4


def history_chart(rows: Sequence[dict[str, Any]], titles: Sequence[str], systems: Sequence[str]) -> Chart:
    """Scores by the day of the evaluation; rows have `metric`, `system`, `date` (ms), `score` and `evaluation`."""
    return Chart(
        title="Scores by the time at which evaluations were made (UTC).",
        charts={title: _panel([row for row in rows if row["metric"] == title], systems) for title in titles},
        panels=True,
        key=key_of(systems),
        note="Each panel has its own scale, which need not begin at 0. A line joins evaluations of one system; whether "
        "two of them differ by more than chance is said by comparing them.",
        text="Score of every system by date, a panel for each metric. The numbers are in the table.",
    )


def _ticks(days: Sequence[int], form: str) -> list[int]:
    """Where the axis names a time: at evaluations, not more than TICKS of them, and no name twice."""
    named: dict[str, int] = {}
    for day in sorted(days):
        named.setdefault(datetime.fromtimestamp(day / 1000, UTC).strftime(form), day)
    found = list(named.values())
    return found[:: math.ceil(len(found) / TICKS)] if found else []


def _panel(rows: list[dict[str, Any]], systems: Sequence[str]) -> dict[str, Any]:
    import altair as alt

    days = [row["date"] for row in rows]
    form = "%Y-%m-%d" if max(days, default=0) - min(days, default=0) > DAYS else "%d %b %H:%M"
    named = [datetime.fromtimestamp(day / 1000, UTC).isoformat() for day in _ticks(days, form)]  # Vega drops numbers
    axis = alt.Axis(values=named, labelOverlap=True, format=form)
    x = alt.X("date:T", title=None, axis=axis, scale=alt.Scale(type="utc"))
    y = alt.Y("score:Q", title=None, axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=False, nice=True))
    tooltip = ["system:N", alt.Tooltip("score:Q", format=".4~f"), "evaluation:N",
               alt.Tooltip("date:T", format="%Y-%m-%d %H:%M", title="made")]  # fmt: skip
    lines = marked_lines(rows, systems, x, y, tooltip, band=False, by="system")
    return drawn(lines.properties(height=PANEL), rows)
