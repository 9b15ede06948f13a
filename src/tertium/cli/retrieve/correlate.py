"""`tertium retrieve correlate`: which MT metric foretells retrieval."""

from __future__ import annotations

import click

from tertium.cli.options import threads_option
from tertium.cli.output import form_of, write_notes
from tertium.cli.pages import write_page
from tertium.cli.progress import size_of, working
from tertium.cli.retrieve.options import measures_option, output_options, read_measures, write_tables
from tertium.core.errors import InputError
from tertium.core.table import Table
from tertium.io.testset import read_testset
from tertium.meta.table import ScoreTable
from tertium.metrics import parse_list
from tertium.report.retrieval import circular, correlations_of, foretold_table, retrieval_page
from tertium.report.tables.correlations import correlation_rows, correlation_tables, win_rows, win_tables
from tertium.report.tables.retrieval import foretelling_sentences, foretelling_table
from tertium.retrieval.experiment import score_retrieval
from tertium.retrieval.folder import read_folder
from tertium.retrieval.result import METRICS, RetrievalResult, metric_scores


@click.command("correlate")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help=f"MT metrics; repeat or use commas. [default: {METRICS}]")  # fmt: skip
@measures_option
@threads_option
@output_options
def correlate_command(
    folders: tuple[str, ...],
    metrics: tuple[str, ...],
    measures: tuple[str, ...],
    threads: int | None,
    form: str,
    width: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Show which MT metric foretells retrieval.

    tertium retrieve correlate cs-en de-en ja-en -m bleu,chrf. Systems of a test set are ranked by each metric and by
    each measure; Kendall's tau-b and Pearson's r say how far the two agree, with p and n.
    """
    form = form_of(form, output)
    chosen, results = parse_list(metrics or (METRICS,)), []
    for folder in folders:
        tests = read_folder(folder, read_testset, needs_runs=True)
        if tests[0].given is None or tests[0].translated:
            raise InputError(f"{folder}: MT metrics are of translated documents, and this test has none")
        with working(threads, size=size_of(tests[0].given, chosen)) as run:
            results.append(
                RetrievalResult(
                    tests=tuple(tests),
                    evaluations=tuple(score_retrieval(test, read_measures(measures), run=run) for test in tests),
                    metrics=metric_scores(tests[0], chosen, run=run),
                )
            )
    table = foretold_table(results)
    if table is None:
        raise InputError("there is only one system; a correlation needs several")
    said = [*foretelling_sentences(table), *circular(results)]
    write_tables(said, correlation_output(table, width), correlation_data(table), form, width, output, summary=said)
    write_notes(dict.fromkeys((*table.warnings, *(note for r in results for note in r.tests[0].notes))))
    write_page(page, lambda: retrieval_page(results))


def correlation_output(table: ScoreTable, width: int | None) -> list[Table]:
    """For people: means, every correlation with its p, and wins."""
    given = correlations_of(table, 3 if width is None else width)
    shown = [foretelling_table(table), *correlation_tables(given)]
    return [*shown, *(win_tables(given) if len(table.groups) > 1 else [])]


def correlation_data(table: ScoreTable) -> dict[str, Table]:
    """For programs."""
    given = correlations_of(table)
    return {"correlations": correlation_rows(given), "wins": win_rows(given), "means": foretelling_table(table)}
