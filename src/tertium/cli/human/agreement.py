"""`tertium human agreement`: how far raters agree with each other, and with themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.options import Bootstrap
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import names_option, page_option, write_page
from tertium.cli.parameters import parameters
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.version import VERSION
from tertium.human.agreement import STATISTICS
from tertium.human.agreement import agreement as measure
from tertium.human.ratings import BETWEEN, BINS, POINTS
from tertium.io import tables
from tertium.report.json_values import agreement_object
from tertium.report.raters import unnamed
from tertium.report.tables.people import agreement_notes, agreement_rows, agreement_tables, resamples

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command()
@click.argument("file", metavar="RATINGS|TESTSET")
@click.option("--scale", metavar="NAME", help="Only answers on this scale. [default: every scale there is]")
@click.option("--between", type=click.Choice(BETWEEN), help="Raters, or a rater's repeats. [default: both]")
@click.option("--by", metavar="WHAT", help="document or a label of the test set: a table for each.")
@click.option("--statistics", metavar="NAME,...", help=f"Of {', '.join(STATISTICS)}. [default: what fits the scale]")
@click.option("--bins", metavar="N|N,...",
              help="Equal bins, or where the second, third, ... begin. "
                   f"[default: {BINS} where a scale has over {POINTS} points]")  # fmt: skip
@click.option("--ties", type=click.FloatRange(0), default=0, show_default=True, metavar="N",
              help="Two systems whose values differ by at most N are level (ranking).")  # fmt: skip
@click.option("--pairs", is_flag=True, help="Also a row for every pair of raters.")
@parameters(Bootstrap, "bootstrap", without=["method", "unit"])
@click.option("--resample", type=click.Choice(["segment", "item"]), default="segment", show_default=True,
              help="What is drawn: segments with all their outputs, or single outputs.")  # fmt: skip
@click.option("--input", "read_as", metavar="FORMAT", help="The format of RATINGS. [default: look at its first line]")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How the table is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the table to a file instead of the screen.")
@page_option
@names_option
def agreement(
    file: str,
    scale: str | None,
    between: Any,
    by: str | None,
    statistics: str | None,
    bins: str | None,
    ties: float,
    pairs: bool,
    bootstrap: Bootstrap,
    resample: Any,
    read_as: str | None,
    form: str,
    width: int,
    output: str | None,
    page: str | None,
    rater_names: bool,
) -> None:
    """Show how far raters agree, with others and themselves.

    RATINGS is a file of ratings in any format that is read, TESTSET a testset.toml that names some:
    tertium human agreement testset.toml --scale adequacy --confidence
    """
    form = form_of(form, output)
    given = read(file, read_as)
    covered, trials, seed = bootstrap.covered, bootstrap.trials, bootstrap.seed
    asked: dict[str, Any] = {"scale": scale, "between": between, "by": by, "statistics": statistics,
                             "bins": read_bins(bins), "ties": ties, "each_pair": pairs, "confidence": covered,
                             "trials": trials, "seed": seed, "resample": resample}  # fmt: skip
    found = measure(given, **asked)
    drawn = resamples(covered, trials, seed, resample)
    text: str | Sheets
    if form == "json":
        text = json.dumps(agreement_object(found, drawn), ensure_ascii=False, indent=1)
    elif form in ("csv", "xlsx"):
        rows = agreement_rows(found)
        rows = rows.with_columns(trials=trials, seed=seed) if drawn else rows
        text = tables.csv(rows) if form == "csv" else Sheets([replace(rows, title="Agreement")])
    else:
        shown = agreement_tables(found, width, covered)
        text = tables.markdown(shown) if form == "markdown" else tables.text(shown, room=room(output))
        if form == "text" or drawn:
            text += f"\n\nagreement|tertium:{VERSION}{'|' + drawn if drawn else ''}"
    write(text, output)
    write_page(page, lambda: whole_page(given if rater_names else unnamed(given), asked))
    if form != "json":
        write_notes([*agreement_notes(found), *given.warnings])


def whole_page(given: Evaluation, asked: Mapping[str, Any]) -> Page:
    """Coefficients and raters, drawn; raters have the names that the evaluation gives them."""
    from tertium.cli.human.analyse import describe
    from tertium.human.at_hand import at_hand
    from tertium.report.human_pages import agreement_page

    drawn = {"confidence": asked["confidence"], "trials": asked["trials"], "seed": asked["seed"]}
    about = describe(given, at_hand(given))
    return agreement_page(measure(given, **asked), given.judgements, about, unit=asked["resample"], **drawn)


def read(path: str, read_as: str | None) -> Evaluation:
    """Judgements and their test set, from a testset.toml or a file of ratings."""
    if read_as is not None or not path.endswith(".toml"):
        from tertium.io.ratings.formats import open_ratings

        given, way_out = open_ratings(path, read_as), "it has a header and nothing else"
    else:
        from tertium.io.testset import read_testset

        given, way_out = read_testset(path), 'add judgements = "FILE", or pass the file of ratings itself'
    if not given.judgements:
        raise InputError(f"{path}: no judgements; {way_out}")
    return given


def read_bins(text: str | None) -> int | list[float] | None:
    """A number of bins, or where they begin."""
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",") if part] if "," in text else int(text)
    except ValueError:
        raise OptionError(f"--bins {text}: expected a number such as 5, or where bins begin, such as 50,80") from None
