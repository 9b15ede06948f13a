"""The table of scores that commands of `tertium meta` read: the same options for all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tertium.cli.listings import Listing, csv_listing, markdown_listings, plain_rows, text_listings
from tertium.cli.pages import page_option
from tertium.core.errors import OptionError
from tertium.core.shown import counted
from tertium.core.version import VERSION
from tertium.meta.table import ScoreTable, score_table

COLUMNS = 80  # of a terminal
TAKEN = frozenset(
    "metric statistic value p n groups decided wins without system deviations better worse preferred other".split()
)


def table_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is read."""
    for option in reversed(
        (
            click.argument("tables", nargs=-1, required=True, metavar="TABLE..."),
            click.option("--gold", required=True, metavar="COLUMN", help="The human scores."),
            click.option("-m", "--metrics", multiple=True, metavar="COLUMN",
                         help="The metrics; repeat or use commas. [default: all other columns of numbers]"),
            click.option("-g", "--group", multiple=True, metavar="COLUMN",
                         help="Columns that make a group, such as year,langs; only rows of one group are compared."),
            click.option("--system", metavar="COLUMN", help="The names of the systems. [default: system]"),
            click.option("--lower", multiple=True, metavar="COLUMN", help="Columns in which lower is better."),
            click.option("--long", metavar="NAME,VALUE",
                         help="A row for every value: the column that says what was measured, and the value's."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is written, and where."""
    for option in reversed(
        (
            click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]),
                         default="text", show_default=True, help="How the tables are printed."),
            click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True,
                         help="Decimals in tables."),
            click.option("-o", "--output", metavar="FILE", help="Write the tables to a file instead of the screen."),
            page_option,
        )
    ):  # fmt: skip
        command = option(command)
    return command


def words(texts: Sequence[str]) -> list[str]:
    """`a,b` and `c` as three words."""
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def read_scores(
    tables: Sequence[str],
    gold: str,
    metrics: Sequence[str],
    group: Sequence[str],
    system: str | None,
    lower: Sequence[str],
    long: str | None,
) -> ScoreTable:
    """The table that the command line names."""
    if list(tables).count("-") > 1:
        raise OptionError("standard input (-) can be read only once; name files for the others")
    pair = None if long is None else words([long])
    if pair is not None and len(pair) != 2:
        raise OptionError(f"--long {long}: write two columns, such as metric,value")
    return score_table(
        tables,
        gold=gold,
        metrics=words(metrics) or None,
        group=words(group),
        system=system,
        lower=words(lower),
        long=None if pair is None else (pair[0], pair[1]),
    )


def describe_table(table: ScoreTable) -> str:
    """One line about the table."""
    judged = table.columns[table.gold]
    missing = int((judged != judged).sum())  # NaN is not itself
    unjudged = f" ({missing} without {table.gold})" if missing else ""
    groups = f" in {counted(len(table.groups), 'group')} by {', '.join(table.group_names)}" if table.group_names else ""
    return f"{counted(len(table), 'row')}{unjudged}{groups}; gold: {table.shown(table.gold)}"


def page_title(files: Sequence[str]) -> str:
    """What stands at the top of a page about these files."""
    return "Metrics against people: " + ", ".join(
        "standard input" if file == "-" else Path(file).name for file in files
    )


def group_heads(table: ScoreTable) -> list[str]:
    """The names of the columns that say which group it is, told from those that say something else."""
    return [f"group {name}" if name in TAKEN else name for name in table.group_names] or ["group"]


def group_cells(group: Sequence[str]) -> list[str]:
    """What stands in them."""
    return list(group) or ["all"]


def narrow(listing: Listing, fixed: int, width: int) -> list[Listing]:
    """The same table in as many parts as it takes to fit a terminal; the first `fixed` columns stand in each."""
    rows = [listing.heads, *listing.cells(width)]
    sizes = [max(len(row[k]) for row in rows) + 2 for k in range(len(listing.heads))]
    parts: list[list[int]] = [[]]
    room = COLUMNS + 2 - sum(sizes[:fixed])
    for k in range(fixed, len(sizes)):
        if parts[-1] and sum(sizes[j] for j in parts[-1]) + sizes[k] > room:
            parts.append([])
        parts[-1].append(k)
    return [
        Listing(listing.title if number == 0 else "", [listing.heads[k] for k in (*range(fixed), *part)],
                [[row[k] for k in (*range(fixed), *part)] for row in listing.rows], left=listing.left,
                note=listing.note if number == len(parts) - 1 else "")
        for number, part in enumerate(parts)
    ]  # fmt: skip


def render(
    table: ScoreTable,
    form: str,
    width: int,
    shown: Sequence[Listing],
    data: Mapping[str, Listing],
    facts: Mapping[str, Any],
    warnings: Sequence[str],
) -> str:
    """For people (text, Markdown) what is `shown`, for programs (CSV, JSON) the `data` at full precision."""
    if form == "json":
        about = {"tertium": VERSION, "gold": table.gold, "metrics": list(table.metrics), "lower": sorted(table.lower),
                 "group": list(table.group_names), "rows": len(table)}  # fmt: skip
        found = {name: plain_rows(listing) for name, listing in data.items()}
        return json.dumps({**about, **facts, **found, "warnings": list(warnings)}, ensure_ascii=False, indent=1)
    if form == "csv":
        return csv_listing(next(iter(data.values())))
    if form == "markdown":
        return markdown_listings(shown, width)
    return f"{describe_table(table)}\n\n{text_listings(shown, width)}"
