"""Verify published scores: compute them again from the files, and name what differs where they do not hold."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, option_text
from tertium.core.run import PLAIN, Run
from tertium.core.score import Interval, Score
from tertium.core.version import VERSION
from tertium.core.wording import counted
from tertium.engines.evaluate import evaluate
from tertium.inference.bootstrap import INTERVALS, check_resampling
from tertium.inference.units import Unit, rows_of_units
from tertium.io.claims import ROUNDING, Claim, read_signature
from tertium.metrics import parse, refuse_local
from tertium.text.normalise import FORMS
from tertium.text.tokenizers import KERNEL, is_local

FACTS = {"refs": "references per segment", "n": "segments", "data": "hash of the references"}
DRAWN = ("bs", "seed", "ci", "bca", "unit")  # how an interval was drawn


@dataclass(frozen=True, kw_only=True)
class ClaimCheck:
    """A claim, the score computed here, and what differs. Remarks name what was not, or cannot be, checked."""

    claim: Claim
    system: str
    value: float
    interval: Interval | None
    differences: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify(
    claims: Sequence[Claim],
    given: Evaluation,
    *,
    metric: str | Metric | None = None,
    system: str | None = None,
    trusted: bool = False,
    run: Run = PLAIN,
) -> list[ClaimCheck]:
    """Compute every claimed score again from a test set and its systems.

    `metric` takes the place of the claimed ones, and `system` says whose score a claim without a name is. Claims come
    from strangers: options that name files or code of this computer are refused unless `trusted`.
    """
    metrics = {claim.metric: parse(claim.metric if metric is None else metric) for claim in claims}
    for chosen in metrics.values() if metric is None and not trusted else ():
        try:
            refuse_local(chosen)
        except OptionError as error:
            raise OptionError(f"{error}; if you trust the one who wrote it: --trust") from None
    names = [_system_of(claim, claims, given, system) for claim in claims]
    systems = [item for item in given.systems if item.name in names]
    evaluation = evaluate(given.testset, systems, metrics.values(), run=run)
    scores: dict[tuple[str, ...], Score] = {}
    for level in dict.fromkeys(claim.level for claim in claims):
        scores |= {_key(score.system, score.metric, score): score for score in evaluation.scores(level)}
    return [
        _verdict(claim, metrics[claim.metric], name, scores, evaluation)
        for claim, name in zip(claims, names, strict=True)
    ]


def _key(system: str, metric: str, item: Score | Claim) -> tuple[str, ...]:
    return system, metric, item.level, item.segment or "", (item.document or "") if item.level == "document" else ""


def _system_of(claim: Claim, claims: Sequence[Claim], given: Evaluation, system: str | None) -> str:
    """The system a claim is about: named, or the only one there is."""
    here = [item.name for item in given.systems]
    wanted = claim.system if system is None else system
    if wanted in here:
        return str(wanted)
    alone = len({item.system for item in claims}) == 1
    if len(here) == 1 and alone and system is None:  # a file may have another name than it had
        return here[0]
    if wanted is None:
        raise OptionError(f"{len(here)} systems: whose score is it? Say --system NAME; there are: {', '.join(here)}")
    raise OptionError(f"there is no system {wanted} here, only {', '.join(here)}; name its file: --hyp {wanted}=FILE")


def _verdict(
    claim: Claim, metric: Metric, system: str, scores: Mapping[tuple[str, ...], Score], evaluation: Evaluation
) -> ClaimCheck:
    score = scores.get(_key(system, str(metric), claim))
    if score is None:
        where = claim.segment or claim.document
        absent = f"{claim.level} {where} is not in these files"
        return ClaimCheck(claim=claim, system=system, value=math.nan, interval=None,
                       differences=(absent,), remarks=claim.unchecked)  # fmt: skip
    here = read_signature(evaluation.signatures[str(metric)], "0").facts
    options, remarks = _option_differences(claim, metric, here)
    facts = list(_fact_differences(claim, score, here))
    interval, drawn = _check_interval(claim, metric, system, evaluation, remarks)
    remarks += [*claim.unchecked, *_remarks(claim, evaluation, here)]
    values = []
    if not _fits(score.value, claim):
        values = [f"score: {claim.shown} published, {_shown(score.value)} here"]
        parts = list(_part_differences(claim, score))
        values += parts or list(_causes(claim, metric, score, evaluation, unknown=not (facts or options)))
    differences = (*values, *drawn, *options, *facts)
    return ClaimCheck(claim=claim, system=system, value=score.value, interval=interval,
                   differences=differences, remarks=tuple(remarks))  # fmt: skip


def _fits(value: float, claim: Claim) -> bool:
    """Whether a value rounds to the published one; what was not scored must not be scored here either."""
    if math.isnan(claim.value) or math.isnan(value):
        return math.isnan(claim.value) == math.isnan(value)
    return value == claim.value or abs(value - claim.value) <= claim.tolerance


def _shown(value: float) -> str:
    return "not scored" if math.isnan(value) else f"{value:.10g}"


def _fact_differences(claim: Claim, score: Score, here: Mapping[str, str]) -> Iterator[str]:
    """What a signature names: references, segments, outside tools."""
    for key, value in claim.facts.items():
        if key not in (*DRAWN, "tertium") and here.get(key) != value:
            name = FACTS.get(key, f"version or hash of {key}")
            yield f"{name}: {value} published, {here.get(key, 'none')} here"
    if claim.n is not None and claim.n != score.n and claim.facts.get("n") == here.get("n"):
        yield f"segments that were scored: {claim.n} published, {score.n} here"


def _option_differences(claim: Claim, metric: Metric, here: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Where another metric was asked for than was published: its options, but for a tool that has moved."""
    published = parse(claim.metric)
    if published.name != metric.name:
        return [f"metric: {published} published, {metric} here"], []
    differences: list[str] = []
    remarks: list[str] = []
    for field in dataclasses.fields(metric):  # type: ignore[arg-type]
        theirs, ours = getattr(published, field.name), getattr(metric, field.name)
        if theirs == ours:
            continue
        sentence = f"option {field.name}: {option_text(theirs)} published, {option_text(ours)} here"
        kind = str(ours).partition(":")[0]
        same_tool = is_local(str(ours)) and str(theirs).startswith(f"{kind}:") and kind in claim.facts
        moved = same_tool and claim.facts[kind] == here.get(kind)
        (remarks if moved else differences).append(f"{sentence}, of the same hash" if moved else sentence)
    return differences, remarks


def _check_interval(
    claim: Claim, metric: Metric, system: str, evaluation: Evaluation, remarks: list[str]
) -> tuple[Interval | None, list[str]]:
    """The interval drawn again with the published number of trials, seed and confidence."""
    claimed, facts = claim.interval, claim.facts
    if claimed is None:
        if "bs" in facts:
            remarks.append(f"no interval was given for bs:{facts['bs']}, so none is checked")
        return None, []
    method, share = ("bca", facts["bca"]) if "bca" in facts else ("percentile", facts.get("ci", ""))
    confidence = float(share) if re.fullmatch(r"0?\.\d+", share) else claimed.confidence
    if not all(re.fullmatch(r"\d{1,18}", facts.get(key, "")) for key in ("bs", "seed")):
        remarks.append("the signature does not say how the interval was drawn, so it is not checked")
        return None, []
    check_resampling(metric)
    trials, seed = int(facts["bs"]), int(facts["seed"])
    unit: Unit = "document" if facts.get("unit") == "document" else "segment"
    [stats] = rows_of_units([evaluation.stats(system, metric)], evaluation.testset, unit)
    found = INTERVALS[method](stats, metric, confidence=confidence, trials=trials, seed=seed)
    differences = []
    if confidence != claimed.confidence:
        differences.append(f"confidence: {claimed.confidence:g} in the interval, {confidence:g} in the signature")
    if not all(math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)
               for a, b in ((found.low, claimed.low), (found.high, claimed.high))):  # fmt: skip
        differences.append(
            f"interval: [{claimed.low:.10g}, {claimed.high:.10g}] published, [{found.low:.10g}, {found.high:.10g}] "
            f"here, with {counted(trials, 'trial')}, seed {seed} and confidence {confidence:g}"
        )
    return found, differences


def _remarks(claim: Claim, evaluation: Evaluation, here: Mapping[str, str]) -> Iterator[str]:
    """What differs without making the score another."""
    published = claim.facts.get("tertium")
    if published not in (None, VERSION):
        yield f"published with tertium {published}, checked with {VERSION}"
    if claim.digest not in (None, evaluation.testset.digest) and claim.facts.get("data") == here.get("data"):
        yield "the references are the same, but the source, the documents, ids or labels of the test set are not"


def _part_differences(claim: Claim, score: Score) -> Iterator[str]:
    """Numbers behind the score that differ."""
    for name, published in claim.parts.items():
        ours: Any = score.parts.get(name)
        theirs = published if isinstance(published, list) else [published]
        mine = list(ours) if isinstance(ours, tuple) else [ours]
        if len(theirs) != len(mine) or not all(_equal(a, b) for a, b in zip(theirs, mine, strict=True)):
            yield f"{name}: {_listed(theirs)} published, {_listed(mine)} here"


def _equal(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    return math.isclose(float(a), float(b), rel_tol=ROUNDING, abs_tol=ROUNDING)


def _listed(values: Sequence[Any]) -> str:
    return ", ".join("none" if value is None else f"{float(value):.6g}" for value in values)


def _causes(claim: Claim, metric: Metric, score: Score, evaluation: Evaluation, *, unknown: bool) -> Iterator[str]:
    """What would explain a corpus score: another scale, or another option that gives it."""
    found = False
    if claim.value <= 1 < score.value and abs(score.value / 100 - claim.value) <= claim.tolerance:
        found = True
        yield f"{claim.shown} is this score as a share of 1; scores here are 0 to 100"
    if claim.level == "corpus":
        others = list(_variants(metric))
        systems = [item for item in evaluation.systems if item.name == score.system]
        table = evaluate(evaluation.testset, systems, others).scores()
        for other, variant in zip(others, table, strict=True):
            if _fits(variant.value, claim):
                found = True
                yield f"{claim.shown} is what {other} gives"
    if unknown and not found:
        known = "data" in claim.facts
        yield (
            "options, references and number of segments are the same, so the outputs must be others"
            if known
            else "the number of references is all that can be compared: outputs or references must be others"
        )


def _variants(metric: Metric) -> Iterator[Metric]:
    """The metric with one option changed: what people forget to say is case, tokenizer and normalisation."""
    for field in dataclasses.fields(metric):  # type: ignore[arg-type]
        now = getattr(metric, field.name)
        words = {"tokenize": KERNEL, "unicode": tuple(FORMS)}.get(field.name, ())
        choices = [not now] if isinstance(now, bool) else [word for word in words if word != now]
        for value in choices:
            try:
                yield dataclasses.replace(metric, **{field.name: value})  # type: ignore[type-var]
            except OptionError:  # not a word of this metric
                continue
