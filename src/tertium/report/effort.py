"""Post-editing effort as a page: how much, by whom and where, which edits, engines against each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tertium.human.effort.analysis import Effort
from tertium.metrics import parse
from tertium.report.figures.effort import group_chart
from tertium.report.methods import EFRON, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.effort import effort_table, engine_table, interval_note, kind_table, meaning_note
from tertium.report.verdicts import effort as said
from tertium.report.words import capital

SHOWN = 24  # rows before the reader asks for all
HOLM = 'Holm (1979), "A simple sequentially rejective multiple test procedure".'
NOREEN = 'Noreen (1989), "Computer-intensive methods for testing hypotheses".'
SNOVER = """Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), "A study of translation edit rate with targeted human
annotation"."""
MEASURED = """HTER is {metric} of each output against what a person made of it: the edits, and blocks shifted, that lead
from the one to the other, per 100 words of the latter. It counts what was changed, not what was thought about.
Characters and words are counted without shifts, upper and lower case apart. Every measure is a ratio of sums over
segments, so long segments weigh more."""
TESTED = """Two engines that translated the same segments are compared by the paired permutation test on these; others
by dividing all their {unit}s anew at random. Differences between translators, domains and documents are not tested:
texts and people were not assigned at random."""


def effort_page(result: Effort) -> Page:
    """The page of an effort."""
    about = f"{result.name}: {result.whole.segments:,} edited segments, {result.whole.words:,.0f} words"
    first = opening(said.effort_verdict(result), list(said.effort_trust(result)), (), result.notes)
    whole = replace(effort_table(result), title="Post-editing effort")
    sections: list[Section] = [
        first,
        composed("whole", "All segments", [SectionPart(tables=[whole])], finding=said.whole_finding(result)),
        *(_group(result, kind) for kind in result.kinds),
    ]
    kinds = [kind for kind in result.kinds if kind != "document"]
    parts = [SectionPart(tables=[replace(kind_table(result, kinds), title="Edits by kind")])]
    sections.append(
        composed("kinds", "Edits by kind, per 100 words of the post-edit", parts, finding=said.kinds_finding(result))
    )
    done = list(_done(result))
    sections.append(methods_of(done, {"TER": parse(result.metric)}, f"{about}. {meaning_note(result)}"))
    return Page(title=f"Post-editing effort: {result.name}", subtitle=about, sections=sections)


def _group(result: Effort, kind: str) -> Section:
    """A kind of groups: a chart, and its numbers."""
    chart = group_chart(result, kind)
    table = replace(effort_table(result, kind, shown=SHOWN), title=f"Post-editing effort by {kind}")
    parts = [SectionPart(charts=[] if chart is None else [chart], tables=[table])]
    if kind == "engine" and result.tests:
        engines = replace(engine_table(result), title="Engines against each other")
        parts.append(SectionPart(tables=[engines]))
        return composed("by-engine", "By engine", parts, finding=said.engine_finding(result))
    return composed(f"by-{kind}", capital(f"by {kind}"), parts, finding=said.group_finding(result, kind))


def _done(result: Effort) -> Iterator[Method]:
    yield Method("Measures", MEASURED.format(metric=result.metric), SNOVER)
    yield Method("Intervals", interval_note(result), EFRON)
    if result.tests:
        yield Method("Tests", TESTED.format(unit=result.unit), f"{NOREEN} {HOLM}")
