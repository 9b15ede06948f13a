"""`tertium learn train --recipe lexical`: ridge regression on what can be counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tertium.core.errors import InputError
from tertium.core.wording import counted

if TYPE_CHECKING:
    from tertium.io.examples import Examples
    from tertium.training.lexical import Fitted


def train_lexical(
    data: Sequence[str], mlqe: str | None, valid: Sequence[str], ridge: float | None, card: str | None, out: str
) -> None:
    """Write the weights, and say what they are."""
    from tertium.io.examples import read_examples
    from tertium.io.lexical import write_lexical
    from tertium.training.lexical import RIDGE, mlqe_examples, train

    groups, validation = mlqe_examples(mlqe) if mlqe else ([read_examples(path, ["ref"]) for path in data], [])
    validation = [*validation, *(read_examples(path, ["ref"]) for path in valid)]
    fitted = train(groups, validation, ridge=RIDGE if ridge is None else ridge, card=read_card(card))
    write_lexical(fitted.weights, out)
    click.echo("\n".join(describe(fitted, groups, out)))


def describe(fitted: Fitted, groups: Sequence[Examples], out: str) -> list[str]:
    """What was learned from, and how far it agrees with people elsewhere."""
    lines = [
        f"{counted(fitted.examples, 'example')} in {counted(len(groups), 'group')}, "
        f"{counted(len(fitted.weights.features), 'feature')}"
    ]
    lines += [f"  Kendall's tau-b {value:.4f}  {name}" for name, value in fitted.agreement.items()]
    text = json.dumps(out, ensure_ascii=False)
    return [*lines, f"wrote {out}: tertium score -m 'lexical(model={text})'"]


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
