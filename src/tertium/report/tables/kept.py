"""How many rows conditions keep, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from tertium.core.table import Column, Rows, Table
from tertium.engines.keep import KeptCounts


def kept_table(conditions: Sequence[KeptCounts]) -> Table:
    """A row for each condition by itself, and one for all of them together, which comes last."""
    rows: Rows = [[item.condition, item.kept, item.dropped, item.unknown] for item in conditions]
    rows = rows[:1] if len(rows) == 2 else [*rows[:-1], ["all of them", *rows[-1][1:]]]
    return Table(columns=[Column("condition", "text"), Column("true"), Column("false"), Column("not known")], rows=rows)
