"""`tertium testsets check`: for a hook that runs before a commit."""

from __future__ import annotations

import sys

import click

from tertium.cli.output import FAILED
from tertium.core.errors import TertiumError
from tertium.core.wording import counted, describe
from tertium.io.testset import read_testset


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="TESTSET...")
def check_command(files: tuple[str, ...]) -> None:
    """Check testset.toml files and the files they name.

    Lengths, keys, encodings, systems and judgements, as every command checks them; nothing is scored. The exit
    status is 1 where a file cannot be read.
    """
    wrong = 0
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
