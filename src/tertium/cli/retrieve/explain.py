"""`tertium retrieve explain`: why documents are missed."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tertium.cli.output import form_of, write_notes
from tertium.cli.progress import working
from tertium.cli.results import RESULT
from tertium.cli.retrieve.options import work_of, write_tables
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.io.testset import read_testset
from tertium.report.tables.retrieval import explanation_sentence, lost_table, miss_rows, share_table
from tertium.retrieval.experiment import RetrievalTest
from tertium.retrieval.explain import CUTOFF, ExplainedMisses, explain_retrieval
from tertium.retrieval.folder import read_folder


@click.command("explain")
@click.argument("folder", metavar="FOLDER")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Only this system; repeat for more.")
@click.option("--recipe", "recipes", multiple=True, metavar="NAME", help="Only topics of this recipe.")
@click.option("--topic", "topics", multiple=True, metavar="ID", help="Every miss of this topic; repeat for more.")
@click.option("--at", "cutoff", type=click.IntRange(1), default=CUTOFF, show_default=True,
              help="A document that is not among so many first ones is missed.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=5, show_default=True, help="Words of each system.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How the tables are printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
def explain_command(
    folder: str,
    systems: tuple[str, ...],
    recipes: tuple[str, ...],
    topics: tuple[str, ...],
    cutoff: int,
    top: int,
    form: str,
    output: str | None,
) -> None:
    """Show why documents are missed.

    tertium retrieve explain retrieval: of every system, which share of the words that were lost it left untranslated,
    dropped or translated otherwise, and which words cost it most documents.
    """
    form = form_of(form, output)
    tests = read_folder(folder, read_testset, needs_runs=True)
    known = [test.recipe for test in tests]
    for recipe in recipes:
        if recipe not in known:
            raise OptionError(f"--recipe {recipe}: there are {', '.join(known)}")
    tests = [test for test in tests if not recipes or test.recipe in recipes]
    with working(size=work_of(tests)) as run:
        found = [(test, explain_retrieval(test, systems or None, cutoff=cutoff, run=run)) for test in tests]
    if topics:
        found = [(test, _of_topics(test, explained, topics)) for test, explained in found]
        everyone = {topic for test in tests for topic in test.topics.ids}
        if unknown := [topic for topic in topics if topic not in everyone]:
            raise OptionError(f"--topic {unknown[0]}: there is no such topic")
    said = [f"{test.recipe}: {explanation_sentence(explained)}" for test, explained in found]
    shown: list[Table] = []
    for test, explained in found:
        rows = [_short(miss_rows(test, explained))] if topics else []
        shown += rows or [
            share_table(test, explained),
            *([lost_table(test, explained, top)] if explained.misses else []),
        ]
    every = [miss_rows(test, explained) for test, explained in found]
    data = {"misses": Table(columns=every[0].columns, rows=[row for each in every for row in each.rows])}
    write_tables([] if topics else said, shown, data, form, None, output)
    segments = sorted({miss.segment for _, explained in found for miss in explained.misses if miss.segment})
    if topics and segments and form == "text":
        listed = ",".join(str(segment) for segment in segments[:20])
        write_notes([f"the segments among all that a program finds: tertium diagnose TESTSET --among {listed}"])


def _of_topics(test: RetrievalTest, explained: ExplainedMisses, topics: Sequence[str]) -> ExplainedMisses:
    wanted = set(topics) & set(test.topics.ids)
    return explained._replace(misses=tuple(miss for miss in explained.misses if miss.topic in wanted))


def _short(rows: Table) -> Table:
    """For people: without what is the same in every row."""
    kept = {"system": 0, "query": 0, "document": 0, "reason": 0, "in the output": 1, "segment": 1, "rank": 2}
    places = [(rows.heads.index(head), spare) for head, spare in kept.items()]
    return Table(
        title=f"{rows.rows[0][1]}: every miss" if rows.rows else "No document is missed",
        columns=[rows.columns[place]._replace(spare=spare) for place, spare in places],
        rows=[[row[place] for place, _ in places] for row in rows.rows],
    )
