"""RoBERTa, XLM-R (Conneau et al. 2020) and InfoXLM: BERT with positions that count ids other than padding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tertium.learned.encoders.bert import Bert

if TYPE_CHECKING:
    from torch import Tensor


class Roberta(Bert):
    """Positions begin after the id of padding, which is also padding's position, even where a text spells it."""

    @property
    def longest(self) -> int:
        """How many ids it can read."""
        return self.positions - self.pad - 1

    def place(self, ids: Tensor) -> Tensor:
        """The position of every id: pad + 1, pad + 2, ..."""
        real = ids != self.pad
        return real.cumsum(1) * real + self.pad
