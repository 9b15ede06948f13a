"""`tertium learn train`: a metric fitted to people's judgements."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted

if TYPE_CHECKING:
    from tertium.io.examples import Examples
    from tertium.training.lexical import Fitted

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
@click.option("-o", "--output", required=True, metavar="OUT", help="Where the weights go.")
def train_command(
    recipe: str,
    data: tuple[str, ...],
    mlqe: str | None,
    valid: tuple[str, ...],
    ridge: float | None,
    card: str | None,
    output: str,
) -> None:
    """Fit a metric to people's judgements: tertium learn train --recipe lexical --data judged.csv -o mine.json

    The metric is then lexical(model="mine.json").
    """
    if bool(data) == bool(mlqe):
        raise OptionError("what is there to learn from? pass either --data FILE, as often as you like, or --mlqe DIR")
    train = {"lexical": train_lexical}[recipe]
    click.echo(train(data, mlqe, valid, ridge, card, output))


def train_lexical(
    data: Sequence[str], mlqe: str | None, valid: Sequence[str], ridge: float | None, card: str | None, output: str
) -> str:
    """Write the weights; what is said of them."""
    from tertium.io.examples import read_examples
    from tertium.io.lexical import write_lexical
    from tertium.training.lexical import RIDGE, mlqe_examples, train

    groups, validation = mlqe_examples(mlqe) if mlqe else ([read_examples(path, ["ref"]) for path in data], [])
    validation = [*validation, *(read_examples(path, ["ref"]) for path in valid)]
    fitted = train(groups, validation, ridge=RIDGE if ridge is None else ridge, card=read_card(card))
    write_lexical(fitted.weights, output)
    return "\n".join(describe(fitted, groups, output))


def describe(fitted: Fitted, groups: Sequence[Examples], output: str) -> list[str]:
    """What was learned from, and how far it agrees with people elsewhere."""
    lines = [
        f"{counted(fitted.examples, 'example')} in {counted(len(groups), 'group')}, "
        f"{counted(len(fitted.weights.features), 'feature')}"
    ]
    lines += [f"  Kendall's tau-b {value:.4f}  {name}" for name, value in fitted.agreement.items()]
    text = json.dumps(output, ensure_ascii=False)
    return [*lines, f"wrote {output}: tertium score -m 'lexical(model={text})'"]


def read_card(path: str | None) -> dict[str, Any]:
    """The object in a JSON file."""
    from tertium.io.files import read_bytes

    if path is None:
        return {}
    try:
        found = json.loads(bytes(read_bytes(path)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path}: no model card; expected a JSON object of names and what is to be said")
    return found
