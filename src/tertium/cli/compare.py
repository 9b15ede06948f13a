"""`tertium compare`: which differences between systems would not be luck."""

from __future__ import annotations

import csv
import io
import json
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import fields

import click

from tertium.cli.score import FAILED, input_options, read_input, trust_option, write, write_notes
from tertium.cli.tables import markdown_table, text_table
from tertium.cli.working import size_of, working
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.shown import ABSENT, counted, describe, headings, number, p_equals, p_text, stars
from tertium.human.evaluate import evaluate_all
from tertium.inference.compare import ADJUSTMENTS, TESTS, Comparison, Test, compare, with_other_unit
from tertium.inference.corrections import CORRECTED
from tertium.inference.seeds import SEED
from tertium.inference.standings import (
    SharedScores,
    keeping_up,
    notes,
    ranked,
    ranked_clusters,
    resolved,
    shared_scores,
)
from tertium.inference.units import UNITS, Unit
from tertium.metrics import parse_list
from tertium.report.objects import comparisons_object, signature

NAMES = {"permutation": "paired permutation", "bootstrap": "paired bootstrap", "sign": "sign test",
         "wilcoxon": "Wilcoxon test"}  # fmt: skip


@click.command("compare")
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or macrof1; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option("-b", "--baseline", metavar="NAME",
              help="Compare every other system with this one. [default: every pair, and clusters]")  # fmt: skip
@click.option("--test", type=click.Choice(TESTS), default="permutation", show_default=True,
              help="permutation and bootstrap test the score, sign and wilcoxon the segments' scores.")  # fmt: skip
@click.option(
    "--trials",
    type=click.IntRange(1),
    help="[default: 10000 permutations, 1000 resamples; fewer where that takes long, never too few]",
)
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of what is drawn.")
@click.option("--unit", type=click.Choice(UNITS), default="segment", show_default=True,
              help="What is swapped or drawn: segments, or whole documents.")  # fmt: skip
@click.option("--correction", type=click.Choice(ADJUSTMENTS),
              help="For many comparisons, metric by metric. [default: max-t, or holm where trials are not shared]",
              )  # fmt: skip
@click.option("--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
              help="How often a difference may be found where there is none.")  # fmt: skip
@click.option("--pairs", is_flag=True, help="Without a baseline: show every pair.")
@click.option("--fail-if-worse", multiple=True, metavar="METRIC",
              help=f"Exit with {FAILED} if a system is significantly worse than the baseline.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How the comparison is printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@click.option("--threads", type=click.IntRange(1), help="Threads; the result is the same for any number.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of the screen.")
@trust_option
def compare_command(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    metrics: tuple[str, ...],
    baseline: str | None,
    test: Test,
    trials: int | None,
    seed: int,
    unit: Unit,
    correction: str | None,
    alpha: float,
    pairs: bool,
    fail_if_worse: tuple[str, ...],
    form: str,
    width: int | None,
    threads: int | None,
    output: str | None,
    trust_join: bool,
) -> None:
    """Test which systems are better, and by how much.

    tertium compare --ref ref.en --hyp old.en --hyp new.en --baseline old -m bleu,chrf. Runs of one system with other
    training seeds are given as --hyp NAME@RUN=FILE, and compared with --test bootstrap.
    """
    if fail_if_worse and baseline is None:
        raise OptionError("--fail-if-worse needs a system to be worse than: add --baseline NAME")
    gated = parse_list(fail_if_worse)
    chosen = parse_list([*(metrics or (() if gated else ("bleu,chrf,ter",))), *gated])
    given = read_input(testset, src, refs, hyps, doc, missing)
    with working(threads, size=size_of(given, len(chosen))) as run:
        evaluation = evaluate_all(given, chosen, run=run, trust_join=trust_join)
    found = {
        str(metric): with_other_unit(
            evaluation,
            compare(evaluation, metric, baseline=baseline, test=test, trials=trials, seed=seed, unit=unit,
                    correction=correction, alpha=alpha),
        )
        for metric in chosen
    }  # fmt: skip
    layouts = {"json": json_object, "csv": csv_table}
    if form in layouts:
        text = layouts[form](evaluation, found, baseline)
    else:
        text = tables(evaluation, found, baseline, pairs=pairs, markdown=form == "markdown", width=width)
    write(text, output)
    if form != "json":
        write_notes(evaluation.warnings)
    worse = [item for metric in gated for item in found[str(metric)] if item.verdict == "worse"]
    for item in worse:
        click.echo(f"tertium: {item.system} is worse than {item.baseline} by {item.metric}: "
                   f"{item.difference:+.2f}, {p_equals(item.adjusted)}", err=True)  # fmt: skip
    if worse:
        sys.exit(FAILED)


def tables(
    evaluation: Evaluation,
    found: dict[str, list[Comparison]],
    baseline: str | None,
    *,
    pairs: bool,
    markdown: bool,
    width: int | None,
) -> str:
    """A heading, tables and what must be known of them, for every metric."""
    names = headings(evaluation.metrics)
    parts = [describe(evaluation.testset)]
    for metric in evaluation.metrics:
        items = found[str(metric)]
        shared = shared_scores(evaluation, metric)
        decimals = metric.decimals if width is None else width
        against = f" against {baseline}" if baseline else ""
        parts.append(f"{names[str(metric)]}{against}, {basis(items, shared)}\n{method(items[0])}")
        if baseline is None:
            parts.append(layout(*cluster_table(items, metric, shared, decimals), 3, markdown))
            parts.append(standing(items, metric, shared))
        if baseline is not None or pairs:
            parts.append(layout(*pair_table(items, shared, decimals, baseline), 1 if baseline else 2, markdown))
        parts += [wrapped(f"note: {note}.") for note in notes(evaluation, items)]
    signatures = [signature(evaluation.signatures[text], items[0]) for text, items in found.items()]
    return "\n\n".join([*(part for part in parts if part), "\n".join(signatures)])


def basis(items: Sequence[Comparison], shared: SharedScores) -> str:
    """The segments behind the scores and behind the pairs."""
    counts = sorted({item.n for item in items})
    units = sorted({item.units for item in items})
    in_units = f" in {spread(units)} documents" if items[0].unit == "document" else ""
    if counts == [shared.n]:
        return f"{counted(shared.n, 'segment')}{in_units}"
    return f"scores on the {counted(shared.n, 'segment')} scored for all systems, pairs on {spread(counts)}{in_units}"


def spread(counts: Sequence[int]) -> str:
    """`96`, or `90 to 96`."""
    return str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def wrapped(text: str) -> str:
    """A sentence in lines that fit a screen."""
    return textwrap.fill(text, 80, break_long_words=False, break_on_hyphens=False)


def standing(items: Sequence[Comparison], metric: Metric, shared: SharedScores) -> str:
    """Who is not significantly worse than the best: clusters do not say it."""
    best = ranked(shared.values, metric.better)[0]
    if not resolved(items):
        return ""
    equal = keeping_up(items, best)
    if not equal:
        return wrapped(f"{best} is significantly better than every other system.")
    if len(equal) == len(shared.values) - 1:
        return wrapped(
            f"No system is significantly worse than {best}, the best. That does not mean that they are equal."
        )
    return wrapped(f"Not significantly worse than {best}, the best: {', '.join(equal)}. That does not mean equal.")


def layout(heads: list[str], rows: list[list[str]], left: int, markdown: bool) -> str:
    """As text or as Markdown."""
    return (markdown_table if markdown else text_table)(heads, rows, left)


def method(item: Comparison) -> str:
    """How the p-values came about."""
    drawn = f", {item.trials} trials, seed {item.seed}" if item.test in ("permutation", "bootstrap") else ""
    return f"{NAMES[item.test]} by {item.unit}s{drawn}\n{CORRECTED[item.correction]}, alpha {item.alpha:g}"


def cluster_table(
    items: Sequence[Comparison], metric: Metric, shared: SharedScores, decimals: int
) -> tuple[list[str], list[list[str]]]:
    """Systems from best to worst, a cluster's under one number; no numbers where nothing could be significant."""
    beaten: dict[str, list[str]] = {name: [] for name in shared.values}
    for item in items:
        if item.verdict == "better":
            beaten[item.system].append(item.baseline)
        elif item.verdict == "worse":
            beaten[item.baseline].append(item.system)
    clusters = ranked_clusters(items, metric.better, shared.values)
    place = {name: str(k) for k, cluster in enumerate(clusters, 1) for name in cluster}
    rows = [
        [place.get(name, ABSENT), name, ", ".join(beaten[name]), number(shared.values[name], decimals)]
        for name in ranked(shared.values, metric.better)
    ]
    return ["cluster", "system", "better than", "score"], rows


def pair_table(
    items: Sequence[Comparison], shared: SharedScores, decimals: int, baseline: str | None
) -> tuple[list[str], list[list[str]]]:
    """One line for each comparison; with its own number of segments where these differ."""
    several = {item.n for item in items} != {shared.n}
    heads = ["system", "score", *(["n"] if several else []), "change", "interval", "p", "effect", "won/lost/tied",
             "detects"]  # fmt: skip
    rows = []
    for item in items:
        low, high = (item.interval.low, item.interval.high) if item.interval else (float("nan"),) * 2
        rows.append(
            [
                *([] if baseline else [item.baseline]),
                item.system,
                number(shared.values[item.system], decimals),
                *([str(item.n)] if several else []),
                f"{item.difference:+.{decimals}f}",
                f"[{number(low, decimals)}, {number(high, decimals)}]" if item.interval else number(low, decimals),
                f"{p_text(item.adjusted)}{stars(item.adjusted):<3}",
                f"{item.effect:+.2f}",
                f"{item.wins}/{item.losses}/{item.ties}",
                number(item.detectable, decimals),
            ]
        )
    return [*([] if baseline else ["baseline"]), *heads], rows


def json_object(evaluation: Evaluation, found: dict[str, list[Comparison]], baseline: str | None) -> str:
    """One object; numbers at full precision, undefined is null."""
    return json.dumps(comparisons_object(evaluation, found, baseline), ensure_ascii=False, indent=1)


def csv_table(evaluation: Evaluation, found: dict[str, list[Comparison]], baseline: str | None) -> str:  # noqa: ARG001
    """One line for each comparison, numbers at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [field.name for field in fields(Comparison) if field.name != "interval"]
    writer.writerow([*names, "low", "high"])
    for items in found.values():
        for item in items:
            bounds = ("", "") if item.interval is None else (item.interval.low, item.interval.high)
            writer.writerow([*(getattr(item, name) for name in names), *bounds])
    return out.getvalue().rstrip("\n")
