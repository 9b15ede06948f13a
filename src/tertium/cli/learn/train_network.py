"""`tertium learn train --recipe comet|qe`: options of networks, and what is printed of their training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from tertium.cli.output import write
from tertium.cli.pages import write_page
from tertium.cli.parameters import option
from tertium.cli.progress import working
from tertium.cli.terminal import room
from tertium.core.errors import OptionError
from tertium.inference.seeds import SEED
from tertium.training.settings import RECIPES, Settings

if TYPE_CHECKING:
    from tertium.io.examples import Examples
    from tertium.report.page import Page
    from tertium.training.curve import Training

USUAL = Settings()
RATE = click.FloatRange(0, 1)


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """How a network is trained."""

    encoder: str | None = option("--encoder", metavar="DIR",
                                 help="The folder of an XLM-R or BERT encoder: config.json, tokenizer, weights.",
                                 )  # fmt: skip
    epochs: int = option("--epochs", type=click.IntRange(1), default=USUAL.epochs, show_default=True,
                         help="Epochs, at most.")  # fmt: skip
    patience: int = option("--patience", type=click.IntRange(1), default=USUAL.patience, show_default=True,
                           help="Stop after so many epochs without a better Kendall.")  # fmt: skip
    batch: int = option("--batch", type=click.IntRange(1), default=USUAL.batch, show_default=True,
                        help="Tokens of one step.")  # fmt: skip
    encoder_learning_rate: float = option("--encoder-learning-rate", type=RATE, default=USUAL.encoder_learning_rate,
                                          show_default=True, help="Of the encoder's last layer.")  # fmt: skip
    learning_rate: float = option("--learning-rate", type=RATE, default=USUAL.learning_rate, show_default=True,
                                  help="Of what is above the encoder.")  # fmt: skip
    layerwise_decay: float = option("--layerwise-decay", type=RATE, default=USUAL.layerwise_decay, show_default=True,
                                    help="The learning rate of a layer, as a share of that of the next.")  # fmt: skip
    frozen_epochs: float = option("--frozen-epochs", type=click.FloatRange(0), default=USUAL.frozen_epochs,
                                  show_default=True, help="How long the encoder is kept as it is.")  # fmt: skip
    embeddings: bool = option("--train-embeddings", is_flag=True, help="Train the encoder's embeddings as well.")
    dropout: float = option("--dropout", type=click.FloatRange(0, 0.99), default=USUAL.dropout, show_default=True,
                            help="Of the inner layers above the encoder.")  # fmt: skip
    hidden_sizes: str | None = option("--hidden-sizes", metavar="N,N,...", help="Their widths. [default: 3 times the "
                                      "encoder's, and the encoder's]")  # fmt: skip
    layer_mix: str = option("--layer-mix", type=click.Choice(["sparsemax", "softmax"]), show_default=True,
                            default=USUAL.layer_transformation, help="How the encoder's layers are weighed.",
                            )  # fmt: skip
    pretrain: int = option("--pretrain", type=click.IntRange(0), default=0, show_default=True, metavar="N",
                           help="First learn how badly N damaged references were damaged.")  # fmt: skip
    seed: int = option("--seed", type=click.IntRange(0), default=SEED, show_default=True, help="Seed of what is drawn.")
    device: str = option("--device", default="cpu", show_default=True, metavar="NAME", help="cpu, cuda or mps.")
    resume: bool = option("--resume", is_flag=True, help="Go on with the training in the folder, if there is one.")

    def settings(self) -> Settings:
        """As Python has them."""
        return Settings(
            epochs=self.epochs,
            patience=self.patience,
            batch=self.batch,
            encoder_learning_rate=self.encoder_learning_rate,
            learning_rate=self.learning_rate,
            layerwise_decay=self.layerwise_decay,
            frozen_epochs=self.frozen_epochs,
            keep_embeddings_frozen=not self.embeddings,
            dropout=self.dropout,
            hidden_sizes=read_sizes(self.hidden_sizes),
            layer_transformation="softmax" if self.layer_mix == "softmax" else "sparsemax",
            pretrain=self.pretrain,
            seed=self.seed,
        )


def read_sizes(text: str | None) -> tuple[int, ...]:
    """`64,32` as numbers."""
    words = [] if text is None else text.split(",")
    if not all(word.strip().isdecimal() and int(word) for word in words):
        raise OptionError(f"--hidden-sizes {text}: must be whole numbers separated by commas, such as 3072,1024")
    return tuple(map(int, words))


def train_network(
    recipe: str, data: Sequence[str], judged: Sequence[str], valid: Sequence[str], out: str, options: NetworkOptions,
    form: str, page: str | None,
) -> None:  # fmt: skip
    """Train, and print what came of it."""
    from tertium.io.examples import read_examples
    from tertium.training.comet import train

    if options.encoder is None:
        raise OptionError(f"--recipe {recipe} trains a network above an encoder: name its folder (--encoder DIR)")
    if not valid:
        raise OptionError(f"--recipe {recipe} stops when the validation data say so: name them (--valid FILE)")
    needs = [name for name in RECIPES[recipe].reads if name != "mt"]
    settings = options.settings()
    examples = read_examples(data, needs) if data else _judged(judged, needs)
    validation = read_examples(valid, needs)
    with working() as run:
        run = replace(run, device=options.device)
        training = train(recipe, examples, validation, options.encoder, out, settings=settings, resume=options.resume,
                         run=run)  # fmt: skip
    write(training_text(training, form), None)
    write_page(page, lambda: page_of(training))


def _judged(paths: Sequence[str], needs: Sequence[str]) -> Examples:
    """The outputs that people judged, of one file: scores of several would be on scales of their own."""
    from tertium.training.judged import read_judged

    if len(paths) > 1:
        raise OptionError(f"--from: {len(paths)} files; a network learns from one scale, so name one of them")
    return read_judged(paths[0], needs)


def training_text(training: Training, form: str) -> str:
    """The result in the format asked for."""
    from tertium.io import tables
    from tertium.report.tables.training import settings_sentence, training_sentences, training_table

    if form == "json":
        return json.dumps({"out": training.out, **training.told()}, ensure_ascii=False, indent=1)
    wide = room()
    said = [*training_sentences(training), settings_sentence(training)]
    inputs = RECIPES[training.recipe].inputs
    more = "" if inputs == "source+references" else f', inputs="{inputs}"'
    use = f"The model is in {training.out}; score with it: -m 'comet(model=\"{training.out}\"{more})'"
    table = tables.text([training_table(training)], room=wide, whole="-f json")
    return "\n\n".join([tables.wrapped("\n".join(said), wide), table, use])


def page_of(training: Training) -> Page:
    """The curve as a page."""
    from tertium.report.training import training_page

    return training_page(training)
