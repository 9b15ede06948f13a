"""Steps: how the score of one segment comes about, for people to follow."""

from __future__ import annotations

from typing import NamedTuple

from tertium.core.table import Table


class Step(NamedTuple):
    """A step of a calculation: sentences, tables, and lines of the formula with numbers in the place of letters."""

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    lines: tuple[str, ...] = ()
