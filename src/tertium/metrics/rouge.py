"""ROUGE (Lin 2004), equal to the rouge-score package: n-grams and longest common subsequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, Sums, columns, maximum, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.testset import References, TestSet
from tertium.metrics._means import SegmentMeans
from tertium.text.tokenizers import is_outside
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks

VARIANTS = (*"123456789", "L", "Lsum")
MEASURES = ("f", "precision", "recall")


@metric
class Rouge(SegmentMeans):
    """F-score of n-grams, or of the longest common subsequence of words.

    Formula:
        ROUGE = 100 2 P R / (P + R), the mean over segments
        P = m / c, R = m / r
        m: n-grams in common, each at most as often as the reference has it;
        variant="L": words of the longest common subsequence;
        variant="Lsum": for every line of the reference the words that it has
        in common with any line of the output
        c, r: n-grams or words of the output, of the reference

    Options:
        variant: how many words an n-gram has, 1 to 9; or L or Lsum
        measure: f, precision or recall; the reference is chosen by f in any case
        stem: compare stems of English words (Porter 1980, with NLTK's changes)
        tokenize: "rouge" takes runs of letters a-z and digits and drops everything else; or another tokenizer

    Blind to:
        Synonyms and meaning. By default to every letter outside a-z: accents split words, and text in another script
        vanishes, which leaves a score of 0 (tokenize="13a", "zh" or "char" reads it).

    Paper:
        Lin (2004), "ROUGE: a package for automatic evaluation of summaries".
    """

    name: ClassVar[str] = "rouge"
    title: ClassVar[str] = "ROUGE"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    quantities: ClassVar[tuple[str, ...]] = ("f", "precision", "recall")
    percents: ClassVar[frozenset[str]] = frozenset(quantities)
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "nothing is shared by texts without a word that it reads, or with fewer words than the n-gram has",
            lambda _, sums: sums[1] == sums[-1],
        )
    }

    variant: str = "L"
    measure: str = "f"
    stem: bool = False
    tokenize: str = "rouge"
    lowercase: bool = True
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("rouge", "variant", self.variant, VARIANTS)
        choose("rouge", "measure", self.measure, MEASURES)
        if self.stem and not (self.tokenize == "rouge" and self.lowercase):
            raise OptionError(
                'rouge: stem=True reads lower-case English words; it needs tokenize="rouge" and lowercase'
            )
        if self.tokenize != "rouge":
            self._reading.check("rouge")
        else:
            Reading("none", self.lowercase, self.unicode).check("rouge")

    @property
    def _reading(self) -> Reading:
        if self.tokenize != "rouge":
            return Reading(self.tokenize, self.lowercase, self.unicode)
        return Reading("alnum+stem" if self.stem else "alnum", self.lowercase, self.unicode)

    def stats_key(self, several: bool) -> str:
        """What is measured belongs to the formula: rows have all three."""
        return f"rouge{self.variant} {self._reading}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References as they are, because lines are sentences for ROUGE-Lsum."""
        streams = tuple(self._read(stream) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)), tokenizer=self._reading.kernel_name)

    def _read(self, outputs: Lines) -> Lines:
        """Texts as they are; a tokenizer outside the kernel reads line by line where lines are sentences."""
        if self.variant != "Lsum" or not is_outside(self.tokenize):
            return self._reading.outputs(outputs)
        texts = [None if text is None else text.split("\n") for text in outputs]
        read = iter(self._reading.outputs(Lines.of([line for lines in texts for line in lines or ()])))
        return Lines.of([None if lines is None else "\n".join(str(next(read)) for _ in lines) for lines in texts])

    def _count(self, lines: Lines, stream: Lines, prepared: Prepared) -> Any:
        """Matches, n-grams or words of the output, of the reference."""
        import numpy as np

        names = self._reading.kernel_name, prepared.tokenizer
        if self.variant.startswith("L"):
            counts: Any = empty_rows(len(lines), 3)
            _kernel.count_subsequences(lines.view, stream.view, *names, self.variant == "Lsum", counts)
            return counts
        n = int(self.variant)
        rows: Any = empty_rows(len(lines), 2 * n + 2)
        _kernel.count_ngrams(lines.view, [stream.view], *names, n, rows)
        each = columns(np.asarray(rows))
        return np.column_stack([each[n - 1], each[2 * n - 1], maximum(each[-1] - (n - 1), 0.0)])

    def _row(self, counts: Any) -> tuple[Number, ...]:
        """F, and once more F with precision and recall: the first is what a reference is chosen by."""
        m, c, r = counts
        P, R = ratio(m, c), ratio(m, r)
        F = ratio(2 * P * R, P + R)
        return F, F, P, R

    def score(self, sums: Sums) -> Number:
        """The mean over segments, in percent: Lin (2004), sections 2 and 3, with beta = 1."""
        summed = columns(sums)
        return 100 * ratio(summed[1 + MEASURES.index(self.measure)], summed[-1])

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words of n-grams in common, or of the common subsequence, in the reference that is counted."""
        names = self._reading.kernel_name, prepared.tokenizer
        if self.variant.startswith("L"):
            return self._linked(outputs, prepared, lambda one, other: _kernel.link_subsequences(one, other, *names))
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, best = self._read(outputs), None
        if len(prepared.streams) > 1:
            best = self._best(self._candidates(lines, prepared), prepared)
        reference, numbers = prepared.chosen(best)
        return ngram_marks(lines, [reference], names, int(self.variant), numbers)
