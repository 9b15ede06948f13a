"""The charts of words, rare and frequent, by Altair: how often types come, how good systems are at them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.report.charts import Chart, Mark
from tertium.report.figures.overview import OTHER, SOFT, Rows, drawn, href, named_chart
from tertium.report.figures.parts import system_lines
from tertium.report.figures.people import CIRCLE
from tertium.report.links import colours, segments_link

if TYPE_CHECKING:
    from tertium.report.results import Results

POINTS = 160  # of a curve
BEHIND = 2  # the place of all systems but the two that are named
HEIGHT = 260
REFERENCES = "references"


def zipf(contrasts: Sequence[TypeContrast], systems: Sequence[str], results: Results | None = None) -> list[Chart]:
    """Frequencies of types by rank, both on logarithmic axes (Zipf), beside F by frequency. `contrasts` set the first
    of the systems beside others. In a report with `results` types and their frequencies lead to segments."""
    if not contrasts:
        return []
    best, other = contrasts[0].systems
    looks = places(systems, results)
    colour = dict(zip(systems, colours(systems, looks), strict=True))
    key = [
        Mark(best, colour[best], CIRCLE, "1 0"),
        Mark(other, colour[other], CIRCLE, "6 3"),
        Mark(REFERENCES, SOFT, "", "2 3"),
    ]
    chart = Chart(
        title="How often types come (Zipf's law), and F of types by how often the references have them.",
        charts={
            "Times that a type comes, by its rank": _frequencies(
                _linked_types(rank_rows(counts_of(contrasts[0])), results), [colour[best], colour[other]]
            ),
            "Mean F of types, by how often the references have them": _by_frequency(contrasts, systems, results),
        },
        panels=True,
        key=key,
        text="Left: frequencies of types by rank for references and two systems. Right: mean F of types in buckets of "
        "reference frequency, a line for each system. The numbers are in the table.",
        note="All axes but that of F are logarithmic. A point of F stands at the geometric mean of the frequencies of "
        "its types.",
    )
    return [chart]


Counts = Sequence[tuple[str, int]]  # types, and how often each comes


def rank_rows(counts: Sequence[tuple[str, Counts]]) -> Rows:
    """The frequencies of types from the most frequent down, those of the references first, each by its own ranks; those
    that are as frequent by their letters."""
    rows: Rows = []
    for place, (whose, values) in enumerate(counts):
        known = sorted(((word, times) for word, times in values if times), key=lambda each: (-each[1], each[0]))
        rows += [
            {"whose": whose, "place": min(place, BEHIND + 1), "rank": rank, "type": word, "times": times}
            for rank, (word, times) in thinned(list(enumerate(known, 1)))
        ]
    return rows


def counts_of(contrast: TypeContrast) -> list[tuple[str, Counts]]:
    """How often each type comes: in the references, and in the outputs of both systems."""
    return [
        (REFERENCES, [(pair.type, pair.references) for pair in contrast.pairs]),
        (contrast.systems[0], [(pair.type, pair.a.outputs) for pair in contrast.pairs]),
        (contrast.systems[1], [(pair.type, pair.b.outputs) for pair in contrast.pairs]),
    ]


def ranked_types(contrast: TypeContrast) -> list[str]:
    """The types that the figure has."""
    return list(dict.fromkeys(row["type"] for row in rank_rows(counts_of(contrast))))


def _linked_types(rows: Rows, results: Results | None) -> Rows:
    """Each leads to the segments that have it, in a reference or in an output of the system."""
    if results is None:
        return rows
    sides = [{"side": "references"} if row["place"] == 0 else {"of": row["whose"]} for row in rows]
    return [
        {**row, **href(segments_link(results, word=row["type"], **side))} for row, side in zip(rows, sides, strict=True)
    ]


def _frequencies(rows: Rows, pair: Sequence[str]) -> dict[str, Any]:
    """A line for references and each system: the first two systems have the colours of the pair."""
    import altair as alt

    places, paint = [0, 1, 2, 3], [SOFT, *pair, *[OTHER] * (3 - len(pair))]
    x = alt.X("rank:Q", title="rank of the type", scale=alt.Scale(type="log", nice=False), axis=_tens(rows, "rank"))
    y = alt.Y("times:Q", title="times", scale=alt.Scale(type="log", nice=False), axis=_tens(rows, "times"))
    colour = alt.Color("place:O", scale=alt.Scale(domain=places, range=paint), legend=None)
    dashes = alt.Scale(domain=places, range=[[2, 3], [1, 0], [6, 3], [1, 0]])
    chart = named_chart().encode(x=x, y=y, color=colour, detail="whose:N")
    lines = chart.mark_line(strokeWidth=2, interpolate="step-after")
    lines = lines.encode(strokeDash=alt.StrokeDash("place:O", scale=dashes, legend=None))
    tooltip = [alt.Tooltip("whose:N", title="in"), "type:N", "rank:Q", "times:Q"]
    # a point is seen when it is reached
    touch = chart.mark_point(filled=True, fillOpacity=0, strokeOpacity=0, size=60).encode(tooltip=tooltip)
    return drawn((lines + touch).properties(height=HEIGHT), rows)


def _tens(rows: Rows, field: str) -> Any:
    """An axis with numbers at 1, 10, 100, ..."""
    import altair as alt

    last = max((row[field] for row in rows), default=1)
    return alt.Axis(values=[10**k for k in range(len(str(int(last))))], format="~s")


def frequency_rows(contrasts: Sequence[TypeContrast], results: Results | None = None) -> Rows:
    """F of every bucket of frequency and system, at the geometric mean of its types' frequencies."""
    rows: Rows = []
    for k, contrast in enumerate(contrasts):
        kept = [bucket for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL) and bucket.a.types]
        middle = {bucket.name: _middle(contrast, bucket.low, bucket.high) for bucket in kept}
        sides = [(contrast.systems[0], "a")] if k == 0 else []
        for system, side in (*sides, (contrast.systems[1], "b")):
            rows += [
                {"system": system, "times": middle[b.name], "bucket": b.name, "F": getattr(b, side).f,
                 "types": getattr(b, side).types,
                 **({} if results is None else results.behind.bucket(system, b.name, contrast))}
                for b in kept
            ]  # fmt: skip
    return rows


def _middle(contrast: TypeContrast, low: int, high: int | None) -> float:
    """The geometric mean of the frequencies of types in a bucket."""
    counts = [p.references for p in contrast.pairs if low <= p.references and (high is None or p.references <= high)]
    return math.exp(math.fsum(map(math.log, counts)) / len(counts)) if counts else math.nan


def places(systems: Sequence[str], results: Results | None) -> Mapping[str, int]:
    """What the colours of systems go by: the page's own places, else their places here."""
    return results.looks if results is not None and results.looks else {name: k for k, name in enumerate(systems)}


def _by_frequency(contrasts: Sequence[TypeContrast], systems: Sequence[str], results: Results | None) -> dict[str, Any]:
    import altair as alt

    rows = frequency_rows(contrasts, results)
    x = alt.X(
        "times:Q",
        title="times that the references have a type",
        scale=alt.Scale(type="log", nice=False, padding=8),
        axis=_tens(rows, "times"),
    )
    y = alt.Y("F:Q", title="mean F", scale=alt.Scale(zero=False))
    tooltip = [
        alt.Tooltip("system:N"),
        alt.Tooltip("bucket:N", title="times in references"),
        alt.Tooltip("types:Q"),
        alt.Tooltip("F:Q", format=".1f"),
        *([alt.Tooltip("segments:Q")] if any("segments" in row for row in rows) else []),
    ]
    first = [*contrasts[0].systems, *(name for name in systems if name not in contrasts[0].systems)]
    return {
        **system_lines(rows, x, y, first, point=True, tooltip=tooltip, looks=places(systems, results)).spec,
        "height": HEIGHT,
    }


def curve(contrasts: Sequence[TypeContrast], systems: Sequence[str], results: Results | None = None) -> list[Chart]:
    """The cumulative mean F of types from the most frequent down, for every system."""
    import altair as alt

    if not contrasts:
        return []
    rows: Rows = []
    for k, contrast in enumerate(contrasts):
        points = thinned(contrast.curve())
        if k == 0:
            rows += [
                {"system": contrast.systems[0], "rank": p.rank, "F": p.a, "references": p.references} for p in points
            ]
        rows += [{"system": contrast.systems[1], "rank": p.rank, "F": p.b, "references": p.references} for p in points]
    x = alt.X(
        "rank:Q",
        scale=alt.Scale(type="log", nice=False),
        title="types, from the most frequent in the references down",
        axis=_tens(rows, "rank"),
    )
    y = alt.Y("F:Q", title="mean F of the types so far", scale=alt.Scale(zero=False))
    lines = system_lines(rows, x, y, systems, looks=places(systems, results))
    return [
        Chart(
            title="Cumulative type F (Gowda et al. 2021, figure 1): how good systems are at frequent words (left), and "
            "what is left of it as rarer words are counted (right).",
            chart=lines.spec,
            note=lines.note,
            text="Curves of the mean F of types up to a frequency rank, one for each system.",
        )
    ]


def thinned(points: Sequence[Any]) -> list[Any]:
    """Points of a curve that a logarithmic axis can tell apart."""
    if len(points) <= POINTS:
        return list(points)
    step = math.log(len(points)) / (POINTS - 1)
    kept = sorted({min(len(points), max(1, round(math.exp(k * step)))) for k in range(POINTS)})
    return [points[rank - 1] for rank in kept]


def spectrum(counts: Sequence[tuple[str, Counts]]) -> Chart:
    """Frequencies of types by rank, a line for each system and one for the references, which come first."""
    first, *others = [name for name, _ in counts]
    pair = colours(others)[:2]
    coloured = zip(others, pair, ("1 0", "6 3"), strict=False)
    marks = [Mark(first, SOFT, "", "2 3"), *(Mark(name, colour, "", dash) for name, colour, dash in coloured)]
    if len(others) > BEHIND:
        marks.append(Mark("other systems", OTHER, "", "1 0"))
    return Chart(
        title="How often types come (Zipf's law): times by rank, both axes logarithmic.",
        charts={"Times that a type comes, by its rank": _frequencies(rank_rows(counts), pair)},
        panels=True,
        key=marks,
        text="Frequencies of types by rank for references and systems.",
    )
