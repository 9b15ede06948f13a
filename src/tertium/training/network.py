"""A network that learns: an encoder from a folder with an estimator above it, as the reader of checkpoints has them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.learned.comet import CometModel, tokenizer_of
from tertium.learned.embedded import score_sides, vectors_of
from tertium.learned.encoders import make_encoder
from tertium.learned.tokenizer import Tokenizer
from tertium.learned.weights import Weights, read_json, read_weights
from tertium.training.inputs import ReadExamples
from tertium.training.settings import Recipe, Settings

if TYPE_CHECKING:
    from torch import Tensor

ENCODER = "encoder.model."
BLOCK = re.compile(r"encoder\.model\.encoder\.layer\.(\d+)\.")
LAST_NORM = f"{ENCODER}encoder.LayerNorm."  # above the blocks of XLM-R XL
STEP = 3  # an inner layer, its activation, what is dropped: so unbabel-comet numbers them

# What unbabel-comet calls the encoders that it knows, by what config.json calls them.
NAMES = {"bert": "BERT", "rembert": "RemBERT", "roberta": "XLM-RoBERTa", "xlm-roberta": "XLM-RoBERTa",
         "xlm-roberta-xl": "XLM-RoBERTa-XL"}  # fmt: skip


@dataclass(frozen=True)
class Network:
    """Tensors by the names that checkpoints have for them, and the model that computes with them."""

    tensors: dict[str, Tensor]
    model: CometModel
    last: str  # the estimator's last layer

    def forward(self, inputs: ReadExamples, numbers: Sequence[int], drop: Callable[[Tensor], Tensor] | None) -> Tensor:
        """Standardised scores of these examples: the pass that the reader makes, but with something dropped. # (b,)"""
        return score_ids(replace(self.model, drop=drop), inputs, numbers)

    def scaled(self, mean: float, deviation: float) -> dict[str, Tensor]:
        """The tensors of a network whose scores are not standardised, but on the scale of the examples."""
        weight, bias = f"{self.last}.weight", f"{self.last}.bias"
        changed = {weight: self.tensors[weight] * deviation, bias: self.tensors[bias] * deviation + mean}
        return {name: tensor.detach() for name, tensor in (self.tensors | changed).items()}

    def scoring(self, mean: float, deviation: float) -> CometModel:
        """The model as it would be read from a checkpoint."""
        weights = Weights(self.scaled(mean, deviation), self.model.weights.name)
        return replace(self.model, weights=weights)

    def thaw(self, warm: bool, embeddings: bool) -> None:
        """Let the encoder learn, or keep it as it is; its embeddings only if these may change at all."""
        for name, tensor in self.tensors.items():
            if name.startswith(ENCODER):
                tensor.requires_grad_(warm and (embeddings or not name.startswith(f"{ENCODER}embeddings.")))

    def groups(self, settings: Settings) -> list[dict[str, Any]]:
        """Tensors with their learning rates: each block of the encoder learns more slowly than the one above it."""
        found: dict[int, list[Tensor]] = {}
        for name, tensor in self.tensors.items():
            found.setdefault(self._depth(name), []).append(tensor)
        rates = {depth: settings.encoder_learning_rate * settings.layerwise_decay**depth for depth in found}
        rates[-1] = settings.learning_rate
        return [{"params": found[depth], "lr": rates[depth]} for depth in sorted(found)]

    def _depth(self, name: str) -> int:
        """How many blocks are above a tensor; -1 above the encoder."""
        if not name.startswith(ENCODER):
            return -1
        if name.startswith(LAST_NORM):
            return 0
        block = BLOCK.match(name)
        return self.model.encoder.blocks - (1 + int(block[1]) if block else 0)


def score_ids(model: CometModel, inputs: ReadExamples, numbers: Sequence[int]) -> Tensor:
    """Scores of these examples, read together. # (b,)"""
    return score_sides(model, *(vectors_of(model, [side[k] for k in numbers]) for side in inputs.sides))


def start_network(recipe: Recipe, settings: Settings, folder: Path, device: str) -> Network:
    """The encoder in a folder, and above it what is drawn by the seed."""
    check_device(device)
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder}: no config.json; an encoder is a folder with config.json, weights and a tokenizer")
    name, config = folder.name, read_json(folder / "config.json")
    given = make_encoder(config, read_weights(folder, name, "float32", device)).weights
    # A head of another task (pooler, lm_head) is left out; tensors of inference mode cannot learn, so all are copied.
    kept = [key for key in given if key.startswith(("embeddings.", "encoder.")) and given[key].is_floating_point()]
    tensors = {f"{ENCODER}{key}": given[key].detach().clone() for key in kept}
    network = make_encoder(config, Weights(tensors, name) / "encoder.model")
    sizes = settings.sizes(network.width)
    tensors |= _mix(network.blocks, device) | _estimator((recipe.vectors * network.width, *sizes, 1), settings, device)
    tokenizer = tokenizer_of(network, folder, name)
    told = hyper_parameters(recipe, settings, sizes, _name_of(str(config["model_type"]), tokenizer, folder))
    for tensor in tensors.values():
        tensor.requires_grad_()
    model = CometModel(recipe.kind, told, Weights(tensors, name), network, tokenizer, device)
    return Network(tensors, model, f"estimator.ff.{STEP * len(sizes)}")


def check_device(device: str) -> None:
    """Refuse a device that torch does not have here."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):  # the latter where torch was built without it
        raise OptionError(f"device {device!r}: torch has none of that name here; cpu is always there") from None


def _name_of(kind: str, tokenizer: Tokenizer, folder: Path) -> str:
    """What unbabel-comet calls an encoder: a BERT that reads XLM-R's tokens is the multilingual MiniLM."""
    if kind not in NAMES:
        raise InputError(f"{folder}: a network above {kind!r} has no name in COMET; known: {', '.join(NAMES)}")
    return "MiniLM" if kind == "bert" and tokenizer.decode(tokenizer.start) == "<s>" else NAMES[kind]


def _mix(blocks: int, device: str) -> dict[str, Tensor]:
    """All layers count as much as each other."""
    import torch

    scalars = {f"layerwise_attention.scalar_parameters.{k}": torch.zeros(1, device=device) for k in range(blocks + 1)}
    return {"layerwise_attention.gamma": torch.ones(1, device=device), **scalars}


def _estimator(sizes: Sequence[int], settings: Settings, device: str) -> dict[str, Tensor]:
    """Layers from one width to the next, uniform in -1/sqrt(width) to 1/sqrt(width)."""
    import torch

    generator = torch.Generator().manual_seed(settings.seed)
    found = {}
    for number, (width, after) in enumerate(pairwise(sizes)):
        for name, shape in (("weight", (after, width)), ("bias", (after,))):
            drawn = 2 * torch.rand(shape, generator=generator) - 1
            found[f"estimator.ff.{STEP * number}.{name}"] = (drawn / width**0.5).to(device)
    return found


def hyper_parameters(recipe: Recipe, settings: Settings, sizes: Sequence[int], encoder: str) -> dict[str, Any]:
    """What a checkpoint says of itself, by unbabel-comet's names."""
    return {
        "class_identifier": recipe.kind,
        "encoder_model": encoder,
        "pretrained_model": "encoder",  # a folder beside checkpoints/
        "local_files_only": True,
        "load_pretrained_weights": False,
        "pool": "avg",
        "layer": "mix",
        "layer_transformation": settings.layer_transformation,
        "layer_norm": False,
        "activations": "Tanh",
        "final_activation": None,
        "hidden_sizes": list(sizes),
        "dropout": settings.dropout,
        "loss": "mse",
        "optimizer": "AdamW",
        "warmup_steps": 0,
        "nr_frozen_epochs": settings.frozen_epochs,
        "keep_embeddings_frozen": settings.keep_embeddings_frozen,
        "encoder_learning_rate": settings.encoder_learning_rate,
        "learning_rate": settings.learning_rate,
        "layerwise_decay": settings.layerwise_decay,
        "batch_size": 4,  # unbabel-comet's own, which counts examples; ours counts ids
        "train_data": [],
        "validation_data": [],
    }
