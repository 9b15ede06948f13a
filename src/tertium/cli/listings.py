"""Tables of plain values, each with a title: as text, Markdown, TSV, CSV and JSON. No arithmetic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tertium.cli.tables import markdown_table, text_table
from tertium.core.shown import ABSENT, number, p_text, visible

Value = str | int | float | None
ESCAPED = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


@dataclass(frozen=True)
class Listing:
    """A table: its title, its columns' heads, its rows, what stands below. The first `left` columns are texts."""

    title: str
    heads: list[str]
    rows: list[list[Value]]
    left: int = 1
    note: str = ""

    def cells(self, width: int) -> list[list[str]]:
        """The rows as they are shown."""
        return [[cell(value, width, head) for value, head in zip(row, self.heads, strict=True)] for row in self.rows]

    def with_columns(self, **values: Value) -> Listing:
        """The same with columns that say one thing in every row: how all rows came about, for programs to read."""
        rows = [[*row, *values.values()] for row in self.rows]
        return replace(self, heads=[*self.heads, *values], rows=rows)


def cell(value: Value, decimals: int, head: str = "") -> str:
    """A value as it is shown; columns named `p`, `p (Holm)` and so on hold p-values."""
    if value is None:
        return ABSENT
    if isinstance(value, float):
        return p_text(value) if head.split(" ")[0] == "p" else number(value, decimals)
    return visible(value) if isinstance(value, str) else str(value)


def text_listings(listings: Sequence[Listing], width: int) -> str:
    """One below the other, each under its title."""
    parts = [(item.title, text_table(item.heads, item.cells(width), item.left), item.note) for item in listings]
    return "\n\n".join(part for item in parts for part in item if part)


def markdown_listings(listings: Sequence[Listing], width: int) -> str:
    """One below the other; titles only where there are several."""
    tables = [
        markdown_table(item.heads, item.cells(width), item.left) + (f"\n\n{item.note}" if item.note else "")
        for item in listings
    ]
    if len(tables) == 1:
        return tables[0]
    return "\n\n".join(f"**{item.title}**\n\n{table}" for item, table in zip(listings, tables, strict=True))


def tsv_listing(listing: Listing) -> str:
    """Numbers at full precision, nothing where there is none; tabs and line breaks in texts as `\\t`, `\\n`, `\\r`."""
    lines = [listing.heads, *[[exact(value).translate(ESCAPED) for value in row] for row in listing.rows]]
    return "\n".join("\t".join(line) for line in lines)


def csv_listing(listing: Listing) -> str:
    """Numbers at full precision, nothing where there is none."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([listing.heads, *[[exact(value) for value in row] for row in listing.rows]])
    return out.getvalue().rstrip("\n")


def exact(value: Value) -> str:
    """A value for programs to read."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else repr(value)


def plain_rows(listing: Listing) -> list[dict[str, Value]]:
    """Objects for JSON, which knows no NaN."""
    return [
        {head: None if isinstance(value, float) and not math.isfinite(value) else value
         for head, value in zip(listing.heads, row, strict=True)}
        for row in listing.rows
    ]  # fmt: skip
