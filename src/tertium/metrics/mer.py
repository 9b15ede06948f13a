"""MER (match error rate; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tertium.core.metric import metric
from tertium.core.numbers import ratio
from tertium.metrics._edits import Edits, WordErrors


@metric
class Mer(WordErrors):
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

    def score(self, sums: Any) -> Any:
        """E / (E + H): the share of errors among errors and hits."""
        edits = Edits.of(sums)
        return 100 * ratio(edits.errors, edits.errors + edits.hits)
