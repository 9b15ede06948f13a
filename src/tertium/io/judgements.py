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
    spans      marked errors as JSON, [[start, end, severity, category], ...], may be empty

Only the first five are obligatory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

from tertium.core.errors import InputError
from tertium.core.judgement import SCALES, Judgement, Kind, Span
from tertium.core.testset import TestSet
from tertium.io.columns import read_columns
from tertium.io.files import write_atomically
from tertium.io.texts import suggest

OBLIGATORY = ("system", "segment", "rater", "scale", "value")
OPTIONAL = ("kind", "task", "duration", "spans")
KINDS = get_args(Kind)


def read_judgements(path: str | Path, testset: TestSet) -> tuple[Judgement, ...]:
    """The judgements in a file, checked against the scales and the test set."""
    columns = {name: streams[0] for name, streams in read_columns(path).items()}
    for name in OBLIGATORY:
        if name not in columns:
            raise InputError(f"{path}:1: no column {name!r}; the columns {', '.join(OBLIGATORY)} are obligatory")
    known = (*OBLIGATORY, *OPTIONAL)
    for name in columns:
        if name not in known:
            raise InputError(f"{path}:1: unknown column {name!r}{suggest(name, known)} known: {', '.join(known)}")
    row_reader = _RowReader(testset)
    rows = zip(*columns.values(), strict=True)
    return tuple(
        row_reader.read(dict(zip(columns, map(_plain, row), strict=True)), f"{path}:{line}")
        for line, row in enumerate(rows, 2)
    )


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
            value=_value(row["scale"], row["value"], where),
            kind=_kind(row.get("kind") or "genuine", where),
            task=row.get("task") or None,
            duration=_duration(row.get("duration") or "", where),
            spans=_spans(row.get("spans") or "", where),
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


def _number(text: str) -> float:
    """A number as people write it, NaN if it is none."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def _value(scale: str, text: str, where: str) -> float:
    if scale not in SCALES:
        raise InputError(f"{where}: unknown scale {scale!r}{suggest(scale, SCALES)} known: {', '.join(SCALES)}")
    low, high = SCALES[scale].low, SCALES[scale].high
    value = _number(text)
    if not low <= value <= high:
        raise InputError(f"{where}: value {text!r} is not on the scale {scale}; expected a number from {low} to {high}")
    return value


def _kind(text: str, where: str) -> Kind:
    for kind in KINDS:
        if text == kind:
            found: Kind = kind
            return found
    raise InputError(f"{where}: unknown kind {text!r}{suggest(text, KINDS)} known: {', '.join(KINDS)}")


def _duration(text: str, where: str) -> float | None:
    if not text:
        return None
    seconds = _number(text)
    if not 0 <= seconds < math.inf:
        raise InputError(f"{where}: duration {text!r} is not a time; expected seconds, such as 12.5, or nothing")
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
    """Spans from rows of start, end, severity and category; ValueError where they are something else."""
    spans = tuple(Span(start=start, end=end, severity=sort, category=category) for start, end, sort, category in rows)
    for span in spans:
        numbers = all(type(number) is int for number in (span.start, span.end))
        texts = all(isinstance(text, str) for text in (span.severity, span.category))
        if not numbers or not texts or not 0 <= span.start <= span.end:
            raise ValueError(f"not a span: {span}")
    return spans


def span_rows(spans: Iterable[Span]) -> list[list[int | str]]:
    """The opposite of `read_spans`."""
    return [[span.start, span.end, span.severity, span.category] for span in spans]


def write_judgements(judgements: Iterable[Judgement], path: str | Path, testset: TestSet) -> None:
    """Write judgements so that `read_judgements` with the same test set gives them back."""
    rows = [_row(judgement, testset) for judgement in judgements]
    spans = any(row[-1] for row in rows)
    header = [*OBLIGATORY, *(OPTIONAL if spans else OPTIONAL[:-1])]
    for row in rows:
        for name, text in zip(header, row, strict=False):
            if any(mark in text for mark in "\t\n\r"):
                raise InputError(f"{path}: the {name} {text!r} has a tab or line break in it, which TSV cannot hold")
    with write_atomically(path) as file:
        for row in [header, *rows]:
            file.write(("\t".join(row[: len(header)]) + "\n").encode())


def _row(judgement: Judgement, testset: TestSet) -> list[str]:
    import json

    return [
        judgement.system,
        testset.ids[judgement.segment] if testset.ids else str(judgement.segment + 1),
        judgement.rater,
        judgement.scale,
        _short(judgement.value),
        judgement.kind,
        judgement.task or "",
        "" if judgement.duration is None else _short(judgement.duration),
        json.dumps(span_rows(judgement.spans), ensure_ascii=False) if judgement.spans else "",
    ]


def _short(number: float) -> str:
    """`4` for 4.0; every other number with all the digits it takes to read it back."""
    return str(int(number)) if float(number).is_integer() else repr(float(number))
