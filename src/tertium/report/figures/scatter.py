"""Metric against people, by Altair: a point for each system; single outputs as points, or, where there are many, as
counts in small squares, so that they never become a blob."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tertium.core.wording import visible
from tertium.meta.evaluate import MetaEvaluation
from tertium.report.behind import OutputLinks, outermost
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, SECOND, Rows, all_labelled, beside, drawn, href, named_chart
from tertium.report.tables.meta import Names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

    Places = NDArray[np.int64]

Ends = tuple[float, float]
Link = Callable[[Ends, Ends, int, int | None], dict[str, Any]]  # bounds of both scores, segments, the only system
HEIGHT = 300
POINTS = 300  # outputs up to which each is a point
ACROSS, UP = 32, 20  # squares
INSIDE = 0.005  # of the outputs at either end that may lie in an outermost square, so that one does not squeeze all
DIGITS = 2  # of a square's width that its bounds have
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


def system_scatter(result: MetaEvaluation, names: Names, links: OutputLinks | None = None) -> Chart:
    """Systems by metric and people; the reader chooses the metric. In a report a point leads to its system."""
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
        if links is not None:
            rows = [{**row, **href(links.system(metric, str(row["system"])))} for row in rows]
        shown = all_labelled(rows, reverse=(reverse, sign_of(names[result.gold]) < 0))
        charts[bare(names[metric])] = drawn((points + beside(chart)).properties(height=HEIGHT), shown)
    return Chart(
        title="Systems by metric and by people, better to the right and upwards.",
        charts=charts,
        choose="Metric" if len(charts) > 1 else "",
        text="A point for each system. Correlations are in the table.",
        note="Names that would cover another are left out; point at a system to see its name.",
    )


@dataclass(frozen=True, eq=False)
class Outputs:
    """Outputs that a metric and people both scored: the scores, as charts show them, and whose and where they are."""

    x: Array  # (m,)
    y: Array
    system: Places  # among the systems
    segment: Places

    def segments(self, cells: Places) -> list[int]:
        """In how many segments outputs are, by the number of a cell that each is in."""
        import numpy as np

        count = int(self.segment.max(initial=0)) + 1
        found: list[int] = np.bincount(np.unique(cells * count + self.segment) // count).tolist()
        return found


def known_outputs(result: MetaEvaluation, metric: str, names: Names, links: OutputLinks | None = None) -> Outputs:
    """Those of a metric; in a report with the decimals that its page has."""
    import numpy as np

    x = sign_of(names[metric]) * result.segments[metric] if links is None else links.scores(metric)
    y = (
        sign_of(names[result.gold]) * result.segments[result.gold]
        if links is None
        else np.array([*links.judged.values()])
    )
    system, segment = (places.astype(np.int64) for places in np.nonzero(~np.isnan(x) & ~np.isnan(y)))
    return Outputs(x[system, segment], y[system, segment], system, segment)


def known_pairs(result: MetaEvaluation, metric: str, names: Names) -> tuple[Array, Array]:
    """Scores of the outputs that metric and people both scored. # (m,), (m,)"""
    found = known_outputs(result, metric, names)
    return found.x, found.y


def density(found: Outputs, link: Link | None = None) -> Rows:
    """How many outputs lie in each square; those beyond the outermost squares count in them."""
    import numpy as np

    both = (found.x, ACROSS), (found.y, UP)
    edges = [_edges(values, count) for values, count in both]
    across, up = (
        np.searchsorted(edge[1:-1], values, side="right") for (values, _), edge in zip(both, edges, strict=True)
    )
    cells = (across * UP + up).astype(np.int64)
    counts, segments = np.bincount(cells, minlength=ACROSS * UP), found.segments(cells)
    rows: Rows = []
    for k in np.flatnonzero(counts).tolist():
        (x, x2), (y, y2) = (edge[place : place + 2].tolist() for edge, place in zip(edges, divmod(k, UP), strict=True))
        row = {"x": x, "x2": x2, "y": y, "y2": y2, "outputs": int(counts[k])}
        ends = [outermost(edge, place) for edge, place in zip(edges, divmod(k, UP), strict=True)]
        rows.append(row if link is None else row | link(ends[0], ends[1], segments[k], None))
    return rows


def points(found: Outputs, link: Link | None = None) -> Rows:
    """A row for each place that has outputs."""
    import numpy as np

    pairs, cells, counts = np.unique(
        np.stack([found.x, found.y], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    cells = cells.reshape(-1).astype(np.int64)
    segments, whose = found.segments(cells), dict(zip(cells.tolist(), found.system.tolist(), strict=True))
    rows: Rows = []
    for k, (x, y) in enumerate(pairs.tolist()):
        row = {"x": x, "y": y, "outputs": int(counts[k])}
        alone = whose[k] if counts[k] == 1 else None
        rows.append(row if link is None else row | link((x, x), (y, y), segments[k], alone))
    return rows


def _edges(values: Array, count: int) -> Array:
    """Where squares begin and the last one ends, without more digits than it takes to tell them apart."""
    import numpy as np

    low, high = np.quantile(values, (INSIDE, 1 - INSIDE)).tolist()
    low, high = (low, high) if low < high else (low - 0.5, high + 0.5)
    step = (high - low) / count
    digits = max(0, DIGITS - math.floor(math.log10(step)))
    edges: Array = np.round(low + step * np.arange(count + 1), digits)
    return edges


def means(x: Array, y: Array) -> Rows:
    """People's mean of each tenth of the outputs by the metric: what the line goes through."""
    import numpy as np

    order = np.argsort(x, kind="stable")
    parts = [part for part in np.array_split(order, STEPS) if len(part)]
    return [{"mean x": float(x[part].mean()), "mean y": float(y[part].mean()), "outputs": len(part)} for part in parts]


def segment_scatter(result: MetaEvaluation, names: Names, links: OutputLinks | None = None) -> Chart | None:
    """Single outputs by metric and people, in a report with links to their segments; none where nothing was scored by
    both."""
    charts = {}
    binned = False
    for metric in result.metrics:
        found = known_outputs(result, metric, names, links)
        if not len(found.x):
            continue
        many = len(found.x) > POINTS
        binned |= many
        link = None if links is None else partial(_link, links, metric)
        rows = density(found, link) if many else points(found, link)
        charts[bare(names[metric])] = _outputs([*rows, *means(found.x, found.y)], metric, result.gold, names, many)
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


def _link(
    links: OutputLinks, metric: str, x: tuple[float, float], y: tuple[float, float], segments: int, alone: int | None
) -> dict[str, Any]:
    """A single output leads to its system, too."""
    whose = {} if alone is None else {"first": list(links.judged)[alone]}
    return links.between(metric, x, y, segments, **whose)


def _outputs(rows: Rows, metric: str, gold: str, names: Names, many: bool) -> dict[str, Any]:
    import altair as alt

    x_scale = alt.Scale(zero=False, nice=False, reverse=sign_of(names[metric]) < 0)
    y_scale = alt.Scale(zero=False, nice=False, reverse=sign_of(names[gold]) < 0)
    x = alt.X("x:Q", title=visible(names[metric]), scale=x_scale, axis=alt.Axis(tickCount=6, grid=not many))
    y = alt.Y("y:Q", title=visible(names[gold]), scale=y_scale, axis=alt.Axis(tickCount=6, grid=not many))
    base = named_chart()
    more = [alt.Tooltip("segments:Q")] if any("segments" in row for row in rows) else []
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
                             alt.Tooltip("x2:Q", format=".4~g", title="to"), *more])
        )  # fmt: skip
    else:
        shown = [
            alt.Tooltip(f"{key}:Q", format=".4~g", title=visible(bare(names[each])))
            for key, each in (("x", metric), ("y", gold))
        ]
        one = base.transform_filter("isValid(datum.x)").mark_point(size=26, color=LEAD, opacity=0.6)
        cells = one.encode(x=x, y=y, tooltip=[*shown, alt.Tooltip("outputs:Q"), *more])
    line = base.transform_filter("isValid(datum['mean x'])").encode(
        x=alt.X("mean x:Q", scale=x_scale),
        y=alt.Y("mean y:Q", scale=y_scale),
        tooltip=[alt.Tooltip("mean x:Q", format=".4~g"), alt.Tooltip("mean y:Q", format=".4~g"), "outputs:Q"],
    )
    drawn_line = line.mark_line(color=SECOND, strokeWidth=2)
    dots = line.mark_point(filled=True, color=SECOND, size=40, opacity=1)
    return drawn(alt.layer(cells, drawn_line, dots).properties(height=HEIGHT), rows)
