"""Length, position, precision and recall: the factors that LEPOR, hLEPOR and nLEPOR combine (Han et al. 2012, 2013)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose
from tertium.core.numbers import Number, columns, exp, maximum, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats, empty_rows
from tertium.core.testset import TestSet
from tertium.text.words import Reading

WIDEST = 20  # words on either side: what is indexed for very long lines grows with it


class Factors(NamedTuple):
    """What a segment's score is made of; or the means over segments. The lists have an entry for each n-gram order."""

    length_penalty: Number
    position_penalty: Number
    precisions: Sequence[Number]
    recalls: Sequence[Number]
    harmonic_means: Sequence[Number]

    @classmethod
    def of(cls, counts: Any, alpha: float, beta: float) -> Factors:
        """From the kernel's columns: c, r, displacement, matches for n = 1, 2, ..."""
        c, r, displacement, *matches = columns(counts)
        outputs, references = ([maximum(length - n, 0.0) for n in range(len(matches))] for length in (c, r))
        both = list(zip(matches, outputs, references, strict=True))
        return cls(
            length_penalty(c, r),
            position_penalty(c, r, displacement),
            [ratio(m, c) for m, c, _ in both],
            [ratio(m, r) for m, _, r in both],
            # (alpha + beta) / (alpha / R + beta / P) with R = m / r and P = m / c
            [ratio((alpha + beta) * m, alpha * r + beta * c) for m, c, r in both],
        )

    @classmethod
    def mean(cls, sums: Sequence[Number], segments: Number) -> Factors:
        """From the columns of summed rows."""
        length, position, *others = [ratio(column, segments) for column in sums]
        order = len(others) // 3
        return cls(length, position, others[:order], others[order : 2 * order], others[2 * order :])

    def flat(self) -> list[Number]:
        """As columns of a row."""
        return [self.length_penalty, self.position_penalty, *self.precisions, *self.recalls, *self.harmonic_means]


def length_penalty(c: Number, r: Number) -> Number:
    """LP: exp(1 - longer / shorter), whichever side is longer; 0 for nothing."""
    longer = maximum(c, r)
    return exp(1 - ratio(longer, c + r - longer, otherwise=float("inf")))


def position_penalty(c: Number, r: Number, displacement: Number) -> Number:
    """NPosPenal: exp(-NPD), NPD = 1/c of the sum of |j/c - pos/r|; 0 for nothing, where no word is in its place."""
    return where(c > 0, exp(-ratio(displacement, c * c * r)), 0.0)


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

        lines, streams, candidates = self._reading.outputs(outputs), prepared.streams, []
        for stream in streams:
            counts: Any = empty_rows(len(outputs), 3 + self._order)
            _kernel.count_lepor(lines.view, stream.view, self._reading.kernel_name, prepared.tokenizer,
                                self.window, self._order, self._perl, counts)  # fmt: skip
            factors = Factors.of(np.asarray(counts), self.alpha, self.beta)
            candidates.append(np.column_stack([self.combine(factors), *factors.flat(), np.ones(len(outputs))]))
        rows = candidates[0]
        if len(streams) > 1:
            stacked = np.stack(candidates)  # (r, n, k)
            present = np.stack([stream.present for stream in streams])
            best = np.argmax(np.where(present, stacked[..., 0], -1.0), axis=0)  # (n,)
            rows = stacked[best, np.arange(len(best))]
        scored = prepared.scorable(outputs)
        if scored is not None:
            rows[~scored] = 0
        return Stats(self._columns(), rows, scored)

    def _columns(self) -> tuple[str, ...]:
        several = [f"_{n + 1}" for n in range(self._order)] if self._order > 1 else [""]
        factors = [f"{what}{n}" for what in ("precision", "recall", "harmonic_mean") for n in several]
        return ("score", "length_penalty", "position_penalty", *factors, "segments")

    def _aggregate(self, sums: Any) -> Any:
        """The mean of the segments' scores, or the formula on the means of their factors, in percent."""
        score, *factors, segments = columns(sums)
        if self.aggregate == "mean":
            return 100 * ratio(score, segments)
        return 100 * self.combine(Factors.mean(factors, segments))

    def parts(self, sums: Any) -> dict[str, Any]:
        """Means of the factors over segments: penalties as factors, the others in percent."""
        _, *factors, segments = columns(sums)
        return self._name_parts(Factors.mean(factors, segments))

    def _name_parts(self, mean: Factors) -> dict[str, Any]:
        return {
            "length_penalty": mean.length_penalty,
            "position_penalty": mean.position_penalty,
            "precision": 100 * mean.precisions[0],
            "recall": 100 * mean.recalls[0],
            "harmonic_mean": 100 * mean.harmonic_means[0],
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
