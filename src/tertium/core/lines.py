"""Lines: immutable UTF-8 text lines that the kernel reads without making Python strings."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HASH_CHUNK = 1 << 12  # lines hashed at a time


class Lines(Sequence["str | None"]):
    """One byte buffer, where each line starts and ends, and which lines are missing (None, not empty)."""

    __slots__ = ("_bounds", "_missing", "buffer", "view", "withheld")

    def __init__(self, buffer: Any, starts: Any, ends: Any, missing: Any = None) -> None:
        # Anything that the kernel can read as bytes, int64, int64 and bool: numpy is not needed to hold lines.
        self.buffer = buffer
        self._bounds = starts, ends
        self._missing = missing if missing is not None and any(memoryview(missing).tolist()) else None
        self.view = _kernel.View(buffer, starts, ends, self._missing)
        self.withheld: bytes | None = None  # the digest of texts that were left out

    @classmethod
    def from_bytes(cls, buffer: Any, name: str = "text") -> Self:
        r"""Split a buffer (bytes, memory map) on `\n` only; `name` is what errors call it."""
        wrong = _kernel.first_invalid_utf8(buffer)
        if wrong >= 0:
            line = bytes(buffer[:wrong]).count(b"\n") + 1
            guess = "utf-16" if bytes(buffer[:2]) in (b"\xff\xfe", b"\xfe\xff") else "latin1"
            raise InputError(
                f"{name}:{line}: byte 0x{buffer[wrong]:02x} at offset {wrong} is not UTF-8; "
                f"convert the file first, for example with: iconv -f {guess} -t utf-8"
            )
        return cls(buffer, *_kernel.split_lines(buffer))

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each line starts in the buffer. # (n,)"""
        bounds: NDArray[np.int64] = _array(self._bounds[0], "int64")
        return bounds

    @property
    def ends(self) -> NDArray[np.int64]:
        """Where each line ends. # (n,)"""
        bounds: NDArray[np.int64] = _array(self._bounds[1], "int64")
        return bounds

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Which lines are missing; None if no line is. # (n,)"""
        return None if self._missing is None else _array(self._missing, "bool")

    @property
    def complete(self) -> bool:
        """No line is missing."""
        return self._missing is None

    @classmethod
    def of(cls, texts: Any, name: str = "texts") -> Lines:
        """Make Lines from Lines, an Arrow array (without copying its text) or anything that yields str and None."""
        if isinstance(texts, Lines):
            return texts
        if isinstance(texts, str):
            raise InputError(f"{name}: a single string; pass a list of strings, one per segment")
        if isinstance(texts, set | frozenset):
            raise InputError(f"{name}: a set has no order; pass a list of strings, one per segment")
        if (names := frame_columns(texts)) is not None:
            raise InputError(f"{name}: a table with the columns {', '.join(names)}; pass one of its columns")
        arrow = _arrow_array(texts)
        if arrow is not None:
            return cls._from_arrow(arrow, name)
        return cls._from_strings(texts, name)

    @classmethod
    def withhold(cls, count: int, digest: bytes) -> Self:
        """Lines whose texts were left out: all missing, and equal to the lines with that digest."""
        nowhere = memoryview(bytes(8 * count)).cast("q")
        lines = cls(b"", nowhere, nowhere, memoryview(b"\1" * count).cast("?"))
        lines.withheld = digest
        return lines

    @classmethod
    def _from_strings(cls, texts: Iterable[Any], name: str) -> Self:
        try:
            values = list(texts)
        except TypeError:
            raise InputError(f"{name}: {type(texts).__name__}; pass a list of strings, one per segment") from None
        packed = _kernel.encode(values)
        if packed is not None:
            return cls(*packed)
        encoded = [_encode(value, f"{name}[{i}]") for i, value in enumerate(values)]  # the rare cases, one by one
        ends = list(accumulate(map(len, encoded)))
        bounds = array("q", [0, *ends])
        missing = memoryview(bytes(is_missing(value) for value in values)).cast("?")
        return cls(b"".join(encoded), memoryview(bounds)[:-1], memoryview(bounds)[1:], missing)

    @classmethod
    def _from_arrow(cls, array: Any, name: str) -> Self:
        """Read a string array's own buffers: https://arrow.apache.org/docs/format/Columnar.html."""
        import numpy as np

        validity, offsets, data = array.buffers()
        width = np.int64 if str(array.type).startswith("large_") else np.int32
        first, count = array.offset, len(array)
        bounds = np.zeros(count + 1, dtype=np.int64)
        if offsets is not None:
            bounds[:] = np.frombuffer(offsets, dtype=width)[first : first + count + 1]
        missing = None
        if validity is not None:
            bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
            missing = bits[first : first + count] == 0
        text = np.frombuffer(b"" if data is None else data, dtype=np.uint8)
        lines = cls(text, bounds[:-1], bounds[1:], missing)
        wrong = _kernel.first_invalid_line(lines.view)  # line by line: a bound can cut a character in two
        if wrong >= 0:
            raise InputError(f"{name}[{wrong}]: the Arrow array holds bytes that are not UTF-8")
        return lines

    def __len__(self) -> int:
        return len(self._bounds[0])

    @overload
    def __getitem__(self, index: SupportsIndex) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> Lines: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | Lines | None:
        if isinstance(index, slice):
            missing = None if self.missing is None else self.missing[index].copy()
            return Lines(self.buffer, self.starts[index].copy(), self.ends[index].copy(), missing)
        k = range(len(self))[index]  # IndexError, and negative numbers, as a sequence does
        if self._missing is not None and self._missing[k]:
            return None
        return bytes(self.buffer[self._bounds[0][k] : self._bounds[1][k]]).decode()

    def __iter__(self) -> Iterator[str | None]:
        if self._missing is not None:
            return (self[i] for i in range(len(self)))
        bounds = zip(*(memoryview(bound).tolist() for bound in self._bounds), strict=True)
        return (bytes(self.buffer[start:end]).decode() for start, end in bounds)

    def take(self, numbers: NDArray[np.int64]) -> Lines:
        """The lines of these numbers, in this order, without copying their texts."""
        missing = None if self.missing is None else self.missing[numbers]
        return Lines(self.buffer, self.starts[numbers], self.ends[numbers], missing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and len(self) == len(other) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())

    def __repr__(self) -> str:
        return f"Lines({counted(len(self), 'line')})"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.withheld is not None:
            return Lines.withhold, (len(self), self.withheld)
        return unpack, (self.text(), self.lengths().tobytes())

    def text(self) -> bytes:
        """The texts one after the other with nothing between them."""
        return _kernel.gather(self.view, 0, len(self))

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which lines are not missing. # (n,)"""
        return self.lengths() >= 0

    def lengths(self) -> NDArray[np.int64]:
        """Bytes per line, -1 for a missing one. # (n,)"""
        lengths: NDArray[np.int64] = _array(_kernel.line_lengths(self.view), "int64")
        return lengths

    def digest(self) -> bytes:
        """SHA-256 of the lines: their lengths in bytes (-1: missing) and their texts."""
        if self.withheld is not None:
            return self.withheld
        digest = hashlib.sha256(_kernel.line_lengths(self.view))
        for first in range(0, len(self), HASH_CHUNK):
            digest.update(_kernel.gather(self.view, first, min(len(self), first + HASH_CHUNK)))
        return digest.digest()


def unpack(text: bytes, lengths: bytes) -> Lines:
    """Lines from their `text()` and `lengths()`."""
    import numpy as np

    sizes = np.frombuffer(lengths, dtype=np.int64)
    ends = np.cumsum(np.maximum(sizes, 0))
    return Lines(text, ends - np.maximum(sizes, 0), ends, sizes < 0)


def _array(values: Any, dtype: str) -> Any:
    """Numbers as numpy sees them, without copying."""
    import numpy as np

    return np.asarray(values, dtype=dtype)


def is_missing(value: object) -> bool:
    """None, and what data frames put in its place (NaN, pandas.NA)."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float) and bool(value != value)  # NaN


def _encode(value: object, where: str) -> bytes:
    if is_missing(value):
        return b""
    if not isinstance(value, str):
        raise InputError(f"{where} is {type(value).__name__} {value!r}; expected a string, or None where it is missing")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        code = f"U+{ord(value[error.start]):04X}"
        raise InputError(
            f"{where}: character {error.start} is the lone surrogate {code}, which is not text; "
            f"read the file as UTF-8, without errors='surrogateescape'"
        ) from None


def frame_columns(table: Any) -> dict[str, Any] | None:
    """The columns of a data frame or Arrow table by name; None for anything else."""
    names = getattr(table, "column_names", None) or getattr(table, "columns", None)
    if names is None or isinstance(table, Lines) or not hasattr(table, "__getitem__"):
        return None
    return {str(name): table[name] for name in names}


def _arrow_array(texts: Any) -> Any | None:
    """The pyarrow string array in `texts`, if it is one (known by its module, so that pyarrow is not imported)."""
    if not type(texts).__module__.startswith("pyarrow"):
        return None
    array = texts.combine_chunks() if hasattr(texts, "combine_chunks") else texts
    if str(array.type).startswith(("dictionary", "null", "string_view")):
        array = array.cast("string")
    return array if str(array.type) in ("string", "large_string") else None
