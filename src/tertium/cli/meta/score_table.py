"""The table of scores that commands of `tertium meta` read: the same options for all of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from tertium.cli.inputs import check_standard_input
from tertium.cli.output import Sheets
from tertium.cli.pages import page_option
from tertium.cli.parameters import argument, option, parameters
from tertium.cli.results import RESULT
from tertium.cli.values import words
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.core.version import VERSION
from tertium.core.wording import counted
from tertium.io import tables
from tertium.io.evalset import EvalSet, find_evalset
from tertium.meta.table import ScoreTable, score_table


@dataclass(frozen=True, kw_only=True)
class TableInputs:
    """Tables of scores, and what their columns are."""

    tables: tuple[str, ...] = argument(nargs=-1, required=True, metavar="TABLE...")
    gold: str = option("--gold", required=True, metavar="COLUMN", help="The human scores.")
    metrics: tuple[str, ...] = option("-m", "--metrics", multiple=True, metavar="COLUMN",
                                      help="The metrics; repeat or use commas. [default: all other columns of "
                                      "numbers]")  # fmt: skip
    group: tuple[str, ...] = option("-g", "--group", multiple=True, metavar="COLUMN",
                                    help="Columns that make a group, such as year,langs; only rows of one group are "
                                    "compared.")  # fmt: skip
    system: str | None = option("--system", metavar="COLUMN", help="The names of the systems. [default: system]")
    lower: tuple[str, ...] = option("--lower", multiple=True, metavar="COLUMN",
                                    help="Columns in which lower is better.")  # fmt: skip
    long: str | None = option("--long", metavar="NAME,VALUE",
                              help="A row for every value: the column that says what was measured, and the value's.",
                              )  # fmt: skip

    def read(self) -> ScoreTable:
        """All tables as one."""
        check_standard_input(table for table in self.tables if table == "-")  # a table has no NAME=
        folders = [found for table in self.tables if (found := find_evalset(table)) is not None]
        if folders:
            return self._of_folders(folders)
        pair = words(self.long)
        if self.long is not None and len(pair) != 2:
            raise OptionError(f"--long {self.long}: write two columns, such as metric,value")
        return score_table(
            self.tables,
            gold=self.gold,
            metrics=words(*self.metrics) or None,
            group=words(*self.group),
            system=self.system,
            lower=words(*self.lower),
            long=(pair[0], pair[1]) if pair else None,
        )

    def _of_folders(self, folders: Sequence[EvalSet]) -> ScoreTable:
        """Scores of systems in folders of mt-metrics-eval; each language pair is a group."""
        if len(folders) < len(self.tables):
            raise OptionError("folders of mt-metrics-eval and tables do not go together; name one kind")
        if self.long is not None or self.system is not None:
            raise OptionError("--long and --system are of tables; a folder of mt-metrics-eval says what is what")
        parts = [folder.system_columns(self.gold) for folder in folders]
        names = [name for name in parts[0] if all(name in part for part in parts)]
        several = ("testset",) if len(parts) > 1 else ()
        return score_table(
            {name: [value for part in parts for value in part[name]] for name in names},
            gold=self.gold,
            metrics=words(*self.metrics) or [name for name in names if name not in ("testset", "system", self.gold)],
            group=words(*self.group) or several,
            lower=words(*self.lower),
        )


table_options = parameters(TableInputs, "given")


def output_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is written, and where."""
    for add in reversed(
        (
            click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]),
                         default="text", show_default=True,
                         help="How the tables are printed; xlsx goes to a file (-o NAME.xlsx)."),
            click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True,
                         help="Decimals in tables."),
            click.option("-o", "--output", type=RESULT, metavar="FILE",
                         help="Write the tables to a file instead of the screen."),
            page_option,
        )
    ):  # fmt: skip
        command = add(command)
    return command


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


def render(
    table: ScoreTable,
    form: str,
    width: int,
    shown: Sequence[Table],
    data: Mapping[str, Table],
    facts: Mapping[str, Any],
    warnings: Sequence[str],
    room: int | None,
) -> str | Sheets:
    """For people (text, Markdown) what is `shown`, for programs (CSV, JSON) the `data` at full precision; Excel has
    both, a sheet for each."""
    if form == "json":
        about = {"tertium": VERSION, "gold": table.gold, "metrics": list(table.metrics), "lower": sorted(table.lower),
                 "group": list(table.group_names), "rows": len(table)}  # fmt: skip
        found = {name: tables.objects(rows) for name, rows in data.items()}
        return json.dumps({**about, **facts, **found, "warnings": list(warnings)}, ensure_ascii=False, indent=1)
    if form == "csv":
        return tables.csv(next(iter(data.values())))
    if form == "xlsx":
        rows = [replace(rows, title=f"{name.capitalize()}, one in each row") for name, rows in data.items()]
        return Sheets([*shown, *rows], [describe_table(table), *warnings])
    if form == "markdown":
        return tables.markdown(shown, width)
    return f"{tables.wrapped(describe_table(table), room)}\n\n{tables.text(shown, width, room or tables.WIDEST)}"
