"""`tertium buckets`: scores by document, label, length or share of rare words."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import click

from tertium.analysis.buckets import BY, BucketScore
from tertium.analysis.buckets import buckets as bucket_scores
from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import Bootstrap, threads_option, trust_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.parameters import parameters
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.cli.values import read_bounds
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.testset import TestSet
from tertium.core.wording import counted, describe
from tertium.engines.evaluate import add_metrics
from tertium.inference.scores import interval_warnings
from tertium.io import tables
from tertium.metrics import parse_list
from tertium.report.json_values import buckets_object
from tertium.report.tables.scores import bucket_rows, bucket_tables


@click.command()
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf]")  # fmt: skip
@click.option("--by", metavar="WHAT",
              help=f"{', '.join(BY)} or a label. [default: the one --label, else reference-length]")  # fmt: skip
@click.option("--label", "labels", multiple=True, metavar="[NAME=]FILE",
              help="A label for each segment, one per line; repeat for more labels.")  # fmt: skip
@click.option("--bounds", metavar="N,N,...",
              help="Upper ends of buckets. [default: 10,20,30,40,50 words; 0,10,20,30,50 % rare words]")  # fmt: skip
@click.option("--tokenize", default="13a", show_default=True, metavar="NAME", help="How words are told apart.")
@click.option("--rare", type=click.IntRange(1), default=1, show_default=True, metavar="N",
              help="A rare word is one that the references have at most N times.")  # fmt: skip
@parameters(Bootstrap, "bootstrap", without=["method", "unit"])
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How scores are printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the scores to a file instead of the screen.")
@trust_option
def buckets(
    inputs: Inputs,
    metrics: tuple[str, ...],
    by: str | None,
    labels: tuple[str, ...],
    bounds: str | None,
    tokenize: str,
    rare: int,
    bootstrap: Bootstrap,
    form: str,
    width: int | None,
    threads: int | None,
    output: str | None,
    trust_join: bool,
) -> None:
    """Score parts of a test set: by document, label or length.

    Or by the share of rare words, or by labels of your own. tertium buckets testset.toml --by source-length
    """
    form = form_of(form, output)
    given = inputs.read()
    labelled, names = with_labels(given.testset, labels)
    what = by or (names[0] if len(names) == 1 else "reference-length")
    chosen = parse_list(metrics or ("bleu,chrf",))
    with working(threads, size=size_of(given, chosen), cache=inputs.cache) as run:
        evaluation = add_metrics(dataclasses.replace(given, testset=labelled), *chosen, run=run, trust_join=trust_join)
    limits = None if bounds is None else read_bounds(bounds)
    found = bucket_scores(evaluation, what, bounds=limits, tokenize=tokenize, rare=rare, confidence=bootstrap.covered,
                          trials=bootstrap.trials, seed=bootstrap.seed)  # fmt: skip
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if bootstrap.covered else ())]
    text: str | Sheets
    if form == "json":
        text = json.dumps(buckets_object(evaluation, what, found, warnings), ensure_ascii=False, indent=1)
    elif form == "csv":
        text = tables.csv(bucket_rows(what, found))
    elif form == "xlsx":
        rows = dataclasses.replace(bucket_rows(what, found), title="Scores, one in each row")
        text = Sheets([*bucket_tables(evaluation, what, found, width), rows], [describe(evaluation.testset)])
    else:
        text = shown(evaluation, what, found, form, width, room(output))
    write(text, output)
    if form != "json":
        write_notes(warnings)


def with_labels(testset: TestSet, specs: Sequence[str]) -> tuple[TestSet, list[str]]:
    """The test set with labels from files, and what they are called: NAME, or the file's own name."""
    from pathlib import Path

    from tertium.io.texts import read_stream

    labels = dict(testset.labels)
    names = []
    for spec in specs:
        name, path = spec.split("=", 1) if "=" in spec and not Path(spec).exists() else ("", spec)
        name = name or Path(path).stem
        if name in BY or name in labels:
            raise OptionError(f"--label {spec}: {name} is taken; give the labels another name: --label NAME={path}")
        lines = read_stream(path)
        if len(lines) != len(testset):
            raise InputError(
                f"{path}: {counted(len(lines), 'label')}, but test set {testset.name} has "
                f"{counted(len(testset), 'segment')}"
            )
        if None in lines:
            raise InputError(f"{path}: line {list(lines).index(None) + 1} is missing; every segment needs a label")
        labels[name] = tuple(str(label) for label in lines)
        names.append(name)
    return (dataclasses.replace(testset, labels=labels) if specs else testset), names


def shown(
    evaluation: Evaluation, what: str, found: Sequence[BucketScore], form: str, width: int | None, room: int | None
) -> str:
    """A table for each metric: a row for each bucket, a column for each system."""
    listed = bucket_tables(evaluation, what, found, width)
    signatures = "\n".join(dict.fromkeys(score.signature for score in found))
    if form == "markdown":
        drawn = any(score.interval for score in found)  # then the seed stands below
        return tables.markdown(listed) + (f"\n\n{signatures}" if drawn else "")
    about = tables.wrapped(describe(evaluation.testset), room)
    return "\n\n".join([about, tables.text(listed, room=room), signatures])
