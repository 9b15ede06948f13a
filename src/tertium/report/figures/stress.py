"""The charts of a stress test, by Altair: small multiples, a line for each metric."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tertium.analysis.damage import DamageBucket
from tertium.analysis.noise.words import AIMS
from tertium.analysis.stress import Curve, StressTest
from tertium.report.charts import Chart, Mark
from tertium.report.figures.overview import SOFT, drawn, named_chart, word
from tertium.report.figures.people import CIRCLE, DIAMOND, SQUARE
from tertium.report.links import colours

PANEL = 170  # pixels in height
# Of the metrics in their order. Colours are those of the page's other charts; the same shape comes with another dash.
SHAPES = {"circle": CIRCLE, "diamond": DIAMOND, "square": SQUARE, "triangle-up": "M0,-5L5,4H-5Z",
          "triangle-down": "M0,5L5,-4H-5Z"}  # fmt: skip
DASHES = ([1, 0], [7, 3], [2, 3])
Rows = list[dict[str, Any]]


def key_of(titles: Sequence[str]) -> list[Mark]:
    """Colour, shape and dash of every metric."""
    shapes, paint = list(SHAPES.values()), colours(titles)
    return [
        Mark(title, paint[k], shapes[k % len(shapes)], " ".join(map(str, DASHES[k % len(DASHES)])))
        for k, title in enumerate(titles)
    ]


def curve_rows(curves: Sequence[Curve], titles: Mapping[str, str]) -> Rows:
    """What is left at every rate, from no noise on, with one standard deviation over seeds either way."""
    rows: Rows = []
    for curve in curves:
        name = titles[curve.metric]
        rows.append({"metric": name, "rate": 0.0, "left": 100.0, "low": 100.0, "high": 100.0, "touched": 0.0})
        for rate, left, spread, touched in zip(curve.rates, curve.left, curve.spread, curve.touched, strict=True):
            band = {"low": left - spread, "high": left + spread}
            rows.append({"metric": name, "rate": rate, "left": left, **band, "touched": touched})
    return rows


def noise_panels(result: StressTest, titles: Mapping[str, str]) -> list[Chart]:
    """A figure for every aim: a panel for each noise, a line for each metric."""
    values = [end for row in curve_rows(result.curves, titles) for end in (row["left"], row["low"], row["high"])]
    known = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *known]), max([100.0, *known])
    charts = []
    for aim in dict.fromkeys(curve.aim for curve in result.curves):
        panels = {
            noise: _lines(
                curve_rows([c for c in result.curves if (c.noise, c.aim) == (noise, aim)], titles),
                list(titles.values()),
                (low, high),
            )
            for noise in dict.fromkeys(curve.noise for curve in result.curves if curve.aim == aim)
        }
        bands = " Bands: one standard deviation over seeds either way." if len(result.seeds) > 1 else ""
        charts.append(
            Chart(
                title=f"What is left of a score when words{AIMS[aim]} are damaged, by noise.",
                charts=panels,
                panels=True,
                key=key_of(list(titles.values())),
                note="Upwards: per cent of the score (100: outputs as they are, 0: empty outputs). To the right: per "
                f"cent of the words that the noise can touch.{bands}",
                text="Score left against the rate of damaged words, a panel for each noise. The numbers are in tables.",
            )
        )
    return charts


def _lines(rows: Rows, titles: Sequence[str], domain: tuple[float, float]) -> dict[str, Any]:
    import altair as alt

    x = alt.X("rate:Q", title=None, axis=alt.Axis(format="%", tickCount=4), scale=alt.Scale(nice=False))
    scale = alt.Scale(domain=list(domain), nice=True)
    y = alt.Y("left:Q", title=None, axis=alt.Axis(tickCount=4), scale=scale)
    tooltip = [
        "metric:N",
        alt.Tooltip("rate:Q", format=".0%"),
        alt.Tooltip("left:Q", format=".1f", title="% left"),
        alt.Tooltip("touched:Q", format=".0f", title="words touched"),
    ]
    return drawn(marked_lines(rows, titles, x, y, tooltip, band=True), rows)


def marked_lines(
    rows: Rows, titles: Sequence[str], x: Any, y: Any, tooltip: Sequence[Any], *, band: bool, by: str = "metric"
) -> Any:
    """Lines with points, each metric (or what else `by` says) with its colour, shape and dash; bands where there are
    any."""
    import altair as alt

    names, key = [word(title) for title in titles], key_of(titles)
    shapes = list(SHAPES)
    colour = alt.Color(f"{by}:N", scale=alt.Scale(domain=names, range=[mark.colour for mark in key]), legend=None)
    dash = alt.StrokeDash(
        f"{by}:N",
        scale=alt.Scale(domain=names, range=[DASHES[k % len(DASHES)] for k in range(len(names))]),
        legend=None,
    )
    shape = alt.Shape(
        f"{by}:N",
        scale=alt.Scale(domain=names, range=[shapes[k % len(shapes)] for k in range(len(names))]),
        legend=None,
    )
    chart = named_chart().encode(x=x, y=y, color=colour)
    lines = chart.mark_line(strokeWidth=1.8).encode(strokeDash=dash)
    points = chart.mark_point(filled=True, size=34, opacity=0.9).encode(shape=shape, tooltip=list(tooltip))
    whole = alt.Chart(alt.NamedData("rows")).transform_aggregate(n="count()")
    level = whole.mark_rule(color=SOFT, strokeDash=[2, 3], strokeWidth=1).encode(y=alt.YDatum(100))
    layers = [level, lines, points] if band else [lines, points]
    if band and any(isinstance(row["low"], float) and row["low"] < row["high"] for row in rows):
        bands = (
            named_chart().mark_area(opacity=0.18).encode(x=x, y=alt.Y("low:Q", title=None), y2="high:Q", color=colour)
        )
        layers.insert(0, bands)
    return alt.layer(*layers).properties(height=PANEL)


def damage_rows(buckets: Sequence[DamageBucket], titles: Mapping[str, str]) -> Rows:
    """What is left on average when a type of a bucket is damaged."""
    return [
        {"metric": title, "count": bucket.name, "left": bucket.left[metric], "types": bucket.types}
        for bucket in buckets
        for metric, title in titles.items()
    ]


def damage_panels(buckets: Sequence[DamageBucket], titles: Mapping[str, str]) -> Chart:
    """What a type is worth, by how often outputs have it: a panel for each metric, each with its own scale."""
    import altair as alt

    order = [bucket.name for bucket in buckets]
    panels = {}
    for metric, title in titles.items():
        rows = damage_rows(buckets, {metric: title})
        x = alt.X("count:O", sort=order, title="times that outputs have it", axis=alt.Axis(labelAngle=0),
                  scale=alt.Scale(type="point", padding=0.3))  # fmt: skip
        y = alt.Y("left:Q", title="% left", axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=False))
        tooltip = [alt.Tooltip("count:O", title="times"), alt.Tooltip("left:Q", format=".4f"), "types:Q"]
        chart = named_chart().encode(x=x, y=y)
        panels[title] = drawn(
            (chart.mark_line() + chart.mark_point().encode(tooltip=tooltip)).properties(height=PANEL), rows
        )
    return Chart(
        title="What is left of a score when one type is damaged wherever it stands, by how often outputs have it.",
        charts=panels,
        panels=True,
        note="The mean over the types of a bucket. Every panel has a scale of its own.",
        text="Mean of what is left in buckets of frequency, a panel for each metric. The numbers are in the table.",
    )
