"""JSON lines: one object per line; a value is a text, a number, a list of them, or null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.columns import sparse_limit
from tertium.io.files import read_lines

Row = dict[str, Any]


def read_jsonl(path: str) -> tuple[tuple[str, ...], Callable[[str], tuple[Lines, ...]]]:
    """The keys in the order in which they first appear, and how to read one of them."""
    rows = _read_rows(path)
    names = tuple(dict.fromkeys(key for row in rows for key in row))
    return names, lambda name: streams_of(rows, name, path, 1)


def streams_of(rows: list[Row], name: str, path: str, line: int) -> tuple[Lines, ...]:
    """The texts of one key in rows that begin at line number `line`."""
    values = [_texts(row.get(name), name, path, number) for number, row in enumerate(rows, line)]
    count = max(map(len, values), default=0)
    if count * len(rows) > sparse_limit(sum(map(len, values))):
        raise InputError(f"{path}: {name} has a list of {count} texts, and far fewer in most rows; are they one list?")
    return tuple(
        Lines.of([texts[k] if k < len(texts) else None for texts in values], f"{path}:{name}")
        for k in range(max(count, 1))
    )


def _read_rows(path: str) -> list[Row]:
    lines = read_lines(path)
    last = len(lines)
    while last and not str(lines[last - 1]).strip():
        last -= 1
    if not last:
        raise InputError(f"{path}: empty; expected one JSON object per line")
    return [read_row(str(lines[i]), f"{path}:{i + 1}") for i in range(last)]


def read_row(text: str, where: str) -> Row:
    """One line as an object."""
    import json

    if not text.strip():
        raise InputError(f"{where}: a blank line; expected one JSON object per line, {{}} where there is nothing")
    try:
        # Numbers stay as they are written: what is read is text.
        row = json.loads(text, parse_int=str, parse_float=str)
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
