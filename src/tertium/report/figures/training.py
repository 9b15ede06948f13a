"""The charts of a training, by Altair."""

from __future__ import annotations

import math
from typing import Any

from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, SOFT, drawn, named_chart
from tertium.training.curve import Training

HEIGHT = 190
SHOWN = {
    "kendall": ("Kendall tau-b", "Kendall tau-b with people's scores on the validation data, epoch by epoch."),
    "loss": ("loss", "Mean squared error on the training data, in standard deviations of their scores."),
}


def training_charts(training: Training) -> list[Chart]:
    """Kendall and loss, epoch by epoch, side by side; a line marks the epoch that was kept."""
    return [_curve(training, name) for name in SHOWN]


def _curve(training: Training, name: str) -> Chart:
    import altair as alt

    title, said = SHOWN[name]
    rows: list[dict[str, Any]] = [
        {"epoch": point.number, "stage": point.stage, "value": getattr(point, name), "best": training.best}
        for point in training.curve
        if math.isfinite(getattr(point, name))
    ]
    x = alt.X("epoch:Q", title="epoch", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False))
    y = alt.Y("value:Q", title=title, axis=alt.Axis(tickCount=5), scale=alt.Scale(zero=False))
    tooltip = ["epoch:Q", "stage:N", alt.Tooltip("value:Q", format=".4f", title=title)]
    chart = named_chart().encode(x=x, y=y)
    best = (
        named_chart()
        .transform_aggregate(kept="max(best)")
        .mark_rule(color=SOFT, strokeDash=[2, 3])
        .encode(x=alt.X("kept:Q"))
    )
    lines = chart.mark_line(color=LEAD)
    points = chart.mark_point(color=LEAD, filled=True, size=45, opacity=1).encode(tooltip=tooltip)
    return Chart(
        title=said,
        chart=drawn(alt.layer(best, lines, points).properties(height=HEIGHT), rows),
        note=f"The line marks epoch {training.best}, which was kept.",
        text=f"{title} against epochs. The numbers are in the table.",
        wide=False,
    )
