"""The charts of an evaluation's report, by Altair. Colours are the page's variables; positions carry the meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tertium.core.metric import Metric
from tertium.core.wording import counted, visible
from tertium.report.charts import Chart, specification
from tertium.report.results import Results

ROW = 24  # pixels for a system
LEAD, SECOND, OTHER, SOFT = "var(--lead)", "var(--second)", "var(--other)", "var(--soft)"
BIN_COUNT = 40

ROWS = "rows"
Rows = list[dict[str, Any]]


def drawn(chart: Any, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A chart of named data with its rows, which Altair need not look at: NaN is nothing, texts show what they hide."""
    spec = specification(chart.to_dict(validate=False))  # which costs more than the rest; tests validate what we draw
    spec["datasets"] = {ROWS: [{key: _plain(value) for key, value in row.items()} for row in rows]}
    return spec


def named_chart() -> Any:
    """A chart of rows that come later."""
    import altair as alt

    return alt.Chart(alt.NamedData(ROWS))


def word(text: str) -> str:
    """A text as charts have it. Vega keeps what it draws in objects by its text, which cannot hold `__proto__`: a space
    makes that another."""
    seen = visible(text)
    return f"{seen} " if seen == "__proto__" else seen


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return word(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def by_system(order: Sequence[str]) -> Any:
    """A chart with a line of its own for every system.

    Here and elsewhere names are values of a domain, never words of an expression (as `sort` would make them): Vega
    looks such words up in JavaScript objects, which know `constructor` and its like already.
    """
    import altair as alt

    names = [word(name) for name in order]
    chart = named_chart().properties(height=ROW * len(names))
    return chart.encode(y=alt.Y("system:N", scale=alt.Scale(domain=names), title=None, axis=alt.Axis(grid=False)))


def axis(title: str, **more: Any) -> Any:
    """A horizontal axis of scores, which need not begin at 0."""
    import altair as alt

    return alt.X(title=visible(title), scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=6), **more)


def shown(metric: Metric) -> str:
    """How numbers of this metric are written, as d3 says it."""
    return f".{metric.decimals}f"


# Scores


def intervals(results: Results) -> list[Chart]:
    """A figure for every metric: systems from best to worst, each with its interval."""
    return [_intervals(results, metric) for metric in results.metrics]


def _intervals(results: Results, metric: Metric) -> Chart:
    import altair as alt

    title, order = results.titles[str(metric)], results.ranked(metric, results.systems)
    rows: Rows = []
    for name in order:
        score = results.scores.get((name, str(metric)))
        if score is None:
            continue
        interval = score.interval
        rows.append(
            {
                "system": name,
                "score": score.value,
                "segments": score.n,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
            }
        )
    known = any(row["low"] is not None for row in rows)
    form = shown(metric)
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("score:Q", format=form),
        alt.Tooltip("segments:Q"),
        *([alt.Tooltip("low:Q", format=form), alt.Tooltip("high:Q", format=form)] if known else []),
    ]
    plain = by_system(order)
    points = plain.mark_point().encode(x=axis(title, shorthand="score:Q"), tooltip=tooltip)
    rules = plain.mark_rule(strokeWidth=2).encode(
        x=axis(title, shorthand="low:Q"), x2=alt.X2("high:Q"), tooltip=tooltip
    )
    best = f"{order[0]} is best" if order else ""
    return Chart(
        title=f"{title}: {'scores with 95 % intervals' if known else 'scores; an interval would not be valid'}",
        chart=drawn(rules + points if known else points, rows),
        text=f"{title} of {counted(len(rows), 'system')}, from best to worst: {best}. The numbers are in the table.",
        wide=False,
    )


def scatter(results: Results) -> list[Chart]:
    """Every metric against every other, a point for each system."""
    import altair as alt

    charts = {}
    for one, other in combinations(results.metrics, 2):
        names = results.titles[str(one)], results.titles[str(other)]
        rows: Rows = [{"system": s, "x": results.value(s, one), "y": results.value(s, other)} for s in results.systems]
        chart = named_chart().encode(
            x=axis(names[0], shorthand="x:Q"),
            y=alt.Y("y:Q", title=visible(names[1]), scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("x:Q", title=visible(names[0]), format=shown(one)),
                alt.Tooltip("y:Q", title=visible(names[1]), format=shown(other)),
            ],
        )
        labels = chart.mark_text(align="left", dx=8, dy=-1, color=SOFT, fontSize=11, limit=150).encode(
            text=alt.Text("label:N")
        )
        charts[f"{names[0]} and {names[1]}"] = drawn(
            (chart.mark_point() + labels).properties(height=320), labelled(rows)
        )
    if not charts or len(results.systems) < 3:
        return []
    text = "Systems under two metrics. Where metrics agree, points lie along one line."
    note = "Names that would cover another are left out; point at a system to see its name."
    return [Chart(title=text, charts=charts, choose="Metrics", text=text, note=note)]


def labelled(rows: Rows) -> Rows:
    """Points with their names, without those that would cover the name of a better system."""
    known = [row for row in rows if not math.isnan(row["x"]) and not math.isnan(row["y"])]
    spans = {
        key: max((row[key] for row in known), default=0) - min((row[key] for row in known), default=0) for key in "xy"
    }
    kept: Rows = []
    for row in known:
        near = [
            abs(row["x"] - other["x"]) < 0.2 * spans["x"] and abs(row["y"] - other["y"]) < 0.05 * spans["y"]
            for other in kept
        ]
        if not any(near):
            kept.append(row)
    return [{**row, "label": row["system"] if row in kept else ""} for row in known]


QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def distributions(results: Results) -> list[Chart]:
    """How segment scores are spread: the middle half, nine tenths, the median."""
    import altair as alt
    import numpy as np

    charts = {}
    for metric in results.metrics:
        rows: Rows = []
        for name in results.systems:
            values = results.segments.get((name, str(metric)))
            known = np.array([]) if values is None else values[~np.isnan(values)]
            if len(known):
                low, q1, median, q3, high = np.quantile(known, QUANTILES).tolist()
                rows.append({"system": name, "5 %": low, "25 %": q1, "median": median, "75 %": q3, "95 %": high})
        if not rows:
            continue
        title = results.titles[str(metric)]
        tooltip = [
            alt.Tooltip("system:N"),
            *(alt.Tooltip(f"{name}:Q", format=".1f") for name in rows[0] if name != "system"),
        ]
        chart = by_system(results.systems).encode(tooltip=tooltip)
        wide = chart.mark_rule(strokeWidth=2).encode(
            x=alt.X("5 %:Q", title=f"{visible(title)} of segments"), x2=alt.X2("95 %:Q")
        )
        middle = chart.mark_bar(height=10).encode(x=alt.X("25 %:Q"), x2=alt.X2("75 %:Q"))
        tick = chart.mark_tick(color="var(--paper)", thickness=2, height=10).encode(x=alt.X("median:Q"))
        charts[title] = drawn(wide + middle + tick, rows)
    return [
        Chart(
            title="Scores of single segments: nine tenths of them (line), the middle half (bar), the median (gap).",
            charts=charts,
            choose="Metric",
            text="Spread of segment scores for every system: 5th to 95th percentile, quartiles and median.",
        )
    ]


def head_to_head() -> Chart:
    """The differences of segments between two systems; the page's script fills in those that the reader chooses."""
    import altair as alt

    chart = (
        alt.Chart(alt.NamedData("differences"))
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "difference:Q",
                bin=alt.Bin(maxbins=BIN_COUNT),
                title="difference in segment score, first less second",
                axis=alt.Axis(labelOverlap="parity", labelSeparation=8),
            ),
            y=alt.Y("sum(segments):Q", title="segments"),
            color=alt.condition("datum.bin_maxbins_40_difference_end <= 0", alt.value(SECOND), alt.value(LEAD)),
            tooltip=[
                alt.Tooltip("sum(segments):Q", title="segments"),
                alt.Tooltip("difference:Q", bin=alt.Bin(maxbins=BIN_COUNT), title="difference"),
            ],
        )
    )
    one = alt.Chart(alt.NamedData("differences")).transform_aggregate(n="count()")
    rule = one.mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x=alt.datum(0))
    return Chart(
        title="Segments by the difference between the two systems; those to the right of 0 score higher for the first. "
        "Ties are left out.",
        chart=(chart + rule).properties(height=220),
        text="Histogram of differences in segment scores between the two systems chosen above.",
        name="head-to-head",
    )
