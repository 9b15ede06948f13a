"""`tertium align`: outputs beside their references, word by word, and what is confused with what."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import threads_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.wording import describe
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.report.alignments import Alignments

LISTED = 10


@click.command("align")
@counting_options
@click.option("-m", "--metric", default="wer", show_default=True, metavar="METRIC",
              help="wer, cer, mer, wil or wip with options, such as 'wer(normalise=(\"lower\", \"punct\"))'.",
              )  # fmt: skip
@click.option("--order", type=click.Choice(["test-set", "errors"]), default="test-set", show_default=True,
              help="Segments in the order of the test set, or those with most errors first.")  # fmt: skip
@click.option("--show", type=click.IntRange(0), metavar="N",
              help="Segments with errors that are shown of each system. [default: all]")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Show segments without errors, too.")
@click.option("--confusions", type=click.IntRange(0), default=LISTED, show_default=True, metavar="N",
              help="The most frequent substitutions, deletions and insertions, so many of each.")  # fmt: skip
@click.option("--runs", is_flag=True, help="Count neighbours of one kind as one confusion, as jiwer does.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "xlsx"]), default="text",
              show_default=True, help="csv: all confusions, one in each row; xlsx goes to a file (-o NAME.xlsx).",
              )  # fmt: skip
@page_option
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def align_command(
    inputs: Inputs,
    metric: str,
    order: str,
    show: int | None,
    whole: bool,
    confusions: int,
    runs: bool,
    form: str,
    page: str | None,
    threads: int | None,
    output: str | None,
) -> None:
    """Show outputs beside references, and confusions.

    tertium align --ref ref.en --hyp asr.en: every segment with errors in columns, the reference (REF) above the output
    (HYP), with S, D and I below substitutions, deletions and insertions; then the most frequent of each.
    """
    form = form_of(form, output)
    chosen = parse_list([metric])
    if len(chosen) != 1:
        raise OptionError(f"-m {metric}: one metric at a time")
    from tertium.report.alignments import align, alignments_object, confusion_rows, count_table

    given = inputs.read()
    with working(threads, size=len(given.testset) * len(given.systems)) as run:
        found = align(given, chosen[0], run)
    by = order.replace("-", " ")
    text: str | Sheets
    if form == "json":
        listed = [one for name in _names(found) for one in found.chosen(name, by, show, whole)]
        text = json.dumps(alignments_object(found, listed, confusions, runs=runs), ensure_ascii=False, indent=1)
    elif form == "csv":
        from tertium.io.tables import csv

        text = csv(confusion_rows(found, runs=runs))
    elif form == "xlsx":
        text = Sheets([count_table(found), confusion_rows(found, runs=runs)], [describe(found.evaluation.testset)])
    else:
        text = _text(found, by, show, whole, confusions, runs, room(output))
    write(text, output)
    write_notes(found.evaluation.warnings)
    write_page(page, found.page)


def _names(found: Alignments) -> list[str]:
    return [system.name for system in found.evaluation.systems]


def _text(found: Alignments, order: str, show: int | None, whole: bool, most: int, runs: bool, room: int | None) -> str:
    """Pictures, errors by kind, confusions, the signature."""
    from tertium.io import tables
    from tertium.report.alignments import WIDTH, confusion_tables, count_table

    pictures = found.text(room or WIDTH, order=order, most=show, whole=whole)
    listed = [each for name in _names(found) for each in confusion_tables(found, name, most, runs=runs)] if most else []
    parts = [
        tables.wrapped(describe(found.evaluation.testset), room),
        *([pictures] if pictures else []),
        tables.text([count_table(found)], room=room),
        *(tables.text([each], room=room) for each in listed),
        found.evaluation.signatures[str(found.metric)],
    ]
    return "\n\n".join(parts)
