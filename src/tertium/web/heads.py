"""What a table holds, by its first line: texts column by column, or judgements as a whole. Packed or not."""

from __future__ import annotations

import bz2
import csv
import json
import lzma
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from tertium.io.columns import extension
from tertium.io.files import packing
from tertium.io.ratings.formats import are_ratings

HEAD = 1 << 19  # bytes of a file that are looked at; bzip2 gives nothing before it has a whole block
MOST = 1 << 18  # bytes that these may unpack to


class Head(NamedTuple):
    """The columns of a table, and whether it is one of judgements."""

    columns: tuple[str, ...]
    judged: bool


def head_of(path: Path) -> Head:
    """The head of a file that is there."""
    with path.open("rb") as file:
        return read_head(path.name, file.read(HEAD))


def read_head(name: str, data: bytes) -> Head:
    """The head of a table of which the first bytes are here; no columns where they cannot be read."""
    line = unpacked(name, data[:HEAD]).decode("utf-8-sig", "replace").partition("\n")[0].removesuffix("\r")
    try:
        columns = fields(extension(name), line)
    except (ValueError, TypeError, AttributeError, RecursionError, csv.Error):
        columns = []
    return Head(tuple(columns), are_ratings(columns))


def fields(kind: str, line: str) -> list[str]:
    """The columns that a first line names."""
    if kind in (".jsonl", ".ndjson"):
        return [str(key) for key in dict(json.loads(line))]
    return line.split("\t") if kind == ".tsv" else next(csv.reader([line]), [])


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
