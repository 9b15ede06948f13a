"""`tertium human agreement`: how far raters agree with each other, and with themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from tertium.cli.listings import Listing, Value, csv_listing, markdown_listings, text_listings
from tertium.cli.score import write, write_notes
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.shown import counted, number
from tertium.core.version import VERSION
from tertium.human.agreement import STATISTICS, Agreement
from tertium.human.agreement import agreement as measure
from tertium.human.answers import BETWEEN, BINS, POINTS
from tertium.human.objects import agreement_notes, agreement_object, agreement_title, resamples
from tertium.inference.seeds import RESAMPLES, SEED


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
@click.option("--confidence", is_flag=True, help="Percentile bootstrap intervals.")
@click.option("--confidence-level", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="How much the intervals cover; implies --confidence. [default: 0.95]")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True, help="Bootstrap resamples.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the resamples.")
@click.option("--resample", type=click.Choice(["segment", "item"]), default="segment", show_default=True,
              help="What is drawn: segments with all their outputs, or single outputs.")  # fmt: skip
@click.option("--input", "read_as", metavar="FORMAT", help="The format of RATINGS. [default: look at its first line]")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How the table is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals in tables.")
@click.option("-o", "--output", metavar="FILE", help="Write the table to a file instead of the screen.")
def agreement(
    file: str,
    scale: str | None,
    between: Any,
    by: str | None,
    statistics: str | None,
    bins: str | None,
    ties: float,
    pairs: bool,
    confidence: bool,
    confidence_level: float | None,
    trials: int,
    seed: int,
    resample: Any,
    read_as: str | None,
    form: str,
    width: int,
    output: str | None,
) -> None:
    """Show how far raters agree, with others and themselves.

    RATINGS is a file of ratings in any format that is read, TESTSET a testset.toml that names some:
    tertium human agreement testset.toml --scale adequacy --confidence
    """
    given = read(file, read_as)
    covered = confidence_level or (0.95 if confidence else None)
    found = measure(given, scale, between=between, by=by, statistics=statistics, bins=read_bins(bins), ties=ties,
                    each_pair=pairs, confidence=covered, trials=trials, seed=seed, resample=resample)  # fmt: skip
    drawn = resamples(covered, trials, seed, resample)
    if form == "json":
        text = json.dumps(agreement_object(found, drawn), ensure_ascii=False, indent=1)
    elif form == "csv":
        listing = full_listing(found)
        text = csv_listing(listing.with_columns(trials=trials, seed=seed) if drawn else listing)
    else:
        listings = tables(found, width, covered)
        text = markdown_listings(listings, width) if form == "markdown" else text_listings(listings, width)
        if form == "text" or drawn:
            text += f"\n\nagreement|tertium:{VERSION}{'|' + drawn if drawn else ''}"
    write(text, output)
    if form != "json":
        write_notes(agreement_notes(found))


def read(path: str, read_as: str | None) -> Evaluation:
    """Judgements and their test set, from a testset.toml or a file of ratings."""
    if read_as is not None or not path.endswith(".toml"):
        from tertium.io.ratings import open_ratings

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


def tables(found: Sequence[Agreement], width: int, covered: float | None) -> list[Listing]:
    """A table for each scale, of raters and of repeats, and one of pairs of raters."""
    listings = []
    for key in dict.fromkeys((row.group, row.scale, row.between) for row in found):
        there = [row for row in found if (row.group, row.scale, row.between) == key]
        whole = [row for row in there if not row.each]
        most = max(whole, key=lambda row: row.n if row.on != "order" else 0)
        facts = f"{counted(len(most.raters), 'rater')}, {counted(most.judgements, 'judgement')}"
        cut = next((row for row in whole if row.categories), None)
        note = "" if cut is None or "bin" not in cut.on else f"bins: {', '.join(cut.categories)}"
        heads = ["statistic", "on", "value", *([f"{100 * covered:g}% interval"] if covered else []), "n", "pairs"]
        rows = [[row.statistic, row.on, row.value, *([interval(row, width)] if covered else []), row.n, row.pairs]
                for row in whole]  # fmt: skip
        listings.append(Listing(f"{agreement_title(whole[0])}: {facts}", heads, rows, left=2, note=note))
        if any(row.each for row in there):
            listings.append(pair_listing([row for row in there if row.each]))
    return listings


def interval(row: Agreement, width: int) -> str | None:
    """`[0.412, 0.530]`."""
    if row.interval is None:
        return None
    return f"[{number(row.interval.low, width)}, {number(row.interval.high, width)}]"


SHORT = {
    "observed": "same", "bennett": "S", "scott": "pi", "cohen": "kappa", "cohen-linear": "linear",
    "cohen-quadratic": "quadr.", "pearson": "r", "spearman": "rho",
}  # fmt: skip


def pair_listing(found: Sequence[Agreement]) -> Listing:
    """A row for each pair of raters, a column for each coefficient."""
    words = list(dict.fromkeys(row.word for row in found))
    rows: dict[tuple[str, ...], list[Value]] = {}
    for row in found:
        rows.setdefault(row.raters, [*row.raters, row.n]).append(row.value)
    heads = ["rater", "rater", "n", *(SHORT[word] for word in words)]
    return Listing(f"{agreement_title(found[0])}: each pair", heads, list(rows.values()), left=2)


def full_listing(found: Sequence[Agreement]) -> Listing:
    """One line per coefficient, numbers at full precision."""
    heads = ["group", "scale", "between", "word", "statistic", "on", "value", "n", "pairs", "raters", "judgements",
             "low", "high", "categories"]  # fmt: skip
    rows: list[list[Value]] = [
        [row.group, row.scale, row.between, row.word, row.statistic, row.on, row.value, row.n, row.pairs,
         " ".join(row.raters) if row.each else len(row.raters), row.judgements,
         row.interval.low if row.interval else None, row.interval.high if row.interval else None,
         "; ".join(row.categories)]
        for row in found
    ]  # fmt: skip
    return Listing("", heads, rows)
