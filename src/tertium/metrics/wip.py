"""WIP (word information preserved; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import ClassVar, Literal

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._edits import AlignedErrors, Edits


@metric
class Wip(AlignedErrors):
    """Word information preserved: the share of both sides' words that are hits, multiplied.

    Formula:
        WIP = 100 (H/r) (H/c)
        H hits of an alignment with the fewest edits; r, c words of the
        reference, of the output; all summed over the corpus
    """

    name: ClassVar[str] = "wip"
    title: ClassVar[str] = "WIP"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Sums) -> Number:
        """H^2 / (r c): hits per reference word times hits per output word."""
        return 100 * Edits.of(sums).information_preserved()
