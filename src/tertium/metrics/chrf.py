"""chrF (Popovic 2015) and chrF++ (Popovic 2017), equal to sacreBLEU (Post 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows, pair_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, Sums, Truth, columns, ratio, total, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.normalise import FORMS, normalise

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step

EPSILON = 1e-16  # chrF++.py's, also in NLTK and Moses


class Order(NamedTuple):
    """Precision and recall of n-grams of one length (epsilon where undefined), and whether both are defined."""

    p: Number
    r: Number
    defined: Truth

    @classmethod
    def of(cls, output: Number, reference: Number, matches: Number) -> Order:
        """From how many n-grams there are in the output, in the reference and in both."""
        return cls(
            p=ratio(matches, output, EPSILON),
            r=ratio(matches, reference, EPSILON),
            defined=(output > 0) & (reference > 0),
        )


def orders_of(sums: Sums) -> list[Order]:
    """Every n-gram length. # (..., 3 x lengths)"""
    counts = columns(sums)
    return [Order.of(*of_length) for of_length in zip(counts[0::3], counts[1::3], counts[2::3], strict=True)]


def f_score(P: Number, R: Number, beta: float, undefined: float = 0.0) -> Number:
    """(1 + beta^2) P R / (beta^2 P + R): not (1 + beta)^2, as it is sometimes printed."""
    return ratio((1 + beta**2) * P * R, beta**2 * P + R, undefined)


@metric
class Chrf:
    """F-score of character n-grams (and word n-grams: words=2 is chrF++), recall counting beta times as much.

    Formula:
        chrF = 100 (1 + beta^2) P R / (beta^2 P + R)
        P = mean over n of matches_n / n-grams of the output
        R = mean over n of matches_n / n-grams of the reference
        n: the lengths of which both sides have n-grams, counted over the
        whole corpus

    Options:
        chars: longest character n-gram
        words: longest word n-gram; 2 is chrF++
        beta: recall counts beta times as much as precision
        whitespace: count spaces as characters
        eps: average the F-scores of all lengths instead, 1e-16 where one is undefined, as chrF++.py, NLTK and
            Moses do

    Blind to:
        Word order beyond a few characters, and meaning: "unlikely" for "likely" costs little. Kinder than BLEU to
        inflection.

    Paper:
        Popović (2015), "chrF: character n-gram F-score for automatic MT evaluation"; Popović (2017), "chrF++: words
        helping character n-grams".
    """

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "nothing is shared by two empty texts; with eps an order without n-grams counts as a wrong one",
            lambda metric, sums: (all if metric.eps else any)(ngrams > 0 for ngrams in sums[0::3]),
        )
    }

    chars: int = 6
    words: int = 0
    beta: float = 2
    lowercase: bool = False
    whitespace: bool = False
    eps: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        if self.chars < 0 or self.words < 0 or not 1 <= self.chars + self.words <= 100:
            raise OptionError(
                f"chrf: chars={self.chars}, words={self.words}; together there must be 1 to 100 n-gram orders"
            )
        if not 0 <= self.beta <= 1000:
            raise OptionError(f"chrf: beta={self.beta}; must lie between 0 and 1000")
        choose("chrf", "unicode", self.unicode, tuple(FORMS))

    def stats_key(self, several: bool) -> str:
        """Beta and eps help to choose among several references; with one they are the formula's alone."""
        beta, eps = (self.beta, self.eps) if several else (2, False)
        same = Chrf(chars=self.chars, words=self.words, beta=beta, eps=eps, lowercase=self.lowercase,
                    whitespace=self.whitespace, unicode=self.unicode)  # fmt: skip
        return str(same)

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References, normalised."""
        streams = tuple(normalise(stream, self.unicode) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """For every order: n-grams in the output, in the reference, in both; of the reference that scores best."""
        candidates, streams = self._count(outputs, prepared), prepared.streams
        orders = [f"char{n + 1}" for n in range(self.chars)] + [f"word{n + 1}" for n in range(self.words)]
        names = tuple(f"{what}_{order}" for order in orders for what in ("output", "reference", "matches"))
        chosen = candidates[0]
        if len(streams) > 1:
            import numpy as np

            best = self._best(candidates, prepared)
            chosen = np.stack(candidates)[best, np.arange(len(best))]
        return Stats(names, chosen, prepared.scorable(outputs))

    def _count(self, outputs: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        lines, streams = normalise(outputs, self.unicode), prepared.streams
        candidates = [empty_rows(len(outputs), 3 * (self.chars + self.words)) for _ in streams]
        for stream, rows in zip(streams, candidates, strict=True):
            _kernel.count_chrf(lines.view, stream.view, self.chars, self.words, self.lowercase, self.whitespace, rows)
        return candidates

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """The longest character n-gram that counts at every character, in the reference that scores best; of words
        where characters are not counted."""
        from tertium.metrics._links import character_marks, ngram_marks  # a score needs none

        best = self._best(self._count(outputs, prepared), prepared) if len(prepared.streams) > 1 else None
        lines, (reference, numbers) = normalise(outputs, self.unicode), prepared.chosen(best)
        if self.chars:
            return character_marks(lines, reference, self.chars, (self.lowercase, self.whitespace), numbers)
        name = f"chrf-words{'+lower' if self.lowercase else ''}"
        return ngram_marks(lines, [reference], (name, name), self.words, numbers)

    def _best(self, candidates: list[Any], prepared: Prepared) -> Any:
        """The stream of references in which each segment scores best, the first of equals. # (n,)"""
        import numpy as np

        streams = prepared.streams
        scores = [
            np.where(s.present, self.score(np.asarray(c)), -1.0) for s, c in zip(streams, candidates, strict=True)
        ]
        return np.argmax(scores, axis=0)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        planes, rows = pair_rows(3 * (self.chars + self.words), len(outputs), len(prepared.references))
        views = normalise(outputs, self.unicode).view, prepared.streams[0].view
        _kernel.count_chrf_pairs(*views, self.chars, self.words, self.lowercase, self.whitespace, planes)
        return rows

    def of_mean(self, outputs: Lines, prepared: Prepared, weights: Any) -> Any:
        """Rows of every output against one text that stands for all references: of every n-gram it has their weighted
        mean (Vamvas and Sennrich 2024). The weights sum to 1. # (n, k)"""
        rows = empty_rows(len(outputs), 3 * (self.chars + self.words))
        views = normalise(outputs, self.unicode).view, prepared.streams[0].view
        _kernel.count_chrf_of_mean(*views, weights, self.chars, self.words, self.lowercase, self.whitespace, rows)
        return rows

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.ngrams import chrf_steps

        return chrf_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """chrF = (1 + beta^2) chrP chrR / (beta^2 chrP + chrR), in percent: Popović (2015), equation 1.

        chrP and chrR are the means of p_n and r_n over the orders of which both sides have n-grams.
        """
        orders = orders_of(sums)
        if self.eps:  # the mean of every order's F instead, a little above 0 where there is none
            return 100 * total(f_score(n.p, n.r, self.beta, EPSILON) for n in orders) / len(orders)
        N = total(where(n.defined, 1.0, 0.0) for n in orders)
        chrP = ratio(total(where(n.defined, n.p, 0.0) for n in orders), N)
        chrR = ratio(total(where(n.defined, n.r, 0.0) for n in orders), N)
        return 100 * f_score(chrP, chrR, self.beta)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Precision and recall by order, in percent."""
        orders = orders_of(sums)
        return {
            "precisions": [100 * where(n.defined, n.p, 0.0) for n in orders],
            "recalls": [100 * where(n.defined, n.r, 0.0) for n in orders],
        }
