"""WER (word error rate), equal to jiwer's. Counts are pooled over the corpus, lines are never concatenated."""

from __future__ import annotations

from typing import ClassVar, Literal

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._edits import AlignedErrors, Edits


@metric
class Wer(AlignedErrors):
    """Word error rate: edits per reference word, pooled over the corpus. It can exceed 100.

    Formula:
        WER = 100 E / r = 100 (S + D + I) / (H + S + D)
        H hits, S substitutions, D deletions, I insertions of an alignment
        with the fewest edits, summed over the corpus; r reference words

    Paper:
        Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"; the rate is as
        old as speech recognition.
    """

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def score(self, sums: Sums) -> Number:
        """E / r: errors per reference word."""
        return 100 * Edits.of(sums).error_rate()
