"""Rows that are given, not counted from texts: what people said, scores from elsewhere, average precision per query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tertium.core.stats import Stats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from tertium.core.evaluation import Evaluation


@dataclass(frozen=True, kw_only=True)
class GivenRows:
    """One row per segment of every system that has any, and where they come from."""

    stats: Mapping[str, Stats]  # by system; a system that is not among them has no segment scored
    columns: tuple[str, ...] = ("value", "scored")
    facts: Mapping[str, str] = field(default_factory=dict)  # what the signature says of their origin
    notes: tuple[str, ...] = ()  # what was left out, in sentences
    check: Callable[[Evaluation], None] | None = None  # refuses rows that cannot be about these texts


def mean_rows(values: ArrayLike, columns: tuple[str, str] = ("value", "scored")) -> Stats:
    """Rows (value, 1), whose score is a mean; NaN is not scored. # (n,) -> (n, 2)"""
    import numpy as np

    numbers = np.asarray(values, dtype=np.float64)
    scored = ~np.isnan(numbers)
    return Stats(columns, np.column_stack([np.where(scored, numbers, 0.0), scored]), scored)


def unscored_rows(segments: int, columns: tuple[str, ...]) -> Stats:
    """Rows of zeros, of which none is scored. # (n, k)"""
    import numpy as np

    return Stats(columns, np.zeros((segments, len(columns))), np.zeros(segments, dtype=np.bool_))
