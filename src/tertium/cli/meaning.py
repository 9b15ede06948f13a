"""`tertium meaning`: what a difference in a metric is worth, by published curves."""

from __future__ import annotations

import json

import click

from tertium.cli.output import write
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.io import tables
from tertium.meta.meaning import FITTED, LIMITS, meaning, published_curves, sentence
from tertium.report.tables.meaning import meaning_object, meaning_table


@click.command("meaning")
@click.argument("metric", required=False)
@click.argument("difference", required=False, type=float)
@click.option("--accuracy", type=float, metavar="SHARE", help="Show the difference that takes, such as 0.9.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def meaning_command(
    metric: str | None, difference: float | None, accuracy: float | None, as_json: bool, output: str | None
) -> None:
    """Show how often people agree with a difference of this size.

    tertium meaning bleu 1.0; tertium meaning bleu --accuracy 0.9; tertium meaning --accuracy 0.9 for every curve.
    """
    if (difference is None) == (accuracy is None):
        raise OptionError(
            "name a metric and either a difference (tertium meaning bleu 1.0) or an accuracy (--accuracy 0.9)"
        )
    names = [curve.name for curve in published_curves()] if metric is None else [metric]
    found = [meaning(name, difference, accuracy=accuracy) for name in names]
    if as_json:
        objects = [meaning_object(item) for item in found]
        write(json.dumps(objects if metric is None else objects[0], ensure_ascii=False, indent=1), output)
        return
    wide = room(output)
    if metric is not None:
        lines = [sentence(found[0]), f"The curve holds for {found[0].curve.setting}.", f"{LIMITS}."]
    else:
        about = f"Curves fitted to {FITTED} (Kocmi et al. 2024), each for one setting."
        lines = [about, tables.text([meaning_table(found)], room=wide, whole="--json"), f"{LIMITS}."]
    write("\n".join(line if "\n" in line else tables.wrapped(line, wide) for line in lines), output)
