"""A sheet of segments (.xlsx): what its columns are is told by their names, as in the workbench.

    source | target | mt: atlas | mt: borealis | document | id | translator | seconds

`source`, `target` (or `reference`) and outputs; documents, ids, and facts under their names; others are `meta:NAME`.
"""

from __future__ import annotations

import io
from typing import Any

from tertium.core.errors import InputError
from tertium.io.columns import check_names
from tertium.io.excel import check_excel, sheet_rows
from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.facts import about, is_seconds, put
from tertium.io.roles import ColumnRole, recognise
from tertium.io.wmt_documents import clean

FACTS = (
    "state",
    "translator",
    "creator",
    "reviser",
    "created",
    "changed",
    "origin",
    "engine",
    "match",
    "notes",
    "domain",
)
IDS = ("id", "ids", "segment", "key")


def read_sheet(data: Any, path: str, tags: str) -> Bitext:
    """The rows of the first sheet."""
    del tags  # a cell has none
    check_excel(path)
    heads, rows = sheet_rows(io.BytesIO(bytes(data)), path)
    check_names(heads, path)
    columns = [column_role(item) for item in recognise(heads)]
    roles = [item.role for item in columns]
    for role in ("source", "documents", "id"):
        if roles.count(role) > 1:
            names = ", ".join(item.column for item in columns if item.role == role)
            raise InputError(f"{path}: {roles.count(role)} columns for {role}: {names}; rename all but one")
    if "source" not in roles and "reference" not in roles:
        raise InputError(
            f"{path}: no column is called source, reference or target; there are: {', '.join(heads)}; rename them, or "
            f"name columns by --ref {path}:COLUMN"
        )
    bitext = Bitext(path, None)
    for number, row in enumerate(rows, 2):
        if any(text.strip() for text in row):
            bitext.segments.append(segment_of(columns, row, number))
    if not bitext.segments:
        raise InputError(f"{path}: no row below the names of the columns; is it the sheet that was meant?")
    return bitext


def column_role(item: ColumnRole) -> ColumnRole:
    """What a column is; of those that are no text, whether it names segments or is a fact."""
    name = item.column.strip().lower()
    known = name in FACTS or name in IDS or is_seconds(name)
    if item.role != "ignore" and not (item.role == "output" and known):
        return item
    if name in IDS:
        return item._replace(role="id")
    return item._replace(role="fact")


def segment_of(columns: list[ColumnRole], row: list[str], number: int) -> BitextSegment:
    """A row."""
    segment = BitextSegment(unit=str(number - 1), line=number, source=None)
    for item, text in zip(columns, row, strict=True):
        name = item.column.strip().lower()
        if item.role == "source":
            segment.source = clean(text)
        elif item.role == "reference":
            segment.targets += (clean(text),)
        elif item.role == "output":
            segment.outputs[item.name] = clean(text)
        elif item.role == "documents":
            segment.document = text
        elif item.role == "id":
            segment.unit = text or segment.unit
        elif name in FACTS:
            put(segment.facts, name, text)
        elif text:
            about(segment.facts, item.column, text)
    return segment
