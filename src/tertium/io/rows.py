"""Rows of tables with all that is in them: read in blocks and written again with columns added, some rows left out.

Parquet, JSON lines and TSV, each to its own kind. What was there stays as it was: columns, types and metadata of
Parquet, the spelling of JSON and TSV. A value that is not there is null in Parquet and JSON, and nothing in TSV.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io import blocks
from tertium.io.columns import ColumnFile, Streams, check_names, cut_fields, extension, read_number, tsv_names
from tertium.io.files import MODULES, packing, write_atomically
from tertium.io.texts import column_of

if TYPE_CHECKING:
    from tertium.core.stats import Array

KINDS = (".parquet", ".jsonl", ".ndjson", ".tsv")

Added = Mapping[str, "Array"]  # columns of numbers, NaN where there is none # each (n,)


class WholeRows(Protocol):
    """Some rows as they were read."""

    @property
    def names(self) -> Sequence[str]:
        """The columns; of JSON lines, keys of these rows."""
        ...

    def streams(self, name: str) -> Streams:
        """A column of texts."""
        ...

    def numbers(self, name: str) -> Array:
        """A column of numbers; NaN where there is none. # (n,)"""
        ...

    def with_columns(self, added: Added, kept: Any = None) -> Any:
        """The rows to be written, with these columns; those that are `kept`, if not all. # kept: (n,)"""
        ...


def kind_of(path: str) -> str:
    """The kind of a table whose rows can be written again."""
    kind = extension(path)
    if kind not in KINDS:
        raise InputError(f"{path}: rows are written again as Parquet, JSON lines or TSV; expected a name that ends in "
                         f"{', '.join(KINDS)} (text also packed, such as .jsonl.gz)")  # fmt: skip
    return ".jsonl" if kind == ".ndjson" else kind


def read_rows(path: str) -> Iterator[tuple[float, WholeRows]]:
    """How much of the file is read (0: nobody knows), and the rows, block by block."""
    return {".parquet": _read_parquet, ".jsonl": _read_jsonl, ".tsv": _read_tsv}[kind_of(path)](path)


def open_rows(target: str, like: str, added: Mapping[str, str]) -> RowsWriter:
    """Where rows of a file are written with columns added: their names, and what is said of each."""
    return {".parquet": ParquetRowsWriter, ".jsonl": RowsWriter, ".tsv": RowsWriter}[kind_of(like)](target, like, added)


def refuse_taken(added: Mapping[str, Any], names: Sequence[str], path: str) -> None:
    """Refuse to add a column where there is one of that name."""
    taken = next((name for name in added if name in names), None)
    if taken is not None:
        raise InputError(f"{path} has a column {taken!r} already; give the new ones other names (--prefix TEXT)")


class RowsWriter:
    """A file of text: written whole or not at all, when it is finished."""

    def __init__(self, target: str, like: str, added: Mapping[str, str]) -> None:
        self.target, self.like, self.added = target, like, added
        self.stack = ExitStack()
        self.file = self.stack.enter_context(write_atomically(target))
        try:
            self.open()
        except BaseException:
            self.leave()
            raise

    def open(self) -> None:
        """Pack what is written, if the name says so."""
        if suffix := packing(self.target):
            self.file = self.stack.enter_context(_packed(self.file, suffix))

    def write(self, rows: Any) -> None:
        """What `with_columns` made of some rows."""
        with self.said():
            self.add(rows)

    def finish(self) -> None:
        """All rows are written."""
        with self.said():
            self.end()
            self.stack.close()

    def add(self, rows: Any) -> None:
        """Write some rows."""
        self.file.write(rows)

    def end(self) -> None:
        """Write what a file ends with."""

    @contextmanager
    def said(self) -> Iterator[None]:
        """What keeps a file from being written, as a sentence."""
        try:
            yield
        except OSError as error:  # pyarrow's have no strerror
            reason = os.strerror(error.errno) if error.errno else error
            raise InputError(f"{self.target}: cannot be written ({reason})") from None

    def leave(self) -> None:
        """They will not be."""
        error = InterruptedError("left")
        try:
            self.stack.__exit__(type(error), error, None)
        except (OSError, InputError):
            return


def _packed(file: Any, suffix: str) -> AbstractContextManager[Any]:
    if suffix == ".gz":
        import gzip

        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)  # the same bytes at any time
    from importlib import import_module

    packed: AbstractContextManager[Any] = import_module(MODULES[suffix]).open(file, "wb")
    return packed


def number_text(value: float, nothing: str) -> str:
    """A number as it is written in texts."""
    return repr(value) if np.isfinite(value) else nothing


class JsonRows:
    """Rows of JSON lines."""

    def __init__(self, rows: list[dict[str, Any]], texts: list[str], path: str, line: int) -> None:
        self.rows, self.texts, self.path, self.line = rows, texts, path, line
        self.names = tuple(dict.fromkeys(key for row in rows for key in row))

    def streams(self, name: str) -> Streams:
        """The texts of one key."""
        from tertium.io.jsonl import streams_of

        return streams_of(self.rows, name, self.path, self.line)

    def numbers(self, name: str) -> Array:
        """The numbers of one key; true and false are 1 and 0. # (n,)"""
        return np.array([self._number(row.get(name), name, k) for k, row in enumerate(self.rows)], dtype=np.float64)

    def _number(self, value: Any, name: str, row: int) -> float:
        if value is None or isinstance(value, bool | float):  # a float is NaN or an infinity
            return np.nan if value is None else float(value)
        number = read_number(value) if isinstance(value, str) else np.nan
        if isinstance(value, str) and (number == number or value.strip() in ("", "nan", "NaN")):
            return number
        raise InputError(f"{self.path}:{self.line + row}: {name!r} is no number; compare it with a text, in quotes")

    def with_columns(self, added: Added, kept: Any = None) -> bytes:
        """The same lines with keys at their ends. # kept: (n,)"""
        names = [json.dumps(name, ensure_ascii=False) for name in added]
        values = [column.tolist() for column in added.values()]
        lines = []
        for k in range(len(self.rows)) if kept is None else np.flatnonzero(kept).tolist():
            refuse_taken(added, tuple(self.rows[k]), f"{self.path}:{self.line + k}")
            more = [f"{name}: {number_text(of[k], 'null')}" for name, of in zip(names, values, strict=True)]
            own = self.texts[k].strip().removesuffix("}").rstrip()
            parts = [own if self.rows[k] else "", *([", "] if self.rows[k] and more else []), ", ".join(more)]
            lines.append(f"{'' if self.rows[k] else '{'}{''.join(parts)}}}\n")
        return "".join(lines).encode()


def _read_jsonl(path: str) -> Iterator[tuple[float, WholeRows]]:
    from tertium.io.jsonl import read_row

    blank = 0
    for before, lines, share in blocks.text_blocks(path):
        rows, texts = [], []
        for number, line in enumerate(lines, before + 1):
            text = str(line)
            if not text.strip():
                blank = blank or number
                continue
            if blank:
                raise InputError(f"{path}:{blank}: a blank line; expected one JSON object per line")
            rows.append(read_row(text, f"{path}:{number}"))
            texts.append(text)
        if rows:
            yield share, JsonRows(rows, texts, path, before + 1)


class TsvRows:
    """Rows of a table of texts."""

    def __init__(self, table: ColumnFile, header: str, lines: Lines, path: str, line: int, first: bool) -> None:
        self.table, self.header, self.lines, self.path, self.line = table, header, lines, path, line
        self.first = first  # of the file
        self.names = table.names

    def streams(self, name: str) -> Streams:
        """The texts of a column."""
        return self.table.read(column_of(self.table.names, self.path, name))

    def numbers(self, name: str) -> Array:
        """The numbers of a column; NaN where it is empty. # (n,)"""
        (texts,) = self.streams(name)
        found = np.array([read_number(str(text)) if text else np.nan for text in texts], dtype=np.float64)
        for k in np.flatnonzero(np.isnan(found)).tolist():
            if texts[k] and str(texts[k]).strip().lower() not in ("", "nan"):
                raise InputError(
                    f"{self.path}:{self.line + k}: {name!r} is no number; compare it with a text, in quotes"
                )
        return found

    def with_columns(self, added: Added, kept: Any = None) -> bytes:
        """The same lines with fields at their ends; before the first ones the header. # kept: (n,)"""
        refuse_taken(added, self.table.names, self.path)
        spare = len(self.header.split("\t")) - len(self.table.names)  # a tab with nothing behind it
        values = [column.tolist() for column in added.values()]
        lines = []
        if self.first:
            names = self.header[:-1] if spare else self.header
            lines.append("\t".join([names, *added]) + "\n")
        for k in range(len(self.lines)) if kept is None else np.flatnonzero(kept).tolist():
            own = str(self.lines[k])
            lines.append("\t".join([own[:-1] if spare else own, *(number_text(of[k], "") for of in values)]) + "\n")
        return "".join(lines).encode()


def _read_tsv(path: str) -> Iterator[tuple[float, WholeRows]]:
    names: tuple[str, ...] = ()
    header = ""
    for before, lines, share in blocks.text_blocks(path):
        rows = lines
        if not before:
            names, rows, header = tsv_names(lines, path), lines[1:], str(lines[0])
        line = before + 1 + len(lines) - len(rows)
        table = cut_fields(rows, names, path, line)
        check_names(table.names if len(rows) else [name for name in table.names if name], path)
        yield share, TsvRows(table, header, rows, path, line, not before)


class ArrowRows:
    """A record batch."""

    def __init__(self, batch: Any, path: str) -> None:
        self.batch, self.path = batch, path
        self.names = tuple(batch.schema.names)

    def streams(self, name: str) -> Streams:
        """The texts of a column."""
        from tertium.io.arrow import column_streams

        column_of(self.names, self.path, name)
        return column_streams(self.batch, self.path, name)

    def numbers(self, name: str) -> Array:
        """The numbers of a column; true and false are 1 and 0. # (n,)"""
        import pyarrow as pa

        column = self.batch.column(self.names.index(column_of(self.names, self.path, name)))
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        kind = column.type
        if pa.types.is_boolean(kind):
            column = column.cast(pa.uint8())
        elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
                  or pa.types.is_null(kind)):  # fmt: skip
            raise InputError(f"{self.path}: column {name!r} holds {kind} and no numbers; compare it with a text, "
                             f"in quotes")  # fmt: skip
        found: Array = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return found

    def with_columns(self, added: Added, kept: Any = None) -> Any:
        """The batch with columns, without metadata. # kept: (n,)"""
        import pyarrow as pa

        arrays = [*self.batch.columns, *(pa.array(of, mask=~np.isfinite(of)) for of in added.values())]
        made = pa.RecordBatch.from_arrays(arrays, [*self.batch.schema.names, *added])
        return made if kept is None else made.filter(pa.array(kept))


def _read_parquet(path: str) -> Iterator[tuple[float, WholeRows]]:
    from tertium.io.arrow import parquet_batches

    total, batches = parquet_batches(path, None, blocks.SIP, blocks.ROWS)
    read = 0
    for batch in batches:
        read += batch.num_rows
        yield min(1.0, read / total) if total else 0.0, ArrowRows(batch, path)


class ParquetRowsWriter(RowsWriter):
    """A Parquet file with the schema, the metadata and the compression of another, and more columns."""

    GROUP_ROWS, GROUP_BYTES = 1 << 17, 1 << 25

    def open(self) -> None:
        """Find out what the file is to be like."""
        from tertium.io.arrow import about_parquet

        if packing(self.target):
            raise InputError(f"{self.target}: Parquet files are packed inside; name one that ends in .parquet")
        import pyarrow as pa
        import pyarrow.parquet

        schema, compression = about_parquet(self.like)
        refuse_taken(self.added, schema.names, self.like)
        for name, said in self.added.items():
            schema = schema.append(pa.field(name, pa.float64(), metadata={"tertium": said}))
        held: list[Any] = []
        self.schema, self.held, self.rows, self.bytes = schema, held, 0, 0
        self.writer = pyarrow.parquet.ParquetWriter(self.file, schema, compression=compression)

    def add(self, rows: Any) -> None:
        """Rows are gathered until they are a group."""
        self.held.append(rows)
        self.rows, self.bytes = self.rows + rows.num_rows, self.bytes + rows.nbytes
        if self.rows >= self.GROUP_ROWS or self.bytes >= self.GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        batches = [pa.RecordBatch.from_arrays(batch.columns, schema=self.schema) for batch in self.held]
        if self.rows:
            self.writer.write_table(pa.Table.from_batches(batches, self.schema), row_group_size=self.rows)
        self.held, self.rows, self.bytes = [], 0, 0

    def end(self) -> None:
        """The last group, and what a Parquet file ends with."""
        self._flush()
        self.writer.close()

    def leave(self) -> None:
        """The writer must not end a file that is not to be."""
        if hasattr(self, "writer"):
            self.writer.is_open = False
        super().leave()


def column_names(path: str) -> tuple[tuple[str, ...], bool]:
    """The columns of a table before its rows are read, and whether these are all: of JSON lines they are those of the
    first row."""
    kind = kind_of(path)
    if kind == ".parquet":
        from tertium.io.arrow import schema_names

        return schema_names(path), True
    first = next(read_rows(path), None)
    return ((), False) if first is None else (tuple(first[1].names), kind == ".tsv")


def check_columns(path: str, named: Sequence[str], added: Mapping[str, Any]) -> None:
    """Refuse columns that a file does not have, and new ones that it has, before anything is counted; as far as it says
    what it has without being read."""
    names, known = column_names(path)
    for name in named if known else ():
        column_of(names, path, name)
    refuse_taken(added, names, path)
