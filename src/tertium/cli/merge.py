"""`tertium merge`: statistics from several places as if they had been counted in one."""

from __future__ import annotations

import json
from functools import partial

import click

from tertium.cli.compare import tables as comparison_tables
from tertium.cli.options import Bootstrap, trust_option
from tertium.cli.output import write, write_notes
from tertium.cli.parameters import parameters
from tertium.cli.results import RESULT
from tertium.cli.score import render
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.engines.parts import merge_parts
from tertium.inference.compare import compare, with_other_unit
from tertium.inference.join import check_people
from tertium.inference.scores import interval_warnings, scores
from tertium.io import tables as printers
from tertium.io.evaluation import save_evaluation
from tertium.io.parts import load_part
from tertium.report.json_values import comparisons_object


@click.command("merge")
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@parameters(Bootstrap, "bootstrap", confidence="Bootstrap intervals.")
@click.option("--compare", "compared", is_flag=True, help="Test which systems are better, as tertium compare does.")
@click.option("-b", "--baseline", metavar="NAME", help="Compare every other system with this one; implies --compare.")
@trust_option
@click.option("--save", type=RESULT, metavar="FILE", help="Keep the merged evaluation, without texts, in this file.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How results are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def merge_command(
    files: tuple[str, ...],
    bootstrap: Bootstrap,
    compared: bool,
    baseline: str | None,
    trust_join: bool,
    save: str | None,
    form: str,
    width: int | None,
    output: str | None,
) -> None:
    """Put statistics together: scores, intervals, tests.

    Scores, intervals and tests are those of all rows counted in one place. Files that do not belong together, or do not
    make a whole test set, are refused.
    """
    evaluation = merge_parts([load_part(path) for path in files])
    if not trust_join:
        check_people(evaluation)
    if save is not None:
        save_evaluation(evaluation, save, texts=False)
    if compared or baseline is not None:
        write(comparisons(evaluation, bootstrap, baseline, form, width, output), output)
        return
    found = scores(evaluation, confidence=bootstrap.covered, method=bootstrap.method, trials=bootstrap.trials,
                   seed=bootstrap.seed, unit=bootstrap.unit)  # fmt: skip
    warnings = interval_warnings(evaluation) if bootstrap.covered else []
    write(render(evaluation, found, warnings, (), form, width, False, room(output)), output)
    if form != "json":
        write_notes(warnings)


def comparisons(
    evaluation: Evaluation, bootstrap: Bootstrap, baseline: str | None, form: str, width: int | None, output: str | None
) -> str:
    """Paired tests of all metrics, as text in the format asked for."""
    if form == "csv":
        raise OptionError("--compare prints text, json or markdown")
    found = {
        str(metric): with_other_unit(
            evaluation,
            compare(evaluation, metric, baseline=baseline, seed=bootstrap.seed, unit=bootstrap.unit),
        )
        for metric in evaluation.metrics
    }
    if form == "json":
        return json.dumps(comparisons_object(evaluation, found, baseline), ensure_ascii=False, indent=1)
    wide = None if form == "markdown" else room(output)
    shown = printers.markdown if form == "markdown" else partial(printers.text, room=wide)
    return comparison_tables(evaluation, found, baseline, [], [], pairs=True, shown=shown, width=width, wide=wide)
