"""`tertium prompt demo`: an experiment that was recorded, replayed without its model."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import click

from tertium.cli.parameters import parameters
from tertium.cli.prompt.run import Showing

PAGE = "prompt-demo.html"
ANSWERS = "answers.jsonl.gz"


@click.command("demo")
@parameters(Showing, "showing", output=f"The report to write. [default: {PAGE}]")
def demo_command(showing: Showing) -> None:
    """Replay a recorded experiment, without model or network.

    Six templates in three languages, with a line break and with a space, and up to five demonstrations, on 30 segments:
    the answers of Gemma 3 270M were recorded and ship with tertium.
    """
    from dataclasses import replace

    from tertium.models.replay import ReplayModel
    from tertium.prompt.experiment import run_grid
    from tertium.prompt.grid import read_grid

    shown = replace(showing, output=showing.output or PAGE)
    shown.check()
    with as_file(files("tertium") / "examples" / "prompting") as folder:
        grid = read_grid(folder / "grid.toml", metrics=showing.metrics, steps=showing.steps)
        command = f"tertium prompt run {folder / 'grid.toml'} --model gemma=replay:{folder / ANSWERS}"
        click.echo(f"$ {command} -o {shown.output}\n", err=showing.form != "text")
        shown.show(run_grid(grid, open_with=lambda _: ReplayModel(folder / ANSWERS)))
    if shown.page is not None:
        click.echo(f"\nPrompts, raw answers and every segment: {Path(shown.page).resolve().as_uri()}",
                   err=showing.form != "text")  # fmt: skip
