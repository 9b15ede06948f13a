"""Files out of archives: only those that are wanted, and nothing outside the folder that they belong in."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from shutil import copyfileobj
from typing import IO

from tertium.core.errors import InputError
from tertium.io.files import megabytes, write_atomically

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz", ".zip")
LARGEST = 1 << 34  # bytes that an archive may unpack to
CORRUPT = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, OSError, ValueError, RuntimeError)


def is_archive(path: str | Path) -> bool:
    """Whether files come out of it."""
    return str(path).endswith(SUFFIXES)


def unpack(archive: Path, wanted: set[str], folder: Path) -> set[str]:
    """Write the wanted members below a folder, whole or not at all, and say which these are."""
    found: set[str] = set()
    members = _zipped(archive) if archive.suffix == ".zip" else _tarred(archive)
    try:
        for name, file in members:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name:
                raise InputError(f"{archive}: its member {name!r} leaves the folder; nothing of it is taken")
            if str(path) in wanted and str(path) not in found:
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with write_atomically(target) as out:
                    copyfileobj(file, out, 1 << 20)
                found.add(str(path))
    except CORRUPT as error:
        raise InputError(f"{archive}: a damaged archive ({error}); remove it and fetch it again") from None
    return found


def _tarred(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Regular files; links are no files, so that none leads out of the folder."""
    size = 0
    with tarfile.open(archive) as tar:
        for member in tar:
            size += member.size
            _check_size(archive, size)
            file = tar.extractfile(member) if member.isreg() else None
            if file is not None:
                yield member.name, file


def _zipped(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as packed:
        _check_size(archive, sum(member.file_size for member in packed.infolist()))
        for member in packed.infolist():
            if not member.is_dir():
                with packed.open(member) as file:  # no more than it says is read
                    yield member.filename, file


def _check_size(archive: Path, size: int) -> None:
    if size > LARGEST:
        raise InputError(f"{archive}: {megabytes(size)} when unpacked; at most {megabytes(LARGEST)}")
