"""CER (character error rate), equal to jiwer's."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._edits import Edits, count_edits, pair_edits
from tertium.text.normalise import FORMS
from tertium.text.words import Reading


@metric
class Cer:
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
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    lowercase: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("cer", "unicode", self.unicode, tuple(FORMS))

    @property
    def _reading(self) -> Reading:
        return Reading("codepoints", self.lowercase, self.unicode)

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References as they are; the kernel reads their characters."""
        return self._reading.raw_references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Hits, substitutions, deletions, insertions."""
        return count_edits(outputs, prepared, self._reading)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        return pair_edits(outputs, prepared, self._reading)

    def score(self, sums: Any) -> Any:
        """E / r: errors per reference character."""
        return 100 * Edits.of(sums).error_rate()

    def parts(self, sums: Any) -> dict[str, Any]:
        """The counts by name."""
        return Edits.of(sums).parts()
