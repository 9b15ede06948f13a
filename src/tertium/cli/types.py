"""`tertium types`: the table of types behind a type average, of each system or of two side by side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tertium.analysis.types import ONLY, select_types, sort_types, type_table
from tertium.cli.inputs import Inputs, counting_options
from tertium.cli.options import threads_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.cli.values import read_bounds
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.system import System, find_system
from tertium.core.table import Rows, Table, texts
from tertium.core.wording import describe
from tertium.engines.evaluate import evaluate
from tertium.inference.seeds import SEED, SWAPS
from tertium.io import tables
from tertium.metrics import parse
from tertium.report.json_values import contrast_objects, types_object
from tertium.report.tables.types import TYPE
from tertium.report.tables.types import type_table as table_of_types

if TYPE_CHECKING:
    from tertium.report.page import Page

OF_PAIRS = {"diff": "difference", "gain": "gain"}  # what only two systems have
SHOWN = 20  # rows of a text table, unless another number is asked for


@click.command()
@counting_options
@click.argument("names", nargs=-1, metavar="[A B]")
@click.option("-m", "--metric", default="macrof", show_default=True, metavar="METRIC",
              help="A metric that counts types: macrof or microf, with any options.")  # fmt: skip
@click.option("--sort", type=click.Choice([*TYPE, *OF_PAIRS]), default="refs", show_default=True,
              help="Sorted by this column: numbers from the largest down, texts from A on.")  # fmt: skip
@click.option("--reverse", is_flag=True, help="The other way round.")
@click.option("--min-refs", type=click.IntRange(0), default=0, show_default=True,
              help="Only types that the references have at least so often.")  # fmt: skip
@click.option("--max-refs", type=click.IntRange(0), help="Only types that they have at most so often.")
@click.option("--pattern", metavar="REGEX", help="Only types in which this regular expression is found.")
@click.option("--only", type=click.Choice(ONLY), help="Only types on both sides, or on one side alone.")
@click.option("--top", type=click.IntRange(1), metavar="N", help=f"The first N. [default: {SHOWN} as text, else all]")
@click.option("--show", multiple=True, metavar="TABLE",
              help="Of A and B: buckets, types, gained, lost, curve, ngrams; repeat or use commas.")  # fmt: skip
@click.option("--bounds", metavar="N,N,...", help="Of A and B: upper ends of the buckets. [default: 1,2,5,10,50,200]")
@click.option("--order", type=click.IntRange(1, 9), default=4, show_default=True, help="Of A and B: longest n-grams.")
@click.option("--trials", type=click.IntRange(0), default=SWAPS, show_default=True,
              help="Of A and B: swaps of the permutation test; 0 leaves it out.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Of A and B: seed of the swaps.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "tsv", "json", "csv", "markdown", "xlsx"]),
              default="text", show_default=True,
              help="How the table is printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=2, show_default=True, help="Decimals as text.")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the table to a file instead of the screen.")
@page_option
def types(
    inputs: Inputs,
    names: tuple[str, ...],
    metric: str,
    sort: str,
    reverse: bool,
    min_refs: int,
    max_refs: int | None,
    pattern: str | None,
    only: str | None,
    top: int | None,
    form: str,
    width: int,
    threads: int | None,
    output: str | None,
    page: str | None,
    **pair_options: Any,
) -> None:
    """Show which words a system misses or invents.

    For every type: how often the references have it (refs), the outputs (preds) and both (match); precision, recall
    and F in percent. tertium types --ref ref.en --hyp mt.en --max-refs 1 --only reference

    With the names of two systems, A and B, both side by side: tertium types testset.toml A B
    """
    form = form_of(form, output)
    testset, pair = split_arguments(inputs.testset, names, bool(inputs.refs))
    given = replace(inputs, testset=testset).read()
    systems = chosen_systems(given, pair)
    chosen = parse(metric)
    with working(threads, size=size_of(given, [chosen])) as run:
        evaluation = evaluate(given.testset, systems, [chosen], run=run)
    filters = {"min_references": min_refs, "max_references": max_refs, "pattern": pattern, "only": only}
    if pair is None and sort in OF_PAIRS:
        raise OptionError(f"--sort {sort} is for two systems: tertium types TESTSET A B")
    text: str | Sheets
    if pair is None:
        text = each_system(evaluation, filters, TYPE[sort], reverse, top, form, width, room(output))
    else:
        sorting = {**TYPE, **OF_PAIRS}[sort]
        text = two_systems(evaluation, pair, filters, sorting, reverse, top, form, width, room(output),
                           **pair_options)  # fmt: skip
    write(text, output)
    write_page(page, partial(page_of, evaluation, pair, pair_options))
    write_notes(evaluation.warnings)


def page_of(evaluation: Evaluation, pair: tuple[str, str] | None, options: Mapping[str, Any]) -> Page:
    """Frequencies of types, and F by frequency: of two systems side by side, or of all."""
    from tertium.report.types import contrast_page, types_page

    [metric] = evaluation.metrics
    [signature] = evaluation.signatures.values()
    about = describe(evaluation.testset)
    if pair is None:
        found = {s.name: type_table(evaluation.stats(s.name, metric), metric) for s in evaluation.systems}
        return types_page(found, metric, signature, about)
    from tertium.analysis.contrast import compare_types

    contrast = compare_types(
        evaluation, *pair, bounds=limits_of(options["bounds"]), trials=options["trials"], seed=options["seed"]
    )
    return contrast_page(contrast, metric, signature, about)


def limits_of(bounds: str | None) -> Sequence[int]:
    """Upper ends of buckets."""
    from tertium.analysis.contrast import BOUNDS

    return BOUNDS if bounds is None else [int(bound) for bound in read_bounds(bounds, whole=True)]


def split_arguments(
    testset: str | None, names: Sequence[str], has_refs: bool
) -> tuple[str | None, tuple[str, str] | None]:
    """[TESTSET] [A B]: the test set, if one is named, and the two systems, if they are."""
    words = [*([] if testset is None else [testset]), *names]
    if len(words) < 2:
        return testset, None
    if len(words) > 3 or (len(words) == 2 and not has_refs):
        raise OptionError(
            f"{' '.join(words)}: name a test set and two of its systems, or none of them: tertium types TESTSET A B"
        )
    return (None if len(words) == 2 else words[0]), (words[-2], words[-1])


def chosen_systems(given: Evaluation, pair: tuple[str, str] | None) -> Sequence[System]:
    """The two systems that are named, or all."""
    if pair is None:
        return given.systems
    return [find_system(given.systems, name) for name in dict.fromkeys(pair)]


def each_system(
    evaluation: Evaluation,
    filters: dict[str, Any],
    sort: str,
    reverse: bool,
    top: int | None,
    form: str,
    width: int,
    room: int | None,
) -> str | Sheets:
    """A table for each system."""
    [chosen] = evaluation.metrics
    limit = top if top is not None or form not in ("text", "markdown") else SHOWN
    found = {}
    for system in evaluation.systems:
        every = type_table(evaluation.stats(system.name, chosen), chosen)
        kept = select_types(every, **filters)
        rows = sort_types(kept, sort, reverse=reverse)[:limit]
        found[system.name] = table_of_types(rows, f"{system.name}: {len(kept)} of {len(every)} types")
    if form == "json":
        return json_text(evaluation, {"types": {name: tables.objects(table) for name, table in found.items()}})
    if form in ("tsv", "csv"):
        named: Rows = [[name, *row] for name, table in found.items() for row in table.rows]
        return one_table(Table(columns=texts("system", *TYPE), rows=named), form)
    return several_tables(evaluation, list(found.values()), form, width, room)


def two_systems(
    evaluation: Evaluation,
    pair: tuple[str, str],
    filters: dict[str, Any],
    sort: str,
    reverse: bool,
    top: int | None,
    form: str,
    width: int,
    room: int | None,
    *,
    show: tuple[str, ...],
    bounds: str | None,
    order: int,
    trials: int,
    seed: int,
) -> str | Sheets:
    """The tables of two systems side by side."""
    from tertium.analysis.contrast import compare_types
    from tertium.cli.contrast import ContrastChoice, choose_tables, chosen_tables

    choice = ContrastChoice(show=choose_tables(show, form), form=form, top=top, sort=sort, reverse=reverse,
                            filters=filters, order=order)  # fmt: skip
    tested = trials if "buckets" in choice.show else 0
    contrast = compare_types(evaluation, *pair, bounds=limits_of(bounds), trials=tested, seed=seed)
    if form == "json":
        facts = {"systems": list(pair), "n": contrast.n, "trials": tested, "seed": seed,
             "unresolvable": contrast.unresolvable}  # fmt: skip
        found = contrast_objects(evaluation, contrast, show=choice.show, filters=filters, sort=sort, reverse=reverse,
                                 top=top, order=order)  # fmt: skip
        return json_text(evaluation, facts | found)
    shown = chosen_tables(evaluation, contrast, choice)
    if form in ("tsv", "csv"):
        return one_table(shown[0].with_columns(trials=tested, seed=seed) if tested else shown[0], form)
    return several_tables(evaluation, shown, form, width, room)


def one_table(table: Table, form: str) -> str:
    """For programs to read."""
    return tables.tsv(table) if form == "tsv" else tables.csv(table)


def several_tables(
    evaluation: Evaluation, found: Sequence[Table], form: str, width: int, room: int | None
) -> str | Sheets:
    """For people to read; as text with the test set above and the signature below."""
    if form == "markdown":
        return tables.markdown(found, width)
    [signature] = evaluation.signatures.values()
    if form == "xlsx":
        return Sheets(found, [describe(evaluation.testset), signature])
    about = tables.wrapped(describe(evaluation.testset), room)
    return "\n\n".join([about, tables.text(found, width, room), signature])


def json_text(evaluation: Evaluation, facts: dict[str, Any]) -> str:
    """One object: what was counted, and how."""
    [metric] = evaluation.signatures
    return json.dumps(types_object(evaluation, metric, facts), ensure_ascii=False, indent=1)
