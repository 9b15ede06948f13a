"""WIL (word information lost; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import ClassVar, Literal

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._edits import AlignedErrors, Edits


@metric
class Wil(AlignedErrors):
    """Word information lost: 100 minus the word information preserved.

    Formula:
        WIL = 100 (1 - (H/r) (H/c))
        H hits of an alignment with the fewest edits; r, c words of the
        reference, of the output; all summed over the corpus
    """

    name: ClassVar[str] = "wil"
    title: ClassVar[str] = "WIL"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Sums) -> Number:
        """1 - H^2 / (r c): what is not preserved."""
        return 100 * (1 - Edits.of(sums).information_preserved())
