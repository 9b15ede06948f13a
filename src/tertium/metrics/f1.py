"""F1 of words: precision and recall in one number."""

from __future__ import annotations

from typing import ClassVar

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._overlap import Overlap, WordOverlap


@metric
class F1(WordOverlap):
    """The harmonic mean of precision and recall of words.

    Formula:
        F1 = 100 x 2 P R / (P + R)
        P, R: precision and recall of words, counted over the corpus
    """

    name: ClassVar[str] = "f1"
    title: ClassVar[str] = "F1"

    def score(self, sums: Sums) -> Number:
        """F1 = 2 P R / (P + R), in percent."""
        return 100 * Overlap.of(sums).f1
