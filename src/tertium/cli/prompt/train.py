"""`tertium prompt train`: virtual tokens before a prompt, trained on examples."""

from __future__ import annotations

from contextlib import closing

import click

from tertium.cli.output import write, write_notes
from tertium.cli.pages import page_option, write_page
from tertium.cli.parameters import parameters
from tertium.cli.progress import LONG, working
from tertium.cli.prompt.answer import render
from tertium.cli.prompt.asking import Asking
from tertium.cli.results import RESULT
from tertium.core.errors import OptionError
from tertium.core.wording import counted
from tertium.io.files import write_atomically
from tertium.prompt.template import Demonstration, Template

WRITING = frozenset(
    ("shots", "selector", "tokens", "temperature", "top_p", "beam", "stop", "cache", "no_cache", "key", "seed")
)


@click.command("train")
@parameters(
    Asking,
    "asking",
    without=WRITING,
    model="The model that stays as it is: hf:FOLDER.",
    examples="A table of examples: source and reference, or input and answer.",
)
@click.option("--dev", metavar="FILE", help="Examples that tell when to stop. [default: a fifth of --examples]")
@click.option("--begin", metavar="TEXT", help="What the virtual tokens begin as. [default: the template's own words]")
@click.option(
    "--length", type=click.IntRange(1), metavar="N", help="Virtual tokens. [default: as many as that text has]"
)
@click.option("--rate", type=click.FloatRange(0, min_open=True), default=0.03, show_default=True,
              help="How far a step goes (Adam).")  # fmt: skip
@click.option("--epochs", type=click.IntRange(1), default=100, show_default=True, metavar="N", help="At most so many.")
@click.option("--patience", type=click.IntRange(1), default=10, show_default=True, metavar="N",
              help="Stop after so many epochs without a lower loss on dev.")  # fmt: skip
@click.option("--batch", type=click.IntRange(1), default=8, show_default=True, metavar="N", help="Examples to a step.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of order and dev part.")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json", "csv", "markdown"]), default="text",
              show_default=True, help="How losses are printed; json and csv have every epoch.")  # fmt: skip
@click.option("-o", "--output", type=RESULT, required=True, metavar="FILE", help="The soft prompt, a safetensors file.")
@page_option
def train_command(
    asking: Asking,
    dev: str | None,
    begin: str | None,
    length: int | None,
    rate: float,
    epochs: int,
    patience: int,
    batch: int,
    seed: int,
    form: str,
    output: str,
    page: str | None,
) -> None:
    """Train a soft prompt for a Hugging Face folder.

    tertium prompt train --model hf:FOLDER --template A --examples few.tsv -o soft.safetensors; then use it as
    --model hf:FOLDER#soft=soft.safetensors with the same template.
    """
    from tertium.models.open import open_model
    from tertium.prompt.soft import SoftSettings, train_soft_prompt
    from tertium.report.prompt_pages import soft_page
    from tertium.report.tables.soft import loss_table

    if asking.model is None:
        raise OptionError("no model: pass --model hf:FOLDER")
    if asking.examples is None:
        raise OptionError("no examples: pass --examples FILE")
    template = asking.find_template("A")
    settings = SoftSettings(length=length, rate=rate, epochs=epochs, patience=patience, batch=batch, seed=seed)
    examples, held = (read_examples(file, template) for file in (asking.examples, dev))
    # Opened first: a file that cannot be written is told before the training, and not after it.
    with write_atomically(output) as file, working(size=LONG) as run, closing(open_model(asking.model)) as model:
        found = train_soft_prompt(
            model,
            template,
            examples,
            held,
            text=begin,
            source=asking.source_language,
            target=asking.target_language,
            line_break=asking.line_break,
            settings=settings,
            run=run,
        )
        file.write(found.soft.data)
    write(render([loss_table(found, whole=False)], loss_table(found), form, None), None)
    about = f"template {template}, {counted(len(examples), 'example')}, seed {seed}"
    write_page(page, lambda: soft_page(found, about))
    write_notes(found.notes)


def read_examples(file: str | None, template: Template) -> tuple[Demonstration, ...]:
    """The examples of a table; where the template has answers with labels, a label stands for its first answer."""
    from tertium.prompt.answers import worded
    from tertium.prompt.demonstrations import read_demonstrations

    return () if file is None else worded(read_demonstrations(file), dict(template.answers))
