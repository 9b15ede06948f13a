"""Alignments as speech people read them: REF and HYP in columns, S, D and I below; and what is confused with what.

As text of any width, as tables, as JSON and as a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import category, east_asian_width

from tertium.analysis.alignment import (
    KINDS,
    AlignedPair,
    AlignedSegment,
    Confusion,
    Operation,
    align_system,
    confusions,
    of_kind,
    unit_of,
)
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, choose
from tertium.core.run import PLAIN, Run
from tertium.core.table import Column, Rows, Table, numbers, texts
from tertium.core.wording import counted, describe, number, visible
from tertium.engines.evaluate import add_metrics
from tertium.metrics import parse
from tertium.text.letters import belongs, clusters

if TYPE_CHECKING:
    from tertium.core.layout import Layout
    from tertium.report.page import Page

ORDERS = ("test set", "errors")
WIDTH = 80  # where nothing says how wide a line may be
NARROWEST = 16
COUNTED = ("hits", "substitutions", "deletions", "insertions", "reference_length")
HEADS = ("REF: ", "HYP: ", "     ")


class PictureColumn(NamedTuple):
    """What stands above each other."""

    reference: str
    output: str
    operation: str


@dataclass(frozen=True, kw_only=True)
class Alignments:
    """The segments of some systems beside their references, under one metric."""

    evaluation: Evaluation
    metric: Metric
    segments: tuple[AlignedSegment, ...]

    @property
    def unit(self) -> str:
        """What is aligned: `word` or `character`."""
        return unit_of(self.metric)

    def of(self, system: str) -> list[AlignedSegment]:
        """The segments of one system."""
        return [alignment for alignment in self.segments if alignment.system == system]

    def confusions(self, system: str | None = None, *, runs: bool = False) -> list[Confusion]:
        """What was substituted, left out and put in by a system, or by all, the most frequent first; with `runs`,
        neighbours of one kind count together."""
        return confusions(self.segments if system is None else self.of(system), self.unit, runs=runs)

    def text(self, width: int = WIDTH, *, order: str = "test set", most: int | None = None, whole: bool = False) -> str:
        """Pictures of segments with errors, so many of each system at most; `whole`: of all segments."""
        chosen = [shown for system in self.evaluation.systems for shown in self.chosen(system.name, order, most, whole)]
        return "\n\n".join(
            "\n".join([self._head(alignment), *picture(alignment, width, self.unit)]) for alignment in chosen
        )

    def chosen(self, system: str, order: str, most: int | None, whole: bool) -> list[AlignedSegment]:
        """The segments of a system that are shown, in their order in the test set or those with most errors first."""
        choose("alignments", "order", order, ORDERS)
        found = [alignment for alignment in self.of(system) if whole or alignment.errors]
        if order == "errors":
            found.sort(key=lambda alignment: -alignment.errors)
        return found[:most]

    def _head(self, alignment: AlignedSegment) -> str:
        ids, several = self.evaluation.testset.ids, self.evaluation.testset.references.fewest_and_most[1] > 1
        name = f"segment {alignment.segment}" if ids is None else visible(ids[alignment.segment - 1])
        against = f", reference {alignment.reference}" if several else ""
        said = f"{visible(alignment.system)}: " if len(self.evaluation.systems) > 1 else ""
        return f"{said}{name}{against}: {errors_text(alignment)}"

    def page(self) -> Page:
        """A page of counts, confusions and pictures."""
        from tertium.report.alignment_page import alignment_page

        return alignment_page(self)


def alignments(
    outputs: Any, references: Any, metric: str | Metric = "wer", *, layout: Layout | None = None
) -> Alignments:
    """Outputs beside their references, as a metric aligns them that counts errors: wer, cer, mer, wil or wip, with its
    options. Outputs, references and layout are those of score()."""
    from tertium.core.layout import references_of
    from tertium.core.testset import TestSet
    from tertium.inference.scores import systems_of

    systems = tuple(systems_of(outputs))
    segments = len(systems[0].outputs)
    if isinstance(outputs, str) and isinstance(references, list | tuple):
        references = [references]
    testset = TestSet(segments=segments, references=references_of(references, segments, layout))
    return align(Evaluation(testset=testset, systems=systems), metric)


def align(evaluation: Evaluation, metric: str | Metric = "wer", run: Run = PLAIN) -> Alignments:
    """The alignments of all systems of an evaluation."""
    chosen = parse(metric) if isinstance(metric, str) else metric
    unit_of(chosen)
    found = add_metrics(evaluation, chosen, run=run)
    aligned = [one for system in found.systems for one in align_system(found.testset, system, chosen, run)]
    return Alignments(evaluation=found, metric=chosen, segments=tuple(aligned))


def errors_text(alignment: AlignedSegment) -> str:
    """`2 errors (1 S, 0 D, 1 I), 3 hits`."""
    kinds: tuple[Operation, ...] = ("S", "D", "I")
    parts = ", ".join(f"{alignment.count(operation)} {operation}" for operation in kinds)
    return f"{counted(alignment.errors, 'error')} ({parts}), {counted(alignment.count('='), 'hit')}"


# Pictures


def picture(alignment: AlignedSegment, width: int, unit: str = "word") -> list[str]:
    """Lines of at most so many columns: reference, output, operations; again and again, with empty lines between."""
    room, gap = max(width, NARROWEST) - len(HEADS[0]), int(unit == "word")
    lines: list[str] = []
    block: list[PictureColumn] = []
    used = 0
    for cell in _cells(alignment, room, unit):
        wide = max(map(display_width, cell))
        if block and used + gap + wide > room:
            lines += [*_drawn(block, gap), ""]
            block, used = [], 0
        used += wide + (gap if block else 0)
        block.append(cell)
    return [*lines, *_drawn(block, gap)]


def _cells(alignment: AlignedSegment, room: int, unit: str) -> Iterator[PictureColumn]:
    """What stands above each other; a word that is too long for a line in pieces, stars for what is not there."""
    for operation, reference, output in shown_pairs(alignment, unit):
        pieces = [_pieces(visible(text), room) for text in (reference, output)]
        for k in range(max(map(len, pieces))):
            one, other = (side[k] if k < len(side) else "" for side in pieces)
            stars = "*" * max(display_width(one), display_width(other))
            mark = operation if k == 0 and operation != "=" else ""
            yield PictureColumn(one if reference else stars, other if output else stars, mark)


def shown_pairs(alignment: AlignedSegment, unit: str) -> Iterator[AlignedPair]:
    """The pairs; of characters, those that belong to the character before them on either side are shown with it."""
    if unit == "word":
        yield from alignment.pairs
        return
    held: AlignedPair | None = None
    for pair in alignment.pairs:
        if held and (_continues(held.reference, pair.reference) or _continues(held.output, pair.output)):
            reference, output = held.reference + pair.reference, held.output + pair.output
            same = held.operation == pair.operation or not (reference and output)
            held = AlignedPair(held.operation if same else "S", reference, output)
            continue
        if held:
            yield held
        held = pair
    if held:
        yield held


def _continues(before: str, char: str) -> bool:
    """Whether a character is a part of the one before it."""
    return bool(before and char) and not before.isspace() and (before.endswith("\u200d") or belongs(char))


def _pieces(text: str, room: int) -> list[str]:
    """A text in pieces that fit into a line."""
    if display_width(text) <= room:
        return [text]
    pieces, used = [""], 0
    for cluster in clusters(text):
        wide = display_width(cluster)
        if used + wide > room:
            pieces.append("")
            used = 0
        pieces[-1] += cluster
        used += wide
    return pieces


def _drawn(cells: Sequence[PictureColumn], gap: int) -> list[str]:
    """The lines of one block; that of operations only where there is one."""
    widths = [max(map(display_width, cell)) for cell in cells]
    rows = []
    for k, head in enumerate(HEADS):
        padded = (cell[k] + " " * (wide - display_width(cell[k])) for cell, wide in zip(cells, widths, strict=True))
        rows.append((head + (" " * gap).join(padded)).rstrip())
    return rows if rows[2] else rows[:2]


def display_width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for marks that belong to another."""
    if text.isascii():
        return len(text)
    return sum(_columns(cluster) for cluster in clusters(text))


def _columns(cluster: str) -> int:
    if any(east_asian_width(char) in "WF" for char in cluster):
        return 2
    return 1 if any(category(char) not in ("Mn", "Me", "Cf") for char in cluster) else 0


# Tables


def count_table(found: Alignments) -> Table:
    """Errors of each system by kind."""
    rows: Rows = []
    for score in found.evaluation.scores():
        if score.metric == str(found.metric):
            counts: list[Any] = [score.parts[name] for name in COUNTED]
            wrong = sum(alignment.errors > 0 for alignment in found.of(score.system))
            rows.append([score.system, score.value, *map(int, counts), wrong, score.n])
    title = found.metric.title
    heads = ("hits", "S", "D", "I", f"{found.unit}s", "with errors", "segments")
    columns = [
        *texts("system"),
        Column(title, decimals=2, better=found.metric.better, spare=0),
        *numbers(*heads, decimals=0),
    ]
    note = f"S: substitutions, D: deletions, I: insertions; {found.unit}s of references; segments with errors, and all"
    return Table(columns=columns, rows=rows, title="Errors by kind", note=note)


def shown_text(text: str) -> str:
    """White space as it can be seen."""
    return "␣" if text == " " else text


def confusion_tables(found: Alignments, system: str, most: int | None, *, runs: bool = False) -> list[Table]:
    """The most frequent of each kind, a table each; none for a kind without any."""
    every = found.confusions(system, runs=runs)
    said = f" by {system}" if len(found.evaluation.systems) > 1 else ""
    tables = []
    for kind, group in groupby(every, key=lambda item: item.kind):
        listed = list(group)
        total, few = sum(item.times for item in listed), of_kind(listed, kind, most)
        sides = [
            name
            for name, kinds in (("reference", "substitution deletion"), ("output", "substitution insertion"))
            if kind in kinds
        ]
        rows: Rows = [[*(shown_text(getattr(item, side)) for side in sides), item.times] for item in few]
        note = f"{len(few)} of {len(listed)} different ones, {total} in all" if len(few) < len(listed) else ""
        tables.append(
            Table(
                columns=[*texts(*sides), *numbers("count", decimals=0, spare=0)],
                rows=rows,
                title=f"{kind.capitalize()}s{said}",
                note=note,
            )
        )
    return tables


def confusion_rows(found: Alignments, *, runs: bool = False) -> Table:
    """All confusions of all systems, for programs to read."""
    rows: Rows = [
        [system.name, item.kind, item.reference, item.output, item.times]
        for system in found.evaluation.systems
        for item in found.confusions(system.name, runs=runs)
    ]
    return Table(columns=[*texts("system", "kind", "reference", "output"), *numbers("count", decimals=0)], rows=rows)


def alignments_object(
    found: Alignments, chosen: Sequence[AlignedSegment], most: int | None, *, runs: bool
) -> dict[str, Any]:
    """As JSON knows it: errors, confusions and pairs of segments."""
    systems = {}
    for score in found.evaluation.scores():
        if score.metric == str(found.metric):
            every = found.confusions(score.system, runs=runs)
            systems[score.system] = {
                "value": score.value,
                "segments": score.n,
                "parts": score.parts,
                "signature": score.signature,
                "confusions": {
                    kind: [_confusion_object(item) for item in of_kind(every, kind, most)] for kind in KINDS.values()
                },
            }
    return {
        "metric": str(found.metric),
        "testset": describe(found.evaluation.testset),
        "systems": systems,
        "alignments": [
            {
                "system": one.system,
                "segment": one.segment,
                "reference": one.reference,
                "pairs": [list(pair) for pair in one.pairs],
            }
            for one in chosen
        ],
    }


def _confusion_object(item: Confusion) -> dict[str, Any]:
    return {"reference": item.reference, "output": item.output, "count": item.times}


def summary(found: Alignments, system: str) -> str:
    """A sentence: how many segments have errors, and of which kind most are."""
    mine = found.of(system)
    wrong = [alignment for alignment in mine if alignment.errors]
    if not wrong:
        return f"{system}: no error in {counted(len(mine), 'segment')}."
    kinds: tuple[tuple[Operation, str], ...] = (("S", "substitution"), ("D", "deletion"), ("I", "insertion"))
    parts = ", ".join(counted(sum(one.count(operation) for one in wrong), kind) for operation, kind in kinds)
    [score] = [one for one in found.evaluation.scores() if one.system == system and one.metric == str(found.metric)]
    title = found.metric.title
    some = f"errors in {len(wrong)} of {counted(len(mine), 'segment')}"
    return f"{system}: {title} {number(score.value, 2)}; {parts}; {some}."
