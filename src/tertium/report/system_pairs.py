"""Pairs of systems under people and metrics: where they contradict, and what a difference is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tertium.core.shown import counted, number
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.pairs import Pairs, Verdict, system_pairs, verdicts
from tertium.meta.preference import Preference, cautions, preferences, round_differences
from tertium.meta.table import ScoreTable
from tertium.report import figures_people
from tertium.report.parts import Part
from tertium.report.tables import Cell, Table, Value

SHOWN = 12
DIGITS = 3
Rows = list[list[Value | Cell]]
Names = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemScores:
    """Pairs of systems under people and metrics, and what a difference is worth. Everything is worked out once."""

    table: ScoreTable
    names: Names  # how columns are called, with arrows
    trials: int = RESAMPLES
    seed: int = SEED

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs within groups."""
        return system_pairs(self.table)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """How often each metric agrees with people."""
        return verdicts(self.pairs)

    @cached_property
    def preferences(self) -> list[Preference]:
        """The curve of every metric."""
        return preferences(self.table, trials=self.trials, seed=self.seed)


def sentence(note: str) -> str:
    """A note as a sentence; what begins with the name of a test set or a metric keeps its first letter."""
    return f"{note[:1].upper()}{note[1:]}." if note.startswith("only ") else f"{note}."


# Pairs of systems


def pair_part(scores: SystemScores) -> Part:
    """The figure of pairs, how often metrics agree, and the pairs that contradict by name."""
    worst = contradictions(scores)
    return Part(
        title="Pairs of systems: where metrics contradict people",
        charts=[figures_people.pair_plots(scores.table, scores.pairs, scores.verdicts, scores.names)],
        tables=[verdict_table(scores), *([contradiction_table(scores, worst)] if worst else [])],
        text=() if worst else ["No metric contradicts people about any pair of systems."],
    )


def verdict_table(scores: SystemScores) -> Table:
    """Pairs counted."""
    rows: Rows = [
        [scores.names[item.metric], item.pairs, item.agree, item.contradict, item.equal, item.accuracy, item.largest]
        for item in scores.verdicts
    ]
    return Table(
        title="Pairs of systems: does the metric put the same one first as people?",
        heads=["metric", "pairs", "agree", "contradict", "equal", "accuracy", "largest"],
        rows=rows,
        decimals=DIGITS,
        note="Largest: the largest difference between human scores that the metric contradicts.",
    )


def contradictions(scores: SystemScores) -> list[tuple[int, list[str]]]:
    """Numbers of pairs with the metrics that contradict people, most metrics first, then by people's difference."""
    pairs = scores.pairs
    against = {metric: pairs.contradicted(metric) for metric in pairs.differences}
    found = [(k, [metric for metric in against if against[metric][k]]) for k in range(len(pairs))]
    return sorted((item for item in found if item[1]), key=lambda item: (-len(item[1]), -float(pairs.gold[item[0]])))


def contradiction_table(scores: SystemScores, found: Sequence[tuple[int, list[str]]]) -> Table:
    """The pairs by name."""
    table, pairs, names = scores.table, scores.pairs, scores.names
    groups = list(table.group_names)
    rows: Rows = []
    for k, metrics in found:
        who = [table.systems[int(pairs.first[k])], table.systems[int(pairs.second[k])]]
        said = [(metric, float(pairs.differences[metric][k])) for metric in table.metrics]
        cells = [
            Cell(f"{number(value, DIGITS)} ◆" if metric in metrics else number(value, DIGITS), plain(value))
            for metric, value in said
        ]
        rows.append([*who, *pairs.groups[int(pairs.group[k])], float(pairs.gold[k]), *cells])
    return Table(
        title=f"Pairs in which a metric contradicts people: {len(found)} of {len(pairs)}",
        heads=["people prefer", "to", *groups, names.get(table.gold, table.gold).removesuffix(" ↓"),
               *(names[metric].removesuffix(" ↓") for metric in table.metrics)],
        rows=rows,
        left=2 + len(groups),
        decimals=DIGITS,
        shown=SHOWN,
        note="Differences between the two, above 0 where the system that people prefer is the better one. "
        "◆: the metric prefers the other.",
    )  # fmt: skip


def plain(value: float) -> float | None:
    """A number that can be sorted by."""
    return None if math.isnan(value) else value


# What a difference is worth


def preference_parts(found: Sequence[Preference], names: Names) -> Iterator[Part]:
    """Curves, and what they say in words."""
    if not found or not found[0].pairs:
        return
    yield Part(
        title="What a difference is worth",
        points=[worth(item, names) for item in found],
        text=[*map(sentence, cautions(found))],
        charts=list(figures_people.preference_curves(found, names)),
        tables=[preference_table(found, names)],
    )


def telling(item: Preference) -> float | None:
    """The difference that a sentence is about: 1 where pairs differ by about as much, else one in the middle."""
    seen = round_differences(item)
    if not seen:
        return None
    return 1.0 if 1.0 in seen else seen[len(seen) // 2]


def worth(item: Preference, names: Names) -> str:
    """`1 BLEU: people prefer the better one in 3 of 12 pairs that differ by about as much (25 %); the curve fitted to
    all pairs says 64 % (95 % interval 52-75 %).`"""
    name, difference = names[item.metric].removesuffix(" ↓"), telling(item)
    if difference is None or math.isnan(item.slope):
        return f"{name}: no pair of systems differs, so nothing can be said."
    share, near = item.observed(difference)
    seen = f"people prefer the better one in {share * near:g} of {counted(near, 'pair')} that differ by about as much"
    seen = f"{seen} ({100 * share:.0f} %)" if near else "no pair differs by about as much"
    return f"{difference:g} {name}: {seen}; the curve fitted to all pairs says {curve_says(item, difference)}."


def curve_says(item: Preference, difference: float) -> str:
    """A probability with its interval; that it is not reliable where everything is left open."""
    chance = item.probability(difference)
    said = f"{100 * chance.value:.0f} %"
    if chance.interval is None or math.isnan(chance.interval.low):
        return said
    ends = f"{100 * chance.interval.low:.0f}-{100 * chance.interval.high:.0f} %"
    interval = f"{100 * chance.interval.confidence:.0f} % interval {ends}"
    return f"{said}, which is not reliable ({interval})" if chance.vague else f"{said} ({interval})"


def preference_table(found: Sequence[Preference], names: Names) -> Table:
    """Round differences and how likely people agree."""
    rows: Rows = []
    for item in found:
        for difference in round_differences(item):
            chance, (share, near) = item.probability(difference), item.observed(difference)
            low, high = (chance.interval.low, chance.interval.high) if chance.interval else (math.nan, math.nan)
            rows.append([names[item.metric], Cell(f"{difference:g}", difference), chance.value, low, high, share, near])
    n, covered = found[0].n, found[0].interval.confidence if found[0].interval else math.nan
    return Table(
        title="How likely people prefer the system that scores higher by so much",
        heads=["metric", "difference", "P", "low", "high", "seen", "pairs"],
        rows=rows,
        shown=SHOWN,
        note=f"P = 1 / (1 + exp(-b difference)), fitted to all pairs of {counted(n, 'system')}; {100 * covered:.0f} % "
        f"intervals by drawing systems again, {found[0].trials} times, seed {found[0].seed}. Seen: the share of "
        "agreeing pairs among those that differ by about as much.",
    )
