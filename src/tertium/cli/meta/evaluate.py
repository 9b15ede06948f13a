"""`tertium meta evaluate`: metrics beside people, system by system and segment by segment."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import Inputs, system_options
from tertium.cli.meta.published import Gold, chosen_metrics, of_file, of_folder
from tertium.cli.options import alpha_option, threads_option, trust_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric, is_human
from tertium.core.table import Table
from tertium.core.wording import counted, describe, headings
from tertium.engines.evaluate import add_metrics
from tertium.human.metric import chosen_gold
from tertium.inference.corrections import CORRECTED
from tertium.inference.correlation_tests import SIDES, Sides
from tertium.inference.seeds import WMT_SEED, WMT_TRIALS
from tertium.io import tables
from tertium.io.evalset import EvalSet, find_evalset
from tertium.io.thresholds import called, matched, read_thresholds, typed
from tertium.meta.evaluate import LEVELS, SCORES, Level, MetaEvaluation, meta_evaluate
from tertium.meta.metric_comparison import SEGMENT_TESTS, SYSTEM_TESTS, read_rules
from tertium.metrics import parse
from tertium.report.json_values import meta_object
from tertium.report.tables.meta import (
    accuracy_table,
    correlation_table,
    matrix_table,
    metric_comparison_table,
    metric_pair_table,
    named,
    pooled_table,
    sentinel_table,
    statistic_rows,
    tie_table,
)

if TYPE_CHECKING:
    from tertium.io.ratings.segment_scores import Column
    from tertium.report.page import Page

WIDTH = 3


@click.command("evaluate")
@click.argument("testsets", nargs=-1, metavar="[TESTSET]...")
@system_options
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option(
    "--gold", metavar="METRIC", help="What people said, such as 'human(scale=\"adequacy\")'. [default: human]"
)
@click.option("--gold-scores", multiple=True, metavar="FILE",
              help="Or published scores of segments (SYS SID RAW.SCR Z.SCR N), one file for each TESTSET.")  # fmt: skip
@click.option("--gold-column", type=click.Choice(["z", "raw"]),
              help="Which of the published scores. [default: z where the file has them]")  # fmt: skip
@click.option("--gold-order", type=click.Choice(["documents", "lines"]), default="documents", show_default=True,
              help="What SID counts: segments of documents sorted by name, as WMT does, or lines.")  # fmt: skip
@trust_option
@click.option("--level", "levels", type=click.Choice(LEVELS), multiple=True, help="[default: both]")
@click.option("--micro", is_flag=True, help="Weigh segments and systems by how many scores they have.")
@click.option("--threshold", type=click.FloatRange(0, min_open=True), metavar="POINTS",
              help="How far apart judgements must be for Kendall-like. [default: 25 on 0-100]")  # fmt: skip
@click.option("--system-by", default="pearson", show_default=True, metavar="STATISTIC[:TEST]",
              help=f"How metrics are compared by systems: {', '.join(SYSTEM_TESTS)}.")  # fmt: skip
@click.option("--segment-by", default="acc_eq", show_default=True, metavar="STATISTIC[:TEST]",
              help=f"And by segments: {', '.join(SEGMENT_TESTS)}. Tests: williams, both, inputs, systems, pairs.",
)  # fmt: skip
@click.option("--eps", multiple=True, metavar="METRIC=NUMBER|FILE",
              help="Thresholds for ties from elsewhere: numbers, or what tertium meta -f json wrote of another set.",
)  # fmt: skip
@click.option("--correction", type=click.Choice(list(CORRECTED)), default="max-t", show_default=True,
              help="For many pairs of metrics at once; for Williams' test, which makes no trials, max-t is holm.",
)  # fmt: skip
@click.option("--sides", type=click.Choice(SIDES), default=SIDES[0], show_default=True,
              help="Is one of two metrics closer (two), or the one that is ahead, as WMT asks (one)?")  # fmt: skip
@click.option("--sentinels", is_flag=True,
              help="Also show what scores reach that see only the output's length, the source or the reference.",
)  # fmt: skip
@alpha_option
@click.option("--trials", type=click.IntRange(1),
              help=f"Random swaps. [default: {WMT_TRIALS}, more where holm, bh or a small alpha takes more]",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=WMT_SEED, show_default=True, help="Seed of what is drawn.")
@click.option("--pairs", is_flag=True, help="Show every pair of metrics.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "xlsx"]), default="text",
              show_default=True, help="How results are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=WIDTH, show_default=True, help="Decimals as text.")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@page_option
def evaluate_command(
    testsets: tuple[str, ...],
    inputs: Inputs,
    metrics: tuple[str, ...],
    gold: str | None,
    gold_scores: tuple[str, ...],
    gold_column: Column | None,
    gold_order: str,
    trust_join: bool,
    levels: tuple[Level, ...],
    micro: bool,
    threshold: float | None,
    system_by: str,
    segment_by: str,
    eps: tuple[str, ...],
    correction: str,
    sides: Sides,
    sentinels: bool,
    alpha: float,
    trials: int | None,
    seed: int,
    pairs: bool,
    form: str,
    width: int,
    threads: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Judge metrics by what people said of the systems.

    tertium meta testset.toml -m bleu,chrf,ter --gold 'human(scale="adequacy")'. With several test sets, pairs of
    systems are pooled and other statistics averaged over them.
    """
    form = form_of(form, output)
    rules = read_rules(system_by, segment_by, correction, sides)
    if gold_scores and len(gold_scores) != max(1, len(testsets)):
        raise OptionError(f"{len(gold_scores)} files of --gold-scores for {counted(len(testsets), 'test set')}; "
                          f"give one for each")  # fmt: skip
    if len(testsets) > 1 and inputs.hyps:
        raise OptionError("--hyp goes with one test set; several name their systems themselves")
    if eps and levels and "segment" not in levels:
        raise OptionError("--eps: thresholds for ties are of segments; leave it out, or leave out --level system")
    ties = read_thresholds(eps)
    evaluations, found = [], []
    for k, testset in enumerate(testsets or (None,)):
        evalset = None if testset is None else find_evalset(testset)
        chosen, brings = chosen_metrics(metrics, evalset)
        given = replace(inputs, testset=testset).read()
        given = replace(given, brings=(*brings, *given.brings))
        file = gold_scores[k] if gold_scores else None
        evaluation, people = judged(given, chosen, gold, (file, gold_column, gold_order), threads, trust_join,
                                    inputs.cache, evalset)  # fmt: skip
        evaluations.append(evaluation)
        result = meta_evaluate(evaluation, people.segments, levels=levels or LEVELS, micro=micro, threshold=threshold,
                               rules=rules, trials=trials, seed=seed, alpha=alpha, trust_join=trust_join,
                               gold_scores=people.scores, gold_name=people.name, system_scores=people.systems,
                               eps=own_thresholds(ties, typed(eps), evaluation) if eps else None, sentinels=sentinels,
        )  # fmt: skip
        found.append(result)
    write(printed(evaluations, found, form, width, pairs=pairs, room=room(output) or tables.WIDEST), output)
    write_page(page, lambda: whole_page(evaluations, found))
    if form != "json":
        warnings = [*(item.warnings for item in evaluations), *(item.warnings for item in found)]
        write_notes(dict.fromkeys(warning for item in warnings for warning in item))


def printed(
    evaluations: Sequence[Evaluation],
    found: Sequence[MetaEvaluation],
    form: str,
    width: int,
    *,
    pairs: bool,
    room: int | None,
) -> str | Sheets:
    """The results in one of the formats."""
    if form == "json":
        return json.dumps(meta_object(evaluations, found), ensure_ascii=False, indent=1)
    if form in ("csv", "xlsx"):
        rows = statistic_rows(found).with_columns(trials=found[0].trials, seed=found[0].seed)
        return tables.csv(rows) if form == "csv" else Sheets([replace(rows, title="Statistics")])
    return render(evaluations, found, form, width, pairs=pairs, room=room)


def judged(
    given: Evaluation,
    metrics: Sequence[Metric],
    gold: str | None,
    published: tuple[str | None, Column | None, str],
    threads: int | None,
    trust_join: bool,
    cache: str | None = None,
    evalset: EvalSet | None = None,
) -> tuple[Evaluation, Gold]:
    """The evaluation, and what in it, or beside it, people said."""
    file, column, order = published
    if file is not None and gold is not None:
        raise OptionError("--gold names judgements of the test set, --gold-scores a file; give one of them")
    people = None if file is not None or evalset is not None else chosen_gold(given.judgements, gold)
    asked = [metric for metric in metrics if metric != people]
    with working(threads, size=size_of(given, asked), cache=cache) as run:
        evaluation = add_metrics(given, *asked, *([] if people is None else [people]), run=run, trust_join=trust_join)
    if people is not None:
        return evaluation, Gold(segments=people)
    if file is not None or evalset is None:
        return evaluation, of_file(str(file), evaluation, column, order)
    notes = tuple(note for note in evaluation.warnings if not note.endswith("scored in the file, but no system here"))
    return replace(evaluation, warnings=notes), of_folder(evalset, evaluation, gold)


def own_thresholds(found: Mapping[str, float], typed: Container[str], evaluation: Evaluation) -> dict[str, float]:
    """Thresholds for ties by the texts of the evaluation's metrics, however they were written. Files may name more
    metrics; those that were typed must be there."""
    known = [str(metric) for metric in evaluation.metrics if not is_human(metric)]
    own: dict[str, float] = {}
    for name, value in found.items():
        here = matched({name: value}, known) or matched({str(parse(name)): value}, known)
        if not here and name in typed:
            raise OptionError(f"--eps of {name}, but the metrics are {', '.join(map(called, known))}")
        own |= here
    return own


def whole_page(evaluations: Sequence[Evaluation], found: Sequence[MetaEvaluation]) -> Page:
    """Everything, with charts."""
    from tertium.report.meta_evaluation import meta_page

    about = [describe(evaluation.testset) for evaluation in evaluations]
    first = evaluations[0]
    metrics = [metric for metric in first.metrics if str(metric) in found[0].metrics]
    signatures = {text: first.signatures[text] for text in found[0].metrics if text in first.signatures}
    return meta_page(found, headings(first.metrics), about, metrics=metrics, signatures=signatures)


def render(
    evaluations: Sequence[Evaluation],
    found: Sequence[MetaEvaluation],
    form: str,
    width: int,
    *,
    pairs: bool,
    room: int | None,
) -> str:
    """A part for each test set, and one over all."""
    names = headings(evaluations[0].metrics)

    def shown(listed: Sequence[Table]) -> str:
        return tables.markdown(listed, width) if form == "markdown" else tables.text(listed, width, room)

    parts = []
    for evaluation, result in zip(evaluations, found, strict=True):
        parts += [tables.wrapped(about(evaluation, result), room), shown(chosen_tables(result, names, pairs=pairs))]
    if len(found) > 1:
        parts.append(shown([pooled_table(found, names)]))
    if form != "markdown":
        parts.append("\n".join(dict.fromkeys(text for item in evaluations for text in item.signatures.values())))
    return "\n\n".join(parts)


def about(evaluation: Evaluation, result: MetaEvaluation) -> str:
    """What is compared with what."""
    cells = len(result.systems) * len(evaluation.testset)
    return (f"{describe(evaluation.testset)}\n{counted(len(result.metrics), 'metric')} against {result.gold}, "
            f"{SCORES[result.gold_scores]}:\n{result.judged} of {cells} outputs of "
            f"{counted(len(result.systems), 'system')} judged")  # fmt: skip


def chosen_tables(result: MetaEvaluation, names: Mapping[str, str], *, pairs: bool) -> list[Table]:
    """Tables of one test set."""
    names, found = named(result, names), []
    for level, comparison in result.comparisons.items():
        if level == "system":
            found += [correlation_table(result, names, level, ["none"]), accuracy_table(result, names)]
        else:
            found += [correlation_table(result, names, level, ["none", "item", "system"]), tie_table(result, names)]
        several = len(result.metrics) > 1  # one is not compared with others
        if several:
            found.append(metric_comparison_table(comparison, names))
        if pairs and several:
            found.append(metric_pair_table(comparison, names))
        if level == "segment" and result.sentinel_tests:
            found.append(sentinel_table(result, names))
        if several:
            found.append(matrix_table(result, level, names))
    return found
