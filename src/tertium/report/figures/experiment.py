"""The charts of an experiment, by Altair: scores by template, few-shot curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tertium.core.metric import Metric
from tertium.core.score import ends
from tertium.core.wording import headings, visible
from tertium.inference.seeds import CONFIDENCE
from tertium.prompt.curves import FewShotCurve, few_shot_curves
from tertium.prompt.experiment import Experiment
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, Rows, drawn, href, named_chart, shown
from tertium.report.links import segments_link
from tertium.report.results import Results

HEIGHT = 220


def curve_charts(experiment: Experiment, results: Results) -> list[Chart]:
    """Few-shot curves: a panel for each, a figure for each metric. A point leads to its segments; where there are more
    seeds, to those of the first."""
    charts = []
    titles = headings(experiment.scored.metrics)
    for metric in (experiment.scored.metric(asked) for asked in experiment.grid.metrics):
        curves = few_shot_curves(experiment, metric)
        if not curves:
            continue
        title = titles[str(metric)]
        charts.append(
            Chart(
                title=f"{title} by number of demonstrations.",
                charts={curve.name: _curve(curve, metric, title, curves, results) for curve in curves},
                panels=True,
                note="Line: mean over seeds. Rings: the lowest and the highest seed. Band: "
                f"{100 * CONFIDENCE:.0f} % bootstrap interval of the mean over segments, for these seeds. A point "
                "leads to its segments, of the first seed.",
                text=f"{visible(title)} against the number of demonstrations. The numbers are in the tables.",
            )
        )
    return charts


def _segments(results: Results, system: str, title: str) -> dict[str, str]:
    """Where a point leads: to the segments of its system, or of the first of its runs."""
    runs = results.groups.get(system, [])
    name = next((one.name for one in results.evaluation.systems if one.name in runs), None)
    return {} if name is None else href(segments_link(results, first=name, metric=title, sort="score"))


def _curve(
    curve: FewShotCurve, metric: Metric, title: str, all_curves: Sequence[FewShotCurve], results: Results
) -> dict[str, Any]:
    import altair as alt

    rows: Rows = []
    for point in curve.points:
        low, high = ends(point.interval)
        rows.append(
            {
                "shots": str(point.shots),
                "mean": point.mean,
                "lowest": point.lowest,
                "highest": point.highest,
                "low": math.nan if low is None else low,
                "high": math.nan if high is None else high,
                "seeds": point.seeds,
                **_segments(results, point.system, title),
            }
        )
    known = [
        value
        for each in all_curves
        for point in each.points
        for value in (point.lowest, point.highest, *(end for end in ends(point.interval) if end is not None))
        if math.isfinite(value)
    ]
    order = [row["shots"] for row in rows]
    x = alt.X("shots:O", sort=order, title="demonstrations", axis=alt.Axis(labelAngle=0),
              scale=alt.Scale(type="point", padding=0.3))  # fmt: skip
    scale = alt.Scale(domain=[min(known), max(known)], nice=True) if known else alt.Scale(zero=False)
    y = alt.Y("mean:Q", title=visible(title), axis=alt.Axis(tickCount=5), scale=scale)
    tooltip = [
        alt.Tooltip("shots:O"),
        alt.Tooltip("seeds:Q"),
        *(alt.Tooltip(f"{name}:Q", format=shown(metric)) for name in ("mean", "lowest", "highest", "low", "high")),
    ]
    chart = named_chart().encode(x=x)
    plain = chart.transform_calculate(href="''")  # points alone lead somewhere
    band = plain.mark_area(opacity=0.18, color=LEAD).encode(y=alt.Y("low:Q", title=None, scale=scale), y2="high:Q")
    line = chart.mark_line(color=LEAD, strokeWidth=2).encode(y=y)
    dots = [
        plain.mark_point(color=LEAD, size=30, opacity=0.8, filled=False, strokeWidth=1.2).encode(
            y=alt.Y(f"{end}:Q", title=None, scale=scale)
        )
        for end in ("lowest", "highest")
    ]
    points = chart.mark_point(color=LEAD, filled=True, size=45, opacity=1).encode(y=y, tooltip=tooltip)
    return drawn(alt.layer(band, line, *dots, points).properties(height=HEIGHT), rows)
