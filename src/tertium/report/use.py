"""Metrics in use as a page: filters, choosers, tests, methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tertium.core.metric import Metric
from tertium.meta.use import Use
from tertium.report.figures.scatter import bare
from tertium.report.methods import Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page
from tertium.report.parts import SectionPart, composed
from tertium.report.people_methods import PERRELLA, WESTFALL
from tertium.report.tables.meta import Names
from tertium.report.tables.scores import signature_table
from tertium.report.tables.use import chooser_table, filter_table, good_text, use_test_table
from tertium.report.verdicts import use as said

FILTERED = """An output is good by people's scores ({good}). A metric keeps outputs from its threshold on. Thresholds
that were not given are those with the highest F on the other folds: whole {unit}, dealt into {folds} folds by size.
Precision: good outputs among those kept; recall: kept ones among the good; F: the harmonic mean of both."""
CHOSEN = """Of the judged outputs of a segment a metric takes the one that it scores highest. The best is the one that
people score highest; segments of which people score all outputs alike are left out."""
TESTED = """Intervals draw whole {unit} again, {trials} times, seed {seed}, for the thresholds that were chosen. Two
metrics are compared by swapping at random, in whole {unit}, what they kept or took; two-sided, corrected by step-down
max-T over all pairs, alpha {alpha:g}."""


def use_page(
    found: Use,
    names: Names,
    about: str,
    *,
    metrics: Sequence[Metric] = (),
    signatures: Mapping[str, str] | None = None,
    cautions: Sequence[str] = (),
) -> Page:
    """Verdict, filters, choosers, methods."""
    told = [_titled(note, found, names) for note in cautions]
    sections = [opening(said.use_verdict(found, names), list(said.use_trust(found)), (), told)]
    parts = {
        "filters": ("Filters", said.filter_finding, filter_table, found.filter_tests, "Pairs of filters, by F"),
        "choosers": ("Choosers", said.chooser_finding, chooser_table, found.chooser_tests, "Pairs of choosers"),
    }
    for id, (title, finding, table, tests, pairs) in parts.items():
        if id == "choosers" and not found.choosers:
            continue
        shown = [
            SectionPart(finding=finding(found, names), tables=[table(found, names)]),
            SectionPart(title=pairs, finding="Every two, baselines among them.", folded=True,
                        tables=[use_test_table(found, tests, pairs, names)]),
        ]  # fmt: skip
        sections.append(composed(id, title, shown))
    facts = {"unit": found.unit, "folds": found.folds, "trials": found.trials, "seed": found.seed, "alpha": found.alpha}
    done = [
        Method("Filters", FILTERED.format(good=good_text(found, names), **facts), ""),
        Method("Choosers", CHOSEN, ""),
        Method("Intervals and tests", TESTED.format(**facts), WESTFALL),
    ]
    if len(found.metrics) > len(metrics):
        done.append(Method("Sentinels", "Scores that see too little to judge a translation stand beside the metrics, "
                           "predicted from the other folds alone.", PERRELLA))  # fmt: skip
    titles = {names[str(metric)]: metric for metric in metrics}
    tables = [signature_table(signatures, {str(m): names[str(m)] for m in metrics})] if signatures else []
    sections.append(methods_of(done, titles, f"{about}.", tables=tables))
    return Page(title=f"Metrics in use: {found.testset}", subtitle=about, sections=sections)


def _titled(note: str, found: Use, names: Names) -> str:
    """A note that ends with a list of metrics, with their titles."""
    start, colon, listed = note.rpartition(": ")
    named = listed.split(", ")
    known = all(name in found.metrics for name in named)
    return f"{start}{colon}{', '.join(bare(names[name]) for name in named)}" if known else note
