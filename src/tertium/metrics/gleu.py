"""GLEU (Wu et al. 2016), the "Google BLEU" of NLTK; not the GLEU of grammatical error correction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows, pair_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, metric
from tertium.core.numbers import Number, Sums, columns, maximum, ratio, total
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks

COLUMNS = ("matches", "output_ngrams", "reference_ngrams", "more_ngrams")


@metric
class Gleu:
    """The smaller of precision and recall of all n-grams together.

    Formula:
        GLEU = 100 m / max(c, r)
        m: n-grams of the output that the reference has, of all lengths
        together, each at most as often as the reference has it; c, r:
        n-grams of the output, of the reference; m and the larger of c and r
        are summed over the corpus

    Options:
        order: longest n-gram
        shortest: shortest n-gram

    Blind to:
        Synonyms, inflection and meaning. Only the longer side counts: up to the reference's length, words may be added
        freely, right or wrong.

    Paper:
        Wu, Schuster, Chen, Le, Norouzi and others (2016), "Google's neural machine translation system: bridging the gap
        between human and machine translation".
    """

    name: ClassVar[str] = "gleu"
    title: ClassVar[str] = "GLEU"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "nothing is shared by two empty texts, and another reference that has words counts instead",
            lambda _, sums: sums[0] > 0 and sums[1] == sums[2],
        )
    }

    order: int = 4
    shortest: int = 1
    tokenize: str = "13a"
    lowercase: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.order <= 100:
            raise OptionError(
                f"gleu: n-grams from shortest={self.shortest} to order={self.order} words; there must be some, of 1 to "
                "100 words"
            )
        self._reading.check("gleu")

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Matches and n-grams; of the reference with the highest share of matches, the first of equals."""
        candidates = self._candidates(self._reading.outputs(outputs), prepared)
        rows, scored = candidates[0], prepared.scorable(outputs)
        if len(candidates) > 1:
            import numpy as np

            rows = np.stack(candidates)[self._best(candidates, prepared), np.arange(len(rows))]
        if scored is not None:
            rows[~scored] = 0
        return Stats(COLUMNS, rows, scored)

    def _candidates(self, lines: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        import numpy as np

        found = []
        for stream in prepared.streams:
            counts: Any = empty_rows(len(lines), 2 * self.order + 2)
            names = self._reading.kernel_name, prepared.tokenizer
            _kernel.count_ngrams(lines.view, [stream.view], *names, self.order, counts)
            found.append(np.column_stack(self._row(np.maximum(counts, 0))))  # -1: no reference
        return found

    def _row(self, counts: Sums) -> tuple[Number, ...]:
        """From matches and totals for n = 1, 2, ... and the lengths of both sides."""
        each, r = columns(counts), columns(counts)[-1]
        first, last = self.shortest - 1, self.order
        m, c = total(each[first:last]), total(each[self.order + first : self.order + last])
        wanted = total(maximum(r - n, 0.0) for n in range(first, last))
        return m, c, wanted, maximum(c, wanted)

    def _best(self, candidates: list[Any], prepared: Prepared) -> Any:
        """The stream of references in which each segment scores best, the first of equals. A pair of empty texts has no
        score, and yields to any that has one. # (n,)"""
        import numpy as np

        present = np.stack([stream.present for stream in prepared.streams])
        stacked = np.stack(candidates)
        share = np.where(stacked[..., 3] > 0, ratio(stacked[..., 0], stacked[..., 3]), -1.0)
        return np.argmax(np.where(present, share, -2.0), axis=0)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        import numpy as np

        planes, counts = pair_rows(2 * self.order + 2, len(outputs), len(prepared.references))
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        _kernel.count_ngram_pairs(lines.view, prepared.streams[0].view, *names, self.order, planes)
        return np.stack(self._row(counts), axis=-1)

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """The longest n-gram that counts at every word, and words that are clipped."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, best = self._reading.outputs(outputs), None
        if len(prepared.streams) > 1:
            best = self._best(self._candidates(lines, prepared), prepared)
        reference, numbers = prepared.chosen(best)
        return ngram_marks(lines, [reference], (self._reading.kernel_name, prepared.tokenizer), self.order, numbers)

    def score(self, sums: Sums) -> Number:
        """GLEU = m / max(c, r), in percent: Wu et al. (2016), the smaller of precision and recall."""
        m, _, _, more = columns(sums)
        return 100 * ratio(m, more)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Precision and recall in percent, and the counts."""
        m, c, r, more = columns(sums)
        return {"precision": 100 * ratio(m, c), "recall": 100 * ratio(m, r), "matches": m, "more_ngrams": more}
