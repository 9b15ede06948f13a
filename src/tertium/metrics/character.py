"""CharacTER (Wang et al. 2016): TER on characters, after phrases have been shifted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.testset import TestSet
from tertium.metrics._means import SegmentMeans
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks


@metric
class Character(SegmentMeans):
    """Edits of characters after phrases were shifted, per character of the output.

    Formula:
        CharacTER = 100 min(1, (edits + shifts) / c), the mean over segments
        edits: characters inserted, deleted and substituted after the shifts
        shifts: for each phrase shifted, the mean length of its words; in
        each round the shift that saves most word edits is made
        c: characters of the output, spaces among them

    Options:
        compat: program shifts once more where the Python program's sums of shares are wrong in their last bits; none
            shifts only what saves edits

    Blind to:
        Meaning, and what an edit does to it. Lengths are divided by the output's, so that long outputs are dear and
        words left out are cheap. The search for shifts is greedy.

    Paper:
        Wang, Peter, Rosendahl and Ney (2016), "CharacTer: translation edit rate on character level".
    """

    name: ClassVar[str] = "character"
    title: ClassVar[str] = "CharacTER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    quantities: ClassVar[tuple[str, ...]] = ("edits", "shift_cost", "output_length")
    exempt: ClassVar[dict[str, Exemption]] = {
        "no text is too hard": Exemption("a long line of few words has too many shifts to try; it is refused")
    }

    tokenize: str = "none"
    lowercase: bool = False
    compat: str = "none"
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("character", "compat", self.compat, ("none", "program"))
        self._reading.check("character")

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def _read(self, outputs: Lines) -> Lines:
        return self._reading.outputs(outputs)

    def _count(self, lines: Lines, stream: Lines, prepared: Prepared) -> Any:
        counts = empty_rows(len(lines), 3)
        names = self._reading.kernel_name, prepared.tokenizer
        _kernel.count_character_shifts(lines.view, stream.view, *names, self.compat == "program", counts)
        return counts

    def _row(self, counts: Any) -> tuple[Number, ...]:
        """(edits + shifts) / characters of the output, at most 1; an empty output for a text is all wrong."""
        edits, shifts, c = counts
        cost = ratio(edits + shifts, c, otherwise=where(edits > 0, 1.0, 0.0))
        return where(cost > 1, 1.0, cost), edits, shifts, c

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words kept, shifted and substituted, in the reference that is counted."""
        names, drifting = (self._reading.kernel_name, prepared.tokenizer), self.compat == "program"
        return self._linked(
            outputs, prepared, lambda one, other: _kernel.link_character_shifts(one, other, *names, drifting)
        )
