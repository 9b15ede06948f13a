"""`tertium testsets check`: for a hook that runs before a commit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tertium.cli.output import FAILED
from tertium.core.errors import TertiumError
from tertium.core.wording import counted, describe
from tertium.io.testset import read_testset


@click.command("check")
@click.argument("files", nargs=-1, metavar="[TESTSET]...")
def check_command(files: tuple[str, ...]) -> None:
    """Check testset.toml files and the files they name.

    Without a name, every testset.toml in this folder and those below it, hidden folders left out. Lengths, keys,
    encodings, systems and judgements, as every command checks them; nothing is scored. The exit status is 1 where a
    file cannot be read.
    """
    wrong = 0
    files = files or tuple(_below(Path()))
    if not files:
        click.echo("no testset.toml in this folder, and none below it")
    for file in files:
        try:
            found = read_testset(file)
        except TertiumError as error:
            wrong += 1
            click.echo(f"tertium: {error}", err=True)
            continue
        extra = f", {counted(len(found.judgements), 'judgement')}" if found.judgements else ""
        click.echo(f"{file}: {describe(found.testset)}; {counted(len(found.systems), 'system')}{extra}")
    if wrong:
        sys.exit(FAILED)


def _below(folder: Path) -> Iterator[str]:
    """Every testset.toml, in an order that is always the same."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if "testset.toml" in files:
            yield str(Path(here) / "testset.toml")
