"""The charts of retrieval, by Altair: thresholds, what foretells it, metrics against measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tertium.core.wording import visible
from tertium.meta.correlate import correlate
from tertium.meta.table import ScoreTable
from tertium.report.charts import Chart, Mark
from tertium.report.figures.overview import (
    LEAD,
    OTHER,
    SECOND,
    SOFT,
    Rows,
    all_labelled,
    beside,
    drawn,
    named_chart,
    word,
)
from tertium.report.figures.people import CIRCLE
from tertium.report.tables.retrieval import foretelling, foretelling_table
from tertium.retrieval.aqwv import BETA, sweep
from tertium.retrieval.experiment import RetrievalTest
from tertium.retrieval.metric import TopicEvaluation

HEIGHT = 230
POINTS = 120  # of a curve
BAR = 22  # pixels


def threshold_chart(test: RetrievalTest, evaluation: TopicEvaluation) -> Chart:
    """AQWV at every threshold, a line for each system; its highest point is mAQWV."""
    import altair as alt

    rows: Rows = []
    for name in test.systems:
        curve = sweep(evaluation.judged[name], len(test.documents), BETA)
        known = [(t, v) for t, v in zip(curve.thresholds.tolist(), curve.values.tolist(), strict=True) if t < 1e300]
        step = max(1, len(known) // POINTS)
        best = max(range(len(known)), key=lambda k: known[k][1], default=0)
        rows += [
            {"system": name, "threshold": t, "AQWV": v, "best": k == best}
            for k, (t, v) in enumerate(known)
            if k % step == 0 or k in (best, len(known) - 1)
        ]
    low = min((row["AQWV"] for row in rows), default=0.0)
    scale = alt.Scale(domain=[max(-1.0, low), 1.02], nice=False)
    x = alt.X("threshold:Q", title="threshold (score of a document)")
    y = alt.Y("AQWV:Q", title="AQWV", scale=scale)
    tooltip = ["system:N", alt.Tooltip("threshold:Q", format=".3f"), alt.Tooltip("AQWV:Q", format=".4f")]
    places = {name: k for k, name in enumerate(_best_first(rows))}
    rows = [{**row, "place": min(places[row["system"]], 2)} for row in rows]
    domain = alt.Scale(domain=[0, 1, 2], range=[LEAD, SECOND, OTHER])
    colour = alt.Color("place:O", scale=domain, legend=None)
    base = named_chart().encode(x=x, y=y, tooltip=tooltip, detail="system:N", color=colour)
    lines = base.mark_line(clip=True, strokeWidth=1.8)
    points = base.transform_filter("datum.best").mark_point(filled=True, size=50, opacity=1, clip=True)
    return Chart(
        title=f"AQWV at every threshold ({test.recipe}), a line for each system; its dot is mAQWV.",
        charts={"AQWV at thresholds": drawn(alt.layer(lines, points).properties(height=HEIGHT), rows)},
        panels=True,
        key=[Mark(name, colour_, CIRCLE, "1 0") for name, colour_ in zip(places, (LEAD, SECOND), strict=False)]
        + ([Mark("other systems", OTHER, CIRCLE, "1 0")] if len(places) > 2 else []),
        text="AQWV against thresholds for every system. The highest values, mAQWV, are in the table.",
        note="Values below -1 are not drawn.",
    )


def _best_first(rows: Rows) -> list[str]:
    """Systems by their highest AQWV."""
    highest: dict[str, float] = {}
    for row in rows:
        highest[row["system"]] = max(row["AQWV"], highest.get(row["system"], row["AQWV"]))
    return sorted(highest, key=lambda name: -highest[name])


def foretelling_chart(table: ScoreTable) -> Chart:
    """The bars: mean correlation of each metric with each measure; the reader chooses the measure."""
    measures = foretelling_table(table)
    heads = measures.heads[1:]
    values = {head: {str(row[0]): row[1 + k] for row in measures.values()} for k, head in enumerate(heads)}
    order = [str(row[0]) for row in measures.values()]
    charts = {_label(head): _bars(values[head], order) for head in [heads[-1], *heads[:-1]]}
    means = foretelling(table)
    best = max(means, key=lambda metric: means[metric] if means[metric] == means[metric] else -2)
    return Chart(
        title="Which metric foretells retrieval best: mean Kendall tau-b with the measure, over test sets.",
        charts=charts,
        choose="Measure",
        text=f"A bar for each metric; {visible(table.shown(best))} has the longest over all measures. The numbers are "
        "in the table.",
    )


def _label(head: str) -> str:
    return "all measures" if head == "all" else head


def _bars(values: dict[str, Any], order: Sequence[str]) -> dict[str, Any]:
    import altair as alt

    rows: Rows = [{"metric": name, "tau": values[name]} for name in order]
    names = [word(name) for name in order]
    chart = named_chart().encode(
        y=alt.Y("metric:N", scale=alt.Scale(domain=names), title=None),
        x=alt.X("tau:Q", title="mean Kendall tau-b", scale=alt.Scale(domainMax=1.0)),
        tooltip=["metric:N", alt.Tooltip("tau:Q", format=".3f")],
    )
    bars = chart.mark_bar(color=LEAD, opacity=0.75)
    labels = chart.mark_text(align="left", dx=4, color=SOFT).encode(text=alt.Text("tau:Q", format=".2f"))
    return drawn(alt.layer(bars, labels).properties(height=BAR * len(order)), rows)


def scatter_chart(table: ScoreTable) -> Chart:
    """Every metric against every measure, a point for each system; the shape says the test set."""
    found = {(c.group, c.metric): c for c in correlate(table, "pearson")}
    measures = list(dict.fromkeys(key[0] for key in table.keys))
    charts = {
        f"{measure} by {table.shown(metric)}": _scatter(table, measure, metric)
        for measure in measures
        for metric in table.metrics
    }
    rs = [cell.value for cell in found.values() if cell.value == cell.value]
    spread = f" Pearson r within test sets lies between {min(rs):.2f} and {max(rs):.2f}." if rs else ""
    return Chart(
        title="Retrieval against MT metrics, a point for each system of each test set; names that would cover another "
        "are left out.",
        charts=charts,
        choose="Measure and metric",
        text=f"A point for each system: the metric to the right, the measure upwards.{spread} Tables have the numbers.",
    )


def _scatter(table: ScoreTable, measure: str, metric: str) -> dict[str, Any]:
    import altair as alt

    gold, values = table.columns[table.gold].tolist(), table.columns[metric].tolist()
    sign = -1 if metric in table.lower else 1
    rows: Rows = [
        {"system": table.systems[k], "test set": key[1], "x": sign * values[k], "y": gold[k]}
        for k, key in enumerate(table.keys)
        if key[0] == measure
    ]
    several = len({row["test set"] for row in rows}) > 1
    chart = named_chart().encode(
        x=alt.X("x:Q", title=visible(table.shown(metric)), scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8)),
        y=alt.Y("y:Q", title=visible(measure), scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=6)),
        tooltip=["system:N", "test set:N", alt.Tooltip("x:Q", format=".3f", title=visible(metric)),
                 alt.Tooltip("y:Q", format=".4f", title=visible(measure))],
    )  # fmt: skip
    if several:
        chart = chart.encode(shape=alt.Shape("test set:N", title=None))
    points = chart.mark_point(color=LEAD, filled=not several, size=55, opacity=0.85)
    if several:
        return drawn(points.properties(height=HEIGHT), rows)
    return drawn((points + beside(chart)).properties(height=HEIGHT), all_labelled(rows))
