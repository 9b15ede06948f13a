"""Systems ranked by people: scores, who beats whom, clusters, and the ranks a system could have.

Clusters follow one of three rules. Going down the ranking, a line is drawn below a system

- `strict`: where every system of the cluster beats every system further down;
- `minwins`: where the fewest wins of any system of the cluster are as many as there are systems further down;
- `last`: where the wins of the last system of the cluster are as many as there are systems further down.

The three agree unless there are upsets: a system that beats one above it, or that fails to beat one far below it.
WMT's published clusters follow `last`; the programs of Appraise follow `minwins`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Judgement, Kind
from tertium.core.metric import choose
from tertium.human.judgement_arrays import JudgementArrays, judgement_arrays_of
from tertium.human.scores import HumanScores, human_scores
from tertium.human.significance import DRAWN, TESTS, p_values
from tertium.human.standardise import POLICIES, USUAL, Policy, policy_of, raw_reason
from tertium.inference.clusters import clusters
from tertium.inference.corrections import CORRECTIONS
from tertium.inference.paired import check_trials
from tertium.inference.resolution import enough_trials, unresolvable
from tertium.inference.seeds import ALPHA, SEED, TRIALS

if TYPE_CHECKING:
    from tertium.core.stats import Array

RULES = ("last", "minwins", "strict")
MOST = 1_000_000  # trials that are made unasked
PRESETS = ("wmt22-toen", "wmt21-toen", "appraise22")


@dataclass(frozen=True, kw_only=True)
class RankingMethod:
    """How systems are ranked. Without `upsets`, only a system with the higher score can beat another one.

    `standardised` says whether by z or by raw scores; None stands for what people's scores mean everywhere (z where at
    least two raters judged on a scale from 0 to 100, each 15 times or more). A ranking's own method has the answer, and
    `raw_because` the reason where it is no.
    """

    policy: Policy = POLICIES[USUAL]
    standardised: bool | None = None
    test: str = "rank-sum"
    rule: str = "strict"
    upsets: bool = True
    alpha: float = ALPHA
    correction: str = "holm"
    trials: int | None = None
    seed: int = SEED
    raw_because: str = ""

    def __post_init__(self) -> None:
        choose("ranking", "test", self.test, TESTS)
        choose("ranking", "clusters", self.rule, RULES)
        choose("ranking", "correction", self.correction, tuple(CORRECTIONS))
        if not 0 < self.alpha < 1:
            raise OptionError(f"alpha {self.alpha}: must lie between 0 and 1, such as 0.05")
        check_trials(self.draws, self.seed)

    @property
    def draws(self) -> int:
        """How many trials a test by random numbers makes."""
        return TRIALS.get(self.test, 1) if self.trials is None else self.trials

    def enough(self, systems: int) -> RankingMethod:
        """The same with as many trials as alpha and the correction take for so many systems, unless told."""
        if self.test not in DRAWN or self.trials is not None:
            return self
        tests = 1 if self.correction == "none" else systems * (systems - 1) // (1 if self.upsets else 2)
        return replace(self, trials=min(MOST, max(self.draws, enough_trials(self.alpha, tests))))


def preset(name: str) -> RankingMethod:
    """What a published evaluation did, from standard scores to clusters; none corrected for many tests."""
    choose("ranking", "preset", name, PRESETS)
    published = RankingMethod(policy=POLICIES[name], standardised=True, rule="last", correction="none")
    if name == "appraise22":
        return replace(published, test="rank-sum-matched", rule="minwins", upsets=False)
    return published


def method_of(
    name: str | None,
    *,
    standardise: str | None = None,
    over: tuple[Kind, ...] | None = None,
    test: str | None = None,
    clusters: str | None = None,
    correction: str | None = None,
) -> RankingMethod:
    """A preset, or what is usual, with parts of it changed: `standardise` is none for raw scores, or what becomes of
    raters whose judgements never differ."""
    method = RankingMethod() if name is None else preset(name)
    policy: Any = method.policy
    standardised = method.standardised if standardise is None else standardise != "none"
    if standardise not in (None, "none"):
        policy = replace(policy, zero=standardise)
    if over is not None:
        policy, standardised = replace(policy, over=over), standardised is not False
    return replace(
        method,
        policy=policy,
        standardised=standardised,
        test=test or method.test,
        rule=clusters or method.rule,
        correction=correction or method.correction,
    )


@dataclass(frozen=True, kw_only=True)
class RankedSystem:
    """A system in a ranking."""

    system: str
    cluster: int  # from 1
    best: int  # the ranks that wins and losses leave open
    worst: int
    raw: float
    z: float
    segments: int  # judged
    judgements: int
    wins: int  # systems it beats
    losses: int


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemRanking:
    """Systems from best to worst. `p` and `beats` are of a row's system against a column's, in that order."""

    method: RankingMethod
    scale: str
    systems: tuple[RankedSystem, ...]
    p: Array  # (s, s): one-sided, after the correction
    single: Array  # (s, s): before it
    beats: Any  # (s, s)
    scores: HumanScores  # in the order of the judgements
    better: str

    @property
    def clusters(self) -> list[list[str]]:
        """The names, cluster by cluster."""
        found: dict[int, list[str]] = {}
        for item in self.systems:
            found.setdefault(item.cluster, []).append(item.system)
        return list(found.values())


def rank_systems(
    judgements: Iterable[Judgement] | JudgementArrays,
    scale: str | None = None,
    *,
    method: RankingMethod | str | None = None,
    groups: Sequence[str] | None = None,
    **changes: Any,
) -> SystemRanking:
    """Rank the systems that people judged.

    `method` is the name of a published evaluation, or a RankingMethod; without it, standard scores are used where they
    make sense, and raw ones otherwise. `changes` are fields of it that shall be others, such as test="signed-rank".
    `groups` is a label for each segment: raters are then standardised label by label.
    """
    answers = judgements if isinstance(judgements, JudgementArrays) else judgement_arrays_of(judgements, scale)
    known = [field.name for field in fields(RankingMethod)]
    for name in changes:
        if name not in known:
            raise OptionError(f"a ranking has no option {name!r}; options: {', '.join(known)}")
    chosen = preset(method) if isinstance(method, str) else method or RankingMethod()
    return rank_answers(answers, replace(chosen, **changes), groups)


def settled(method: RankingMethod, answers: JudgementArrays, groups: Sequence[str] | None = None) -> RankingMethod:
    """The method with its choice between z and raw scores made, by all that raters judged."""
    if method.standardised is not None:
        return method
    why = raw_reason(answers, groups)
    return replace(method, standardised=not why, raw_because=why)


def rank_answers(answers: JudgementArrays, method: RankingMethod, groups: Sequence[str] | None = None) -> SystemRanking:
    """Rank the systems of judgements on one scale."""
    import numpy as np

    method = settled(method, answers, groups)
    scores = human_scores(answers, policy_of(method.policy), groups=groups)
    table = scores.z if method.standardised else scores.raw
    sign = 1 if answers.scale.better == "higher" else -1
    order = _order(scores.means(sign * table), method, answers.scale.name)
    method = method.enough(len(order))
    single, p, beats = _tested(sign * table[order], method)
    wins, losses = beats.sum(axis=1), beats.sum(axis=0)
    names = [scores.systems[k] for k in order]
    number = {name: k for k, cluster in enumerate(clusters_by(method.rule, names, beats), 1) for name in cluster}
    raw, z = scores.means(scores.raw), scores.means(scores.z)
    ranked = tuple(
        RankedSystem(
            system=name,
            cluster=number[name],
            best=int(losses[k]) + 1,
            worst=len(names) - int(wins[k]),
            raw=float(raw[order[k]]),
            z=float(z[order[k]]),
            segments=int((~np.isnan(table[order[k]])).sum()),
            judgements=int(scores.counts[order[k]].sum()),
            wins=int(wins[k]),
            losses=int(losses[k]),
        )
        for k, name in enumerate(names)
    )
    return SystemRanking(method=method, scale=answers.scale.name, systems=ranked, p=p, single=single, beats=beats,
                         scores=scores, better=answers.scale.better)  # fmt: skip


def _order(means: Array, method: RankingMethod, scale: str) -> Any:
    """The places of the systems that have a score, from best to worst. # (s,)"""
    import numpy as np

    judged = np.flatnonzero(~np.isnan(means))
    if not len(judged):
        why = "no rater's judgements differ, or none is of an output; rank raw scores (--standardise none)"
        raise InputError(
            f"no system has a standard score on the scale {scale}: {why}"
            if method.standardised
            else f"no system has a score on the scale {scale}: no judgement is of an output"
        )
    return judged[np.argsort(-means[judged], kind="stable")]


def _tested(scores: Array, method: RankingMethod) -> tuple[Array, Array, Any]:
    """p of every pair before and after the correction, NaN where it was not tested; who beats whom. # each (s, s)"""
    import numpy as np

    single = p_values(scores, method.test, method.draws, method.seed)
    if not method.upsets:
        single[np.tril_indices(len(single))] = np.nan
    tested = ~np.isnan(single)
    _check_trials(method, int(tested.sum()))
    p = single.copy()
    p[tested] = CORRECTIONS[method.correction](single[tested].tolist())
    return single, p, np.where(tested, p, 1.0) < method.alpha


def _check_trials(method: RankingMethod, tests: int) -> None:
    """Refuse trials with which nothing could be found: p must be below alpha."""
    counted = 1 if method.correction == "none" else tests  # what the smallest p is multiplied by
    reason = unresolvable(method.draws, math.nextafter(method.alpha, 0), counted) if method.test in DRAWN else None
    if reason is not None:
        raise OptionError(
            f"which systems differ significantly is {reason} ({tests} tests, correction {method.correction}, alpha "
            f"{method.alpha:g}); give more trials, or none"
        )


def clusters_by(rule: str, ranked: Sequence[str], beats: Any) -> list[list[str]]:
    """Systems from best to worst in clusters; `beats[i, j]`: the i-th is significantly better than the j-th."""
    choose("ranking", "clusters", rule, RULES)
    if rule == "strict":
        place = {name: k for k, name in enumerate(ranked)}
        return clusters(ranked, lambda above, below: bool(beats[place[above], place[below]]))
    wins = [int(row.sum()) for row in beats]
    found: list[list[str]] = []
    first, fewest = 0, math.inf
    for k in range(len(ranked)):
        fewest = wins[k] if rule == "last" else min(fewest, wins[k])
        if fewest == len(ranked) - k - 1:
            found.append(list(ranked[first : k + 1]))
            first, fewest = k + 1, math.inf
    if first < len(ranked):  # the last system beats one above it: no line below, but the ranking ends
        found.append(list(ranked[first:]))
    return found
