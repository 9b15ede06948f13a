"""`tertium learn train`: fit a metric to people's judgements."""

from __future__ import annotations

import click

from tertium.cli.learn.train_network import NetworkOptions, train_network
from tertium.cli.pages import page_option
from tertium.cli.parameters import parameters
from tertium.training.settings import RECIPES


@click.command("train")
@click.option("--recipe", required=True, type=click.Choice(list(RECIPES)),
              help="comet: reads source and reference; qe: reads the source alone.")  # fmt: skip
@click.option("--data", required=True, multiple=True, metavar="FILE",
              help="Examples to learn from: a table with src,mt,ref,score; repeat for more.")  # fmt: skip
@click.option("--valid", multiple=True, metavar="FILE", help="Examples that say which epoch is best; repeat for more.")
@click.option("-o", "--out", required=True, metavar="DIR", help="The folder for the model.")
@parameters(NetworkOptions, "network")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How the result is printed.")  # fmt: skip
@page_option
def train_command(
    recipe: str,
    data: tuple[str, ...],
    valid: tuple[str, ...],
    out: str,
    network: NetworkOptions,
    form: str,
    page: str | None,
) -> None:
    """Fit a metric to people's judgements.

    tertium learn train --recipe comet --data train.csv --valid dev.csv --encoder xlm-roberta-base -o my-comet
    """
    train_network(recipe, data, valid, out, network, form, page)
