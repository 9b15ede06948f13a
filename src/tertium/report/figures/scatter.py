"""Metric against people, by Altair: a point for each system; single outputs as points, or, where there are many, as
counts in small squares, so that they never become a blob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tertium.core.wording import visible
from tertium.meta.evaluate import MetaEvaluation
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, SECOND, Rows, all_labelled, beside, drawn, named_chart
from tertium.report.tables.meta import Names

if TYPE_CHECKING:
    from tertium.core.stats import Array

HEIGHT = 300
POINTS = 300  # outputs up to which each is a point
ACROSS, UP = 32, 20  # squares
INSIDE = 0.005  # of the outputs at either end that may lie in an outermost square, so that one does not squeeze all
STEPS = 10  # tenths of the outputs, of which the line shows the mean


def sign_of(name: str) -> int:
    """Scores of which lower is better were turned; charts show them as they are."""
    return -1 if name.endswith(" ↓") else 1


def bare(name: str) -> str:
    """A name without its arrow."""
    return name.removesuffix(" ↓")


def system_rows(result: MetaEvaluation, metric: str, names: Names) -> Rows:
    """A row for each system: its score by people and by the metric."""
    people = sign_of(names[result.gold]) * result.corpus[result.gold]
    values = sign_of(names[metric]) * result.corpus[metric]
    return [
        {"system": name, "x": x, "y": y}
        for name, x, y in zip(result.systems, values.tolist(), people.tolist(), strict=True)
    ]


def system_scatter(result: MetaEvaluation, names: Names) -> Chart:
    """Systems by metric and people; the reader chooses the metric."""
    import altair as alt

    charts = {}
    for metric in result.metrics:
        rows = system_rows(result, metric, names)
        reverse = sign_of(names[metric]) < 0
        chart = named_chart().encode(
            x=alt.X("x:Q", title=visible(names[metric]), scale=alt.Scale(zero=False, reverse=reverse),
                    axis=alt.Axis(tickCount=6)),
            y=alt.Y("y:Q", title=visible(names[result.gold]), axis=alt.Axis(tickCount=6),
                    scale=alt.Scale(zero=False, reverse=sign_of(names[result.gold]) < 0)),
            tooltip=["system:N", alt.Tooltip("x:Q", format=".4~g", title=visible(bare(names[metric]))),
                     alt.Tooltip("y:Q", format=".4~g", title=visible(bare(names[result.gold])))],
        )  # fmt: skip
        points = chart.mark_point(filled=True, size=60, opacity=0.85, color=LEAD)
        shown = all_labelled(rows, reverse=(reverse, sign_of(names[result.gold]) < 0))
        charts[bare(names[metric])] = drawn((points + beside(chart)).properties(height=HEIGHT), shown)
    return Chart(
        title="Systems by metric and by people, better to the right and upwards.",
        charts=charts,
        choose="Metric" if len(charts) > 1 else "",
        text="A point for each system. Correlations are in the table.",
        note="Names that would cover another are left out; point at a system to see its name.",
    )


def known_pairs(result: MetaEvaluation, metric: str, names: Names) -> tuple[Array, Array]:
    """Scores of the outputs that metric and people both scored. # (n,), (n,)"""
    import numpy as np

    x, y = result.segments[metric].ravel(), result.segments[result.gold].ravel()
    both = ~np.isnan(x) & ~np.isnan(y)
    return sign_of(names[metric]) * x[both], sign_of(names[result.gold]) * y[both]


def density(x: Array, y: Array) -> Rows:
    """How many outputs lie in each square; those beyond the outermost squares count in them."""
    import numpy as np

    ends = [_ends(values) for values in (x, y)]
    cells = [
        np.clip(((values - low) / (high - low) * count).astype(int), 0, count - 1)
        for values, (low, high), count in zip((x, y), ends, (ACROSS, UP), strict=True)
    ]
    counts = np.bincount(cells[0] * UP + cells[1], minlength=ACROSS * UP)
    steps = [(high - low) / count for (low, high), count in zip(ends, (ACROSS, UP), strict=True)]
    return [
        {
            "x": ends[0][0] + (k // UP) * steps[0],
            "x2": ends[0][0] + (k // UP + 1) * steps[0],
            "y": ends[1][0] + (k % UP) * steps[1],
            "y2": ends[1][0] + (k % UP + 1) * steps[1],
            "outputs": int(counts[k]),
        }
        for k in np.flatnonzero(counts).tolist()
    ]


def _ends(values: Array) -> tuple[float, float]:
    import numpy as np

    low, high = np.quantile(values, (INSIDE, 1 - INSIDE)).tolist()
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def means(x: Array, y: Array) -> Rows:
    """People's mean of each tenth of the outputs by the metric: what the line goes through."""
    import numpy as np

    order = np.argsort(x, kind="stable")
    parts = [part for part in np.array_split(order, STEPS) if len(part)]
    return [{"mean x": float(x[part].mean()), "mean y": float(y[part].mean()), "outputs": len(part)} for part in parts]


def segment_scatter(result: MetaEvaluation, names: Names) -> Chart | None:
    """Single outputs by metric and people; none where nothing was scored by both."""
    charts = {}
    binned = False
    for metric in result.metrics:
        x, y = known_pairs(result, metric, names)
        if not len(x):
            continue
        many = len(x) > POINTS
        binned |= many
        rows: Rows = density(x, y) if many else [
            {"x": a, "y": b} for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]  # fmt: skip
        charts[bare(names[metric])] = _outputs([*rows, *means(x, y)], metric, result.gold, names, many)
    if not charts:
        return None
    squares = (
        f"Squares: the darker, the more outputs; the outermost hold what lies beyond them (at most "
        f"{100 * INSIDE:g} % at either end of an axis). "
    )
    return Chart(
        title="Single outputs by metric and by people.",
        charts=charts,
        choose="Metric" if len(charts) > 1 else "",
        text="Scores of single outputs by people against those by a metric. Correlations are in the table.",
        note=f"{squares if binned else ''}Line: people's mean of each tenth of the outputs, by the metric's score.",
    )


def _outputs(rows: Rows, metric: str, gold: str, names: Names, many: bool) -> dict[str, Any]:
    import altair as alt

    x_scale = alt.Scale(zero=False, nice=False, reverse=sign_of(names[metric]) < 0)
    y_scale = alt.Scale(zero=False, nice=False, reverse=sign_of(names[gold]) < 0)
    x = alt.X("x:Q", title=visible(names[metric]), scale=x_scale, axis=alt.Axis(tickCount=6, grid=not many))
    y = alt.Y("y:Q", title=visible(names[gold]), scale=y_scale, axis=alt.Axis(tickCount=6, grid=not many))
    base = named_chart()
    if many:
        most = max(row["outputs"] for row in rows if "x2" in row)
        shade = alt.Opacity(
            "outputs:Q", scale=alt.Scale(type="log", domain=[1, max(2, most)], range=[0.12, 0.9]), legend=None
        )
        cells = (
            base.transform_filter("isValid(datum.x2)")
            .mark_rect(color=LEAD, clip=True)
            .encode(x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=shade,
                    tooltip=[alt.Tooltip("outputs:Q"), alt.Tooltip("x:Q", format=".4~g", title="from"),
                             alt.Tooltip("x2:Q", format=".4~g", title="to")])
        )  # fmt: skip
    else:
        cells = base.transform_filter("isValid(datum.x)").mark_point(size=26, color=LEAD, opacity=0.6).encode(x=x, y=y)
    line = base.transform_filter("isValid(datum['mean x'])").encode(
        x=alt.X("mean x:Q", scale=x_scale),
        y=alt.Y("mean y:Q", scale=y_scale),
        tooltip=[alt.Tooltip("mean x:Q", format=".4~g"), alt.Tooltip("mean y:Q", format=".4~g"), "outputs:Q"],
    )
    drawn_line = line.mark_line(color=SECOND, strokeWidth=2)
    dots = line.mark_point(filled=True, color=SECOND, size=40, opacity=1)
    return drawn(alt.layer(cells, drawn_line, dots).properties(height=HEIGHT), rows)
