"""chrF (Popovic 2015) and chrF++ (Popovic 2017), equal to sacreBLEU (Post 2018)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Array, Prepared, choose, metric, ratio
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.normalise import FORMS, normalise

EPSILON = 1e-16  # chrF++.py's, also in NLTK and Moses


@metric
class Chrf:
    """F-score of character n-grams (and word n-grams: words=2 is chrF++), recall counting beta times as much."""

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    chars: int = 6
    words: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        if self.chars < 0 or self.words < 0 or self.chars + self.words < 1:
            raise OptionError(f"chrf: chars={self.chars}, words={self.words}; at least one n-gram order is needed")
        if self.beta < 0:
            raise OptionError(f"chrf: beta={self.beta} must not be negative")
        choose("chrf", "unicode", self.unicode, tuple(FORMS))

    def stats_key(self, several: bool) -> str:
        """Beta and eps help to choose among several references; with one they are the formula's alone."""
        beta, eps = (self.beta, self.eps) if several else (2, False)
        same = Chrf(chars=self.chars, words=self.words, beta=beta, eps=eps, lowercase=self.lowercase,
                    whitespace=self.whitespace, unicode=self.unicode)  # fmt: skip
        return str(same)

    def prepare(self, testset: TestSet) -> Prepared:
        """References, normalised."""
        streams = tuple(normalise(stream, self.unicode) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared) -> Stats:
        """For every order: n-grams in the output, in the reference, in both; of the reference that scores best."""
        lines = normalise(outputs, self.unicode)
        shape = (len(outputs), 3 * (self.chars + self.words))
        best, best_score = np.zeros(shape), np.full(len(outputs), -1.0)
        for k, stream in enumerate(prepared.references.streams):
            rows = np.zeros(shape)
            _kernel.count_chrf(lines.view, stream.view, self.chars, self.words, self.lowercase, self.whitespace, rows)
            if len(prepared.references.streams) == 1:
                best = rows
                break
            score = np.where(stream.present, self.score(rows), -1.0)
            better = score > best_score if k else stream.present
            best[better], best_score[better] = rows[better], score[better]
        orders = [f"char{n + 1}" for n in range(self.chars)] + [f"word{n + 1}" for n in range(self.words)]
        columns = tuple(f"{what}_{order}" for order in orders for what in ("output", "reference", "matches"))
        return Stats(columns, best, prepared.scorable(outputs))

    def score(self, sums: Array) -> Array:
        """F-beta of precision and recall averaged over the orders that both sides have."""
        precision, recall, counted = self._by_order(sums)
        if self.eps:
            return 100 * self._f(precision, recall, EPSILON).mean(axis=-1)
        effective = np.maximum(counted.sum(axis=-1), 1)
        average = [np.where(counted, part, 0.0).sum(axis=-1) / effective for part in (precision, recall)]
        return 100 * self._f(*average, 0.0)

    def _by_order(self, sums: Array) -> tuple[Array, Array, Array]:
        """Precision and recall of every order (epsilon where undefined), and where both are defined."""
        output, reference, matches = sums[..., 0::3], sums[..., 1::3], sums[..., 2::3]
        precision = ratio(matches, output, EPSILON)
        recall = ratio(matches, reference, EPSILON)
        return precision, recall, (output > 0) & (reference > 0)

    def _f(self, precision: Array, recall: Array, undefined: float) -> Array:
        """(1 + beta^2) P R / (beta^2 P + R): not (1 + beta)^2, as it is sometimes printed."""
        weight = self.beta**2
        return ratio((1 + weight) * precision * recall, weight * precision + recall, undefined)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Precision and recall by order, in percent."""
        precision, recall, counted = self._by_order(sums)
        return {
            "precisions": 100 * np.where(counted, precision, 0.0),
            "recalls": 100 * np.where(counted, recall, 0.0),
        }
