"""The charts of parts of a test set: lengths, documents, errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from tertium.analysis.contrast import TypeContrast
from tertium.core.wording import counted, visible
from tertium.report.charts import Chart
from tertium.report.figures.overview import (
    OTHER,
    ROW,
    SOFT,
    Rows,
    by_system,
    drawn,
    href,
    named_chart,
    shown,
    system_colour,
    word,
)
from tertium.report.links import NO_LOOKS, segments_link, shapes
from tertium.report.near import is_far
from tertium.report.results import Results
from tertium.report.words import listed

DOCUMENTS = 1_000  # in a table or figure: more cannot be told apart on a screen
NAMED_DOCUMENTS = 40  # more names than these cannot be read along an axis
RATES = [0, 1, 2, 5, 10, 20, 50, 100]  # in percent, where a logarithmic axis has a number


CHOSEN = "datum.system === first || datum.system === second"  # the two that the reader picked: signals of the page


class SystemLines(NamedTuple):
    """A chart with a line for each system, and which systems lie outside of it."""

    spec: dict[str, Any]
    far: list[str]

    @property
    def note(self) -> str:
        """What cannot be seen in it."""
        return outside(self.far) if self.far else ""


def outside(far: Sequence[str], titles: Sequence[str] = ()) -> str:
    """Which systems a chart with lines leaves out, and by which metrics, where others have them."""
    by = f" by {listed(titles)}" if titles else ""
    return f"{listed(far)} {'lies' if len(far) == 1 else 'lie'} outside of what is drawn{by}; pick a system to see it."


def system_lines(
    rows: Rows,
    x: Any,
    y: Any,
    systems: Sequence[str],
    *,
    point: bool = False,
    tooltip: Sequence[Any] = (),
    better: str = "higher",
    looks: Mapping[str, int] = NO_LOOKS,
) -> SystemLines:
    """A line for each system: the two that the reader picked are named and coloured, the others stand behind. A system
    far off does not squeeze the others: the axis is theirs until it is picked."""
    import altair as alt

    field = str(y.shorthand).partition(":")[0]
    values = {name: [row[field] for row in rows if row["system"] == name and _known(row)] for name in systems}
    means = {name: fmean(found) for name, found in values.items() if found}
    best = (max if better == "higher" else min)(means.values())
    far = [name for name, mean in means.items() if is_far(mean, list(means.values()), best)]
    whole = _ends([value for found in values.values() for value in found])
    near = _ends([value for name, found in values.items() if name not in far for value in found])
    picked = "indexof(far, first) >= 0 || indexof(far, second) >= 0 ? whole : near"
    low, high = (alt.ExprRef(f"({picked})[{k}]") for k in (0, 1))
    y.scale = alt.Scale(domainMin=low, domainMax=high, zero=False, nice=True)
    chart = named_chart().encode(x=x, y=y, detail=alt.Detail("system:N"), tooltip=list(tooltip))
    dots: Any = {"color": OTHER, "size": 20, "clip": True} if point else False
    behind = chart.mark_line(color=OTHER, strokeWidth=1, opacity=0.7, point=dots, clip=True)
    legend = alt.Legend(title=None, values=alt.ExprRef("[first, second]"))
    front = chart.mark_line(strokeWidth=2.5, point={"clip": True} if point else False, clip=True).encode(
        color=system_colour(systems, looks, legend=legend),
        opacity=alt.condition(CHOSEN, alt.value(1), alt.value(0)),
        strokeDash=alt.condition("datum.system === second", alt.value([6, 3]), alt.value([1, 0])),
    )
    spec = drawn(alt.layer(behind, front).properties(height=260), rows)
    names = [word(name) for name in systems]
    given = {"first": names[0], "second": names[min(1, len(names) - 1)], "far": [word(name) for name in far],
             "whole": whole, "near": near}  # fmt: skip
    spec["params"] = [{"name": name, "value": value} for name, value in given.items()]
    return SystemLines(spec, far)


def _ends(values: Sequence[float]) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.04 * (high - low) or 0.5
    return [low - room, high + room]


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

    charts, far = {}, dict[tuple[str, ...], list[str]]()
    parts = [score for score in results.lengths if not score.whole and score.comparable]
    names = length_names(results)
    if not names:
        return []
    for metric in results.metrics:
        title = results.titles[str(metric)]
        rows = [
            {
                "system": score.system,
                "length": score.bucket,
                "score": score.value,
                "segments": score.segments,
                **href(segments_link(results, length=score.bucket, first=score.system, metric=title)),
            }
            for score in parts
            if score.metric == str(metric)
        ]
        if not any(map(_known, rows)):
            continue
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
        y = alt.Y("score:Q", title=visible(title))
        lines = system_lines(
            rows, x, y, results.systems, point=True, tooltip=tooltip, better=metric.better, looks=results.looks
        )
        charts[title] = lines.spec
        far.setdefault(tuple(lines.far), []).append(title)
    return [
        Chart(
            title="Scores of short and long segments. Systems can be compared at one length; lengths among each other "
            "only with care, because long segments are another kind of text.",
            charts=charts,
            choose="Metric",
            note=" ".join(outside(names, titles if len(far) > 1 else ()) for names, titles in far.items() if names),
            text="Scores of every system on segments of different lengths.",
        )
    ]


def held_documents(results: Results) -> list[str]:
    """Documents with a line in the table, in their order: all, or those on which systems differ most by the first
    metric; of one system, those that score lowest."""
    values: dict[str, list[float]] = {}
    first = str(results.metrics[0])
    for score in results.documents:
        if score.metric == first:
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
        said, title = str(metric), results.titles[str(metric)]
        rows = [
            {
                "system": score.system,
                "document": str(score.document),
                "segments": score.n,
                "score": round(score.value, 3),
                **href(
                    segments_link(
                        results, document=str(score.document), first=score.system, metric=results.titles[said]
                    )
                ),
            }
            for score in results.documents
            if score.metric == said
        ]
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


# Detectors


def detectors(results: Results) -> list[Chart]:
    """How often each detector hits each system, and the reference."""
    import altair as alt

    diagnosis = results.diagnosis
    if diagnosis is None or not diagnosis.detectors:
        return []
    rows: Rows = []
    for kind in diagnosis.detectors:
        for name, shape in zip(results.systems, shapes(results.systems, results.looks), strict=True):
            tally = diagnosis.tallies[name, kind]
            link = segments_link(results, found=kind, of=name, first=name) if tally.hits else ""
            rows.append(
                {
                    "detector": kind,
                    "system": name,
                    "shape": shape,
                    "rate": 100 * tally.rate,
                    "hits": tally.hits,
                    **href(link),
                }
            )
        if kind in diagnosis.floor and diagnosis.floor[kind].judged:
            tally = diagnosis.floor[kind]
            rows.append({"detector": kind, "system": "reference", "reference": True, "rate": 100 * tally.rate,
                         "hits": tally.hits})  # fmt: skip
    silent = [kind for kind in diagnosis.detectors if not any(row["hits"] for row in rows if row["detector"] == kind)]
    silent = silent if len(silent) < len(diagnosis.detectors) else []
    rows = [row for row in rows if row["detector"] not in silent]
    order = [kind for kind in diagnosis.detectors if kind not in silent]
    names = [word(name) for name in results.systems]
    chart = named_chart().encode(
        y=alt.Y("detector:N", scale=alt.Scale(domain=order), title=None, axis=alt.Axis(labelPadding=10)),
        x=alt.X(
            "rate:Q", title="% of segments", scale=alt.Scale(type="symlog", constant=0.5),
            axis=alt.Axis(values=RATES, labelOverlap="parity", labelSeparation=4),
        ),
        tooltip=[
            alt.Tooltip("detector:N"), alt.Tooltip("system:N"), alt.Tooltip("hits:Q", title="segments"),
            alt.Tooltip("rate:Q", format=".2f", title="%"),
        ],
    )  # fmt: skip
    behind = chart.mark_point(size=60, opacity=0.8).encode(
        color=alt.condition("datum.reference", alt.value(SOFT), alt.value(OTHER)),
        shape=alt.condition("datum.reference", alt.value("diamond"), alt.value("circle")),
    )
    legend = alt.Legend(title=None, values=alt.ExprRef("[first, second]"))
    front = chart.mark_point(size=90).encode(
        shape=alt.Shape("shape:N", scale=None),
        color=system_colour(results.systems, results.looks, legend=legend),
        opacity=alt.condition(CHOSEN, alt.value(1), alt.value(0)),
    )
    spec = drawn(alt.layer(behind, front).properties(height=ROW * len(order)), rows)
    given = {"first": names[0], "second": names[min(1, len(names) - 1)]}
    spec["params"] = [{"name": name, "value": value} for name, value in given.items()]
    return [
        Chart(
            title="How often a detector finds something. What it finds in the reference shows what it dislikes in good "
            "text; a system's rate says something where it lies well to the right of that.",
            chart=spec,
            note="Diamonds are the reference, grey points the systems that are not picked."
            + (f" Nothing anywhere is found by: {', '.join(silent)}." if silent else ""),
            text="Rates of every error detector for every system and for the reference. The numbers are in the table.",
        )
    ]


def contrast_of_best(results: Results) -> TypeContrast | None:
    """The best system's types beside the runner-up's."""
    return next(iter(results.contrasts.values()), None)
