"""Results of Appraise (Federmann 2018), as `ExportSystemScoresToCSV` writes them: CSV without a header.

Columns, of segment-level campaigns (9), document-level campaigns (11) and those in which errors are marked (12):

    username, system, itemId, itemType, srcLang, trgLang, score, timeStart, timeEnd
    username, system, itemId, itemType, srcLang, trgLang, score, docId, isDocScore, timeStart, timeEnd
    username, system, itemId, itemType, srcLang, trgLang, score, docId, isDocScore, mqm, timeStart, timeEnd

A first line with these names is accepted. Item types: TGT genuine, CHK repeat, REF reference, BAD degraded. Scores are
on the scale da100, or document100 where isDocScore is True. With 12 columns they are on the scale esa; where errors
have types it was an MQM campaign, in which Appraise's score says nothing: the scale is mqm and the value the penalty.
`mqm` is a list of {start_i, end_i, severity, error_type}, as JSON or as Python writes it; both indices are `missing`
where something is left out. Times are Unix times; 0 is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement, Kind, Span, mqm_penalty
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.io.columns import read_number
from tertium.io.ratings.judgements import read_value
from tertium.io.ratings.rows import Rows, choose, short_number, write_text
from tertium.io.ratings.segments import Name, name_of, number_segments, split_languages

KINDS: dict[str, Kind] = {"TGT": "genuine", "CHK": "repeat", "REF": "reference", "BAD": "degraded"}
TYPES = {kind: word for word, kind in KINDS.items()}
BOOLEANS = {"True": True, "False": False}
HEADERS = {
    width: ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score", *more, "timeStart", "timeEnd")
    for width, more in ((9, ()), (11, ("docId", "isDocScore")), (12, ("docId", "isDocScore", "mqm")))
}
MISSING = "missing"
MILLISECONDS = 3  # decimals of Appraise's times


def read_appraise(rows: Rows, testset: TestSet | None = None) -> Evaluation:
    """The judgements of a result file, with a test set of its ids, documents and languages where none is given."""
    width = len(rows.fields[0])
    if width not in HEADERS:
        raise InputError(
            f"{rows.where(0)}: {counted(width, 'column')}; results of Appraise have 9, 11 or 12: "
            + ", ".join(HEADERS[12])
        )
    if tuple(rows.fields[0]) == HEADERS[width]:
        rows = Rows(rows.path, rows.fields[1:], rows.lines[1:])
    rows.check_width(width, "the first line has")
    names = [
        Name(row[2], row[7] if width > 9 else "", f"{row[4]}-{row[5]}" if row[4] and row[5] else "")
        for row in rows.fields
    ]
    if testset is not None and width > 9:
        names = _end_documents(names, rows.fields)
    testset, numbers = number_segments(names, rows, testset)
    spans = [_read_spans(row[9], rows, k) for k, row in enumerate(rows.fields)] if width == 12 else []
    scale = "mqm" if any(span.category for found in spans for span in found) else "esa" if width == 12 else "da100"
    judgements = tuple(
        _judgement(row, rows, k, numbers[names[k]], scale, spans[k] if spans else ())
        for k, row in enumerate(rows.fields)
    )
    return Evaluation(testset=testset, systems=(), judgements=judgements)


def _end_documents(names: Sequence[Name], fields: Sequence[Sequence[str]]) -> list[Name]:
    """The same names, but the score of a whole document has that of its last segment.

    Appraise gives it a number of its own, which no segment of a test set has.
    """
    last: dict[tuple[str, str], Name] = {}
    for name, row in zip(names, fields, strict=True):
        place = name.languages, name.document
        if row[8] == "False" and (place not in last or _later(name.item, last[place].item)):
            last[place] = name
    return [
        last.get((name.languages, name.document), name) if row[8] == "True" else name
        for name, row in zip(names, fields, strict=True)
    ]


def _later(item: str, other: str) -> bool:
    return (len(item), item) > (len(other), other)


def _judgement(row: Sequence[str], rows: Rows, k: int, segment: int, scale: str, spans: tuple[Span, ...]) -> Judgement:
    rater, system, _, sort, _, _, score = row[:7]
    for text, what in ((rater, "username"), (system, "system")):
        if not text:
            raise InputError(f"{rows.where(k)}: no {what}")
    kind = choose(sort, KINDS, "itemType", rows.where(k))
    if len(row) > 9 and row[8] not in BOOLEANS:
        raise InputError(f"{rows.where(k)}: isDocScore is {row[8]!r}; expected True or False")
    if len(row) > 9 and BOOLEANS[row[8]]:
        scale = "document100"
    start, duration = _read_times(row[-2], row[-1], rows, k)
    return Judgement(
        system=system,
        segment=segment,
        rater=rater,
        scale=scale,
        value=_penalty(spans, rows, k) if scale == "mqm" else read_value(scale, score, rows.where(k)),
        kind=kind,
        duration=duration,
        spans=spans,
        start=start,
    )


def _penalty(spans: tuple[Span, ...], rows: Rows, k: int) -> float:
    try:
        return mqm_penalty(spans)
    except InputError as error:
        raise InputError(f"{rows.where(k)}: {error}") from None


def _read_times(first: str, last: str, rows: Rows, k: int) -> tuple[float | None, float]:
    start, end = read_number(first), read_number(last)
    if not 0 <= start <= end < math.inf:
        raise InputError(
            f"{rows.where(k)}: times {first!r} and {last!r}; expected two Unix times, the start before the end"
        )
    return start or None, round(end - start, 6)


def _read_spans(text: str, rows: Rows, k: int) -> tuple[Span, ...]:
    try:
        found = _parse(text.strip())
        return tuple(map(_span, [found] if isinstance(found, dict) else found or ()))
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError):
        raise InputError(
            f"{rows.where(k)}: the errors {text!r} cannot be read; expected a list such as "
            f'[{{"start_i": 0, "end_i": 4, "severity": "major"}}]'
        ) from None


def _parse(text: str) -> Any:
    if not text:
        return []
    import json

    try:
        return json.loads(text)
    except ValueError:
        import ast

        return ast.literal_eval(text)


def _span(error: Any) -> Span:
    start, end, sorts = error["start_i"], error["end_i"], error.get("error_type") or ()
    severity, sorts = error["severity"], [sorts] if isinstance(sorts, str) else list(sorts)
    if not isinstance(severity, str) or not all(isinstance(part, str) for part in sorts):
        raise ValueError("severity and type are texts")
    "".join((severity, *sorts)).encode()  # a lone surrogate, which no file can hold, is a ValueError
    if start == end == MISSING:
        return Span(start=0, end=0, severity=severity, category="/".join(sorts), side="none")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise ValueError("not a span")
    return Span(start=start, end=end, severity=severity, category="/".join(sorts))


def write_appraise(evaluation: Evaluation, path: str | Path) -> None:
    """Write judgements as Appraise does: 12 columns where errors are marked, 11 where there are documents, else 9."""
    import csv
    import io

    testset, judgements = evaluation.testset, evaluation.judgements
    marked = any(judgement.scale in ("esa", "mqm") for judgement in judgements)
    width = 12 if marked else 11 if testset.documents else 9
    text = io.StringIO()
    writer = csv.writer(text)  # with the line ends of Appraise, CR LF
    writer.writerows(_rows(judgements, testset, width, str(path)))
    write_text(path, text.getvalue())


def _rows(judgements: Sequence[Judgement], testset: TestSet, width: int, path: str) -> Iterator[list[str]]:
    known = ("da100", "document100", "esa", "mqm")
    inside = _places(testset) if width > 9 and not testset.ids else None
    for judgement in judgements:
        if judgement.scale not in known:
            raise InputError(
                f"{path}: Appraise has no scale {judgement.scale}; its results are on {', '.join(known)}: "
                f"write the others to a file of their own"
            )
        name = name_of(testset, judgement.segment)
        source, target = split_languages(name.languages)
        start = judgement.start or 0.0
        end = max(start, round(start + (judgement.duration or 0.0), MILLISECONDS))  # rounded, yet not before it
        whole = judgement.scale == "document100"
        yield [
            judgement.rater,
            judgement.system,
            name.item if inside is None else str(inside[judgement.segment] + 1),
            TYPES[judgement.kind],
            source,
            target,
            "0" if judgement.scale == "mqm" else short_number(judgement.value),
            *([name.document, str(whole)] if width > 9 else []),
            *([_errors(judgement.spans)] if width == 12 else []),
            repr(float(start)),
            repr(end),
        ]


def _places(testset: TestSet) -> list[int] | None:
    """Where each segment stands in its document: what a number beside a document's name counts. None without any."""
    if not testset.documents:
        return None
    seen: dict[str, int] = {}
    places = []
    for document in testset.documents:
        places.append(seen.get(document, 0))
        seen[document] = places[-1] + 1
    return places


def _errors(spans: Sequence[Span]) -> str:
    import json

    return json.dumps(
        [
            {
                "start_i": span.start if span.side == "output" else MISSING,  # the source has no marks there
                "end_i": span.end if span.side == "output" else MISSING,
                "severity": span.severity,
                **({"error_type": span.category.split("/")} if span.category else {}),
            }
            for span in spans
        ],
        ensure_ascii=False,
    )
