"""The verdict: one sentence, chosen by case, from the tests of every system against the best one and between leaders.

A system *leads* by a metric if it is its best or not significantly worse than its best; it is *behind* if it is
significantly worse. Clusters play no part: two systems of one cluster may differ significantly. Not significant never
becomes "equal", and every "all", "no" and "every" below is checked over the comparisons that it speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tertium.core.score import Score
from tertium.core.wording import counted, number
from tertium.report.standing import Standing, all_of, any_of, kinds, tells
from tertium.report.words import MANY, amount, capital, in_words, listed

Case = Literal[
    "one system", "not compared", "too small", "winner", "group", "split", "disagreement", "people only",
    "ship", "do not ship", "cannot say",
]  # fmt: skip
FEW = 100  # segments: with fewer, that nothing was found says more about the test set than about the systems


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What there is to say first, and a line of what belongs to it."""

    case: Case
    sentence: str
    more: str = ""
    about: str = ""  # the system that is set beside a baseline


def verdict(standings: Sequence[Standing], segments: int, alone: Score | None = None) -> Verdict:
    """The verdict on all systems; `alone` is the score of a system that is the only one."""
    first = standings[0]
    if len(first.scores) < 2:
        return one_system(first, alone)
    tested = [standing for standing in standings if standing.tested]
    if not tested:
        return untested(first)
    metrics = [standing for standing in tested if not standing.people]
    people = [standing for standing in tested if standing.people]
    if not any(standing.separates_any(standing.systems) for standing in tested) and segments < FEW:
        return too_small(tested, segments)
    return by_metrics(metrics, people) if metrics else by_people(people)


# Nothing to choose from


def one_system(standing: Standing, score: Score | None) -> Verdict:
    """A score, and that it stands alone."""
    name = next(iter(standing.scores))
    if score is None or math.isnan(score.value):
        return Verdict(case="one system", sentence=f"{name} has no {standing.title} score: no segment could be scored.")
    places, interval = standing.metric.decimals, ""
    if score.interval is not None:
        ends = (number(end, places) for end in (score.interval.low, score.interval.high))
        interval = f", with a 95 % interval from {' to '.join(ends)}"
    return Verdict(
        case="one system",
        sentence=f"{name} scores {number(score.value, places)} {standing.title}{interval}.",
        more="One system alone cannot be compared with anything.",
    )


def untested(first: Standing) -> Verdict:
    """No difference could have been significant, or none was looked for."""
    if first.unresolvable:
        return Verdict(
            case="too small",
            sentence="Nothing can be said of which system is better: no difference could be significant here.",
            more=f"{capital(first.unresolvable)}.",
        )
    if not first.systems:
        return Verdict(case="not compared", sentence=f"No system has a {first.title} score.")
    reason = f": {first.reason}" if first.reason else ""
    return Verdict(
        case="not compared",
        sentence=f"{first.best} has the best {first.title} score, but systems were not compared.",
        more=f"Not compared{reason}." if reason else "",
    )


def too_small(tested: Sequence[Standing], segments: int) -> Verdict:
    """Few segments, and no two systems told apart by anything."""
    found = [f"about {amount(s.detectable, s.metric)} {s.unit}" for s in tested[:1] if not math.isnan(s.detectable)]
    more = f"A difference of {found[0]} would be found four times out of five." if found else ""
    return Verdict(
        case="too small",
        sentence=f"Too small to say: with {counted(segments, 'segment')}, {tells(tested, 'any two systems apart')}.",
        more=more,
    )


# By metrics, with people beside them


def by_metrics(metrics: Sequence[Standing], people: Sequence[Standing]) -> Verdict:
    """Who leads by all metrics, and what people say to that."""
    common = shared_leaders(metrics)
    if not common:
        return split(metrics, people)
    rated = shared_leaders(people)
    below = [name for name in common if any(s.behind(name) for s in people)]
    if len(below) == len(common) and rated:
        return disagreement(metrics, common, rated, people)
    made = lead(metrics, common)
    parts = [made.more, rest(metrics, common), unscored(metrics[0]), said_by_people(people, common, below)]
    return Verdict(case=made.case, sentence=made.sentence, more=" ".join(part for part in parts if part))


def shared_leaders(standings: Sequence[Standing]) -> list[str]:
    """Systems that lead by all of them, in the order of the first."""
    if not standings:
        return []
    return [name for name in standings[0].systems if all(name in s.leaders for s in standings)]


def lead(standings: Sequence[Standing], common: Sequence[str]) -> Verdict:
    """One system ahead of all others, or several that lead together."""
    if len(common) == 1:
        return winner(standings, common[0])
    count, everyone = in_words(len(common)), len(common) == len(standings[0].systems)
    names = "" if len(common) > MANY else f": {listed(common)}"
    apart = [s.title for s in standings if s.separates_any(common)]
    if apart:
        who = listed(apart) if len(apart) <= 2 else f"{len(apart)} of {len(standings)} {kinds(standings)}"
        sees = "separates" if len(apart) == 1 else "separate"
        return Verdict(
            case="group",
            sentence=f"{f'All {count}' if everyone else capital(count)} systems lead{names}.",
            more=f"None of them is significantly worse than the best by {any_of(standings)}, but {who} {sees} some of "
            "them.",
        )
    if everyone and all(s.all_equal for s in standings):
        return Verdict(
            case="group", sentence=f"{_everyone(common)} score the same on every segment by {all_of(standings)}."
        )
    if everyone:
        what = listed(common) if len(common) == 2 else f"the {count} systems"
        return Verdict(case="group", sentence=f"{tells(standings, f'{what} apart', start=True)}.")
    return Verdict(
        case="group", sentence=f"{capital(count)} systems lead, and {tells(standings, 'them apart')}{names}."
    )


def winner(standings: Sequence[Standing], name: str) -> Verdict:
    """One system; how many metrics find every other one significantly worse."""
    first = standings[0]
    others = [other for other in first.systems if other != name]
    clear = [s for s in standings if s.leaders == [name] and len(s.systems) >= len(first.systems)]
    unscored = len(first.systems) < len(first.scores)
    rest_of = others[0] if len(others) == 1 else f"every other {'scored ' if unscored else ''}system"
    if len(clear) == len(standings):
        return Verdict(
            case="winner", sentence=f"{name} is best, significantly ahead of {rest_of} by {all_of(standings)}."
        )
    if clear:
        by = listed([s.title for s in clear]) if len(clear) <= 2 else f"{len(clear)} of {len(standings)} metrics"
        return Verdict(
            case="winner",
            sentence=f"{name} leads, significantly ahead of {rest_of} by {by}, and by no metric significantly behind"
            f"{'' if len(others) == 1 else ' the best'}.",
            more=open_to(standings, name),
        )
    return Verdict(
        case="winner",
        sentence=f"{name} leads: no other system keeps up with the best by {all_of(standings)}.",
        more=open_to(standings, name),
    )


def open_to(standings: Sequence[Standing], name: str) -> str:
    """The metrics that do not tell the winner from others, and from whom."""
    found: dict[str, list[str]] = {}
    for s in standings:
        near = [other for other in s.systems if _level(s, name, other)]
        if near:
            who = listed(near) if len(near) <= 2 else f"{len(near)} others"
            found.setdefault(who, []).append(s.title)
    said = [
        f"{_few(titles, 2, 'metrics')} {'does' if len(titles) == 1 else 'do'} not tell it from {who}"
        for who, titles in found.items()
    ]
    if not 0 < len(said) <= 2:
        return ""
    if len(next(iter(found.values()))) > 2:  # it begins with a number, not with a name
        said[0] = capital(said[0])
    return f"{'; '.join(said)}."


def _level(standing: Standing, one: str, other: str) -> bool:
    """Whether two systems were tested against each other, and do not differ significantly."""
    item = standing.pair(one, other)
    return item is not None and item.unresolvable is None and item.verdict == "undecided"


def split(metrics: Sequence[Standing], people: Sequence[Standing]) -> Verdict:
    """No system leads by all metrics."""
    found: dict[tuple[str, ...], list[str]] = {}
    for s in metrics:
        found.setdefault(tuple(s.leaders), []).append(s.title)
    parts = [f"{listed(titles)}: {_few(names, 3, 'systems')}" for names, titles in found.items()]
    rated = shared_leaders(people)
    if rated:
        parts.append(f"people: {_few(rated, 3, 'systems')}")
    return Verdict(
        case="split",
        sentence="The metrics split: no system leads by all of them.",
        more=f"In the lead by {'; by '.join(parts)}.",
    )


def disagreement(
    metrics: Sequence[Standing], common: Sequence[str], rated: Sequence[str], people: Sequence[Standing]
) -> Verdict:
    """People find all leaders by the metrics significantly worse than their own best."""
    judge = next(s for s in people if s.behind(common[0]))
    by = metrics[0].title if len(metrics) == 1 else "the metrics"
    if len(common) == 1:
        said = f"{common[0]} leads by {by}, and people rate it significantly below {judge.best}"
    else:
        said = f"people rate the {in_words(len(common))} systems that lead by {by} significantly below their best"
    sentence = f"Metrics and people disagree: {said}."
    more = f"In the lead by people: {_few(rated, 3, 'systems')}"
    more += f"; by {by}: {listed(common)}." if 1 < len(common) <= MANY else "."
    return Verdict(case="disagreement", sentence=sentence, more=more)


def rest(metrics: Sequence[Standing], common: Sequence[str]) -> str:
    """Who is behind: by every metric, with how far by the first; by some."""
    first = metrics[0]
    others = [name for name in first.systems if name not in common]
    everywhere = [name for name in others if all(s.behind(name) for s in metrics)]
    if len(first.systems) == 2 and len(everywhere) == 1:  # who is behind was said already
        return f"The difference is {amount(first.gap_to_best(everywhere[0]), first.metric)} {first.unit}."
    if len(first.systems) == 2:  # so it was by which metrics
        return ""
    partly = [name for name in others if name not in everywhere and any(s.behind(name) for s in metrics)]
    said = []
    every = "" if len(metrics) == 1 else " by every metric"
    if everywhere:
        gaps = [first.gap_to_best(name) for name in everywhere]
        if len(everywhere) <= 4:
            far = listed([amount(gap, first.metric) for gap in gaps])
            said.append(f"{listed(everywhere)} {_are(everywhere)} behind{every}, by {far} {first.unit}")
        else:
            ends = [amount(end, first.metric) for end in (min(gaps), max(gaps))]
            said.append(
                f"{capital(in_words(len(everywhere)))} systems are behind{every}, by {' to '.join(ends)} {first.unit}"
            )
    if partly:
        said.append(_by_some(metrics, partly))
    return f"{'; '.join(said)}." if said else ""


def unscored(first: Standing) -> str:
    """Who has no score by the first metric."""
    names = [name for name, score in first.scores.items() if math.isnan(score)]
    has = "has" if len(names) == 1 else "have"
    return f"{_few(names, 3, 'systems')} {has} no {first.title} score." if names else ""


def _by_some(metrics: Sequence[Standing], names: Sequence[str]) -> str:
    """Systems that are behind by some metrics, and by which."""
    found: dict[str, list[str]] = {}
    for name in names:
        by = [s.title for s in metrics if s.behind(name)]
        found.setdefault(listed(by) if len(by) <= 2 else f"{len(by)} of {len(metrics)} metrics", []).append(name)
    if len(found) > 3 or len(names) > MANY:
        return f"{in_words(len(names))} {'is' if len(names) == 1 else 'others are'} behind by some metrics"
    parts = [f"{listed(who)} {'' if k else f'{_are(who)} behind '}by {by}" for k, (by, who) in enumerate(found.items())]
    return ", ".join(parts)


def said_by_people(people: Sequence[Standing], common: Sequence[str], below: Sequence[str]) -> str:
    """What people say of those who lead by the metrics."""
    if not people:
        return ""
    judged = [name for name in common if all(name in s.systems for s in people)]
    if not judged:
        return "People did not judge those who lead."
    if not any(s.tests(name) for s in people for name in judged):
        return "People judged too few of the same segments to test those who lead against their best."
    if below:
        best = next(s.best for s in people if any(s.behind(name) for name in below))
        return f"People rate {_few(below, 3, 'of them')} significantly below {best}."
    if len(common) == 1:
        if all(s.leaders == [common[0]] for s in people):
            others = list(dict.fromkeys(name for s in people for name in s.systems if name != common[0]))
            lower = others[0] if len(others) == 1 else "every other system that they judged"
            return f"People agree: they rate {lower} significantly lower."
        near = list(dict.fromkeys(name for s in people for name in s.leaders if name != common[0]))
        if all(s.best == common[0] and s.ahead_of_all for s in people):
            return f"People put {common[0]} first, but do not tell it from {_few(near, 3, 'others')}."
        return f"People do not tell {common[0]} from {_few(near, 3, 'others')}."
    which = "" if len(judged) == len(common) else " that they judged"
    above = [(name, s.best) for s in people for name in judged if s.ahead(name)]
    if above:  # the best by all that was judged of each
        who = _few([name for name, _ in above], 3, "of them")
        return f"On the segments that they judged of both, people rate {who} significantly above {above[0][1]}."
    if any(s.separates_any(judged) for s in people):
        return f"People find none of the leaders{which} significantly worse than their best."
    return f"People do not tell the leaders{which} apart either."


# By people alone


def by_people(people: Sequence[Standing]) -> Verdict:
    """Who leads by what people said, where there is no metric."""
    common = shared_leaders(people)
    if not common:
        made = split(people, [])
        return Verdict(
            case="people only",
            sentence="People's ratings split: no system leads by all of them.",
            more=made.more,
        )
    made = lead(people, common)
    return Verdict(
        case="people only", sentence=made.sentence, more=" ".join(p for p in (made.more, rest(people, common)) if p)
    )


# Words


def _everyone(names: Sequence[str]) -> str:
    return listed(names) if len(names) == 2 else f"All {in_words(len(names))} systems"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _few(names: Sequence[str], most: int, noun: str) -> str:
    """Names, or how many there are."""
    return listed(names) if len(names) <= most else f"{in_words(len(names))} {noun}"
