"""Which metrics are significantly closer to human scores than which others: every pair tested, and clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from tertium.core.errors import OptionError
from tertium.core.metric import choose
from tertium.inference.averages import GROUPED, average, mean_of
from tertium.inference.clusters import clusters
from tertium.inference.corrections import CORRECTED, CORRECTIONS
from tertium.inference.correlation_tests import (
    SIDES,
    Gains,
    Sides,
    Statistic,
    Swap,
    permutation,
    permuted_means,
    permuted_pearson,
    two_sided,
    williams,
)
from tertium.inference.correlations import CORRELATIONS
from tertium.inference.flips import flips, pairwise_accuracy, system_p_values
from tertium.inference.maxt import step_down
from tertium.inference.pair_permutation import Tied, permuted_pairs
from tertium.inference.pairs import as_groups, count_pairs
from tertium.inference.resolution import enough_trials, smallest_swap_p, unresolvable
from tertium.inference.seeds import WMT_TRIALS
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
    "acc_eq": ("inputs", "pairs"),
    "tau_b": ("inputs", "both", "systems"),
    "pearson": ("both", "williams", "inputs", "systems"),
}
TESTS = ("williams", "both", "inputs", "systems", "pairs")
TEST_TITLES = {
    "williams": "Williams' test",
    "both": "permutation test by segments and systems",
    "inputs": "permutation test by segments",
    "systems": "permutation test by systems",
    "pairs": "permutation test by pairs of outputs",
}
MOST = 100_000  # trials that are made unasked


@dataclass(frozen=True, kw_only=True)
class Rules:
    """By which statistic metrics are compared, by which test, and how p-values of many pairs are corrected.

    `max-t` is for tests by random swaps, which all pairs share; Williams' test makes none, and is corrected by Holm.
    """

    system: str = "pearson"
    segment: str = "acc_eq"
    system_test: str | None = None
    segment_test: str | None = None
    correction: str = "max-t"
    sides: Sides = "two"  # one: for whichever metric is ahead, as WMT does

    def __post_init__(self) -> None:
        for level, known in (("system", SYSTEM_TESTS), ("segment", SEGMENT_TESTS)):
            statistic, test = getattr(self, level), getattr(self, f"{level}_test")
            choose("meta", f"{level} statistic", statistic, tuple(known))
            if test is not None and test not in known[statistic]:
                raise OptionError(
                    f"{statistic} at {level} level is not compared by test {test!r}; choose from "
                    f"{', '.join(known[statistic])}"
                )
        choose("meta", "sides", self.sides, SIDES)
        choose("meta", "correction", self.correction, tuple(CORRECTED))

    def of(self, level: Level) -> tuple[str, str]:
        """Statistic and test of a level."""
        known = SYSTEM_TESTS if level == "system" else SEGMENT_TESTS
        statistic = getattr(self, level)
        return statistic, getattr(self, f"{level}_test") or known[statistic][0]


def read_rules(system_by: str, segment_by: str, correction: str = "max-t", sides: Sides = "two") -> Rules:
    """`tau_b:both` -> a statistic and a test."""
    system, _, system_test = system_by.partition(":")
    segment, _, segment_test = segment_by.partition(":")
    return Rules(system=system, segment=segment, system_test=system_test or None, segment_test=segment_test or None,
                 correction=correction, sides=sides)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MetricPair:
    """Two metrics: `better` is closer to people by `difference`; p before and after the correction."""

    better: str
    worse: str
    difference: float
    p: float
    adjusted: float = math.nan
    significant: bool = False


@dataclass(frozen=True, kw_only=True)
class MetricComparison:
    """All pairs of metrics at one level, and the metrics from best to worst, cut wherever everyone above is
    significantly better than everyone below. Where no p could become small enough, `unresolvable` says why, and there
    are no clusters. `eps` are the thresholds for ties of acc_eq, `eps_given` whether they come from elsewhere."""

    level: Level
    statistic: str
    test: str
    trials: int
    seed: int
    alpha: float
    correction: str
    sides: Sides
    values: Mapping[str, float]
    pairs: tuple[MetricPair, ...]
    clusters: tuple[tuple[str, ...], ...]
    unresolvable: str | None = None
    eps: Mapping[str, float] = field(default_factory=dict)
    eps_given: bool = False

    @property
    def ranked(self) -> list[str]:
        """Metrics from closest to people to farthest."""
        return sorted((name for name, value in self.values.items() if not math.isnan(value)),
                      key=lambda name: -self.values[name])  # fmt: skip


def compare_metrics(
    tables: Tables,
    level: Level,
    rules: Rules,
    trials: int | None,
    seed: int,
    alpha: float,
    eps: Mapping[str, float] | None = None,
) -> MetricComparison:
    """Every pair of metrics by the statistic and test that the rules name; without `trials`, as many as it takes.
    acc_eq is at each metric's best threshold for ties, or at the `eps` that is given."""
    statistic, test = rules.of(level)
    ties = thresholds(tables, eps) if (level, statistic) == ("segment", "acc_eq") else {}
    correction = "holm" if (rules.correction, test) == ("max-t", "williams") else rules.correction
    count = math.comb(len(tables.metrics), 2)
    tests = count if correction in ("holm", "bh") else 1  # what the smallest p is multiplied by
    made = min(MOST, max(WMT_TRIALS, enough_trials(alpha, tests))) if trials is None else trials
    if statistic == "spa":
        contest = _soft_contest(tables, test, made, WMT_TRIALS if trials is None else trials, seed)
    elif level == "system":
        contest = _system_contest(tables, statistic, test, made, seed)
    elif statistic == "acc_eq":
        contest = _tied_contest(tables, test, ties, made, seed)
    else:
        contest = _segment_contest(tables, statistic, test, made, seed)
    values = {scores.name: contest.value(scores) for scores in tables.metrics}
    known = {scores.name: scores for scores in tables.metrics}
    tested, gains = [], []
    for pair in combinations((name for name in values if not math.isnan(values[name])), 2):
        worse, better = sorted(pair, key=values.__getitem__)
        p, drawn = contest.tested(known[worse], known[better], rules.sides)
        tested.append(MetricPair(better=better, worse=worse, difference=values[better] - values[worse], p=p))
        gains.append(drawn)
    pairs = _corrected(tested, gains, correction, alpha, rules.sides)
    found = MetricComparison(
        level=level,
        statistic=statistic,
        test=test,
        trials=made,
        seed=seed,
        alpha=alpha,
        correction=correction,
        sides=rules.sides,
        values=values,
        pairs=tuple(pairs),
        clusters=(),
        unresolvable=_too_little(tables, test, made, tests, alpha, rules.sides) if pairs else None,
        eps=ties,
        eps_given=bool(ties) and eps is not None,
    )
    if found.unresolvable is not None:
        return found
    won = {(pair.better, pair.worse) for pair in pairs if pair.significant}
    cut = clusters(found.ranked, lambda above, below: (above, below) in won)
    return replace(found, clusters=tuple(tuple(names) for names in cut))


def _too_little(tables: Tables, test: str, trials: int, tests: int, alpha: float, sides: Sides) -> str | None:
    """Why no p can be as small as alpha: too few trials, or too few segments or systems to swap."""
    if test == "williams":
        return None
    systems, segments = tables.gold.segments.shape
    units, what = {"both": (systems * segments, "scores"), "inputs": (segments, "segments"),
                   "systems": (systems, "systems"),
                   "pairs": (math.comb(systems, 2) * segments, "pairs of outputs")}[test]  # fmt: skip
    least = smallest_swap_p(units, tests) / (1 if sides == "two" else 2)
    if least > alpha:
        return f"not resolvable: {units} {what} can be swapped in {2**units} ways, so no p is below {least:.2g}"
    return unresolvable(trials, alpha, tests)


def _corrected(
    pairs: Sequence[MetricPair], gains: Sequence[Gains | None], correction: str, alpha: float, sides: Sides
) -> list[MetricPair]:
    """With p-values corrected over all pairs that have one."""
    import numpy as np

    places = [k for k, pair in enumerate(pairs) if not math.isnan(pair.p)]
    drawn = [gain for k in places if (gain := gains[k]) is not None]
    if correction == "max-t" and drawn:
        observed, trials = zip(*(gain.extremes(sides) for gain in drawn), strict=True)
        adjusted = step_down(np.array(observed), np.stack(trials)).tolist()
    else:
        adjusted = CORRECTIONS[correction]([pairs[k].p for k in places]) if places else []
    found = dict(zip(places, adjusted, strict=True))
    return [
        replace(pair, adjusted=p, significant=p <= alpha and pair.difference > 0)
        for k, pair in enumerate(pairs)
        for p in [found.get(k, math.nan)]
    ]


class _Contest(NamedTuple):
    """How a metric is valued by one statistic, and how two are compared: p for "the second is closer to people", or
    what trials make of how much closer it is."""

    value: Callable[[Scores], float]
    compare: Callable[[Scores, Scores], float | Gains]

    def tested(self, worse: Scores, better: Scores, sides: Sides) -> tuple[float, Gains | None]:
        """p, and the trials where there are any."""
        found = self.compare(worse, better)
        if isinstance(found, Gains):
            return found.p(sides), found
        return two_sided(found) if sides == "two" else found, None


def _system_contest(tables: Tables, statistic: str, test: str, trials: int, seed: int) -> _Contest:
    gold = tables.gold.corpus
    if statistic == "accuracy":
        formula: Statistic = lambda people, metric: pairwise_accuracy(people, metric).value  # noqa: E731
    else:
        formula = lambda people, metric: CORRELATIONS[statistic](people, metric).value  # noqa: E731

    def compare(worse: Scores, better: Scores) -> float | Gains:
        if test == "williams":
            return williams(gold, worse.corpus, better.corpus)
        if statistic == "pearson":
            return permuted_pearson(gold, worse.corpus, better.corpus, swap="systems", trials=trials, seed=seed)
        return permutation(gold, worse.corpus, better.corpus, formula, swap="systems", trials=trials, seed=seed)

    return _Contest(lambda scores: formula(gold, scores.corpus), compare)


def _soft_contest(tables: Tables, test: str, trials: int, flips_of_signs: int, seed: int) -> _Contest:
    """Soft pairwise accuracy on the segments that people judged, and all metrics scored, for all systems. Its own flips
    are as many as everywhere, however many trials the test takes."""
    import numpy as np

    known = [~np.isnan(scores.segments).any(axis=0) for scores in (tables.gold, *tables.metrics)]
    whole = np.logical_and.reduce(known)
    people = tables.gold.segments[:, whole]
    flipped = flips(people.shape[1], trials=flips_of_signs, seed=seed) if whole.any() else []
    expected = system_p_values(people, flipped) if flipped else None

    def formula(_: Array, metric: Array) -> float:
        if expected is None:
            return math.nan
        return float(1 - np.abs(expected - system_p_values(metric, flipped)).mean())

    def compare(worse: Scores, better: Scores) -> Gains:
        sides = worse.segments[:, whole], better.segments[:, whole]
        return permutation(people, *sides, formula, swap=cast(Swap, test), trials=trials, seed=seed)

    return _Contest(lambda scores: formula(people, scores.segments[:, whole]), compare)


def _segment_contest(tables: Tables, statistic: str, test: str, trials: int, seed: int) -> _Contest:
    gold = tables.gold.segments
    if statistic == "pearson":

        def compare(worse: Scores, better: Scores) -> float | Gains:
            if test == "williams":
                return williams(gold, worse.segments, better.segments)
            return permuted_pearson(
                gold, worse.segments, better.segments, swap=cast(Swap, test), trials=trials, seed=seed
            )

        return _Contest(lambda scores: CORRELATIONS["pearson"](gold, scores.segments).value, compare)
    if test != "inputs":
        formula: Statistic = lambda people, metric: average(people, metric, statistic, "item").value  # noqa: E731
        return _Contest(
            lambda scores: formula(gold, scores.segments),
            lambda worse, better: permutation(
                gold, worse.segments, better.segments, formula, swap=cast(Swap, test), trials=trials, seed=seed
            ),
        )
    found = {scores.name: GROUPED[statistic](*as_groups(gold, scores.segments)) for scores in tables.metrics}
    return _by_segments(found, trials, seed)


def thresholds(tables: Tables, eps: Mapping[str, float] | None) -> dict[str, float]:
    """The largest difference that is a tie, of each metric: as given, else the one that makes its acc_eq highest."""
    if eps is None:
        found = {scores.name: calibrate(tables.gold.segments, scores.segments).eps for scores in tables.metrics}
        return {name: 0.0 if math.isnan(value) else value for name, value in found.items()}
    check_thresholds(eps, [scores.name for scores in tables.metrics])
    return {scores.name: float(eps[scores.name]) for scores in tables.metrics}


def check_thresholds(eps: Mapping[str, float], metrics: Sequence[str]) -> None:
    """Refuse thresholds that are not numbers from 0 on, or not of every metric."""
    for name, value in eps.items():
        if not 0 <= value < math.inf:
            raise OptionError(f"eps of {name} is {value}: a threshold for ties is a number from 0 on")
    absent = [name for name in metrics if name not in eps]
    if absent:
        raise OptionError(
            f"no eps for {', '.join(absent)}; thresholds for ties are given for {', '.join(eps) or 'no metric'}: give "
            f"one for each metric"
        )


def _tied_contest(tables: Tables, test: str, eps: Mapping[str, float], trials: int, seed: int) -> _Contest:
    """acc_eq, every metric at its own threshold for ties."""
    gold = tables.gold.segments
    known = {scores.name: scores.segments for scores in tables.metrics}
    segments = {name: count_pairs(gold, values, eps[name]).acc_eq() for name, values in known.items()}
    if test == "inputs":
        return _by_segments(segments, trials, seed)

    @cache
    def gains() -> dict[tuple[str, str], Gains]:
        of = {name: Tied(values, eps[name]) for name, values in known.items()}
        return permuted_pairs(gold, of, trials=trials, seed=seed)

    def compare(worse: Scores, better: Scores) -> Gains:
        if (worse.name, better.name) in gains():
            return gains()[worse.name, better.name]
        turned = gains()[better.name, worse.name]
        return Gains(-turned.observed, -turned.drawn)

    return _Contest(lambda scores: mean_of(segments[scores.name])[0], compare)


def _by_segments(segments: Mapping[str, Array], trials: int, seed: int) -> _Contest:
    """The mean over segments of a statistic of each; whole segments are swapped."""
    import numpy as np

    pairs = list(permutations(segments, 2))

    @cache
    def gains() -> dict[tuple[str, str], Gains]:
        sides = (np.stack([segments[pair[k]] for pair in pairs]) for k in (0, 1))
        return dict(zip(pairs, permuted_means(*sides, trials=trials, seed=seed), strict=True))

    return _Contest(
        lambda scores: mean_of(segments[scores.name])[0], lambda worse, better: gains()[worse.name, better.name]
    )
