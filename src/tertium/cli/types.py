"""`tertium types`: the table of types behind a type average."""

from __future__ import annotations

import json

import click

from tertium.analysis.types import ONLY, TypeScore, select_types, sort_types, type_table
from tertium.cli.score import describe, input_options, progress_bar, read_input, write
from tertium.cli.tables import number, text_table
from tertium.core.evaluation import Evaluation
from tertium.core.version import VERSION
from tertium.engines.evaluate import evaluate
from tertium.metrics import parse

# Headings as the field writes them, and what they are called here.
HEADS = {"type": "type", "refs": "references", "preds": "outputs", "match": "matches",
         "precision": "precision", "recall": "recall", "f": "f"}  # fmt: skip
SHOWN = 20  # rows of a text table, unless another number is asked for
ESCAPED = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})


@click.command()
@input_options
@click.option("-m", "--metric", default="macrof", show_default=True, metavar="METRIC",
              help="A metric that counts types: macrof or microf, with any options.")  # fmt: skip
@click.option("--sort", type=click.Choice(list(HEADS)), default="refs", show_default=True,
              help="Sorted by this column: numbers from the largest down, texts from A on.")  # fmt: skip
@click.option("--reverse", is_flag=True, help="The other way round.")
@click.option("--min-refs", type=click.IntRange(0), default=0, show_default=True,
              help="Only types that the references have at least so often.")  # fmt: skip
@click.option("--max-refs", type=click.IntRange(0), help="Only types that they have at most so often.")
@click.option("--pattern", metavar="REGEX", help="Only types in which this regular expression is found.")
@click.option("--only", type=click.Choice(ONLY), help="Only types on both sides, or on one side alone.")
@click.option("--top", type=click.IntRange(1), metavar="N", help=f"The first N. [default: {SHOWN} as text, else all]")
@click.option("-f", "--format", "form", type=click.Choice(["text", "tsv", "json"]), default="text", show_default=True,
              help="How the table is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=2, show_default=True, help="Decimals as text.")
@click.option("--threads", type=click.IntRange(1), help="Threads; the result is the same for any number.")
@click.option("-o", "--output", metavar="FILE", help="Write the table to a file instead of the screen.")
def types(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
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
) -> None:
    """Show which words a system misses or invents.

    For every type: how often the references have it (refs), the outputs (preds) and both (match); precision, recall
    and F in percent. tertium types --ref ref.en --hyp mt.en --max-refs 1 --only reference
    """
    given = read_input(testset, src, refs, hyps, doc, missing)
    chosen = parse(metric)
    with progress_bar(given, 1) as progress:
        evaluation = evaluate(given.testset, given.systems, [chosen], threads=threads, progress=progress)
    tables, counts = {}, {}
    for system in evaluation.systems:
        every = type_table(evaluation.stats(system.name, chosen), chosen)
        kept = select_types(every, min_references=min_refs, max_references=max_refs, pattern=pattern, only=only)
        tables[system.name] = sort_types(kept, HEADS[sort], reverse=reverse)
        counts[system.name] = f"{len(kept)} of {len(every)} types"
    limit = top if top is not None or form != "text" else SHOWN
    shown = {name: rows[:limit] for name, rows in tables.items()}
    if form == "tsv":
        text = tsv_table(shown)
    elif form == "json":
        text = json_object(evaluation, shown)
    else:
        text = text_tables(evaluation, shown, counts, width)
    write(text, output)
    for warning in evaluation.warnings:
        click.echo(f"tertium: note: {warning}", err=True)


def text_tables(evaluation: Evaluation, shown: dict[str, list[TypeScore]], counts: dict[str, str], width: int) -> str:
    """A table for each system, and the signature."""
    [signature] = evaluation.signatures.values()
    tables = [
        f"{name}: {counts[name]}\n\n{text_table(list(HEADS), [cells(row, width) for row in rows], 1)}"
        for name, rows in shown.items()
    ]
    return "\n\n".join([describe(evaluation.testset), *tables, signature])


def cells(row: TypeScore, width: int) -> list[str]:
    """A row as it is shown."""
    rates = (number(value, width) for value in (row.precision, row.recall, row.f))
    return [visible(row.type), str(row.references), str(row.outputs), str(row.matches), *rates]


def visible(text: str) -> str:
    """A text in which what a screen cannot show, or would obey, is written by its number."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def tsv_table(shown: dict[str, list[TypeScore]]) -> str:
    """One line for each type of each system, numbers at full precision."""
    lines = [["system", *HEADS]]
    for name, rows in shown.items():
        lines += [
            [name.translate(ESCAPED), row.type.translate(ESCAPED), *(repr(value) for value in values(row)[1:])]
            for row in rows
        ]
    return "\n".join("\t".join(line) for line in lines)


def values(row: TypeScore) -> list[str | int | float]:
    """The cells of a row, in the order of the headings."""
    return [getattr(row, name) for name in HEADS.values()]


def json_object(evaluation: Evaluation, shown: dict[str, list[TypeScore]]) -> str:
    """One object; a list of types for each system."""
    [(metric, signature)] = evaluation.signatures.items()
    tables = {name: [dict(zip(HEADS, values(row), strict=True)) for row in rows] for name, rows in shown.items()}
    return json.dumps(
        {
            "tertium": VERSION,
            "metric": metric,
            "signature": signature,
            "types": tables,
            "warnings": list(evaluation.warnings),
        },
        ensure_ascii=False,
        indent=1,
    )
