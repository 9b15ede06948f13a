"""How far a verdict can be trusted, in a line: do metrics agree, how small a difference would be found, would people
agree with one of that size, do raters agree, and does it matter that segments stand in documents."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from tertium.core.wording import counted, number
from tertium.human.analyse import Analysis
from tertium.meta.meaning import curve_for, figure
from tertium.report.people import FEW_ITEMS, LITTLE, People, agreement_words
from tertium.report.results import Results
from tertium.report.standing import Standing
from tertium.report.verdict import FEW
from tertium.report.words import amount, listed, scale_title

Tone = Literal["good", "bad", "plain"]


class Trust(NamedTuple):
    """A part of the line: words, those that matter most, words; and more for those who point at it."""

    before: str
    strong: str
    after: str = ""
    tone: Tone = "plain"
    more: str = ""


def trust(results: Results, people: People, standings: Sequence[Standing]) -> list[Trust]:
    """The whole line."""
    tested = [s for s in standings if s.tested and not s.people]
    found = [*agreement(tested), *sizes(results, standings), *documents(standings), *raters(people)]
    segments = len(results.evaluation.testset)
    if segments < FEW:
        found.append(Trust("only ", counted(segments, "segment"), tone="bad"))
    return found


def agreement(tested: Sequence[Standing]) -> Iterator[Trust]:
    """How many metrics have the same leaders, and what the one that does not says."""
    if len(tested) < 2 or len(tested[0].systems) < 2:
        return
    sets = [frozenset(s.leaders) for s in tested]
    usual, count = Counter(sets).most_common(1)[0]
    more = "; ".join(f"{s.title}: {listed(s.leaders)}" for s in tested)
    everyone, common = len(tested[0].systems), frozenset.intersection(*sets)
    of = "both metrics" if len(tested) == 2 else f"all {len(tested)} metrics"
    if count == len(tested) and len(usual) == everyone:  # there is nothing that they could agree on
        yield Trust("by ", of, f" {_everyone(everyone)} lead", more=more)
    elif count == len(tested):
        yield Trust(f"{of} ", "agree", " on who leads", "good", more)
    elif len(usual) == everyone and count > 1:
        odd = [s for s, leaders in zip(tested, sets, strict=True) if leaders != usual]
        tail = f"; {_odd(odd[0], usual)}" if len(odd) == 1 else ""
        yield Trust("by ", f"{count} of {len(tested)} metrics", f" {_everyone(everyone)} lead{tail}", more=more)
    elif len(tested) == 2:
        tail = f"; {_odd(tested[1], sets[0])}"
        yield Trust("the two metrics ", "do not agree", f" on who leads{'' if '; not' in tail else tail}", "bad", more)
    elif common and (count == 1 or common != usual):  # of whom the verdict speaks
        lead = "leads" if len(common) == 1 else "lead"
        yield Trust(
            "", counted(len(common), "system"), f" {lead} by all {len(tested)} metrics, others by some", more=more
        )
    elif count == 1:
        yield Trust("", f"no two of {len(tested)} metrics", " agree on who leads", "bad", more)
    else:
        odd = [s for s, leaders in zip(tested, sets, strict=True) if leaders != usual]
        tail = f"; {_odd(odd[0], usual)}" if len(odd) == 1 else ""
        tone: Tone = "good" if 2 * count > len(tested) else "bad"
        yield Trust("", f"{count} of {len(tested)} metrics", f" agree on who leads{tail}", tone, more)


def _everyone(count: int) -> str:
    return "both systems" if count == 2 else "all systems"


def _odd(standing: Standing, usual: frozenset[str]) -> str:
    """What one metric says otherwise: whom it adds, or else whom it leaves out."""
    added = [name for name in standing.leaders if name not in usual]
    dropped = [name for name in usual if name not in standing.leaders]
    if added and not dropped:
        return f"{standing.title} adds {_named(added)}"
    if dropped and not added:
        return f"{standing.title} leaves out {_named(sorted(dropped))}"
    return f"not {standing.title}"


def _named(names: Sequence[str]) -> str:
    return listed(names) if len(names) <= 2 else counted(len(names), "system")


def sizes(results: Results, standings: Sequence[Standing]) -> Iterator[Trust]:
    """The smallest difference that would be found, and how often people agree with one of that size."""
    first = next((s for s in standings if not math.isnan(s.detectable)), None)
    if first is None:
        return
    size = amount(first.detectable, first.metric)
    yield Trust(
        "finds differences of about ",
        f"{size} {first.unit}",
        more=f"Four times out of five, corrected over all pairs; the middle of all systems beside {first.origin}. A "
        "difference of two thirds of that is found in less than half of such test sets.",
    )
    curve = curve_for(first.metric, results.evaluation.testset)
    if isinstance(curve, str) or curve.reach(first.detectable) != "within":
        return
    share = 100 * curve.accuracy(first.detectable)
    yield Trust(
        "people agree with about ",
        f"{share:.0f} %",
        " of differences of that size",
        more=f"By the curve of Kocmi et al. (2024) at {figure(first.detectable, curve.points)} {curve.title}, for "
        f"{curve.setting}; it says nothing about any pair of systems in particular.",
    )


def documents(standings: Sequence[Standing]) -> Iterator[Trust]:
    """How many tests come out otherwise where whole documents are swapped instead of segments."""
    known = [item for s in standings for item in s.items if item.other_verdict is not None]
    if not known:
        return
    changed = sum(item.verdict != item.other_verdict for item in known)
    unit = "documents" if known[0].unit == "segment" else "segments"
    more = "Segments of one document are not independent of each other; pairs of all metrics are counted."
    if changed:
        verb = "comes" if changed == 1 else "come"
        yield Trust(f"by {unit} ", f"{changed} of {counted(len(known), 'test')}", f" {verb} out otherwise", "bad", more)
    else:
        yield Trust(f"by {unit} ", "no test", " comes out otherwise", "good", more)


def raters(people: People) -> Iterator[Trust]:
    """Whether raters agree, on every scale; that there are none."""
    if not people.scales:
        yield Trust("people's ratings: ", "not given")
        return
    if people.doubts:
        yield Trust("people's ratings: ", "not used", tone="bad", more="; ".join(people.doubts))
        return
    for item in people.analyses:
        yield from rater_agreement(item)


def rater_agreement(item: Analysis) -> Iterator[Trust]:
    """Whether raters agree on one scale."""
    row = next((row for row in item.agreement if row.between == "raters"), None)
    name = scale_title(item.scale)
    if row is None or not row.n or math.isnan(row.value):
        yield Trust(f"{name}: ", "agreement of raters unknown", tone="bad", more="No output was judged by two raters.")
        return
    more = f"{row.statistic} {number(row.value, 2)}, {counted(row.n, 'output')} judged by two raters or more."
    if row.n < FEW_ITEMS:
        yield Trust(f"{name}: only ", counted(row.n, "output"), " judged by two raters", "bad", more)
        return
    words = agreement_words(row.value)
    tone: Tone = "good" if row.value >= LITTLE else "bad"
    yield Trust(
        f"{name}: raters ", words, f" (alpha {number(row.value, 2)})" if "alpha" in row.statistic else "", tone, more
    )
