"""A table of scores as a page: how far metrics go with people, group by group, and where they contradict them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tertium.core.wording import counted
from tertium.meta.correlate import TITLES, matrix
from tertium.meta.preference import Preference
from tertium.meta.table import ScoreTable
from tertium.report.charts import Chart
from tertium.report.figures import people as figures_people
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.system_pairs import pair_part, preference_parts
from tertium.report.tables.correlations import (
    Correlations,
    correlation_tables,
    outlier_tables,
    summary_tables,
    win_tables,
)

SHOWN = 24


def correlation_page(given: Correlations, title: str, about: str) -> Page:
    """Correlations, wins, outliers, pairs of systems, and metrics beside each other."""
    given = replace(given, shown=SHOWN)
    parts: list[Section | None] = [
        correlations(given),
        best(given),
        outliers(given),
        composed("pairs", "Pairs of systems", [pair_part(given.scores)]) if len(given.scores.pairs) else None,
        beside(given),
    ]
    return Page(title=title, subtitle=about, sections=[part for part in parts if part is not None])


def preference_page(found: Sequence[Preference], table: ScoreTable, title: str, about: str) -> Page:
    """What a difference is worth."""
    names = {name: table.shown(name) for name in (table.gold, *table.metrics)}
    parts = list(preference_parts(found, names))
    text = [] if parts else ["There are no pairs of rows with human scores in any group."]
    return Page(title=title, subtitle=about, sections=[composed("preference", "Preferences", parts, text)])


def correlations(given: Correlations) -> Section:
    """Every correlation, and its p."""
    notes = [f"{note[:1].upper()}{note[1:]}." for note in given.table.warnings]
    part = SectionPart(tables=correlation_tables(given))
    return composed("correlations", "Correlations with people", [part], notes)


def best(given: Correlations) -> Section | None:
    """Which metric goes best with people, counted over groups; nothing to count in one."""
    if len(given.table.groups) < 2:
        return None
    found = zip(win_tables(given), summary_tables(given), strict=True)
    return composed("wins", "Wins", [SectionPart(tables=tables) for tables in found])


def outliers(given: Correlations) -> Section:
    """Systems far from all others, and what correlations are without them."""
    found = outlier_tables(given)
    text = ["One broken system can carry a whole correlation: look at what is left without it."]
    if not found[0].rows:
        rule = f"more than {given.limit:g} median absolute deviations from the median of its group"
        return composed("outliers", "Outliers", [], [f"No system is an outlier: none has human scores {rule}."])
    return composed("outliers", "Outliers", [SectionPart(tables=found)], text)


def beside(given: Correlations) -> Section:
    """The heat maps."""
    return composed("metrics", "Metrics beside each other", [SectionPart(charts=list(_heat_maps(given)))])


def _heat_maps(given: Correlations) -> Iterator[Chart]:
    over = "" if len(given.table.groups) < 2 else f"Means over {counted(len(given.table.groups), 'group')}."
    for statistic in given.statistics:
        names, means, _ = matrix(given.table, statistic)
        shown = [given.names[name] for name in names]
        yield figures_people.heat_maps({"": (shown, means)}, statistic=TITLES[statistic], note=over)
