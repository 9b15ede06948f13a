"""MER (match error rate; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import ClassVar, Literal

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums, ratio
from tertium.metrics._edits import AlignedErrors, Edits


@metric
class Mer(AlignedErrors):
    """Match error rate: the share of aligned words that are wrong.

    Formula:
        MER = 100 E / (E + H) = 100 (S + D + I) / (H + S + D + I)
        H hits, S substitutions, D deletions, I insertions of an alignment
        with the fewest edits, summed over the corpus
    """

    name: ClassVar[str] = "mer"
    title: ClassVar[str] = "MER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Sums) -> Number:
        """E / (E + H): the share of errors among errors and hits."""
        E, H = Edits.of(sums).errors, Edits.of(sums).hits
        return 100 * ratio(E, E + H)
