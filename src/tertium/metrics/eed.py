"""EED, the extended edit distance (Stanchev et al. 2019): edits of characters, and jumps between words."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.testset import References, TestSet
from tertium.metrics._means import SegmentMeans
from tertium.text.eed import prepare_lines
from tertium.text.normalise import FORMS, normalise


@metric
class Eed(SegmentMeans):
    """Edits of characters with jumps at spaces, and a price for characters used twice or never.

    Formula:
        EED = 100 min(1, (e + rho v) / (r + rho v)), the mean over segments
        e: the cheapest way through the reference: substitution and deletion
        of a reference character 1 each (`insertion`), leaving out an output
        character `deletion`, a jump at a space of the reference alpha
        v: visits of output characters beyond the first, and characters that
        are never visited; r: characters of the reference

    Options:
        alpha: what a jump costs
        rho: what a visit too many or too few costs
        deletion: what it costs to pass over a character of the output
        insertion: what a character costs that the output lacks
        language: en sets punctuation apart; ja, for languages without spaces, applies NFKC only
        compat: program prepares texts with the slips of the authors' program, which damage abbreviations and take
            decimal numbers apart; none prepares them as was meant

    Blind to:
        Meaning. A perfect output does not score 0, because the place before its first character is never visited: the
        shorter a text, the more that costs.

    Paper:
        Stanchev, Wang and Ney (2019), "EED: extended edit distance measure for machine translation".
    """

    name: ClassVar[str] = "eed"
    title: ClassVar[str] = "EED"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    quantities: ClassVar[tuple[str, ...]] = ("distance", "visits", "reference_length")
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption("the place before the first character is never visited, which costs rho")
    }

    alpha: float = 2
    rho: float = 0.3
    deletion: float = 0.2
    insertion: float = 1
    language: str = "en"
    compat: str = "none"
    unicode: str = "none"

    def __post_init__(self) -> None:
        for option in ("alpha", "rho", "deletion", "insertion"):
            value = getattr(self, option)
            if not 0 <= value <= 1000:
                raise OptionError(f"eed: {option}={value}; must lie between 0 and 1000")
        choose("eed", "language", self.language, ("en", "ja"))
        choose("eed", "compat", self.compat, ("none", "program"))
        choose("eed", "unicode", self.unicode, tuple(FORMS))

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References with punctuation apart."""
        streams = tuple(self._read(stream) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)))

    def _read(self, outputs: Lines) -> Lines:
        return prepare_lines(normalise(outputs, self.unicode), self.language, self.compat == "program")

    def _count(self, lines: Lines, stream: Lines, prepared: Prepared) -> Any:
        counts = empty_rows(len(lines), 3)
        _kernel.count_extended_edits(lines.view, stream.view, self.alpha, self.deletion, self.insertion, counts)
        return counts

    def _row(self, counts: Any) -> tuple[Number, ...]:
        """min(1, (e + rho v) / (r + rho v)): Stanchev et al. (2019), equation 2."""
        e, v, r = counts
        cost = ratio(e + self.rho * v, r + self.rho * v, otherwise=where(e > 0, 1.0, 0.0))
        return where(cost > 1, 1.0, cost), e, v, r
