"""WIL (word information lost; Morris et al. 2004), equal to jiwer's."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tertium.core.metric import metric
from tertium.metrics._edits import Edits, WordErrors


@metric
class Wil(WordErrors):
    """Word information lost: 100 minus the word information preserved."""

    name: ClassVar[str] = "wil"
    title: ClassVar[str] = "WIL"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)

    def score(self, sums: Any) -> Any:
        """1 - H^2 / (r c): what is not preserved."""
        return 100 * (1 - Edits.of(sums).information_preserved())
