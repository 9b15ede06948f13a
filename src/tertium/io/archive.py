"""Zip files of named byte members and NumPy arrays: the same content gives the same bytes, and no pickles."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tertium.core.errors import InputError, TertiumError
from tertium.core.sparse import SparseRows
from tertium.core.stats import Form, Stats
from tertium.core.sums import Sums
from tertium.core.type_stats import OF_TYPE, Columns, TypeColumns
from tertium.io.files import RATIO, check_no_result, write_atomically

LIMIT = 8 << 30  # bytes that a file may unpack to
HARMLESS = 64_000_000  # bytes that a small one may unpack to; a larger one RATIO times its size

Reader = Mapping[str, bytes]


class DamagedError(ValueError):
    """An archive whose members do not fit together; the reader adds the file's name."""


def write_archive(path: str | Path, members: Mapping[str, bytes]) -> None:
    """Write a zip file whose bytes depend on nothing but its members."""
    with write_atomically(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system = 3
            member.external_attr = 0o644 << 16
            archive.writestr(member, data)


@contextmanager
def open_archive(path: str | Path, what: str, limit: int = LIMIT) -> Iterator[Archive]:
    """The members of a zip file; anything that turns out wrong with it is an InputError that says so."""
    check_no_result(path)
    try:
        with zipfile.ZipFile(path) as archive:
            yield Archive(archive, min(limit, max(HARMLESS, RATIO * Path(path).stat().st_size)))
    except TertiumError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{path}: too large for this computer's memory") from None
    except Exception as error:  # a hostile file can fail in zipfile, zlib, json or numpy, each in many ways
        raise InputError(f"{path}: not {what}, or damaged ({error or type(error).__name__})") from None


class Archive:
    """Members by name, each read at most to its declared size."""

    def __init__(self, archive: zipfile.ZipFile, limit: int) -> None:
        self.archive, self.limit = archive, limit
        self.digests: dict[str, str] | None = None  # which members must have, where that is known
        self.members = {member.filename: member for member in archive.infolist()}
        if len(self.members) != len(archive.infolist()):
            raise DamagedError("two members of one name")
        if any(member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for member in archive.infolist()):
            raise DamagedError("packed by another method than deflate")
        size = sum(member.file_size for member in archive.infolist())
        if size > limit:
            raise DamagedError(f"it would unpack to {size} bytes, the limit is {limit}")

    def expect(self, names: set[str]) -> None:
        """Refuse a file that lacks a member or has others."""
        if names != set(self.members):
            strange = sorted(names ^ set(self.members))
            raise DamagedError(f"{'no member' if strange[0] in names else 'unknown member'} {strange[0]!r}")

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        if name not in self.members:
            raise DamagedError(f"no member {name!r}")
        data = self.archive.read(name)
        if self.digests is not None and sha256(data).hexdigest() != self.digests.get(name):
            raise DamagedError(f"{name} does not match its digest")
        return data

    def seal(self, name: str) -> None:
        """From now on members must have the digests that the member of this name lists."""
        lines = self.read(name).decode().splitlines()
        self.digests = {member: digest for digest, _, member in (line.partition("  ") for line in lines)}

    def read_array(self, name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """The array in a member, which must be of this type and shape (-1: any length)."""
        data = io.BytesIO(self.read(name))
        if np.lib.format.read_magic(data) != (1, 0):
            raise DamagedError(f"{name}: not version 1.0 of the npy format")
        got, fortran, kind = np.lib.format.read_array_header_1_0(data)
        fits = len(got) == len(shape) and all(b in (-1, a) for a, b in zip(got, shape, strict=True))
        if fortran:
            raise DamagedError(f"{name}: columns first, expected rows first")
        if not fits or kind != np.dtype(dtype) or min(got, default=0) < 0:
            raise DamagedError(f"{name}: {kind} of shape {got}, expected {np.dtype(dtype)} of shape {shape}")
        rest = data.getbuffer()[data.tell() :]
        if len(rest) != kind.itemsize * int(np.prod(got, dtype=object)):
            raise DamagedError(f"{name}: {len(rest)} bytes do not make an array of shape {got}")
        return np.frombuffer(rest, dtype=dtype).reshape(got)


def digest_lines(members: Mapping[str, bytes]) -> bytes:
    """The digests of members as `sha256sum` writes and checks them."""
    return "".join(f"{sha256(data).hexdigest()}  {name}\n" for name, data in members.items()).encode()


def array_bytes(array: NDArray[Any], dtype: str) -> bytes:
    """An array in NumPy's npy format."""
    data = io.BytesIO()
    np.lib.format.write_array(data, np.asarray(array, dtype=dtype, order="C"), version=(1, 0), allow_pickle=False)
    return data.getvalue()


def stats_members(stats: Stats, prefix: str = "") -> dict[str, bytes]:
    """The arrays of statistics as members."""
    cut = {f"{prefix}{CUT}": array_bytes(np.array(stats.cut), "<i8")} if stats.cut else {}
    return _row_members(stats, prefix) | cut


def _row_members(stats: Stats, prefix: str) -> dict[str, bytes]:
    if stats.form == "sums":
        counts = np.array([len(stats), stats.n, stats.by_name])
        return {f"{prefix}sums.npy": array_bytes(stats.total(), "<f8"),
                f"{prefix}counts.npy": array_bytes(counts, "<i8")}  # fmt: skip
    members = {f"{prefix}scored.npy": array_bytes(stats.scored, "|b1")}
    if isinstance(stats.rows, SparseRows):
        members[f"{prefix}starts.npy"] = array_bytes(stats.rows.starts, "<i8")
        members[f"{prefix}indices.npy"] = array_bytes(stats.rows.indices, "<i8")
        members[f"{prefix}values.npy"] = array_bytes(stats.rows.values, "<f8")
    else:
        members[f"{prefix}rows.npy"] = array_bytes(stats.rows, "<f8")
    return members


CUT = "cut.npy"
MEMBERS: dict[Form, tuple[str, ...]] = {
    "dense": ("scored", "rows"),
    "sparse": ("scored", "starts", "indices", "values"),
    "sums": ("sums", "counts"),
}


def member_names(archive: Archive, form: Form, prefix: str = "") -> set[str]:
    """The members that statistics are kept in; that which names segments that were cut is only where there are any."""
    return {f"{prefix}{part}.npy" for part in MEMBERS[form]} | ({f"{prefix}{CUT}"} & archive.members.keys())


def read_stats(archive: Archive, columns: Columns, form: Form, prefix: str = "", count: int = -1) -> Stats:
    """The statistics of `count` segments (-1: as many as there are)."""
    stats = _read_rows(archive, columns, form, prefix, count)
    if f"{prefix}{CUT}" not in archive.members:
        return stats
    return with_cut(stats, archive.read_array(f"{prefix}{CUT}", "<i8", (-1,)).tolist())


def with_cut(stats: Stats, cut: list[int]) -> Stats:
    """The same rows, of which these are of segments that were cut."""
    if (
        not all(type(k) is int for k in cut)
        or sorted(set(cut)) != cut
        or (cut and not 0 <= cut[0] <= cut[-1] < len(stats))
    ):
        raise DamagedError(f"segments are said to be cut that are not among {len(stats)} in order")
    return stats.with_cut(tuple(cut))


def _read_rows(archive: Archive, columns: Columns, form: Form, prefix: str, count: int) -> Stats:
    if form == "sums":
        return _read_sums(archive, columns, prefix, count)
    scored = archive.read_array(f"{prefix}scored.npy", "|b1", (count,))
    if form == "dense":
        rows = archive.read_array(f"{prefix}rows.npy", "<f8", (len(scored), len(columns)))
        check_finite(rows)
        return Stats(columns, rows, scored)
    starts = archive.read_array(f"{prefix}starts.npy", "<i8", (len(scored) + 1,))
    indices = archive.read_array(f"{prefix}indices.npy", "<i8", (-1,))
    values = archive.read_array(f"{prefix}values.npy", "<f8", (len(indices),))
    return in_planes(columns, sparse_rows(starts, indices, values, len(columns)), scored)


def _read_sums(archive: Archive, columns: Columns, prefix: str, count: int) -> Stats:
    values = archive.read_array(f"{prefix}sums.npy", "<f8", (len(columns),))
    check_finite(values)
    segments, scored, by_name = archive.read_array(f"{prefix}counts.npy", "<i8", (3,)).tolist()
    if not 0 <= scored <= segments or by_name not in (0, 1) or count not in (-1, segments):
        raise DamagedError(f"sums of {segments} segments, {scored} of them scored")
    return Stats(columns, Sums(values, segments, scored, bool(by_name)))


def in_planes(columns: Columns, rows: SparseRows, scored: NDArray[np.bool_]) -> Stats:
    """Statistics as they are, or with the columns of types in planes where a file has the three of each type together,
    as the first version of these formats had."""
    fields = len(OF_TYPE)
    if len(columns) <= fields or len(columns) % fields or not columns[1].startswith(f"{OF_TYPE[1]}:"):
        return Stats(columns, rows, scored)
    order = np.arange(len(columns)).reshape(-1, fields).T.ravel()
    planes = TypeColumns.read([columns[k] for k in order])
    if planes is None:
        return Stats(columns, rows, scored)
    return Stats(planes, SparseRows(rows.starts, np.argsort(order)[rows.indices], rows.values, rows.width), scored)


def sparse_rows(
    starts: NDArray[np.int64], indices: NDArray[np.int64], values: NDArray[np.float64], width: int
) -> SparseRows:
    """Sparse rows that are known to fit together."""
    if starts[0] != 0 or starts[-1] != len(indices) or (np.diff(starts) < 0).any():
        raise DamagedError("the sparse rows do not follow one another")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= width):
        raise DamagedError(f"a sparse row has a column outside 0 to {width - 1}")
    check_finite(values)
    return SparseRows(starts, indices, values, width)


def check_finite(values: NDArray[np.float64]) -> None:
    """0 x NaN is NaN: one such value would spoil every sum."""
    if not np.isfinite(values).all():
        raise DamagedError("a statistic is not a finite number")
