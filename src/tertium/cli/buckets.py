"""`tertium buckets`: scores by document, label, length or share of rare words."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence

import click

from tertium.analysis.buckets import BY, BucketScore
from tertium.analysis.buckets import buckets as bucket_scores
from tertium.cli.listings import Listing, Value, csv_listing, markdown_listings, text_listings
from tertium.cli.score import input_options, read_input, trust_option, write, write_notes
from tertium.cli.tables import score_cells
from tertium.cli.types import read_bounds
from tertium.cli.working import size_of, working
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.shown import ABSENT, counted, describe, headings
from tertium.core.testset import TestSet
from tertium.human.evaluate import evaluate_all
from tertium.inference.scores import interval_warnings
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.metrics import parse_list
from tertium.report.objects import buckets_object

NOTE = "* an average over types: other buckets, and the whole, have other types; compare systems within a bucket only"


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
@click.option("--confidence", is_flag=True, help="Percentile bootstrap intervals.")
@click.option("--confidence-level", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="How much the intervals cover; implies --confidence. [default: 0.95]")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True, help="Bootstrap resamples.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the resamples.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How scores are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@click.option("--threads", type=click.IntRange(1), help="Threads; the result is the same for any number.")
@click.option("-o", "--output", metavar="FILE", help="Write the scores to a file instead of the screen.")
@trust_option
def buckets(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    metrics: tuple[str, ...],
    by: str | None,
    labels: tuple[str, ...],
    bounds: str | None,
    tokenize: str,
    rare: int,
    confidence: bool,
    confidence_level: float | None,
    trials: int,
    seed: int,
    form: str,
    width: int | None,
    threads: int | None,
    output: str | None,
    trust_join: bool,
) -> None:
    """Score parts of a test set: by document, label or length.

    Or by the share of rare words, or by labels of your own. tertium buckets testset.toml --by source-length
    """
    given = read_input(testset, src, refs, hyps, doc, missing)
    labelled, names = with_labels(given.testset, labels)
    what = by or (names[0] if len(names) == 1 else "reference-length")
    chosen = parse_list(metrics or ("bleu,chrf",))
    with working(threads, size=size_of(given, len(chosen))) as run:
        evaluation = evaluate_all(dataclasses.replace(given, testset=labelled), chosen, run=run, trust_join=trust_join)
    covered = confidence_level or (0.95 if confidence else None)
    limits = None if bounds is None else read_bounds(bounds)
    found = bucket_scores(evaluation, what, bounds=limits, tokenize=tokenize, rare=rare, confidence=covered,
                          trials=trials, seed=seed)  # fmt: skip
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if covered else ())]
    if form == "json":
        text = json_object(evaluation, what, found, warnings)
    elif form == "csv":
        text = csv_listing(full_listing(what, found))
    else:
        text = shown(evaluation, what, found, form, width)
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


def shown(evaluation: Evaluation, what: str, found: Sequence[BucketScore], form: str, width: int | None) -> str:
    """A row for each bucket and system, a column for each metric."""
    metrics = {str(metric): metric for metric in evaluation.metrics}
    order = {key: k for k, key in enumerate(dict.fromkeys((score.whole, score.bucket) for score in found))}
    rows: dict[tuple[int, str], dict[str, BucketScore]] = {}
    for score in found:
        rows.setdefault((order[score.whole, score.bucket], score.system), {})[score.metric] = score
    table: list[list[Value]] = []
    for _, cells in sorted(rows.items(), key=lambda item: item[0][0]):
        first = next(iter(cells.values()))
        marks = [cell(cells[text], metric, width) if text in cells else ABSENT for text, metric in metrics.items()]
        table.append([first.bucket, first.system, first.segments, *marks])
    note = NOTE if any(not score.comparable for score in found) else ""
    heads = [what, "system", "segments", *headings(evaluation.metrics).values()]
    listing = Listing("", heads, table, left=2, note=note)
    signatures = "\n".join(dict.fromkeys(score.signature for score in found))
    if form == "markdown":
        drawn = any(score.interval for score in found)  # then the seed stands below
        return markdown_listings([listing], 0) + (f"\n\n{signatures}" if drawn else "")
    return "\n\n".join([describe(evaluation.testset), text_listings([listing], 0), signatures])


def cell(score: BucketScore, metric: Metric, width: int | None) -> str:
    """A score with its interval, marked where it stands for itself."""
    return score_cells(score, metric, width) + ("" if score.comparable else "*")


def full_listing(what: str, found: Sequence[BucketScore]) -> Listing:
    """One line per score, numbers at full precision."""
    heads = ["by", "bucket", "segments", "system", "metric", "value", "n", "low", "high", "comparable", "signature"]
    rows = [
        [what, score.bucket, score.segments, score.system, score.metric, score.value, score.n,
         score.interval.low if score.interval else None, score.interval.high if score.interval else None,
         "true" if score.comparable else "false", score.signature]
        for score in found
    ]  # fmt: skip
    return Listing("", heads, rows)


def json_object(evaluation: Evaluation, what: str, found: Sequence[BucketScore], warnings: Sequence[str]) -> str:
    """One object; numbers at full precision, undefined is null."""
    return json.dumps(buckets_object(evaluation, what, found, warnings), ensure_ascii=False, indent=1)
