"""Precision of words: the first measure of a textbook, and what BLEU's modified precision mends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, metric
from tertium.core.numbers import Number, Sums
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.metrics._overlap import Overlap, WordOverlap, count_overlap

if TYPE_CHECKING:
    from tertium.core.marks import Marks


@metric
class Precision(WordOverlap):
    """The share of the output's words that a reference has.

    Formula:
        precision = 100 m / c
        m: words of the output that a reference has, each at most as often
        as in the reference that has it most; with clip=False, each as
        often as the output says it
        c: words of the output; all summed over the corpus
    """

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "precision"
    exempt: ClassVar[dict[str, Exemption]] = {
        **WordOverlap.exempt,
        "an output that lacks everything is worse than a perfect one": Exemption(
            "an empty output has no word that is wrong: that is what recall and BLEU's brevity penalty are for"
        ),
    }

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Words shared and words; several references together, as BLEU takes them."""
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        rows = count_overlap(lines, prepared.streams, names, self.clip)
        return Stats(Overlap._fields, rows, prepared.scorable(outputs))

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words that a reference has; where they are clipped, those that are there too often."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        return ngram_marks(lines, prepared.streams, names, 1)

    def score(self, sums: Sums) -> Number:
        """P = m / c, in percent: modified precision of single words, Papineni et al. (2002), section 2.1."""
        return 100 * Overlap.of(sums).p
