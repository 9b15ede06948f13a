"""Tables: every column of a .tsv, .csv, .jsonl, .xlsx, .parquet or .arrow file as Lines.

A column is a tuple of streams. Nearly always it is one; where a value is a list of strings (JSONL, Parquet)
there are as many streams as the longest list, missing where a row has fewer.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.files import COMPRESSED, read_bytes, split_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Streams = tuple[Lines, ...]
Opener = Callable[[str], "ColumnFile"]  # open_table, or what spares it reading a file again

TAB = ord("\t")
LONGEST_HEADER = 1 << 16  # bytes of a first line that are looked at
SCAN = 1 << 24  # bytes searched for tabs at a time, so that a big file needs no mask of its own size


class ColumnFile(NamedTuple):
    """The names of the columns, and how to read one: only what is asked for is made into text."""

    names: tuple[str, ...]
    read: Callable[[str], Streams]
    lines: Sequence[int] | None = None  # on which line each row starts, where rows are not lines 2, 3, ...
    usual: str | None = None  # the column that is meant where none is named
    bitext: tuple[Lines, str | None] | None = None  # of a localisation file: sources, and how tags were read


def read_columns(path: str | Path) -> dict[str, Streams]:
    """All columns of a table, by name."""
    table = open_table(path)
    return {name: table.read(name) for name in table.names}


def extension(path: str | Path) -> str:
    """The extension in lower case, without a compression suffix: `.tsv` of `Data.TSV.gz`."""
    file = Path(path)
    if file.suffix in COMPRESSED:
        file = file.with_suffix("")
    return file.suffix.lower()


def is_table(path: str | Path) -> bool:
    """Whether a file has columns, judged by its name."""
    return extension(path) in READERS or is_localisation(path)


def is_localisation(path: str | Path) -> bool:
    """Whether a file is one of translation teams, judged by its name."""
    return extension(path) in LOCALISATION


def open_table(path: str | Path, tags: str | None = None) -> ColumnFile:
    """The table in a file, by its extension; `tags` says how inline tags of a localisation file are read."""
    if is_localisation(path):
        from tertium.io.localisation.reading import open_bitext  # only who has such files pays for them

        return open_bitext(str(path), tags)
    try:
        reader = READERS[extension(path)]
    except KeyError:
        raise InputError(
            f"{path}: not a table; expected a name that ends in {', '.join((*READERS, *LOCALISATION))} "
            f"(or the same with .gz)"
        ) from None
    table = reader(str(path))
    check_names(table.names, str(path))
    return table


class LastTable:
    """Opens tables and keeps the last: the columns of one file are mostly asked for one after the other.

    No more than one is kept, because a table in memory can be several times as large as its file. Localisation files
    that are opened must have the same sources, segment by segment: nobody sees by their outside that units stand in
    another order.
    """

    def __init__(self, mmap: bool = False, tags: str | None = None) -> None:
        self.kept: dict[str, ColumnFile] = {}
        self.mmap = mmap  # plain texts, which are no tables, are mapped and not read
        self.tags = tags  # how inline tags are read; None: as they are where nobody says
        self.tags_read: str | None = None  # of the files that were opened; None where none can have tags
        self.first: tuple[str, Lines] | None = None  # the localisation file that was opened first, and its sources

    def __call__(self, path: str) -> ColumnFile:
        """The table in a file, read if it is not the one that was asked for last."""
        if path not in self.kept:
            self.kept.clear()  # before the next one needs the room
            table = open_table(path, self.tags)
            if table.bitext is not None:
                self.expect(path, *table.bitext)
            self.kept[path] = table
        return self.kept[path]

    def expect(self, path: str, sources: Lines, tags: str | None) -> None:
        """Refuse a localisation file whose segments are others than those of the first one."""
        self.tags_read = self.tags_read or tags
        if self.first is None:
            self.first = path, sources
        elif sources != self.first[1]:
            other, known = self.first
            pairs = enumerate(zip(sources, known, strict=False), 1)
            at = next((k for k, (mine, theirs) in pairs if mine != theirs), None)
            where = f"has {len(sources)} segments" if at is None else f"segment {at} is {_begin(sources[at - 1])}"
            theirs = f"{len(known)}" if at is None else f"it is {_begin(known[at - 1])}"
            raise InputError(
                f"{path}: {where}, but in {other} {'there are ' if at is None else ''}{theirs}; files of one test set "
                f"must hold the same sources in the same order"
            )


def _begin(text: str | None) -> str:
    """The beginning of a text, for an error."""
    return "missing" if text is None else repr(text if len(text) <= 40 else f"{text[:39]}…")


def check_names(names: Sequence[str], path: str) -> None:
    """Refuse a header in which a column cannot be told by its name."""
    if "" in names:
        raise InputError(f"{path}:1: column {list(names).index('') + 1} has no name; write a header line with names")
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f"{path}:1: {count} columns are called {name!r}; rename them")


def sparse_limit(texts: int) -> int:
    """How many places so few texts may be spread over: a single long list
    would make a place in every row for each of its texts."""
    return (1 << 22) + 16 * texts


def read_number(text: str) -> float:
    """A number as programs write it, NaN if it is none."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


def fields(count: int) -> str:
    """`1 field`, `2 fields`."""
    return f"{count} field{'' if count == 1 else 's'}"


def _wrong_width(path: str, line: int, got: int, expected: int) -> InputError:
    return InputError(
        f"{path}:{line}: {fields(got)}, but the header has {fields(expected)}; "
        f"is there a separator too many or too few?"
    )


def _named(names: Sequence[str]) -> int:
    """How many columns a header names, if it may end in a separator with nothing behind it."""
    return len(names) - (len(names) > 1 and not names[-1])


def _read_tsv(path: str) -> ColumnFile:
    return tsv_table(read_bytes(path), path)


def tsv_table(data: Any, path: str) -> ColumnFile:
    """Fields are cut in the file's own bytes: there is no quoting, so no text has to be changed."""
    lines = split_text(data, path)
    return cut_fields(lines[1:], tsv_names(lines, path), path, 2)


def tsv_names(lines: Lines, path: str) -> tuple[str, ...]:
    """The names in the first line."""
    if not len(lines):
        raise InputError(f"{path}: empty; expected a header line with the names of the columns")
    return tuple(str(lines[0]).split("\t"))


def cut_fields(lines: Lines, names: tuple[str, ...], path: str, line: int) -> ColumnFile:
    """Lines as rows of a table with these columns; the first of them is line number `line` of the file."""
    import numpy as np

    starts, ends = lines.starts, lines.ends
    buffer = np.frombuffer(lines.buffer, dtype=np.uint8)
    tabs = _find_tabs(buffer, int(starts[0]) if len(starts) else len(buffer))
    tabs = tabs[: np.searchsorted(tabs, ends[-1])] if len(ends) else tabs
    counts = np.searchsorted(tabs, ends) - np.searchsorted(tabs, starts)  # (n,)
    named = _named(names)
    if len(counts) and (counts == named).all() and (tabs.reshape(-1, named)[:, -1] == ends - 1).all():
        # Every row ends in a tab with nothing behind it: a column without name and values.
        names, ends, counts = names[:named], ends - 1, counts - 1
        tabs = tabs.reshape(-1, named)[:, :-1].ravel()
    wrong = np.flatnonzero(counts != len(names) - 1)
    if len(wrong):
        raise _wrong_width(path, int(wrong[0]) + line, int(counts[wrong[0]]) + 1, len(names))
    cuts = tabs.reshape(len(starts), len(names) - 1)

    def read(name: str) -> Streams:
        k = names.index(name)
        first = cuts[:, k - 1] + 1 if k else starts
        last = cuts[:, k] if k < len(names) - 1 else ends
        return (Lines(lines.buffer, np.ascontiguousarray(first), np.ascontiguousarray(last)),)

    return ColumnFile(names, read)


def _find_tabs(buffer: NDArray[np.uint8], first: int) -> NDArray[np.int64]:
    """The offsets of all tabs from `first` on."""
    import numpy as np

    found = [np.flatnonzero(buffer[start : start + SCAN] == TAB) + start for start in range(first, len(buffer), SCAN)]
    return np.concatenate(found).astype(np.int64) if found else np.empty(0, dtype=np.int64)


def _read_csv(path: str) -> ColumnFile:
    return csv_table(read_bytes(path), path)


def csv_table(data: Any, path: str) -> ColumnFile:
    """Python's csv dialect: commas (or semicolons), double quotes, line breaks allowed inside quotes."""
    split_text(data, path)  # for its error where the bytes are not UTF-8
    rows = csv_rows(data, path)
    _, header = next(rows, (0, None))
    if header is None:
        raise InputError(f"{path}: empty; expected a header line with the names of the columns")
    names, lines, cells = tuple(header), [], []
    for line, row in rows:
        lines.append(line)
        # An empty line is one empty field; the csv module calls it none.
        cells.append(row if row or len(names) > 1 else [""])
    named = _named(names)
    if cells and all(len(row) == named + 1 and not row[-1] for row in cells):  # as in TSV
        names, cells = names[:named], [row[:-1] for row in cells]
    for line, row in zip(lines, cells, strict=True):
        if len(row) != len(names):
            raise _wrong_width(path, line, len(row), len(names))

    def read(name: str) -> Streams:
        k = names.index(name)
        return (Lines.of([row[k] for row in cells], f"{path}:{name}"),)

    return ColumnFile(names, read, lines)


def csv_delimiter(header: str) -> str:
    """A comma; a semicolon where a header has those alone, as spreadsheets write it where 1,5 is a number."""
    return ";" if ";" in header and "," not in header else ","


def csv_rows(data: Any, path: str) -> Iterator[tuple[int, list[str]]]:
    """Rows and the lines on which they start."""
    import csv
    import io

    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    between = csv_delimiter(bytes(data[:LONGEST_HEADER]).partition(b"\n")[0].decode("utf-8", "replace"))
    reader = csv.reader(text, delimiter=between, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        if str(error).startswith("field larger than field limit"):
            raise InputError(
                f"{path}:{line}: a field of more than {csv.field_size_limit()} characters, which is as many as CSV may "
                f"have here; if no quote was left open before it, pass the table as .tsv or .jsonl"
            ) from None
        raise InputError(
            f"{path}:{line}: not valid CSV ({error}); is a quote left open, or not doubled inside quotes?"
        ) from None


def _read_jsonl(path: str) -> ColumnFile:
    from tertium.io.jsonl import read_jsonl

    names, read = read_jsonl(path)
    return ColumnFile(names, read, range(1, sys.maxsize))


def _read_xlsx(path: str) -> ColumnFile:
    from tertium.io.excel import read_sheet

    heads, rows = read_sheet(path)

    def read(name: str) -> Streams:
        k = heads.index(name)
        return (Lines.of([row[k] for row in rows], f"{path}:{name}"),)

    return ColumnFile(tuple(heads), read)


def _read_parquet(path: str) -> ColumnFile:
    from tertium.io.arrow import open_parquet

    names, read = open_parquet(path)
    return ColumnFile(names, read)


def _read_arrow(path: str) -> ColumnFile:
    from tertium.io.arrow import open_arrow

    names, read = open_arrow(path)
    return ColumnFile(names, read)


def _read_xml(path: str) -> ColumnFile:
    from tertium.io.wmt import xml_columns

    columns = xml_columns(path)
    return ColumnFile(tuple(columns), lambda name: (columns[name],))


def _read_sgm(path: str) -> ColumnFile:
    from tertium.io.sgm import sgm_columns

    columns = sgm_columns(path)
    return ColumnFile(tuple(columns), lambda name: (columns[name],))


READERS: dict[str, Callable[[str], ColumnFile]] = {
    ".tsv": _read_tsv,
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".xlsx": _read_xlsx,
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
    ".xml": _read_xml,
    ".sgm": _read_sgm,
    ".sgml": _read_sgm,
}
# Read by `localisation.reading`, which has the same list and a reader for each.
LOCALISATION = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff", ".tmx", ".po", ".pot")
