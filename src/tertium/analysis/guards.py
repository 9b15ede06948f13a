"""Guards of learned scores: outputs that a program suspects to be no translation, beside what a model gives them.

A network gives a number to anything. So beside every learned score stand the outputs that are empty, copies of the
source, in another language, or not half or more than twice as long as is expected, with the scores that they got. No
score is altered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tertium.analysis.detect.choice import DETECTORS
from tertium.analysis.diagnose import Diagnosis, diagnose
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, is_learned
from tertium.core.run import PLAIN, Run
from tertium.core.testset import TestSet
from tertium.core.wording import counted, headings, number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Detectors that guard, and what is said of outputs that they find.
KINDS: Mapping[str, str] = {
    "empty": "empty",
    "copied": "copied from the source",
    "language": "in another language",
    "truncation": "less than half as long as expected",
    "overgeneration": "more than twice as long as expected",
}
# The share of the length that is missing or too much, from which on an output is suspect: a concise one is none.
SEVERE: Mapping[str, float] = {"truncation": 0.5, "overgeneration": 0.5}


@dataclass(frozen=True, kw_only=True)
class SuspectOutputs:
    """The outputs of a system that may be no translation, and what a learned metric gives them. An output may be of
    several kinds; it counts once."""

    system: str
    metric: str
    outputs: int  # that the metric scored
    suspect: int
    kinds: Mapping[str, int]  # how many, by detector; those that found some
    lowest: float
    highest: float
    mean: float
    others: float  # the mean of those that are not suspect
    cut: int  # segments that were too long for the model


def guards(
    evaluation: Evaluation, *, diagnosis: Diagnosis | None = None, run: Run = PLAIN
) -> tuple[SuspectOutputs, ...]:
    """By system and learned metric, where there is something to guard against; nothing where texts were left out.

    A diagnosis that is at hand is used, if it has all that can be looked for.
    """
    learned = [metric for metric in evaluation.metrics if is_learned(metric)]
    if not learned or not evaluation.has_texts:
        return ()
    chosen = usable(evaluation.testset)
    if diagnosis is None or not set(chosen) <= set(diagnosis.detectors):
        diagnosis = diagnose(evaluation, detectors=chosen, run=run)
    hits = _hits(evaluation, diagnosis, chosen)
    found = (
        _guard(evaluation, hits[system.name], system.name, metric)
        for system in evaluation.systems
        for metric in learned
    )
    return tuple(guard for guard in found if guard is not None)


def usable(testset: TestSet) -> list[str]:
    """The detectors for which the test set has what they need, and a package is there."""
    has = testset.sources is not None, bool(testset.references.streams)
    able = [name for name in KINDS if DETECTORS[name].can_judge(*has)]
    return [name for name in able if "langid" not in DETECTORS[name].needs or find_spec("py3langid")]


def _hits(
    evaluation: Evaluation, diagnosis: Diagnosis, kinds: Sequence[str]
) -> dict[str, dict[str, NDArray[np.bool_]]]:
    """By system and kind, which segments are suspect. # (n,)"""
    import numpy as np

    size = len(evaluation.testset)
    hits = {system.name: {kind: np.zeros(size, dtype=bool) for kind in kinds} for system in evaluation.systems}
    for finding in diagnosis:
        if finding.kind in kinds and finding.severity >= SEVERE.get(finding.kind, 0.0):
            hits[finding.system][finding.kind][finding.segment - 1] = True
    for own in hits.values():
        if {"copied", "language"} <= set(own):  # the source is in another language anyway
            own["language"] &= ~own["copied"]
    return hits


def _guard(
    evaluation: Evaluation, hits: Mapping[str, NDArray[np.bool_]], system: str, metric: Metric
) -> SuspectOutputs | None:
    import numpy as np

    stats = evaluation.stats(system, metric)
    if stats.form == "sums":  # what each segment got was not kept
        return None
    values = np.asarray(row_values(stats, partial(segment_scores, metric)), dtype=float)  # (n,)
    scored = np.isfinite(values)
    hits = {kind: where & scored for kind, where in hits.items()}
    suspect = np.logical_or.reduce([*hits.values(), np.zeros_like(scored)])
    if not suspect.any() and not stats.cut:
        return None
    given, rest = values[suspect], values[scored & ~suspect]
    nothing = float("nan")
    return SuspectOutputs(
        system=system,
        metric=str(metric),
        outputs=int(scored.sum()),
        suspect=int(suspect.sum()),
        kinds={kind: int(where.sum()) for kind, where in hits.items() if where.any()},
        lowest=float(given.min()) if len(given) else nothing,
        highest=float(given.max()) if len(given) else nothing,
        mean=float(given.mean()) if len(given) else nothing,
        others=float(rest.mean()) if len(rest) else nothing,
        cut=len(stats.cut),
    )


def guard_notes(evaluation: Evaluation, found: Sequence[SuspectOutputs]) -> list[str]:
    """A sentence for each system of which an output is suspect, with what each learned metric gives them."""
    titles = headings(evaluation.metrics)
    by_system: dict[str, list[SuspectOutputs]] = {}
    for guard in found:
        if guard.suspect:
            by_system.setdefault(guard.system, []).append(guard)
    notes = []
    for system, own in by_system.items():
        most = max(own, key=lambda guard: guard.suspect)
        kinds = ", ".join(f"{count} {KINDS[kind]}" for kind, count in most.kinds.items())
        given = "; ".join(_given(guard, evaluation.metric(guard.metric), titles[guard.metric]) for guard in own)
        verb = "is" if most.suspect == 1 else "are"
        notes.append(
            f"{system}: {most.suspect} of {counted(most.outputs, 'output')} {verb} suspect ({kinds}); "
            f"{given}: read such segments by hand"
        )
    return notes


def _given(guard: SuspectOutputs, metric: Metric, title: str) -> str:
    low, high, mean, others = (
        number(value, metric.decimals) for value in (guard.lowest, guard.highest, guard.mean, guard.others)
    )
    spread = low if guard.suspect == 1 else f"{low} to {high}, {mean} on average"
    beside = f", and {others} to the others" if guard.suspect < guard.outputs else ""
    return f"{title.removesuffix(' ↓')} gives {'it' if guard.suspect == 1 else 'them'} {spread}{beside}"
