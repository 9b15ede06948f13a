"""`tertium meta correlate`: how far metrics go with people, in any table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tertium.cli.meta.score_table import (
    TableInputs,
    describe_table,
    output_options,
    page_title,
    render,
    table_options,
)
from tertium.cli.options import SHARE
from tertium.cli.output import form_of, write, write_notes
from tertium.cli.pages import write_page
from tertium.cli.terminal import room
from tertium.cli.values import words
from tertium.core.errors import OptionError
from tertium.inference.seeds import ALPHA
from tertium.meta.correlate import TITLES, statistic_name
from tertium.meta.outliers import LIMIT
from tertium.report.tables.correlations import TABLES, Correlations

if TYPE_CHECKING:
    from tertium.report.page import Page

SHOW = tuple(TABLES)
DEFAULT = SHOW[:3]


@click.command()
@table_options
@click.option("-s", "--statistic", "statistics", multiple=True, default=("tau_b",), metavar="NAME",
              help=f"{', '.join(TITLES)}; repeat or use commas. [default: tau_b]")  # fmt: skip
@click.option("--show", multiple=True, metavar="TABLE",
              help=f"{', '.join(SHOW)}, or all; repeat or use commas. [default: the first three; one as CSV]",
)  # fmt: skip
@click.option("--alpha", type=SHARE, default=ALPHA, show_default=True,
              help="A correlation is significant if its p is below this.")  # fmt: skip
@click.option("--deviations", type=click.FloatRange(0, min_open=True), default=LIMIT, show_default=True,
              help="Outliers are so many median absolute deviations from the median.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), metavar="N", default=10, show_default=True,
              help="Of pairs as text: so many.")  # fmt: skip
@output_options
def correlate(
    given: TableInputs,
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
    form = form_of(form, output)
    table = given.read()
    chosen = tuple(dict.fromkeys(statistic_name(word) for word in words(*statistics)))
    named = choose_tables(show, form, len(table.groups))
    wanted = Correlations(table=table, statistics=chosen, alpha=alpha, limit=deviations, decimals=width)
    listed = {name: TABLES[name].shown(wanted) for name in named} if form not in ("csv", "json") else {}
    if "pairs" in listed and form != "xlsx":
        listed["pairs"] = [replace(each, rows=each.rows[:top]) for each in listed["pairs"]]
    shown = [each for found in listed.values() for each in found]
    data = {name: TABLES[name].rows(wanted) for name in named} if form not in ("text", "markdown") else {}
    facts = {"statistics": list(chosen), "alpha": alpha, "deviations": deviations}
    write(render(table, form, width, shown, data, facts, table.warnings, room(output)), output)
    write_page(page, lambda: whole_page(wanted, given.tables))
    if form != "json":
        write_notes(table.warnings)


def choose_tables(show: Sequence[str], form: str, groups: int) -> tuple[str, ...]:
    """The tables that are named, or what suits the format and the number of groups."""
    named = tuple(dict.fromkeys(name.strip() for text in show for name in text.split(",")))
    named = SHOW if named == ("all",) else named
    for name in named:
        if name not in SHOW:
            raise OptionError(f"--show {name}: unknown; choose from {', '.join(SHOW)}, all")
    if form == "csv" and len(named) > 1:
        raise OptionError(f"csv holds one table; choose one of --show {', '.join(named)}")
    return named or (DEFAULT[:1] if form == "csv" or groups == 1 else DEFAULT)


def whole_page(given: Correlations, files: Sequence[str]) -> Page:
    """Everything, with charts."""
    from tertium.report.correlations import correlation_page

    return correlation_page(given, page_title(files), describe_table(given.table))
