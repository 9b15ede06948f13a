"""COMET (Rei et al. 2020; Guerreiro et al. 2024): an encoder, a mix of its layers, and a small network above.

The encoder's config.json and tokenizer are not part of a checkpoint: they come from the folder of the encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.learned.batches import pad
from tertium.learned.checkpoint import check_settings, completed, read_checkpoint, read_kind
from tertium.learned.encoders import make_encoder
from tertium.learned.encoders.bert import Bert
from tertium.learned.encoders.roberta import Roberta
from tertium.learned.layers import activation, sparsemax
from tertium.learned.tokenizer import FILES as TOKENIZERS
from tertium.learned.tokenizer import Tokenizer, check_special, read_tokenizer
from tertium.learned.weights import Weights, cast, need_torch, read_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

BOTH, SOURCE, REFERENCES = "source+references", "source", "references"

XCOMET = "xcomet_metric"  # the kind that marks errors

# What each kind can read beside the output.
INPUTS: Mapping[str, tuple[str, ...]] = {
    "regression_metric": (BOTH,),
    "ranking_metric": (BOTH,),
    "referenceless_regression_metric": (SOURCE,),
    "unified_metric": (BOTH, SOURCE, REFERENCES),
    XCOMET: (BOTH, SOURCE),
}
JOINT = ("unified_metric", XCOMET)  # read output, source and reference as one text

# Hyper-parameters that say what the network computes; the others say how it was trained, or are of versions to come.
READ = {"activations", "final_activation", "input_segments", "layer", "layer_norm", "layer_transformation", "pool"}
READ |= {"encoder_model", "error_labels", "pretrained_model", "sent_layer", "word_layer"}
TRAINING = {
    "batch_size", "class_identifier", "cross_entropy_weights", "dropout", "encoder_learning_rate",
    "hidden_sizes", "keep_embeddings_frozen", "layerwise_decay", "learning_rate",
    "load_pretrained_weights", "local_files_only", "loss", "loss_lambda", "nr_frozen_epochs", "optimizer", "train_data",
    "validation_data", "warmup_steps", "word_level_training",
}  # fmt: skip


Encoder = tuple[str, str]  # its name, and the path of its folder
NOWHERE = (0, 0)  # the characters of a special id


@dataclass(frozen=True)
class Read:
    """Texts as ids."""

    rows: list[list[int]]  # special ones around them
    offsets: list[list[tuple[int, int]]]  # the characters of each id
    cut: NDArray[np.bool_]  # which texts were too long


@dataclass(frozen=True)
class CometModel:
    """A checkpoint and its encoder."""

    kind: str
    settings: Mapping[str, Any]  # the hyper-parameters
    weights: Weights  # of what is above the encoder
    encoder: Bert
    tokenizer: Tokenizer
    device: str = "cpu"
    drop: Callable[[Tensor], Tensor] | None = None  # while it is trained: what is left of an inner layer

    @property
    def unknown(self) -> tuple[str, ...]:
        """Hyper-parameters that have no meaning here."""
        return tuple(sorted(set(self.settings) - READ - TRAINING))

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it can read beside the output."""
        return inputs_of(self.kind, self.settings)

    @property
    def padding(self) -> int:
        """The id that its tokenizer calls padding: MiniLM's config.json says another, for it has XLM-R's tokenizer.
        Positions of XLM-R itself go by the config.json."""
        told = None if isinstance(self.encoder, Roberta) else self.tokenizer.padding
        return self.encoder.pad if told is None else told

    @property
    def longest(self) -> int:
        """Ids of one text; two fewer than of several together, and as unbabel-comet has it."""
        return self.encoder.positions - 4

    def read(self, texts: Sequence[str]) -> Read:
        """Ids with the special ones around them, cut where a text is too long."""
        import numpy as np

        start, end = self.tokenizer.start, self.tokenizer.end
        room = self.longest - len(start) - len(end)
        found = self.tokenizer.read(texts)
        return Read(
            [[*start, *tokens.ids[:room], *end] for tokens in found],
            [[*[NOWHERE] * len(start), *tokens.offsets[:room], *[NOWHERE] * len(end)] for tokens in found],
            np.array([len(tokens.ids) > room for tokens in found], dtype=bool),
        )

    def encode(self, rows: Sequence[Sequence[int]], firsts: Sequence[int] | None = None) -> Encoded:
        """What the encoder makes of ids that are read together; `firsts` says how many of them the first text of each
        row has, where several texts are joined."""
        import torch

        ids, mask = pad(rows, self.padding, self.device)
        with torch.inference_mode():
            return self.mixed(ids, mask, self._segments(ids, firsts))

    def mixed(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Encoded:
        """One pass, of scoring or of training: layers are added up as they come, so that few are held at a time."""
        chosen = self.settings.get("sent_layer" if self.kind in JOINT else "layer", "mix")
        shares = self.shares if chosen == "mix" else None
        there = None if shares is None else shares.tolist()
        mixed, words = None, None
        for number, layer in enumerate(map(_single, self.encoder.layers(ids, mask, segments))):
            if number == self.settings.get("word_layer"):
                words = layer
            if shares is None or there is None:
                mixed = layer if number == chosen else mixed
            elif there[number]:  # sparsemax gives most layers nothing
                part = (_normalise(layer, mask) if self.settings.get("layer_norm") else layer) * shares[number]
                mixed = part if mixed is None else mixed + part
        if mixed is None:
            raise InputError(f"{self.weights.name}: layer {chosen!r} is not one of its {self.encoder.blocks + 1}")
        return Encoded(ids, mask, mixed, words)

    def _segments(self, ids: Tensor, firsts: Sequence[int] | None) -> Tensor | None:
        """BERT's segments of joint inputs: 0 in the first text, then 1. For other encoders, RemBERT among them,
        unbabel-comet has but one segment."""
        import torch

        if not firsts or self.settings.get("encoder_model") != "BERT":
            return None
        places = torch.arange(ids.shape[1], device=ids.device)[None, :]
        return (places >= torch.tensor(firsts, device=ids.device)[:, None]).long()

    @property
    def shares(self) -> Tensor:
        """gamma times the weight of each layer. # (L + 1,)"""
        import torch

        mix = self.weights / "layerwise_attention"
        scalars = torch.cat([mix[f"scalar_parameters.{k}"] for k in range(self.encoder.blocks + 1)])
        weigh = sparsemax if self.settings.get("layer_transformation") == "sparsemax" else torch.nn.Softmax(0)
        return mix["gamma"] * weigh(scalars)

    @property
    def mix(self) -> str:
        """How the layers become one, for signatures."""
        chosen = self.settings.get("sent_layer" if self.kind in JOINT else "layer", "mix")
        if chosen != "mix":
            return str(chosen)
        normal = "-norm" if self.settings.get("layer_norm") else ""
        return f"{self.settings.get('layer_transformation', 'softmax')}-mix{normal}"

    def estimate(self, features: Tensor) -> Tensor:
        """The feed-forward network at the end. # (b, f) -> (b,)"""
        layers = self.weights / "estimator.ff"
        *inner, last = sorted({int(name.partition(".")[0]) for name in layers})
        bend = activation(self.settings.get("activations", "Tanh"), self.weights.name)
        for number in inner:
            features = bend((layers / str(number)).linear(features))
            features = features if self.drop is None else self.drop(features)
        score = (layers / str(last)).linear(features)[:, 0]
        final = self.settings.get("final_activation")
        return activation(final, self.weights.name)(score) if final else score


@dataclass(frozen=True)
class Encoded:
    """A batch that went through the encoder."""

    ids: Tensor  # (b, n)
    mask: Tensor  # (b, n)
    mixed: Tensor  # (b, n, d)
    words: Tensor | None  # (b, n, d): the layer from which words are tagged

    def pooled(self, way: str, padding: int) -> Tensor:
        """One vector for each text. A <pad> that a text spells is not added up, but counts. # (b, d)"""
        if way == "cls":
            return self.mixed[:, 0]
        real = (self.ids != padding)[:, :, None]
        if way == "max":
            return self.mixed.masked_fill(~real, float("-inf")).amax(1)
        return (self.mixed * real).sum(1) / self.mask.sum(1)[:, None]


def _single(layer: Tensor) -> Tensor:
    """What is made of layers is made in single precision."""
    return layer.float()


def _normalise(layer: Tensor, mask: Tensor) -> Tensor:
    """Mean 0 and variance 1 over all numbers of a text. # (b, n, d) -> (b, n, d)"""
    there = mask[:, :, None].to(layer.dtype)
    count = mask.sum(1)[:, None, None] * layer.shape[-1]
    mean = (layer * there).sum((1, 2), keepdim=True) / count
    variance = (((layer - mean) * there) ** 2).sum((1, 2), keepdim=True) / count
    return (layer - mean) / (variance + 1e-12).sqrt()


def inputs_of(kind: str, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """What a model can read beside the output: a unified one what it was trained with."""
    segments = settings.get("input_segments") or ("src", "ref")
    if kind == "unified_metric" and "ref" not in segments:
        return (SOURCE,)
    return (REFERENCES,) if kind == "unified_metric" and "src" not in segments else INPUTS[kind]


def load_comet(
    name: str, folder: str, encoder: Encoder | None, inputs: str, precision: str = "float32", device: str = "cpu"
) -> CometModel:
    """The checkpoint in a folder, with the encoder of another (or of the same). Names have the contents' digests, so
    that what has changed is read again."""
    need_torch("comet")
    model = _load(name, folder, encoder, precision, device)
    if inputs not in model.inputs:
        raise InputError(
            f"comet: {name} ({model.kind}) reads {' or '.join(map(repr, model.inputs))} beside the output, not "
            f'{inputs!r}; say so: comet(..., inputs="{model.inputs[0]}")'
        )
    return model


@lru_cache(maxsize=2)  # as many as one comparison is likely to need: they are large
def _load(name: str, folder: str, encoder: Encoder | None, precision: str, device: str) -> CometModel:
    root = Path(folder)
    kind, said, tensors = read_checkpoint(root)
    settings = completed(kind, said)
    inside = {key: each for key, each in tensors.items() if key.startswith("encoder.")}
    above = {key: each for key, each in tensors.items() if key not in inside}
    beside = _encoder_folder(root, encoder and encoder[1], str(settings.get("pretrained_model")), name)
    config = read_json(beside / "config.json")
    check_settings(kind, settings, config, name)
    # Only the encoder, which is nearly all of the work, is done in half precision where that is wanted.
    network = make_encoder(config, cast(inside, name, precision, device) / "encoder.model")
    tokenizer = tokenizer_of(network, beside, name)
    return CometModel(kind, settings, cast(above, name, "float32", device), network, tokenizer, device)


def tokenizer_of(encoder: Bert, folder: Path, name: str) -> Tokenizer:
    """The tokenizer in the folder of an encoder, which must know all of its tokens."""
    tokenizer = read_tokenizer(folder)
    check_special(tokenizer, folder)
    rows = len((encoder.weights / "embeddings.word_embeddings")["weight"])
    if tokenizer.size > rows:
        raise InputError(
            f"{folder}: its tokenizer has {tokenizer.size} tokens, but {name} knows {rows}; is it another encoder's?"
        )
    return tokenizer


def kind_of(folder: str) -> str:
    """The kind of a checkpoint, as its folder says; its weights are not read."""
    need_torch("comet")
    return read_kind(Path(folder))


def _encoder_folder(root: Path, encoder: str | None, pretrained: str, name: str) -> Path:
    for folder in [Path(encoder)] if encoder else [root, root / "encoder"]:
        if (folder / "config.json").is_file() and any((folder / file).is_file() for file in TOKENIZERS):
            return folder
    if encoder:
        raise InputError(f"{encoder}: an encoder's folder has a config.json and a tokenizer ({', '.join(TOKENIZERS)})")
    raise InputError(
        f"comet: {name} holds weights, but neither the config.json nor the tokenizer of its encoder {pretrained}; get "
        f'these small files and name their folder: comet(model=..., encoder="DIR")'
    )
