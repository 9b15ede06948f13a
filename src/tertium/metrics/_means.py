"""Metrics whose corpus score is the mean of its segments' scores, each of the reference that serves it best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats

if TYPE_CHECKING:
    from tertium import _kernel
    from tertium.core.marks import Marks


class SegmentMeans(ABC):
    """Rows of a score from 0 to 1, the quantities it is made of, and 1."""

    name: ClassVar[str]
    better: ClassVar[Literal["higher", "lower"]]
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    quantities: ClassVar[tuple[str, ...]]  # of a row, after the score
    percents: ClassVar[frozenset[str]] = frozenset()  # those that parts give in percent

    @abstractmethod
    def _read(self, outputs: Lines) -> Lines:
        """The outputs as the kernel gets them."""

    @abstractmethod
    def _count(self, lines: Lines, stream: Lines, prepared: Prepared) -> Any:
        """What the kernel counts against one stream of references. # (n, k)"""

    @abstractmethod
    def _row(self, counts: Any) -> tuple[Number, ...]:
        """The score from 0 to 1 and its quantities, of columns of counts."""

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """The segment's score, its quantities and 1; of the reference that scores best, the first of equals."""
        import numpy as np

        candidates = self._candidates(self._read(outputs), prepared)
        rows = candidates[0]
        if len(candidates) > 1:
            rows = np.stack(candidates)[self._best(candidates, prepared), np.arange(len(rows))]
        scored = prepared.scorable(outputs)
        if scored is not None:
            rows[~scored] = 0
        return Stats(("score", *self.quantities, "segments"), rows, scored)

    def _candidates(self, lines: Lines, prepared: Prepared) -> list[Any]:
        """Rows for every stream of references."""
        import numpy as np

        found = []
        for stream in prepared.streams:
            try:
                counts = np.asarray(self._count(lines, stream, prepared))
            except ValueError as error:  # the kernel's bound on the time that one segment takes
                raise InputError(f"{self.name}: {error}; score without this segment, or without {self.name}") from None
            found.append(np.column_stack([*self._row(columns(counts)), np.ones(len(counts))]))
        return found

    def _best(self, candidates: list[Any], prepared: Prepared) -> Any:
        """The stream of references in which each segment scores best, the first of equals. # (n,)"""
        import numpy as np

        present = np.stack([stream.present for stream in prepared.streams])
        scores = np.stack(candidates)[..., 0] * (1 if self.better == "higher" else -1)
        return np.argmax(np.where(present, scores, -np.inf), axis=0)

    def _linked(
        self,
        outputs: Lines,
        prepared: Prepared,
        link: Callable[[_kernel.View, _kernel.View], list[_kernel.Linked | None]],
    ) -> Iterator[Marks]:
        """Links of words with those of the reference that is counted."""
        from tertium.metrics._links import word_marks  # a score needs none

        lines, best = self._read(outputs), None
        if len(prepared.streams) > 1:
            best = self._best(self._candidates(lines, prepared), prepared)
        return word_marks(lines, *prepared.chosen(best), link)

    def score(self, sums: Sums) -> Number:
        """The mean of the segments' scores, in percent."""
        summed = columns(sums)
        return 100 * ratio(summed[0], summed[-1])

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Means of the quantities over segments."""
        _, *summed, segments = columns(sums)
        means = {name: ratio(each, segments) for name, each in zip(self.quantities, summed, strict=True)}
        return {name: 100 * mean if name in self.percents else mean for name, mean in means.items()}
