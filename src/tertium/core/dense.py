"""Dense rows: float64 (n, k), in memory that the kernel fills and numpy need not be imported for, or in an array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.errors import TertiumError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def empty_rows(segments: int, columns: int) -> Any:
    """Rows of zeros for the kernel to fill; numpy reads them without copying. # (segments, columns)"""
    return _kernel.zeros(segments, columns)


def pair_rows(columns: int, outputs: int, references: int) -> tuple[Any, Any]:
    """Planes of zeros for the kernel to fill, and the same numbers as rows. # (k, n, m), (n, m, k)"""
    import numpy as np

    planes = np.zeros((columns, outputs, references))
    return planes, np.moveaxis(planes, 0, -1)


def readable_rows(rows: Any) -> Any:
    """The same rows as the kernel reads them: its own memory, or an array of float64."""
    if isinstance(rows, memoryview) and (rows.ndim, rows.format, rows.c_contiguous) == (2, "d", True):
        return rows
    import numpy as np

    if np.ndim(rows) != 2:
        raise TertiumError(f"statistics: rows of shape {np.shape(rows)}; there must be one for each segment, (n, k)")
    return np.ascontiguousarray(rows, dtype=np.float64)


def readable_mask(scored: Any) -> NDArray[np.bool_]:
    """Which segments were scored, as an array."""
    import numpy as np

    return np.asarray(scored, dtype=np.bool_)
