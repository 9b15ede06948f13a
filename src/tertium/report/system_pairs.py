"""Pairs of systems under people and metrics: where they contradict, and what a difference is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tertium.core.wording import counted
from tertium.meta.preference import Preference, cautions, round_differences
from tertium.report.figures import people as figures_people
from tertium.report.parts import SectionPart
from tertium.report.tables.system_pairs import Names, SystemScores, chance_table, contradiction_table, verdict_table
from tertium.report.words import listed

SHOWN = 12


def sentence(note: str) -> str:
    """A note as a sentence; what begins with the name of a test set or a metric keeps its first letter."""
    return f"{note[:1].upper()}{note[1:]}." if note.startswith("only ") else f"{note}."


# Pairs of systems


def pair_parts(scores: SystemScores) -> Iterator[SectionPart]:
    """The figure of pairs; behind a line, how often metrics agree, and the pairs that contradict by name."""
    worst = contradiction_table(scores, shown=SHOWN)
    yield SectionPart(
        title="Pairs of systems: where metrics contradict people",
        finding=contradictions_said(scores),
        charts=[figures_people.pair_plots(scores)],
    )
    yield SectionPart(
        title="Pairs that contradict, by name" if worst.rows else "Pairs of systems, counted",
        folded=True,
        tables=[verdict_table(scores, scores.names), *([worst] if worst.rows else [])],
    )


def contradictions_said(scores: SystemScores) -> str:
    """How many pairs each metric contradicts people about."""
    told = [item for item in scores.verdicts if item.pairs]
    if not any(item.contradict for item in told):
        return "No metric contradicts people about any pair of systems."
    counts: dict[tuple[int, int], list[str]] = {}
    for item in sorted(told, key=lambda item: item.contradict / item.pairs):
        name = scores.names[item.metric].removesuffix(" ↓")
        counts.setdefault((item.contradict, item.pairs), []).append(name)
    said = [
        f"{listed(names)} {'contradicts' if len(names) == 1 else 'each contradict'} people about {_count(count, pairs)}"
        for (count, pairs), names in counts.items()
    ]
    return f"{'; '.join(said)} of systems."


def _count(count: int, pairs: int) -> str:
    """`none of 3 pairs`, `2 of 3 pairs`, `all 3 pairs`, `the only pair`."""
    if count == pairs:
        return "the only pair" if pairs == 1 else f"all {pairs} pairs"
    return f"{count or 'none'} of {counted(pairs, 'pair')}"


# What a difference is worth


def preference_parts(found: Sequence[Preference], names: Names) -> Iterator[SectionPart]:
    """Curves, and what they say in words."""
    if not found or not found[0].pairs:
        return
    covered = found[0].interval.confidence if found[0].interval else math.nan
    drawn = (
        f"P = 1 / (1 + exp(-b difference)), fitted to all pairs of {counted(found[0].n, 'system')}; "
        f"{100 * covered:.0f} % intervals by drawing systems again, {found[0].trials} times, seed {found[0].seed}. "
        "Seen: the share of agreeing pairs among those that differ by about as much."
    )
    silent = [item for item in found if says_nothing(item)]
    steps = [item for item in found if math.isinf(item.slope)]  # said by the cautions, and drawn a mere step
    left_out = [names[item.metric].removesuffix(" ↓") for item in silent]
    its, curve = ("its interval holds", "curve") if len(silent) == 1 else ("their intervals hold", "curves")
    why = f"even at the largest difference {its} 50 %"
    undrawn = [f"Not drawn, because {why}: the {curve} of {listed(left_out)}."] if silent else []
    yield SectionPart(
        title="What a difference is worth",
        points=[worth(item, names) for item in found],
        text=[*map(sentence, cautions(found, names)), *undrawn],
        charts=list(figures_people.preference_curves([item for item in found if item not in silent + steps], names)),
    )
    yield SectionPart(
        title="What a difference is worth, in numbers",
        folded=True,
        tables=[replace(chance_table(found, names, shown=SHOWN), note=drawn)],
    )


def says_nothing(item: Preference) -> bool:
    """Whether even at the largest difference people may as well prefer the other one, by the interval."""
    if not math.isfinite(item.slope) or not item.largest > 0:
        return False
    interval = item.probability(item.largest).interval
    return interval is not None and interval.low <= 0.5 <= interval.high


def telling(item: Preference) -> float | None:
    """The difference that a sentence is about: 1 where pairs differ by about as much, else one in the middle."""
    seen = round_differences(item)
    if not seen:  # no round number lies among them
        return float(f"{item.largest:.2g}") if item.largest > 0 else None
    return 1.0 if 1.0 in seen else seen[len(seen) // 2]


def worth(item: Preference, names: Names) -> str:
    """`1 BLEU: people prefer the better one in 3 of 12 pairs that differ by about as much (25 %); the curve fitted to
    all pairs says 64 % (95 % interval 52-75 %).`"""
    name, difference = names[item.metric].removesuffix(" ↓"), telling(item)
    if difference is None or math.isnan(item.slope):
        return f"{name}: no pair of systems differs, so nothing can be said."
    share, near = item.observed(difference)
    if near == 1:
        choice = {1.0: "prefer the better one", 0.0: "prefer the other one"}.get(share, "prefer neither")
        seen = f"people {choice} in the only pair that differs by about as much"
    else:
        seen = f"people prefer the better one in {share * near:g} of {near} pairs that differ by about as much"
        seen = f"{seen} ({100 * share:.0f} %)" if near else "no pair differs by about as much"
    if math.isinf(item.slope):
        whole = "agrees with" if item.slope > 0 else "contradicts"
        return f"{difference:g} {name}: {seen}; no curve can be fitted, because {name} {whole} people in every pair."
    return f"{difference:g} {name}: {seen}; the curve fitted to all pairs says {curve_says(item, difference)}."


def percent(share: float) -> str:
    """A probability that a curve gives: never certain, never impossible."""
    return "under 1 %" if share < 0.005 else "over 99 %" if share >= 0.995 else f"{100 * share:.0f} %"


def curve_says(item: Preference, difference: float) -> str:
    """A probability with its interval; that it is not reliable where everything is left open."""
    chance = item.probability(difference)
    said = percent(chance.value)
    if chance.interval is None or math.isnan(chance.interval.low):
        return said
    low, high = chance.interval.low, chance.interval.high
    ends = percent(low) if percent(low) == percent(high) else f"{100 * low:.0f}-{100 * high:.0f} %"
    interval = f"{100 * chance.interval.confidence:.0f} % interval {ends}"
    return f"{said}, which is not reliable ({interval})" if chance.vague else f"{said} ({interval})"
