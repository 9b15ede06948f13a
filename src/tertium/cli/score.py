"""`tertium score`: parse, call, print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import (
    Bootstrap,
    Streaming,
    against_option,
    read_against,
    trust_option,
    write_xliff_notes,
    xliff_notes_option,
)
from tertium.cli.output import Sheets, form_of, stop_at, write, write_notes
from tertium.cli.parameters import parameters
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import is_learned
from tertium.core.score import Level, Score
from tertium.core.wording import describe, number
from tertium.engines.evaluate import add_metrics
from tertium.inference.scores import interval_warnings, scores
from tertium.metrics import parse, parse_list

if TYPE_CHECKING:
    from tertium.analysis.guards import SuspectOutputs
    from tertium.report.tables.frozen import Places


@click.command()
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option("--level", type=click.Choice(["corpus", "document", "segment"]), default="corpus", show_default=True,
              help="What is scored.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "latex", "xlsx"]),
              default="text", show_default=True,
              help="How scores are printed; xlsx goes to a file (-o NAME.xlsx).")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@click.option("--score-only", is_flag=True, help="Print the numbers and nothing else.")
@parameters(Bootstrap, "bootstrap", confidence="Bootstrap intervals.")
@click.option(
    "--threads", type=click.IntRange(1), help="Threads; the result is the same for any number. [default: all]"
)
@click.option("--fail-under", multiple=True, metavar="METRIC=NUMBER",
              help="Exit with 1 if a system scores worse than this.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, metavar="FILE", help="Write the scores to a file instead of the screen.")
@xliff_notes_option
@against_option
@trust_option
@parameters(Streaming, "streaming")
def score(
    inputs: Inputs,
    metrics: tuple[str, ...],
    level: Level,
    form: str,
    width: int | None,
    score_only: bool,
    bootstrap: Bootstrap,
    threads: int | None,
    fail_under: tuple[str, ...],
    output: str | None,
    xliff_notes: str | None,
    against: tuple[str, ...],
    trust_join: bool,
    streaming: Streaming,
) -> None:
    """Score systems against references.

    TESTSET is a testset.toml that names source, references and systems (tertium demo shows one), a WMT XML file, or
    what translators have: XLIFF, TMX, PO, a sheet (.xlsx). Without it, pass files: tertium score --ref ref.en --hyp
    mt.en -m bleu,chrf. Patterns and folders name shards, which are read in blocks: tertium score --ref
    'crawl/*.parquet:ref' --hyp 'crawl/*.parquet:mt'
    """
    form = form_of(form, output)
    limits = read_limits(fail_under)
    if limits and level != "corpus":
        raise OptionError(f"--fail-under is for corpus scores; level is {level}")
    frozen = read_against(against)
    chosen = parse_list([*(metrics or (() if limits else ("bleu,chrf,ter",))), *limits])
    if streaming.wanted(inputs):
        from tertium.cli.streaming import score_shards

        refuse_in_shards(level, frozen, trust_join, xliff_notes, inputs.resegment)
        shown, found, evaluation, warnings = score_shards(inputs, streaming, chosen, bootstrap, threads)
        text = render(evaluation, found, warnings, (), form, width, score_only, room(output), about=shown)
        finish(text, output, form, warnings, found, evaluation, limits)
        return
    given = inputs.read()
    kept = inputs.cache if any(map(is_learned, chosen)) else None
    guarded: Sequence[SuspectOutputs] = ()
    suspicions: Sequence[str] = ()
    with working(threads, size=size_of(given, chosen), cache=kept) as run:
        evaluation = add_metrics(given, *chosen, run=run, trust_join=trust_join)
        if any(map(is_learned, evaluation.metrics)):
            from tertium.analysis.guards import guard_notes, guards

            guarded = guards(evaluation, run=run)
            suspicions = guard_notes(evaluation, guarded)
    found = scores(evaluation, level, confidence=bootstrap.covered, method=bootstrap.method, trials=bootstrap.trials,
                   seed=bootstrap.seed, unit=bootstrap.unit, run=run)  # fmt: skip
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if bootstrap.covered else ())]
    beside: list[Places] = []
    if frozen:
        from tertium.report.tables.frozen import places_beside

        beside = places_beside(evaluation, frozen, level)
        warnings += [note for item in beside for note in item.notes]
    if xliff_notes:
        warnings += [f"{path} is written, with notes" for path in write_xliff_notes(evaluation, xliff_notes)]
    text = render(evaluation, found, warnings, guarded, form, width, score_only, room(output), beside)
    finish(text, output, form, [*warnings, *suspicions], found, evaluation, limits)


def finish(
    text: str | Sheets,
    output: str | None,
    form: str,
    notes: Sequence[str],
    found: Sequence[Score],
    evaluation: Evaluation,
    limits: Mapping[str, float],
) -> None:
    """Write what is to be said, and end where a score is on the wrong side of its limit."""
    write(text, output)
    if form != "json":
        write_notes(notes)
    stop_at(below(found, evaluation, {str(evaluation.metric(text)): limit for text, limit in limits.items()}))


def refuse_in_shards(
    level: str, frozen: Sequence[object], trust_join: bool, xliff_notes: str | None, resegment: bool
) -> None:
    """Refuse what needs rows or texts, of which a corpus in shards keeps none."""
    if level != "corpus":
        raise OptionError(
            f"--level {level} keeps a row for every segment, and shards keep none; score their files one by one"
        )
    if xliff_notes:
        raise OptionError("--xliff-notes is for localisation files, not for shards")
    if resegment:
        raise OptionError(
            "--resegment reads a whole output at once, and shards are read in blocks; score one file of it"
        )
    if frozen or trust_join:
        raise OptionError("--against and --trust-join are for scores of one test set, not of shards")


def read_limits(texts: Sequence[str]) -> dict[str, float]:
    """`bleu=30` -> the metric's text and the number."""
    limits = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            limits[str(parse(name))] = float(value)
        except ValueError:
            raise OptionError(f"--fail-under {text}: write METRIC=NUMBER, such as bleu=30") from None
    return limits


def below(found: Sequence[Score], evaluation: Evaluation, limits: Mapping[str, float]) -> Iterator[str]:
    """A sentence for each score on the wrong side of its limit; what has no score is on the wrong side."""
    for item in found:
        if item.metric not in limits:
            continue
        limit, higher = limits[item.metric], evaluation.metric(item.metric).better == "higher"
        if not (item.value >= limit if higher else item.value <= limit):
            yield f"{item.system}: {item.metric} is {item.value:.4f}, {'under' if higher else 'over'} {limit:g}"


def render(
    evaluation: Evaluation,
    found: Sequence[Score],
    warnings: Sequence[str],
    guarded: Sequence[SuspectOutputs],
    form: str,
    width: int | None,
    score_only: bool,
    room: int | None,
    beside: Sequence[Places] = (),
    about: str | None = None,
) -> str | Sheets:
    """The scores as text in the format asked for, and where they lie among others; `about` is what is said of the
    texts, where the evaluation has none."""
    if form == "json":
        import json

        from tertium.report.json_values import scores_object

        shown = scores_object(evaluation, found, warnings, guards=guarded, beside=beside)
        if about is not None:
            shown["testset"] = {"name": about, "segments": len(evaluation.testset)}
        return json.dumps(shown, ensure_ascii=False, indent=1)
    from tertium.io import tables
    from tertium.report.tables.scores import score_rows, score_table

    if form in ("csv", "xlsx"):
        rows = score_rows(found)
        if beside:
            from tertium.report.tables.frozen import with_places

            rows = with_places(rows, found, beside)
        if form == "csv":
            return tables.csv(rows)
        wide = replace(score_table(evaluation, found, width), title="Scores")
        return Sheets([wide, replace(rows, title="Scores, one in each row")], [about or describe(evaluation.testset)])
    if score_only:
        decimals = {str(metric): metric.decimals if width is None else width for metric in evaluation.metrics}
        return "\n".join(number(item.value, decimals[item.metric]) for item in found)
    table = score_table(evaluation, found, width)
    signatures = "\n".join(dict.fromkeys(item.signature for item in found))
    drawn = any(item.interval for item in found)  # then the seed stands below
    said = [sentence for item in beside for sentence in item.sentences(evaluation)]
    if form == "markdown":
        return "\n\n".join([tables.markdown([table]), *said, *([signatures] if drawn else [])])
    if form == "latex":
        return tables.latex(table) + ("".join(f"\n% {line}" for line in signatures.split("\n")) if drawn else "")
    said_of = tables.wrapped(about or describe(evaluation.testset), room)
    parts = [said_of, tables.text([table], room=room), *(tables.wrapped(text, room) for text in said), signatures]
    return "\n\n".join(parts)
