"""What each rater said of each system, by Altair: histograms, a panel for each rater; and how far raters agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.judgement import SCALES, Judgement
from tertium.core.wording import counted, number
from tertium.human.agreement import Agreement
from tertium.report.behind import ends, outermost
from tertium.report.charts import Chart
from tertium.report.figures.overview import LEAD, SOFT, Rows, drawn, named_chart, word
from tertium.report.links import colours
from tertium.report.words import scale_title

if TYPE_CHECKING:
    from tertium.report.results import Results

RATERS = 8  # those with most judgements
SYSTEMS = 6  # those that people put first
FEWEST = 10  # judgements of a rater, below which a histogram shows nothing
POINTS = 12  # a scale of so many points has a bar for each
BINS = 10
BAND = 48  # pixels for a system
FILLED = 0.6  # of them for the highest bar; the rest is for the name
ROW = 22  # pixels for a coefficient


@dataclass(frozen=True, kw_only=True)
class AnswerBars:
    """Bars of what raters said on a scale: where they begin and end; the last holds all that lies beyond."""

    edges: tuple[float, ...]
    points: bool  # a bar for each point of the scale
    beyond: bool  # whether something lies beyond the last bar

    def ends(self, k: int) -> str:
        """The answers of a bar, as an address says it."""
        if self.points:
            point = self.edges[k] + 0.5
            return ends(point, math.inf if self.beyond and k == len(self.edges) - 2 else point)
        return ends(*outermost(self.edges, k))

    def place(self, value: float) -> int:
        """The bar of a value."""
        return max(0, min(len(self.edges) - 2, sum(value >= edge for edge in self.edges) - 1))


def bars_of(scale: str, values: Sequence[float]) -> AnswerBars:
    """A bar for each point of a short scale, ten for a long one; of one without an end, up to what nine tenths of the
    answers reach."""
    known = SCALES[scale]
    low, high, beyond = known.low, known.high, False
    if math.isinf(high):
        ranked = sorted(values)
        high = max(ranked[math.ceil(0.9 * len(ranked)) - 1], low + 1)
        beyond = ranked[-1] > high
    whole = all(value == int(value) for value in values)
    if whole and high - low < POINTS:
        count = math.ceil(high - low) + 1
        return AnswerBars(edges=tuple(low - 0.5 + k for k in range(count + 1)), points=True, beyond=beyond)
    return AnswerBars(edges=tuple(low + (high - low) * k / BINS for k in range(BINS + 1)), points=False, beyond=beyond)


def judged_by(judgements: Sequence[Judgement], systems: Sequence[str]) -> dict[str, list[Judgement]]:
    """What each rater said of these systems, first answers and repeats, whoever judged most first; raters of whom a
    histogram would show nothing are left out."""
    known, found = set(systems), dict[str, list[Judgement]]()
    for one in judgements:
        if one.system in known and one.kind in ("genuine", "repeat"):
            found.setdefault(one.rater, []).append(one)
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return {rater: own for rater, own in ranked if len(own) >= FEWEST}


def histogram_rows(
    own: Sequence[Judgement], systems: Sequence[str], answers: AnswerBars, results: Results | None = None
) -> Rows:
    """The bars of one rater: shares of what was said of each system. In a report with `results` they lead to the
    segments of which it was said."""
    found: dict[str, dict[int, list[Judgement]]] = {system: {} for system in systems}
    for one in own:
        if one.system in found:
            found[one.system].setdefault(answers.place(one.value), []).append(one)
    rows: Rows = []
    for place, system in enumerate(systems):
        count = sum(map(len, found[system].values()))
        for k, said in sorted(found[system].items()):
            rows.append(
                {"system": system, "place": place, "from": answers.edges[k], "to": answers.edges[k + 1],
                 "said": len(said), "of": count, "share": len(said) / count,
                 **_leads(said, answers.ends(k), results)}
            )  # fmt: skip
    return rows


def _leads(said: Sequence[Judgement], ends: str, results: Results | None) -> dict[str, Any]:
    """Where a bar leads: its answers are of one rater, about one system, on one scale."""
    if results is None or not said or said[0].system not in results.systems:
        return {}
    one, held = said[0], len(results.evaluation.testset)
    segments = len({each.segment for each in said if each.segment < held})
    return results.behind.link("said", segments, said=ends, of=one.system, rater=one.rater,
                               scale=scale_title(one.scale), first=one.system)  # fmt: skip


def rater_histograms(
    scale: str,
    judgements: Sequence[Judgement],
    systems: Sequence[str],
    coloured: Sequence[str] = (),
    results: Results | None = None,
) -> Chart | None:
    """A panel for each rater, a histogram for each system; `systems` are from best to worst, and those that are
    `coloured` have the colours that they have elsewhere on the page. In a report with `results` bars lead to segments.
    None where no rater judged enough."""
    shown = list(systems)[:SYSTEMS]
    every = judged_by([one for one in judgements if one.scale == scale], systems)
    if not every:
        return None
    found = dict(list(every.items())[:RATERS])
    answers = bars_of(scale, [one.value for own in found.values() for one in own])
    rows = {rater: histogram_rows(own, shown, answers, results) for rater, own in found.items()}
    highest = max((row["share"] for own in rows.values() for row in own), default=1.0)
    known = list(dict.fromkeys([*coloured, *systems]))
    paint = dict(zip(known, colours(known, {} if results is None else results.looks), strict=True))
    panels = {
        f"{rater}: {counted(len(found[rater]), 'judgement')}": _panel(
            rows[rater], [one for one in found[rater] if one.system in shown], shown, answers, highest, paint
        )
        for rater in found
    }
    left = [
        f"The {len(found)} raters with most judgements of {len(every)}." if len(every) > len(found) else "",
        f"The {len(shown)} systems that people put first, of {len(systems)}." if len(systems) > len(shown) else "",
        "The last bar holds what lies beyond." if answers.beyond else "",
        "Bars are shares of what the rater said of the system; all panels have the same height.",
    ]
    return Chart(
        title=f"What each rater said of each system ({scale_title(scale)}).",
        charts=panels,
        panels=True,
        text="Histograms of the scores of every rater, system by system. Means are in the table of raters.",
        note=" ".join(part for part in left if part),
    )


def _panel(
    rows: Rows,
    own: Sequence[Judgement],
    systems: Sequence[str],
    answers: AnswerBars,
    highest: float,
    paint: Mapping[str, str],
) -> dict[str, Any]:
    """Bars stand on a line for each system; its name is above them, with how often it was judged and the mean."""
    import altair as alt

    drawn_rows: Rows = []
    for row in rows:
        base = row["place"] + 1
        top = base - FILLED * row["share"] / highest
        drawn_rows.append({**row, "base": base, "top": top, "colour": paint[row["system"]]})
    for place, system in enumerate(systems):
        values = [one.value for one in own if one.system == system]
        mean = f", mean {number(math.fsum(values) / len(values), 1)}" if values else ""
        drawn_rows.append({"label": f"{word(system)} ({len(values)}){mean}", "at": place + 0.24, "line": place + 1})
    low, high = answers.edges[0], answers.edges[-1]
    x_scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    y_scale = alt.Scale(domain=[0, len(systems)], nice=False, reverse=True)
    ticks: Any = [edge + 0.5 for edge in answers.edges[:-1]] if answers.points else alt.Undefined
    axis = alt.Axis(values=ticks, grid=False, tickCount=6, labelOverlap="parity")
    base = named_chart()
    bars = (
        base.transform_filter("isValid(datum.top)")
        .mark_rect(stroke="var(--paper)", strokeWidth=1)
        .encode(
            x=alt.X("from:Q", title=None, scale=x_scale, axis=axis),
            x2="to:Q",
            y=alt.Y("base:Q", scale=y_scale, axis=None),
            y2="top:Q",
            color=alt.Color("colour:N", scale=None),
            tooltip=["system:N", alt.Tooltip("from:Q"), alt.Tooltip("to:Q"), alt.Tooltip("said:Q", title="judgements"),
                     alt.Tooltip("share:Q", format=".0%"),
                     *([alt.Tooltip("segments:Q")] if any("segments" in row for row in rows) else [])],
        )
    )  # fmt: skip
    labels = (
        base.transform_filter("isValid(datum.label)")
        .mark_text(align="left", color=SOFT, fontSize=11, limit=230)
        .encode(x=alt.XDatum(low, scale=x_scale), y=alt.Y("at:Q", scale=y_scale, axis=None), text="label:N")
    )
    lines = (
        base.transform_filter("isValid(datum.line)")
        .mark_rule(color=SOFT, strokeWidth=0.5)
        .encode(y=alt.Y("line:Q", scale=y_scale, axis=None))
    )
    return drawn(alt.layer(lines, bars, labels).properties(height=BAND * len(systems)), drawn_rows)


# How far they agree


def coefficient_charts(found: Sequence[Agreement]) -> Chart | None:
    """Coefficients with their intervals, the reader chooses scale and what was compared."""
    charts = {}
    for key in dict.fromkeys((row.group, row.scale, row.between) for row in found if not row.each):
        rows: Rows = []
        for row in found:
            if (row.group, row.scale, row.between) == key and not row.each and not math.isnan(row.value):
                low, high = (row.interval.low, row.interval.high) if row.interval else (math.nan, math.nan)
                rows.append({"statistic": f"{row.statistic}, {row.on}", "value": row.value, "low": low, "high": high,
                             "n": row.n})  # fmt: skip
        if rows:
            group = f"{key[0]}: " if key[0] else ""
            charts[f"{group}{scale_title(key[1])}, between {key[2]}"] = _coefficients(rows)
    if not charts:
        return None
    drawn_lines = any(row.interval for row in found)
    return Chart(
        title="Coefficients of agreement: 1 is perfect; 0 is chance, for those that take chance into account.",
        charts=charts,
        choose="Scale" if len(charts) > 1 else "",
        text="A point for each coefficient. The numbers are in the tables.",
        note="Lines: bootstrap intervals." if drawn_lines else "",
    )


def _coefficients(rows: Rows) -> dict[str, Any]:
    import altair as alt

    names = [word(row["statistic"]) for row in rows]
    ends = [value for row in rows for value in (row["value"], row["low"]) if not math.isnan(value)]
    scale = alt.Scale(domain=[min([0.0, *ends]), 1.0], nice=True)
    y = alt.Y("statistic:N", scale=alt.Scale(domain=names), title=None, axis=alt.Axis(labelLimit=260, grid=False))
    tooltip = ["statistic:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in ("value", "low", "high")), "n:Q"]
    chart = named_chart().encode(y=y, tooltip=tooltip)
    lines = chart.transform_filter("isValid(datum.low)").mark_rule(strokeWidth=2, color=LEAD, opacity=0.55)
    points = chart.mark_point(filled=True, size=60, color=LEAD, opacity=1)
    layers = [points.encode(x=alt.X("value:Q", title="coefficient", scale=scale))]
    if any(not math.isnan(row["low"]) for row in rows):
        layers.insert(0, lines.encode(x=alt.X("low:Q", scale=scale), x2="high:Q"))
    return drawn(alt.layer(*layers).properties(height=ROW * len(rows)), rows)
