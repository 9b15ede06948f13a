"""`tertium learn convert`: a model in a folder that loads by itself."""

from __future__ import annotations

import click

from tertium.cli.learn.inspect import megabytes
from tertium.io.models import find_model
from tertium.learned.conversion import convert
from tertium.learned.inspection import inspect
from tertium.learned.weights import PRECISIONS

EXACT = "scores stay what they are, bit for bit"
ROUNDED = "scores change a little (docs/howto/comet.md says how much); --precision float32 keeps them"


@click.command("convert")
@click.argument("path")
@click.argument("out")
@click.option("--encoder", metavar="DIR",
              help="The folder with a COMET encoder's config.json and tokenizer, or MetricX's tokenizer.")  # fmt: skip
@click.option("--precision", type=click.Choice(PRECISIONS), default="float16", show_default=True,
              help="How weights are stored: float32 as they are, the others in half the room.")  # fmt: skip
def convert_command(path: str, out: str, encoder: str | None, precision: str) -> None:
    """Write a model anew: half the size, loads by itself.

    OUT is a new folder with safetensors and JSON, and the encoder's config and tokenizer in it; the original is not
    needed any more. Scores are computed in single precision as before.
    """
    done = convert(find_model(path), out, encoder, precision)
    name = find_model(out).text
    click.echo(
        f"{out}: {name}, {megabytes(done.after)} of {megabytes(done.before)}, {done.precision}; "
        f"{EXACT if done.precision == 'float32' else ROUNDED}"
    )
    click.echo(f"write {inspect(out).write[0]}")
