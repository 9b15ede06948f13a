"""Analyses as plain JSON values: for the command line's `-f json` and for the workbench."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.version import VERSION

if TYPE_CHECKING:
    from tertium.analysis.contrast import TypeContrast, TypePair
    from tertium.analysis.damage import TypeDamage
    from tertium.analysis.ngrams import NgramCount
    from tertium.analysis.stress import StressTest
    from tertium.analysis.verify import Verdict

CONTRASTS = ("buckets", "types", "gained", "lost", "curve", "ngrams")  # tables of two systems
USUAL = ("buckets", "types", "curve")  # of them, where nobody says which
NGRAM = {"n": "order", "ngram": "ngram", "refs": "references", "preds": "outputs", "match": "matches",
         "excess": "excess"}  # fmt: skip


def contrast_tables(
    evaluation: Evaluation,
    contrast: TypeContrast,
    *,
    show: Sequence[str] = USUAL,
    filters: Mapping[str, Any],
    sort: str = "references",
    reverse: bool = False,
    top: int | None = None,
    order: int = 4,
) -> dict[str, Any]:
    """Types of two systems side by side, with the same keys whatever the systems are called."""
    found: dict[str, Any] = {}
    pairs = {"types": sorted_pairs(selected_pairs(contrast.pairs, filters), sort, reverse),
             "gained": contrast.gained(), "lost": contrast.lost()}  # fmt: skip
    kept = {pair.type for pair in pairs["types"]}
    for what in show:
        if what == "buckets":
            found[what] = [_values(bucket) for bucket in contrast.buckets]
        elif what == "curve":
            found[what] = [_values(point) for point in contrast.curve()[:top]]
        elif what == "ngrams":
            found[what] = [
                {"system": system, **{head: getattr(row, name) for head, name in NGRAM.items()}}
                for system, row in ngrams_of_both(evaluation, contrast, top, order)
            ]
        else:
            chosen = [pair for pair in pairs[what] if pair.type in kept][:top]
            found[what] = [_values(pair) | {"difference": plain(pair.difference), "gain": pair.gain} for pair in chosen]
    return found


def selected_pairs(pairs: Sequence[TypePair], filters: Mapping[str, Any]) -> list[TypePair]:
    """Those that the filters keep for either system."""
    from tertium.analysis.types import select_types

    kept = {row.type for side in ("a", "b") for row in select_types((getattr(pair, side) for pair in pairs), **filters)}
    return [pair for pair in pairs if pair.type in kept]


def sorted_pairs(pairs: list[TypePair], sort: str, reverse: bool) -> list[TypePair]:
    """By a column; columns that both systems have by the second system's. Pairs come by references and text."""

    def key(pair: TypePair) -> Any:
        value = getattr(pair if hasattr(pair, sort) else pair.b, sort)
        return float("-inf") if value != value else value  # NaN is the smallest

    return sorted(pairs, key=key, reverse=(sort != "type") != reverse)


def ngrams_of_both(
    evaluation: Evaluation, contrast: TypeContrast, top: int | None, order: int
) -> list[tuple[str, NgramCount]]:
    """N-grams that either system has more or less often than the references, read as the metric reads texts."""
    from tertium.analysis.ngrams import ngrams, reading_of

    reading = reading_of(next(metric for metric in evaluation.metrics if str(metric) == contrast.metric))
    return [
        (name, row)
        for name in contrast.systems
        for row in ngrams(evaluation, name, order=order, top=top, **reading._asdict())
    ]


def _values(item: Any) -> dict[str, Any]:
    """A named tuple as plain JSON values; of a type's scores not its name again."""
    found = {}
    for name, value in item._asdict().items():
        if isinstance(value, tuple):
            inner = _values(value)
            found[name] = {key: inner[key] for key in inner if key not in ("type", "references")}
        else:
            found[name] = plain(value)
    return found


def stress_object(result: StressTest) -> dict[str, Any]:
    """What is left of scores when outputs are damaged."""
    return {
        "tertium": VERSION,
        **plain(dataclasses.asdict(result)),
        "curves": [
            {**plain(dataclasses.asdict(curve)), "sensitivity": plain(curve.sensitivity)} for curve in result.curves
        ],
        "selectivity": [{**plain(dataclasses.asdict(item)), "value": plain(item.value)} for item in result.selectivity],
    }


def damage_object(found: Sequence[TypeDamage], seed: int, top: int | None = None) -> dict[str, Any]:
    """What is left of scores when one type is damaged: the most frequent ones, and by how often they come."""
    from tertium.analysis.damage import damage_curve

    return {
        "tertium": VERSION,
        "seed": seed,
        "types": [plain(dataclasses.asdict(item)) for item in found[:top]],
        "curve": [plain(dataclasses.asdict(bucket)) for bucket in damage_curve(found)],
    }


def verdicts_object(verdicts: Sequence[Verdict]) -> dict[str, Any]:
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
