"""Where systems stand under one metric, or by people: how far each is from the best one, or from a baseline, and
whether it can be told from it. Verdicts, findings and the first chart of a report all read this, so they agree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from statistics import median
from typing import Literal, NamedTuple

from tertium.core.errors import TertiumError
from tertium.core.metric import Metric, is_human
from tertium.core.score import Interval
from tertium.inference.compare import Comparison, compare
from tertium.inference.seeds import ALPHA, CONFIDENCE
from tertium.inference.standings import resolved
from tertium.report.people import People
from tertium.report.results import Results, turned
from tertium.report.words import capital, listed

Relation = Literal["itself", "level", "behind", "ahead", "untested"]


class Distance(NamedTuple):
    """A system beside the one that all are measured from. Gaps are in points of the metric, positive where the system
    is worse, whichever direction the metric has."""

    score: float
    relation: Relation
    gap: float = math.nan
    nearest: float = math.nan  # the ends of the simultaneous interval of the gap
    farthest: float = math.nan

    @property
    def doubtful(self) -> bool:
        """Whether the interval says otherwise than the test: they are two computations."""
        if self.relation not in ("level", "behind", "ahead") or math.isnan(self.nearest):
            return False
        clear = self.nearest > 0 or self.farthest < 0
        return clear != (self.relation != "level")


@dataclass(frozen=True, eq=False, kw_only=True)
class Standing:
    """All systems under one metric, or by people."""

    metric: Metric
    title: str  # without an arrow
    scores: Mapping[str, float]  # from best to worst
    items: Sequence[Comparison]  # of every pair; none where nothing was compared
    baseline: str | None = None  # that all are measured from, instead of the best
    reason: str = ""  # why nothing was compared

    @property
    def people(self) -> bool:
        """Whether people said it."""
        return is_human(self.metric)

    @property
    def unit(self) -> str:
        """What differences are counted in."""
        return f"points of {self.title}" if self.people else self.title

    @property
    def systems(self) -> list[str]:
        """From best to worst, those with a score."""
        return [name for name, score in self.scores.items() if not math.isnan(score)]

    @property
    def best(self) -> str:
        """The first."""
        return self.systems[0]

    @property
    def origin(self) -> str:
        """The system that all are measured from."""
        return self.baseline or self.best

    @property
    def tested(self) -> bool:
        """Whether any difference could have been significant."""
        return bool(self.items) and resolved(self.items)

    @property
    def unresolvable(self) -> str | None:
        """Why no difference could have been."""
        return None if self.tested else next((item.unresolvable for item in self.items), None)

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Comparison]:
        return {(item.baseline, item.system): item for item in self.items}

    def pair(self, origin: str, system: str) -> Comparison | None:
        """The comparison of a system with another, as a change from that one."""
        item = self._pairs.get((origin, system))
        if item is None and (item := self._pairs.get((system, origin))) is not None:
            return turned(item)
        return item

    def separates(self, one: str, other: str) -> bool:
        """Whether two systems differ significantly."""
        item = self.pair(one, other)
        return item is not None and item.verdict != "undecided"

    def separates_any(self, names: Sequence[str]) -> bool:
        """Whether any two of these differ significantly."""
        return any(self.separates(one, other) for one, other in combinations(names, 2))

    def place(self, system: str) -> Distance:
        """Where a system stands."""
        score = self.scores.get(system, math.nan)
        if system == self.origin:
            return Distance(score, "itself", 0.0, 0.0, 0.0)
        item = self.pair(self.origin, system)
        if item is None:
            return Distance(score, "untested")
        sign = -1.0 if self.metric.better == "higher" else 1.0
        ends = sorted(sign * end for end in _ends(item.simultaneous))
        relation: Relation = {"worse": "behind", "better": "ahead"}.get(item.verdict, "level")  # type: ignore[assignment]
        return Distance(score, "untested" if item.unresolvable else relation, sign * item.difference, *ends)

    def behind(self, system: str) -> bool:
        """Whether a system is significantly worse than the best."""
        item = self.pair(self.best, system)
        return item is not None and item.verdict == "worse"

    def ahead(self, system: str) -> bool:
        """Whether a system is significantly better than the best: people judged other segments of each."""
        item = self.pair(self.best, system)
        return item is not None and item.verdict == "better"

    def tests(self, system: str) -> bool:
        """Whether a system could be tested against the best; whether the best could be tested against any."""
        others = [name for name in self.systems if name != self.best] if system == self.best else [system]
        pairs = [self.pair(self.best, other) for other in others]
        return any(item is not None and not item.unresolvable for item in pairs)

    def gap_to_best(self, system: str) -> float:
        """How far a system is behind the best, in points of the metric; NaN where they were not compared."""
        item = self.pair(self.best, system)
        if item is None:
            return math.nan
        return -item.difference if self.metric.better == "higher" else item.difference

    @cached_property
    def leaders(self) -> list[str]:
        """The best system, and those that are not significantly worse."""
        return [name for name in self.systems if name == self.best or self._keeps_up(name)]

    def _keeps_up(self, system: str) -> bool:
        item = self.pair(self.best, system)
        return item is not None and item.verdict != "worse"

    def otherwise(self, system: str) -> bool:
        """Whether a system stands otherwise on the segments that it shares with the one that all are measured from than
        by all segments of each: people may have judged other segments of each."""
        place = self.place(system)
        if not place.gap or math.isnan(place.gap):
            return False
        worse = (
            self.scores[self.origin] - place.score
            if self.metric.better == "higher"
            else (place.score - self.scores[self.origin])
        )
        return worse * place.gap < 0

    @property
    def ahead_of_all(self) -> bool:
        """Whether the best is ahead also on the segments that it shares with each other system: people may have judged
        other segments of each."""
        return all(not self.gap_to_best(name) < 0 for name in self.systems)

    @property
    def all_equal(self) -> bool:
        """Whether no segment of any two systems differs."""
        return bool(self.items) and all(not (item.wins or item.losses or item.difference) for item in self.items)

    @property
    def detectable(self) -> float:
        """The difference that this test set shows four times out of five, in the middle of all pairs with the system
        that all are measured from: pairs of two bad systems would say nothing about the leaders."""
        pairs = [self.pair(self.origin, name) for name in self.systems if name != self.origin]
        known = [item.detectable for item in pairs if item is not None and item.detectable > 0]
        return median(known) if known else math.nan


def _ends(interval: Interval | None) -> tuple[float, float]:
    return (math.nan, math.nan) if interval is None else (interval.low, interval.high)


def standings(results: Results, people: People, baseline: str | None = None) -> list[Standing]:
    """Metrics in their order, then people's scores that are not among them."""
    found = [_of_metric(results, metric, baseline) for metric in results.metrics]
    asked = {str(metric) for metric in results.metrics}
    others = [gold for gold in people.judged if gold is not None and str(gold) not in asked]
    by_people = [standing_of_people(results, people, gold) for gold in others]
    return [*found, *(replace(made, baseline=baseline) for made in by_people if made is not None)]


def standing_of_people(results: Results, people: People, gold: Metric) -> Standing | None:
    """Where systems stand by one of people's scores, worked out once; None where it cannot be set beside the texts."""
    given = people.judged.get(gold)
    if given is None or isinstance(given, str):
        return None
    if str(gold) not in people.kept:
        people.kept[str(gold)] = _of_people(Results(evaluation=given, trials=results.trials, seed=results.seed), gold)
    kept: Standing = people.kept[str(gold)]
    return kept


def _of_metric(results: Results, metric: Metric, baseline: str | None) -> Standing:
    scores = {name: results.group_value(name, metric) for name in results.ranked_groups(metric)}
    items = results.comparisons.get(str(metric), [])
    title = results.titles[str(metric)].removesuffix(" ↓")
    return Standing(metric=metric, title=title, scores=scores, items=items, baseline=baseline,
                    reason=results.not_compared.get(str(metric), ""))  # fmt: skip


def _of_people(results: Results, gold: Metric) -> Standing:
    """People's scores as any metric: compared on the segments that people judged for both systems."""
    judged = [run for run in results.systems if not math.isnan(results.value(run, gold))]
    known = [name for name, runs in results.groups.items() if all(run in judged for run in runs)]
    items: Sequence[Comparison] = []
    reason = ""
    if len(known) > 1:
        try:
            items = compare(
                results.only(known), gold, test=results.test, trials=results.trials, seed=results.seed,
                alpha=ALPHA, confidence=CONFIDENCE,
            )  # fmt: skip
        except TertiumError as error:  # no segment was judged for both systems of a pair
            reason = str(error)
    scores = {name: results.group_value(name, gold) for name in results.ranked_groups(gold) if name in known}
    title = results.titles[str(gold)].removesuffix(" ↓")
    return Standing(metric=gold, title=title, scores=scores, items=items, reason=reason)


# Standings in sentences


def kinds(standings: Sequence[Standing]) -> str:
    """`metrics`, `ratings`, `metrics and ratings`."""
    people = sum(s.people for s in standings)
    return "ratings" if people == len(standings) else "metrics and ratings" if people else "metrics"


def kind(standings: Sequence[Standing]) -> str:
    """`metric`, `rating`, `metric or rating`."""
    return {"ratings": "rating", "metrics": "metric"}.get(kinds(standings), "metric or rating")


def all_of(standings: Sequence[Standing]) -> str:
    """`BLEU`, `both metrics`, `all 4 metrics`."""
    if len(standings) == 1:
        return standings[0].title
    if len(standings) == 2:
        return (
            f"both {kinds(standings)}"
            if kinds(standings) != "metrics and ratings"
            else listed([s.title for s in standings])
        )
    return f"all {len(standings)} {kinds(standings)}"


def any_of(standings: Sequence[Standing]) -> str:
    """`BLEU`, `BLEU or chrF`, `any of 4 metrics`."""
    if len(standings) == 1:
        return standings[0].title
    if len(standings) == 2:
        return " or ".join(s.title for s in standings)
    return f"any of {len(standings)} {kinds(standings)}"


def tells(standings: Sequence[Standing], what: str, *, start: bool = False) -> str:
    """`no metric tells a and b apart`, `BLEU does not tell ...`: a part of a sentence, which it may begin."""
    if len(standings) == 1:
        [only] = standings
        return f"{capital(only.title) if start and only.people else only.title} does not tell {what}"
    none = f"no {kind(standings)} tells {what}"
    return capital(none) if start else none
