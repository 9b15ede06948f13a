"""Measures of effort: each is a ratio of sums over segments, as every metric's score is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from tertium.core.metric import Metric
from tertium.core.numbers import ratio

COLUMNS = ("edits", "words", "inserted", "deleted", "substituted", "shifted", "character_edits", "characters",
           "word_edits", "edited_words", "untouched", "segments", "timed_words", "hours")  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A measure: the sum of one column by that of another."""

    name: str
    title: str
    meaning: str
    over: str
    by: str
    better: Literal["higher", "lower"]
    factor: float = 100.0
    decimals: int = 1
    needs: ClassVar[frozenset[str]] = frozenset({"edits"})
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"

    def __str__(self) -> str:
        return self.name

    def score(self, sums: Any) -> Any:
        """The ratio; where there is nothing to divide by, 0 if nothing was changed, else 100."""
        import numpy as np

        array = np.asarray(sums, dtype=np.float64)
        over, by = (array[..., COLUMNS.index(name)] for name in (self.over, self.by))
        return self.factor * ratio(over, by, otherwise=np.where(over > 0, 1.0, 0.0))

    @property
    def metric(self) -> Metric:
        """The same for functions of metrics, which declare as data of a class what here differs by value."""
        return cast("Metric", self)


MEASURES: Mapping[str, Measure] = {
    one.name: one
    for one in (
        Measure("hter", "HTER", "words inserted, deleted and substituted and blocks shifted, per 100 words of the "
                "post-edit", "edits", "words", "lower"),
        Measure("characters", "characters", "characters inserted, deleted and substituted, per 100 of the post-edit",
                "character_edits", "characters", "lower"),
        Measure("words", "words", "words inserted, deleted and substituted without shifts, per 100 words of the "
                "post-edit", "word_edits", "edited_words", "lower"),
        Measure("untouched", "untouched", "outputs that are, letter by letter, what was delivered, per 100",
                "untouched", "segments", "higher"),
        Measure("speed", "words/hour", "words of the source (of the post-edit, where there is no source) per hour of "
                "work, where times are known", "timed_words", "hours", "higher", 1.0, 0),
    )
}  # fmt: skip
KINDS: Mapping[str, Measure] = {
    one.name: one
    for one in (
        Measure("inserted", "inserted", "words that the output lacked", "inserted", "words", "lower"),
        Measure("deleted", "deleted", "words that were taken out", "deleted", "words", "lower"),
        Measure("substituted", "substituted", "words put in place of others", "substituted", "words", "lower"),
        Measure("shifted", "shifted", "blocks of words that were moved", "shifted", "words", "lower"),
    )
}
