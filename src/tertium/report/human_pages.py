"""What people said as pages of their own: rankings and raters; how far raters agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from tertium.core.judgement import Judgement
from tertium.human.agreement import Agreement
from tertium.human.analyse import Analysis
from tertium.human.power import PowerCurve
from tertium.report.figures import raters as figures_raters
from tertium.report.methods import EFRON, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.people import first_two, renamed, scale_parts
from tertium.report.people_methods import AGREEMENT, BENNETT, COHEN, FLEISS, GRAHAM, GWET, KOCMI_22, KRIPPENDORFF, SCOTT
from tertium.report.raters import strictness
from tertium.report.tables.people import agreement_notes, agreement_tables, method_text, power_table, tested_table
from tertium.report.verdicts import people as said
from tertium.report.words import capital, scale_title

DECIMALS = 3
PAPERS = {"bennett": BENNETT, "scott": SCOTT, "cohen": COHEN, "fleiss": FLEISS, "gwet": GWET, "alpha": KRIPPENDORFF}
COEFFICIENTS = """Every coefficient is of items that two raters or more judged, or that a rater judged again. Observed
agreement is the share of equal answers; the others say how much more that is than chance, each by its own notion of
chance. Long scales are cut into bins for coefficients of categories."""
DRAWN = """{share:.0f} % percentile bootstrap intervals: {unit}s are drawn again with replacement, {trials} times, seed
{seed}."""


def analysis_page(
    found: Sequence[Analysis],
    judgements: Sequence[Judgement],
    about: str,
    *,
    curves: Sequence[PowerCurve] = (),
    notes: Sequence[str] = (),
) -> Page:
    """Whom people put first, who said so, and how far to trust it."""
    cautions = dict.fromkeys([*notes, *(note for item in found for note in item.notes)])
    sections = [opening(said.people_verdict(found), list(said.people_trust(found)), (), list(cautions))]
    for item in found:
        first, *rest = scale_parts(item, judgements, first_two(found), whole=True)
        parts = [replace(first, title=""), *rest]
        for pair, ranking in item.rankings.items():
            if len(ranking.systems) > 1:
                title = "Every pair of systems" + (f", {pair}" if len(item.rankings) > 1 else "")
                parts.append(
                    SectionPart(
                        title=title, folded=True, tables=[renamed(tested_table(item, pair, ranking), item.scale)]
                    )
                )
        sections.append(composed(f"scale-{item.scale}", capital(scale_title(item.scale)), parts))
    if curves:
        tables = [power_table(curve) for curve in curves]
        sections.append(composed("power", "How many judgements it takes", [SectionPart(tables=tables)]))
    sections.append(methods_of(list(_ranked(found)), {}, f"{about}."))
    return Page(title=_title("What people said", about), subtitle=about, sections=sections)


def _ranked(found: Sequence[Analysis]) -> Iterator[Method]:
    texts = dict.fromkeys(method_text(ranking).replace("\n", " ") for item in found
                          for ranking in item.rankings.values())  # fmt: skip
    for text in texts:
        yield Method("Rankings by people", text, f"{GRAHAM}; {KOCMI_22}")
    yield Method("Agreement of raters", AGREEMENT, KRIPPENDORFF)


def agreement_page(
    found: Sequence[Agreement],
    judgements: Sequence[Judgement],
    about: str,
    *,
    confidence: float | None = None,
    trials: int = 0,
    seed: int = 0,
    unit: str = "segment",
) -> Page:
    """Whether raters agree, coefficient by coefficient, and what each of them said."""
    scales = dict.fromkeys(row.scale for row in found)
    chart = figures_raters.coefficient_charts(found)
    first = opening(
        said.agreement_verdict(found),
        list(said.agreement_trust(found)),
        [] if chart is None else [chart],
        [_worded(note, scales) for note in agreement_notes(found)],
    )
    tables = [
        replace(table, title=_worded(table.title, scales)) for table in agreement_tables(found, DECIMALS, confidence)
    ]
    parts = [SectionPart(title=capital(table.title), folded=True, tables=[table]) for table in tables]
    histograms = []
    systems = sorted({one.system for one in judgements})
    for scale in scales:
        drawn = figures_raters.rater_histograms(scale, judgements, systems, systems[:2]) if scale else None
        if drawn is not None:
            said_here = strictness(_means(judgements, scale), scale)
            histograms.append(SectionPart(title=capital(scale_title(scale)), finding=said_here, charts=[drawn]))
    shown: list[Section] = [first, composed("coefficients", "Every coefficient", parts)]
    if histograms:
        shown.append(composed("raters", "Scores of each rater", histograms))
    words = [row.word for row in found]
    papers = [paper for start, paper in PAPERS.items() if any(word.startswith(start) for word in words)]
    done = [Method("Coefficients", COEFFICIENTS, "; ".join(papers))]
    if confidence is not None:
        drawn_text = DRAWN.format(share=100 * confidence, unit=unit, trials=trials, seed=seed)
        done.append(Method("Intervals", drawn_text, EFRON))
    shown.append(methods_of(done, {}, f"{about}."))
    return Page(title=_title("How far raters agree", about), subtitle=about, sections=shown)


def _means(judgements: Iterable[Judgement], scale: str) -> dict[str, tuple[int, float]]:
    """How many outputs of systems each rater judged, and the mean."""
    values: dict[str, list[float]] = {}
    for one in judgements:
        if one.scale == scale and one.kind in ("genuine", "repeat"):
            values.setdefault(one.rater, []).append(one.value)
    return {rater: (len(own), math.fsum(own) / len(own)) for rater, own in values.items()}


def _worded(title: str, scales: Iterable[str]) -> str:
    """A title with the words of scales instead of their names."""
    for scale in scales:
        if title.startswith(f"{scale},") or f": {scale}," in title:
            return title.replace(f"{scale},", f"{scale_title(scale)},", 1)
    return title


def _title(what: str, about: str) -> str:
    return f"{what}: {about.partition(':')[0]}"
