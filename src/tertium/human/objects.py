"""What people said as plain JSON values: for the command line's `-f json` and for the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.shown import counted
from tertium.core.version import VERSION

if TYPE_CHECKING:
    from tertium.human.agreement import Agreement
    from tertium.human.analyse import Analysis
    from tertium.human.power import PowerCurve

FEW = 30  # items below which there is a note


def analysis_object(given: Evaluation, found: Sequence[Analysis], curves: Sequence[PowerCurve]) -> dict[str, Any]:
    """Rankings and raters of every scale, and how many judgements would separate systems."""
    return {
        "tertium": VERSION,
        "testset": given.testset.name,
        "segments": len(given.testset),
        "scales": [_scale(item) for item in found],
        "warnings": list(dict.fromkeys(note for item in found for note in item.notes)),
        "power": [plain(asdict(curve)) for curve in curves],
    }


def _scale(item: Analysis) -> dict[str, Any]:
    return {
        "scale": item.scale,
        "judgements": item.judgements,
        "rankings": [
            {
                "languages": pair,
                "method": plain(asdict(ranking.method)),
                "systems": [plain(asdict(system)) for system in ranking.systems],
                "p": plain(ranking.p.tolist()),
                "beats": ranking.beats.tolist(),
                "clusters": ranking.clusters,
            }
            for pair, ranking in item.rankings.items()
        ],
        "raters": [
            plain(asdict(rater) | {name: getattr(rater, name)._asdict() for name in ("degraded", "references")})
            for rater in item.raters
        ],
        "dropped": list(item.dropped),
        "agreement": [plain(asdict(row)) for row in item.agreement],
    }


def agreement_object(found: Sequence[Agreement], drawn: str) -> dict[str, Any]:
    """Coefficients of agreement; `drawn` says how their intervals came about."""
    return {
        "tertium": VERSION,
        "agreement": [plain(asdict(row)) for row in found],
        "resamples": drawn or None,
        "warnings": agreement_notes(found),
    }


def resamples(confidence: float | None, trials: int, seed: int, resample: str) -> str:
    """How intervals came about, as a part of a signature."""
    return "" if confidence is None else f"bs:{trials}|seed:{seed}|ci:{confidence:g}|resample:{resample}"


def agreement_notes(found: Sequence[Agreement]) -> list[str]:
    """What a reader of the numbers should know."""
    notes = []
    for row in found:
        what = "comparison" if row.on == "order" else "item"
        if not row.n:
            done = "has two answers" if row.between == "raters" else "was repeated"
            notes.append(f"{agreement_title(row)}: no {what} {done}, so nothing can be said")
        elif row.n < FEW and not row.each:
            notes.append(
                f"{agreement_title(row)}: only {counted(row.n, what)}; coefficients of so few are not reliable"
            )
    return list(dict.fromkeys(notes))


def agreement_title(row: Agreement) -> str:
    """`adequacy, between raters`."""
    group = f"{row.group}: " if row.group else ""
    return f"{group}{row.scale}, between {row.between}"
