"""Stats: one row of additive statistics per segment, dense or sparse, or their sum. score = metric.score(W @ S)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

from tertium import _kernel
from tertium.core.dense import readable_mask, readable_rows
from tertium.core.errors import TertiumError
from tertium.core.header import Header, check_alike, join_headers
from tertium.core.lines import Lines
from tertium.core.sparse import SparseRows
from tertium.core.sums import Sums
from tertium.core.type_stats import Columns, TypeColumns, align_names, align_types, blocks_of_types
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

Form = Literal["dense", "sparse", "sums"]


class Stats:
    """Rows are finite. A segment that could not be scored is a zero row and false in `scored`.

    The header says what the rows are of; those made by hand have none. `cut` are the numbers, from 0, of segments that
    were too long for a model, which read only their beginnings when these rows were counted.
    """

    def __init__(
        self,
        columns: Columns,
        rows: Any,
        scored: Any = None,
        header: Header | None = None,
        cut: tuple[int, ...] = (),
    ) -> None:
        self._columns = columns
        self._rows: Any = rows if isinstance(rows, SparseRows | Sums) else readable_rows(rows)
        self._scored = None if scored is None else readable_mask(scored)  # None: all
        self.header, self.cut = header, cut
        width = self._rows.width if isinstance(self._rows, SparseRows | Sums) else self._rows.shape[1]
        if width != len(columns) or (scored is not None and len(self) != len(scored)):
            raise TertiumError(
                f"statistics: {counted(len(self), 'row')} of {counted(width, 'column')}, but "
                + counted(len(columns), "column name")
                + ("" if scored is None else f" and {counted(len(scored), 'segment')}")
            )
        if cut and (min(cut) < 0 or max(cut) >= len(self)):
            raise TertiumError(f"statistics: {counted(len(self), 'row')}, but rows {min(cut)} to {max(cut)} are cut")
        if header is not None:
            header.check_rows(len(self))

    def __len__(self) -> int:
        return len(self._rows)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = self.rows if self.form == "dense" else self._rows  # not a view of the kernel's memory
        return Stats, (self._columns, rows, self._scored, self.header, self.cut)

    @property
    def form(self) -> Form:
        """How rows are held: all their numbers, those that are not zero, or only their sums."""
        return "sparse" if isinstance(self._rows, SparseRows) else "sums" if isinstance(self._rows, Sums) else "dense"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the k columns."""
        return self._columns if isinstance(self._columns, tuple) else tuple(self._columns)

    @property
    def types(self) -> Lines | None:
        """The types of which sparse rows hold three numbers each (OF_TYPE); None for other statistics.

        A formula over such rows is the same whatever the order of the types, and types that do not occur add nothing.
        """
        if isinstance(self._columns, tuple) and self.by_name:
            self._columns = TypeColumns.read(self._columns) or self._columns
        return None if isinstance(self._columns, tuple) else self._columns.types

    @property
    def by_name(self) -> bool:
        """Whether parts have columns of their own, which are aligned by name when they are joined."""
        return self._rows.by_name if isinstance(self._rows, Sums) else self.form == "sparse"

    @property
    def rows(self) -> Array | SparseRows:
        """One row per segment. # (n, k)"""
        if isinstance(self._rows, SparseRows):
            return self._rows
        self._refuse_sums()
        import numpy as np

        return np.asarray(self._rows)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which segments could be scored. # (n,)"""
        self._refuse_sums()
        import numpy as np

        return np.ones(len(self), dtype=np.bool_) if self._scored is None else self._scored

    def _refuse_sums(self) -> None:
        if self.form == "sums":
            what = "statistics" if self.header is None else f"statistics of {self.header.metric}"
            raise TertiumError(
                f"{what}: rows were not kept, only the sums of {counted(len(self), 'segment')}; segment scores, "
                f"groups, intervals and tests need rows: count again and keep them"
            )

    @property
    def identity(self) -> tuple[int, int]:
        """Equal for statistics that share their rows, as those of metrics that differ in the formula do."""
        return id(self._rows), id(self._scored)

    @property
    def width(self) -> int:
        """How many numbers a formula reads."""
        return len(self._columns)

    @property
    def stored(self) -> int:
        """How many numbers are held."""
        if isinstance(self._rows, SparseRows):
            return len(self._rows.indices)
        return self.width if self.form == "sums" else len(self) * self.width

    @property
    def is_whole(self) -> bool:
        """Whether the rows are stored as whole numbers, which are always finite."""
        return isinstance(self._rows, SparseRows) and self._rows.values.dtype.kind in "iu"

    @property
    def n(self) -> int:
        """How many segments were scored."""
        if isinstance(self._rows, Sums):
            return self._rows.scored
        return len(self) if self._scored is None else int(self._scored.sum())

    def sums(self) -> list[float]:
        """The corpus as plain numbers: a row of ones."""
        if isinstance(self._rows, Sums):
            return [float(value) for value in self._rows.values]
        return self._rows.total().tolist() if isinstance(self._rows, SparseRows) else _kernel.column_sums(self._rows)

    def total(self) -> Array:
        """The corpus as an array. # (k,)"""
        if isinstance(self._rows, SparseRows):
            return self._rows.total()
        import numpy as np

        if isinstance(self._rows, Sums):  # there may be millions, which lie in a file
            return np.asarray(self._rows.values, dtype=np.float64)
        return np.array(self.sums())

    def summed(self, kept: NDArray[np.bool_] | None = None) -> Stats:
        """The corpus alone, for those who need no rows: as many numbers as columns, which `concat` adds up. Of `kept`
        rows alone, if it is said which; the others then count as not scored. # kept: (n,)"""
        if self.form == "sums" and kept is None:
            return self
        part = self
        if kept is not None:
            import numpy as np

            part = self.take(np.flatnonzero(kept))
        values = part.total() if part.form == "sparse" else part.sums()
        return Stats(self._columns, Sums(values, len(self), part.n, part.form == "sparse"), None, self.header, self.cut)

    def with_header(self, header: Header | None) -> Stats:
        """The same rows, said to be of this."""
        return Stats(self._columns, self._rows, self._scored, header, self.cut)

    def with_cut(self, cut: tuple[int, ...]) -> Stats:
        """The same rows, of which these are of segments that were cut."""
        return Stats(self._columns, self._rows, self._scored, self.header, cut)

    def weigh(self, weights: Any) -> Array:
        """W @ S: sums of rows under weights of shape (n,) or (b, n). # (k,) or (b, k)"""
        import numpy as np

        weights, rows = np.asarray(weights, dtype=np.float64), self.rows
        if isinstance(rows, np.ndarray):
            product: Array = weights @ rows
            return product
        sums = rows.weigh(weights.reshape(-1, len(self)))
        return sums.reshape(*weights.shape[:-1], rows.width)

    def take(self, numbers: NDArray[np.int64]) -> Stats:
        """The segments of these numbers, in this order."""
        rows = self.rows
        taken = rows.take(numbers) if isinstance(rows, SparseRows) else rows[numbers]
        scored = None if self._scored is None else self.scored[numbers]
        known = set(self.cut)
        cut = tuple(k for k, number in enumerate(numbers.tolist()) if number in known) if known else ()
        return Stats(self._columns, taken, scored, self._selection(), cut)

    def _selection(self) -> Header | None:
        return None if self.header is None else self.header.selection()

    def segments(self) -> Array:
        """Every segment on its own: the identity. # (n, k)"""
        rows = self.rows
        return rows.dense() if isinstance(rows, SparseRows) else rows

    def join(self, group: NDArray[np.int64], count: int) -> Stats:
        """Rows added up by group number: a 0/1 group matrix, without the memory of one."""
        import numpy as np

        scored, rows = np.bincount(group, self.scored, count) > 0, self.rows
        cut = tuple(sorted({int(group[k]) for k in self.cut}))  # groups of which a segment is cut
        if isinstance(rows, SparseRows):
            return Stats(self._columns, rows.join(group, count), scored, self._selection(), cut)
        sums = np.zeros((count, len(self._columns)))
        np.add.at(sums, group, rows)
        return Stats(self._columns, sums, scored, self._selection(), cut)

    def groups(self, group: NDArray[np.int64], count: int) -> Array:
        """Sums by group number. # (count, k)"""
        return self.join(group, count).segments()

    def blocks(self) -> Iterator[tuple[NDArray[np.int64], Array]]:
        """Every row once, in blocks that a formula can read: the numbers of the rows, and the rows. # (b,), (b, k)

        Rows of types hold only the types they have, so that a corpus with a large vocabulary needs little memory.
        """
        import numpy as np

        rows = self.rows
        if isinstance(rows, np.ndarray):
            yield np.arange(len(rows)), rows
        else:
            yield from rows.blocks() if self.types is None else blocks_of_types(rows)

    @staticmethod
    def concat(parts: Sequence[Stats]) -> Stats:
        """Rows of shards, one after the other, or their sums added; sparse rows align their columns by name.

        Refuses parts that are known to be of different metrics or test sets, or not to follow one another in one.
        """
        if len(parts) == 1:
            return parts[0]
        forms = sorted({part.form for part in parts})
        header = join_headers([part.header for part in parts], in_order=forms != ["sums"])
        if len(forms) > 1:
            way_out = "; join the sums of all of them (summed())" if "sums" in forms else ""
            raise TertiumError(f"{' and '.join(forms)} statistics cannot be joined{way_out}")
        columns, rows = _with_same_columns(parts)
        if forms == ["sums"]:
            return Stats(columns, Sums.add(rows), None, header, _cut_in(parts))
        import numpy as np

        joined = SparseRows.concat(rows) if forms == ["sparse"] else np.concatenate(rows)
        return Stats(columns, joined, np.concatenate([part.scored for part in parts]), header, _cut_in(parts))

    @staticmethod
    def aligned(parts: Sequence[Stats]) -> list[Stats]:
        """The same statistics with the same columns in the same order, so that sums of them can be subtracted.

        Refuses parts that are known to be of different metrics or test sets.
        """
        check_alike(part.header for part in parts)
        if not all(part.by_name for part in parts):
            return list(parts)
        columns, moved = _with_same_columns(parts)
        return [
            Stats(columns, rows, part._scored, part.header, part.cut) for part, rows in zip(parts, moved, strict=True)
        ]


def _cut_in(parts: Sequence[Stats]) -> tuple[int, ...]:
    """Which rows are cut of parts that follow one another; sums, which may come in any order, say where they belong."""
    runs = [part.header.rows for part in parts if part.header is not None and part.header.rows is not None]
    low, high = min((run[0] for run in runs), default=0), max((run[1] for run in runs), default=0)
    if len(runs) == len(parts) and high - low == sum(map(len, parts)):
        firsts = [first - low for first, _ in runs]
    else:
        firsts = list(accumulate(map(len, parts[:-1]), initial=0))
    return tuple(sorted(first + k for first, part in zip(firsts, parts, strict=True) for k in part.cut))


def _with_same_columns(parts: Sequence[Stats]) -> tuple[Columns, list[Any]]:
    """Every column once, in order of first appearance, and the rows or sums of each part in these columns."""
    if not all(part.by_name for part in parts):
        if any(part.columns != parts[0].columns for part in parts):
            raise TertiumError("statistics with different columns cannot be joined; were the options the same?")
        return parts[0]._columns, [part._rows for part in parts]
    lists = [types for part in parts if (types := part.types) is not None]
    columns, places = align_types(lists) if len(lists) == len(parts) else align_names([part.columns for part in parts])
    return columns, [part._rows.move(place, len(columns)) for part, place in zip(parts, places, strict=True)]
