"""What differences mean, as tables and sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.inference.compare import Comparison
from tertium.meta.meaning import FITTED, KOCMI, LIMITS, Meaning, PublishedCurve, curve_for, figure
from tertium.report.own_curves import OwnCurves, own_objects


def meaning_table(found: Sequence[Meaning]) -> Table:
    """A row for each curve."""
    rows: Rows = [
        [
            item.curve.name,
            Cell(figure(item.difference, item.curve.points), item.difference) if item.difference == item.difference
            else None,
            Cell(f"{100 * item.accuracy:.1f} %", item.accuracy),
            Cell(f"{100 * item.curve.ceiling:.1f} %", item.curve.ceiling),
            item.curve.setting,
        ]
        for item in found
    ]  # fmt: skip
    columns = [*texts("curve"), *numbers("difference", "accuracy", "at most"), *texts("fitted for", spare=2)]
    return Table(columns=columns, rows=rows)


def meaning_object(item: Meaning) -> dict[str, Any]:
    """A meaning as JSON, with the curve it comes from."""
    return plain(item) | {"source": KOCMI, "fitted_on": FITTED}  # type: ignore[no-any-return]


def comparison_meanings(
    evaluation: Evaluation, found: Mapping[str, Sequence[Comparison]], own: Sequence[OwnCurves] = ()
) -> dict[str, Any]:
    """By metric, what each difference means by the published curve, or why there is none, and by the curves of the
    people who judged these systems; for JSON."""
    answers: dict[str, Any] = {}
    for text, items in found.items():
        curve, people = curve_for(evaluation.metric(text), evaluation.testset), own_objects(own, text, items)
        if isinstance(curve, str):
            answers[text] = {"curve": None, "reason": curve, "pairs": [], "own": people}
            continue
        answers[text] = {
            "curve": plain(curve),
            "source": KOCMI,
            "fitted_on": FITTED,
            "pairs": [
                {
                    "system": item.system,
                    "baseline": item.baseline,
                    "difference": item.difference,
                    "accuracy": curve.accuracy(abs(item.difference)),
                    "reach": curve.reach(abs(item.difference)),
                    "significant": item.verdict != "undecided",
                }
                for item in items
                if abs(item.difference) < float("inf")
            ],
            "own": people,
        }
    return answers


def comparison_sentence(evaluation: Evaluation, items: Sequence[Comparison]) -> str:
    """What the significant differences under one metric mean, in a sentence; nothing where no curve holds."""
    if not items:
        return ""
    curve = curve_for(evaluation.metric(items[0].metric), evaluation.testset)
    if isinstance(curve, str):
        return ""
    sizes = sorted(abs(item.difference) for item in items if item.verdict != "undecided")
    if not sizes:
        return ""
    low, high = sizes[0], sizes[-1]
    shown = _spread(figure(low, curve.points), figure(high, curve.points))
    shares = _spread(f"{100 * curve.accuracy(low):.0f}", f"{100 * curve.accuracy(high):.0f}")
    return (
        f"{_which(len(sizes))} {shown} {curve.title}: differences of this size agreed with people on about {shares} % "
        f"of system pairs, by the curve fitted to {FITTED}, for {curve.setting} (Kocmi et al. 2024)"
        f"{_ends(curve, sizes)}. {LIMITS}."
    )


def _which(count: int) -> str:
    return "The significant difference is" if count == 1 else f"The {count} significant differences are"


def _spread(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _ends(curve: PublishedCurve, sizes: Sequence[float]) -> str:
    """What must be said of differences that are not among those of the paper's table."""
    said = []
    if sizes[0] < curve.low:
        said.append(f"; below {figure(curve.low, curve.points)} the curve says no more than a coin does")
    if sizes[-1] > curve.high:
        said.append(f"; beyond {figure(curve.high, curve.points)}, the largest difference in their table, it is flat")
    return "".join(said)
