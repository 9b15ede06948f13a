"""The first chart of a report: how far every system is from the best one, or from a baseline, a panel for each metric.

It is drawn here, as SVG whose places are shares of its width: it is there before any script runs, fits every screen,
and can be printed. Left is worse, whichever direction a metric has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from tertium.core.metric import Metric, is_human
from tertium.core.score import Score
from tertium.core.wording import counted, number
from tertium.report.near import FAR
from tertium.report.standing import Distance, Standing
from tertium.report.words import amount, listed

HEIGHTS = ((12, 28), (24, 20), (math.inf, 15))  # of a row, in pixels, up to so many systems
TOP = 22  # pixels above the rows, for the axis
EDGE = 0.08  # of the width, free at both sides
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
SIGNS = {"itself": "the best", "level": "cannot be told from it", "behind": "significantly worse",
         "ahead": "significantly better", "untested": "not tested"}  # fmt: skip

DOUBTS = {True: "significant by the test, though the interval holds 0",
          False: "not significant by the test, though the interval leaves 0 out"}  # fmt: skip


class Tick(NamedTuple):
    """A place on the axis, in percent of the width."""

    x: float
    label: str


class Row(NamedTuple):
    """A system in a panel. Places are in percent of the width, in pixels from the top."""

    score: str
    relation: str
    best: bool
    words: str  # for those who point at it
    y: float
    x: float | None = None
    low: float | None = None
    high: float | None = None
    far: str = ""  # what an arrow says
    right: bool = False  # where it points
    doubtful: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A metric, or people."""

    title: str
    heading: str  # the same where there is little room
    arrow: bool
    people: bool
    zero: float | None  # None where a system stands alone
    ticks: Sequence[Tick]
    rows: Sequence[Row]
    text: str  # what is to be seen, for those who cannot


@dataclass(frozen=True, kw_only=True)
class Hero:
    """The chart: names on the left, panels beside each other."""

    systems: Sequence[str]
    panels: Sequence[Panel]
    height: int  # of a row
    origin: str  # `the best system`, or a baseline's name
    single: bool  # all metrics measure from the same system
    doubtful: Sequence[str]
    alone: bool = False  # one system: its scores, not differences
    shared: Sequence[str] = ()  # that stand otherwise where both were judged than by all that was judged of each
    top: int = TOP

    @property
    def whole(self) -> float:
        """The height of a panel."""
        return self.top + self.height * len(self.systems)


def hero(standings: Sequence[Standing], systems: Sequence[str]) -> Hero | None:
    """The chart of these standings, systems in this order; None where there is nothing to compare."""
    shown = [standing for standing in standings if standing.items and len(standing.systems) > 1]
    if not shown or len(systems) < 2:
        return None
    height = next(pixels for most, pixels in HEIGHTS if len(systems) <= most)
    panels = [panel(standing, systems, height) for standing in shown]
    baseline = shown[0].baseline
    shared = [f"{name} by {standing.title}" for standing in shown for name in systems if standing.otherwise(name)]
    return Hero(
        systems=systems,
        panels=panels,
        height=height,
        origin=baseline or "the best system",
        single=baseline is not None,
        doubtful=doubts(shown, systems),
        shared=shared,
    )


def doubts(standings: Sequence[Standing], systems: Sequence[str]) -> list[str]:
    """Systems of which test and interval say otherwise, each way round."""
    found: dict[str, list[str]] = {}
    for standing in standings:
        for name in systems:
            place = standing.place(name)
            if place.doubtful:
                said = DOUBTS[place.relation != "level"]
                found.setdefault(said, []).append(f"{name} by {standing.title}")
    return [f"{said}: {'; '.join(names)}" for said, names in sorted(found.items(), reverse=True)]


def hero_of_one(name: str, scores: Sequence[tuple[str, Metric, Score]]) -> Hero | None:
    """The chart of a system that has nobody beside it: its scores with their intervals, by titles of metrics; None
    where there is no interval."""
    height = HEIGHTS[0][1]
    panels = [
        panel_of_one(name, title, metric, score, height)
        for title, metric, score in scores
        if score.interval is not None
    ]
    if not panels:
        return None
    return Hero(systems=[name], panels=panels, height=height, origin=name, single=True, doubtful=(), alone=True)


def panel_of_one(name: str, title: str, metric: Metric, score: Score, height: int) -> Panel:
    """One metric: the axis reaches as far beyond the interval as that is wide; left is worse."""
    low, high = (score.value, score.value) if score.interval is None else (score.interval.low, score.interval.high)
    room = (high - low) or 1.0
    sign = 1.0 if metric.better == "higher" else -1.0
    worst, best = sorted((sign * (low - room), sign * (high + room)))

    def x(value: float) -> float:
        return round(100 * (EDGE + (1 - 2 * EDGE) * (sign * value - worst) / (best - worst)), 2)

    shown, *ends = (number(value, metric.decimals) for value in (score.value, low, high))
    words = f"{name}: {title} {shown}, 95 % interval {' to '.join(ends)}"
    left, right = sorted((x(low), x(high)))
    row = Row(shown, "itself", True, words, TOP + height / 2, x(score.value), left, right)
    step = round_step((best - worst) / 3.5)
    places = [k * step for k in range(math.ceil((low - room) / step), math.floor((high + room) / step) + 1)]
    return Panel(
        title=title,
        heading=heading(title),
        arrow=metric.better == "lower",
        people=is_human(metric),
        zero=None,
        ticks=[Tick(x(value), f"{value:.6g}".replace("-", "−")) for value in places],
        rows=[row],
        text=words,
    )


def panel(standing: Standing, systems: Sequence[str], height: int) -> Panel:
    """One metric."""
    places = {name: standing.place(name) for name in systems}
    others = [place for name, place in places.items() if name != standing.origin and not math.isnan(place.gap)]
    limit = FAR * median(reach(place) for place in others) if others else 0.0
    near = [place for place in others if reach(place) <= limit]
    left, right = extent(near)

    def x(gap: float) -> float:
        return round(100 * (EDGE + (1 - 2 * EDGE) * (left - gap) / (left + right)), 2)

    rows = [
        row(standing, name, place, TOP + height * (k + 0.5), x if place in near or place.relation == "itself" else None)
        for k, (name, place) in enumerate(places.items())
    ]
    lower = standing.metric.better == "lower"
    ticks = [Tick(x(gap), label(gap if lower else -gap)) for gap in grid(left, right)]
    return Panel(
        title=standing.title,
        heading=heading(standing.title),
        arrow=lower,
        people=standing.people,
        zero=x(0.0),
        ticks=ticks,
        rows=rows,
        text=in_words(standing, places),
    )


def heading(title: str) -> str:
    """`people (0-100, z)` for `people's rating (0-100, z)`."""
    return title.replace("people's rating ", "people ")


def reach(place: Distance) -> float:
    """How far from 0 a system is drawn, with its interval."""
    return max(abs(value) for value in (place.gap, place.nearest, place.farthest) if not math.isnan(value))


def extent(near: Iterable[Distance]) -> tuple[float, float]:
    """How far panels go to the left, where systems are worse, and to the right."""
    ends = [value for place in near for value in (place.gap, place.nearest, place.farthest) if not math.isnan(value)]
    left, right = max([0.0, *ends]), max([0.0, *(-value for value in ends)])
    if left + right == 0:
        return 1.0, 1.0
    least = 0.12 * (left + right)  # the best keeps off the edge
    return max(left, least), max(right, least)


def grid(left: float, right: float) -> list[float]:
    """Two to four round gaps, 0 not among them."""
    step = round_step((left + right) / 3.5)
    return [k * step for k in range(-4, 5) if k and -right <= k * step <= left]


def round_step(rough: float) -> float:
    """The next round number."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * step for step in STEPS if power * step >= rough * (1 - 1e-9))


def label(value: float) -> str:
    """A difference in score with its sign."""
    return f"{value:+.3g}".replace("-", "−")


def row(standing: Standing, name: str, place: Distance, y: float, x: object) -> Row:
    """A system: its score, its place, or an arrow where it is far off."""
    score = number(place.score, standing.metric.decimals)
    words = f"{name}: {standing.title} {score}{spoken(standing, name, place)}"
    plain = Row(score, place.relation, name == standing.best, words, y, doubtful=place.doubtful)
    if math.isnan(place.gap):
        return plain
    if not callable(x):
        far = f"{amount(place.gap, standing.metric)} {'behind' if place.gap > 0 else 'ahead'}"
        return plain._replace(far=far, right=place.gap < 0)
    known = not math.isnan(place.nearest) and place.relation != "itself"
    return plain._replace(
        x=x(place.gap), low=x(place.farthest) if known else None, high=x(place.nearest) if known else None
    )


def spoken(standing: Standing, name: str, place: Distance) -> str:
    """What stands beside a score: how far from the best, with the interval, and what the test says."""
    if place.relation == "itself":
        return " (the baseline)" if standing.baseline else " (the best)"
    if math.isnan(place.gap):
        return ""
    side, near, far = "behind", place.nearest, place.farthest
    if place.gap < 0:  # the interval is of what is said: of a lead
        side, near, far = "ahead of", -place.farthest, -place.nearest
    ends = ""
    if not math.isnan(near):
        low, high = (number(value, standing.metric.decimals) for value in (near, far))
        ends = f", simultaneous 95 % interval {low} to {high}"
    tested = "; test and interval disagree" if place.doubtful else ""
    gap = f"{amount(place.gap, standing.metric)} {side}" if place.gap else "level with"
    return f", {gap} {standing.origin}{shared(standing, name, place)}{ends}; {SIGNS[place.relation]}{tested}"


def shared(standing: Standing, name: str, place: Distance) -> str:
    """That a difference is of the segments that both systems have a score on, where it is not that of the scores."""
    item = standing.pair(standing.origin, name)
    worse = standing.scores[standing.origin] - place.score
    of_scores = worse if standing.metric.better == "higher" else -worse
    if item is None or math.isclose(of_scores, place.gap, abs_tol=0.5 * 10.0**-standing.metric.decimals):
        return ""
    judged = "that people judged of both" if standing.people else "that both have a score on"
    return f" on the {counted(item.n, 'segment')} {judged}"


def in_words(standing: Standing, places: dict[str, Distance]) -> str:
    """A panel for those who cannot see it."""
    parts = [f"{standing.title}: differences from {standing.origin}"]
    for relation, words in (("ahead", "significantly better"), ("level", "not told from it"),
                            ("behind", "significantly worse"), ("untested", "not tested")):  # fmt: skip
        names = [name for name, place in places.items() if place.relation == relation and not math.isnan(place.score)]
        if names:
            parts.append(f"{words}: {listed(names)}")
    if none := [name for name, place in places.items() if math.isnan(place.score)]:
        parts.append(f"no score: {listed(none)}")
    return "; ".join(parts)
