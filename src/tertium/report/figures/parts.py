"""The charts of parts of a test set: lengths, documents, words, errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.core.wording import counted, visible
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, OTHER, ROW, SECOND, Rows, by_system, drawn, named_chart, shown, word
from tertium.report.results import Results

POINTS = 160  # of a curve
DOCUMENTS = 1_000  # in a table or figure: more cannot be told apart on a screen
NAMED_DOCUMENTS = 40  # more names than these cannot be read along an axis
BEHIND = 2  # the place of all systems but the two best
RATES = [0, 1, 2, 5, 10, 20, 50, 100]  # in percent, where a logarithmic axis has a number


def _lines(
    rows: Rows, x: Any, y: Any, pair: Sequence[str], *, point: bool = False, tooltip: Sequence[Any] = ()
) -> dict[str, Any]:
    """A line for each system: the two best are named and coloured, the others stand behind. A layer without rows is
    left out: Vega would look for its extent."""
    import altair as alt

    places = {name: k for k, name in enumerate(pair[:2])}
    rows = [{**row, "place": places.get(row["system"], BEHIND)} for row in rows]
    chart = named_chart().encode(x=x, y=y, detail=alt.Detail("system:N"), tooltip=list(tooltip))
    dots: Any = {"color": OTHER, "size": 20} if point else False
    behind = chart.transform_filter(f"datum.place === {BEHIND}")
    named = alt.Color(
        "system:N",
        scale=alt.Scale(domain=[word(name) for name in places], range=[LEAD, SECOND]),
        legend=alt.Legend(title=None),
    )
    front = chart.transform_filter(f"datum.place < {BEHIND}").encode(
        color=named, strokeDash=alt.condition("datum.place === 0", alt.value([1, 0]), alt.value([6, 3]))
    )
    named_rows = {row["place"] < BEHIND for row in rows if _known(row)}
    layers = [
        *([behind.mark_line(color=OTHER, strokeWidth=1, opacity=0.7, point=dots)] if False in named_rows else []),
        *([front.mark_line(strokeWidth=2.5, point=point)] if True in named_rows else []),
    ]
    return drawn(alt.layer(*layers).properties(height=300), rows)


def _known(row: Mapping[str, Any]) -> bool:
    return not any(isinstance(value, float) and math.isnan(value) for value in row.values())


def length_names(results: Results) -> list[str]:
    """The buckets of lengths that a figure shows; none where there is no figure."""
    parts = [score for score in results.lengths if not score.whole and score.comparable]
    names = list(dict.fromkeys(score.bucket for score in parts))
    return names if len(names) > 1 and not all(math.isnan(score.value) for score in parts) else []


def lengths(results: Results) -> list[Chart]:
    """Scores by length of segments."""
    import altair as alt

    charts = {}
    parts = [score for score in results.lengths if not score.whole and score.comparable]
    names = length_names(results)
    if not names:
        return []
    for metric in results.metrics:
        rows = [
            {"system": score.system, "length": score.bucket, "score": score.value, "segments": score.segments}
            for score in parts
            if score.metric == str(metric)
        ]
        if not any(map(_known, rows)):
            continue
        title = results.titles[str(metric)]
        tooltip = [
            alt.Tooltip("system:N"),
            alt.Tooltip("length:O"),
            alt.Tooltip("segments:Q"),
            alt.Tooltip("score:Q", format=shown(metric)),
        ]
        x = alt.X(
            "length:O",
            sort=names,
            title="words in a segment",
            axis=alt.Axis(labelAngle=0),
            scale=alt.Scale(type="point", padding=0.3),
        )
        y = alt.Y("score:Q", title=visible(title), scale=alt.Scale(zero=False))
        charts[title] = _lines(rows, x, y, results.systems, point=True, tooltip=tooltip)
    return [
        Chart(
            title="Scores of short and long segments. Systems can be compared at one length; lengths among each other "
            "only with care, because long segments are another kind of text.",
            charts=charts,
            choose="Metric",
            text="Scores of every system on segments of different lengths.",
        )
    ]


def held_documents(results: Results) -> list[str]:
    """Documents with a line in the table, in their order: all, or those on which systems differ most by the first
    metric; of one system, those that score lowest."""
    values: dict[str, list[float]] = {}
    for score in results.documents:
        if score.metric == str(results.metrics[0]):
            values.setdefault(str(score.document), []).append(score.value)
    if len(values) <= DOCUMENTS:
        return list(values)
    sign = -1 if results.metrics[0].better == "higher" else 1
    known = {name: [value for value in found if not math.isnan(value)] or [0.0] for name, found in values.items()}
    sizes = {
        name: max(found) - min(found) if len(results.systems) > 1 else sign * found[0] for name, found in known.items()
    }
    kept = set(sorted(sizes, key=lambda name: -sizes[name])[:DOCUMENTS])
    return [name for name in values if name in kept]


def heat_map(results: Results) -> list[Chart]:
    """Documents and systems; how good each was there. Of more documents than a screen has columns there is none."""
    import altair as alt

    names = [visible(name) for name in dict.fromkeys(str(score.document) for score in results.documents)]
    if not 0 < len(names) <= DOCUMENTS:
        return []
    charts = {}
    for metric in results.metrics:
        if metric.resampling != "percentile":  # averages over types of different documents are not comparable
            continue
        said = str(metric)
        rows = [
            {
                "system": score.system,
                "document": str(score.document),
                "segments": score.n,
                "score": round(score.value, 3),
            }
            for score in results.documents
            if score.metric == said
        ]
        title = results.titles[said]
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
                    title=counted(len(names), "document") + ", from easy to hard",
                    axis=axis,
                ),
                color=alt.Color("score:Q", scale=domain, title=visible(title)),
                tooltip=[
                    alt.Tooltip("document:N"),
                    alt.Tooltip("system:N"),
                    alt.Tooltip("segments:Q"),
                    alt.Tooltip("score:Q", format=shown(metric)),
                ],
            )
        )
        charts[title] = drawn(cells, rows)
    return (
        [
            Chart(
                title="Scores of documents, the darker the worse. Some cell is always the darkest, and short documents "
                "vary most: where one is much darker than its neighbours, read the document. The numbers are in the "
                "table.",
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
            chart=_lines(rows, x, y, results.systems),
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
        alt.Tooltip("system:N"),
        alt.Tooltip("times:O", title="times in references"),
        alt.Tooltip("types:Q"),
        alt.Tooltip("F:Q", format=".1f"),
    ]
    return [
        Chart(
            title="Rare and frequent words: F of types by how often the references have them.",
            chart=_lines(rows, x, y, results.systems, point=True, tooltip=tooltip),
            text="Mean F of types in buckets of reference frequency, a line for each system.",
        )
    ]


def detectors(results: Results) -> list[Chart]:
    """How often each detector hits each system, and the reference."""
    import altair as alt

    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return []
    best = results.systems[0]
    rows: Rows = []
    for kind in diagnosis.detectors:
        for name in results.systems:
            tally = diagnosis.tallies[name, kind]
            who = "best system" if name == best else "other systems"
            rows.append({"detector": kind, "system": name, "of": who, "rate": 100 * tally.rate, "hits": tally.hits})
        if kind in diagnosis.floor and diagnosis.floor[kind].judged:
            tally = diagnosis.floor[kind]
            rows.append(
                {
                    "detector": kind,
                    "system": "reference",
                    "of": "reference",
                    "rate": 100 * tally.rate,
                    "hits": tally.hits,
                }
            )
    order = list(diagnosis.detectors)
    scale = alt.Scale(domain=["best system", "other systems", "reference"])
    chart = (
        named_chart()
        .mark_point(size=70, opacity=0.9)
        .encode(
            y=alt.Y("detector:N", sort=order, title=None, axis=alt.Axis(labelPadding=10)),
            x=alt.X(
                "rate:Q",
                title="% of segments",
                scale=alt.Scale(type="symlog", constant=0.5),
                axis=alt.Axis(values=RATES, labelOverlap="parity", labelSeparation=4),
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
                alt.Tooltip("detector:N"),
                alt.Tooltip("system:N"),
                alt.Tooltip("hits:Q", title="segments"),
                alt.Tooltip("rate:Q", format=".2f", title="%"),
            ],
        )
    )
    return [
        Chart(
            title="How often a detector finds something. What it finds in the reference shows what it dislikes in good "
            "text; a system's rate says something where it lies well to the right of that.",
            chart=drawn(chart.properties(height=ROW * len(order)), rows),
            text="Rates of every error detector for every system and for the reference. The numbers are in the table.",
        )
    ]


def contrast_of_best(results: Results) -> TypeContrast | None:
    """The best system's types beside the runner-up's."""
    return next(iter(results.contrasts.values()), None)
