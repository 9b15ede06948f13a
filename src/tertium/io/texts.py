"""Texts by their spec: the path of a plain file, or FILE:COLUMN for tables and WMT files."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.wording import counted
from tertium.io.columns import ColumnFile, LastTable, Opener, is_table, open_table
from tertium.io.files import read_lines


class Spec(NamedTuple):
    """A file and a column of it. Where both are known they are not joined into one text: a name with a colon could mean
    another file."""

    path: str
    column: str | None = None

    def __str__(self) -> str:
        return self.path if self.column is None else f"{self.path}:{self.column}"

    def below(self, folder: Path) -> Spec:
        """The same with the path that leads there from a folder, where it lies in it."""
        path = Path(self.path)
        return Spec(str(path.relative_to(folder)), self.column) if path.is_relative_to(folder) else self


def read_texts(spec: str | Spec, missing: str | None = None, opener: Opener = open_table) -> tuple[Lines, ...]:
    r"""The streams of texts that `spec` names; lines that equal `missing` (such as `\N`) become missing."""
    path, column = split_spec(spec)
    if is_table(path):
        streams = _read_column(opener(path), path, column)
    elif column is not None:
        raise InputError(f"{spec}: {path} is plain text and has no columns; write {path}")
    else:
        streams = (read_lines(path, mmap=isinstance(opener, LastTable) and opener.mmap),)
    return streams if missing is None else tuple(mark_missing(stream, missing) for stream in streams)


def read_stream(spec: str | Spec, missing: str | None = None, opener: Opener = open_table) -> Lines:
    """The texts that `spec` names, which must be one per segment."""
    streams = read_texts(spec, missing, opener)
    if len(streams) > 1:
        raise InputError(f"{spec}: lists of up to {len(streams)} texts; expected one text per segment")
    return streams[0]


def split_spec(spec: str | Spec) -> Spec:
    """`FILE:COLUMN` -> (file, column). A file of that whole name comes first, then the longest file name."""
    if isinstance(spec, Spec):
        return spec
    # os.path, unlike pathlib, says no to names that no file can have.
    if ":" not in spec or os.path.exists(spec):  # noqa: PTH110
        return Spec(spec)
    colons = [k for k, char in enumerate(spec) if char == ":"]
    for k in reversed(colons):
        if os.path.isfile(spec[:k]):  # noqa: PTH113
            return Spec(spec[:k], spec[k + 1 :])
    for k in colons:  # nothing of the kind exists: the error should name the file that was meant
        if is_table(spec[:k]):
            return Spec(spec[:k], spec[k + 1 :])
    return Spec(spec)


def _read_column(table: ColumnFile, path: str, column: str | None) -> tuple[Lines, ...]:
    return table.read(column_of(table.names, path, table.usual if column is None else column))


def column_of(names: Sequence[str], path: str, column: str | None) -> str:
    """The column that is asked for, if there is one of that name; the only one where none is asked for."""
    if column is None and len(names) == 1:
        return names[0]
    if column is None:
        if not names:
            raise InputError(f"{path} has no columns; is it the right file?")
        raise InputError(
            f"{path} has {counted(len(names), 'column')}: {_list(names)}; choose one, for example {path}:{names[0]}"
        )
    if column not in names:
        raise InputError(f"{path} has no column {column!r}{suggest(column, names)} columns: {_list(names)}")
    return column


def as_list(value: str | list[str] | None) -> list[str]:
    """One text or several as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def suggest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'source'?` where a known word is near, else `;`."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ";"


def mark_missing(lines: Lines, mark: str) -> Lines:
    """The same lines, missing where they equal the mark."""
    import numpy as np

    text = np.frombuffer(mark.encode("utf-8", "surrogateescape"), dtype=np.uint8)
    candidates = np.flatnonzero(lines.lengths() == len(text))
    buffer = np.frombuffer(lines.buffer, dtype=np.uint8)
    letters = buffer[lines.starts[candidates, None] + np.arange(len(text))]  # (candidates, bytes)
    found = candidates[(letters == text).all(axis=1)]
    if not len(found):
        return lines
    missing = ~lines.present
    missing[found] = True
    return Lines(lines.buffer, lines.starts, lines.ends, missing)
