"""`tertium meta preference`: what a difference in a metric is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from tertium.cli.options import SHARE, Bootstrap
from tertium.cli.output import form_of, write, write_notes
from tertium.cli.pages import write_page
from tertium.cli.parameters import parameters
from tertium.cli.terminal import room
from tertium.cli.values import words
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.inference.seeds import CONFIDENCE
from tertium.meta.preference import Preference, cautions, preferences
from tertium.meta.table import ScoreTable
from tertium.report.tables.system_pairs import chance_table, needed_table, slope_table

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command()
@table_options
@click.option("--at", multiple=True, metavar="NUMBER",
              help="Differences to look at; repeat or use commas. [default: round numbers in the data]")  # fmt: skip
@click.option("--confidence-level", "confidence", type=SHARE, default=CONFIDENCE, show_default=True,
              help="How much the intervals cover.")  # fmt: skip
@parameters(Bootstrap, "bootstrap", without=["confidence", "method", "confidence_level", "unit"])
@output_options
def preference(
    given: TableInputs,
    at: tuple[str, ...],
    confidence: float,
    bootstrap: Bootstrap,
    form: str,
    width: int,
    output: str | None,
    page: str | None,
) -> None:
    """Show how likely people prefer the higher score.

    A logistic curve through all pairs of systems of a group says what 0.5 BLEU or 1 chrF means on this data.
    tertium meta preference wmt.tsv --gold Human --group Year,Langs --metrics BLEU,chrF --at 0.5,1,2
    """
    form = form_of(form, output)
    asked = read_differences(at)
    table = given.read()
    trials, seed = bootstrap.trials, bootstrap.seed
    found = preferences(table, confidence=confidence, trials=trials, seed=seed)
    facts = {"confidence": confidence, "trials": trials, "seed": seed}
    curves, chances, needed = _three(found, table.gold, asked, {metric: metric for metric in table.metrics})
    data = {"probabilities": chances, "differences": needed, "curves": curves}
    if form == "csv":
        data = {"probabilities": chances.with_columns(**facts)}
    shown = _three(found, table.gold, asked, {metric: table.shown(metric) for metric in table.metrics})
    warnings = [*table.warnings, *cautions(found)]
    write(render(table, form, width, shown, data, facts, warnings, room(output)), output)
    write_page(page, lambda: whole_page(found, table, given.tables))
    if form != "json":
        write_notes(warnings)


def whole_page(found: Sequence[Preference], table: ScoreTable, files: Sequence[str]) -> Page:
    """The curves, drawn."""
    from tertium.report.correlations import preference_page

    return preference_page(found, table, page_title(files), describe_table(table))


def read_differences(at: Sequence[str]) -> list[float]:
    """`0.5,1` as numbers above 0."""
    found = []
    for word in words(*at):
        try:
            value = float(word)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise OptionError(f"--at {word}: must be a difference above 0, such as 0.5")
        found.append(value)
    return found


def _three(found: Sequence[Preference], gold: str, asked: Sequence[float], names: Mapping[str, str]) -> list[Table]:
    """Curves, how likely people agree with a difference, and what difference it takes."""
    return [slope_table(found, gold, names), chance_table(found, names, asked), needed_table(found, names)]
