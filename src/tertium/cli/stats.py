"""`tertium stats`: rows of a test set, counted here and merged elsewhere."""

from __future__ import annotations

import re

import click

from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import threads_option
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.header import Rows, rows_text
from tertium.core.wording import counted
from tertium.engines.parts import count_part
from tertium.io.parts import save_part
from tertium.metrics import parse_list


@click.command("stats")
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option("--part", metavar="K/N", help="Count the K-th of N equal runs of rows.")
@click.option("--rows", metavar="A-B", help="Count rows A to B, from 1. [default: all]")
@threads_option
@click.option(
    "-o", "--output", type=RESULT, metavar="FILE.parquet", required=True, help="Where statistics are written."
)
def stats_command(
    inputs: Inputs, metrics: tuple[str, ...], part: str | None, rows: str | None, threads: int | None, output: str
) -> None:
    """Count some rows of a test set, to be merged elsewhere.

    Every place reads the whole test set and counts its own rows: tertium stats --ref ref.en --hyp mt.en --part 3/20 -o
    3.parquet. Then: tertium merge *.parquet
    """
    if part is not None and rows is not None:
        raise OptionError("--part and --rows say the same in two ways; leave one out")
    given = inputs.read()
    chosen = parse_list(metrics or ("bleu,chrf,ter",))
    asked = read_rows(part, rows, len(given.testset))
    with working(threads, size=size_of(given, chosen), cache=inputs.cache) as run:
        found = count_part(given, chosen, asked, run)
    save_part(found, output)
    told = f"{rows_text(asked)} of {counted(len(given.testset), 'segment')}, {counted(len(given.systems), 'system')}"
    click.echo(f"{output}: {told}, {counted(len(chosen), 'metric')}")


def read_rows(part: str | None, rows: str | None, segments: int) -> Rows:
    """The rows that are asked for, counted from 0."""
    if part is not None:
        number, count = _two(part, "/", f"--part {part}: write K/N, such as 3/20")
        if not 1 <= number <= count:
            raise OptionError(f"--part {part}: there are parts 1 to {count}")
        if count > segments:
            raise OptionError(f"--part {part}: more parts than there are segments, {segments}")
        return (number - 1) * segments // count, number * segments // count
    if rows is None:
        return 0, segments
    first, last = _two(rows, "-", f"--rows {rows}: write A-B, such as 1-5000")
    if not 1 <= first <= last <= segments:
        raise OptionError(f"--rows {rows}: the test set has rows 1 to {segments}")
    return first - 1, last


def _two(text: str, between: str, refusal: str) -> tuple[int, int]:
    found = [int(number) for number in text.split(between) if re.fullmatch(r"[0-9]{1,18}", number)]
    if text.count(between) != 1 or len(found) != 2:
        raise OptionError(refusal)
    return found[0], found[1]
