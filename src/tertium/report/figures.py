"""The charts of an evaluation's report, by Altair. Colours are the page's variables; positions carry the meaning."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.core.metric import Metric
from tertium.core.shown import counted, visible
from tertium.report.charts import Chart, specification
from tertium.report.results import Results

ROW = 24  # pixels for a system
LEAD, SECOND, OTHER, SOFT = "var(--lead)", "var(--second)", "var(--other)", "var(--soft)"
BIN_COUNT = 40
POINTS = 160  # of a curve
NAMED_DOCUMENTS = 40  # more names than these cannot be read along an axis

ROWS = "rows"
Rows = list[dict[str, Any]]


def drawn(chart: Any, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """A chart of named data with its rows, which Altair need not look at: NaN is nothing, texts show what they hide."""
    spec = specification(chart)
    spec["datasets"] = {ROWS: [{key: _plain(value) for key, value in row.items()} for row in rows]}
    return spec


def named_chart() -> Any:
    """A chart of rows that come later."""
    import altair as alt

    return alt.Chart(alt.NamedData(ROWS))


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def by_system(order: Sequence[str]) -> Any:
    """A chart with a line of its own for every system."""
    import altair as alt

    names = [visible(name) for name in order]
    chart = named_chart().properties(height=ROW * len(names))
    return chart.encode(y=alt.Y("system:N", sort=names, title=None, axis=alt.Axis(grid=False)))


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
    rules = plain.mark_rule(strokeWidth=2).encode(x=axis(title, shorthand="low:Q"), x2="high:Q", tooltip=tooltip)
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
        rows = [{"system": s, "x": results.value(s, one), "y": results.value(s, other)} for s in results.systems]
        chart = named_chart().encode(
            x=axis(names[0], shorthand="x:Q"),
            y=alt.Y("y:Q", title=visible(names[1]), scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
            tooltip=[
                "system:N",
                alt.Tooltip("x:Q", title=visible(names[0]), format=shown(one)),
                alt.Tooltip("y:Q", title=visible(names[1]), format=shown(other)),
            ],
        )
        labels = chart.mark_text(align="left", dx=8, dy=-1, color=SOFT, fontSize=11, limit=150).encode(text="system:N")
        charts[f"{names[0]} and {names[1]}"] = drawn((chart.mark_point() + labels).properties(height=320), rows)
    if not charts or len(results.systems) < 3:
        return []
    text = "Systems under two metrics. Where metrics agree, points lie along one line."
    return [Chart(title=text, charts=charts, choose="Metrics", text=text)]


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
        tooltip = ["system:N", *(alt.Tooltip(f"{name}:Q", format=".1f") for name in rows[0] if name != "system")]
        chart = by_system(results.systems).encode(tooltip=tooltip)
        wide = chart.mark_rule(strokeWidth=2).encode(
            x=alt.X("5 %:Q", title=f"{visible(title)} of segments"), x2="95 %:Q"
        )
        middle = chart.mark_bar(height=10).encode(x="25 %:Q", x2="75 %:Q")
        tick = chart.mark_tick(color="var(--paper)", thickness=2, height=10).encode(x="median:Q")
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
                "difference:Q", bin=alt.Bin(maxbins=BIN_COUNT), title="difference in segment score, first less second"
            ),
            y=alt.Y("count():Q", title="segments"),
            color=alt.condition("datum.bin_maxbins_40_difference_end <= 0", alt.value(SECOND), alt.value(LEAD)),
            tooltip=[
                alt.Tooltip("count():Q", title="segments"),
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


# Parts of the test set


def _lines(x: Any, y: Any, pair: Sequence[str], *, point: bool = False) -> Any:
    """A line for each system: the two best are named and coloured, the others stand behind."""
    import altair as alt

    best, second = (visible(name) for name in (*pair, "", "")[:2])
    lead = f"datum.system === {_quoted(best)}"
    paired = f"{lead} || datum.system === {_quoted(second)}"
    chart = named_chart().encode(x=x, y=y, detail="system:N")
    dots: Any = {"color": OTHER, "size": 20} if point else False
    behind = chart.transform_filter(f"!({paired})").mark_line(color=OTHER, strokeWidth=1, opacity=0.7, point=dots)
    named = alt.Color(
        "system:N",
        scale=alt.Scale(domain=[best, *([second] if second else [])], range=[LEAD, SECOND]),
        legend=alt.Legend(title=None),
    )
    front = (
        chart.transform_filter(paired)
        .mark_line(strokeWidth=2.5, point=point)
        .encode(color=named, strokeDash=alt.condition(lead, alt.value([1, 0]), alt.value([6, 3])))
    )
    return (behind + front).properties(height=300)


def _quoted(text: str) -> str:
    """A text as a Vega expression writes it."""
    import json

    return json.dumps(text)


def lengths(results: Results) -> list[Chart]:
    """Scores by length of segments."""
    import altair as alt

    charts = {}
    parts = [score for score in results.lengths if not score.whole and score.comparable]
    names = list(dict.fromkeys(score.bucket for score in parts))
    if len(names) < 2:
        return []
    for metric in results.metrics:
        rows = [
            {"system": score.system, "length": score.bucket, "score": score.value, "segments": score.segments}
            for score in parts
            if score.metric == str(metric)
        ]
        if not rows:
            continue
        title = results.titles[str(metric)]
        tooltip = ["system:N", "length:O", "segments:Q", alt.Tooltip("score:Q", format=shown(metric))]
        x = alt.X(
            "length:O",
            sort=names,
            title="words in a segment",
            axis=alt.Axis(labelAngle=0),
            scale=alt.Scale(type="point", padding=0.3),
        )
        y = alt.Y("score:Q", title=visible(title), scale=alt.Scale(zero=False))
        charts[title] = drawn(_lines(x, y, results.systems, point=True).encode(tooltip=tooltip), rows)
    return [
        Chart(
            title="Scores of short and long segments. Systems can be compared at one length; lengths among each other "
            "only with care, because long segments are another kind of text.",
            charts=charts,
            choose="Metric",
            text="Scores of every system on segments of different lengths.",
        )
    ]


def heat_map(results: Results) -> list[Chart]:
    """Documents and systems; how good each was there."""
    import altair as alt

    if not results.documents:
        return []
    charts = {}
    names = [visible(name) for name in dict.fromkeys(str(score.document) for score in results.documents)]
    for metric in results.metrics:
        if metric.resampling != "percentile":  # averages over types of different documents are not comparable
            continue
        rows = [
            {
                "system": score.system,
                "document": str(score.document),
                "segments": score.n,
                "score": round(score.value, 3),
            }
            for score in results.documents
            if score.metric == str(metric)
        ]
        title = results.titles[str(metric)]
        axis = alt.Axis(labelAngle=-60) if len(names) <= NAMED_DOCUMENTS else alt.Axis(labels=False)
        higher = metric.better == "higher"
        domain = alt.Scale(scheme="viridis", reverse=not higher)
        cells = (
            by_system(results.systems)
            .mark_rect()
            .encode(
                x=alt.X(
                    "document:N",
                    sort=alt.EncodingSortField("score", op="mean", order="descending" if higher else "ascending"),
                    title=counted(len(names), "document") + ", from those that are easy to those that are hard",
                    axis=axis,
                ),
                color=alt.Color("score:Q", scale=domain, title=visible(title)),
                tooltip=["document:N", "system:N", "segments:Q", alt.Tooltip("score:Q", format=shown(metric))],
            )
        )
        charts[title] = drawn(cells, rows)
    return (
        [
            Chart(
                title="Scores of documents, the darker the worse. A cell that is darker than its neighbours is a "
                "document where one system failed. The numbers are in the table.",
                charts=charts,
                choose="Metric",
                text="Heat map of document scores, a column for each document and a line for each system.",
            )
        ]
        if charts
        else []
    )


# Types and detectors


def curve(results: Results) -> list[Chart]:
    """The cumulative mean F of types from the most frequent down, for every system."""
    import altair as alt

    if not results.contrasts or results.type_metric is None:
        return []
    rows: Rows = []
    for k, contrast in enumerate(results.contrasts.values()):
        points = _thinned(contrast.curve())
        if k == 0:
            rows += [
                {"system": contrast.systems[0], "rank": p.rank, "F": p.a, "references": p.references} for p in points
            ]
        rows += [{"system": contrast.systems[1], "rank": p.rank, "F": p.b, "references": p.references} for p in points]
    last = max(row["rank"] for row in rows)
    tens = [10**k for k in range(len(str(last)))]
    x = alt.X(
        "rank:Q",
        scale=alt.Scale(type="log", nice=False),
        title="types, from the most frequent in the references down",
        axis=alt.Axis(values=tens, format="~s"),
    )
    y = alt.Y("F:Q", title="mean F of the types so far", scale=alt.Scale(zero=False))
    return [
        Chart(
            title="Cumulative type F (Gowda et al. 2021, figure 1): how good systems are at frequent words (left), and "
            "what is left of it as rarer words are counted (right).",
            chart=drawn(_lines(x, y, results.systems), rows),
            text="Curves of the mean F of types up to a frequency rank, one for each system.",
        )
    ]


def _thinned(points: Sequence[Any]) -> list[Any]:
    """Points of a curve that a logarithmic axis can tell apart."""
    if len(points) <= POINTS:
        return list(points)
    step = math.log(len(points)) / (POINTS - 1)
    kept = sorted({min(len(points), max(1, round(math.exp(k * step)))) for k in range(POINTS)})
    return [points[rank - 1] for rank in kept]


def frequencies(results: Results) -> list[Chart]:
    """F by how often the references have a type."""
    import altair as alt

    if not results.contrasts:
        return []
    rows: Rows = []
    names: list[str] = []
    for k, contrast in enumerate(results.contrasts.values()):
        kept = [bucket for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL) and bucket.a.types]
        names = names or [bucket.name for bucket in kept]
        sides = [(contrast.systems[0], "a")] if k == 0 else []
        for system, side in (*sides, (contrast.systems[1], "b")):
            rows += [
                {"system": system, "times": b.name, "F": getattr(b, side).f, "types": getattr(b, side).types}
                for b in kept
            ]
    x = alt.X(
        "times:O",
        sort=names,
        title="times that the references have a type",
        axis=alt.Axis(labelAngle=0),
        scale=alt.Scale(type="point", padding=0.3),
    )
    y = alt.Y("F:Q", title="mean F of types", scale=alt.Scale(zero=False))
    tooltip = [
        "system:N",
        alt.Tooltip("times:O", title="times in references"),
        "types:Q",
        alt.Tooltip("F:Q", format=".1f"),
    ]
    return [
        Chart(
            title="Rare and frequent words: F of types by how often the references have them.",
            chart=drawn(_lines(x, y, results.systems, point=True).encode(tooltip=tooltip), rows),
            text="Mean F of types in buckets of reference frequency, a line for each system.",
        )
    ]


def detectors(results: Results) -> list[Chart]:
    """How often each detector hits each system, and the reference: what it finds there is noise."""
    import altair as alt

    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return []
    best = results.systems[0]
    rows: Rows = []
    for kind in diagnosis.detectors:
        for name in results.systems:
            tally = diagnosis.tallies[name, kind]
            who = "the best system" if name == best else "another system"
            rows.append({"detector": kind, "system": name, "of": who, "rate": 100 * tally.rate, "hits": tally.hits})
        if kind in diagnosis.floor and diagnosis.floor[kind].judged:
            tally = diagnosis.floor[kind]
            rows.append(
                {
                    "detector": kind,
                    "system": "reference",
                    "of": "the reference",
                    "rate": 100 * tally.rate,
                    "hits": tally.hits,
                }
            )
    order = list(diagnosis.detectors)
    scale = alt.Scale(domain=["the best system", "another system", "the reference"])
    chart = (
        named_chart()
        .mark_point(size=70, opacity=0.9)
        .encode(
            y=alt.Y("detector:N", sort=order, title=None),
            x=alt.X(
                "rate:Q",
                title="% of segments",
                scale=alt.Scale(type="symlog", constant=0.5),
                axis=alt.Axis(tickCount=6),
            ),
            shape=alt.Shape(
                "of:N",
                scale=alt.Scale(domain=scale.domain, range=["circle", "circle", "diamond"]),
                legend=alt.Legend(title=None),
            ),
            color=alt.Color(
                "of:N", scale=alt.Scale(domain=scale.domain, range=[LEAD, OTHER, SECOND]), legend=alt.Legend(title=None)
            ),
            tooltip=[
                "detector:N",
                "system:N",
                alt.Tooltip("hits:Q", title="segments"),
                alt.Tooltip("rate:Q", format=".2f", title="%"),
            ],
        )
    )
    return [
        Chart(
            title="How often a detector finds something. What it finds in the reference is its noise floor: only what "
            "lies to the right of it is evidence against a system.",
            chart=drawn(chart.properties(height=ROW * len(order)), rows),
            text="Rates of every error detector for every system and for the reference. The numbers are in the table.",
        )
    ]


def contrast_of_best(results: Results) -> TypeContrast | None:
    """The best system's types beside the runner-up's."""
    return next(iter(results.contrasts.values()), None)
