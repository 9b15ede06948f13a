"""How often every type occurs in outputs, in references and in both: the sparse rows that MacroF and MicroF share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared
from tertium.core.numbers import Sums
from tertium.core.run import PLAIN, Run
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.core.type_stats import OF_TYPE, TypeColumns
from tertium.text.words import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.marks import Marks
    from tertium.core.stats import Array
    from tertium.core.steps import Step

TINY = 1e-300
WIDE = 1000  # types of a row from which on it is counted by itself


class TypeSums(NamedTuple):
    """Sums of rows by type: c, r and m of the formula. # each (..., types)"""

    output: Array
    reference: Array
    both: Array

    @classmethod
    def of(cls, sums: Sums) -> TypeSums:
        """Take the three planes apart: thousands of types, so always as arrays. # (..., 3 x types)"""
        import numpy as np

        planes = np.asarray(sums, dtype=np.float64)
        types = planes.shape[-1] // len(OF_TYPE)
        return cls(*(planes[..., k * types : (k + 1) * types] for k in range(len(OF_TYPE))))

    def f(self, beta: float) -> Array:
        """(1 + beta^2) P R / (beta^2 P + R) of every type: not (1 + beta)^2, as it is sometimes printed.

        With P = m/c and R = m/r that is (1 + beta^2) m / (beta^2 r + c), which permutation tests work out faster. It is
        0 for a type that only one side has, and for one that does not occur at all: a column that is none of the sum's.
        """
        below = self.reference + self.output if beta == 1 else beta**2 * self.reference + self.output
        below += TINY  # nothing of both where there is nothing of either; no other number is changed by so little
        above = (1 + beta**2) * self.both
        above /= below
        return above

    def occurs(self) -> NDArray[np.bool_]:
        """Whether outputs or references have the type at all: these are the types that count."""
        return (self.output > 0) | (self.reference > 0)

    def occurring(self) -> Array:
        """How many types occur; row by row where rows are long, which permutation tests have: numpy counts ten times as
        fast then as it adds up. # (...)"""
        import numpy as np

        occurs = self.occurs()
        if occurs.ndim != 2 or occurs.shape[1] < WIDE:
            return occurs.sum(axis=-1)  # type: ignore[no-any-return]
        return np.array([np.count_nonzero(row) for row in occurs])


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
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "there is no type to average over in two empty texts; what a second reference has besides is missed",
            lambda _, sums: any(sums) and sums[: len(sums) // 3] == sums[len(sums) // 3 : 2 * len(sums) // 3],
        )
    }

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

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words that a reference has, and words that are clipped."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        return ngram_marks(lines, prepared.streams, names, 1)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.overlap import type_steps

        return type_steps(self, outputs, prepared, run)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """How many types there are, and words."""
        types = TypeSums.of(sums)
        return {
            "types": types.occurring().astype(float),
            "matches": types.both.sum(axis=-1),
            "output_length": types.output.sum(axis=-1),
            "reference_length": types.reference.sum(axis=-1),
        }
