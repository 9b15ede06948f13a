"""Sections of several parts: words, figures and tables that belong together, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertium.core.table import Table
from tertium.report.charts import Chart
from tertium.report.page import Section


@dataclass(frozen=True, kw_only=True)
class SectionPart:
    """A part of a section: paragraphs, points of a list, figures, tables, in this order."""

    title: str = ""
    text: Sequence[str] = ()
    points: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()


def composed(id: str, title: str, parts: Iterable[SectionPart], text: Sequence[str] = ()) -> Section:
    """A section of parts, in their order."""
    shown = list(parts)
    return Section(
        id=id,
        title=title,
        text=text,
        tables=[table for part in shown for table in part.tables],
        charts=[chart for part in shown for chart in part.charts],
        template="composed.html",
        data={"parts": shown},
    )
