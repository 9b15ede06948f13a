"""`tertium testsets get`, `add` and `verify`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from tertium.cli.output import FAILED, write_notes
from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted
from tertium.io.files import megabytes, write_atomically
from tertium.io.named.catalogue import added_path, catalogue, find_named, read_catalogue, store_folder
from tertium.io.named.download import PATIENCE
from tertium.io.named.fetching import get, receipt, verify


@click.command("get")
@click.argument("name")
@click.option("-l", "--language-pair", "pairs", multiple=True, metavar="PAIR",
              help="Write the texts of this one; repeat for more. [default: all]")  # fmt: skip
@click.option("--patience", type=click.FloatRange(0, min_open=True), default=PATIENCE, show_default=True,
              metavar="SECONDS", help="Give up after so many seconds without a byte.")  # fmt: skip
def get_command(name: str, pairs: tuple[str, ...], patience: float) -> None:
    """Fetch a test set and check it.

    This is the only command that fetches test sets. A file is taken only if it is what was published; what was
    interrupted is gone on with.
    """
    entry = find_named(name)
    for pair in pairs:
        entry.pair(pair)
    with _bar() as tell:
        found = get(entry, pairs, tell, patience=patience)
    size = sum(file.size for file in found)
    click.echo(f"{name}: {counted(len(found), 'file')}, {megabytes(size)}, in {store_folder() / name}")
    write_notes(
        f"{file.address}: no checksum is published; noted as sha256 {one.sha256}, to which later downloads are held"
        for file, one in zip(entry.files, found, strict=True)
        if file.checksum is None
    )


@contextmanager
def _bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar with rate and time left, where there is a terminal."""
    if not sys.stderr.isatty():
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, object] = {}

        def tell(name: str, done: int, whole: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name.replace("[", r"\["), total=whole or None)
            bar.update(tasks[name], completed=done)  # type: ignore[arg-type]

        yield tell


def _silent(name: str, done: int, whole: int) -> None:
    """Where nobody looks."""


@click.command("add")
@click.argument("file")
@click.option("--replace", is_flag=True, help="Take the place of an entry that was added before.")
def add_command(file: str, replace: bool) -> None:
    """Add test sets of your own to the list.

    FILE is a TOML file with entries as docs/howto/testsets.md explains them: addresses or paths, checksums, language
    pairs.
    """
    entries = read_catalogue(file, own=True)
    if not entries:
        raise InputError(f"{file}: no entry; write [NAME] with layout, files and pairs")
    known = catalogue()
    for name in entries:
        if name in known and not known[name].own:
            raise OptionError(f"{file}: [{name}] is the name of a test set that ships with the list; choose another")
        if name in known and not replace:
            raise OptionError(f"{file}: [{name}] was added before; --replace takes its place")
    for name, entry in entries.items():
        target = added_path(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with write_atomically(target) as out:
            out.write(entry.text().encode())
        click.echo(f"{name} is in the list: {counted(len(entry.pairs), 'language pair')}; tertium testsets get {name}")


@click.command("verify")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def verify_command(names: tuple[str, ...]) -> None:
    """Check that what was fetched is still what it was.

    Files against their published checksums and what was noted when they came, texts against what was written. Without
    a name, everything that was fetched.
    """
    entries = [find_named(name) for name in names] or [
        entry for entry in catalogue().values() if receipt(store_folder() / entry.name)
    ]
    if not entries:
        click.echo("nothing was fetched yet")
        return
    wrong = 0
    for entry in entries:
        said = list(verify(entry))
        wrong += len(said)
        click.echo("\n".join(said) if said else f"{entry.name}: as it was fetched")
    if wrong:
        sys.exit(FAILED)
