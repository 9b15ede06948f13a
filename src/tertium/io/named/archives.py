"""Files out of archives: only those that are wanted, and nothing outside the folder that they belong in."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from typing import IO

from tertium.core.errors import InputError
from tertium.io.files import HARMLESS, RATIO, megabytes

SUFFIXES = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz", ".zip")
CORRUPT = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, LZMAError, OSError, ValueError, RuntimeError)


def is_archive(path: str | Path) -> bool:
    """Whether files come out of it."""
    return str(path).endswith(SUFFIXES)


def unpack(archive: Path, wanted: set[str], folder: Path) -> set[str]:
    """Write the wanted members below a folder that is thrown away where this fails, and say which there are."""
    found: set[str] = set()
    members = _zipped(archive) if archive.suffix == ".zip" else _tarred(archive)
    try:
        for name, file in members:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name:
                raise InputError(f"{archive}: its member {name!r} leaves the folder; nothing of it is taken")
            if str(path) in wanted and str(path) not in found:
                _write(file, folder / path)
                found.add(str(path))
    except CORRUPT as error:
        said = str(error).partition("\n")[0].rstrip(": ") or type(error).__name__
        raise DamagedArchiveError(f"{archive}: a damaged archive, or none ({said})") from None
    return found


class DamagedArchiveError(InputError):
    """A file out of which nothing comes."""


def _write(file: IO[bytes], target: Path) -> None:
    """A member as a file. What the disk refuses is not the archive's fault, so it has a sentence of its own."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        out = target.open("wb", buffering=0)
    except OSError as error:
        raise not_written(target, error) from None
    with out:
        while block := file.read(1 << 20):
            rest = memoryview(block)
            try:
                while rest:
                    rest = rest[out.write(rest) :]
            except OSError as error:
                raise not_written(target, error) from None


def not_written(path: Path, error: OSError) -> InputError:
    """What is said of a disk that is full, or of a folder that is closed to us."""
    return InputError(f"{path}: cannot be written ({error.strerror or error}); make room and run this again")


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
    most = max(HARMLESS, RATIO * archive.stat().st_size)
    if size > most:
        raise InputError(f"{archive}: {megabytes(size)} when unpacked; at most {megabytes(most)} are taken")
