"""Retrieval as a page, and as a section of a report: the verdict first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tertium.core.table import Table
from tertium.core.wording import counted, headings
from tertium.inference.seeds import ALPHA
from tertium.meta.outliers import LIMIT
from tertium.meta.table import ScoreTable
from tertium.report.figures.retrieval import foretelling_chart, scatter_chart, threshold_chart
from tertium.report.methods import GOWDA, NOREEN, Method, methods_of
from tertium.report.opening import opening
from tertium.report.page import Page, Section
from tertium.report.parts import SectionPart, composed
from tertium.report.people_methods import KENDALL
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
from tertium.report.verdicts import retrieval as said
from tertium.report.verdicts.correlations import significance
from tertium.retrieval.correlate import correlate_retrieval
from tertium.retrieval.result import RetrievalResult

STATISTICS = ("tau_b", "pearson")
AZZOPARDI = (
    "Azzopardi, de Rijke and Balog (2007), "
    '"Building simulated queries for known-item topics: an analysis using six European languages"'
)
ROBERTSON = 'Robertson, Walker, Jones and others (1995), "Okapi at TREC-3"'
VOORHEES = 'Voorhees and Harman (2005), "TREC: Experiment and Evaluation in Information Retrieval"'
JARVELIN = 'Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques"'
WEBBER = 'Webber, Moffat and Zobel (2010), "A similarity measure for indefinite rankings"'
RECIPES_SAID = {
    "known-item": "Queries are made from the telling words of one document of a reference each; that document is what "
    "is looked for.",
    "term": "A query is a word that few documents of a reference have; those are what is looked for.",
    "pseudo": "Queries as for known items; what is found first among the reference's own documents is relevant.",
    "own": "Topics and judgements are the user's own.",
}
BM25 = """Okapi BM25 with k1 {k1:g} and b {b:g}, over Snowball stems where the language has some; rankings have at most
{depth} documents."""
ENCODED = "Cosines of sentence vectors; rankings have at most {depth} documents."
MEASURED = """Measures are means over topics, as trec_eval computes them. AQWV weighs misses and false alarms at a
threshold; mAQWV is its highest value. In brackets: 95 % bootstrap intervals over topics."""
TESTED = """By the first measure of each kind of topics: the values of two systems are swapped topic by topic at random,
{trials} times, seed {seed}; corrected over all pairs, alpha {alpha:g}."""
FORETOLD = """Systems of a test set are ranked by each metric and by each measure; Kendall's tau-b and Pearson's r say
how far the two agree. p is two-sided and not corrected; differences of metrics are not tested."""
TOP = 8  # words of each system
SHOWN = 24


def retrieval_page(results: Sequence[RetrievalResult]) -> Page:
    """What is found, what foretells it, and why documents are missed."""
    table = foretold_table(results)
    notes = dict.fromkeys(note for result in results for test in result.tests for note in test.notes)
    sections = [
        opening(
            said.retrieval_verdict(results, table),
            list(said.retrieval_trust(results, table)),
            [foretelling_chart(table)] if table is not None and len(results) > 1 else [],
            [*circular(results), *notes],
        )
    ]
    several = len(results) > 1
    found = [retrieval_section(result, folded=several, page=True) for result in results]
    if table is not None:
        other = correlation_section(results, table, drawn=several)
        found = [other, *found] if several else [*found, other]
    names = ", ".join(result.name for result in results)
    tests = sum(len(result.tests) for result in results)
    about = (
        f"{counted(len(results), 'test set')}, {counted(tests, 'set')} of topics, searched by "
        f"{results[0].retriever.method}"
    )
    return Page(title=f"Retrieval: {names}", subtitle=about, sections=[*sections, *found, methods(results, about)])


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


def correlation_section(results: Sequence[RetrievalResult], table: ScoreTable, *, drawn: bool = False) -> Section:
    """Which MT metric foretells retrieval; its bars may be `drawn` already, above all sections."""
    given = correlations_of(table)
    first, *rest = foretelling_sentences(table)
    parts = [
        SectionPart(charts=[] if drawn else [foretelling_chart(table)], tables=[foretelling_table(table)]),
        SectionPart(title="Metric against measure", finding=significance(given, STATISTICS[0]),
                    charts=[scatter_chart(table)]),
        SectionPart(title="Every correlation", folded=True, tables=correlation_tables(given)),
    ]  # fmt: skip
    if len(table.groups) > 1:
        parts.append(SectionPart(title="Wins", finding=" ".join(rest), folded=True, tables=win_tables(given)))
    return composed("foretells", "Which metric foretells retrieval", parts, circular(results), finding=first)


def retrieval_section(result: RetrievalResult, *, folded: bool = False, page: bool = False) -> Section:
    """One test set: scores, verdicts, thresholds, misses. A report of an evaluation can have it among its own; on a
    `page` of its own, signatures stand with the methods."""
    parts = [SectionPart(tables=[overview_table(result)])]
    missed = []
    for k, (test, evaluation) in enumerate(zip(result.tests, result.evaluations, strict=True)):
        items = comparisons(test, evaluation)
        tables = [retrieval_table(test, evaluation), *([standing_table(test, evaluation, items)] if items else [])]
        weighted = any(measure.weighted for measure in evaluation.measures)
        charts = [threshold_chart(test, evaluation)] if weighted else []
        title, seen = f"Topics: {test.recipe}", verdict(test, evaluation, items)
        parts.append(SectionPart(title=title, finding=seen, folded=True, charts=charts, tables=tables))
        explained = result.explanations[k] if result.explanations else None
        if explained is not None:
            lost = [lost_table(test, explained, TOP)] if explained.misses else []
            missed.append(
                SectionPart(title=f"Why documents are missed: {test.recipe}", finding=explanation_sentence(explained),
                            folded=True, tables=[share_table(test, explained), *lost])
            )  # fmt: skip
    parts += missed
    if not page:
        parts.append(SectionPart(title="Signatures", folded=True, tables=list(signatures([result]))))
    notes = [] if page else [*circular([result]), *_notes(result)]
    name = "".join(char if char.isalnum() else "-" for char in result.name)
    return composed(
        f"retrieval-{name}",
        f"Retrieval: {result.name}",
        parts,
        notes,
        finding=said.one_testset(said.leads(result)).sentence,
        folded=folded,
    )


def _notes(result: RetrievalResult) -> list[str]:
    notes = dict.fromkeys(note for test in result.tests for note in test.notes)
    return [f"{note[:1].upper()}{note[1:]}." for note in notes]


def signatures(results: Sequence[RetrievalResult]) -> Iterator[Table]:
    """What has to be known to get the same numbers again, test by test."""
    for result in results:
        for test, evaluation in zip(result.tests, result.evaluations, strict=True):
            known = {str(metric): evaluation.signatures[str(metric)] for metric in evaluation.metrics}
            made = signature_table(known, headings(evaluation.metrics))
            yield replace(made, title=f"{made.title}: {result.name}, {test.recipe}")


def methods(results: Sequence[RetrievalResult], about: str) -> Section:
    """How topics were made, documents searched, and systems compared."""
    recipes = list(dict.fromkeys(test.recipe for result in results for test in result.tests))
    items = [item for result in results for lead in said.leads(result) for item in lead.items]
    done = [Method(f"Topics: {recipe}", RECIPES_SAID[recipe], AZZOPARDI if recipe == "known-item" else "")
            for recipe in recipes]  # fmt: skip
    retriever = results[0].retriever
    if retriever.method == "bm25":
        done.append(Method("Search", BM25.format(k1=retriever.k1, b=retriever.b, depth=retriever.depth), ROBERTSON))
    else:
        done.append(Method("Search", ENCODED.format(depth=retriever.depth), ""))
    done.append(Method("Measures", MEASURED, f"{VOORHEES}; {JARVELIN}; {WEBBER}"))
    if items:
        first = items[0]
        text = TESTED.format(trials=first.trials, seed=first.seed, alpha=first.alpha)
        done.append(Method("Comparisons", text, NOREEN))
    first_metrics = results[0].metrics
    if first_metrics is not None:
        done.append(Method("What foretells retrieval", FORETOLD, f"{KENDALL}; {GOWDA}"))
    titles = {} if first_metrics is None else headings(first_metrics.metrics)
    known = {} if first_metrics is None else {titles[str(metric)]: metric for metric in first_metrics.metrics}
    return methods_of(done, known, f"{about}.", tables=list(signatures(results)))
