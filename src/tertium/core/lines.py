"""Lines: immutable UTF-8 text lines that the kernel reads without making Python strings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from tertium import _kernel
from tertium.core.errors import InputError

HASH_CHUNK = 1 << 16  # lines hashed at a time


class Lines(Sequence["str | None"]):
    """One byte buffer, where each line starts and ends, and which lines are missing (None, not empty)."""

    __slots__ = ("buffer", "ends", "missing", "starts", "view", "withheld")

    def __init__(
        self,
        buffer: Any,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        missing: NDArray[np.bool_] | None = None,
    ) -> None:
        self.buffer = np.frombuffer(buffer, dtype=np.uint8)
        self.starts = np.ascontiguousarray(starts, dtype=np.int64)
        self.ends = np.ascontiguousarray(ends, dtype=np.int64)
        self.missing = missing if missing is not None and missing.any() else None
        self.view = _kernel.View(self.buffer, self.starts, self.ends, self.missing)
        self.withheld: bytes | None = None

    @classmethod
    def from_bytes(cls, buffer: Any, name: str = "text") -> Self:
        r"""Split a buffer (bytes, memory map) on `\n` only; `name` is what errors call it."""
        data = np.frombuffer(buffer, dtype=np.uint8)
        wrong = _kernel.first_invalid_utf8(data)
        if wrong >= 0:
            line = int(np.count_nonzero(data[:wrong] == ord("\n"))) + 1
            raise InputError(
                f"{name}:{line}: byte 0x{data[wrong]:02x} at offset {wrong} is not UTF-8; "
                f"convert the file first, for example with: iconv -f latin1 -t utf-8"
            )
        starts, ends = _kernel.split_lines(data)
        return cls(buffer, starts, ends)

    @classmethod
    def of(cls, texts: Any, name: str = "texts") -> Lines:
        """Make Lines from Lines, an Arrow array (without copying its text) or anything that yields str and None."""
        if isinstance(texts, Lines):
            return texts
        if isinstance(texts, str):
            raise InputError(f"{name}: a single string; pass a list of strings, one per segment")
        arrow = _arrow_array(texts)
        if arrow is not None:
            return cls._from_arrow(arrow, name)
        return cls._from_strings(texts, name)

    @classmethod
    def withhold(cls, count: int, digest: bytes) -> Self:
        """Lines whose texts were left out: all missing, and equal to the lines with that digest."""
        nowhere = np.zeros(count, dtype=np.int64)
        lines = cls(b"", nowhere, nowhere, np.ones(count, dtype=np.bool_))
        lines.withheld = digest
        return lines

    @classmethod
    def _from_strings(cls, texts: Iterable[Any], name: str) -> Self:
        values = list(texts)
        try:
            encoded = [value.encode() for value in values]
            missing = None
        except (AttributeError, UnicodeEncodeError):  # the rare cases, one by one
            encoded = [_encode(value, f"{name}[{i}]") for i, value in enumerate(values)]
            missing = np.fromiter((is_missing(value) for value in values), dtype=np.bool_, count=len(values))
        lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        ends = np.cumsum(lengths)
        return cls(b"".join(encoded), ends - lengths, ends, missing)

    @classmethod
    def _from_arrow(cls, array: Any, name: str) -> Self:
        """Read a string array's own buffers: https://arrow.apache.org/docs/format/Columnar.html."""
        validity, offsets, data = array.buffers()
        width = np.int64 if str(array.type).startswith("large_") else np.int32
        first, count = array.offset, len(array)
        if offsets is None:
            bounds = np.zeros(count + 1, dtype=np.int64)
        else:
            bounds = np.frombuffer(offsets, dtype=width)[first : first + count + 1].astype(np.int64)
        missing = None
        if validity is not None:
            bits = np.unpackbits(np.frombuffer(validity, dtype=np.uint8), bitorder="little")
            missing = bits[first : first + count] == 0
        text = b"" if data is None else data
        if _kernel.first_invalid_utf8(np.frombuffer(text, dtype=np.uint8)[: bounds[-1] if count else 0]) >= 0:
            raise InputError(f"{name}: the Arrow array holds bytes that are not UTF-8")
        return cls(text, bounds[:-1], bounds[1:], missing)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: SupportsIndex) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> Lines: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | None | Lines:
        if isinstance(index, slice):
            missing = None if self.missing is None else self.missing[index]
            return Lines(self.buffer, self.starts[index], self.ends[index], missing)
        if self.missing is not None and self.missing[index]:
            return None
        return self.buffer[self.starts[index] : self.ends[index]].tobytes().decode()

    def __iter__(self) -> Iterator[str | None]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lines) and len(self) == len(other) and self.digest() == other.digest()

    def __hash__(self) -> int:
        return hash(self.digest())

    def __repr__(self) -> str:
        return f"Lines({len(self)} lines)"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.withheld is not None:
            return Lines.withhold, (len(self), self.withheld)
        return Lines, (self.text(), *self._packed(), self.missing)

    def text(self) -> bytes:
        """The texts one after the other with nothing between them."""
        return _kernel.gather(self.view, 0, len(self))

    def _packed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The bounds of the lines in `text()`."""
        lengths = np.maximum(self.lengths(), 0)
        ends = np.cumsum(lengths)
        return ends - lengths, ends

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which lines are not missing. # (n,)"""
        return np.ones(len(self), dtype=np.bool_) if self.missing is None else ~self.missing

    def lengths(self) -> NDArray[np.int64]:
        """Bytes per line, -1 for a missing one. # (n,)"""
        lengths = self.ends - self.starts
        if self.missing is not None:
            lengths[self.missing] = -1
        return lengths

    def digest(self) -> bytes:
        """SHA-256 over what the lines say: their lengths in bytes (-1: missing) and their texts."""
        if self.withheld is not None:
            return self.withheld
        digest = hashlib.sha256(self.lengths().astype("<i8").tobytes())
        for first in range(0, len(self), HASH_CHUNK):
            digest.update(_kernel.gather(self.view, first, min(len(self), first + HASH_CHUNK)))
        return digest.digest()


def is_missing(value: object) -> bool:
    """None, and what data frames put in its place (NaN, pandas.NA)."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float) and value != value  # NaN


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


def _arrow_array(texts: Any) -> Any | None:
    """The pyarrow string array in `texts`, if it is one (known by its module, so that pyarrow is not imported)."""
    if not type(texts).__module__.startswith("pyarrow"):
        return None
    array = texts.combine_chunks() if hasattr(texts, "combine_chunks") else texts
    return array if str(array.type) in ("string", "large_string") else None
