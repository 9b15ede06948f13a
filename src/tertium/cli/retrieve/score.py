"""`tertium retrieve score`: rankings, measured and compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tertium.cli.output import form_of, write_notes
from tertium.cli.pages import write_page
from tertium.cli.progress import working
from tertium.cli.retrieve.options import measures_option, output_options, read_measures, work_of, write_tables
from tertium.core.errors import OptionError
from tertium.core.table import Table
from tertium.inference.seeds import CONFIDENCE
from tertium.io import trec
from tertium.report.tables.comparisons import comparison_rows
from tertium.report.tables.retrieval import (
    comparisons,
    retrieval_rows,
    retrieval_table,
    standing_table,
    topic_rows,
    verdict,
)
from tertium.retrieval.experiment import MEASURES, RetrievalTest, runs_test, score_retrieval
from tertium.retrieval.folder import read_folder
from tertium.retrieval.metric import TopicEvaluation
from tertium.retrieval.rankings import Ranking, Relevance, from_mapping
from tertium.retrieval.result import RetrievalResult

if TYPE_CHECKING:
    from tertium.report.page import Page


@click.command("score")
@click.argument("folder", required=False, metavar="[FOLDER]")
@click.option("--run", "runs", multiple=True, metavar="[NAME=]FILE",
              help="Instead of a folder: a TREC run from elsewhere; repeat for more.")  # fmt: skip
@click.option("--qrels", metavar="FILE", help="And the judgements for such runs.")
@click.option("--documents", type=click.IntRange(1), metavar="N",
              help="And how many documents there are, which AQWV has to know.")  # fmt: skip
@measures_option
@click.option("--by-topic", is_flag=True, help="Every topic in a row of its own, as CSV or JSON.")
@output_options
def score_command(
    folder: str | None,
    runs: tuple[str, ...],
    qrels: str | None,
    documents: int | None,
    measures: tuple[str, ...],
    by_topic: bool,
    form: str,
    width: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Measure rankings: mAP, MRR, nDCG, AQWV and more.

    tertium retrieve score retrieval, or of runs from elsewhere: tertium retrieve score --run mine.run --qrels
    qrels.txt. The first measure is the one by which systems are compared.
    """
    form = form_of(form, output)
    if by_topic and form not in ("csv", "json"):
        raise OptionError("--by-topic is for programs: add -f csv or -f json")
    chosen = read_measures(measures)
    if (folder is None) == (not runs):
        raise OptionError("name the folder of a test, or runs with --run FILE and --qrels FILE")
    if folder is not None:
        tests = read_folder(folder, needs_runs=True)
    else:
        tests = [_from_elsewhere(runs, qrels)]
        if chosen is None and documents is None:
            chosen = [name for name in MEASURES["own"] if "AQWV" not in name]
    with working(size=work_of(tests)) as run:
        size = None if folder is not None else documents
        found = [(test, score_retrieval(test, chosen, size=size, run=run)) for test in tests]
        items = [comparisons(test, evaluation) for test, evaluation in found]
    if by_topic:
        parts = [topic_rows(test, evaluation) for test, evaluation in found]
        rows = Table(columns=parts[0].columns, rows=[row for part in parts for row in part.rows])
        write_tables([], [], {"topics": rows}, form, width, output)
    else:
        said = [verdict(test, evaluation, own) for (test, evaluation), own in zip(found, items, strict=True)]
        shown = []
        for (test, evaluation), own in zip(found, items, strict=True):
            shown += [retrieval_table(test, evaluation), *([standing_table(test, evaluation, own)] if own else [])]
        data = {"scores": retrieval_rows(found, CONFIDENCE)}
        if form == "json":
            data["comparisons"] = comparison_rows({str(k): own for k, own in enumerate(items)})
        write_tables(said, shown, data, form, width, output, verdicts=said)
    notes = [note for test, evaluation in found for note in (*test.notes, *evaluation.warnings)]
    write_notes(dict.fromkeys(notes))
    write_page(page, lambda: _page(tests, found))


def _page(tests: Sequence[RetrievalTest], found: Sequence[tuple[RetrievalTest, TopicEvaluation]]) -> Page:
    from tertium.report.retrieval import retrieval_page

    return retrieval_page([RetrievalResult(tests=tuple(tests), evaluations=tuple(each for _, each in found))])


def _from_elsewhere(specs: Sequence[str], qrels: str | None) -> RetrievalTest:
    if qrels is None:
        raise OptionError("--run needs --qrels FILE, which says what is relevant")
    relevance = from_mapping(Relevance, trec.read_qrels(qrels))
    found: dict[str, Ranking] = {}
    for spec in specs:
        name, equals, file = spec.partition("=") if not Path(spec).exists() else ("", "", spec)
        file = file if equals or not name else spec
        label = name if equals else Path(file).stem
        if label in found:
            raise OptionError(f"--run {spec}: there is already a run {label}; give it another name: --run NAME={file}")
        found[label] = from_mapping(Ranking, trec.read_run(file))
    return runs_test(Path(qrels).name, found, relevance, None)
