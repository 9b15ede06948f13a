"""Types as a page: words that two systems win and lose, rare and frequent; or the words of every system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tertium.analysis.contrast import ALL, INVENTED, TypeContrast
from tertium.analysis.types import TypeScore
from tertium.core.metric import Metric
from tertium.core.wording import counted, visible
from tertium.report.figures import types as figures_types
from tertium.report.methods import FREQUENCIES, GOWDA, HOLM, NEUBIG, NOREEN, TYPE_TEST, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.scores import signature_table
from tertium.report.tables.types import COUNTS, bucket_table, pair_table, pairs_of, type_table
from tertium.report.verdicts import types as said

SHOWN = 12  # rows before the reader asks for all
TYPES = 500  # of each list of words
READ = """Types are different words, as {metric} reads and counts them: how often references have each, outputs, and
both, segment by segment."""


def contrast_page(contrast: TypeContrast, metric: Metric, signature: str, about: str) -> Page:
    """Two systems side by side."""
    a, b = contrast.systems
    title = metric.title
    titles = {"lost": f"Words on which {a} does better", "gained": f"Words on which {b} does better"}
    lists = [
        pair_table(contrast, pairs_of(contrast, what, {})[:TYPES], words, shown=SHOWN, note=COUNTS)
        for what, words in titles.items()
    ]
    first = opening(
        said.pair_verdict(contrast, title),
        list(said.pair_trust(contrast)),
        figures_types.zipf([contrast], contrast.systems),
    )
    parts = [
        SectionPart(tables=[bucket_table(contrast, words=True)]),
        SectionPart(title="Words won and lost", finding=said.changed_finding(contrast), folded=True,
                    tables=[table for table in lists if table.rows]),
        SectionPart(title="The curve of Gowda et al. (2021)", folded=True,
                    charts=figures_types.curve([contrast], contrast.systems)),
    ]  # fmt: skip
    names = [bucket.name for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL)]
    done = [
        Method("Types", READ.format(metric=title), GOWDA),
        Method("Frequencies of words", FREQUENCIES.format(buckets=", ".join(names)), f"{GOWDA}; {NEUBIG}"),
    ]
    if contrast.trials:
        drawn = f"{contrast.trials} times, seed {contrast.seed}"
        text = TYPE_TEST.format(first=visible(a), second=visible(b), drawn=drawn)
        done.append(Method("Test of words", text, f"{NOREEN}; {HOLM}"))
    return Page(
        title=f"Words of {a} and {b}",
        subtitle=about,
        sections=[
            first,
            composed("types", "Words, rare and frequent", parts),
            _methods(done, metric, signature, about),
        ],
    )


def types_page(found: Mapping[str, Sequence[TypeScore]], metric: Metric, signature: str, about: str) -> Page:
    """Every system by itself."""
    every = next(iter(found.values()))
    counts = [
        (figures_types.REFERENCES, [(item.type, item.references) for item in every]),
        *((name, [(item.type, item.outputs) for item in own]) for name, own in found.items()),
    ]
    parts = []
    for name, own in found.items():
        worst = sorted(own, key=lambda t: (2 * t.matches - t.references - t.outputs, t.type))[:TYPES]
        known, lost, invented = said.missed(own)
        parts.append(
            SectionPart(
                title=name,
                finding=f"Never right: {lost:,} of {counted(known, 'type')}; only in the output: {invented:,}.",
                folded=True,
                tables=[type_table(worst, f"Words that {name} gets wrong most often", shown=SHOWN, note=COUNTS)],
            )
        )
    return Page(
        title="Words of " + ", ".join(found) if len(found) <= 3 else f"Words of {len(found)} systems",
        subtitle=about,
        sections=[
            opening(said.systems_verdict(found), (), [figures_types.spectrum(counts)]),
            composed("types", "Words that systems get wrong", parts),
            _methods([Method("Types", READ.format(metric=metric.title), GOWDA)], metric, signature, about),
        ],
    )


def _methods(done: Sequence[Method], metric: Metric, signature: str, about: str) -> Section:
    titles = {str(metric): metric.title}
    return methods_of(
        done, {metric.title: metric}, f"{about}.", tables=[signature_table({str(metric): signature}, titles)]
    )
