"""`tertium meta correlate`: how far metrics go with people, in any table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tertium.cli.meta_listings import SHOW, Choice, choose_tables, listings
from tertium.cli.meta_table import describe_table, output_options, page_title, read_scores, render, table_options, words
from tertium.cli.pages import write_page
from tertium.cli.score import write, write_notes
from tertium.meta.correlate import ALPHA, TITLES, statistic_name
from tertium.meta.outliers import LIMIT
from tertium.meta.table import ScoreTable

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command()
@table_options
@click.option("-s", "--statistic", "statistics", multiple=True, default=("tau_b",), metavar="NAME",
              help=f"{', '.join(TITLES)}; repeat or use commas. [default: tau_b]")  # fmt: skip
@click.option("--show", multiple=True, metavar="TABLE",
              help=f"{', '.join(SHOW)}, or all; repeat or use commas. [default: the first three; one as CSV]",
)  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=ALPHA, show_default=True,
              help="A correlation is significant if its p is below this.")  # fmt: skip
@click.option("--deviations", type=click.FloatRange(0, min_open=True), default=LIMIT, show_default=True,
              help="Outliers are so many median absolute deviations from the median.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), metavar="N", default=10, show_default=True,
              help="Of pairs as text: so many.")  # fmt: skip
@output_options
def correlate(
    tables: tuple[str, ...],
    gold: str,
    metrics: tuple[str, ...],
    group: tuple[str, ...],
    system: str | None,
    lower: tuple[str, ...],
    long: str | None,
    statistics: tuple[str, ...],
    show: tuple[str, ...],
    alpha: float,
    deviations: float,
    top: int,
    form: str,
    width: int,
    output: str | None,
    page: str | None,
) -> None:
    """Correlate metrics with human scores in a table.

    TABLE is a .tsv, .csv, .jsonl or .parquet file with a header, a row for every system; several are read as one.
    tertium meta correlate wmt.tsv --gold Human --group Year,Langs --metrics BLEU,chrF
    """
    table = read_scores(tables, gold, metrics, group, system, lower, long)
    chosen = tuple(dict.fromkeys(statistic_name(word) for word in words(statistics)))
    named = choose_tables(show, form, len(table.groups))
    choice = Choice(show=named, statistics=chosen, alpha=alpha, limit=deviations, top=top, width=width,
                    narrow=form == "text")  # fmt: skip
    shown, data = listings(table, choice)
    facts = {"statistics": list(chosen), "alpha": alpha, "deviations": deviations}
    write(render(table, form, width, shown, data, facts, table.warnings), output)
    write_page(page, lambda: whole_page(table, choice, tables))
    if form != "json":
        write_notes(table.warnings)


def whole_page(table: ScoreTable, choice: Choice, files: Sequence[str]) -> Page:
    """Everything, with charts."""
    from tertium.report.correlations import Correlations, correlation_page

    given = Correlations(table=table, statistics=choice.statistics, alpha=choice.alpha, limit=choice.limit)
    return correlation_page(given, page_title(files), describe_table(table))
