"""Recall of words: how much of the reference the output says."""

from __future__ import annotations

from typing import ClassVar

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._overlap import Overlap, WordOverlap


@metric
class Recall(WordOverlap):
    """The share of the reference's words that the output has.

    Formula:
        recall = 100 m / r
        m: words of the reference that the output has, each at most as
        often as the output; with clip=False, each as often as the
        reference says it
        r: words of the reference; all summed over the corpus
    """

    name: ClassVar[str] = "recall"
    title: ClassVar[str] = "recall"

    def score(self, sums: Sums) -> Number:
        """R = m / r, in percent."""
        return 100 * Overlap.of(sums).r
