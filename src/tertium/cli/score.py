"""`tertium score`: parse, call, print."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tertium.cli.working import size_of, working
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.score import Level, Score
from tertium.core.shown import describe, number
from tertium.core.system import System
from tertium.human.evaluate import evaluate_all
from tertium.inference.scores import interval_warnings, scores
from tertium.inference.seeds import RESAMPLES, SEED
from tertium.inference.units import UNITS, Unit
from tertium.metrics import parse, parse_list

if TYPE_CHECKING:
    from tertium.io.columns import Opener

FAILED = 1  # exit status of a gate that does not let through


def _remember(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Keep an option for whoever reads files, so that not every command has to hand it on."""
    context.meta[f"tertium.{option.name}"] = value


def mmap_asked() -> bool:
    """Whether the command under way was given --mmap."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get("tertium.mmap"))


def input_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is read: the same words for every command that counts."""
    return click.argument("testset", required=False, metavar="[TESTSET]")(system_options(command))


def system_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is read, for commands that have a word of their own for the test set."""
    for option in reversed(
        (
            click.option("-s", "--src", metavar="FILE", help="Source, one segment per line."),
            click.option(
                "-r", "--ref", "refs", multiple=True, metavar="FILE", help="References; repeat for more than one."
            ),
            click.option("-t", "--hyp", "hyps", multiple=True, metavar="[NAME[@RUN]=]FILE",
                         help="A system's output; repeat for more systems. - is standard input."),
            click.option("--doc", metavar="FILE", help="Document names, one per line."),
            click.option("--missing", metavar="TEXT",
                         help=r"In these files, a line with this text is missing: for example '\N'."),
            click.option("--mmap", is_flag=True, expose_value=False, callback=_remember,
                         help="Map plain texts instead of reading them; nobody may write to them meanwhile."),
        )
    ):  # fmt: skip
        command = option(command)
    return command


def trust_option(command: Callable[..., None]) -> Callable[..., None]:
    """The way round the guard against judgements that are not about these texts."""
    help = "Go on where people's scores do not fit the texts at all."
    return click.option("--trust-join", is_flag=True, help=help)(command)


@click.command()
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as bleu or 'chrf(words=2)'; repeat or use commas. [default: bleu,chrf,ter]")  # fmt: skip
@click.option("--level", type=click.Choice(["corpus", "document", "segment"]), default="corpus", show_default=True,
              help="What is scored.")  # fmt: skip
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown", "latex"]), default="text",
              show_default=True, help="How scores are printed.")  # fmt: skip
@click.option("-w", "--width", type=click.IntRange(0, 17), help="Decimals in tables. [default: as the field rounds]")
@click.option("--score-only", is_flag=True, help="Print the numbers and nothing else.")
@click.option("--confidence", is_flag=True, help="Bootstrap intervals.")
@click.option("--interval", "method", type=click.Choice(["percentile", "bca"]), default="percentile",
              show_default=True, help="The middle of the resamples, or bias-corrected and accelerated.")  # fmt: skip
@click.option("--confidence-level", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="How much the intervals cover; implies --confidence. [default: 0.95]")  # fmt: skip
@click.option("--unit", type=click.Choice(UNITS), default="segment", show_default=True,
              help="What is drawn for intervals: segments, or whole documents.")  # fmt: skip
@click.option("--trials", type=click.IntRange(1), default=RESAMPLES, show_default=True, help="Bootstrap resamples.")
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of the resamples.")
@click.option(
    "--threads", type=click.IntRange(1), help="Threads; the result is the same for any number. [default: all]"
)
@click.option("--fail-under", multiple=True, metavar="METRIC=NUMBER",
              help="Exit with 1 if a system scores worse than this.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="Write the scores to a file instead of the screen.")
@trust_option
def score(
    testset: str | None,
    src: str | None,
    refs: tuple[str, ...],
    hyps: tuple[str, ...],
    doc: str | None,
    missing: str | None,
    metrics: tuple[str, ...],
    level: Level,
    form: str,
    width: int | None,
    score_only: bool,
    confidence: bool,
    method: str,
    confidence_level: float | None,
    unit: Unit,
    trials: int,
    seed: int,
    threads: int | None,
    fail_under: tuple[str, ...],
    output: str | None,
    trust_join: bool,
) -> None:
    """Score systems against references.

    TESTSET is a testset.toml that names source, references and systems (tertium demo shows one), or a WMT XML file.
    Without it, pass files: tertium score --ref ref.en --hyp mt.en -m bleu,chrf
    """
    limits = read_limits(fail_under)
    if limits and level != "corpus":
        raise OptionError(f"--fail-under is for corpus scores; level is {level}")
    given = read_input(testset, src, refs, hyps, doc, missing)
    chosen = parse_list([*(metrics or (() if limits else ("bleu,chrf,ter",))), *limits])
    with working(threads, size=size_of(given, len(chosen))) as run:
        evaluation = evaluate_all(given, chosen, run=run, trust_join=trust_join)
    covered = confidence_level or (0.95 if confidence else None)
    found = scores(evaluation, level, confidence=covered, method=method, trials=trials, seed=seed, unit=unit)
    warnings = [*evaluation.warnings, *(interval_warnings(evaluation) if covered else ())]
    text = render(evaluation, found, warnings, form, width, score_only)
    write(text, output)
    if form != "json":
        write_notes(warnings)
    failed = list(below(found, evaluation, limits))
    for sentence in failed:
        click.echo(f"tertium: {sentence}", err=True)
    if failed:
        sys.exit(FAILED)


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


def read_input(
    testset: str | None, src: str | None, refs: Sequence[str], hyps: Sequence[str], doc: str | None, missing: str | None
) -> Evaluation:
    """The test set and the systems that the command line names."""
    if sum(spec == "-" or spec.endswith("=-") for spec in (src, doc, *refs, *hyps) if spec) > 1:
        raise OptionError("standard input (-) can be read only once; name files for the others")
    from tertium.io.columns import LastTable
    from tertium.io.testset import read_files, read_testset

    opener = LastTable(mmap_asked())
    if testset is not None:
        if src or refs or doc:
            raise OptionError(
                f"{testset} already names source, references and documents; --src, --ref and --doc go without it"
            )
        given = read_testset(testset, mmap=opener.mmap)
        systems = (*given.systems, *read_systems(hyps, missing, [system.name for system in given.systems], opener))
        if not systems:
            systems = tuple(read_systems(["-"], missing, [], opener))
        return with_systems(given, systems)
    if not refs and not src:
        raise OptionError("nothing to compare with: pass a testset.toml, or --ref FILE (see tertium score --help)")
    systems = tuple(read_systems(hyps or ["-"], missing, [], opener))
    read = read_files(src, refs, doc, missing, systems[0], opener)
    return Evaluation(testset=read, systems=systems, metrics=(), table={})


def with_systems(given: Evaluation, systems: Sequence[System]) -> Evaluation:
    """The test set with these systems, whose names in the judgements are looked up again."""
    judgements = given.judgements
    if judgements and tuple(systems) != given.systems:
        from tertium.io.judged_systems import renamed

        judgements = renamed(judgements, [system.name for system in systems])
    return Evaluation(testset=given.testset, systems=tuple(systems), metrics=(), table={}, judgements=judgements)


def read_systems(specs: Sequence[str], missing: str | None, taken: Sequence[str], opener: Opener) -> Iterator[System]:
    """Systems from FILE or NAME=FILE; NAME= only where no file of that whole name exists."""
    from tertium.io.testset import read_system, system_names

    pairs = [spec.split("=", 1) if "=" in spec and not Path(spec).exists() else ["", spec] for spec in specs]
    stems = iter(system_names([path for name, path in pairs if not name]))
    for name, path in pairs:
        if not path:
            raise OptionError(f"--hyp {name}=: no file; write --hyp {name}=FILE")
        label = name or ("stdin" if path == "-" else next(stems))
        if name == "" and path == "-":
            next(stems, None)
        if label in taken:
            raise InputError(
                f"--hyp {path}: there is already a system {label}; give it another name: --hyp NAME={path}"
            )
        if path == "-" and sys.stdin is not None and sys.stdin.isatty():
            raise OptionError("no system output: pass --hyp FILE, or pipe one into standard input")
        _, _, run = name.partition("@")  # NAME@RUN=FILE: one of several runs of a system
        yield replace(read_system(label, path, missing, opener), run=run or None)


def render(
    evaluation: Evaluation,
    found: Sequence[Score],
    warnings: Sequence[str],
    form: str,
    width: int | None,
    score_only: bool,
) -> str:
    """The scores as text in the format asked for."""
    from tertium.cli import tables

    metrics = {str(metric): metric for metric in evaluation.metrics}
    if form == "json":
        return tables.json_object(evaluation, found, warnings)
    if form == "csv":
        return tables.csv_table(found)
    if score_only:
        decimals = {text: metric.decimals if width is None else width for text, metric in metrics.items()}
        return "\n".join(number(item.value, decimals[item.metric]) for item in found)
    heads, rows = tables.score_table(evaluation, found, width)
    left = len(heads) - len(metrics)
    signatures = "\n".join(dict.fromkeys(item.signature for item in found))
    drawn = any(item.interval for item in found)  # then the seed stands below
    if form == "markdown":
        return tables.markdown_table(heads, rows, left) + (f"\n\n{signatures}" if drawn else "")
    if form == "latex":
        said = "".join(f"\n% {line}" for line in signatures.split("\n")) if drawn else ""
        return tables.latex_table(heads, rows, left) + said
    return f"{describe(evaluation.testset)}\n\n{tables.text_table(heads, rows, left)}\n\n{signatures}"


def write(text: str, output: str | None) -> None:
    """To the screen, or whole or not at all to a file."""
    if output is None or output == "-":
        click.echo(text)
        return
    from tertium.io.files import write_atomically

    with write_atomically(output) as file:
        file.write(text.encode(errors="backslashreplace") + b"\n")  # a file name need not be UTF-8


def write_notes(notes: Iterable[str]) -> None:
    """What readers of the result should know, beside it and not in it."""
    for note in notes:
        click.echo(f"tertium: note: {note}", err=True)
