"""A table of scores as a page: how far metrics go with people, group by group, and where they contradict them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tertium.core.wording import counted
from tertium.meta.correlate import TITLES, matrix
from tertium.meta.preference import Preference
from tertium.meta.table import ScoreTable
from tertium.report.charts import Chart
from tertium.report.figures import bars
from tertium.report.figures import people as figures_people
from tertium.report.methods import GOWDA, HOLM, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.people_methods import GRAHAM_14, KENDALL, KOCMI_21, MATHUR, PAIRS, WILLIAMS, WORTH
from tertium.report.system_pairs import pair_parts, preference_parts
from tertium.report.tables.correlations import (
    Correlations,
    correlation_tables,
    outlier_tables,
    summary_tables,
    win_tables,
)
from tertium.report.verdicts import correlations as said
from tertium.report.verdicts.preference import preference_trust, preference_verdict

SHOWN = 24
CORRELATED = """Every metric is correlated with {gold} within each group, over the rows that have both numbers; p is
two-sided, for the hypothesis that there is no correlation, and not corrected. Of columns in which lower is better the
sign is changed."""
WON = """A metric wins a group if its correlation is the highest of those above 0 with p < {alpha:g}, compared to three
decimals; metrics that share it all win. Means and medians are over the groups in which every metric is significant."""
WILLIAMS_SAID = """Whether one metric has the higher Pearson r of two is tested by Williams' test, which takes into
account that both share {gold}; two-sided, corrected by Holm within each group. It is an approximation for normal scores
and says nothing about other statistics."""
OUTLYING = """Outliers are rows whose {gold} is more than {limit:g} median absolute deviations from the median of their
group; correlations are also computed without them."""


def correlation_page(given: Correlations, title: str, about: str) -> Page:
    """Verdict, correlations, wins, outliers, pairs of systems, metrics beside each other, methods."""
    given = replace(given, shown=SHOWN)
    first = given.statistics[0]
    several = len(given.table.groups) > 1
    charts = [bars.correlation_bars(given, first), *([bars.win_bars(given, first)] if several else [])]
    parts: list[Section | None] = [
        opening(said.correlation_verdict(given), list(said.correlation_trust(given)), charts, given.table.warnings),
        correlations(given),
        best(given),
        outliers(given),
        pairs(given),
        beside(given),
        methods(given, about),
    ]
    return Page(title=title, subtitle=about, sections=[part for part in parts if part is not None])


def preference_page(found: Sequence[Preference], table: ScoreTable, title: str, about: str) -> Page:
    """What a difference is worth."""
    names = {name: table.shown(name) for name in (table.gold, *table.metrics)}
    first = opening(preference_verdict(found, names), list(preference_trust(found, names)), (), table.warnings)
    parts = list(preference_parts(found, names))
    shown = [composed("preference", "Differences", parts)]
    drawn = f"{found[0].trials} times, seed {found[0].seed}" if found else ""
    done = [Method("What a difference is worth", WORTH.format(drawn=drawn), KOCMI_21)]
    return Page(
        title=title,
        subtitle=about,
        sections=[first, *(shown if parts else []), methods_of(done, {}, f"{about}.")],
    )


def correlations(given: Correlations) -> Section:
    """Every correlation, behind what is seen in it; its p behind a line."""
    parts = []
    tables = correlation_tables(given)
    for k, statistic in enumerate(given.statistics):
        values, chances = tables[2 * k : 2 * k + 2]
        charts = [bars.correlation_bars(given, statistic)] if k else []
        parts += [
            SectionPart(finding=said.significance(given, statistic), charts=charts, tables=[values]),
            SectionPart(title=f"p of {TITLES[statistic]}", finding="Two-sided, each by itself.", folded=True,
                        tables=[chances]),
        ]  # fmt: skip
    return composed("correlations", "Correlations with people", parts)


def best(given: Correlations) -> Section | None:
    """Which metric goes best with people, counted over groups; nothing to count in one."""
    if len(given.table.groups) < 2:
        return None
    parts = []
    for k, (statistic, won, summed) in enumerate(
        zip(given.statistics, win_tables(given), summary_tables(given), strict=True)
    ):
        charts = [bars.win_bars(given, statistic)] if k else []
        parts += [
            SectionPart(finding=said.common(given, statistic), charts=charts, tables=[won]),
            SectionPart(title=f"{TITLES[statistic]} over groups", folded=True, tables=[summed]),
        ]
    return composed("wins", "Wins", parts)


def outliers(given: Correlations) -> Section:
    """Systems far from all others, and what correlations are without them."""
    found = outlier_tables(given)
    rule = f"more than {given.limit:g} median absolute deviations from the median of its group"
    if not found[0].rows:
        none = f"No system is an outlier: none has human scores {rule}."
        return composed("outliers", "Outliers", [], finding=none)
    return composed("outliers", "Outliers", [SectionPart(tables=found)], finding=said.without(given), folded=True)


def pairs(given: Correlations) -> Section | None:
    """Where metrics contradict people."""
    if not len(given.scores.pairs):
        return None
    first, *rest = pair_parts(given.scores)
    return composed("pairs", "Pairs of systems", [replace(first, title=""), *rest])


def beside(given: Correlations) -> Section:
    """The heat maps."""
    names, means, _ = matrix(given.table, given.statistics[0])
    seen = said.alike([given.names[name] for name in names], means.tolist(), TITLES[given.statistics[0]])
    part = SectionPart(charts=list(_heat_maps(given)))
    return composed("metrics", "Metrics beside each other", [part], finding=seen)


def _heat_maps(given: Correlations) -> Iterator[Chart]:
    over = "" if len(given.table.groups) < 2 else f"Means over {counted(len(given.table.groups), 'group')}."
    for statistic in given.statistics:
        names, means, _ = matrix(given.table, statistic)
        shown = [given.names[name] for name in names]
        yield figures_people.heat_maps({"": (shown, means)}, statistic=TITLES[statistic], note=over)


def methods(given: Correlations, about: str) -> Section:
    """How the numbers came about."""
    gold = given.table.gold
    named = [TITLES[statistic] for statistic in given.statistics]
    done = [
        Method(", ".join(named), CORRELATED.format(gold=gold), KENDALL if "Kendall" in " ".join(named) else ""),
        *([Method("Wins", WON.format(alpha=given.alpha), GOWDA)] if len(given.table.groups) > 1 else []),
        Method("Metrics against each other", WILLIAMS_SAID.format(gold=gold), f"{WILLIAMS}; {GRAHAM_14}; {HOLM}"),
        Method("Outliers", OUTLYING.format(gold=gold, limit=given.limit), MATHUR),
        Method("Pairs of systems", PAIRS.partition(" Soft")[0], KOCMI_21),
    ]
    return methods_of(done, {}, f"{about}.")
