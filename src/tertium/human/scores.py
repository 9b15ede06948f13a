"""Scores by people: a segment's is the mean of its judgements, a system's the mean of its segments. So every segment
counts the same, however often it was judged, which is how WMT averages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement
from tertium.core.metric import Metric
from tertium.core.shown import counted
from tertium.core.stats import Stats
from tertium.core.version import VERSION
from tertium.human.at_hand import AtHand, at_hand
from tertium.human.judged import PAIR, Judged, judged_of
from tertium.human.standardise import USUAL, Policy, policy_of, raw_reason, standardise
from tertium.inference.join import check_people
from tertium.metrics import parse
from tertium.metrics.human import Human

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

COLUMNS = ("value", "judged")


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanScores:
    """Mean judgements of every system and segment, NaN where nobody judged. # (systems, segments)"""

    systems: tuple[str, ...]
    raw: Array
    z: Array
    counts: NDArray[np.int64]  # judgements behind each raw score

    def means(self, table: Array) -> Array:
        """The systems' scores: means of `raw` or `z` over the segments that have one. # (systems,)"""
        import numpy as np

        known = ~np.isnan(table)
        n = known.sum(axis=1)
        return np.where(n > 0, np.where(known, table, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def human_scores(
    answers: Judged,
    policy: Policy | str = "z0",
    *,
    segments: int | None = None,
    groups: Sequence[str] | None = None,
) -> HumanScores:
    """Raw and standardised scores of all systems that were judged; of outputs at hand, standardised by everything that
    their raters judged."""
    import numpy as np

    chosen = policy_of(policy)
    standard = standardise(answers, chosen, groups)
    scored = standard.answers.among(chosen.scored) & standard.answers.here
    kept, z = standard.answers.take(scored), standard.z[scored]
    last = int(answers.segment.max(initial=-1))
    n = last + 1 if segments is None else segments
    if last >= n:
        raise InputError(
            f"segment {last + 1} was judged, but the test set has {counted(n, 'segment')}; is it another test set?"
        )
    cells = len(answers.systems) * n
    cell = kept.system * n + kept.segment
    known = ~np.isnan(z)
    counts = np.bincount(cell, minlength=cells)
    raw = _means(np.bincount(cell, kept.value, cells), counts)
    standardised = _means(np.bincount(cell[known], z[known], cells), np.bincount(cell[known], minlength=cells))
    shape = (len(answers.systems), n)
    return HumanScores(
        systems=answers.systems,
        raw=raw.reshape(shape),
        z=standardised.reshape(shape),
        counts=counts.reshape(shape),
    )


def _means(sums: NDArray[Any], counts: NDArray[np.int64]) -> Array:
    import numpy as np

    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def judge(evaluation: Evaluation, *metrics: str | Metric, trust_join: bool = False) -> Evaluation:
    """The evaluation with rows of what people said: `judge(evaluation, 'human(scale="adequacy")')`.

    Rows are (mean of the segment's judgements, 1), so that scores, intervals, tests, groups and reports treat people as
    they treat metrics. Judgements of systems that are not in the evaluation are left out, which a warning says; where
    a system may only be called otherwise, that is an error. Where people's segment means have nothing to do with those
    of metrics that look at references, the join is refused unless it is trusted.
    """
    chosen = [parse(metric) for metric in metrics or ("human",)]
    table, signatures = dict(evaluation.table), dict(evaluation.signatures)
    present = at_hand(evaluation)
    warnings = [*evaluation.warnings, *present.notes()]
    for metric in chosen:
        if "judgements" not in metric.needs:
            raise OptionError(f"{metric} counts texts; evaluate() does that, and judge() adds what people said")
        rows, signatures[str(metric)] = _rows(evaluation, metric, present)
        table |= {(name, str(metric)): stats for name, stats in rows.items()}
        unjudged = [name for name, stats in rows.items() if not stats.n]
        warnings += [f"{metric}: nobody judged {', '.join(unjudged)}"] if unjudged else []
    judged = dataclasses.replace(
        evaluation,
        metrics=tuple({str(metric): metric for metric in (*evaluation.metrics, *chosen)}.values()),
        table=table,
        signatures=signatures,
        warnings=tuple(dict.fromkeys(warnings)),
    )
    if not trust_join:
        check_people(judged)
    return judged


def raw_because(evaluation: Evaluation, metric: Metric) -> str | None:
    """Why a metric of people's judgements means raw scores; None where it means standard scores."""
    how = metric.standardise  # type: ignore[attr-defined]
    if how != "auto":
        return "asked for" if how == "none" else None
    answers = judged_of(evaluation.judgements, metric.scale)  # type: ignore[attr-defined]
    return raw_reason(answers, evaluation.testset.labels.get(PAIR)) or None


def usual_gold(judgements: Iterable[Judgement]) -> Metric:
    """What metrics are judged by where nobody says: `human`, on the first scale there is if its own was not used."""
    scales = list(dict.fromkeys(judgement.scale for judgement in judgements))
    return Human() if not scales or "da100" in scales else Human(scale=scales[0])


def check_judged(evaluation: Evaluation, metric: Metric) -> None:
    """Refuse a metric of which nobody said anything."""
    scale, name = metric.scale, evaluation.testset.name  # type: ignore[attr-defined]
    if not evaluation.judgements:
        raise InputError(f"{metric.name} needs judgements, and test set {name} has none (judgements = in testset.toml)")
    known = list(dict.fromkeys(judgement.scale for judgement in evaluation.judgements))
    if scale not in known:
        words = ", ".join(f'human(scale="{word}")' for word in known)
        raise OptionError(f"{metric}: nobody judged test set {name} on the scale {scale}; there are: {words}")


def _rows(evaluation: Evaluation, metric: Metric, present: AtHand) -> tuple[dict[str, Stats], str]:
    import numpy as np

    check_judged(evaluation, metric)
    answers = judged_of(evaluation.judgements, metric.scale, present.has)  # type: ignore[attr-defined]
    testset, how = evaluation.testset, metric.standardise  # type: ignore[attr-defined]
    groups = testset.labels.get(PAIR)
    if how == "auto":
        how = "none" if raw_reason(answers, groups) else USUAL
    found = human_scores(answers, USUAL if how == "none" else how, segments=len(testset), groups=groups)
    values = found.raw if how == "none" else found.z
    scored, rows = ~np.isnan(values), np.nan_to_num(values)
    stats = {
        system: Stats(COLUMNS, np.column_stack([rows[k], scored[k]]), scored[k])
        for k, system in enumerate(found.systems)
    }
    nothing = Stats(COLUMNS, np.zeros((len(testset), 2)), np.zeros(len(testset), dtype=np.bool_))
    raters = len(np.unique(answers.rater[answers.here]))
    said = "raw" if how == "none" else f"z/{how}"
    facts = f"scores:{said}|raters:{raters}|judgements:{int(found.counts.sum())}|n:{len(testset)}"
    systems = [system.name for system in evaluation.systems]
    return {system: stats.get(system, nothing) for system in systems}, f"{metric}|{facts}|tertium:{VERSION}"
