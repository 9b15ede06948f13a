"""Files read in blocks: texts and columns as Lines, a few megabytes at a time, whatever the size of the file.

Plain text, TSV, JSON lines (also packed), Parquet and Arrow are read as they come. Tables of other kinds (CSV, Excel,
WMT) are read whole and handed on in blocks.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.columns import (
    ColumnFile,
    Streams,
    cut_fields,
    extension,
    is_localisation,
    is_table,
    open_table,
    tsv_names,
)
from tertium.io.files import COMPRESSED, ENDLESS, HARMLESS, LONGEST, RATIO, check_nuls, megabytes, open_file
from tertium.io.texts import column_of

SIP = 1 << 21  # bytes of text read at a time
ROWS = 1 << 14  # rows of a table read at a time, fewer where they are long

Columns = Sequence[str | None]  # None: the text itself, or the only column
# How much of the file is read (0: nobody knows), and of each column its streams, all of one length.
Blocks = Iterator[tuple[float, tuple[Streams, ...]]]


def read_blocks(path: str, columns: Columns) -> Blocks:
    """These columns of a file, block by block."""
    return READERS.get(extension(path), _read_whole if is_table(path) else _read_plain)(path, columns)


class TextBlock(NamedTuple):
    """A run of whole lines, the number of lines before it, and how much of the file is read (0: nobody knows)."""

    before: int
    lines: Lines
    share: float


def text_blocks(path: str) -> Iterator[TextBlock]:
    r"""A text in runs of lines, split as all Lines are."""
    before, rest, read = 0, b"", 0
    with open_file(path) as file:
        size = Path(path).stat().st_size
        for chunk in _chunks(file, path):
            read += len(chunk)
            end = chunk.rfind(b"\n") + 1
            if not end:
                rest += chunk
                if len(rest) > LONGEST:
                    raise InputError(f"{path}:{before + 1}: {ENDLESS}")
                continue
            lines = _split(rest + chunk[:end], path, before)
            rest = chunk[end:]
            yield TextBlock(before, lines, 0.0 if path.endswith(COMPRESSED) else min(1.0, read / max(1, size)))
            before += len(lines)
    if rest:
        yield TextBlock(before, _split(rest, path, before), 1.0)


def _chunks(file: IO[bytes], path: str) -> Iterator[bytes]:
    """The bytes of a file; a packed one may not unpack to more than text can."""
    read = 0
    most = max(HARMLESS, RATIO * Path(path).stat().st_size) if path.endswith(COMPRESSED) else 0
    while True:
        try:
            chunk = file.read(SIP)
        except Exception as error:  # each kind of compression has errors of its own for the same thing
            raise InputError(f"{path}: cannot be read ({error})") from None
        if not chunk:
            return
        read += len(chunk)
        if most and read > most:
            raise InputError(f"{path}: unpacks to more than {megabytes(most)}, {RATIO} times its size")
        yield chunk


def _split(data: bytes, path: str, before: int) -> Lines:
    """The lines of a block. A byte order mark is one at the beginning of the file alone."""
    if before == 0:
        check_nuls(data, path)
    wrong = _kernel.first_invalid_utf8(data)
    if wrong >= 0:
        line = before + data[:wrong].count(b"\n") + 1
        raise InputError(
            f"{path}:{line}: byte 0x{data[wrong]:02x} is not UTF-8; "
            f"convert the file first, for example with: iconv -f latin1 -t utf-8"
        )
    if before and data.startswith(codecs.BOM_UTF8):
        return Lines.from_bytes(b"\n" + data, path)[1:]
    return Lines(data, *_kernel.split_lines(data))


def _read_plain(path: str, columns: Columns) -> Blocks:
    for column in columns:
        if column is not None:
            raise InputError(f"{path} is plain text and has no column {column!r}; name the file alone")
    for block in text_blocks(path):
        yield block.share, ((block.lines,),) * len(columns)


def _read_tsv(path: str, columns: Columns) -> Blocks:
    names: tuple[str, ...] = ()
    chosen: list[str] = []
    for before, lines, share in text_blocks(path):
        rows = lines
        if not names:
            names, rows = tsv_names(lines, path), lines[1:]
            chosen = [column_of(names, path, column) for column in columns]
        table = cut_fields(rows, names, path, before + 1 + len(lines) - len(rows))
        yield share, tuple(table.read(name) for name in chosen)


def _read_jsonl(path: str, columns: Columns) -> Blocks:
    from tertium.io.jsonl import JsonLines

    seen: dict[str, None] = {}  # keys, in the order in which they first appear; all of them if one that is asked for
    named = [name for name in columns if name is not None]  # has not appeared
    chosen: list[str] | None = None
    blank = 0  # the number of a blank line that must be among the last
    for before, lines, share in text_blocks(path):
        part = JsonLines(lines, path, before + 1)
        if not blank:
            part.find(chosen or (named if len(named) == len(columns) else None))
        count = 0 if blank else part.count
        if count < len(lines):
            blank = blank or before + 1 + count
            if any(str(lines[k]).strip() for k in range(count, len(lines))):
                raise InputError(f"{path}:{blank}: a blank line; expected one JSON object per line")
        if not count:
            continue
        for row in part.rows.values():
            seen.update(dict.fromkeys(row))
        if len(part.left) < count:
            seen.update(dict.fromkeys(part.found))
        if chosen is None:
            chosen = [column_of(tuple(seen), path, None) if column is None else column for column in columns]
        yield share, tuple(part.streams(name) for name in chosen)
    for name in chosen or ():
        column_of(tuple(seen), path, name)  # which no row has


def _read_whole(path: str, columns: Columns) -> Blocks:
    if is_localisation(path):
        raise InputError(
            f"{path}: localisation files are no shards; name them in a testset.toml "
            f'(files = "jobs/*.xlf") and pass that'
        )
    table: ColumnFile = open_table(path)
    yield from _sliced([table.read(column_of(table.names, path, column)) for column in columns])


def _read_parquet(path: str, columns: Columns) -> Blocks:
    from tertium.io.arrow import parquet_batches, schema_names

    names = schema_names(path)
    chosen = [column_of(names, path, column) for column in columns]
    total, batches = parquet_batches(path, chosen, SIP, ROWS)
    return _columns_of(batches, total, path, chosen)


def _read_arrow(path: str, columns: Columns) -> Blocks:
    from tertium.io.arrow import arrow_batches

    names, total, batches = arrow_batches(path)
    chosen = [column_of(names, path, column) for column in columns]
    return _columns_of(batches, total, path, chosen)


def _columns_of(batches: Iterator[Any], total: int, path: str, columns: Sequence[str]) -> Blocks:
    from tertium.io.arrow import column_streams

    read = 0
    for batch in batches:
        read += batch.num_rows
        share = min(1.0, read / total) if total else 0.0
        for _, part in _sliced([column_streams(batch, path, name) for name in columns]):
            yield share, part


def _sliced(columns: Sequence[Streams]) -> Blocks:
    rows = len(columns[0][0])
    for first in range(0, rows, ROWS):
        part = tuple(tuple(stream[first : first + ROWS] for stream in column) for column in columns)
        yield min(1.0, (first + ROWS) / rows), part


READERS: dict[str, Callable[[str, Columns], Blocks]] = {
    ".tsv": _read_tsv,
    ".jsonl": _read_jsonl,
    ".ndjson": _read_jsonl,
    ".parquet": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
}
