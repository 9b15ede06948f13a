"""Lists of candidates, segment by segment: TSV, JSON lines, Moses n-best lists, or N lines for every segment.

They are streamed: one segment is held at a time, so that lists may be larger than memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

from tertium.core.errors import InputError, OptionError
from tertium.io.columns import extension, fields
from tertium.io.files import stream_lines

FORMS = ("tsv", "jsonl", "moses", "lines")
EXTENSIONS = {".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
SEGMENT = ("segment", "id")  # names of columns and keys
TEXT = ("candidate", "text")
WEIGHT = ("weight", "count", "logprob")
NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?|-inf")

Numbered = tuple[int, str]  # a line and its number


class NBest(NamedTuple):
    """The candidates of one segment."""

    id: str | None  # as the file says, None where it does not
    texts: list[str]
    weights: list[float] | None
    where: str  # file:line of the first of them
    source: str | None = None
    model_scores: bool = False  # the weights are a decoder's scores, so logarithms of something


class CandidateRow(NamedTuple):
    """One candidate of a format that has a line for each."""

    line: int
    id: str
    text: str
    weight: float | None


def read_nbest(path: str, form: str | None = None, size: int | None = None) -> Iterator[NBest]:
    """The segments of a file; the format is told by its name or its first line, N lines each by `size`."""
    name = "standard input" if path == "-" else path
    lines = stream_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{name}: empty; expected candidates")
    lines = chain([first], lines)
    form = form or _detect(path, name, first[1], size)
    if form == "lines":
        if size is None:
            raise OptionError(f"{name}: plain lines need the number of candidates of each segment (-n N)")
        return _by_size(lines, size, name)
    if size is not None:
        raise OptionError(f"{name}: -n {size} is for plain lines; {form} says itself where a segment ends")
    if form == "jsonl":
        return (_read_json(text, f"{name}:{line}") for line, text in _without_end(lines, name))
    if form == "tsv":
        return _by_id(_read_tsv(lines, name), name)
    return (item._replace(model_scores=True) for item in _by_id(_read_moses(lines, name), name))


def _detect(path: str, name: str, first: str, size: int | None) -> str:
    if extension(path) in EXTENSIONS:
        return EXTENSIONS[extension(path)]
    if size is not None:
        return "lines"
    if "|||" in first:
        return "moses"
    if first.lstrip()[:1] in ("[", "{"):
        return "jsonl"
    raise InputError(
        f"{name}: not known how its candidates are listed; name it .tsv or .jsonl, say --input-format, "
        f"or say how many lines each segment has (-n N)"
    )


def _by_size(lines: Iterable[Numbered], size: int, name: str) -> Iterator[NBest]:
    lines = iter(lines)
    while texts := list(islice(lines, size)):
        if len(texts) < size:
            raise InputError(
                f"{name}: {texts[-1][0]} lines are no multiple of -n {size}; the last segment has {len(texts)}"
            )
        yield NBest(None, [text for _, text in texts], None, f"{name}:{texts[0][0]}")


def _by_id(rows: Iterable[CandidateRow], name: str) -> Iterator[NBest]:
    """Rows of one segment stand together; that one is over is known when the next one begins."""
    over: dict[str, int] = {}
    group: list[CandidateRow] = []

    def close() -> NBest:
        weights = [row.weight for row in group if row.weight is not None]
        return NBest(group[0].id, [row.text for row in group], weights or None, f"{name}:{group[0].line}")

    for row in rows:
        if group and row.id != group[0].id:
            yield close()
            group = []
        if not group:
            if row.id in over:
                raise InputError(
                    f"{name}:{row.line}: segment {row.id} again, which began on line {over[row.id]}; "
                    f"put the candidates of a segment together (sort by segment)"
                )
            over[row.id] = row.line
        group.append(row)
    if group:
        yield close()


def _read_tsv(lines: Iterable[Numbered], name: str) -> Iterator[CandidateRow]:
    """Segment, candidate and perhaps a weight; other columns and another order where a header names them."""
    lines = iter(lines)
    first = next(lines)
    header = [field.strip().lower() for field in first[1].split("\t")]
    names: list[str] | None = None
    if any(field in SEGMENT for field in header) and any(field in TEXT for field in header):
        names = header
    else:
        lines = chain([first], lines)
    segment, text = (0, 1) if names is None else (_place(names, SEGMENT), _place(names, TEXT))
    width = len(header)
    weight = (2 if width == 3 else None) if names is None else _place(names, WEIGHT)
    if names is None and width not in (2, 3):
        raise InputError(
            f"{name}:1: {fields(width)}; expected segment, candidate and perhaps weight, with tabs between them, "
            f"or a header line that names them"
        )
    for line, content in lines:
        cells = content.split("\t")
        if len(cells) != width:
            raise InputError(
                f"{name}:{line}: {fields(len(cells))}, but line 1 has {fields(width)}; "
                f"is there a tab too many or too few?"
            )
        value = None if weight is None else _number(cells[weight], f"{name}:{line}")
        yield CandidateRow(line, cells[segment or 0], cells[text or 0], value)


def _place(names: list[str], known: tuple[str, ...]) -> int | None:
    return next((k for k, name in enumerate(names) if name in known), None)


def _read_moses(lines: Iterable[Numbered], name: str) -> Iterator[CandidateRow]:
    """`id ||| text ||| features ||| score`, perhaps with more behind it, or without features, or without a score."""
    for line, content in lines:
        cells = [cell.strip(" ") for cell in content.split("|||")]
        if len(cells) < 2:
            raise InputError(f"{name}:{line}: no '|||'; expected: id ||| text ||| features ||| score")
        score = cells[3] if len(cells) > 3 else next((cell for cell in cells[2:] if NUMBER.fullmatch(cell)), None)
        yield CandidateRow(line, cells[0], cells[1], None if score is None else _number(score, f"{name}:{line}"))


def _without_end(lines: Iterable[Numbered], name: str) -> Iterator[Numbered]:
    """The lines without blank ones at the end; elsewhere a blank line might be a segment that got lost."""
    blank: int | None = None
    for line, text in lines:
        if not text.strip():
            blank = blank or line
        elif blank is not None:
            raise InputError(f"{name}:{blank}: a blank line; expected a list of candidates on every line")
        else:
            yield line, text


def _read_json(text: str, where: str) -> NBest:
    """A list of candidates, or an object that holds one; a candidate is a text, or an object with text and weight."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error}); expected a list of candidates on every line") from None
    given: dict[str, Any] = value if isinstance(value, dict) else {"candidates": value}
    items = given.get("candidates")
    if not isinstance(items, list) or not items:
        raise InputError(f'{where}: no candidates; expected ["...", "..."] or {{"candidates": ["...", "..."]}}')
    texts = [_json_text(_first(item, TEXT) if isinstance(item, dict) else item, where) for item in items]
    weights = given.get("weights")
    if weights is None and any(isinstance(item, dict) and _first(item, WEIGHT) is not None for item in items):
        weights = [_first(item, WEIGHT) if isinstance(item, dict) else None for item in items]
    if weights is not None:
        if not isinstance(weights, list) or len(weights) != len(texts):
            raise InputError(f"{where}: 'weights' must be a list of {len(texts)} numbers, one for each candidate")
        weights = [_number(weight, where) for weight in weights]
    id = _first(given, SEGMENT)
    source = given.get("source")
    return NBest(
        None if id is None else str(id), texts, weights, where, None if source is None else _json_text(source, where)
    )


def _first(item: dict[str, Any], names: tuple[str, ...]) -> Any:
    """The value of the first of these keys that there is."""
    return next((item[name] for name in names if name in item), None)


def _json_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: {json.dumps(value)} is not a text; expected a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: a text holds half a character (a lone surrogate); write it whole") from None
    return value


def _number(value: Any, where: str) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: the weight {value!r} is not a number") from None
