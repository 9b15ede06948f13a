"""Tables of scores: columns of texts and numbers, from one file or from several with the same columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.io.columns import (
    ColumnFile,
    check_names,
    csv_table,
    extension,
    is_table,
    open_table,
    read_number,
    tsv_table,
)
from tertium.io.files import read_bytes
from tertium.io.texts import suggest

if TYPE_CHECKING:
    from tertium.core.stats import Array

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "–"})  # in lower case; all say that nothing is known


@dataclass(frozen=True, eq=False)
class TableFiles:
    """The rows of all files, one below the other; a column is read when it is asked for."""

    parts: tuple[tuple[str, ColumnFile], ...]  # path and table

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that every file has, in the order of the first."""
        first, *others = (table.names for _, table in self.parts)
        return tuple(name for name in first if all(name in names for names in others))

    @property
    def where(self) -> str:
        """The files, for messages."""
        return ", ".join(path for path, _ in self.parts)

    def texts(self, name: str) -> list[str]:
        """A column as texts, without the blanks around them."""
        return [text for _, text in self._cells(name)]

    def places(self) -> list[str]:
        """`file:line` of every row."""
        return [place for place, _ in self._cells(self.names[0])] if self.names else []

    def numbers(self, name: str) -> Array:
        """A column as numbers, NaN where a cell is empty. # (n,)"""
        import numpy as np

        return np.array([self._number(text, place, name) for place, text in self._cells(name)], dtype=np.float64)

    def is_numeric(self, name: str) -> bool:
        """Whether most cells of a column are meant as numbers; then `numbers` says which of them are none."""
        texts = [text.replace(",", "") for text in self.texts(name) if text.lower() not in MISSING]
        return 2 * sum(math.isfinite(read_number(text)) for text in texts) > len(texts)

    def column(self, name: str) -> str:
        """The name as the files write it: exactly, else in any case if only one column is called so."""
        if name in self.names:
            return name
        near = [known for known in self.names if known.lower() == name.lower()]
        if len(near) == 1:
            return near[0]
        for path, table in self.parts:
            if name not in table.names:
                known = ", ".join(table.names)
                raise InputError(f"{path}:1: no column {name!r}{suggest(name, table.names)} columns: {known}")
        raise InputError(f"{self.where}: no column {name!r} that all of them have")

    def _cells(self, name: str) -> Iterator[tuple[str, str]]:
        """Every cell of a column with the place where its row stands."""
        for path, table in self.parts:
            streams = table.read(name)
            if len(streams) > 1:
                raise InputError(f"{path}: column {name!r} has lists of values; expected one value in each row")
            for row, text in enumerate(streams[0]):
                yield f"{path}:{table.lines[row] if table.lines else row + 2}", (text or "").strip()

    def _number(self, text: str, place: str, name: str) -> float:
        if text.lower() in MISSING:
            return math.nan
        value = read_number(text)
        if not math.isfinite(value):
            path = place.rpartition(":")[0]
            column = dict(self.parts)[path].names.index(name) + 1
            way_out = (
                "write a point and no thousands separators" if "," in text else "leave a cell that is not known empty"
            )
            raise InputError(f"{place}:{column}: {name} is {text!r}, which is not a number; {way_out}")
        return value


def read_table(paths: str | Path | Sequence[str | Path]) -> TableFiles:
    """The tables in these files: by their names, else (.txt, standard input) by tabs or commas in the header."""
    several = [paths] if isinstance(paths, str | Path) else list(paths)
    if not several:
        raise InputError("no table: name a file")
    parts = tuple(_open(str(path)) for path in several)
    if not any(len(table.read(table.names[0])[0]) for _, table in parts if table.names):
        raise InputError(f"{', '.join(path for path, _ in parts)}: a header and no rows; expected one row per system")
    return TableFiles(parts)


def _open(path: str) -> tuple[str, ColumnFile]:
    """What messages call a file, and its table."""
    if is_table(path) or (path != "-" and extension(path) not in (".txt", "")):
        return path, open_table(path)
    data, name = read_bytes(path), "standard input" if path == "-" else path
    header = bytes(data[:65536]).partition(b"\n")[0]
    table = csv_table(data, name) if b"\t" not in header and b"," in header else tsv_table(data, name)
    check_names(table.names, name)
    return name, table
