"""`tertium freeze`: keep the distributions of scores, to say later where another score lies among them."""

from __future__ import annotations

import click

from tertium.cli.inputs import Inputs, input_options
from tertium.cli.options import threads_option, trust_option
from tertium.cli.output import write_notes
from tertium.cli.progress import size_of, working
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.wording import counted
from tertium.engines.evaluate import add_metrics
from tertium.io.columns import extension
from tertium.meta.frozen import freeze
from tertium.metrics import load, parse_list

METRICS = "bleu,chrf,ter"


@click.command("freeze")
@input_options
@click.option("-m", "--metrics", "metrics", multiple=True, metavar="METRIC",
              help=f"Repeat or use commas. [default: those of a saved evaluation; else {METRICS}]")  # fmt: skip
@click.option(
    "-o", "--output", type=RESULT, required=True, metavar="FILE", help="The file to write, such as wmt22.json."
)
@click.option("--name", metavar="TEXT", help="What sentences call it. [default: the test set's name]")
@threads_option
@trust_option
def freeze_command(
    inputs: Inputs,
    metrics: tuple[str, ...],
    output: str,
    name: str | None,
    threads: int | None,
    trust_join: bool,
) -> None:
    """Keep scores, to say where another lies among them.

    tertium freeze EVALUATION.zip -o wmt22.json, then tertium score ... --against wmt22.json. TESTSET is a saved
    evaluation, or what `tertium score` reads.
    """
    given = saved(inputs) if extension(inputs.testset or "") == ".zip" else inputs.read()
    chosen = parse_list(metrics or (() if given.metrics else (METRICS,)))
    if chosen:
        with working(threads, size=size_of(given, chosen), cache=inputs.cache) as run:
            given = add_metrics(given, *chosen, run=run, trust_join=trust_join)
    frozen = freeze(given, name)
    frozen.save(output)
    counts = max(own.segments.n for own in frozen.metrics.values())
    click.echo(
        f"{output} is written: {frozen.name}, {counted(len(frozen.systems), 'system')}, "
        f"{counts:,} scores of segments, {', '.join(frozen.metrics)}"
    )
    write_notes(given.warnings)


def saved(inputs: Inputs) -> Evaluation:
    """A saved evaluation, which has its systems and references in it."""
    if inputs.hyps or inputs.refs or inputs.src or inputs.doc:
        raise OptionError(
            f"{inputs.testset} has its systems, source and references; leave out --hyp, --src, --ref, --doc"
        )
    return load(str(inputs.testset))
