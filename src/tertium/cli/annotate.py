"""`tertium annotate`: scores of segments as columns beside the texts, and rows kept by condition."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from tertium.cli.inputs import Inputs
from tertium.cli.options import Streaming, threads_option
from tertium.cli.output import write_notes
from tertium.cli.parameters import parameters
from tertium.cli.progress import LONG, working
from tertium.cli.score import render
from tertium.cli.streaming import engine_of
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.wording import counted
from tertium.engines.annotate import Annotated, annotate
from tertium.io import tables as printers
from tertium.report.tables.kept import kept_table

# Tables name what others name by files.
FILES = (
    "testset",
    "named",
    "pair",
    "origlang",
    "subset",
    "set_systems",
    "src",
    "refs",
    "hyps",
    "doc",
    "scores",
    "mmap",
    "tags",
)


@click.command("annotate")
@click.argument("inputs", nargs=-1, required=True, metavar="FILES...")
@click.option("--hyp-column", "hyps", multiple=True, metavar="[NAME=]COLUMN", required=True,
              help="A column of outputs; repeat for more systems.")  # fmt: skip
@click.option("--ref-column", "refs", multiple=True, metavar="COLUMN",
              help="A column of references; repeat for more than one.")  # fmt: skip
@click.option("--source-column", "source", metavar="COLUMN", help="The column of sources.")
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help="Such as chrf or 'bleu(tokenize=\"zh\")'; repeat or use commas.")  # fmt: skip
@click.option("--keep", multiple=True, metavar="CONDITION",
              help="Write only rows for which this is true: 'chrf > 40 and length_ratio < 2'.")  # fmt: skip
@click.option("--prefix", default="", metavar="TEXT", help="Begin the names of new columns with this.")
@parameters(Inputs, "given", without=FILES, missing="A text that is exactly this one is missing: '' for null in TSV.")
@parameters(Streaming, "streaming", without=["stream"])
@threads_option
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How the scores of the corpus are printed.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", required=True,
              help="Where it is written; of several tables, the folder.")  # fmt: skip
def annotate_command(
    inputs: tuple[str, ...],
    hyps: tuple[str, ...],
    refs: tuple[str, ...],
    source: str | None,
    metrics: tuple[str, ...],
    keep: tuple[str, ...],
    prefix: str,
    given: Inputs,
    streaming: Streaming,
    threads: int | None,
    form: str,
    output: str,
) -> None:
    """Write scores of segments beside them, as columns.

    FILES are tables (Parquet, JSON lines, TSV), patterns or folders; each is written again in its kind: tertium
    annotate crawl.parquet --hyp-column mt --ref-column ref -m chrf -o scored.parquet
    """
    with working(threads, size=LONG, cache=given.cache, rate=True) as run:
        found = annotate(
            inputs,
            output,
            metrics,
            outputs=read_systems(hyps),
            references=refs,
            source=source,
            keep=keep,
            prefix=prefix,
            missing=given.missing,
            checkpoint=streaming.checkpoint,
            bad_shards="skip" if streaming.bad_shards == "skip" else "stop",
            run=replace(run, models=given.models),
            engine=engine_of(streaming),
        )
    click.echo(json.dumps(as_json(found), ensure_ascii=False, indent=1) if form == "json" else as_text(found, output))
    if form != "json":
        write_notes(found.evaluation.warnings)


def read_systems(specs: Sequence[str]) -> dict[str, str]:
    """`NAME=COLUMN` or `COLUMN`: columns by the names of systems."""
    named: dict[str, str] = {}
    for spec in specs:
        name, equals, column = spec.partition("=")
        if not name or (equals and not column):
            raise OptionError(f"--hyp-column {spec}: write COLUMN, or NAME=COLUMN")
        if name in named:
            raise OptionError(f"two systems are called {name}; give them different names (--hyp-column NAME=COLUMN)")
        named[name] = column if equals else name
    return named


def as_text(found: Annotated, output: str) -> str:
    """What was written, what was kept, and the scores of the corpus."""
    rows = counted(len(found.evaluation.testset), "row")
    files = "" if found.written == (output,) else f"{counted(len(found.written), 'file')}, "
    parts = [f"{output}: {files}" + (rows if found.keep is None else f"{found.kept} of {rows} kept")]
    if found.conditions:
        parts.append(printers.text([kept_table(found.conditions)], room=room(None)))
    if found.evaluation.metrics:
        parts.append(_scores(found.evaluation, found.streamed.describe()))
    if found.evaluation.metrics and found.kept_evaluation is not None:
        parts.append(_scores(found.kept_evaluation, f"{counted(found.kept, 'segment')} of them, the kept ones"))
    return "\n\n".join(parts)


def _scores(evaluation: Evaluation, about: str) -> str:
    return str(render(evaluation, evaluation.scores(), (), (), "text", None, False, room(None), about=about))


def as_json(found: Annotated) -> dict[str, Any]:
    """The same for programs."""
    from tertium.report.json_values import scores_object

    shown = scores_object(found.evaluation, found.scores(), found.evaluation.warnings)
    shown.pop("guards", None)  # which were not asked
    n = len(found.evaluation.testset)
    shown["testset"] = {"name": found.streamed.describe(), "segments": n}
    shown["written"] = list(found.written)
    if found.conditions and found.kept_evaluation is not None:
        conditions = [
            {"condition": item.condition, "kept": item.kept, "dropped": item.dropped, "unknown": item.unknown}
            for item in found.conditions
        ]
        kept = found.kept_evaluation
        shown["keep"] = {"conditions": conditions[:-1], "all": conditions[-1],
                         "scores": scores_object(kept, kept.scores(), ())["scores"]}  # fmt: skip
    return shown
