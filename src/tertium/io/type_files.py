"""Sums of word types that are too many for memory, kept in temporary files until they are all there.

Each type belongs to one of PARTS parts, by its text. So the sums of a type meet in one part, and only one part's types
are ever in memory; what comes of them lies in files, too, of which the system keeps in memory what it has room for. The
files have no names (where the system can do that): whatever ends the process, they are gone with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from shutil import copyfileobj
from tempfile import TemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from weakref import finalize

from tertium import _kernel
from tertium.core.errors import InputError, TertiumError
from tertium.core.lines import Lines, unpack
from tertium.core.stats import Stats
from tertium.core.sums import Sums
from tertium.core.type_stats import OF_TYPE, TypeColumns

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BITS = 6
PARTS = 1 << BITS
COPIED = 1 << 20  # bytes at a time


class _Piece(NamedTuple):
    """Where sums lie in the file, of how many types, and how many bytes of texts."""

    place: int
    types: int
    size: int


class TypeFiles:
    """Sums by type that grow in a file."""

    def __init__(self) -> None:
        self.file = _open()
        finalize(self, _close, self.file)
        self.pieces: list[list[_Piece]] = [[] for _ in range(PARTS)]
        self.segments = self.scored = 0

    def add(self, sums: Stats) -> None:
        """Sums of further rows."""
        import numpy as np

        types = _types(sums)
        part_of, values = part_numbers(types), sums.total().reshape(len(OF_TYPE), -1)
        order = np.argsort(part_of, kind="stable")
        bounds = np.searchsorted(part_of[order], np.arange(PARTS + 1))
        for part in range(PARTS):
            own = order[bounds[part] : bounds[part + 1]]
            if len(own):
                self._append(part, types.take(own), values[:, own])
        self.segments, self.scored = self.segments + len(sums), self.scored + sums.n

    def _append(self, part: int, types: Lines, values: NDArray[np.float64]) -> None:
        text = types.text()
        with _told():
            self.pieces[part].append(_Piece(self.file.tell(), len(types), len(text)))
            for data in (types.lengths().tobytes(), text, values.tobytes()):
                self.file.write(data)

    def _read(self, part: int) -> Iterator[Stats]:
        """What was added to a part, in order."""
        import numpy as np

        for place, count, size in self.pieces[part]:
            self.file.seek(place)
            lengths, text = self.file.read(8 * count), self.file.read(size)
            values = np.frombuffer(self.file.read(8 * len(OF_TYPE) * count), dtype=np.float64)
            yield Stats(TypeColumns(unpack(text, lengths)), Sums(values, 0, 0, True))

    def sums(self) -> Stats:
        """The sums of all rows: part by part, types in the order in which they came. Nothing can be added after it."""
        import numpy as np

        with _told(), ExitStack() as files:
            files.enter_context(self.file)
            text, bounds, *planes = (files.enter_context(_open()) for _ in range(2 + len(OF_TYPE)))
            bounds.write(bytes(8))
            written = 0
            for part in range(PARTS):
                if not self.pieces[part]:
                    continue
                joined = Stats.concat(list(self._read(part)))
                own = _types(joined)
                text.write(own.text())
                bounds.write((written + np.cumsum(own.lengths())).tobytes())
                written += int(own.lengths().sum())
                for file, values in zip(planes, joined.total().reshape(len(OF_TYPE), -1), strict=True):
                    file.write(values.tobytes())
            for file in planes[1:]:
                file.seek(0)
                copyfileobj(file, planes[0], COPIED)
            ends = _mapped(bounds, np.int64)
            columns = TypeColumns(Lines(_mapped(text, np.uint8), ends[:-1], ends[1:]))
            return Stats(columns, Sums(_mapped(planes[0], np.float64), self.segments, self.scored, True))


def _types(sums: Stats) -> Lines:
    if sums.types is None:
        raise TertiumError("sums of other things than word types do not lie in files of types")
    return sums.types


def part_numbers(types: Lines) -> NDArray[np.uint8]:
    """Which part each type belongs to, by all of its text, the same in every process. # (n,)"""
    import numpy as np

    return np.asarray(_kernel.part_types(types.view, BITS))


def _open() -> IO[bytes]:
    with _told():
        return TemporaryFile(prefix="tertium-types-")


def _close(file: IO[bytes]) -> None:
    """Let go of what nobody will read; what waits to be written need not be."""
    with suppress(OSError):
        file.close()


def _mapped(file: IO[bytes], kind: type[np.generic]) -> NDArray[Any]:
    """The numbers in a file, which need not stay open."""
    import numpy as np

    file.flush()
    return np.asarray(np.memmap(file, kind, "r")) if file.tell() else np.zeros(0, kind)


@contextmanager
def _told() -> Iterator[None]:
    """What keeps a file from being written, as a sentence."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(
            f"there is no folder for temporary files ({error.strerror}); name one (TMPDIR=FOLDER)"
        ) from None
    except OSError as error:
        raise InputError(
            f"word types that do not fit into memory cannot be written to {gettempdir()} "
            f"({error.strerror or error}); name a folder with more room (TMPDIR=FOLDER)"
        ) from None
