"""How often every type occurs in outputs, in references and in both: the sparse rows that MacroF and MicroF share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.numbers import Number
from tertium.core.run import PLAIN, Run
from tertium.core.stats import OF_TYPE, SparseRows, Stats, TypeColumns
from tertium.core.testset import TestSet
from tertium.text.words import Reading

TINY = 1e-300


class TypeSums(NamedTuple):
    """Sums of rows by type. # each (..., types)"""

    output: Number
    reference: Number
    both: Number

    @classmethod
    def of(cls, sums: Any) -> TypeSums:
        """Take the three planes apart: thousands of types, so always as arrays. # (..., 3 x types)"""
        import numpy as np

        sums = np.asarray(sums, dtype=np.float64)
        types = sums.shape[-1] // len(OF_TYPE)
        return cls(*(sums[..., k * types : (k + 1) * types] for k in range(len(OF_TYPE))))

    def f(self, beta: float) -> Number:
        """(1 + beta^2) P R / (beta^2 P + R) of every type: not (1 + beta)^2, as it is sometimes printed.

        With P = m/c and R = m/r that is (1 + beta^2) m / (beta^2 r + c), which permutation tests work out faster. It is
        0 for a type that only one side has, and for one that does not occur at all: a column that is none of the sum's.
        """
        import numpy as np

        weight = beta**2
        above, below = (1 + weight) * self.both, weight * self.reference
        below += self.output
        above /= np.maximum(below, TINY, out=below)  # nothing of both where there is nothing of either
        return above

    def occurs(self) -> Number:
        """Whether outputs or references have the type at all: these are the types that count."""
        return self.output + self.reference > 0


@dataclass(frozen=True, kw_only=True)
class TypeAverage:
    """What MacroF and MicroF have in common: options and rows. They differ in the weight of a type.

    Options:
        beta: recall counts beta times as much as precision

    Blind to:
        Word order entirely: any permutation of the reference scores 100. Synonyms and inflection: each form is a type
        of its own. Scores of test sets of different size cannot be compared, because they have different types.

    Paper:
        Gowda, You, Lignos and May (2021), "Macro-average: rare types are important too".
    """

    name: ClassVar[str]
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "paired only"
    decimals: ClassVar[int] = 1

    beta: float = 1
    tokenize: str = "13a"
    lowercase: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not 0 <= self.beta <= 1000:
            raise OptionError(f"{self.name}: beta={self.beta}; must lie between 0 and 1000")
        self._reading.check(self.name)

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def stats_key(self, several: bool) -> str:
        """Only how texts are read: beta and the weights belong to the formula."""
        return f"types{self._reading}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """For every type of a segment: how often the output has it, the reference that has it most often, and both."""
        import numpy as np

        texts, starts, indices, values = _kernel.count_types(
            self._reading.outputs(outputs).view,
            [stream.view for stream in prepared.streams],
            self._reading.kernel_name,
            prepared.tokenizer,
        )
        columns = TypeColumns(Lines(*texts))
        rows = SparseRows(np.asarray(starts), np.asarray(indices), np.asarray(values), len(columns))
        return Stats(columns, rows, prepared.scorable(outputs))

    def parts(self, sums: Any) -> dict[str, Any]:
        """How many types there are, and words."""
        types = TypeSums.of(sums)
        return {
            "types": types.occurs().sum(axis=-1).astype(float),
            "matches": types.both.sum(axis=-1),
            "output_length": types.output.sum(axis=-1),
            "reference_length": types.reference.sum(axis=-1),
        }
