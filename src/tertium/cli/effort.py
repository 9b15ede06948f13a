"""`tertium effort`: what people changed in outputs, how much, and in what time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import SHARE, alpha_option, seed_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.edited import EditedSegments
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.human.effort.analysis import FACTS, Effort
from tertium.human.effort.analysis import effort as measure
from tertium.inference.seeds import CONFIDENCE, RESAMPLES
from tertium.inference.units import UNITS, Unit
from tertium.io import tables

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command()
@counting_options
@click.option("--edits", metavar="FILE",
              help="A table of outputs and post-edits, an edited segment in each row; no test set then.")  # fmt: skip
@click.option("-m", "--metric", default="ter", show_default=True, metavar="METRIC",
              help="TER with its options, such as 'ter(case_sensitive=True)'.")  # fmt: skip
@click.option("--by", metavar="NAMES", help=f"With commas, of: {', '.join(FACTS)}. [default: all that are known]")
@click.option("--translator-names", is_flag=True, help="Show translators by name. [default: translator 1, ...]")
@click.option("--unit", type=click.Choice(UNITS), help="What is drawn. [default: documents, where there are several]")
@click.option("--confidence-level", type=SHARE, default=CONFIDENCE, show_default=True,
              help="How much the intervals cover.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True, help="Bootstrap resamples.")
@seed_option
@alpha_option
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "latex", "xlsx"]),
              default="text", show_default=True,
              help="How results are printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the tables to a file instead of the screen.")
@page_option
def effort(
    inputs: Inputs,
    edits: str | None,
    metric: str,
    by: str | None,
    translator_names: bool,
    unit: Unit | None,
    confidence_level: float,
    trials: int,
    seed: int,
    alpha: float,
    form: str,
    output: str | None,
    page: str | None,
) -> None:
    """Measure post-editing effort: HTER, kinds of edits, speed.

    References are post-edits, or rows of a table have both: tertium effort --edits edits.tsv --page effort.html
    """
    form = form_of(form, output)
    given = read(inputs, edits)
    with working() as run:
        result = measure(given, metric=metric, by=by, unit=unit, confidence=confidence_level, trials=trials, seed=seed,
                         alpha=alpha, names=translator_names, run=run)  # fmt: skip
    write(render(result, form, room(output)), output)

    def made() -> Page:
        from tertium.report.effort import effort_page

        return effort_page(result)

    write_page(page, made)
    write_notes(result.notes if form != "json" else ())


def read(inputs: Inputs, edits: str | None) -> EditedSegments | Evaluation:
    """The rows of a table, or a test set with its outputs."""
    if edits is None:
        return inputs.read()
    if inputs != Inputs(models=inputs.models, no_cache=inputs.no_cache):
        raise OptionError(f"--edits {edits} has outputs and post-edits; leave the test set and its files out")
    from tertium.io.edits import read_edits

    return read_edits(edits)


def render(result: Effort, form: str, room: int | None) -> str | Sheets:
    """The result in the format asked for."""
    from tertium.report.tables.effort import effort_rows, effort_tables, meaning_note

    if form == "json":
        from tertium.report.json_values import effort_object

        return json.dumps(effort_object(result), ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(effort_rows(result))
    about = f"{result.name}: {result.whole.segments} edited segments, {result.whole.words:.0f} words"
    if form == "xlsx":
        return Sheets([*effort_tables(result, top=None), effort_rows(result)], [about, meaning_note(result)])
    found = effort_tables(result)
    if form == "markdown":
        return f"{tables.markdown(found)}\n\n{meaning_note(result)}"
    if form == "latex":
        return "\n\n".join([*(tables.latex(table) for table in found), f"% {meaning_note(result)}"])
    return "\n\n".join(
        [tables.wrapped(about, room), tables.text(found, room=room), tables.wrapped(meaning_note(result), room)]
    )
