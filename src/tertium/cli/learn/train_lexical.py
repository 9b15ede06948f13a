"""`tertium learn train --recipe lexical`: ridge regression on what can be counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from tertium.cli.parameters import option
from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted

if TYPE_CHECKING:
    from tertium.io.examples import Examples
    from tertium.training.lexical import Fitted
    from tertium.training.ridge import Choice


@dataclass(frozen=True, kw_only=True)
class LexicalOptions:
    """Options of this recipe alone."""

    mlqe: str | None = option("--mlqe", metavar="DIR",
                              help="In place of --data, the folder of MLQE-PE: its pairs into English, post-edits as "
                              "references.")  # fmt: skip
    ridge: float | None = option("--ridge", type=float,
                                 help="How strongly weights are held small. [default: chosen by leaving out one group "
                                 "after the other]")  # fmt: skip
    cautious: bool = option("--cautious", is_flag=True,
                            help="Choose the strongest ridge within one standard error of the best: for texts unlike "
                            "those learned from.")  # fmt: skip
    card: str | None = option("--card", metavar="FILE", help="What the model card says besides, a JSON object.")


def train_lexical(
    data: Sequence[str], judged: Sequence[str], valid: Sequence[str], out: str, options: LexicalOptions
) -> None:
    """Write the weights, and say what they are."""
    from tertium.io.examples import read_examples
    from tertium.io.lexical import write_lexical
    from tertium.training.lexical import mlqe_examples, train

    if bool(data or judged) == bool(options.mlqe):
        raise OptionError(
            "what is there to learn from? pass either --data FILE or --from FILE, as often as you like, or --mlqe DIR"
        )
    if options.mlqe:
        groups, validation = mlqe_examples(options.mlqe)
    else:
        groups, validation = [read_examples(path, ["ref"]) for path in data], []
    if judged:
        from tertium.training.judged import read_judged

        groups += [read_judged(path, ["ref"]) for path in judged]
    validation = [*validation, *(read_examples(path, ["ref"]) for path in valid)]
    if options.cautious and options.ridge is not None:
        raise OptionError("--cautious is a way to choose the ridge, and --ridge gives one; pass one of them")
    fitted = train(groups, validation, ridge=options.ridge, cautious=options.cautious, card=read_card(options.card))
    write_lexical(fitted.weights, out)
    click.echo("\n".join(describe(fitted, groups, out)))


def describe(fitted: Fitted, groups: Sequence[Examples], out: str) -> list[str]:
    """What was learned from, and how far it agrees with people elsewhere."""
    lines = [
        f"{counted(fitted.examples, 'example')} in {counted(len(groups), 'group')}, "
        f"{counted(len(fitted.weights.features), 'feature')}"
    ]
    lines += describe_ridge(fitted.ridge)
    lines += [f"  Kendall's tau-b {value:.4f}  {name}" for name, value in fitted.agreement.items()]
    text = json.dumps(out, ensure_ascii=False)
    return [*lines, f"wrote {out}: tertium score -m 'lexical(model={text})'"]


def describe_ridge(found: Choice) -> list[str]:
    """The grid that it was chosen from, and why."""
    if not found.agreement:
        return [f"ridge {found.ridge:g}"]
    best = max(found.agreement.values())
    lines = [
        f"ridge {found.ridge:g}: {found.how} (standard error {found.error:.4f})",
        f"  ridge   Kendall's tau-b, mean of {found.parts} left out",
    ]
    for ridge, value in found.agreement.items():
        notes = [*(["best"] if value == best else []), *(["chosen"] if ridge == found.ridge else [])]
        lines.append(f"  {ridge:<7g} {value:.4f}  {', '.join(notes)}".rstrip())
    return lines


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
