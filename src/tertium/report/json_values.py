"""Results as plain JSON values: what the command line prints with `-f json` and what the workbench answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.metric import is_learned
from tertium.core.plain import plain
from tertium.core.score import Score
from tertium.core.testset import TestSet
from tertium.core.version import VERSION
from tertium.core.wording import bounds_text

if TYPE_CHECKING:
    from tertium.analysis.buckets import BucketScore
    from tertium.analysis.contrast import TypeContrast, TypePair
    from tertium.analysis.damage import TypeDamage
    from tertium.analysis.diagnose import Diagnosis, Tally
    from tertium.analysis.explanation import Explanation
    from tertium.analysis.favouritism import Disagreement
    from tertium.analysis.guards import SuspectOutputs
    from tertium.analysis.stress import StressTest
    from tertium.analysis.types import TypeScore
    from tertium.analysis.verify import ClaimCheck
    from tertium.human.agreement import Agreement
    from tertium.human.analyse import Analysis
    from tertium.human.effort.analysis import Effort
    from tertium.human.power import PowerCurve
    from tertium.inference.compare import Comparison
    from tertium.meta.evaluate import MetaEvaluation, MetaScore
    from tertium.meta.use import Use
    from tertium.report.own_curves import OwnCurves
    from tertium.report.tables.frozen import Places


def testset_object(testset: TestSet) -> dict[str, Any]:
    """A test set."""
    return {
        "name": testset.name,
        "source_language": testset.source_language,
        "target_language": testset.target_language,
        "segments": len(testset),
        "documents": None if testset.documents is None else len(set(testset.documents)),
        "references": list(testset.references.fewest_and_most),
        "digest": testset.digest,
    }


def metric_object(metric: Explanation) -> dict[str, Any]:
    """What can be told of a metric; a range without an end has null there, and `bounds` says it in words."""
    said = {"range": plain(metric.range), "bounds": bounds_text(metric.range)}
    return metric._asdict() | said | {"options": [option._asdict() for option in metric.options]}


# Systems


def guard_objects(evaluation: Evaluation, found: Sequence[SuspectOutputs]) -> dict[str, Any]:
    """Guards of learned scores, and sentences about them, where the evaluation has learned metrics."""
    if not any(map(is_learned, evaluation.metrics)):
        return {}
    from tertium.analysis.guards import guard_notes

    return {"guards": {"notes": guard_notes(evaluation, found), "by_system_and_metric": plain(list(found))}}


def scores_object(
    evaluation: Evaluation,
    scores: Sequence[Score],
    warnings: Sequence[str],
    *,
    guards: Sequence[SuspectOutputs] = (),
    beside: Sequence[Places] = (),
) -> dict[str, Any]:
    """Scores, numbers at full precision, undefined is null; and where they lie among frozen ones, if there are any."""
    names = ("system", "metric", "level", "segment", "document", "value", "signature", "n", "parts", "interval")
    return {
        "tertium": VERSION,
        "testset": testset_object(evaluation.testset),
        "scores": [{name: plain(getattr(score, name)) for name in names} for score in scores],
        "cut": cut_objects(evaluation),
        **_against(beside),
        "warnings": list(warnings),
        **guard_objects(evaluation, guards),
    }


def cut_objects(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Which segments were too long for a metric's model, by system; numbers are counted from 1."""
    return [
        {"system": system, "metric": metric, "segments": [k + 1 for k in stats.cut]}
        for (system, metric), stats in evaluation.table.items()
        if stats.cut
    ]


def _against(beside: Sequence[Places]) -> dict[str, Any]:
    if not beside:
        return {}
    from tertium.report.tables.frozen import places_objects

    return {"against": places_objects(beside)}


def comparisons_object(
    evaluation: Evaluation,
    found: Mapping[str, Sequence[Comparison]],
    baseline: str | None,
    *,
    guards: Sequence[SuspectOutputs] = (),
    own: Sequence[OwnCurves] = (),
    beside: Sequence[Places] = (),
) -> dict[str, Any]:
    """Comparisons by metric, scores on common segments, and, of every pair, clusters and who keeps up with the best.
    `own` are the curves of the people who judged these systems; `beside` says where scores lie among frozen ones."""
    from tertium.inference.standings import keeping_up, notes, ranked, ranked_clusters, shared_scores
    from tertium.report.tables.meaning import comparison_meanings

    standings = {}
    for text, items in found.items():
        metric = evaluation.metric(text)
        shared = shared_scores(evaluation, metric)
        best = ranked(shared.values, metric.better)[0]
        standings[text] = {
            "n": shared.n,
            "scores": plain(shared.values),
            "clusters": None if baseline else ranked_clusters(items, metric.better, shared.values),
            "best": None if baseline else best,
            "not_significantly_worse": None if baseline else keeping_up(items, best),
            "notes": notes(evaluation, items),
        }
    return {
        "tertium": VERSION,
        "testset": testset_object(evaluation.testset),
        "signatures": {text: signature(evaluation.signatures[text], items[0]) for text, items in found.items()},
        "comparisons": [plain(item) for items in found.values() for item in items],
        "clusters": {} if baseline else {text: standing["clusters"] for text, standing in standings.items()},
        "standings": standings,
        "meaning": comparison_meanings(evaluation, found, own),
        "cut": cut_objects(evaluation),
        **_against(beside),
        "warnings": list(evaluation.warnings),
        **guard_objects(evaluation, guards),
    }


def signature(metric: str, item: Comparison) -> str:
    """What has to be known to get the same comparisons again."""
    drawn = f"|trials:{item.trials}|seed:{item.seed}" if item.test in ("permutation", "bootstrap") else ""
    return f"{metric}|test:{item.test}{drawn}|unit:{item.unit}|correction:{item.correction}|alpha:{item.alpha:g}"


def buckets_object(
    evaluation: Evaluation, what: str, found: Sequence[BucketScore], warnings: Sequence[str]
) -> dict[str, Any]:
    """Scores of buckets."""
    testset = evaluation.testset
    return {
        "tertium": VERSION,
        "testset": {"name": testset.name, "segments": len(testset), "digest": testset.digest},
        "by": what,
        "scores": [plain(score) for score in found],
        "warnings": list(warnings),
    }


# Segments and words


def disagreements_object(
    evaluation: Evaluation,
    systems: Sequence[str],
    shown: Sequence[Disagreement],
    by: str,
    count: int,
    errors: Diagnosis | None = None,
) -> dict[str, Any]:
    """Segments on which metrics disagree about two systems; `count` is how many there are."""
    found = {} if errors is None else {"findings": [plain(finding) for finding in errors]}
    return {
        "tertium": VERSION,
        "systems": list(systems),
        "metrics": dict(evaluation.signatures),
        "by": by,
        "found": count,
        "segments": [plain(item) for item in shown],
        **found,
        "warnings": [*evaluation.warnings, *(errors.notes if errors is not None else ())],
    }


def diagnosis_object(diagnosis: Diagnosis, among: Iterable[int] | None = None) -> dict[str, Any]:
    """Counts by detector, tests of all pairs of systems, findings; hits among some segments where they are named."""
    from tertium.analysis.detect.choice import DETECTORS
    from tertium.io.tables import objects
    from tertium.report.tables.diagnosis import finding_rows

    pairs = [(a, b) for k, a in enumerate(diagnosis.systems) for b in diagnosis.systems[k + 1 :]]
    found = {
        "tertium": VERSION,
        "segments": len(diagnosis.testset),
        "detectors": {
            kind: {
                "meaning": DETECTORS[kind].meaning,
                "reference": _counts(diagnosis.floor.get(kind)),
                "systems": {name: _counts(diagnosis.tallies[name, kind]) for name in diagnosis.systems},
            }
            for kind in diagnosis.detectors
        },
        "mcnemar": [{"systems": [a, b], **plain(item)} for a, b in pairs for item in diagnosis.compare(a, b)],
        "beside_reference": [
            {"system": system, "kind": kind, "p": p} for (system, kind), p in diagnosis.beside_reference().items()
        ],
        "findings": objects(finding_rows(diagnosis)),
        "warnings": list(diagnosis.notes),
    }
    if among is not None:
        found["among"] = {"segments": sorted(set(among)), "hits": diagnosis.among(among)}
    return found


def _counts(tally: Tally | None) -> dict[str, int] | None:
    return None if tally is None or not tally.judged else {"judged": tally.judged, "hits": tally.hits}


def types_object(evaluation: Evaluation, metric: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of types, with the metric that counted them."""
    about = {"tertium": VERSION, "metric": metric, "signature": evaluation.signatures[metric]}
    return {**about, **facts, "warnings": list(evaluation.warnings)}


def type_objects(rows: Iterable[TypeScore]) -> list[dict[str, Any]]:
    """Types, one object for each."""
    from tertium.io.tables import objects
    from tertium.report.tables.types import type_table

    return objects(type_table(rows))


def contrast_objects(
    evaluation: Evaluation,
    contrast: TypeContrast,
    *,
    show: Sequence[str],
    filters: Mapping[str, Any],
    sort: str = "references",
    reverse: bool = False,
    top: int | None = None,
    order: int = 4,
) -> dict[str, Any]:
    """Types of two systems side by side, with the same keys whatever the systems are called."""
    from tertium.io.tables import objects
    from tertium.report.tables.types import ngram_table, pairs_of

    found: dict[str, Any] = {}
    for what in show:
        if what == "buckets":
            found[what] = [plain(bucket) for bucket in contrast.buckets]
        elif what == "curve":
            found[what] = [plain(point) for point in contrast.curve()[:top]]
        elif what == "ngrams":
            found[what] = objects(ngram_table(evaluation, contrast, top, order))
        else:
            found[what] = [_pair(pair) for pair in pairs_of(contrast, what, filters, sort, reverse)[:top]]
    return found


def _pair(pair: TypePair) -> dict[str, Any]:
    """A type of two systems, with its name once."""
    sides = {
        name: {key: value for key, value in plain(side).items() if key not in ("type", "references")}
        for name, side in (("a", pair.a), ("b", pair.b))
    }
    return {**plain(pair), **sides, "difference": plain(pair.difference), "gain": pair.gain}


def stress_object(result: StressTest) -> dict[str, Any]:
    """What is left of scores when outputs are damaged."""
    return {
        "tertium": VERSION,
        **plain(result),
        "curves": [plain(curve) | {"sensitivity": plain(curve.sensitivity)} for curve in result.curves],
        "selectivity": [plain(item) | {"value": plain(item.value)} for item in result.selectivity],
    }


def damage_object(found: Sequence[TypeDamage], seed: int, top: int | None = None) -> dict[str, Any]:
    """What is left of scores when one type is damaged: the most frequent ones, and by how often they come."""
    from tertium.analysis.damage import damage_curve

    return {"tertium": VERSION, "seed": seed, "types": plain(found[:top]), "curve": plain(damage_curve(found))}


def effort_object(result: Effort) -> dict[str, Any]:
    """Post-editing effort: groups with measures and kinds of edits, tests of engines."""
    from tertium.human.effort.measures import KINDS, MEASURES

    def scores(found: Mapping[str, Score]) -> dict[str, Any]:
        return {name: {"value": plain(one.value), "n": one.n, "interval": plain(one.interval)}
                for name, one in found.items()}  # fmt: skip

    return {
        "tertium": VERSION,
        "name": result.name,
        "metric": result.metric,
        "measures": {name: {"title": one.title, "meaning": one.meaning, "better": one.better}
                     for name, one in {**MEASURES, **KINDS}.items()},
        "confidence": result.confidence,
        "trials": result.trials,
        "seed": result.seed,
        "alpha": result.alpha,
        "unit": result.unit,
        "rows": [plain(row) | {"scores": scores(row.scores), "kinds": scores(row.kinds)} for row in result.rows],
        "tests": plain(result.tests),
        "warnings": list(result.notes),
    }  # fmt: skip


def verdicts_object(verdicts: Sequence[ClaimCheck]) -> dict[str, Any]:
    """Whether published scores hold, one by one."""
    return {
        "tertium": VERSION,
        "holds": all(verdict.holds for verdict in verdicts),
        "verdicts": [
            {
                "system": verdict.system,
                "metric": verdict.claim.metric,
                "level": verdict.claim.level,
                "segment": verdict.claim.segment,
                "document": verdict.claim.document,
                "holds": verdict.holds,
                "published": plain(verdict.claim.value),
                "value": plain(verdict.value),
                "differences": list(verdict.differences),
                "remarks": list(verdict.remarks),
            }
            for verdict in verdicts
        ],
    }


# People


def analysis_object(given: Evaluation, found: Sequence[Analysis], curves: Sequence[PowerCurve]) -> dict[str, Any]:
    """Rankings and raters of every scale, and how many judgements would separate systems."""
    return {
        "tertium": VERSION,
        "testset": given.testset.name,
        "segments": len(given.testset),
        "scales": [_scale(item) for item in found],
        "warnings": list(dict.fromkeys(note for item in found for note in item.notes)),
        "power": plain(curves),
    }


def _scale(item: Analysis) -> dict[str, Any]:
    return {
        "scale": item.scale,
        "judgements": item.judgements,
        "rankings": [
            {
                "languages": pair,
                "method": plain(ranking.method),
                "systems": plain(ranking.systems),
                "p": plain(ranking.p),
                "beats": plain(ranking.beats),
                "clusters": ranking.clusters,
            }
            for pair, ranking in item.rankings.items()
        ],
        "raters": plain(item.raters),
        "dropped": list(item.dropped),
        "agreement": plain(item.agreement),
    }


def agreement_object(found: Sequence[Agreement], drawn: str) -> dict[str, Any]:
    """Coefficients of agreement; `drawn` says how their intervals came about."""
    from tertium.report.tables.people import agreement_notes

    return {
        "tertium": VERSION,
        "agreement": plain(found),
        "resamples": drawn or None,
        "warnings": agreement_notes(found),
    }


def meta_object(evaluations: Sequence[Evaluation], found: Sequence[MetaEvaluation]) -> dict[str, Any]:
    """Every statistic and test of every test set, and what they come to over all."""
    from tertium.meta.evaluate import pool
    from tertium.meta.metric_comparison import TEST_TITLES

    return {
        "tertium": VERSION,
        "signatures": {key: text for item in evaluations for key, text in item.signatures.items()},
        "testsets": [
            {
                "testset": result.testset,
                "gold": result.gold,
                "gold_scores": result.gold_scores,
                "systems": list(result.systems),
                "metrics": list(result.metrics),
                "judged": result.judged,
                "trials": result.trials,
                "seed": result.seed,
                "scores": [_statistic(score) for score in result.scores],
                "tests": {
                    level: plain(comparison) | {"title": TEST_TITLES[comparison.test]}
                    for level, comparison in result.comparisons.items()
                },
                "eps_given": dict(result.eps),
                "sentinels": {
                    "names": list(result.sentinels),
                    "held_out": result.sentinel_folds,
                    "tests": [plain(test) | {"difference": test.difference} for test in result.sentinel_tests],
                },
                "between": plain(result.between),
                "warnings": [*evaluation.warnings, *result.warnings],
            }
            for evaluation, result in zip(evaluations, found, strict=True)
        ],
        "pooled": [_statistic(score) for score in pool(found)] if len(found) > 1 else [],
    }


def use_object(evaluation: Evaluation, found: Use) -> dict[str, Any]:
    """Metrics as filters and as choosers."""
    warnings = [*evaluation.warnings, *found.warnings]
    return {"tertium": VERSION, "signatures": dict(evaluation.signatures), **plain(found), "warnings": warnings}


def _statistic(score: MetaScore) -> Any:
    """A statistic, with its name in words."""
    from tertium.meta.evaluate import TITLES

    return plain(score) | {"title": TITLES[score.statistic]}
