"""The one door to localisation files: by their extension, with inline tags read as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tertium.core.errors import InputError
from tertium.io.columns import ColumnFile, extension
from tertium.io.files import read_bytes
from tertium.io.localisation.bitext import Bitext, join_bitexts
from tertium.io.localisation.tags import STRIP, check_tags


def read_bitext(path: str, tags: str | None = None) -> Bitext:
    """The segments of a localisation file; `tags` is one of strip (what is done without it), protect and keep."""
    reader = FORMATS[extension(path)]
    return reader(read_bytes(path), path, check_tags(tags or STRIP))


def read_bitexts(paths: Sequence[str], name: str, tags: str | None = None) -> Bitext:
    """The segments of several files as one test set."""
    for path in paths:
        if extension(path) not in FORMATS:
            raise InputError(f"{path}: not a localisation file; expected a name that ends in {', '.join(FORMATS)}")
    return join_bitexts([read_bitext(path, tags) for path in paths], name)


def open_bitext(path: str, tags: str | None = None) -> ColumnFile:
    """The same as columns: the one that is meant where nobody says is target, or as source, source."""
    bitext = read_bitext(path, tags)
    columns = bitext.columns()
    return ColumnFile(tuple(columns), columns.__getitem__, usual="target", bitext=(bitext.sources(), bitext.tags))


def _xliff(data: Any, path: str, tags: str) -> Bitext:
    from tertium.io.localisation.xliff import read_xliff

    return read_xliff(data, path, tags)


def _tmx(data: Any, path: str, tags: str) -> Bitext:
    from tertium.io.localisation.tmx import read_tmx

    return read_tmx(data, path, tags)


def _po(data: Any, path: str, tags: str) -> Bitext:
    from tertium.io.localisation.po import read_po

    return read_po(data, path, tags)


def _sheet(data: Any, path: str, tags: str) -> Bitext:
    from tertium.io.localisation.sheet import read_sheet

    return read_sheet(data, path, tags)


FORMATS: dict[str, Callable[[Any, str, str], Bitext]] = {
    ".xlf": _xliff,
    ".xliff": _xliff,
    ".sdlxliff": _xliff,
    ".mqxliff": _xliff,
    ".mxliff": _xliff,
    ".tmx": _tmx,
    ".po": _po,
    ".pot": _po,
    ".xlsx": _sheet,
}
