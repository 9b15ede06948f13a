"""Words that an output shares with a reference, whatever their order: the rows of precision, recall and F1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step


class Overlap(NamedTuple):
    """Sums of rows: words of the output that the reference has, words of the reference that the output has, and all
    words of both. Clipped, the first two are the same number."""

    output_matches: Number
    reference_matches: Number
    output_length: Number
    reference_length: Number

    @classmethod
    def of(cls, sums: Sums) -> Overlap:
        """Name the columns of sums. # (..., 4)"""
        return cls(*columns(sums))

    @property
    def p(self) -> Number:
        """Precision: the share of the output's words that the reference has."""
        return ratio(self.output_matches, self.output_length)

    @property
    def r(self) -> Number:
        """Recall: the share of the reference's words that the output has."""
        return ratio(self.reference_matches, self.reference_length)

    @property
    def f1(self) -> Number:
        """2 P R / (P + R), the harmonic mean of precision and recall."""
        return ratio(2 * self.p * self.r, self.p + self.r)


def count_overlap(lines: Lines, streams: Sequence[Lines], names: tuple[str, str], clip: bool) -> Any:
    """Rows against several references together: each word at most as often as in the one that has it most. # (n, 4)"""
    import numpy as np

    texts, starts, indices, values = _kernel.count_types(lines.view, [stream.view for stream in streams], *names)
    types, n = len(Lines(*texts)), len(lines)
    of_row = np.repeat(np.arange(n), np.diff(np.asarray(starts)))
    what, of_type = np.divmod(np.asarray(indices, dtype=np.int64), max(1, types))  # output, reference, both
    counts = np.asarray(values, dtype=np.float64)
    shared = np.isin(of_row * types + of_type, (of_row * types + of_type)[what == 2])

    def added(chosen: Any) -> Any:
        return np.bincount(of_row[chosen], counts[chosen], n)

    matches = [added(what == 2)] * 2 if clip else [added(shared & (what == side)) for side in (0, 1)]
    return np.column_stack([*matches, added(what == 0), added(what == 1)])


@dataclass(frozen=True, kw_only=True)
class WordOverlap:
    """What precision, recall and F1 have in common: options and rows. They differ in the formula.

    Options:
        clip: count a word at most as often as the other side has it; without it, every occurrence of a word that the
            other side has at all

    Blind to:
        Word order entirely: any permutation of the reference scores 100. Synonyms, inflection and meaning.

    Paper:
        Papineni, Roukos, Ward and Zhu (2002), "BLEU: a method for automatic evaluation of machine translation", for
        clipping.
    """

    name: ClassVar[str]
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption("nothing is shared by two empty texts", lambda _, sums: sums[2] > 0)
    }

    clip: bool = True
    tokenize: str = "13a"
    lowercase: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        self._reading.check(self.name)

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def stats_key(self, several: bool) -> str:
        """The three share their rows, but for several references, which precision takes together."""
        own = "precision" if several and self.name == "precision" else ""
        return f"overlap{self._reading}{self.clip}{own}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Words shared and words, of the reference with the best F1, the first of equals."""
        import numpy as np

        candidates = self._count(outputs, prepared)
        best = self._best(candidates, prepared)
        return Stats(Overlap._fields, np.stack(candidates)[best, np.arange(len(best))], prepared.scorable(outputs))

    def _count(self, outputs: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        return [count_overlap(lines, [stream], names, self.clip) for stream in prepared.streams]

    def _best(self, candidates: list[Any], prepared: Prepared) -> Any:
        """The stream of references in which each segment has the best F1, the first of equals. # (n,)"""
        import numpy as np

        scores = [
            np.where(stream.present, Overlap.of(rows).f1, -1.0)
            for stream, rows in zip(prepared.streams, candidates, strict=True)
        ]
        return np.argmax(scores, axis=0)

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words that the reference has too; where they are clipped, those that are there too often."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        best = self._best(self._count(outputs, prepared), prepared) if len(prepared.streams) > 1 else None
        reference, numbers = prepared.chosen(best)
        names = self._reading.kernel_name, prepared.tokenizer
        return ngram_marks(self._reading.outputs(outputs), [reference], names, 1, numbers)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.overlap import overlap_steps

        return overlap_steps(self, outputs, prepared, run)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """The counts by name."""
        return Overlap.of(sums)._asdict()
