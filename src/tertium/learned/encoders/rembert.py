"""RemBERT (Chung et al. 2021): BERT with embeddings of their own width, mapped to that of the blocks; BLEURT-20 too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tertium.learned.encoders.bert import Bert

if TYPE_CHECKING:
    from torch import Tensor


class RemBert(Bert):
    """The map comes after the embeddings are normalised."""

    names = ("encoder.embedding_hidden_mapping_in", "encoder.embedding_projection")  # RemBERT's, BLEURT's

    def embed(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """Words, positions and segments, normalised, and mapped to the width of the blocks."""
        name = next((name for name in self.names if f"{name}.weight" in self.weights), self.names[0])
        return (self.weights / name).linear(super().embed(ids, segments))
