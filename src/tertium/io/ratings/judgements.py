r"""Judgements as a TSV file of our own.

A header line, then one judgement per line. Columns, in any order:

    system     who was judged
    segment    the segment's id where the test set has such an id, else its number from 1
    rater      who judged
    scale      a name in core.judgement.SCALES
    value      a number in the scale's range
    kind       genuine (where empty or absent), repeat, reference or degraded
    task       the batch the rater worked on, may be empty
    duration   seconds, may be empty
    spans      marked errors as JSON, [[start, end, severity, category], ...], may be empty; a fifth value is "source"
               where the characters are those of the source, "none" where none are marked
    start      when the rater saw it, as a Unix time, may be empty
    note       what whoever reads the result should know, such as that somebody's judgements were erased; said once

Only the first five are obligatory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Judgement, Kind, Side, Span
from tertium.core.testset import TestSet
from tertium.io.columns import read_columns, read_number
from tertium.io.ratings.rows import Rows, short_number, write_rows
from tertium.io.ratings.segments import Name, number_segments
from tertium.io.texts import suggest

OBLIGATORY = ("system", "segment", "rater", "scale", "value")
OPTIONAL = ("kind", "task", "duration", "spans", "start", "note")
RARE = ("spans", "start", "note")  # columns that are left out where nothing is in them
NOTES = 20  # of one file; more are no notes
KINDS = get_args(Kind)
SIDES = get_args(Side)


def read_judgements(path: str | Path, testset: TestSet | None = None) -> tuple[Judgement, ...]:
    """The judgements in a file, checked against the scales and the test set."""
    return open_judgements(path, testset).judgements


def open_judgements(path: str | Path, testset: TestSet | None = None) -> Evaluation:
    """As `read_judgements`, with the notes of the file; where no test set is given, one is made of the ids in it."""
    columns = {name: list(map(_plain, streams[0])) for name, streams in read_columns(path).items()}
    for name in OBLIGATORY:
        if name not in columns:
            raise InputError(f"{path}:1: no column {name!r}; the columns {', '.join(OBLIGATORY)} are obligatory")
    known = (*OBLIGATORY, *OPTIONAL)
    for name in columns:
        if name not in known:
            raise InputError(f"{path}:1: unknown column {name!r}{suggest(name, known)} known: {', '.join(known)}")
    if testset is None:
        names = list(map(Name, columns["segment"]))
        testset, _ = number_segments(names, Rows(str(path), [], range(2, len(names) + 2)), None)
    row_reader = _RowReader(testset)
    rows = zip(*columns.values(), strict=True)
    judgements = tuple(
        row_reader.read(dict(zip(columns, row, strict=True)), f"{path}:{line}") for line, row in enumerate(rows, 2)
    )
    return Evaluation(testset=testset, systems=(), judgements=judgements, warnings=_notes(columns, path))


def _notes(columns: Mapping[str, Sequence[str]], path: str | Path) -> tuple[str, ...]:
    """Each once, in the order of rows."""
    found = tuple(dict.fromkeys(text for text in columns.get("note", ()) if text))
    if len(found) > NOTES:
        raise InputError(
            f"{path}: {len(found)} different notes; the column 'note' holds what is to be said of the whole file, at "
            f"most {NOTES} texts: give it another name in a file of your own"
        )
    return found


def _plain(text: str | None) -> str:
    return text or ""


class _RowReader:
    """Turns the fields of a row into a Judgement, or says which of them is wrong."""

    def __init__(self, testset: TestSet) -> None:
        self.testset = testset
        self.numbers: dict[str, int] = {}
        for number, name in enumerate(testset.ids or ()):
            self.numbers.setdefault(name, number)

    def read(self, row: dict[str, str], where: str) -> Judgement:
        for name in ("system", "rater"):
            if not row[name]:
                raise InputError(f"{where}: no {name}; write its name in the column {name!r}")
        return Judgement(
            system=row["system"],
            segment=self._segment(row["segment"], where),
            rater=row["rater"],
            scale=row["scale"],
            value=read_value(row["scale"], row["value"], where),
            kind=_kind(row.get("kind") or "genuine", where),
            task=row.get("task") or None,
            duration=_duration(row.get("duration") or "", where),
            spans=_spans(row.get("spans") or "", where),
            start=_duration(row.get("start") or "", where, "start"),
        )

    def _segment(self, text: str, where: str) -> int:
        number = self.numbers.get(text)
        if number is None and text.isascii() and text.isdigit() and len(text) < 19:
            number = int(text) - 1
        if number is None or not 0 <= number < len(self.testset):
            ids = " or an id of the test set" if self.testset.ids else ""
            raise InputError(
                f"{where}: unknown segment {text!r}; expected a number from 1 to {len(self.testset)}{ids} "
                f"(test set {self.testset.name})"
            )
        return number


def read_value(scale: str, text: str, where: str) -> float:
    """A value on a scale, or an error that says what the scale allows."""
    if scale not in SCALES:
        raise InputError(f"{where}: unknown scale {scale!r}{suggest(scale, SCALES)} known: {', '.join(SCALES)}")
    low, high = SCALES[scale].low, SCALES[scale].high
    value = read_number(text)
    if not low <= value <= high or math.isinf(value):
        limits = f"from {low:g}" if math.isinf(high) else f"from {low:g} to {high:g}"
        raise InputError(f"{where}: value {text!r} is not on the scale {scale}; expected a number {limits}")
    return value


def _kind(text: str, where: str) -> Kind:
    for kind in KINDS:
        if text == kind:
            found: Kind = kind
            return found
    raise InputError(f"{where}: unknown kind {text!r}{suggest(text, KINDS)} known: {', '.join(KINDS)}")


def _duration(text: str, where: str, name: str = "duration") -> float | None:
    if not text:
        return None
    seconds = read_number(text)
    if not 0 <= seconds < math.inf:
        raise InputError(f"{where}: {name} {text!r} is not a time; expected seconds, such as 12.5, or nothing")
    return seconds


def _spans(text: str, where: str) -> tuple[Span, ...]:
    if not text:
        return ()
    import json

    try:
        return read_spans(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise InputError(
            f"{where}: the spans {text!r} cannot be read; "
            f'expected JSON such as [[0, 4, "major", "accuracy"]], each end after its start'
        ) from None


def read_spans(rows: Any) -> tuple[Span, ...]:
    """Spans from rows of start, end, severity, category (and side); ValueError where they are something else."""
    spans = tuple(map(_span, rows))
    for span in spans:
        numbers = all(type(number) is int for number in (span.start, span.end))
        texts = all(isinstance(text, str) for text in (span.severity, span.category))
        if not numbers or not texts or not 0 <= span.start <= span.end or span.side not in SIDES:
            raise ValueError(f"not a span: {span}")
    return spans


def _span(row: Any) -> Span:
    start, end, severity, category, *side = row
    f"{severity}{category}".encode()  # a lone surrogate, which no file can hold, is a ValueError
    return Span(start=start, end=end, severity=severity, category=category, side=side[0] if side else "output")


def span_rows(spans: Iterable[Span]) -> list[list[int | str]]:
    """The opposite of `read_spans`; the side is left out where it is the output."""
    return [
        [span.start, span.end, span.severity, span.category, *([] if span.side == "output" else [span.side])]
        for span in spans
    ]


def write_judgements(
    judgements: Iterable[Judgement], path: str | Path, testset: TestSet, notes: Sequence[str] = ()
) -> None:
    """Write judgements so that `open_judgements` with the same test set gives them back, and the notes.

    Notes stand in every row, in turns, so that a part of the table still has them.
    """
    header = (*OBLIGATORY, *OPTIONAL)
    notes = notes or ("",)
    rows = [[*_row(judgement, testset), notes[k % len(notes)]] for k, judgement in enumerate(judgements)]
    kept = [k for k, name in enumerate(header) if name not in RARE or any(row[k] for row in rows)]
    write_rows(path, [[row[k] for k in kept] for row in (header, *rows)])


def _row(judgement: Judgement, testset: TestSet) -> list[str]:
    import json

    return [
        judgement.system,
        testset.ids[judgement.segment] if testset.ids else str(judgement.segment + 1),
        judgement.rater,
        judgement.scale,
        short_number(judgement.value),
        judgement.kind,
        judgement.task or "",
        "" if judgement.duration is None else short_number(judgement.duration),
        json.dumps(span_rows(judgement.spans), ensure_ascii=False) if judgement.spans else "",
        "" if judgement.start is None else short_number(judgement.start),
    ]
