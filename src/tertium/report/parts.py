"""Sections of several parts: words, figures and tables that belong together, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertium.core.table import Table
from tertium.report.charts import Chart
from tertium.report.page import Section


@dataclass(frozen=True, kw_only=True)
class SectionPart:
    """A part of a section: what is seen, paragraphs, points of a list, figures, tables, in this order. One that is
    `folded` is a line, its title and what is seen, until the reader opens it."""

    title: str = ""
    finding: str = ""
    folded: bool = False
    half: bool = False  # two of them stand side by side where the screen is wide enough
    text: Sequence[str] = ()
    points: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()


def composed(
    id: str,
    title: str,
    parts: Iterable[SectionPart],
    text: Sequence[str] = (),
    *,
    finding: str = "",
    folded: bool = False,
    template: str = "composed.html",
) -> Section:
    """A section of parts, in their order."""
    shown = list(parts)
    return Section(
        id=id,
        title=title,
        finding=finding,
        folded=folded,
        text=text,
        tables=[table for part in shown for table in part.tables],
        charts=[chart for part in shown for chart in part.charts],
        template=template,
        data={"parts": shown},
    )
