"""`tertium learn train`: a metric fitted to people's judgements."""

from __future__ import annotations

import click

from tertium.cli.learn.train_lexical import train_lexical
from tertium.core.errors import OptionError

RECIPES = ("lexical",)


@click.command()
@click.option("--recipe", type=click.Choice(RECIPES), default="lexical", show_default=True,
              help="What is trained: lexical is ridge regression on what can be counted, in seconds.")  # fmt: skip
@click.option("--data", multiple=True, metavar="FILE",
              help="Tables with columns src, mt, ref, score; one for each language pair. Repeat.")  # fmt: skip
@click.option(
    "--mlqe", metavar="DIR", help="Or the folder of MLQE-PE: its pairs into English, post-edits as references."
)
@click.option("--valid", multiple=True, metavar="FILE",
              help="Tables of other examples, on which Kendall's tau-b is shown. Repeat.")  # fmt: skip
@click.option("--ridge", type=float, help="How strongly weights are held small.  [default: 1]")
@click.option("--card", metavar="FILE", help="What the model card says besides, a JSON object.")
@click.option("-o", "--out", required=True, metavar="OUT", help="Where the weights go.")
def train_command(
    recipe: str,
    data: tuple[str, ...],
    mlqe: str | None,
    valid: tuple[str, ...],
    ridge: float | None,
    card: str | None,
    out: str,
) -> None:
    """Fit a metric to people's judgements: tertium learn train --recipe lexical --data judged.csv -o mine.json

    The metric is then lexical(model="mine.json").
    """
    if bool(data) == bool(mlqe):
        raise OptionError("what is there to learn from? pass either --data FILE, as often as you like, or --mlqe DIR")
    recipes = {"lexical": train_lexical}
    recipes[recipe](data, mlqe, valid, ridge, card, out)
