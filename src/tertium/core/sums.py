"""Sums: what is kept of rows that nobody needs one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Sums:
    """The sum of all rows, of how many segments, and how many of these were scored."""

    __slots__ = ("by_name", "scored", "segments", "values")

    def __init__(
        self, values: Sequence[float] | NDArray[np.float64], segments: int, scored: int, by_name: bool
    ) -> None:
        self.values, self.segments, self.scored = values, segments, scored  # (k,)
        self.by_name = by_name  # of sparse rows: parts have columns of their own, which are aligned by name

    def __len__(self) -> int:
        return self.segments

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.values)

    def move(self, places: NDArray[np.integer], width: int) -> Sums:
        """The same among other columns: column k goes to places[k]."""
        import numpy as np

        values: Any = np.bincount(places, self.values, width)
        return Sums(values, self.segments, self.scored, self.by_name)

    @staticmethod
    def add(parts: Sequence[Sums]) -> Sums:
        """The sums of all parts, which have the same columns. Whole numbers stay exact, others are rounded once."""
        by_name = parts[0].by_name
        values: list[Any] = [part.values for part in parts]
        added: Any
        if by_name:  # as many as there are words, and whole numbers
            import numpy as np

            added = np.sum(values, axis=0)
        else:
            added = [math.fsum(column) for column in zip(*values, strict=True)]
        return Sums(added, sum(map(len, parts)), sum(part.scored for part in parts), by_name)
