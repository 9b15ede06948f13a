"""Tables of a page: plain values, and how each is shown; what is copied or sorted is the value, not its rounding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tertium.core.shown import ABSENT, number, p_text, visible

Value = str | int | float | None


class Cell(NamedTuple):
    """A value that is shown otherwise than by rounding it: `52.8 [48.3, 57.0]` is sorted and copied as 52.81."""

    text: str
    value: Value = None
    strong: bool = False
    title: str = ""  # what the reader sees on pointing at it


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table: what stands above it, the heads of its columns, its rows, what stands below.

    The first `left` columns are texts. `decimals` is for all numbers that are not whole, or by head.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Value | Cell]]
    left: int = 1
    decimals: int | Mapping[str, int] = 2
    note: str = ""
    shown: int | None = None  # so many rows before the reader asks for all
    codes: Sequence[str] = field(default=())  # heads of columns that are set as code and can be copied

    def cells(self) -> list[list[Cell]]:
        """The rows as they are shown."""
        places = [self.decimals if isinstance(self.decimals, int) else self.decimals.get(h, 2) for h in self.heads]
        chances = [head.split(" ")[0] == "p" for head in self.heads]  # `p`, `p (Holm)`
        return [
            [p_cell(value) if chance and isinstance(value, float) else cell(value, n)
             for value, n, chance in zip(row, places, chances, strict=True)]
            for row in self.rows
        ]  # fmt: skip


def cell(value: Value | Cell, decimals: int) -> Cell:
    """A value as it is shown."""
    if isinstance(value, Cell):
        return value._replace(text=visible(value.text))
    if isinstance(value, float) and not math.isfinite(value):
        return Cell(ABSENT if math.isnan(value) else number(value, 0))
    if isinstance(value, float):
        return Cell(number(value, decimals), value)
    if value is None:
        return Cell(ABSENT)
    return Cell(visible(str(value)), value)


def p_cell(p: float) -> Cell:
    """A p-value; what would be 0.0000 is said to be smaller."""
    return Cell(ABSENT) if math.isnan(p) else Cell(p_text(p), p)
