"""The unit that tests swap and resample: segments, or whole documents, whose segments are not independent of each
other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from tertium.core.stats import Stats
from tertium.core.testset import TestSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Unit = Literal["segment", "document"]
UNITS: tuple[Unit, ...] = ("segment", "document")


def in_documents(testset: TestSet) -> bool:
    """Whether there are several documents, and not every segment is one."""
    return testset.documents is not None and 1 < len(set(testset.documents)) < len(testset)


def rows_of_units(
    parts: Sequence[Stats], testset: TestSet, unit: Unit, numbers: NDArray[np.int64] | None = None
) -> list[Stats]:
    """One row for each unit: a document's is the sum of its segments'. `numbers` are those of the rows' segments."""
    import numpy as np

    if unit == "segment":
        return list(parts)
    _, group = testset.by_document()
    present, group = np.unique(group if numbers is None else group[numbers], return_inverse=True)
    return [part.join(group, len(present)) for part in parts]
