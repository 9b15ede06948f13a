"""PER (position-independent error rate; Tillmann et al. 1997)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import pair_rows
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.metrics._edits import WordErrors, best_rows, fewest

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step

COLUMNS = ("errors", "matches", "output_length", "reference_length")
ERRORS = slice(0, 1)


@metric
class Per(WordErrors):
    """Word errors when order does not count: what the two bags of words do not share, per reference word.

    Formula:
        PER = 100 sum of (max(c, r) - matches) / sum of r
        matches: words in common, each as often as both sides have it;
        c, r: words of the output, of the reference; sums over segments

    Blind to:
        Word order entirely: any permutation of the reference scores 0. WER minus PER tells how much of the error is
        order.

    Paper:
        Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), "Accelerated DP based search for statistical translation".
    """

    name: ClassVar[str] = "per"
    title: ClassVar[str] = "PER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def stats_key(self, several: bool) -> str:
        """Bags, not alignments: rows of its own."""
        return str(self)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Errors, matches and lengths against the reference with the fewest errors, the first of equals."""
        rows, scored = best_rows(self._count(outputs, prepared), prepared, ERRORS), prepared.scorable(outputs)
        if scored is not None:
            rows[~scored] = 0
        return Stats(COLUMNS, rows, scored)

    def _count(self, outputs: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        import numpy as np

        lines, candidates = self._reading.outputs(outputs), []
        for stream in prepared.streams:
            counts = np.zeros((len(outputs), 4))  # matches, total, output length, reference length
            _kernel.count_ngrams(lines.view, [stream.view], self._reading.kernel_name, prepared.tokenizer, 1, counts)
            matches, _, output, reference = counts.T
            candidates.append(np.column_stack([np.maximum(output, reference) - matches, matches, output, reference]))
        return candidates

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words that the reference with the fewest errors has too, and those that are there too often."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        best = fewest(self._count(outputs, prepared), prepared, ERRORS) if len(prepared.streams) > 1 else None
        reference, numbers = prepared.chosen(best)
        names = self._reading.kernel_name, prepared.tokenizer
        return ngram_marks(self._reading.outputs(outputs), [reference], names, 1, numbers)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        import numpy as np

        planes, _ = pair_rows(4, len(outputs), len(prepared.references))
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        _kernel.count_ngram_pairs(lines.view, prepared.streams[0].view, *names, 1, planes)
        matches, _, output, reference = planes
        return np.stack([np.maximum(output, reference) - matches, matches, output, reference], axis=-1)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.overlap import per_steps

        return per_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """PER = sum of (max(c, r) - matches) / sum of r, in percent."""
        errors, _, _, r = columns(sums)
        return 100 * ratio(errors, r, otherwise=errors)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """The counts by name."""
        return dict(zip(COLUMNS, columns(sums), strict=True))
