"""BERT (Devlin et al. 2019), which MiniLM and BLEURT are as well.

words + positions + segments -> LayerNorm -> block -> ... -> block
block:  x = LayerNorm(x + attention(x)); x = LayerNorm(x + feed forward(x))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.learned.layers import activation, attention
from tertium.learned.weights import Weights

if TYPE_CHECKING:
    from torch import Tensor


class Bert:
    """Blocks that normalise after each sublayer."""

    def __init__(self, config: Mapping[str, Any], weights: Weights) -> None:
        try:
            self.blocks: int = config["num_hidden_layers"]
            self.heads: int = config["num_attention_heads"]
            self.positions: int = config["max_position_embeddings"]
            self.width: int = config["hidden_size"]
        except KeyError as error:
            raise InputError(f"{weights.name}: its config.json says no {error.args[0]}; is it an encoder's?") from None
        self.pad: int = config.get("pad_token_id") or 0
        self.eps: float = config.get("layer_norm_eps", 1e-12)
        self.activation = activation(config.get("hidden_act", "gelu"), weights.name)
        self.weights = weights
        self._check_shapes(config)

    @property
    def longest(self) -> int:
        """How many ids it can read."""
        return self.positions

    def _check_shapes(self, config: Mapping[str, Any]) -> None:
        """A config.json of another encoder is told here, not by an error in a sum."""
        last = self.weights / f"encoder.layer.{self.blocks - 1}" / "attention.self.query"
        rows = len((self.weights / "embeddings.word_embeddings")["weight"])
        found = {
            "hidden_size": last["weight"].shape[1],
            "num_hidden_layers": self.blocks + (f"encoder.layer.{self.blocks}.output.dense.weight" in self.weights),
            "max_position_embeddings": len((self.weights / "embeddings.position_embeddings")["weight"]),
            "vocab_size": rows,
        }
        for name, value in found.items():
            if config.get(name, value) != value:
                told = f"at least {value}" if name == "num_hidden_layers" else value
                raise InputError(
                    f"{self.weights.name}: config.json says {name} {config[name]}, but the weights have {told}; "
                    f"is it the folder of another encoder?"
                )

    def layers(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Iterator[Tensor]:
        """The embeddings, then what each block makes of them. # (b, n) -> (b, n, d) each"""
        x = self.embed(ids, segments)
        yield x
        for number in range(self.blocks):
            x = self.block(x, mask, self.weights / f"encoder.layer.{number}")
            yield x

    def embed(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """Words, positions and segments, normalised."""
        return (self.weights / "embeddings.LayerNorm").layer_norm(self.add_up(ids, segments), self.eps)

    def add_up(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """Words, positions and segments."""
        import torch

        tables = self.weights / "embeddings"
        kinds = torch.zeros_like(ids) if segments is None else segments
        return (
            (tables / "word_embeddings").embed(ids)
            + (tables / "position_embeddings").embed(self.place(ids))
            + (tables / "token_type_embeddings").embed(kinds)
        )

    def place(self, ids: Tensor) -> Tensor:
        """The position of every id: 0, 1, 2, ..."""
        import torch

        return torch.arange(ids.shape[1], device=ids.device).expand_as(ids)

    def block(self, x: Tensor, mask: Tensor, block: Weights) -> Tensor:
        """Attention and a feed-forward layer, each added to what went in and normalised."""
        attended = attention(x, x, mask, block / "attention.self", self.heads)
        x = (block / "attention.output.LayerNorm").layer_norm(
            x + (block / "attention.output.dense").linear(attended), self.eps
        )
        inner = self.activation((block / "intermediate.dense").linear(x))
        return (block / "output.LayerNorm").layer_norm(x + (block / "output.dense").linear(inner), self.eps)
