"""`tertium testsets list` and `show`."""

from __future__ import annotations

from functools import partial

import click

from tertium.cli.output import write
from tertium.cli.terminal import room
from tertium.core.errors import InputError
from tertium.core.table import Rows, Table, numbers, texts
from tertium.io import tables as printers
from tertium.io.named.catalogue import NamedSet, catalogue, find_named
from tertium.io.named.store import fields_of, is_here, references_in


@click.command("list")
@click.option("-l", "--language-pair", "pair", metavar="PAIR", help="Only those with this language pair.")
@click.option("--here", is_flag=True, help="Only those that are on this computer.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "csv", "markdown"]), default="text",
              show_default=True, help="How the list is printed.")  # fmt: skip
def list_command(pair: str | None, here: bool, form: str) -> None:
    """List the test sets that have a name.

    Those that ship with the list are of sacreBLEU's table, addresses and checksums; nothing is fetched. Where a user
    has sacreBLEU's folder, what is in it counts as here.
    """
    rows: Rows = []
    for entry in catalogue().values():
        pairs = [name for name in entry.pairs if pair in (None, name)]
        present = [name for name in pairs if is_here(entry, name)]
        if present or (pairs and not here):
            rows.append([entry.name, entry.title, len(entry.pairs), " ".join(present)])
    if not rows and not here:
        raise InputError(f"no test set has the language pair {pair}")
    columns = [*texts("name", "title"), *numbers("pairs"), *texts("here")]
    table = Table(columns=columns, rows=rows)
    if form == "text":
        write(printers.text([table], room=room(None)), None)
    else:
        write(printers.csv(table) if form == "csv" else printers.markdown([table]), None)


@click.command("show")
@click.argument("name")
@click.option("-l", "--language-pair", "pair", metavar="PAIR", help="The fields of this language pair, too.")
@click.option("--citation", is_flag=True, help="Only what to cite, as BibTeX.")
def show_command(name: str, pair: str | None, citation: bool) -> None:
    """Show what a test set is, and where its files are."""
    entry = find_named(name)
    if citation:
        if not entry.citation:
            raise InputError(f"test set {name}: its entry names nothing to cite; ask those who published it")
        write(entry.citation.strip(), None)
        return
    wrap = partial(printers.wrapped, room=room(None))
    parts = [f"{entry.name}: {entry.title}", wrap(f"language pairs: {', '.join(entry.pairs)}"), *_files(entry)]
    parts.append(wrap(f"licence: {entry.licence or 'not stated'}"))
    parts.append("on this computer: " + (", ".join(p for p in entry.pairs if is_here(entry, p)) or "no language pair"))
    if pair is not None:
        entry.pair(pair)
        fields = fields_of(entry, pair)
        counting = ", ".join(references_in(entry, pair, fields))
        parts.append(wrap(f"{pair}: {len(fields['src'])} segments, fields {', '.join(fields)}; references: {counting}"))
    write("\n\n".join(parts), None)


def _files(entry: NamedSet) -> list[str]:
    """Where each file is, and what is known of it."""
    return [
        f"{file.address}\n  "
        + (f"{file.checksum[0]} {file.checksum[1]}{f' ({file.source})' if file.source else ''}" if file.checksum else
           "unverified: no checksum is published; the first download is what later ones are held to")
        for file in entry.files
    ]  # fmt: skip
