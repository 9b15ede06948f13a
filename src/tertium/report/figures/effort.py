"""The charts of post-editing effort, by Altair."""

from __future__ import annotations

import math
from typing import Any

from tertium.core.wording import counted
from tertium.human.effort.analysis import Effort, EffortRow
from tertium.human.effort.measures import MEASURES, Measure
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, drawn, named_chart, word

ROW, MOST = 24, 30
Rows = list[dict[str, Any]]


def group_chart(result: Effort, kind: str) -> Chart | None:
    """The groups of a kind with their intervals, a measure at a time; none where there is one group."""
    groups = sorted(result.by(kind), key=lambda row: -row.scores["hter"].value)
    if len(groups) < 2:
        return None
    charts = {}
    for name, measure in MEASURES.items():
        rows = [_row(row, name) for row in groups[:MOST] if not math.isnan(row.scores[name].value)]
        if rows:
            charts[measure.title] = _points(rows, measure, kind)
    several = f"; the {MOST} of {counted(len(groups), kind)} with the highest HTER" if len(groups) > MOST else ""
    return Chart(
        title=f"Effort by {kind}{several}.",
        charts=charts,
        choose="Measure" if len(charts) > 1 else "",
        text=f"A point for each {kind}. The numbers are in the table.",
        note=f"Lines: {100 * result.confidence:g} % bootstrap intervals.",
    )


def _row(row: EffortRow, name: str) -> dict[str, Any]:
    score = row.scores[name]
    low, high = (score.interval.low, score.interval.high) if score.interval else (math.nan, math.nan)
    return {"name": row.name, "value": score.value, "low": low, "high": high, "segments": score.n}


def _points(rows: Rows, measure: Measure, kind: str) -> dict[str, Any]:
    import altair as alt

    names = [word(row["name"]) for row in rows]
    y = alt.Y("name:N", scale=alt.Scale(domain=names), title=None, axis=alt.Axis(labelLimit=260, grid=False))
    form = f".{measure.decimals}f"
    tooltip = [
        alt.Tooltip("name:N", title=kind),
        *(alt.Tooltip(f"{name}:Q", format=form) for name in ("value", "low", "high")),
        "segments:Q",
    ]
    chart = named_chart().encode(y=y, tooltip=tooltip)
    scale = alt.Scale(zero=True, nice=True)
    title = f"{measure.title} ({'lower' if measure.better == 'lower' else 'higher'} is less effort)"
    points = chart.mark_point(filled=True, size=60, color=LEAD, opacity=1)
    layers = [points.encode(x=alt.X("value:Q", title=title, scale=scale))]
    if any(not math.isnan(row["low"]) for row in rows):
        lines = chart.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2, color=LEAD, opacity=0.55)
        layers.insert(0, lines.encode(x=alt.X("low:Q", scale=scale, title=title), x2="high:Q"))
    return drawn(alt.layer(*layers).properties(height=ROW * len(rows)), rows)
