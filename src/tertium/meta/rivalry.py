"""Which metrics are closer to people than which others, beyond luck: every pair tested, and clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from tertium.core.errors import OptionError
from tertium.core.metric import choose
from tertium.inference.averages import GROUPED, average, mean_of
from tertium.inference.clusters import clusters
from tertium.inference.corrections import CORRECTIONS
from tertium.inference.correlations import CORRELATIONS
from tertium.inference.flips import flips, pairwise_accuracy, system_p_values
from tertium.inference.pairs import as_groups, count_pairs
from tertium.inference.rivals import Statistic, Swap, permutation, permuted_means, permuted_pearson, williams
from tertium.inference.ties import calibrate
from tertium.meta.arrays import Scores, Tables

if TYPE_CHECKING:
    from tertium.core.stats import Array

Level = Literal["system", "segment"]
# The statistics that metrics can be compared by, and the tests that fit each; the first is the default.
SYSTEM_TESTS: Mapping[str, tuple[str, ...]] = {
    "pearson": ("williams", "systems"),
    "spearman": ("systems",),
    "tau_b": ("systems",),
    "accuracy": ("systems",),
    "spa": ("inputs", "both", "systems"),
}
SEGMENT_TESTS: Mapping[str, tuple[str, ...]] = {
    "acc_eq": ("inputs",),
    "tau_b": ("inputs", "both", "systems"),
    "pearson": ("both", "williams", "inputs", "systems"),
}
TESTS = ("williams", "both", "inputs", "systems")
TEST_TITLES = {
    "williams": "Williams' test",
    "both": "PERM-BOTH",
    "inputs": "PERM-INPUTS",
    "systems": "PERM-SYSTEMS",
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """By which statistic metrics are compared, by which test, and how p-values of many pairs are corrected."""

    system: str = "pearson"
    segment: str = "acc_eq"
    system_test: str | None = None
    segment_test: str | None = None
    correction: str = "holm"

    def __post_init__(self) -> None:
        for level, known in (("system", SYSTEM_TESTS), ("segment", SEGMENT_TESTS)):
            statistic, test = getattr(self, level), getattr(self, f"{level}_test")
            choose("meta", f"{level} statistic", statistic, tuple(known))
            if test is not None and test not in known[statistic]:
                raise OptionError(
                    f"{statistic} at {level} level is not compared by test {test!r}; choose from "
                    f"{', '.join(known[statistic])}"
                )
        choose("meta", "correction", self.correction, tuple(CORRECTIONS))

    def of(self, level: Level) -> tuple[str, str]:
        """Statistic and test of a level."""
        known = SYSTEM_TESTS if level == "system" else SEGMENT_TESTS
        statistic = getattr(self, level)
        return statistic, getattr(self, f"{level}_test") or known[statistic][0]


def read_rules(system_by: str, segment_by: str, correction: str) -> Rules:
    """`tau_b:both` -> a statistic and a test."""
    system, _, system_test = system_by.partition(":")
    segment, _, segment_test = segment_by.partition(":")
    return Rules(system=system, segment=segment, system_test=system_test or None, segment_test=segment_test or None,
                 correction=correction)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Two metrics: `better` is closer to people by `difference`; p is one-sided."""

    better: str
    worse: str
    difference: float
    p: float
    adjusted: float = math.nan
    significant: bool = False


@dataclass(frozen=True, kw_only=True)
class Rivalry:
    """All pairs of metrics at one level, and the metrics from best to worst in groups that cannot be told apart."""

    level: Level
    statistic: str
    test: str
    trials: int
    seed: int
    alpha: float
    correction: str
    values: Mapping[str, float]
    duels: tuple[Duel, ...]
    clusters: tuple[tuple[str, ...], ...]


def compare_metrics(tables: Tables, level: Level, rules: Rules, trials: int, seed: int, alpha: float) -> Rivalry:
    """Every pair of metrics by the statistic and test that the rules name."""
    statistic, test = rules.of(level)
    contest = (_system_contest if level == "system" else _segment_contest)(tables, statistic, test, trials, seed)
    values = {scores.name: contest.value(scores) for scores in tables.metrics}
    known = {scores.name: scores for scores in tables.metrics}
    duels = []
    for first, second in combinations(values, 2):
        if math.isnan(values[first]) or math.isnan(values[second]):
            continue
        worse, better = sorted((first, second), key=values.__getitem__)
        p = contest.p(known[worse], known[better])
        duels.append(Duel(better=better, worse=worse, difference=values[better] - values[worse], p=p))
    duels = _corrected(duels, rules.correction, alpha)
    won = {(duel.better, duel.worse) for duel in duels if duel.significant}
    ranked = sorted((name for name in values if not math.isnan(values[name])), key=lambda name: -values[name])
    return Rivalry(
        level=level,
        statistic=statistic,
        test=test,
        trials=trials,
        seed=seed,
        alpha=alpha,
        correction=rules.correction,
        values=values,
        duels=tuple(duels),
        clusters=tuple(tuple(names) for names in clusters(ranked, lambda above, below: (above, below) in won)),
    )


def _corrected(duels: Sequence[Duel], correction: str, alpha: float) -> list[Duel]:
    """With p-values corrected over all pairs that have one."""
    tested = [duel for duel in duels if not math.isnan(duel.p)]
    adjusted = dict(zip(((duel.better, duel.worse) for duel in tested),
                        CORRECTIONS[correction]([duel.p for duel in tested]), strict=True))  # fmt: skip
    return [
        replace(duel, adjusted=p, significant=p <= alpha and duel.difference > 0)
        for duel in duels
        for p in [adjusted.get((duel.better, duel.worse), math.nan)]
    ]


class _Contest(NamedTuple):
    """How a metric is valued by one statistic, and how surely one is better than another: p(worse, better)."""

    value: Callable[[Scores], float]
    p: Callable[[Scores, Scores], float]


def _system_contest(tables: Tables, statistic: str, test: str, trials: int, seed: int) -> _Contest:
    gold = tables.gold.corpus
    if statistic == "spa":
        return _soft_contest(tables, test, trials, seed)
    if statistic == "accuracy":
        formula: Statistic = lambda people, metric: pairwise_accuracy(people, metric).value  # noqa: E731
    else:
        formula = lambda people, metric: CORRELATIONS[statistic](people, metric).value  # noqa: E731

    def p(worse: Scores, better: Scores) -> float:
        if test == "williams":
            return williams(gold, worse.corpus, better.corpus)
        if statistic == "pearson":
            return permuted_pearson(gold, worse.corpus, better.corpus, swap="systems", trials=trials, seed=seed)
        return permutation(gold, worse.corpus, better.corpus, formula, swap="systems", trials=trials, seed=seed)

    return _Contest(lambda scores: formula(gold, scores.corpus), p)


def _soft_contest(tables: Tables, test: str, trials: int, seed: int) -> _Contest:
    """Soft pairwise accuracy on the segments that people judged, and all metrics scored, for all systems."""
    import numpy as np

    known = [~np.isnan(scores.segments).any(axis=0) for scores in (tables.gold, *tables.metrics)]
    whole = np.logical_and.reduce(known)
    people = tables.gold.segments[:, whole]
    flipped = flips(people.shape[1], trials=trials, seed=seed) if whole.any() else []
    expected = system_p_values(people, flipped) if flipped else None

    def formula(_: Array, metric: Array) -> float:
        if expected is None:
            return math.nan
        return float(1 - np.abs(expected - system_p_values(metric, flipped)).mean())

    def p(worse: Scores, better: Scores) -> float:
        sides = worse.segments[:, whole], better.segments[:, whole]
        return permutation(people, *sides, formula, swap=cast(Swap, test), trials=trials, seed=seed)

    return _Contest(lambda scores: formula(people, scores.segments[:, whole]), p)


def _segment_contest(tables: Tables, statistic: str, test: str, trials: int, seed: int) -> _Contest:
    gold = tables.gold.segments
    if statistic == "pearson":

        def p(worse: Scores, better: Scores) -> float:
            if test == "williams":
                return williams(gold, worse.segments, better.segments)
            return permuted_pearson(
                gold, worse.segments, better.segments, swap=cast(Swap, test), trials=trials, seed=seed
            )

        return _Contest(lambda scores: CORRELATIONS["pearson"](gold, scores.segments).value, p)
    if test != "inputs":
        formula: Statistic = lambda people, metric: average(people, metric, statistic, "item").value  # noqa: E731
        return _Contest(
            lambda scores: formula(gold, scores.segments),
            lambda worse, better: permutation(
                gold, worse.segments, better.segments, formula, swap=cast(Swap, test), trials=trials, seed=seed
            ),
        )
    segments = {scores.name: _by_segment(gold, scores.segments, statistic) for scores in tables.metrics}
    return _Contest(
        lambda scores: mean_of(segments[scores.name])[0],
        lambda worse, better: permuted_means(segments[worse.name], segments[better.name], trials=trials, seed=seed),
    )


def _by_segment(gold: Array, metric: Array, statistic: str) -> Array:
    """The statistic in every segment; acc_eq with the metric's own best eps. # (segments,)"""
    if statistic != "acc_eq":
        return GROUPED[statistic](*as_groups(gold, metric))
    best = calibrate(gold, metric)
    return count_pairs(gold, metric, 0.0 if math.isnan(best.eps) else best.eps).acc_eq()
