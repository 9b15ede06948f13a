"""`tertium retrieve TESTSET...`: build, run, score, correlate and explain at once."""

from __future__ import annotations

from pathlib import Path

import click

from tertium.cli.options import threads_option
from tertium.cli.output import form_of, write_notes
from tertium.cli.pages import write_page
from tertium.cli.parameters import parameters
from tertium.cli.progress import size_of, working
from tertium.cli.retrieve.correlate import correlation_data, correlation_output
from tertium.cli.retrieve.options import (
    WORK,
    SearchOptions,
    TopicOptions,
    measures_option,
    output_options,
    read_measures,
    write_tables,
)
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.io.testset import read_testset
from tertium.metrics import parse_list
from tertium.report.retrieval import circular, foretold_table, retrieval_page
from tertium.report.tables.retrieval import (
    comparisons,
    explanation_sentence,
    foretelling_sentences,
    miss_rows,
    overview_table,
    retrieval_rows,
    share_table,
    verdict,
)
from tertium.retrieval.experiment import run_retrieval
from tertium.retrieval.explain import CUTOFF
from tertium.retrieval.folder import write_built, write_runs
from tertium.retrieval.result import METRICS, RetrievalResult, carried_out


@click.command("all")
@click.argument("testsets", nargs=-1, required=True, metavar="TESTSET...")
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help=f"MT metrics; repeat or use commas. [default: {METRICS}]")  # fmt: skip
@parameters(TopicOptions, "making")
@parameters(SearchOptions, "search")
@measures_option
@click.option("--folder", metavar="DIR", help="Also keep topics, judgements, documents and runs there.")
@threads_option
@output_options
def all_command(
    testsets: tuple[str, ...],
    metrics: tuple[str, ...],
    making: TopicOptions,
    search: SearchOptions,
    measures: tuple[str, ...],
    folder: str | None,
    threads: int | None,
    form: str,
    width: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Build, run, score, correlate and explain at once.

    tertium retrieve testset.toml -m bleu,chrf --page retrieval.html. With several test sets, one for each language
    pair, correlations are of all of them.
    """
    form = form_of(form, output)
    chosen, asked = parse_list(metrics or (METRICS,)), read_measures(measures)
    results, notes = list[RetrievalResult](), list[str]()
    for path in testsets:
        given = read_testset(path)
        if given.testset.name in [result.name for result in results]:
            raise OptionError(f"{path}: two test sets are called {given.testset.name}; give them different names")
        size = size_of(given, chosen) + WORK * len(set(given.testset.documents or ())) * len(given.systems)
        with working(threads, size=size) as run:
            built = making.build(given, run, search.retriever())
            tests = [run_retrieval(test, search.retriever(), run=run) for test in built]
            result = carried_out(tests, chosen, asked, CUTOFF, run)
        if folder is not None:
            own = Path(folder) / given.testset.name if len(testsets) > 1 else Path(folder)
            write_built(own, built, path)
            write_runs(own, tests)
        results.append(result)
        notes += [note if len(testsets) == 1 else f"{result.name}: {note}" for note in tests[0].notes]
        notes += [*(result.metrics.warnings if result.metrics else ()), *_warnings(result)]
    _write(results, form, width, output)
    write_notes(dict.fromkeys(notes))
    write_page(page, lambda: retrieval_page(results))


def _warnings(result: RetrievalResult) -> list[str]:
    return [note for evaluation in result.evaluations for note in evaluation.warnings]


def _write(results: list[RetrievalResult], form: str, width: int | None, output: str | None) -> None:
    table = foretold_table(results)
    said, shown = list[str](), list[Table]()
    for result in results:
        head = f"{result.name}, " if len(results) > 1 else ""
        for k, (test, evaluation) in enumerate(zip(result.tests, result.evaluations, strict=True)):
            said.append(head + verdict(test, evaluation, comparisons(test, evaluation)))
            explained = result.explanations[k]
            if explained is not None and test.recipe in ("term", "own"):
                said.append(f"{head}{test.recipe}: {explanation_sentence(explained)}")
        shown.append(overview_table(result))
        shown += [
            share_table(test, explained)
            for test, explained in zip(result.tests, result.explanations, strict=True)
            if explained is not None and (len(results) == 1 or test.recipe == "term")
        ]
    data = {"scores": retrieval_rows([pair for r in results for pair in zip(r.tests, r.evaluations, strict=True)])}
    if table is not None:
        said = [*foretelling_sentences(table), *circular(results), *said]
        shown += correlation_output(table, width)
        data |= correlation_data(table)
    if form == "json":
        every = [miss_rows(t, e) for r in results for t, e in zip(r.tests, r.explanations, strict=True) if e]
        if every:
            data["misses"] = Table(columns=every[0].columns, rows=[row for each in every for row in each.rows])
    write_tables(said, shown, data, form, width, output, verdicts=said)
