"""`tertium meta use`: metrics as filters that keep good translations, and as choosers among several."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import Inputs, input_options
from tertium.cli.meta.evaluate import judged
from tertium.cli.meta.published import chosen_metrics
from tertium.cli.options import SHARE, Bootstrap, alpha_option, threads_option, trust_option
from tertium.cli.output import Sheets, form_of, write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.parameters import parameters
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.wording import describe, headings
from tertium.inference.seeds import CONFIDENCE
from tertium.io import tables
from tertium.io.columns import read_number
from tertium.io.evalset import find_evalset
from tertium.io.thresholds import called
from tertium.meta.use import Use, judge_use
from tertium.metrics import parse
from tertium.report.json_values import use_object
from tertium.report.tables.meta import Names, with_people
from tertium.report.tables.use import use_rows, use_tables

if TYPE_CHECKING:
    from tertium.io.ratings.segment_scores import Column
    from tertium.report.page import Page


@click.command("use")
@input_options
@click.option("-m", "--metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option("--good", type=float, required=True, metavar="SCORE",
              help="People's score from which on a translation is good (up to which, where lower is better).",
)  # fmt: skip
@click.option("--threshold", "thresholds", multiple=True, metavar="METRIC=NUMBER",
              help="Keep outputs from this score on; repeat. [default: chosen on other documents]")  # fmt: skip
@click.option("--gold", metavar="METRIC", help="What people said, as in tertium meta evaluate. [default: human]")
@click.option("--gold-scores", metavar="FILE", help="Or published scores of segments (SYS SID RAW.SCR Z.SCR N).")
@click.option("--gold-column", type=click.Choice(["z", "raw"]),
              help="Which of the published scores. [default: z where the file has them]")  # fmt: skip
@click.option("--gold-order", type=click.Choice(["documents", "lines"]), default="documents", show_default=True,
              help="What SID counts: segments of documents sorted by name, as WMT does, or lines.")  # fmt: skip
@trust_option
@click.option("--sentinels", is_flag=True,
              help="Also show what scores reach that see only the output's length, the source or the reference.",
)  # fmt: skip
@click.option("--confidence-level", "confidence", type=SHARE, default=CONFIDENCE, show_default=True,
              help="How much the intervals cover.")  # fmt: skip
@alpha_option
@parameters(Bootstrap, "bootstrap", without=["confidence", "method", "confidence_level", "unit"])
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "latex", "xlsx"]),
              default="text", show_default=True, help="How results are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals as text.")
@threads_option
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write to a file instead of the screen.")
@page_option
def use(
    inputs: Inputs,
    metrics: tuple[str, ...],
    good: float,
    thresholds: tuple[str, ...],
    gold: str | None,
    gold_scores: str | None,
    gold_column: Column | None,
    gold_order: str,
    trust_join: bool,
    sentinels: bool,
    confidence: float,
    alpha: float,
    bootstrap: Bootstrap,
    form: str,
    width: int,
    threads: int | None,
    output: str | None,
    page: str | None,
) -> None:
    """Judge metrics by their use: as filters and as choosers.

    tertium meta use testset.toml -m bleu,chrf --good 70 --gold 'human(standardise="none")' keeps what a metric scores
    high enough, and takes the output that it scores highest: how good are these by people?
    """
    form = form_of(form, output)
    evalset = None if inputs.testset is None else find_evalset(inputs.testset)
    chosen, brings = chosen_metrics(metrics, evalset)
    given = inputs.read()
    given = replace(given, brings=(*brings, *given.brings))
    evaluation, people = judged(given, chosen, gold, (gold_scores, gold_column, gold_order), threads, trust_join,
                                inputs.cache, evalset)  # fmt: skip
    limits = read_limits(thresholds, evaluation)
    found = judge_use(evaluation, people.segments, good=good, thresholds=limits, sentinels=sentinels,
                      confidence=confidence, trials=bootstrap.trials, seed=bootstrap.seed, alpha=alpha,
                      trust_join=trust_join, gold_name=people.name, gold_scores=people.scores)  # fmt: skip
    names = names_of(evaluation, found)
    warnings = list(dict.fromkeys([*evaluation.warnings, *found.warnings]))
    text: str | Sheets
    if form == "json":
        text = json.dumps(use_object(evaluation, found), ensure_ascii=False, indent=1)
    elif form == "csv":
        text = tables.csv(use_rows(found))
    elif form == "xlsx":
        text = Sheets([*use_tables(found, names), replace(use_rows(found), title="Every number")], warnings)
    elif form == "markdown":
        text = tables.markdown(use_tables(found, names), width)
    elif form == "latex":
        text = "\n".join(tables.latex(table, width) for table in use_tables(found, names))
    else:
        shown = tables.text(use_tables(found, names), width, room(output) or tables.WIDEST)
        signatures = "\n".join(dict.fromkeys(evaluation.signatures.values()))
        text = f"{tables.wrapped(describe(evaluation.testset), room(output))}\n\n{shown}\n\n{signatures}"
    write(text, output)
    write_page(page, lambda: whole_page(evaluation, found, warnings))
    if form != "json":
        write_notes(warnings)


def whole_page(evaluation: Evaluation, found: Use, warnings: list[str]) -> Page:
    """Verdict, tables, methods."""
    from tertium.report.use import use_page

    metrics = [metric for metric in evaluation.metrics if str(metric) in found.metrics]
    signatures = {str(metric): evaluation.signatures[str(metric)] for metric in metrics
                  if str(metric) in evaluation.signatures}  # fmt: skip
    return use_page(found, names_of(evaluation, found), describe(evaluation.testset), metrics=metrics,
                    signatures=signatures, cautions=warnings)  # fmt: skip


def names_of(evaluation: Evaluation, found: Use) -> Names:
    """What metrics and people's scores are called."""
    return with_people(found.gold, found.gold_scores, headings(evaluation.metrics))


def read_limits(specs: tuple[str, ...], evaluation: Evaluation) -> dict[str, float]:
    """`chrf=50` -> the threshold of a metric; scores from elsewhere are known by their name."""
    known = {called(str(metric)): str(metric) for metric in evaluation.metrics}
    found: dict[str, float] = {}
    for spec in specs:
        name, _, text = spec.rpartition("=")
        value = read_number(text)
        if not name or value != value or abs(value) == float("inf"):
            raise OptionError(f"--threshold {spec}: write METRIC=NUMBER, such as chrf=50")
        metric = known.get(name.strip()) or str(parse(name))
        if metric in found:
            raise OptionError(f"--threshold {spec}: there is already one for {metric}; give it once")
        found[metric] = value
    return found
