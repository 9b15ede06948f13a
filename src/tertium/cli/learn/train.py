"""`tertium learn train`: a metric fitted to people's judgements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import click
from click.core import ParameterSource

from tertium.cli.learn.train_lexical import LexicalOptions, train_lexical
from tertium.cli.learn.train_network import NetworkOptions, train_network
from tertium.cli.pages import page_option
from tertium.cli.parameters import parameters
from tertium.core.errors import OptionError
from tertium.training.settings import RECIPES


@click.command("train")
@click.option("--recipe", type=click.Choice(["lexical", *RECIPES]), default="lexical", show_default=True,
              help="lexical: ridge regression on what can be counted, in seconds; comet: a network that reads source "
              "and reference; qe: one that reads the source alone.")  # fmt: skip
@click.option("--data", multiple=True, metavar="FILE",
              help="Examples to learn from: tables with src,mt,ref,score. Repeat; for lexical, one for each language "
              "pair.")  # fmt: skip
@click.option("--from", "judged", multiple=True, metavar="FILE",
              help="The same from judgements: a campaign.toml with what raters have said, or a testset.toml with "
              "judgements. Repeat.")  # fmt: skip
@click.option("--valid", multiple=True, metavar="FILE",
              help="Other examples, on which Kendall's tau-b is shown; of a network, they say which epoch is best. "
              "Repeat.")  # fmt: skip
@click.option("-o", "--out", required=True, metavar="OUT", help="Where the model goes: a file, or a network's folder.")
@parameters(LexicalOptions, "lexical")
@parameters(NetworkOptions, "network")
@click.option("-f", "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True,
              help="How the training of a network is printed.")  # fmt: skip
@page_option
def train_command(
    recipe: str,
    data: tuple[str, ...],
    judged: tuple[str, ...],
    valid: tuple[str, ...],
    out: str,
    lexical: LexicalOptions,
    network: NetworkOptions,
    form: str,
    page: str | None,
) -> None:
    """Fit a metric to people's judgements.

    tertium learn train --recipe lexical --data judged.csv -o mine.json, then -m 'lexical(model="mine.json")'; tertium
    learn train --recipe comet --data train.csv --valid dev.csv --encoder xlm-roberta-base -o my-comet.
    """
    if recipe == "lexical":
        refuse(recipe, (*(field.name for field in fields(NetworkOptions)), "form", "page"))
        train_lexical(data, judged, valid, out, lexical)
        return
    refuse(recipe, (field.name for field in fields(LexicalOptions)))
    if bool(data) == bool(judged):
        raise OptionError("what is there to learn from? pass --data FILE or --from FILE, as often as you like")
    train_network(recipe, data, judged, valid, out, network, form, page)


def refuse(recipe: str, names: Iterable[str]) -> None:
    """Refuse options of another recipe: they would be without effect."""
    context, others = click.get_current_context(), set(names)
    for option in context.command.params:
        if option.name in others and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            raise OptionError(f"{option.opts[-1]} has no effect with --recipe {recipe}; leave it out")
