"""The charts about people and metrics, by Altair. Shapes and positions carry the meaning; colours only repeat it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from tertium.core.wording import counted, visible
from tertium.human.analyse import Analysis
from tertium.human.ranking import SystemRanking
from tertium.meta.pairs import SystemPairs
from tertium.meta.preference import Preference, round_differences
from tertium.meta.table import ScoreTable
from tertium.report.charts import Chart, Mark
from tertium.report.figures.overview import LEAD, OTHER, SECOND, SOFT, by_system, drawn, href, named_chart, word
from tertium.report.near import FAR, Ends
from tertium.report.words import scale_title

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.report.tables.system_pairs import SystemScores

PANEL = 210  # pixels in height
SQUARE_HEAT = 6  # names that half a page is wide enough for
MOST = 3000  # pairs in a panel; of more, some are left out
STEPS = 48  # points of a curve
CIRCLE = "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0"
DIAMOND = "M0,-5L5,0L0,5L-5,0Z"
SQUARE = "M-3.5,-3.5H3.5V3.5H-3.5Z"
AGREES, CONTRADICTS, EQUAL = "agrees with people", "contradicts people", "sees or shows no difference"
VERDICTS = (Mark(AGREES, LEAD, CIRCLE), Mark(CONTRADICTS, SECOND, DIAMOND), Mark(EQUAL, OTHER, SQUARE))
FURTHER = Mark("further out than is drawn", SOFT, "M-5,0L4,-5L4,5Z")
OUTSIDE = {"left": "triangle-left", "right": "triangle-right", "up": "triangle-up"}
Rows = list[dict[str, Any]]


# What people said


def rank_ranges(item: Analysis) -> Chart:
    """The ranks that every system could have, and its cluster."""
    charts = {name or item.scale: _rank_ranges(ranking) for name, ranking in item.rankings.items()}
    return Chart(
        title=f"Ranks that people's judgements leave open ({scale_title(item.scale)}); the number beside a line is the "
        "cluster.",
        charts=charts,
        choose="Languages" if len(charts) > 1 else "",
        text="A line from the best to the worst rank of every system. The numbers are in the table.",
    )


def _rank_ranges(ranking: SystemRanking) -> dict[str, Any]:
    import altair as alt

    rows: Rows = [
        {
            "system": place.system,
            "best": place.best,
            "worst": place.worst,
            "cluster": place.cluster,
            "z": place.z,
            "raw": place.raw,
            "judgements": place.judgements,
        }
        for place in ranking.systems
    ]
    count = len(rows)
    tooltip = [
        "system:N",
        "cluster:Q",
        alt.Tooltip("best:Q", title="best rank"),
        alt.Tooltip("worst:Q", title="worst rank"),
        alt.Tooltip("z:Q", format=".3f"),
        alt.Tooltip("raw:Q", format=".2f"),
        "judgements:Q",
    ]
    x = alt.X(
        "best:Q",
        title="rank",
        scale=alt.Scale(domain=[0.5, count + 0.5], nice=False, zero=False),
        axis=alt.Axis(values=list(range(1, count + 1)), format="d"),
    )
    plain = by_system([place.system for place in ranking.systems]).encode(tooltip=tooltip)
    lines = plain.mark_rule(strokeWidth=5, strokeCap="round", opacity=0.55).encode(x=x, x2="worst:Q")
    ends = plain.mark_point().encode(x=x) + plain.mark_point().encode(x=alt.X("worst:Q"))
    labels = plain.mark_text(align="left", dx=10, color=SOFT).encode(x=alt.X("worst:Q"), text="cluster:Q")
    return drawn(lines + ends + labels, rows)


# Pairs of systems


def pair_rows(table: ScoreTable, pairs: SystemPairs, metric: str) -> Rows:
    """A row for every pair that the metric scored: what people and metric say, and whether they agree."""
    against = pairs.contradicted(metric).tolist()
    rows: Rows = []
    for k, (gold, difference) in enumerate(zip(pairs.gold.tolist(), pairs.differences[metric].tolist(), strict=True)):
        if math.isnan(difference):
            continue
        group = " ".join(pairs.groups[int(pairs.group[k])])
        first, second = table.systems[int(pairs.first[k])], table.systems[int(pairs.second[k])]
        verdict = CONTRADICTS if against[k] else EQUAL if 0 in (gold, difference) else AGREES
        row = {"preferred": first, "other": second, "people": gold, "metric": difference, "verdict": verdict}
        rows.append({**row, "group": group} if group else row)
    return rows


def pair_plots(scores: SystemScores) -> Chart:
    """Differences of pairs by people and by metric, a panel for each metric; pairs far off stand at the edge."""
    table, pairs, names = scores.table, scores.pairs, scores.names
    step = max(1, -(-len(pairs) // MOST))
    panels, seen, far = {}, set(), False
    for verdict in scores.verdicts:
        rows = pair_rows(table, pairs, verdict.metric)
        for row in rows:
            if row["verdict"] == CONTRADICTS:
                row |= href(scores.link(row["preferred"], row["other"], verdict.metric))
        seen |= {row["verdict"] for row in rows}
        if step > 1:  # contradictions are what people look for: they all stay
            rows = [row for k, row in enumerate(rows) if k % step == 0 or row["verdict"] == CONTRADICTS]
        counts = f"{verdict.contradict} of {counted(verdict.pairs, 'pair')} contradicted"
        ends = [reach_of([row[side] for row in rows]) for side in ("metric", "people")]
        rows = [within(row, *ends) for row in rows]
        far = far or any(row["drawn"] in OUTSIDE for row in rows)
        panels[f"{names[verdict.metric]}: {counts}"] = _pair_plot(rows, names, verdict.metric, table.gold, ends)
    thinned = f" Of the pairs that do not contradict, one in {step} is drawn." if step > 1 else ""
    return Chart(
        title="Pairs of systems. Upwards: how far people prefer one of the two. To the right: how far the metric "
        "prefers the same one; in the shaded part it prefers the other.",
        charts=panels,
        panels=True,
        key=[*(mark for mark in VERDICTS if mark.label in seen), *([FURTHER] if far else [])],
        note=f"Differences have the sign by which above 0 is better.{thinned}",
        text="Difference in metric against difference in human score for all pairs of systems, a panel for each "
        "metric. Pairs that contradict are named in the table.",
    )


def reach_of(values: Sequence[float]) -> Ends:
    """What an axis of differences covers, 0 and all that are not much larger than the one in the middle."""
    known = [value for value in values if not math.isnan(value)]
    limit = FAR * median(map(abs, known)) if known else 0.0
    near = [value for value in known if abs(value) <= limit] if limit else known
    low, high = min([0.0, *near]), max([0.0, *near])
    room = 0.06 * (high - low or 1.0)
    return low - room, high + room


def within(row: dict[str, Any], across: Ends, upwards: Ends) -> dict[str, Any]:
    """Where a pair is drawn, and how: as a triangle at the edge where it would be further out."""
    shape, x, y = row["verdict"], row["metric"], row["people"]
    if y > upwards[1]:
        shape, y = "up", upwards[1] - 0.03 * upwards[1]
    if not across[0] <= x <= across[1]:
        shape = "right" if x > across[1] else "left"
        room = 0.02 * (across[1] - across[0])
        x = min(max(x, across[0] + room), across[1] - room)
    return {**row, "x": x, "y": y, "drawn": shape}


def _pair_plot(rows: Rows, names: Mapping[str, str], metric: str, gold: str, ends: Sequence[Ends]) -> dict[str, Any]:
    import altair as alt

    (left, right), (_, top) = ends
    title = f"{visible(names[metric]).removesuffix(' ↓')} difference"
    x = alt.X("x:Q", title=title, scale=alt.Scale(domain=[left, right], nice=False), axis=alt.Axis(tickCount=5))
    y = alt.Y("y:Q", title="people", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=4))
    tooltip = [
        *(["group:N"] if rows and "group" in rows[0] else []),
        "preferred:N",
        "other:N",
        alt.Tooltip("people:Q", format=".4~g", title=visible(names.get(gold, gold))),
        alt.Tooltip("metric:Q", format=".4~g", title=title),
        "verdict:N",
    ]
    labels = [mark.label for mark in VERDICTS]
    points = (
        named_chart()
        .mark_point(filled=True, size=56, opacity=0.75)
        .encode(
            x=x,
            y=y,
            shape=alt.Shape(
                "drawn:N",
                scale=alt.Scale(domain=[*labels, *OUTSIDE], range=["circle", "diamond", "square", *OUTSIDE.values()]),
                legend=None,
            ),
            color=alt.Color(
                "verdict:N", scale=alt.Scale(domain=labels, range=[mark.colour for mark in VERDICTS]), legend=None
            ),
            tooltip=tooltip,
        )
    )
    one = named_chart().transform_aggregate(n="count()")
    shade = one.mark_rect(color=SECOND, opacity=0.1).encode(
        x=alt.XDatum(left, scale=alt.Scale(domain=[left, right], nice=False)),
        x2=alt.X2Datum(0),
        y=alt.YDatum(0, scale=alt.Scale(domain=[0, top], nice=False)),
        y2=alt.Y2Datum(top),
    )
    zero = one.mark_rule(color=SOFT, strokeWidth=1, strokeDash=[3, 3]).encode(x=alt.XDatum(0))
    return drawn((shade + zero + points).properties(height=PANEL), rows)


# Metrics beside each other


def correlation_rows(names: Sequence[str], values: Array) -> Rows:
    """A row for every cell of a matrix."""
    return [
        {"first": one, "second": other, "value": float(values[i, j])}
        for i, one in enumerate(names)
        for j, other in enumerate(names)
    ]


def heat_maps(matrices: Mapping[str, tuple[Sequence[str], Array]], *, statistic: str, note: str = "") -> Chart:
    """Correlations with each other, the numbers in the cells; the reader chooses a matrix where there are several."""
    charts = {label: _heat_map(names, values) for label, (names, values) in matrices.items()}
    return Chart(
        title=f"{statistic} of metrics, and of people, with each other.",
        charts=charts,
        choose="Level" if len(charts) > 1 else "",
        note=note,
        wide=max(len(names) for names, _ in matrices.values()) > SQUARE_HEAT,
        text=f"{statistic} between all pairs of metrics as a table of coloured cells with the numbers in them.",
    )


def _heat_map(names: Sequence[str], values: Array) -> dict[str, Any]:
    import altair as alt

    order = [word(name) for name in names]
    rows: Rows = []
    for row in correlation_rows(names, values):
        value = row["value"]
        text = "–" if math.isnan(value) else f"{value:.2f}"
        sign = "below 0" if value < 0 else "above 0"
        rows.append({**row, "text": text, "sign": sign, "strength": 0.0 if math.isnan(value) else abs(value)})
    scale = alt.Scale(domain=order)
    turned = alt.Axis(orient="top", labelAngle=-40, labelLimit=120, grid=False)
    chart = named_chart().encode(
        x=alt.X("second:N", scale=scale, title=None, axis=turned),
        y=alt.Y("first:N", scale=scale, title=None, axis=alt.Axis(grid=False)),
        tooltip=["first:N", "second:N", alt.Tooltip("value:Q", format=".4f", title="correlation")],
    )
    cells = chart.mark_rect().encode(
        color=alt.Color("sign:N", scale=alt.Scale(domain=["above 0", "below 0"], range=[LEAD, SECOND]), legend=None),
        opacity=alt.Opacity("strength:Q", scale=alt.Scale(domain=[0, 1], range=[0.03, 0.5]), legend=None),
    )
    return drawn((cells + chart.mark_text().encode(text="text:N")).properties(height=max(90, 34 * len(order))), rows)


# What a difference is worth


def curve_rows(item: Preference) -> Rows:
    """The fitted curve with the ends of its interval, from no difference to the largest seen."""
    rows: Rows = []
    for k in range(STEPS + 1):
        difference = item.largest * k / STEPS
        chance = item.probability(difference)
        low, high = (chance.interval.low, chance.interval.high) if chance.interval else (math.nan, math.nan)
        rows.append({"difference": difference, "P": chance.value, "low": low, "high": high})
    return rows


def observed_rows(item: Preference) -> Rows:
    """What the curve should be near to: shares of agreeing pairs that differ by about so much."""
    found = [(difference, *item.observed(difference)) for difference in round_differences(item)]
    return [{"difference": difference, "P": share, "pairs": n} for difference, share, n in found if n]


def preference_curves(found: Sequence[Preference], names: Mapping[str, str]) -> Iterator[Chart]:
    """How likely people prefer the higher score, a panel for each metric that has a curve."""
    panels = {
        f"{names[item.metric]}: {counted(item.pairs, 'pair')}": _preference(item, names)
        for item in found
        if not math.isnan(item.slope) and item.largest > 0
    }
    if panels:
        yield Chart(
            title="How likely people prefer the system that a metric puts first, by how far it does (logistic fit).",
            charts=panels,
            panels=True,
            key=[Mark("fitted curve and its interval", LEAD, "", "1 0"), Mark("pairs seen", SECOND, DIAMOND)],
            note="Intervals: systems drawn again within their groups. Diamonds: the share of agreeing pairs among "
            "those that differ by about so much. Curves end at the largest difference seen.",
            text="Probability that people prefer the higher-scoring system against the difference in score.",
        )


def _preference(item: Preference, names: Mapping[str, str]) -> dict[str, Any]:
    import altair as alt

    rows = curve_rows(item)
    known = [value for row in rows for value in (row["P"], row["low"]) if not math.isnan(value)]
    seen = observed_rows(item)
    low = min([0.5, *known, *(row["P"] for row in seen)])
    title = f"{visible(names[item.metric]).removesuffix(' ↓')} difference"
    x = alt.X("difference:Q", title=title, axis=alt.Axis(tickCount=5), scale=alt.Scale(nice=False))
    scale = alt.Scale(domain=[max(0.0, math.floor(10 * low) / 10), 1], nice=False)
    axis = alt.Axis(format="%", tickCount=4)
    curve = named_chart().transform_filter("!isValid(datum.pairs)")
    near = [alt.Tooltip("difference:Q", format=".3~g"), alt.Tooltip("P:Q", format=".0%")]
    ends = [alt.Tooltip("low:Q", format=".0%"), alt.Tooltip("high:Q", format=".0%")]
    band = curve.mark_area(opacity=0.22).encode(
        x=x, y=alt.Y("low:Q", scale=scale, axis=axis, title="people prefer it"), y2="high:Q"
    )
    line = curve.mark_line().encode(x=x, y=alt.Y("P:Q", scale=scale, axis=axis, title="people prefer it"))
    touch = curve.mark_point(opacity=0, size=150).encode(x=x, y=alt.Y("P:Q", scale=scale), tooltip=[*near, *ends])
    points = (
        named_chart()
        .transform_filter("isValid(datum.pairs)")
        .mark_point(shape="diamond", filled=True, color=SECOND, size=70)
        .encode(
            x=x,
            y=alt.Y("P:Q", scale=scale),
            tooltip=[*near, alt.Tooltip("pairs:Q", title="pairs that differ by about so much")],
        )
    )
    layers = [band, line, touch, *([points] if seen else [])]
    return drawn(alt.layer(*layers).properties(height=PANEL), [*rows, *seen])
