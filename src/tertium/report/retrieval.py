"""Retrieval as a page, and as a section of a report: the verdict first, then what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from tertium.core.wording import counted, headings
from tertium.inference.seeds import ALPHA
from tertium.meta.outliers import LIMIT
from tertium.meta.table import ScoreTable
from tertium.report.figures.retrieval import foretelling_chart, scatter_chart, threshold_chart
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.tables.correlations import Correlations, correlation_tables, win_tables
from tertium.report.tables.retrieval import (
    CIRCULAR,
    comparisons,
    explanation_sentence,
    foretelling_sentences,
    foretelling_table,
    lost_table,
    overview_table,
    retrieval_table,
    share_table,
    standing_table,
    verdict,
)
from tertium.report.tables.scores import signature_table
from tertium.retrieval.correlate import correlate_retrieval
from tertium.retrieval.result import RetrievalResult

STATISTICS = ("tau_b", "pearson")
TOP = 8  # words of each system
SHOWN = 24


def retrieval_page(results: Sequence[RetrievalResult]) -> Page:
    """What is found, what foretells it, and why documents are missed."""
    sections = []
    table = foretold_table(results)
    if table is not None:
        sections.append(correlation_section(results, table))
    sections += [retrieval_section(result) for result in results]
    names = ", ".join(result.name for result in results)
    tests = sum(len(result.tests) for result in results)
    return Page(
        title=f"Retrieval: {names}",
        subtitle=f"{counted(len(results), 'test set')}, {counted(tests, 'set')} of topics, "
        f"searched by {results[0].retriever.method}",
        sections=sections,
    )


def retrieval_sections(result: RetrievalResult) -> list[Section]:
    """What a report of an evaluation shows of it."""
    table = foretold_table([result])
    return [retrieval_section(result), *([] if table is None else [correlation_section([result], table)])]


def foretold_table(results: Sequence[RetrievalResult]) -> ScoreTable | None:
    """Metrics beside measures, where there are both, and at least two systems."""
    scored = [result for result in results if result.metrics is not None and len(result.tests[0].systems) > 1]
    return correlate_retrieval(scored) if scored else None


def correlations_of(table: ScoreTable, decimals: int = 3) -> Correlations:
    """What is asked of the table."""
    return Correlations(
        table=table, statistics=STATISTICS, alpha=ALPHA, limit=LIMIT, decimals=decimals, shown=SHOWN
    )  # fmt: skip


def circular(results: Sequence[RetrievalResult]) -> list[str]:
    """A warning where topics and metrics share a reference."""
    same = [result.name for result in results if result.tests[0].same_reference]
    return [f"{CIRCULAR} ({', '.join(same)})."] if same else []


def correlation_section(results: Sequence[RetrievalResult], table: ScoreTable) -> Section:
    """Which MT metric foretells retrieval."""
    given = correlations_of(table)
    parts = [
        SectionPart(charts=[foretelling_chart(table)], tables=[foretelling_table(table)]),
        SectionPart(title="Metric against measure", charts=[scatter_chart(table)], tables=correlation_tables(given)),
    ]
    if len(table.groups) > 1:
        parts.append(SectionPart(tables=win_tables(given)))
    text = [*foretelling_sentences(table), *circular(results)]
    return composed("foretells", "Which metric foretells retrieval", parts, text)


def retrieval_section(result: RetrievalResult) -> Section:
    """One test set: verdicts, scores, thresholds, misses. A report of an evaluation can have it among its own."""
    verdicts, parts = [], [SectionPart(tables=[overview_table(result)])]
    for k, (test, evaluation) in enumerate(zip(result.tests, result.evaluations, strict=True)):
        items = comparisons(test, evaluation)
        verdicts.append(verdict(test, evaluation, items))
        tables = [retrieval_table(test, evaluation), *([standing_table(test, evaluation, items)] if items else [])]
        weighted = any(measure.weighted for measure in evaluation.measures)
        charts = [threshold_chart(test, evaluation)] if weighted else []
        explained = result.explanations[k] if result.explanations else None
        text = []
        if explained is not None:
            text.append(explanation_sentence(explained))
            tables += [share_table(test, explained)]
            if explained.misses:
                tables.append(lost_table(test, explained, TOP))
        signatures = {str(metric): evaluation.signatures[str(metric)] for metric in evaluation.metrics}
        tables.append(signature_table(signatures, headings(evaluation.metrics)))
        parts.append(SectionPart(title=f"Topics: {test.recipe}", text=text, charts=charts, tables=tables))
    notes = dict.fromkeys(note for test in result.tests for note in test.notes)
    cautions = [f"{note[:1].upper()}{note[1:]}." for note in notes]
    name = "".join(char if char.isalnum() else "-" for char in result.name)
    return composed(
        f"retrieval-{name}", f"Retrieval: {result.name}", parts, [*verdicts, *circular([result]), *cautions]
    )
