"""Tables: typed columns, rows of plain values, what stands above and below. Every printer prints them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from tertium.core.wording import ABSENT, number, p_text, visible

Value = str | int | float | None
Kind = Literal["text", "number", "p", "code"]
Better = Literal["higher", "lower"]


class Cell(NamedTuple):
    """A value that is shown otherwise than by rounding it: `52.8 [48.3, 57.0]` is sorted and copied as 52.81."""

    text: str
    value: Value = None
    strong: bool = False
    title: str = ""  # what the reader of a page sees on pointing at it
    bar: tuple[float, float, float] | None = None  # on pages: low, value and high, in percent of the column's range
    link: str = ""  # on pages: where it leads, a place of the page
    ends: tuple[float, float] | None = None  # of the interval that the text names, at full precision


Row = Sequence[Value | Cell]
Rows = list[list[Value | Cell]]


class Column(NamedTuple):
    """What stands in a column, and how it is shown.

    `spare` says what becomes of it where a table is too wide: 0 stands in every part of the table, 1 may go to another
    part, from 2 on it is left out, those with the highest number first and together.
    """

    head: str
    kind: Kind = "number"
    decimals: int = 2
    better: Better | None = None  # then the best of the column is marked
    spare: int = 1

    def cell(self, value: Value | Cell, decimals: int | None = None) -> Cell:
        """A value as it is shown."""
        if isinstance(value, Cell):
            return value._replace(text=visible(value.text))
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return Cell(ABSENT)
        if not isinstance(value, float):
            return Cell(visible(str(value)), value)
        if math.isinf(value):
            return Cell(number(value, 0))
        rounded = number(value, self.decimals if decimals is None else decimals)
        return Cell(p_text(value) if self.kind == "p" else rounded, value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Table:
    """A table: what stands above it, its columns, its rows, what stands below."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    title: str = ""
    note: str = ""
    shown: int | None = None  # so many rows of a page before the reader asks for all
    rules: Sequence[int] = ()  # rows, from 0, above which pages draw a line

    @property
    def heads(self) -> list[str]:
        """What stands above the columns."""
        return [column.head for column in self.columns]

    @property
    def left(self) -> int:
        """How many columns are texts, from the left."""
        numeric = (k for k, column in enumerate(self.columns) if column.kind not in ("text", "code"))
        return next(numeric, len(self.columns))

    def cells(self, decimals: int | None = None) -> list[list[Cell]]:
        """The rows as they are shown, the best of a column marked; `decimals` are for all numbers but p-values."""
        rows = [
            [column.cell(value, decimals) for column, value in zip(self.columns, row, strict=True)] for row in self.rows
        ]
        for k, column in enumerate(self.columns):
            for row in _best(rows, k, column.better):
                row[k] = row[k]._replace(strong=True)
        return rows

    def values(self) -> list[list[Value]]:
        """The rows at full precision."""
        return [[value.value if isinstance(value, Cell) else value for value in row] for row in self.rows]

    def with_columns(self, **values: Value) -> Table:
        """The same with columns that say one thing in every row: how all rows came about, for programs to read."""
        columns = [*self.columns, *numbers(*values)]
        return replace(self, columns=columns, rows=[[*row, *values.values()] for row in self.rows])


def _best(rows: Sequence[list[Cell]], k: int, better: Better | None) -> list[list[Cell]]:
    """The rows that have the best value of a column, all of them where several share it; none where it has only one."""
    known = [value for row in rows if isinstance(value := row[k].value, int | float)]
    if better is None or len(known) < 2:
        return []
    best = max(known) if better == "higher" else min(known)
    return [row for row in rows if row[k].value == best]


def texts(*heads: str, spare: int = 0) -> list[Column]:
    """Columns of texts; names, by which rows are known, unless they can be spared."""
    return [Column(head, "text", spare=spare) for head in heads]


def numbers(*heads: str, decimals: int = 2, spare: int = 1) -> list[Column]:
    """Columns of numbers."""
    return [Column(head, "number", decimals, spare=spare) for head in heads]


def chances(*heads: str, spare: int = 1) -> list[Column]:
    """Columns of p-values."""
    return [Column(head, "p", spare=spare) for head in heads]
