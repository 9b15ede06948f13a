"""Pairs of systems under people and metrics as tables: who contradicts whom, and what a difference is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tertium.core.score import ends
from tertium.core.table import Cell, Rows, Table, Value, numbers, texts
from tertium.core.wording import number
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.meta.pairs import PairVerdict, SystemPairs, system_pairs, verdicts
from tertium.meta.preference import SHARES, Preference, preferences, round_differences
from tertium.meta.table import ScoreTable
from tertium.report.links import address

DIGITS = 3
TAKEN = frozenset(
    "metric statistic value p n groups decided wins without system deviations better worse preferred other".split()
)
Names = Mapping[str, str]


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemScores:
    """Pairs of systems under people and metrics, and what a difference is worth. Everything is worked out once."""

    table: ScoreTable
    names: Names  # how columns are called, with arrows
    trials: int = RESAMPLES
    seed: int = SEED
    linked: bool = False  # pairs lead to the segments of the page on which a metric prefers the other

    def link(self, first: str, second: str, metric: str) -> str:
        """The segments on which a metric prefers the second of two systems to the first."""
        if not self.linked:
            return ""
        return address(first=first, second=second, metric=self.names[metric], better="second")

    @cached_property
    def pairs(self) -> SystemPairs:
        """All pairs within groups."""
        return system_pairs(self.table)

    @cached_property
    def verdicts(self) -> list[PairVerdict]:
        """How often each metric agrees with people."""
        return verdicts(self.pairs)

    @cached_property
    def preferences(self) -> list[Preference]:
        """The curve of every metric."""
        return preferences(self.table, trials=self.trials, seed=self.seed)

    @cached_property
    def contradicting(self) -> list[list[str]]:
        """The metrics that contradict people about each pair."""
        against = {metric: self.pairs.contradicted(metric) for metric in self.table.metrics}
        return [[metric for metric in against if against[metric][k]] for k in range(len(self.pairs))]


def group_heads(table: ScoreTable) -> list[str]:
    """The names of the columns that say which group it is, told from those that say something else."""
    return [f"group {name}" if name in TAKEN else name for name in table.group_names] or ["group"]


def group_cells(group: Sequence[str]) -> list[str]:
    """What stands in them."""
    return list(group) or ["all"]


def verdict_table(scores: SystemScores, names: Names) -> Table:
    """Pairs counted."""
    rows: Rows = [
        [names[item.metric], item.pairs, item.agree, item.contradict, item.equal, item.accuracy, item.largest]
        for item in scores.verdicts
    ]
    heads = ["pairs", "agree", "contradict", "equal", "accuracy", "largest"]
    return Table(
        title="Pairs of systems: does the metric put the same one first as people?",
        columns=[*texts("metric"), *numbers(*heads, decimals=DIGITS)],
        rows=rows,
        note="Largest: the largest difference between human scores that the metric contradicts.",
    )


def contradictions(scores: SystemScores) -> list[int]:
    """Numbers of the pairs that metrics contradict people about, most metrics first, then by people's difference."""
    found = [(k, metrics) for k, metrics in enumerate(scores.contradicting) if metrics]
    return [k for k, _ in sorted(found, key=lambda item: (-len(item[1]), -float(scores.pairs.gold[item[0]])))]


def contradiction_table(scores: SystemScores, decimals: int = DIGITS, *, shown: int | None = None) -> Table:
    """The pairs by name."""
    table, names, found = scores.table, scores.names, contradictions(scores)
    rows: Rows = []
    for k in found:
        start, differences = _pair(scores, k)
        cells = [
            Cell(number(value, decimals) + (" ◆" if metric in scores.contradicting[k] else ""),
                 None if math.isnan(value) else value,
                 link=scores.link(start[0], start[1], metric) if metric in scores.contradicting[k] else "")
            for metric, value in zip(table.metrics, differences, strict=True)
        ]  # fmt: skip
        rows.append([*start, float(scores.pairs.gold[k]), *cells])
    heads = [names.get(table.gold, table.gold), *(names[metric] for metric in table.metrics)]
    return Table(
        title=f"Pairs in which a metric contradicts people: {len(found)} of {len(scores.pairs)}",
        columns=[
            *texts("people prefer", "to", *table.group_names),
            *numbers(*(head.removesuffix(" ↓") for head in heads), decimals=decimals),
        ],
        rows=rows,
        note="Differences between the two, above 0 where the system that people prefer is the better one. "
        "◆: the metric prefers the other.",
        shown=shown,
    )


def _pair(scores: SystemScores, k: int) -> tuple[list[str], list[float]]:
    """Two systems and their group, and how far metrics set them apart."""
    table, pairs = scores.table, scores.pairs
    systems = table.systems[int(pairs.first[k])], table.systems[int(pairs.second[k])]
    start = [*systems, *pairs.groups[int(pairs.group[k])]]
    return start, [float(pairs.differences[metric][k]) for metric in table.metrics]


def pair_rows(scores: SystemScores) -> Table:
    """Every pair, for programs."""
    table, pairs = scores.table, scores.pairs
    heads = [*group_heads(table), "preferred", "other", table.gold, *table.metrics, "contradicted by"]
    rows: Rows = []
    for k in range(len(pairs)):
        (first, second, *group), differences = _pair(scores, k)
        metrics = ", ".join(scores.contradicting[k])
        rows.append([*group_cells(group), first, second, float(pairs.gold[k]), *differences, metrics])
    return Table(columns=numbers(*heads), rows=rows)


# What a difference is worth


def _digits(value: Value | Cell) -> Value | Cell:
    """A number in so many digits, not decimals: metrics have scales of all sizes."""
    return Cell(f"{value:.4g}", value) if isinstance(value, float) and not math.isnan(value) else value


def slope_table(found: Sequence[Preference], gold: str, names: Names) -> Table:
    """The curve of every metric."""
    rows: Rows = [
        [names[item.metric], item.n, item.groups, item.pairs, item.ties, item.accuracy, item.slope,
         *ends(item.interval), item.largest]
        for item in found
    ]  # fmt: skip
    heads = ["n", "groups", "pairs", "ties", "agree", "slope", "low", "high", "largest"]
    drawn = [f"intervals: systems drawn again within groups, {i.trials} resamples, seed {i.seed}" for i in found[:1]]
    return Table(
        title=f"P({gold} prefers the higher score) = 1 / (1 + exp(-slope x difference))",
        columns=[*texts("metric"), *numbers(*heads, decimals=DIGITS)],
        rows=rows,
        note="".join(drawn),
    )


def chance_table(
    found: Sequence[Preference], names: Names, asked: Sequence[float] = (), *, shown: int | None = None
) -> Table:
    """How likely people agree with differences: those asked for, or round ones."""
    rows: Rows = []
    for item in found:
        for difference in asked or round_differences(item):
            chance, (share, near) = item.probability(difference), item.observed(difference)
            fitted = [chance.value, *ends(chance.interval)] if math.isfinite(item.slope) else [math.nan] * 3
            rows.append([names[item.metric], _digits(difference), *fitted, share, near])
    return Table(
        title="How likely people prefer the system that scores higher by so much",
        columns=[*texts("metric"), *numbers("difference", "P", "low", "high", "seen", "pairs", decimals=DIGITS)],
        rows=rows,
        shown=shown,
        note="Seen: the share of agreeing pairs among those that differ by about as much.",
    )


def needed_table(found: Sequence[Preference], names: Names) -> Table:
    """The difference that it takes for people to agree with some probability."""
    rows: Rows = []
    for item in found:
        for share in SHARES:
            chance = item.difference(share)
            rows.append([names[item.metric], share, *map(_digits, [chance.value, *ends(chance.interval)])])
    columns = [*texts("metric"), *numbers("P", "difference", "low", "high", decimals=DIGITS)]
    return Table(title="The difference it takes", columns=columns, rows=rows)
