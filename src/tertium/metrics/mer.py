"""MER (match error rate; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tertium.core.metric import Array, metric
from tertium.metrics._edits import Edits, WordErrors


@metric
class Mer(WordErrors):
    """Match error rate: the share of aligned words that are wrong."""

    name: ClassVar[str] = "mer"
    title: ClassVar[str] = "MER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Array) -> Array:
        """E / (E + H)."""
        edits = Edits.of(sums)
        return 100 * edits.errors / np.maximum(edits.errors + edits.hits, 1)
