"""Statistics of word types: sparse rows with three numbers for each type of a segment. MacroF and MicroF count them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tertium import _kernel
from tertium.core.lines import Lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.sparse import Array, SparseRows

# What is counted of every type: `output:the`, `reference:the`, `both:the`. The columns are three planes, those of all
# types for outputs, then for references, then for both: formulas read numbers that stand together twice as fast.
OF_TYPE = ("output", "reference", "both")
AT_A_TIME = 1 << 19  # stored values whose types are put in order together: more of them do not fit into caches


class TypeColumns(Sequence[str]):
    """The names of three columns for each type, made when somebody asks for them: there may be millions."""

    def __init__(self, types: Lines) -> None:
        self.types = types

    def __len__(self) -> int:
        return len(OF_TYPE) * len(self.types)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self)[index]
        k = range(len(self))[index]
        what, number = divmod(k, len(self.types))
        return f"{OF_TYPE[what]}:{self.types[number]}"

    def __iter__(self) -> Iterator[str]:
        return (f"{what}:{text}" for what in OF_TYPE for text in self.types)

    @classmethod
    def read(cls, names: Sequence[str]) -> TypeColumns | None:
        """The types behind names of columns, if that is what they name."""
        types = [name.removeprefix(f"{OF_TYPE[0]}:") for name in names[: len(names) // len(OF_TYPE)]]
        expected = (f"{what}:{text}" for what in OF_TYPE for text in types)
        if len(names) != len(OF_TYPE) * len(types) or any(a != b for a, b in zip(names, expected, strict=True)):
            return None
        return cls(Lines.of(types))


Columns = tuple[str, ...] | TypeColumns


def align_types(lists: Sequence[Lines]) -> tuple[Columns, list[NDArray[np.integer]]]:
    """Every type once, in order of first appearance, and for each list the places of its columns among theirs."""
    import numpy as np

    texts, numbers = _kernel.join_types([types.view for types in lists])
    split = np.split(np.asarray(numbers), np.cumsum([len(types) for types in lists])[:-1])
    columns = TypeColumns(Lines(*texts))
    narrow = np.int32 if len(columns) < 1 << 31 else np.int64
    planes = len(columns.types) * np.arange(len(OF_TYPE))[:, None]
    return columns, [(planes + k).ravel().astype(narrow) for k in split]


def align_names(lists: Sequence[tuple[str, ...]]) -> tuple[Columns, list[NDArray[np.integer]]]:
    """The same for columns that are not those of types."""
    import numpy as np

    place = {name: k for k, name in enumerate(dict.fromkeys(name for names in lists for name in names))}
    return tuple(place), [np.array([place[name] for name in names], dtype=np.int64) for names in lists]


def types_of_rows(rows: SparseRows) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Every type of every row once: the row's number, the type's, and the sums of OF_TYPE. # (m,), (m,), (m, 3)"""
    import numpy as np

    fields, types = len(OF_TYPE), max(1, rows.width // len(OF_TYPE))
    what, number = np.divmod(rows.indices, types)
    key = (rows.row_numbers() * types + number) * fields + what
    order = _order(key, len(rows) * types * fields)
    key, values = key[order], rows.values[order]
    of_type = key // fields
    fresh = np.concatenate([[True], of_type[1:] != of_type[:-1]])[: len(key)]
    numbers = np.cumsum(fresh) - 1  # each type of each row
    count = int(numbers[-1]) + 1 if len(numbers) else 0
    counted = np.bincount(numbers * fields + key % fields, values, count * fields)
    row_of, type_of = np.divmod(of_type[fresh], types)
    return row_of, type_of, np.asarray(counted, dtype=np.float64).reshape(count, fields)


def _order(key: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The places of the keys, which are below the limit, from the smallest on; of equal ones in their order."""
    import numpy as np

    bits = len(key).bit_length()
    if limit.bit_length() + bits > 63:
        return np.argsort(key, kind="stable")
    placed = key << bits | np.arange(len(key))  # all different, which sorts in a third of the time
    placed.sort()
    return placed & ((1 << bits) - 1)


def rows_at_a_time(rows: SparseRows) -> Iterator[tuple[int, SparseRows]]:
    """All rows, so many at a time as it is quick to sort: the number of the first, and the rows."""
    for first, last in rows.bounds(AT_A_TIME):
        yield first, rows.slice(first, last)


def blocks_of_types(rows: SparseRows) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Every row once, with only the types it has: the numbers of the rows, and the rows. # (b,), (b, 3 x types)

    So a corpus with a large vocabulary needs little memory.
    """
    for first, part in rows_at_a_time(rows):
        for numbers, block in _equally_many(part):
            yield numbers + first, block


def _equally_many(rows: SparseRows) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Rows with equally many types side by side: nothing is padded, so a row scores the same among any others."""
    import numpy as np

    row_of, _, sums = types_of_rows(rows)
    sizes = np.bincount(row_of, minlength=len(rows))
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        block = sums[starts[same][:, None] + np.arange(size)]  # (b, size, 3)
        yield same, np.moveaxis(block, -1, 1).reshape(len(same), len(OF_TYPE) * size)
