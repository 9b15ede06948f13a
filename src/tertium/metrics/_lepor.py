"""Length, position, precision and recall: the factors that LEPOR, hLEPOR and nLEPOR combine (Han et al. 2012, 2013)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.marks import Marks
from tertium.core.metric import Exemption, Prepared, choose
from tertium.core.numbers import Number, Sums, columns, exp, maximum, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._links import word_marks
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.steps import Step

WIDEST = 20  # words on either side: what is indexed for very long lines grows with it


class Factors(NamedTuple):
    """What a segment's score is made of, by the papers' names; or the means over segments."""

    LP: Number  # length penalty
    NPosPenal: Number  # n-gram position difference penalty
    P: Sequence[Number]  # precision, recall and their harmonic mean, one for each n-gram order
    R: Sequence[Number]
    H: Sequence[Number]

    @classmethod
    def of(cls, counts: Sums, alpha: float, beta: float) -> Factors:
        """From the kernel's columns: c, r, displacement, matches for n = 1, 2, ..."""
        c, r, displacement, *matches = columns(counts)
        orders = [(m, maximum(c - n, 0.0), maximum(r - n, 0.0)) for n, m in enumerate(matches)]  # m_n, c_n, r_n
        return cls(
            LP=length_penalty(c, r),
            NPosPenal=position_penalty(c, r, displacement),
            P=[ratio(m_n, c_n) for m_n, c_n, _ in orders],
            R=[ratio(m_n, r_n) for m_n, _, r_n in orders],
            H=[harmonic_mean(m_n, c_n, r_n, alpha, beta) for m_n, c_n, r_n in orders],
        )

    @classmethod
    def mean(cls, sums: Sequence[Number], segments: Number) -> Factors:
        """From the columns of summed rows."""
        LP, NPosPenal, *others = [ratio(column, segments) for column in sums]
        order = len(others) // 3
        return cls(LP, NPosPenal, others[:order], others[order : 2 * order], others[2 * order :])

    def flat(self) -> list[Number]:
        """As columns of a row."""
        return [self.LP, self.NPosPenal, *self.P, *self.R, *self.H]


def length_penalty(c: Number, r: Number) -> Number:
    """LP = exp(1 - longer / shorter), whichever side is longer; 0 if one is empty."""
    longer = maximum(c, r)
    return exp(1 - ratio(longer, c + r - longer, otherwise=float("inf")))


def position_penalty(c: Number, r: Number, displacement: Number) -> Number:
    """NPosPenal = exp(-NPD), NPD = (1/c) sum of |j/c - pos/r|; 0 for an empty output.

    The kernel counts in whole numbers: displacement = sum of |j r - pos c|.
    """
    NPD = ratio(displacement, c * c * r)
    return where(c > 0, exp(-NPD), 0.0)


def harmonic_mean(m: Number, c: Number, r: Number, alpha: float, beta: float) -> Number:
    """H = (alpha + beta) / (alpha/R + beta/P) with P = m/c and R = m/r, multiplied out: 0 where nothing matches."""
    return ratio((alpha + beta) * m, alpha * r + beta * c)


def _best(candidates: list[Any], prepared: Prepared) -> Any:
    """The stream of references in which each segment scores best, the first of equals. # (n,)"""
    import numpy as np

    present = np.stack([stream.present for stream in prepared.streams])
    return np.argmax(np.where(present, np.stack(candidates)[..., 0], -1.0), axis=0)


@dataclass(frozen=True, kw_only=True)
class Lepors(ABC):
    """What the three have in common: options and factors. They differ in how the factors are combined.

    Options:
        alpha: weight of recall
        beta: weight of precision
        window: among several places, a word prefers one where another word within so many places is shared too
        aggregate: mean takes the mean of the segments' scores, factors the formula on the means of their factors

    Blind to:
        Synonyms, inflection and meaning. Which words match is judged one by one, so that any permutation keeps
        precision and recall and loses only by its positions.

    Paper:
        Han, Wong and Chao (2012), "LEPOR: a robust evaluation metric for machine translation with augmented factors".
    """

    name: ClassVar[str]
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption("nothing is shared by two empty texts", lambda _, sums: sums[1] == sums[-1])
    }

    alpha: float = 9
    beta: float = 1
    window: int = 2
    tokenize: str = "13a"
    lowercase: bool = True
    aggregate: str = "mean"
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1000 and 0 <= self.beta <= 1000 and self.alpha + self.beta > 0):
            raise OptionError(
                f"{self.name}: alpha={self.alpha}, beta={self.beta}; recall and precision need weights from 0 to 1000, "
                "not both 0"
            )
        if not 0 <= self.window <= WIDEST:
            raise OptionError(f"{self.name}: window={self.window}; must be 0 to {WIDEST} words on either side")
        choose(self.name, "aggregate", self.aggregate, ("mean", "factors"))
        self._reading.check(self.name)

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    @property
    def _order(self) -> int:
        """The longest n-gram that is counted."""
        return 1

    @property
    def _perl(self) -> bool:
        """Whether to count as the authors' programs do."""
        return False

    @abstractmethod
    def combine(self, factors: Factors) -> Number:
        """The score of these factors, from 0 to 1."""

    def stats_key(self, several: bool) -> str:
        """Both ways to aggregate need the same rows: the best reference is the one with the best segment score."""
        return str(replace(self, aggregate="mean"))

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """The segment's score, its factors and 1; of the reference that scores best, the first of equals."""
        import numpy as np

        candidates = self._count(self._reading.outputs(outputs), prepared)
        rows = candidates[0]
        if len(candidates) > 1:
            best = _best(candidates, prepared)
            rows = np.stack(candidates)[best, np.arange(len(best))]
        scored = prepared.scorable(outputs)
        if scored is not None:
            rows[~scored] = 0
        return Stats(self._columns(), rows, scored)

    def _count(self, lines: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        import numpy as np

        candidates = []
        for stream in prepared.streams:
            counts: Any = empty_rows(len(lines), 3 + self._order)
            _kernel.count_lepor(lines.view, stream.view, self._reading.kernel_name, prepared.tokenizer,
                                self.window, self._order, self._perl, counts)  # fmt: skip
            factors = Factors.of(np.asarray(counts), self.alpha, self.beta)
            candidates.append(np.column_stack([self.combine(factors), *factors.flat(), np.ones(len(lines))]))
        return candidates

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words that are aligned, in the reference that scores best. The authors' programs count words in common and
        where words stand apart from each other: they have no such alignment."""
        if self._perl:
            return repeat(Marks(), len(outputs))
        lines, best = self._reading.outputs(outputs), None
        if len(prepared.streams) > 1:
            best = _best(self._count(lines, prepared), prepared)
        names = self._reading.kernel_name, prepared.tokenizer
        return word_marks(
            lines, *prepared.chosen(best), lambda one, other: _kernel.link_lepor(one, other, *names, self.window)
        )

    def _columns(self) -> tuple[str, ...]:
        several = [f"_{n + 1}" for n in range(self._order)] if self._order > 1 else [""]
        factors = [f"{what}{n}" for what in ("precision", "recall", "harmonic_mean") for n in several]
        return ("score", "length_penalty", "position_penalty", *factors, "segments")

    def _aggregate(self, sums: Sums) -> Number:
        """The mean of the segments' scores, or the formula on the means of their factors, in percent."""
        score, *factors, segments = columns(sums)
        if self.aggregate == "mean":
            return 100 * ratio(score, segments)
        return 100 * self.combine(Factors.mean(factors, segments))

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.alignments import lepor_steps

        return lepor_steps(self, outputs, prepared, run)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Means of the factors over segments: penalties as factors, the others in percent."""
        _, *factors, segments = columns(sums)
        return self._name_parts(Factors.mean(factors, segments))

    def _name_parts(self, mean: Factors) -> dict[str, Any]:
        return {
            "length_penalty": mean.LP,
            "position_penalty": mean.NPosPenal,
            "precision": 100 * mean.P[0],
            "recall": 100 * mean.R[0],
            "harmonic_mean": 100 * mean.H[0],
        }


@dataclass(frozen=True, kw_only=True)
class Originals(Lepors):
    """Those of which the authors' Perl programs exist.

    Options:
        compat: perl repeats the errors of the authors' programs, none follows the papers
    """

    compat: str = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        choose(self.name, "compat", self.compat, ("none", "perl"))
        if self._perl and self.window != 2:
            raise OptionError(
                f'{self.name}: window={self.window}, but compat="perl" has window=2; leave one of them out'
            )

    @property
    def _perl(self) -> bool:
        return self.compat == "perl"
