"""`tertium prompt cache`: what language models have answered, and how to take it along or be rid of it."""

from __future__ import annotations

from pathlib import Path

import click

from tertium.cli.output import write
from tertium.cli.prompt.kept import answers_file
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.table import Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.io import tables
from tertium.io.files import megabytes

WIDEST = 60  # characters of an identity; -f csv has all


@click.command("cache")
@click.option("--cache", metavar="FILE", help="Where answers are kept. [default: in the user's cache folder]")
@click.option("--model", metavar="NAME", help="Only the answers of this model, by its name or identity.")
@click.option(
    "--export", type=RESULT, metavar="FILE", help="Write answers as JSON lines (.jsonl, .jsonl.gz), for replay:FILE."
)
@click.option("--about", metavar="TEXT", help="With --export: a line at the top that says whose answers they are.")
@click.option("--clear", is_flag=True, help="Forget them: they are then asked for again.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "csv"]), default="text", show_default=True,
              help="How the list is printed.")  # fmt: skip
def cache_command(
    cache: str | None, model: str | None, export: str | None, about: str | None, clear: bool, form: str
) -> None:
    """Show, export or clear what language models have answered.

    Answers never expire. What is exported can be replayed without the model: tertium prompt run grid.toml --model
    replay:FILE.
    """
    from tertium.models.cache import AnswerCache

    if export is not None and not export.endswith((".jsonl", ".jsonl.gz")):
        raise OptionError(f"--export {export}: the name must end in .jsonl or .jsonl.gz, by which replay: knows it")
    if export is not None and clear:
        raise OptionError("--export and --clear: first the one, then, when the file is there, the other")
    if about is not None and export is None:
        raise OptionError("--about: goes with --export FILE")
    path = answers_file(cache)
    if not Path(path).exists():
        if cache is not None or model is not None or export is not None:
            raise OptionError(f"{path}: no such file; no answer has been kept there")
        click.echo(f"{path}: 0 answers")
        return
    with AnswerCache(path, read_only=not clear) as answers:
        chosen = None if model is None else answers.find_model(model)
        if clear:
            click.echo(f"{path}: {counted(answers.clear(chosen), 'answer')} forgotten")
            return
        kept = [one for one in answers.contents() if chosen in (None, one.identity)]
        count = counted(sum(one.answers for one in kept), "answer")
        if export is not None:
            answers.export(export, model=chosen, about=about)
            size = Path(export).stat().st_size
            click.echo(f"{export}: {count}, {kilobytes(size)}; use them by --model replay:{export}")
            return
    columns = [*texts("model"), *numbers("answers", "bytes", decimals=0), *texts("identity", spare=1)]
    rows: Rows = [[one.name, one.answers, one.size, one.identity if form == "csv" else short(one.identity)]
                  for one in kept]  # fmt: skip
    if form == "csv":
        write(tables.csv(Table(columns=columns, rows=rows)), None)
        return
    click.echo(f"{path}: {count}, {megabytes(Path(path).stat().st_size)}")
    if rows:
        write(f"\n{tables.text([Table(columns=columns, rows=rows)], room=room(None))}", None)


def short(identity: str) -> str:
    """The beginning of an identity, which is long where it has a hash in it."""
    return identity if len(identity) <= WIDEST else f"{identity[: WIDEST - 3]}..."


def kilobytes(size: int) -> str:
    """A small file's size."""
    return f"{max(1, round(size / 1000))} kB"
