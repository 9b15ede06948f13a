"""CER (character error rate), equal to jiwer's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.numbers import Number, Sums
from tertium.core.run import PLAIN, Run
from tertium.metrics._edits import EditRows, Edits, fewest_edits
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step


@metric
class Cer(EditRows):
    """Character error rate: edits per reference character. Lines are stripped; the spaces that remain count.

    Formula:
        CER = 100 E / r
        E edits, r reference characters (code points), both summed over
        the corpus

    Blind to:
        Words and meaning: a wrong word costs as many edits as it has wrong letters. A word that moved costs twice its
        length.

    Paper:
        Levenshtein (1966), "Binary codes capable of correcting deletions, insertions, and reversals"; the rate is as
        old as speech and character recognition.
    """

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    aligned: ClassVar[str] = "character"

    lowercase: bool = False
    unicode: str = "none"
    normalise: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalise", tuple(self.normalise))  # a list is as good
        Reading("none", unicode=self.unicode, normalise=self.normalise).check("cer")

    @property
    def _reading(self) -> Reading:
        return Reading("codepoints", self.lowercase, self.unicode, self.normalise)

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Characters kept and substituted, in the reference that is counted."""
        from tertium.metrics._links import character_edit_marks  # a score needs none

        lines = self._reading.outputs(outputs)
        reference, numbers = prepared.chosen(fewest_edits(lines, prepared, self._reading))
        return character_edit_marks(lines, reference, self._reading.kernel_name, numbers)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.edits import edit_steps

        return edit_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """E / r: errors per reference character."""
        return 100 * Edits.of(sums).error_rate()
