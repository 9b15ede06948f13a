"""What a table holds, by its first line: texts column by column, or judgements as a whole. Packed or not."""

from __future__ import annotations

import bz2
import csv
import json
import lzma
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from tertium.io.columns import csv_delimiter, extension
from tertium.io.files import packing
from tertium.io.ratings.formats import are_ratings

HEAD = 1 << 19  # bytes of a file that are looked at; bzip2 gives nothing before it has a whole block
SAMPLE = 120  # characters of a text that is shown
MOST = 1 << 18  # bytes that these may unpack to


class Head(NamedTuple):
    """The columns of a table, whether it is one of judgements, and the texts of its first row."""

    columns: tuple[str, ...]
    judged: bool
    sample: tuple[str, ...] = ()


def head_of(path: Path) -> Head:
    """The head of a file that is there."""
    if extension(path) == ".xlsx":
        with path.open("rb") as file:
            return sheet_head(file, path.name)
    with path.open("rb") as file:
        return read_head(path.name, file.read(HEAD))


def read_head(name: str, data: bytes) -> Head:
    """The head of a table of which the first bytes are here; no columns where they cannot be read."""
    lines = unpacked(name, data[:HEAD]).decode("utf-8-sig", "replace").split("\n", 2)
    line, below = lines[0].removesuffix("\r"), lines[1].removesuffix("\r") if len(lines) > 1 else None
    try:
        columns = fields(extension(name), line)
    except (ValueError, TypeError, AttributeError, RecursionError, csv.Error):
        columns = []
    return Head(tuple(columns), are_ratings(columns), sample(extension(name), columns, line, below))


def sheet_head(file: IO[bytes], name: str) -> Head:
    """The head of an Excel file, which has to be here as a whole."""
    from tertium.io.excel import check_excel, sheet_rows

    check_excel(name)
    columns, rows = sheet_rows(file, name, most=1)
    return Head(tuple(columns), are_ratings(columns), tuple(text[:SAMPLE] for row in rows for text in row))


def sample(kind: str, columns: Sequence[str], line: str, below: str | None) -> tuple[str, ...]:
    """The texts of the first row, for people to see what is in a column; none where it cannot be read by itself."""
    try:
        if kind in (".jsonl", ".ndjson"):
            found = [str(value) for value in dict(json.loads(line)).values()]
        else:
            found = [] if below is None else fields(kind, below, csv_delimiter(line))
    except (ValueError, TypeError, AttributeError, RecursionError, csv.Error):
        return ()
    return tuple(text[:SAMPLE] for text in found) if len(found) == len(columns) else ()


def fields(kind: str, line: str, between: str | None = None) -> list[str]:
    """The columns that a first line names; or the fields of another line, with what stands between them."""
    if kind in (".jsonl", ".ndjson"):
        return [str(key) for key in dict(json.loads(line))]
    return (
        line.split("\t") if kind == ".tsv" else next(csv.reader([line], delimiter=between or csv_delimiter(line)), [])
    )


def unpacked(name: str, data: bytes) -> bytes:
    """The beginning of what is packed."""
    makers: dict[str, Any] = {
        ".gz": lambda: zlib.decompressobj(zlib.MAX_WBITS | 16),
        ".bz2": bz2.BZ2Decompressor,
        ".xz": lambda: lzma.LZMADecompressor(memlimit=1 << 27),
    }
    suffix = packing(name)
    try:
        return data if not suffix else bytes(makers[suffix]().decompress(data, MOST))
    except (OSError, EOFError, zlib.error, lzma.LZMAError, MemoryError):
        return b""
