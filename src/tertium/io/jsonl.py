"""JSON lines: one object per line; a value is a text, a number, a list of them, or null."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.columns import sparse_limit
from tertium.io.files import read_lines

Row = dict[str, Any]


def read_jsonl(path: str) -> tuple[tuple[str, ...], Callable[[str], tuple[Lines, ...]]]:
    """The keys in the order in which they first appear, and how to read one of them."""
    lines = read_lines(path)
    last = len(lines)
    while last and not str(lines[last - 1]).strip():
        last -= 1
    if not last:
        raise InputError(f"{path}: empty; expected one JSON object per line")
    part = JsonLines(lines if last == len(lines) else lines[:last], path, 1)

    def read(name: str) -> tuple[Lines, ...]:
        part.find([name])
        return part.streams(name)

    return part.names(), read


class JsonLines:
    """A run of JSON lines. The kernel finds texts in those of which it is certain how Python's decoder reads them; all
    others are read by that, each once."""

    def __init__(self, lines: Lines, path: str, line: int) -> None:
        self.lines, self.path, self.line = lines, path, line  # the number of the first
        self.count = len(lines)  # of rows: up to a blank line
        self.rows: dict[int, Row] = {}  # that Python has read
        self.found: dict[str, Lines] = {}  # what the kernel has found of the keys that were looked for last
        self.left: list[int] = []  # the lines which it left to Python then

    def names(self) -> tuple[str, ...]:
        """All keys in the order in which they first appear."""
        others, keys, first = _kernel.json_keys(self.lines.view)
        places = list(zip(first.tolist(), keys, strict=True))
        for k in others.tolist():
            self.rows[k] = read_row(str(self.lines[k]), f"{self.path}:{self.line + k}")
            places += [(k, key) for key in self.rows[k]]
        places.sort(key=lambda place: place[0])  # keys of a line stay in order
        return tuple(dict.fromkeys(key for _, key in places))

    def find(self, names: Sequence[str] | None) -> None:
        """Look for the texts of these keys (None: read all rows whole) in all lines before the first blank one."""
        others: Sequence[int] = range(len(self.lines))
        self.found = {}
        if names is not None and _kernel.encode(list(names)) is not None:  # a name may hold half a character
            numbers, found = _kernel.json_texts(self.lines.view, names)
            if len(numbers) < len(self.lines):
                self.found = {name: Lines(*texts) for name, texts in zip(names, found, strict=True)}
            others = numbers.tolist()
        self.left = []
        for k in others:
            if k not in self.rows:
                text = str(self.lines[k])
                if not text.strip():
                    self.count = k
                    return
                self.rows[k] = read_row(text, f"{self.path}:{self.line + k}")
            self.left.append(k)

    def streams(self, name: str) -> tuple[Lines, ...]:
        """The texts of a key that was looked for."""
        found = self.found.get(name)
        values = [_texts(self.rows[k].get(name), name, self.path, self.line + k) for k in self.left]
        if found is None:
            return _spread(values, name, self.path)
        if all(len(texts) <= 1 for texts in values):
            single = [texts[0] if texts else None for texts in values]
            lines = _put(found, self.left, Lines.of(single)) if single else found
            return (lines if self.count == len(lines) else lines[: self.count],)
        everywhere: list[list[str | None]] = [[text] for text in found]
        for k, texts in zip(self.left, values, strict=True):
            everywhere[k] = texts
        return _spread(everywhere[: self.count], name, self.path)


def _put(lines: Lines, numbers: list[int], texts: Lines) -> Lines:
    """The lines with other texts in some places."""
    import numpy as np

    starts, ends, missing = lines.starts.copy(), lines.ends.copy(), np.zeros(len(lines), dtype=bool)
    buffers = [np.frombuffer(part.buffer, dtype=np.uint8) for part in (lines, texts)]
    starts[numbers], ends[numbers] = texts.starts + len(buffers[0]), texts.ends + len(buffers[0])
    missing[numbers] = ~texts.present
    return Lines(np.concatenate(buffers), starts, ends, missing)


def streams_of(rows: list[Row], name: str, path: str, line: int) -> tuple[Lines, ...]:
    """The texts of one key in rows that begin at line number `line`."""
    return _spread([_texts(row.get(name), name, path, number) for number, row in enumerate(rows, line)], name, path)


def _spread(values: list[list[str | None]], name: str, path: str) -> tuple[Lines, ...]:
    """As many streams as the longest list has texts."""
    count = max(map(len, values), default=0)
    if count * len(values) > sparse_limit(sum(map(len, values))):
        raise InputError(f"{path}: {name} has a list of {count} texts, and far fewer in most rows; are they one list?")
    return tuple(
        Lines.of([texts[k] if k < len(texts) else None for texts in values], f"{path}:{name}")
        for k in range(max(count, 1))
    )


@cache
def _decoder() -> Callable[[str], Any]:
    """Reads JSON; made once, because making it costs as much as reading a line. Numbers stay as they are written."""
    from json import JSONDecoder

    return JSONDecoder(parse_int=str, parse_float=str).decode


def read_row(text: str, where: str) -> Row:
    """One line as an object."""
    if not text.strip():
        raise InputError(f"{where}: a blank line; expected one JSON object per line, {{}} where there is nothing")
    try:
        row = _decoder()(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error}); expected one object per line") from None
    if not isinstance(row, dict):
        raise InputError(f'{where}: {_kind(row)}; expected a JSON object such as {{"source": "..."}}')
    return row


def _texts(value: Any, name: str, path: str, line: int) -> list[str | None]:
    """A value as the texts of its streams."""
    if value is None:
        return []
    values = value if isinstance(value, list) else [value]
    return [_text(item, name, path, line) for item in values]


def _text(value: Any, name: str, path: str, line: int) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        if not value.isascii():
            _check_surrogates(value, name, path, line)
        return value
    if isinstance(value, bool | float):  # a float is NaN or an infinity: all others were kept as they are written
        import json

        return json.dumps(value)
    raise InputError(
        f"{path}:{line}: {name!r} holds {_kind(value)}; expected a text, a number, a list of texts, or null"
    )


def _check_surrogates(value: str, name: str, path: str, line: int) -> None:
    r"""JSON can spell half a character (\ud83d without its partner); UTF-8 cannot."""
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{path}:{line}: {name!r} holds the lone surrogate \\u{ord(value[error.start]):04x} at character "
            f"{error.start}, which is not text; write the whole character"
        ) from None


def _kind(value: Any) -> str:
    """What a JSON value is, in words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "null" if value is None else "a single value"
