"""What a gate says of a system: each of its rules, the verdict, and what people look at who have to mend it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.table import Table
from tertium.core.wording import counted, number, p_equals
from tertium.engines.evaluate import add_metrics
from tertium.inference.runs import runs_of
from tertium.io.texts import suggest
from tertium.metrics import parse
from tertium.report.first_section import regression_table
from tertium.report.gate_rules import Gate, MetricRules
from tertium.report.people import People
from tertium.report.results import Results
from tertium.report.standing import Standing, standings, tells
from tertium.report.tables.gate import score_table
from tertium.report.words import amount, capital, listed


class Check(NamedTuple):
    """One rule, and what came of it."""

    what: str  # `BLEU`, `outputs`
    rule: str  # what was asked
    got: str  # what was found
    passed: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class GateOutcome:
    """What a gate says of a system."""

    system: str
    baseline: str | None
    checks: Sequence[Check]
    standings: Sequence[Standing]  # none without a baseline
    scores: Table
    regressions: Table | None
    evaluation: Evaluation

    @property
    def failed(self) -> list[Check]:
        """The rules that were broken."""
        return [check for check in self.checks if not check.passed]

    @property
    def passed(self) -> bool:
        """Whether the system may go through."""
        return not self.failed

    @property
    def sentence(self) -> str:
        """The verdict."""
        many = counted(len(self.checks), "check")
        if not self.passed:
            why = "; ".join(f"{check.what}: {check.got}, wanted: {check.rule}" for check in self.failed)
            return f"{self.system} does not pass, {len(self.failed)} of {many} failed. {capital(why)}."
        return f"{self.system} passes {'the only check' if len(self.checks) == 1 else f'all {many}'}."

    @property
    def more(self) -> str:
        """What the paired tests say of the difference, whatever was asked of it."""
        tested = [one for one in self.standings if one.tested]
        if self.baseline is None or not tested:
            return ""
        said = []
        for relation, words in (("ahead", "better"), ("behind", "worse")):
            titles = [one.title for one in tested if one.place(self.system).relation == relation]
            if titles:
                said.append(f"significantly {words} than {self.baseline} by {listed(titles)}")
        if said:
            return f"{self.system} is {' and '.join(said)}."
        finds = [f"about {amount(one.detectable, one.metric)} {one.title}" for one in tested if one.detectable > 0]
        least = f" This test set finds differences of {listed(finds)}, four times out of five." if finds else ""
        return f"{tells(tested, f'{self.system} from {self.baseline}', start=True)}.{least}"


def judge(gate: Gate, given: Evaluation, run: Run = PLAIN, *, trust_join: bool = False) -> GateOutcome:
    """What the gate says of its system, in an evaluation that has both outputs."""
    groups = runs_of(given.systems)
    system = _system(gate, list(groups))
    wanted = {name for one in (gate.baseline, system) if one is not None for name in groups[one]}
    two = replace(given, systems=tuple(one for one in given.systems if one.name in wanted), metrics=())
    counted_all = add_metrics(two, *map(parse, gate.metrics), run=run, trust_join=trust_join)
    rules = {str(counted_all.metric(text)): rules for text, rules in gate.metrics.items()}
    kept = tuple(metric for metric in counted_all.metrics if str(metric) in rules)
    evaluation = replace(counted_all, metrics=kept)  # scores that came with the test set are nobody's rule
    results = Results(evaluation=evaluation, trials=gate.trials, seed=gate.seed, run=run)
    found: list[Standing] = []
    if gate.baseline is not None:
        found = standings(results, People(evaluation=replace(evaluation, judgements=())), gate.baseline)
    checks = [_outputs(gate, evaluation, groups[system])]
    for k, metric in enumerate(kept):
        checks += _checks(rules[str(metric)], results, metric, system, found[k] if found else None)
    return GateOutcome(
        system=system,
        baseline=gate.baseline,
        checks=checks,
        standings=found,
        scores=score_table(results, found, gate.baseline, system),
        regressions=None if gate.baseline is None else regression_table(results, gate.baseline, system),
        evaluation=evaluation,
    )


def _system(gate: Gate, known: Sequence[str]) -> str:
    """The system in question."""
    for name in (gate.system, gate.baseline):
        if name is not None and name not in known:
            raise InputError(
                f"{gate.path}: unknown system {name!r}{suggest(name, known)} systems: {', '.join(known) or 'none'}"
            )
    others = [name for name in known if name != gate.baseline]
    if gate.system is None and len(others) != 1:
        raise InputError(f'{gate.path}: which system is it about? write system = "NAME"; systems: {", ".join(known)}')
    system = gate.system or others[0]
    if system == gate.baseline:
        raise InputError(f"{gate.path}: system and baseline are both {system}; name another")
    return system


def _outputs(gate: Gate, evaluation: Evaluation, runs: Sequence[str]) -> Check:
    """Segments without an output are not scored, so that leaving out the hard ones would help."""
    outputs = [text for one in evaluation.systems if one.name in runs for text in one.outputs]
    lacks = sum(text is None for text in outputs)
    rule = "none may be missing" if not gate.missing else f"at most {gate.missing} may be missing"
    return Check("outputs", rule, f"{lacks or 'none'} of {len(outputs)} missing", lacks <= gate.missing)


def _checks(
    rules: MetricRules, results: Results, metric: Metric, system: str, standing: Standing | None
) -> Iterator[Check]:
    """The rules of one metric."""
    title, places, higher = results.plain_title(metric), metric.decimals, metric.better == "higher"
    if rules.limit is not None:
        score = results.group_value(system, metric)
        passed = score >= rules.limit if higher else score <= rules.limit  # no score is on the wrong side
        got = "no segment is scored" if math.isnan(score) else _beside(score, rules.limit, places)
        yield Check(title, f"{'at least' if higher else 'at most'} {rules.limit:g}", got, passed)
    if standing is None:
        return
    place, baseline = standing.place(system), standing.origin
    if rules.worse is not False:
        yield _tested(standing, system)
    if rules.loss is not None:
        lost = "cannot be compared" if math.isnan(place.gap) else _change(place.gap, rules.loss, places)
        yield Check(title, f"loses at most {rules.loss:g} against {baseline}", lost, place.gap <= rules.loss)


def _tested(standing: Standing, system: str) -> Check:
    """Whether the system is significantly worse; what cannot be tested does not pass."""
    place, item = standing.place(system), standing.pair(standing.origin, system)
    rule = f"not significantly worse than {standing.origin}"
    if item is None or place.relation == "untested":
        why = standing.reason or (item and item.unresolvable) or "a system has no score"
        return Check(standing.title, rule, f"cannot be tested: {why}", False)
    said = {"behind": "significantly worse", "ahead": "significantly better"}.get(place.relation, "not told apart")
    return Check(standing.title, rule, f"{said}, {p_equals(item.adjusted)}", place.relation != "behind")


def _beside(value: float, limit: float, places: int) -> str:
    """A number with as many places as it takes to see on which side of the limit it is."""
    for more in range(places, 17):
        text = number(value, more)
        if value == limit or (float(text) - limit) * (value - limit) > 0:
            return text
    return repr(value)


def _change(gap: float, limit: float, places: int) -> str:
    if gap == 0:
        return "no difference"
    return f"loses {_beside(gap, limit, places)}" if gap > 0 else f"gains {number(-gap, places)}"
