"""The charts of an evaluation's report, by Altair. Colours are the page's variables; positions carry the meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tertium.core.metric import Metric
from tertium.core.wording import counted, number, visible
from tertium.report.charts import Chart, specification
from tertium.report.links import colours, segments_link, shapes
from tertium.report.near import Ends, near_ends
from tertium.report.results import Results
from tertium.report.words import listed

ROW = 24  # pixels for a system
LEAD, SECOND, OTHER, SOFT = "var(--lead)", "var(--second)", "var(--other)", "var(--soft)"

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


def href(link: str) -> dict[str, str]:
    """Where a mark of a chart leads: a field of its row, which the page's script looks for."""
    return {"href": link} if link else {}


def system_colour(systems: Sequence[str], looks: Mapping[str, int], **more: Any) -> Any:
    """The colour that a system has everywhere."""
    import altair as alt

    scale = alt.Scale(domain=[word(name) for name in systems], range=colours(systems, looks))
    return alt.Color("system:N", scale=scale, **{"legend": None, **more})


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
    """Every metric against every other, a point for each system; those far off stand at the edge, with their scores."""
    charts, far = {}, list[str]()
    for one, other in combinations(results.metrics, 2):
        names = results.titles[str(one)], results.titles[str(other)]
        rows: Rows = [
            {
                "system": s, "shape": shape, "x": results.value(s, one), "y": results.value(s, other),
                names[0]: number(results.value(s, one), one.decimals),
                names[1]: number(results.value(s, other), other.decimals),
                **href(segments_link(results, first=s, metric=names[0], sort="score")),
            }
            for s, shape in zip(results.systems, shapes(results.systems, results.looks), strict=True)
        ]  # fmt: skip
        known = [row for row in rows if not math.isnan(row["x"]) and not math.isnan(row["y"])]
        ends = [near_ends([row[key] for row in known], metric.better) for key, metric in (("x", one), ("y", other))]
        placed = labelled([at_edge(row, ends, names) for row in known], ends)
        far += [row["system"] for row in placed if row["out"]]
        charts[f"{names[0]} and {names[1]}"] = _scatter(placed, results, names, ends)
    if not charts or len(results.systems) < 3:
        return []
    text = "Systems under two metrics. Where metrics agree, points lie along one line."
    note = "Names that would cover another are left out; point at a system to see its name."
    if far:
        note += f" Triangles are further out than is drawn: {listed(sorted(set(far)))}."
    return [Chart(title=text, charts=charts, choose="Metrics", text=text, note=note)]


def _scatter(rows: Rows, results: Results, names: Sequence[str], ends: Sequence[Ends]) -> dict[str, Any]:
    import altair as alt

    scales = [alt.Scale(domain=list(end), nice=False, zero=False) for end in ends]
    chart = named_chart().encode(
        x=alt.X("x:Q", title=visible(names[0]), scale=scales[0], axis=alt.Axis(tickCount=6)),
        y=alt.Y("y:Q", title=visible(names[1]), scale=scales[1], axis=alt.Axis(tickCount=6)),
        color=system_colour(results.systems, results.looks),
        tooltip=[alt.Tooltip(field=word(name), type="nominal") for name in ("system", *names)],
    )
    points = chart.mark_point(size=70).encode(shape=alt.Shape("shape:N", scale=None))
    labels = beside(named_chart().encode(x=alt.X("x:Q", scale=scales[0]), y=alt.Y("y:Q", scale=scales[1])))
    return drawn((points + labels).properties(height=SCATTER), rows)


# One bad system does not squeeze the others

LABEL, LETTER, LINE = 150, 6.0, 13  # pixels: of a name at most, of a letter, of a line
NARROW, SCATTER = 300, 320  # of a scatter plot on a telephone; in height


def at_edge(row: dict[str, Any], ends: Sequence[Ends], names: Sequence[str]) -> dict[str, Any]:
    """A point, or a triangle that shows where it would be, with its scores beside its name."""
    placed, shape, out = dict(row), row.get("shape", "circle"), False
    for key, (low, high), sides in zip("xy", ends, (("left", "right"), ("down", "up")), strict=True):
        if not low <= row[key] <= high:
            shape, out = f"triangle-{sides[row[key] > high]}", True
            room = 0.025 * (high - low)
            placed[key] = min(max(row[key], low + room), high - room)
    said = row["system"] if not out else f"{row['system']}: {row[names[0]]}, {row[names[1]]}"
    return {**placed, "shape": shape, "out": out, "said": said}


def labelled(rows: Rows, ends: Sequence[Ends]) -> Rows:
    """Points with their names to the right or left of them, without those that would cover a point or another name,
    on a narrow screen too. Those at the edge come first: nothing else says what they are."""

    def place(row: Mapping[str, Any]) -> tuple[float, float]:
        x, y = ((row[key] - low) / (high - low) for key, (low, high) in zip("xy", ends, strict=True))
        return NARROW * x, SCATTER * (1 - y)

    boxes = [(x - 5, y - 5, x + 5, y + 5) for x, y in map(place, rows)]
    found: Rows = []
    for k, row in sorted(enumerate(rows), key=lambda item: not item[1]["out"]):
        (x, y), wide = place(row), min(LABEL, LETTER * len(row["said"]))
        label, left = "", False
        for left in (False, True):
            start = x - 8 - wide if left else x + 8
            box = (start, y - LINE / 2, start + wide, y + LINE / 2)
            if start >= 0 and box[2] <= NARROW and not any(_cover(box, other) for other in boxes):
                boxes.append(box)
                label = row["said"]
                break
        found.append({**row, "label": label, "left": left and bool(label), "place": k})
    return sorted(found, key=lambda row: int(row["place"]))


def all_labelled(rows: Rows, *, reverse: Sequence[bool] = (False, False)) -> Rows:
    """The same of points that are all drawn where they are, on axes that run the other way where `reverse` says so."""
    known = [row for row in rows if not math.isnan(row["x"]) and not math.isnan(row["y"])]
    ends = []
    for key, turned in zip("xy", reverse, strict=True):
        values = [row[key] for row in known]
        low, high = min(values, default=0.0), max(values, default=0.0)
        room = 0.04 * (high - low) or 0.5
        ends.append((high + room, low - room) if turned else (low - room, high + room))
    return labelled([{**row, "out": False, "said": row["system"]} for row in known], ends)


def beside(chart: Any) -> Any:
    """The names of points, to the right or left of them."""
    import altair as alt

    side, away = alt.ExprRef("datum.left ? 'right' : 'left'"), alt.ExprRef("datum.left ? -8 : 8")
    mark = chart.mark_text(align=side, dx=away, dy=-1, color=SOFT, fontSize=11, limit=LABEL)
    return mark.encode(text=alt.Text("label:N"))


def _cover(one: Sequence[float], other: Sequence[float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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
                link = segments_link(results, first=name, metric=results.titles[str(metric)], sort="score")
                spread = {"5 %": low, "25 %": q1, "median": median, "75 %": q3, "95 %": high}
                rows.append({"system": name, **spread, **href(link)})
        if not rows:
            continue
        title = results.titles[str(metric)]
        tooltip = [
            alt.Tooltip("system:N"),
            *(alt.Tooltip(f"{name}:Q", format=".1f") for name in rows[0] if name not in ("system", "href")),
        ]
        plain = by_system(results.systems).encode(tooltip=tooltip)
        chart = plain.encode(color=system_colour(results.systems, results.looks))
        wide = chart.mark_rule(strokeWidth=2).encode(
            x=alt.X("5 %:Q", title=f"{visible(title)} of segments"), x2=alt.X2("95 %:Q")
        )
        middle = chart.mark_bar(height=10).encode(x=alt.X("25 %:Q"), x2=alt.X2("75 %:Q"))
        tick = plain.mark_tick(color="var(--paper)", thickness=2, height=10).encode(x=alt.X("median:Q"))
        charts[title] = drawn(wide + middle + tick, rows)
    return [
        Chart(
            title="Scores of single segments: nine tenths of them (line), the middle half (bar), the median (gap).",
            charts=charts,
            choose="Metric",
            text="Spread of segment scores for every system: 5th to 95th percentile, quartiles and median.",
        )
    ]


def head_to_head(*, whole: bool = True) -> Chart:
    """The differences of segments between two systems; the page's script fills in those that the reader chooses. Where
    the page does not hold the whole of them, each bar says how many it holds."""
    import altair as alt

    chart = (
        alt.Chart(alt.NamedData("differences"))
        .mark_bar(binSpacing=1)
        .encode(
            x=alt.X(
                "from:Q", bin="binned", title="difference in segment score, first less second",
                axis=alt.Axis(labelOverlap="parity", labelSeparation=8),
            ),
            x2="to:Q",
            y=alt.Y("segments:Q", title="segments"),
            color=alt.Color("colour:N", scale=None),
            tooltip=[
                alt.Tooltip("segments:Q"), *([] if whole else [alt.Tooltip("here:Q", title="on this page")]),
                alt.Tooltip("from:Q", title="from"), alt.Tooltip("to:Q", title="to below"),
            ],
        )
    )  # fmt: skip
    one = alt.Chart(alt.NamedData("differences")).transform_aggregate(n="count()")
    rule = one.mark_rule(color=SOFT, strokeDash=[3, 3]).encode(x=alt.datum(0))
    return Chart(
        title="Segments by the difference between the two systems; those to the right of 0 score higher for the first. "
        "Ties are left out.",
        chart=(chart + rule).properties(height=220),
        text="Histogram of differences in segment scores between the two systems chosen above.",
        name="head-to-head",
    )
