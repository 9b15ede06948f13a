"""XLM-R XL and XXL (Goyal et al. 2021): XLM-R whose blocks normalise before each sublayer, and once at the end.

words + positions -> block -> ... -> block -> LayerNorm
block:  x = x + attention(LayerNorm(x)); x = x + feed forward(LayerNorm(x))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tertium.learned.encoders.roberta import Roberta
from tertium.learned.layers import attention
from tertium.learned.weights import Weights

if TYPE_CHECKING:
    from torch import Tensor


class RobertaXL(Roberta):
    """Only the last output is normalised; those of the other blocks are the sums as they are."""

    def layers(self, ids: Tensor, mask: Tensor, segments: Tensor | None = None) -> Iterator[Tensor]:
        """The embeddings, then what each block makes of them. # (b, n) -> (b, n, d) each"""
        for number, x in enumerate(super().layers(ids, mask, segments)):
            yield (self.weights / "encoder.LayerNorm").layer_norm(x, self.eps) if number == self.blocks else x

    def embed(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """Words and positions, not normalised."""
        return self.add_up(ids, segments)

    def block(self, x: Tensor, mask: Tensor, block: Weights) -> Tensor:
        """Attention and a feed-forward layer, each of what is normalised and added to what went in."""
        normal = (block / "attention.self_attn_layer_norm").layer_norm(x, self.eps)
        attended = attention(normal, normal, mask, block / "attention.self", self.heads)
        x = x + (block / "attention.output.dense").linear(attended)
        inner = self.activation((block / "intermediate.dense").linear((block / "LayerNorm").layer_norm(x, self.eps)))
        return x + (block / "output.dense").linear(inner)
