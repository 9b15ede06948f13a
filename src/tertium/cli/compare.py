"""`tertium compare`: which differences between systems would not be luck."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import click

from tertium.cli.guards import guard_sentences, guards_of
from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import against_option, alpha_option, read_against, seed_option, threads_option, trust_option
from tertium.cli.output import FAILED, Sheets, form_of, stop_at, write, write_notes
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.table import Table
from tertium.core.wording import counted, describe, headings, p_equals
from tertium.engines.evaluate import add_metrics
from tertium.inference.compare import ADJUSTMENTS, TESTS, Comparison, Test, compare, with_other_unit
from tertium.inference.corrections import CORRECTED
from tertium.inference.standings import (
    SharedScores,
    keeping_up,
    notes,
    ranked,
    resolved,
    shared_scores,
)
from tertium.inference.units import UNITS, Unit
from tertium.io import tables as printers
from tertium.metrics import parse_list
from tertium.report.json_values import comparisons_object, signature
from tertium.report.own_curves import OwnCurves, own_curves, own_sentences
from tertium.report.tables.comparisons import cluster_table, comparison_rows, pair_table
from tertium.report.tables.frozen import Places, places_beside
from tertium.report.tables.meaning import comparison_sentence

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
@seed_option
@click.option("--unit", type=click.Choice(UNITS), default="segment", show_default=True,
              help="What is swapped or drawn: segments, or whole documents.")  # fmt: skip
@click.option("--correction", type=click.Choice(ADJUSTMENTS),
              help="For many comparisons, metric by metric. [default: max-t, or holm where trials are not shared]",
              )  # fmt: skip
@alpha_option
@click.option("--pairs", is_flag=True, help="Without a baseline: show every pair.")
@click.option("--fail-if-worse", multiple=True, metavar="METRIC",
              help=f"Exit with {FAILED} if a system is significantly worse than the baseline.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How the comparison is printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@against_option
@trust_option
def compare_command(
    inputs: Inputs,
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
    against: tuple[str, ...],
    trust_join: bool,
) -> None:
    """Test which systems are better, and by how much.

    tertium compare --ref ref.en --hyp old.en --hyp new.en --baseline old -m bleu,chrf. Runs of one system with other
    training seeds are given as --hyp NAME@RUN=FILE, and compared with --test bootstrap.
    """
    form = form_of(form, output)
    if fail_if_worse and baseline is None:
        raise OptionError("--fail-if-worse needs a system to be worse than: add --baseline NAME")
    frozen = read_against(against)
    gated = parse_list(fail_if_worse)
    chosen = parse_list([*(metrics or (() if gated else ("bleu,chrf,ter",))), *gated])
    given = inputs.read()
    with working(threads, size=size_of(given, chosen), cache=inputs.cache) as run:
        evaluation = add_metrics(given, *chosen, run=run, trust_join=trust_join)
        guarded = guards_of(evaluation, run)
    found = {
        str(metric): with_other_unit(
            evaluation,
            compare(evaluation, metric, baseline=baseline, test=test, trials=trials, seed=seed, unit=unit,
                    correction=correction, alpha=alpha, run=run), run
        )
        for metric in evaluation.metrics
    }  # fmt: skip
    own = own_curves(evaluation, seed=seed, trust_join=trust_join) if form not in ("csv", "xlsx") else []
    beside = places_beside(evaluation, frozen)
    text: str | Sheets
    if form == "json":
        text = json.dumps(
            comparisons_object(evaluation, found, baseline, guards=guarded, own=own, beside=beside),
            ensure_ascii=False,
            indent=1,
        )
    elif form in ("csv", "xlsx"):
        rows = replace(comparison_rows(found), title="Comparisons")
        text = printers.csv(rows) if form == "csv" else Sheets([rows], [describe(evaluation.testset)])
    else:
        wide = None if form == "markdown" else room(output)
        shown = printers.markdown if form == "markdown" else partial(printers.text, room=wide)
        text = tables(evaluation, found, baseline, own, beside, pairs=pairs, shown=shown, width=width, wide=wide)
    write(text, output)
    if form != "json":
        notes_beside = [note for item in beside for note in item.notes]
        write_notes([*evaluation.warnings, *notes_beside, *guard_sentences(evaluation, guarded)])
    stop_at(
        f"{item.system} is worse than {item.baseline} by {item.metric}: "
        f"{item.difference:+.2f}, {p_equals(item.adjusted)}"
        for metric in gated
        for item in found[str(evaluation.metric(metric))]
        if item.verdict == "worse"
    )


def tables(
    evaluation: Evaluation,
    found: dict[str, list[Comparison]],
    baseline: str | None,
    own: Sequence[OwnCurves],
    beside: Sequence[Places],
    *,
    pairs: bool,
    shown: Callable[[Sequence[Table], int | None], str],
    width: int | None,
    wide: int | None,
) -> str:
    """A heading, tables and what must be known of them, for every metric."""
    names = headings(evaluation.metrics)
    parts = [printers.wrapped(describe(evaluation.testset), wide)]
    for metric in evaluation.metrics:
        items = found[str(metric)]
        shared = shared_scores(evaluation, metric)
        decimals = metric.decimals if width is None else width
        against = f" against {baseline}" if baseline else ""
        heading = f"{names[str(metric)]}{against}, {basis(items, shared)}\n{method(items[0])}"
        parts.append(printers.wrapped(heading, wide))
        if baseline is None:
            parts.append(shown([cluster_table(items, metric, shared)], decimals))
            parts.append(printers.wrapped(standing(items, metric, shared), wide))
        if baseline is not None or pairs:
            table = pair_table(items, {str(metric): decimals}, scores=shared.values, baseline=baseline, n=shared.n)
            parts.append(shown([table], decimals))
        meant = [comparison_sentence(evaluation, items), *own_sentences(own, items)]
        meant += [said for item in beside for said in item.sentences(evaluation, str(metric))]
        parts += [printers.wrapped(said, wide) for said in meant]
        parts += [printers.wrapped(f"note: {note}.", wide) for note in notes(evaluation, items)]
    unused = dict.fromkeys(item.reason for item in own if item.reason)
    parts += [printers.wrapped(f"note: judgements say nothing of differences here: {why}.", wide) for why in unused]
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


def standing(items: Sequence[Comparison], metric: Metric, shared: SharedScores) -> str:
    """Who is not significantly worse than the best: clusters do not say it."""
    best = ranked(shared.values, metric.better)[0]
    if not resolved(items):
        return ""
    equal = keeping_up(items, best)
    if not equal:
        return f"{best} is significantly better than every other system."
    if len(equal) == len(shared.values) - 1:
        return f"No system is significantly worse than {best}, the best. That does not mean that they are equal."
    return f"Not significantly worse than {best}, the best: {', '.join(equal)}. That does not mean equal."


def method(item: Comparison) -> str:
    """How the p-values came about."""
    drawn = f", {item.trials} trials, seed {item.seed}" if item.test in ("permutation", "bootstrap") else ""
    return f"{NAMES[item.test]} by {item.unit}s{drawn}\n{CORRECTED[item.correction]}, alpha {item.alpha:g}"
