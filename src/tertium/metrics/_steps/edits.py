"""Steps of WER, MER, WIL, WIP, CER and TER: the alignment edit by edit, and the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.marks import Marks
from tertium.core.metric import Prepared
from tertium.core.run import Run
from tertium.core.steps import Step
from tertium.core.table import Row, Table, numbers, texts
from tertium.core.wording import counted
from tertium.metrics._steps.words import (
    chosen_sentence,
    edit_table,
    marks_of,
    row_of,
    shown,
    word_links,
    words_step,
)

if TYPE_CHECKING:
    from tertium.metrics.ter import Ter

FORMULAS = {
    "wer": "WER = 100 E/r = 100 x {E}/{r}",
    "cer": "CER = 100 E/r = 100 x {E}/{r}",
    "mer": "MER = 100 E/(E + H) = 100 x {E}/({E} + {H})",
    "wip": "WIP = 100 (H/r) (H/c) = 100 x {H}/{r} x {H}/{c}",
    "wil": "WIL = 100 (1 - (H/r) (H/c)) = 100 (1 - {H}/{r} x {H}/{c})",
}


def edit_steps(metric: Any, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """The alignment with the fewest edits, counted, and the rate."""
    from tertium.metrics._edits import Edits

    row = row_of(metric, outputs, prepared, run)
    counts, marks = Edits.of(row), marks_of(metric, outputs, prepared, run)
    said, wanted, links = _characters(marks) if metric.name == "cer" else word_links(marks)
    names = ("hits", "substitutions", "deletions", "insertions")
    totals: Row = [int(value) for value in row]
    letters = {"E": counts.errors, "H": counts.hits, "r": counts.reference_length, "c": counts.output_length}
    formula = FORMULAS[metric.name].format(**{name: shown(value) for name, value in letters.items()})
    return [
        _texts(marks, prepared, characters=metric.name == "cer"),
        Step(
            "Alignment with the fewest edits",
            (),
            (
                edit_table(said, wanted, links, range(len(said))),
                Table(title="Edits", columns=numbers(*names), rows=[totals]),
            ),
        ),
        Step(
            "Score",
            lines=(
                f"E = {counted(int(counts.errors), 'edit')}, H = {counted(int(counts.hits), 'hit')}, "
                f"r = {shown(counts.reference_length)}, c = {shown(counts.output_length)}",
                formula,
                f"    = {shown(metric.score(row))}",
            ),
        ),
    ]


def _texts(marks: Marks, prepared: Prepared, characters: bool = False) -> Step:
    said = chosen_sentence(marks, prepared, "it has the fewest edits")
    step = words_step([marks.read["output"], marks.read["reference"]])
    return step._replace(title="Texts", text=said) if characters else step._replace(text=(*step.text, *said))


def _characters(marks: Marks) -> tuple[list[str], list[str], list[tuple[str, int, int]]]:
    links = [(kind, own + k, other + k) for kind, (own, end), (other, _) in marks.links for k in range(end - own)]
    return list(marks.read["output"]), list(marks.read["reference"]), links


def ter_steps(metric: Ter, outputs: Lines, prepared: Prepared, run: Run) -> list[Step]:
    """Shifts one after the other, the edits that are left, and the rate."""
    edits, length = row_of(metric, outputs, prepared, run)
    marks = marks_of(metric, outputs, prepared, run)
    said, wanted, links = word_links(marks)
    read = [marks.read[side].encode() for side in ("output", "reference")]
    shifts = _kernel.list_shifts(read[0], read[1], "none", "none")
    order = shifts[-1][1] if shifts else list(range(len(said)))
    rows: list[Row] = [
        [k, " ".join(said[i] for i in block), " ".join(said[i] for i in after)]
        for k, (block, after) in enumerate(shifts, 1)
    ]
    moved = Table(
        title="Shifts", columns=[*numbers("shift", spare=0), *texts("block", "output after it", spare=1)], rows=rows
    )
    table = edit_table(said, wanted, links, order)
    kinds = [str(row[2]) for row in table.rows]
    words = {kind: kinds.count(kind) for kind in ("substitution", "insertion", "deletion")}
    parts = " + ".join([f"{counted(len(shifts), 'shift')}", *(counted(n, kind) for kind, n in words.items())])
    several = len(prepared.streams) > 1
    return [
        _texts(marks, prepared),
        Step(
            "Shifts",
            (
                "A block of words that the reference has elsewhere moves there, for one edit, if that saves more than "
                "it costs; the best first (tercom's greedy search).",
            )
            if shifts
            else ("No shift saves anything.",),
            (moved,) if shifts else (),
        ),
        Step("Alignment after the shifts", (), (table,)),
        Step(
            "Score",
            (f"The reference length is the mean of {len(prepared.streams)} references.",) if several else (),
            lines=(
                f"edits = {parts} = {shown(edits)}",
                f"TER = 100 x edits / reference words = 100 x {shown(edits)}/{shown(length)}",
                f"    = {shown(metric.score([edits, length]))}",
            ),
        ),
    ]
