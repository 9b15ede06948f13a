"""`tertium report`: everything that there is to see of an evaluation, in one html file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import (
    House,
    against_option,
    house_options,
    read_against,
    seed_option,
    threads_option,
    trust_option,
    write_xliff_notes,
    xliff_notes_option,
)
from tertium.cli.output import write_notes
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.wording import describe
from tertium.engines.evaluate import add_metrics
from tertium.inference.runs import runs_of
from tertium.inference.seeds import SEED
from tertium.metrics import parse_list

if TYPE_CHECKING:
    from tertium.meta.frozen import FrozenScores
    from tertium.report.report import Report

METRICS = "bleu,chrf,ter,macrof1"
OUTPUT = "report.html"


@click.command("report")
@input_options
@click.argument("more", nargs=-1, metavar="[TESTSET]...")
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help=f"Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: {METRICS}]")  # fmt: skip
@click.option(
    "-o", "--output", type=RESULT, metavar="FILE", default=OUTPUT, show_default=True, help="The page to write."
)
@click.option("-b", "--baseline", metavar="NAME",
              help="The system that others would replace: the verdict is whether to ship one of them.")  # fmt: skip
@click.option("--title", metavar="TEXT", help="What stands at its top. [default: the test set's name]")
@click.option("--trials", type=click.IntRange(1),
              help="Of everything that is drawn. [default: as the command for each table has them]")  # fmt: skip
@seed_option
@threads_option
@against_option
@house_options
@click.option("--rater-names", is_flag=True, help="Show raters by name. [default: rater 1, rater 2, ...]")
@click.option("--retrieval", is_flag=True,
              help="Also search the documents, and say whose are found (tertium retrieve).")  # fmt: skip
@xliff_notes_option
@trust_option
def report_command(
    inputs: Inputs,
    more: tuple[str, ...],
    metrics: tuple[str, ...],
    output: str,
    baseline: str | None,
    title: str | None,
    trials: int | None,
    seed: int,
    threads: int | None,
    against: tuple[str, ...],
    house: House,
    rater_names: bool,
    retrieval: bool,
    xliff_notes: str | None,
    trust_join: bool,
) -> None:
    """Write a verdict, scores, charts and segments as one web page.

    tertium report testset.toml -o report.html writes a file that opens in any browser, needs no network and can be
    mailed. The first metric is the one by which systems are ranked; words, rare and frequent, need macrof or microf.
    Several test sets become one page: systems by test sets, and behind that each of them.
    """
    if more:
        if retrieval:
            raise OptionError("--retrieval is for one test set; leave the others out")
        if house != House():
            raise OptionError("--glossary, --forbidden and --max-length are for one test set; leave the others out")
        if xliff_notes:
            raise OptionError("--xliff-notes is for one test set; leave the others out")
        write_several([inputs, *(replace(inputs, testset=path) for path in more)], metrics or (METRICS,), output, title,
                      trials, seed, threads, against=read_against(against), baseline=baseline, rater_names=rater_names,
                      trust_join=trust_join)  # fmt: skip
        return
    frozen = read_against(against)
    given = inputs.read()
    check_baseline(given, baseline)
    if given.judgements:
        from tertium.human.at_hand import at_hand

        at_hand(given)  # names that no system has are told before anything is counted
    evaluation, made = write_report(given, metrics or (METRICS,), output, title, trials, seed, threads,
                              against=frozen, rater_names=rater_names, trust_join=trust_join,
                              cache=inputs.cache, baseline=baseline, retrieval=retrieval,
                              rules=asdict(house))  # fmt: skip
    click.echo(f"{describe(evaluation.testset)}\n{output} is written; open it in a browser")
    if made.page.beside is not None:
        from tertium.report.page import beside

        click.echo(f"{beside(output)} has all segments; the page holds some of them and can open it")
    rules = asdict(house)
    for path in [] if xliff_notes is None else write_xliff_notes(evaluation, xliff_notes, detect=True, rules=rules):
        click.echo(f"{path} is written, with notes")
    write_notes(evaluation.warnings)


def write_several(
    given: Sequence[Inputs],
    metrics: Sequence[str],
    output: str,
    title: str | None,
    trials: int | None,
    seed: int,
    threads: int | None,
    *,
    against: Sequence[FrozenScores],
    baseline: str | None,
    rater_names: bool,
    trust_join: bool,
) -> None:
    """Score several test sets and write one page of them."""
    check_output(output)
    chosen, evaluations = parse_list(metrics), []
    for inputs in given:
        read = inputs.read()
        check_baseline(read, baseline, f"{describe(read.testset).partition(':')[0]}: ")
        with working(threads, size=size_of(read, chosen), cache=inputs.cache) as run:
            evaluations.append(add_metrics(read, *chosen, run=run, trust_join=trust_join))
    from tertium.report.several import report_several

    with working(threads, cache=given[0].cache) as run:
        report_several(evaluations, title=title, trials=trials, seed=seed, run=run, trust_join=trust_join,
                       rater_names=rater_names, against=against, baseline=baseline).save(output)  # fmt: skip
    for evaluation in evaluations:
        click.echo(describe(evaluation.testset))
    click.echo(f"{output} is written; open it in a browser")
    write_notes(list(dict.fromkeys(note for evaluation in evaluations for note in evaluation.warnings)))


def check_output(output: str) -> None:
    """Refuse what is no file."""
    if not output or Path(output).is_dir():
        raise OptionError(f"--output {output}: name a file, such as {Path(output) / OUTPUT}")


def check_baseline(given: Evaluation, baseline: str | None, where: str = "") -> None:
    """Refuse a name that no system has before anything is counted; `where` names one test set of several."""
    names = list(runs_of(given.systems))
    if baseline is not None and baseline not in names:
        raise OptionError(f"--baseline {baseline}: {where}no system is called so; there are: {', '.join(names)}")
    if baseline is not None and len(names) < 2:
        raise OptionError(f"--baseline {baseline}: {where}it is the only system; name another one (--hyp FILE)")


def write_report(
    given: Evaluation,
    metrics: Sequence[str],
    output: str,
    title: str | None = None,
    trials: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    detectors: Sequence[str] | None = None,
    *,
    against: Sequence[FrozenScores] = (),
    rater_names: bool = False,
    trust_join: bool = False,
    cache: str | None = None,
    retrieval: bool = False,
    baseline: str | None = None,
    rules: Mapping[str, Any] | None = None,
) -> tuple[Evaluation, Report]:
    """Score what was read and write its page; the evaluation that the page shows, and the report."""
    check_output(output)
    chosen = parse_list(metrics)
    with working(threads, size=size_of(given, chosen), cache=cache) as run:
        evaluation = add_metrics(given, *chosen, run=run, trust_join=trust_join)
    from tertium.report.report import make_report

    with working(threads, cache=cache) as run:
        found = None
        if retrieval:
            from tertium.retrieval.result import retrieve

            found = retrieve(given, metrics=chosen, run=run)
        made = make_report(evaluation, title=title, trials=trials, seed=seed, detectors=detectors, rules=rules, run=run,
                      against=against, rater_names=rater_names, trust_join=trust_join, baseline=baseline,
                      retrieval=found)  # fmt: skip
        made.save(output)
    return evaluation, made
