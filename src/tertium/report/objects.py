"""Results as plain JSON values: what the command line prints with `-f json` and what the workbench answers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.score import Score
from tertium.core.testset import TestSet
from tertium.core.version import VERSION

if TYPE_CHECKING:
    from tertium.analysis.buckets import BucketScore
    from tertium.analysis.diagnose import Diagnosis, Finding, Tally
    from tertium.analysis.favouritism import Disagreement
    from tertium.analysis.types import TypeScore
    from tertium.inference.compare import Comparison
    from tertium.metrics._explain import Explanation

FINDING = ("segment", "system", "kind", "severity", "output_start", "output_end", "source_start", "source_end",
           "evidence")  # fmt: skip
# Columns of types as the field writes them, and what they are called here.
TYPE = {"type": "type", "refs": "references", "preds": "outputs", "match": "matches",
        "precision": "precision", "recall": "recall", "f": "f"}  # fmt: skip


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
    """What can be told of a metric; a range without an end has null there."""
    return metric._asdict() | {
        "range": [bound if math.isfinite(bound) else None for bound in metric.range],
        "options": [option._asdict() for option in metric.options],
    }


def score_object(score: Score) -> dict[str, Any]:
    """One score."""
    interval = score.interval
    return {
        "system": score.system,
        "metric": score.metric,
        "level": score.level,
        "segment": score.segment,
        "document": score.document,
        "value": plain(score.value),
        "signature": score.signature,
        "n": score.n,
        "parts": {name: plain(part) for name, part in score.parts.items()},
        "interval": None
        if interval is None
        else {"low": plain(interval.low), "high": plain(interval.high), "confidence": interval.confidence},
    }


def scores_object(evaluation: Evaluation, scores: Sequence[Score], warnings: Sequence[str]) -> dict[str, Any]:
    """Scores, numbers at full precision, undefined is null."""
    return {
        "tertium": VERSION,
        "testset": testset_object(evaluation.testset),
        "scores": [score_object(score) for score in scores],
        "warnings": list(warnings),
    }


def comparisons_object(
    evaluation: Evaluation, found: Mapping[str, Sequence[Comparison]], baseline: str | None
) -> dict[str, Any]:
    """Comparisons by metric, scores on common segments, and, of every pair, clusters and who keeps up with the best."""
    from tertium.inference.standings import keeping_up, notes, ranked, ranked_clusters, shared_scores

    standings = {}
    for text, items in found.items():
        metric = evaluation.metric(text)
        shared = shared_scores(evaluation, metric)
        best = ranked(shared.values, metric.better)[0]
        standings[text] = {
            "n": shared.n,
            "scores": {name: plain(value) for name, value in shared.values.items()},
            "clusters": None if baseline else ranked_clusters(items, metric.better, shared.values),
            "best": None if baseline else best,
            "not_significantly_worse": None if baseline else keeping_up(items, best),
            "notes": notes(evaluation, items),
        }
    return {
        "tertium": VERSION,
        "testset": testset_object(evaluation.testset),
        "signatures": {text: signature(evaluation.signatures[text], items[0]) for text, items in found.items()},
        "comparisons": [_comparison(item) for items in found.values() for item in items],
        "clusters": {} if baseline else {text: standing["clusters"] for text, standing in standings.items()},
        "standings": standings,
        "warnings": list(evaluation.warnings),
    }


def signature(metric: str, item: Comparison) -> str:
    """What has to be known to get the same comparisons again."""
    drawn = f"|trials:{item.trials}|seed:{item.seed}" if item.test in ("permutation", "bootstrap") else ""
    return f"{metric}|test:{item.test}{drawn}|unit:{item.unit}|correction:{item.correction}|alpha:{item.alpha:g}"


def _comparison(item: Comparison) -> dict[str, Any]:
    facts = dataclasses.asdict(item)
    return {name: plain(value) if isinstance(value, float) else value for name, value in facts.items()}


def buckets_object(
    evaluation: Evaluation, what: str, found: Sequence[BucketScore], warnings: Sequence[str]
) -> dict[str, Any]:
    """Scores of buckets."""
    testset = evaluation.testset
    return {
        "tertium": VERSION,
        "testset": {"name": testset.name, "segments": len(testset), "digest": testset.digest},
        "by": what,
        "scores": [
            dataclasses.asdict(score)
            | {"value": plain(score.value), "parts": {name: plain(part) for name, part in score.parts.items()}}
            for score in found
        ],
        "warnings": list(warnings),
    }


def disagreements_object(
    evaluation: Evaluation,
    systems: Sequence[str],
    shown: Sequence[Disagreement],
    by: str,
    count: int,
    errors: Diagnosis | None = None,
) -> dict[str, Any]:
    """Segments on which metrics disagree about two systems; `count` is how many there are."""
    found = {} if errors is None else {"findings": [dataclasses.asdict(finding) for finding in errors]}
    return {
        "tertium": VERSION,
        "systems": list(systems),
        "metrics": dict(evaluation.signatures),
        "by": by,
        "found": count,
        "segments": [dataclasses.asdict(item) for item in shown],
        **found,
        "warnings": [*evaluation.warnings, *(errors.notes if errors is not None else ())],
    }


def diagnosis_object(diagnosis: Diagnosis, among: Iterable[int] | None = None) -> dict[str, Any]:
    """Counts by detector, tests of all pairs of systems, findings; hits among some segments where they are named."""
    from tertium.analysis.diagnose import DETECTORS

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
        "mcnemar": [
            {"systems": [a, b], **comparison._asdict()} for a, b in pairs for comparison in diagnosis.compare(a, b)
        ],
        "beside_reference": [
            {"system": system, "kind": kind, "p": p} for (system, kind), p in diagnosis.beside_reference().items()
        ],
        "findings": [dict(zip(FINDING, finding_values(finding), strict=True)) for finding in diagnosis],
        "warnings": list(diagnosis.notes),
    }
    if among is not None:
        found["among"] = {"segments": sorted(set(among)), "hits": diagnosis.among(among)}
    return found


def finding_values(finding: Finding) -> list[Any]:
    """The values of a finding, in the order of FINDING."""
    spans = [*(finding.output or (None, None)), *(finding.source or (None, None))]
    return [finding.segment, finding.system, finding.kind, finding.severity, *spans, finding.evidence]


def _counts(tally: Tally | None) -> dict[str, int] | None:
    return None if tally is None or not tally.judged else {"judged": tally.judged, "hits": tally.hits}


def types_object(evaluation: Evaluation, metric: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of types, with the metric that counted them."""
    about = {"tertium": VERSION, "metric": metric, "signature": evaluation.signatures[metric]}
    return {**about, **facts, "warnings": list(evaluation.warnings)}


def type_rows(rows: Iterable[TypeScore]) -> list[dict[str, Any]]:
    """Types, one object for each."""
    return [
        {head: plain(value) if isinstance(value, float) else value
         for head, value in ((head, getattr(row, name)) for head, name in TYPE.items())}
        for row in rows
    ]  # fmt: skip
