"""What is trained, and how: recipes, and the settings that decide what comes out."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.metric import choose
from tertium.inference.seeds import SEED
from tertium.io.examples import OUTPUT, REFERENCE, SOURCE

Transformation = Literal["sparsemax", "softmax"]


class Recipe(NamedTuple):
    """A kind of COMET that reads each text alone."""

    kind: str  # as hparams.yaml says it
    reads: tuple[str, ...]  # columns of the examples
    vectors: int  # that the estimator sees side by side, each as wide as the encoder
    inputs: str  # what the metric's option of that name must be


RECIPES = {
    "comet": Recipe("regression_metric", (OUTPUT, SOURCE, REFERENCE), 6, "source+references"),
    "qe": Recipe("referenceless_regression_metric", (OUTPUT, SOURCE), 4, "source"),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a network is trained. The usual values are those of COMET-22, but for learning rates, which are larger."""

    epochs: int = 5  # at most
    patience: int = 2  # epochs in a row without a better Kendall before it stops
    batch: int = 2048  # ids of one step, padding and all sides included
    encoder_learning_rate: float = 1e-5  # of the encoder's last block
    learning_rate: float = 3e-5  # of what is above the encoder
    layerwise_decay: float = 0.95  # each block learns so much slower than the next
    frozen_epochs: float = 0.3  # how long the encoder stays as it is
    keep_embeddings_frozen: bool = True
    dropout: float = 0.1  # of the estimator's inner layers
    hidden_sizes: tuple[int, ...] = ()  # of these; none: 3 times the encoder's width, and its width
    layer_transformation: Transformation = "sparsemax"  # how the layers are mixed
    pretrain: int = 0  # damaged references to learn severities from, before people's scores
    seed: int = SEED

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("patience", 1), ("batch", 1), ("pretrain", 0), ("seed", 0)):
            value = getattr(self, name)
            if not hasattr(value, "__index__") or value < least:
                raise OptionError(f"{name}: {value!r}; must be a whole number from {least} on")
        for name, low, high in (
            ("encoder_learning_rate", 0.0, 1.0),
            ("learning_rate", 0.0, 1.0),
            ("layerwise_decay", 0.0, 1.0),
            ("frozen_epochs", 0.0, math.inf),
            ("dropout", 0.0, 0.99),
        ):
            if not low <= getattr(self, name) <= high:
                told = f"from {low:g} to {high:g}" if high < math.inf else f"at least {low:g}"
                raise OptionError(f"{name}: {getattr(self, name)!r}; must be {told}")
        if any(not hasattr(size, "__index__") or size < 1 for size in self.hidden_sizes):
            raise OptionError(f"hidden_sizes: {self.hidden_sizes!r}; must be whole numbers from 1 on")
        choose("training", "layer_transformation", self.layer_transformation, ("sparsemax", "softmax"))

    def told(self) -> dict[str, object]:
        """The settings as JSON has them."""
        return {**dataclasses.asdict(self), "hidden_sizes": list(self.hidden_sizes)}

    def sizes(self, width: int) -> tuple[int, ...]:
        """The widths of the estimator's inner layers, above an encoder of this width."""
        return self.hidden_sizes or (3 * width, width)


def find_recipe(name: str) -> Recipe:
    """The recipe of this name."""
    choose("training", "recipe", name, tuple(RECIPES))
    return RECIPES[name]
