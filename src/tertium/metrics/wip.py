"""WIP (word information preserved; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import ClassVar, Literal

from tertium.core.metric import Array, metric
from tertium.metrics._edits import Edits, WordErrors, word_information_preserved


@metric
class Wip(WordErrors):
    """Word information preserved: the share of both sides' words that are hits, multiplied."""

    name: ClassVar[str] = "wip"
    title: ClassVar[str] = "WIP"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Array) -> Array:
        """H^2 / (r c)."""
        return 100 * word_information_preserved(Edits.of(sums))
