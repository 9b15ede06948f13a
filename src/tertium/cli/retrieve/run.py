"""`tertium retrieve run`: rankings of every collection."""

from __future__ import annotations

import click

from tertium.cli.output import write_notes
from tertium.cli.parameters import parameters
from tertium.cli.progress import working
from tertium.cli.retrieve.options import SearchOptions, work_of
from tertium.core.wording import counted
from tertium.retrieval.experiment import run_retrieval
from tertium.retrieval.folder import read_folder, write_runs


@click.command("run")
@click.argument("folder", metavar="FOLDER")
@parameters(SearchOptions, "search")
def run_command(folder: str, search: SearchOptions) -> None:
    """Search every collection for every topic.

    tertium retrieve run retrieval writes a TREC run for each system, the references and the source. Equal scores stand
    in trec_eval's order; a document that shares no term with the query is not retrieved.
    """
    tests = read_folder(folder)
    with working(size=work_of(tests)) as run:
        found = [run_retrieval(test, search.retriever(), run=run) for test in tests]
    write_runs(folder, found)
    for test in found:
        click.echo(f"{test.recipe}: {counted(len(test.topics), 'topic')} in {counted(len(test.rankings), 'run')}")
    click.echo(f"next: tertium retrieve score {folder}")
    write_notes(found[0].notes)
