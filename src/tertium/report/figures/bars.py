"""Wins and correlations of metrics as bars, by Altair (the WMT and WebNLG tables of Gowda et al. 2021 as figures)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tertium.core.wording import counted
from tertium.meta.correlate import TITLES, by_group
from tertium.meta.wins import summaries
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, OTHER, SOFT, Rows, drawn, named_chart, word
from tertium.report.tables.correlations import Correlations

BAR = 22  # pixels
PANELS = 6  # of wins, side by side; of more parts the reader chooses one
MOST = 80  # groups of which one can be chosen
SIGNIFICANT, NOT = "significant", "not significant"
ALL = "all groups"


def win_rows(given: Correlations, statistic: str) -> dict[str, Rows]:
    """The wins of each metric, by the first part of groups (a year, say) and in all of them."""
    return {
        ALL if name == "all" else name: [
            {"metric": given.names[metric], "wins": part.wins[metric], "decided": part.decided, "groups": part.groups}
            for metric in given.table.metrics
        ]
        for name, part in given.wins[statistic].items()
    }


def win_bars(given: Correlations, statistic: str) -> Chart:
    """In how many groups each metric has the highest correlation."""
    found = win_rows(given, statistic)
    most = max(row["wins"] for rows in found.values() for row in rows)
    several = len(found) > 1
    parts = {name: _bars(rows, "wins", "wins", 0, most, ".0f") for name, rows in found.items()}
    panels = 1 < len(parts) <= PANELS
    return Chart(
        title=f"Wins: groups in which a metric has the highest {TITLES[statistic]} with {given.table.gold}, among "
        f"those significant by themselves (p < {given.alpha:g}).",
        charts=parts,
        choose="" if panels or not several else given.heads[0],
        panels=panels,
        text="A bar for each metric. The numbers are in the table of wins.",
        note="Metrics that share the highest all win. Wins are counted, not tested.",
    )


def correlation_rows(given: Correlations, statistic: str) -> dict[str, Rows]:
    """Correlations of every metric with people: means over groups first, where there are several, with the groups'
    own as dots, then group by group."""
    cells = given.cells[statistic]
    found: dict[str, Rows] = {}
    groups = by_group(cells)
    if len(groups) > 1:
        summed = summaries(cells, alpha=given.alpha)
        means: Rows = [
            {"metric": given.names[item.metric], "value": item.mean_of_all, "of": SIGNIFICANT, "n": item.defined}
            for item in summed
        ]
        dots: Rows = [
            {"metric": given.names[cell.metric], "dot": cell.value, "group": " ".join(cell.group), "systems": cell.n}
            for cell in cells
            if not math.isnan(cell.value)
        ]
        found[f"mean over {counted(max(item.defined for item in summed), 'group')}"] = [*means, *dots]
    for group, own in list(groups.items())[:MOST]:
        found[" ".join(group) or given.table.gold] = [
            {
                "metric": given.names[metric],
                "value": cell.value,
                "of": SIGNIFICANT if cell.significant(given.alpha) else NOT,
                "n": cell.n,
                "p": cell.p,
            }
            for metric, cell in own.items()
        ]
    return found


def correlation_bars(given: Correlations, statistic: str) -> Chart:
    """Correlations as bars; the reader chooses the group."""
    found = correlation_rows(given, statistic)
    groups = len(given.table.groups)
    charts = {name: _bars(rows, "value", TITLES[statistic], _low(rows), 1.0, ".3f") for name, rows in found.items()}
    left_out = f"The first {MOST} of {groups} groups can be chosen." if groups > MOST else ""
    pale = any(row.get("of") == NOT for rows in found.values() for row in rows)
    notes = [
        "Bars: means over the groups in which a metric has one; dots: single groups." if groups > 1 else "",
        f"Pale: not significant by itself (p ≥ {given.alpha:g})." if pale else "",
        left_out,
    ]
    return Chart(
        title=f"{TITLES[statistic]} with {given.table.gold}.",
        charts=charts,
        choose="Group" if len(charts) > 1 else "",
        text="A bar for each metric. The numbers are in the table of correlations.",
        note=" ".join(note for note in notes if note),
    )


def _low(rows: Rows) -> float:
    values = [value for row in rows for value in (row.get("value"), row.get("dot")) if isinstance(value, float)]
    return min([0.0, *(value for value in values if not math.isnan(value))])


def _bars(rows: Rows, value: str, title: str, low: float, high: float, form: str) -> dict[str, Any]:
    """A bar for each metric, its number at its end; what is not significant by itself is pale."""
    import altair as alt

    bars = [row for row in rows if value in row]
    names = [word(row["metric"]) for row in bars]
    room = 0.12 * (high - low or 1)
    scale = alt.Scale(domain=[low - (room if low < 0 else 0), high + room], nice=False)
    axis = alt.Axis(tickMinStep=1, format="d", tickCount=5) if form == ".0f" else alt.Axis(tickCount=5)
    tooltip: Sequence[Any] = [
        "metric:N",
        alt.Tooltip(f"{value}:Q", format=form, title=title),
        *(alt.Tooltip(f"{name}:Q") for name in ("decided", "groups", "n") if name in bars[0]),
        *([alt.Tooltip("p:Q", format=".3f")] if "p" in bars[0] else []),
    ]
    named = named_chart().encode(
        y=alt.Y("metric:N", scale=alt.Scale(domain=names), title=None, axis=alt.Axis(grid=False))
    )
    x = alt.X(f"{value}:Q", title=title, scale=scale, axis=axis)
    chart = named.transform_filter(f"isValid(datum['{value}'])").encode(x=x)
    colour: Mapping[str, Any] = {}
    if "of" in bars[0]:
        domain = alt.Scale(domain=[SIGNIFICANT, NOT], range=[LEAD, OTHER])
        colour = {"color": alt.Color("of:N", scale=domain, legend=None)}
    text = alt.Text(f"{value}:Q", format=form)
    dots = len(rows) > len(bars)
    shape = {"color": LEAD, "height": 13, "opacity": 0.35 if dots else 1}
    layers = [chart.mark_bar(**shape).encode(tooltip=list(tooltip), **colour)]
    if dots:
        seen = ["metric:N", "group:N", alt.Tooltip("dot:Q", format=form, title=title), "systems:Q"]
        single = named.transform_filter("isValid(datum.dot)").encode(x=alt.X("dot:Q", scale=scale), tooltip=seen)
        layers.append(single.mark_point(filled=True, size=22, color=LEAD, opacity=0.6))
    for sign, side, away in ((">=", "left", 5), ("<", "right", -5)):
        if any(isinstance(row[value], int | float) and (row[value] < 0) == (sign == "<") for row in bars):
            label = chart.transform_filter(f"datum['{value}'] {sign} 0")
            if dots:  # a number beside the bar would stand among them
                label = label.encode(x=alt.XDatum(high + room / 6, scale=scale))
            layers.append(label.mark_text(align=side, dx=0 if dots else away, color=SOFT).encode(text=text))
    return drawn(alt.layer(*layers).properties(height=BAR * len(bars)), rows)
