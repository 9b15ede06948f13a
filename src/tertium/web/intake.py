"""What comes in, put on the disk: within limits of room, time and memory, and under names that are safe."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, NamedTuple

from tertium.core.errors import InputError, TertiumError
from tertium.core.run import Model
from tertium.io.columns import extension
from tertium.io.files import MODULES, packing

ROLES = ("source", "reference", "output", "documents", "judgements", "ignore")
REFUSED = (".parquet", ".arrow", ".feather")  # a small one can unpack to any size
ARCHIVES = (".tar", ".tgz", ".tbz2", ".txz", ".7z", ".rar")  # which would be taken for texts
CHUNK = 1 << 20
SIP = 1 << 16  # bytes that are unpacked at a time
SLACK = 5 << 18  # bytes that unpacking may read ahead of what it gives: bzip2 reads up to 900 kB
LISTED = 2 << 10  # bytes that a zip may say about each of the files it may have
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # zipfile unpacks the others without looking at the size


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How much may come in, and which models and metrics that name files of this computer."""

    upload: int = 1 << 30  # bytes of one request
    unpacked: int = 2 << 30  # bytes of all files of one upload, unpacked
    files: int = 1000
    lines: int = 50_000_000  # of all files; each takes memory, however short it is
    ratio: int = 200  # of unpacked bytes to those of the request, from 32 MB on
    harmless: int = 32 << 20
    seconds: int = 300  # of computing, to read one upload
    memory: int = field(default_factory=lambda: half_of_memory())  # bytes, to read one upload; two are read at a time
    models: Mapping[str, Model] = field(default_factory=dict)  # that the operator named, by name, and by name@sha8
    allowed: tuple[str, ...] = ()  # texts of metrics whose options name files or code: those that the operator named


class FormPart(NamedTuple):
    """A file of a request: the form's field, the name that the sender gave it, its bytes."""

    field: str
    name: str
    file: IO[bytes]


def store(parts: Iterable[FormPart], folder: Path, limits: Limits) -> list[tuple[str, Path]]:
    """Write files into the folder, each under its role and a name that is safe."""
    budget = Budget(limits)
    found: list[tuple[str, Path]] = []
    for part in parts:
        if not part.name:
            continue
        role = part.field if part.field in ROLES else "file"
        path = folder.joinpath(*([] if role == "file" else [role]), *safe_name(part.name))
        check_kind(path, part.name)
        budget.count_file()
        make_room(path, part.name)
        with path.open("wb") as file:
            budget.take(part.file, file, part.name)
        found.append((role, path))
    if not found:
        raise InputError("no file came along; drop source, references and outputs, or a test set as one file")
    return found


class Budget:
    """What is left of the limits; `sent` are the bytes that came over the network."""

    def __init__(self, limits: Limits, sent: int = 0) -> None:
        self.limits, self.files, self.sent, self.bytes, self.unpacked, self.lines = limits, 0, sent, 0, 0, 0

    def count_file(self) -> None:
        """One more file."""
        self.files += 1
        if self.files > self.limits.files:
            raise InputError(f"more than {self.limits.files} files; put the texts into fewer, or into a table")

    def take(self, source: IO[bytes], target: IO[bytes], name: str) -> None:
        """Copy what was sent, as far as it is allowed."""
        while chunk := source.read(CHUNK):
            self.sent += len(chunk)
            self._count(chunk, name)
            target.write(chunk)

    def unpack(self, source: IO[bytes], target: IO[bytes] | None, name: str) -> None:
        """Copy (or only count) what is unpacked. The whole upload counts: many small bombs are a large one."""
        while chunk := source.read(SIP):
            self._count(chunk, name)
            self._grow(len(chunk), name)
            if target is not None:
                target.write(chunk)

    def claim(self, size: int, name: str) -> None:
        """Count what will be unpacked later, and to no more than this."""
        self.bytes += size
        self._count(b"", name)
        self._grow(size, name)

    def _grow(self, size: int, name: str) -> None:
        self.unpacked += size
        if self.unpacked > max(self.limits.harmless, self.limits.ratio * self.sent):
            raise InputError(
                f"{name}: with it the upload unpacks to more than {self.limits.ratio} times its size; "
                f"texts do not, so it is refused"
            )

    def _count(self, chunk: bytes, name: str) -> None:
        self.bytes += len(chunk)
        if self.bytes > self.limits.unpacked:
            raise InputError(f"{name}: more than {megabytes(self.limits.unpacked)} unpacked; send less at a time")
        self.lines += chunk.count(b"\n")
        if self.lines > self.limits.lines:
            raise InputError(f"{name}: with it the upload has more than {self.limits.lines} lines; send less at a time")


def check_all_packed(paths: Iterable[tuple[str, Path]], folder: Path, limits: Limits) -> None:
    """Refuse packed files among those that were stored if together they would unpack to more than is allowed."""
    stored = [(path, path.relative_to(folder if role == "file" else folder / role).as_posix()) for role, path in paths]
    budget = Budget(limits, sent=sum(path.stat().st_size for path, _ in stored))
    budget.bytes = budget.sent
    for path, name in stored:
        check_packed(path, name, budget)


def check_packed(path: Path, name: str, budget: Budget) -> None:
    """Refuse a .gz, .bz2 or .xz file that would unpack to more than is allowed; readers unpack it whole."""
    suffix = packing(path.name)
    if extension(path) == ".xlsx" and not suffix:
        check_sheets(path, name, budget)
    if not suffix:
        return
    try:
        with path.open("rb") as file, import_module(MODULES[suffix]).open(Packed(file, name, budget), "rb") as source:
            budget.unpack(source, None, name)
    except TertiumError:
        raise
    except Exception as error:  # each module has errors of its own for the same thing
        raise InputError(f"{name}: not a valid {suffix} file ({error})") from None


def check_sheets(path: Path, name: str, budget: Budget) -> None:
    """The same of an Excel file, which is a zip: nothing in it gives more bytes than the zip says."""
    try:
        with open_zip(path, budget.limits) as archive:
            budget.claim(sum(member.file_size for member in archive.infolist()), name)
    except TertiumError:
        raise
    except Exception as error:
        raise InputError(f"{name}: not a valid .xlsx file ({error or type(error).__name__})") from None


class Packed:
    """A packed file as it is read. Headers and empty parts without end take long and give nothing."""

    def __init__(self, file: IO[bytes], name: str, budget: Budget) -> None:
        self.file, self.name, self.budget = file, name, budget
        self.allowed = SLACK - budget.unpacked

    def read(self, size: int = -1) -> bytes:
        """Read on, if enough came of what was read before."""
        if self.file.tell() > self.allowed + self.budget.unpacked:
            raise InputError(f"{self.name}: unpacks to less than its size; pack it again, or send it as it is")
        return self.file.read(size)


def safe_name(name: str) -> tuple[str, ...]:
    """The steps of a relative path that stays where it is; anything else is refused."""
    steps = [step for step in name.replace("\\", "/").split("/") if step not in ("", ".")]
    absolute = name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", name)
    if len(steps) > 12 or any(len(step.encode(errors="replace")) > 200 for step in steps):
        raise InputError(f"{name[:40]!r}...: the name is too long; rename the file")
    # Some systems drop dots and spaces at the end of a name: `.. ` is `..` there.
    if absolute or not steps or any(not step.strip(". ") for step in steps):
        raise InputError(f"{name!r}: not a name inside the upload; leave out .. and leading slashes")
    if ":" in name:  # FILE:COLUMN, and on some systems a stream of a file
        raise InputError(f"{name!r}: a name with a colon may mean a column of a table; rename the file")
    if not all(char.isprintable() for step in steps for char in step):
        raise InputError(f"{name!r}: the name has characters that cannot be shown; rename the file")
    return tuple(steps)


def check_kind(path: Path, name: str) -> None:
    """Refuse files that nothing here reads safely."""
    if extension(path) in REFUSED:
        raise InputError(f"{name}: {extension(path)} files are not taken here; convert it to .tsv or .jsonl")
    if extension(path) in ARCHIVES:
        raise InputError(f"{name}: {extension(path)} files are not taken here; send a zip")


def make_room(path: Path, name: str) -> None:
    """The folder of a new file; no file may take another's place."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise InputError(f"{name}: one file is called as another's folder; rename one") from None
    if path.exists():
        raise InputError(f"{name}: two files of that name; rename one")


class Directory(io.FileIO):
    """A zip as zipfile reads it. It reads the list of files at once, as long as it is, before anybody can look."""

    def __init__(self, path: Path, limits: Limits) -> None:
        super().__init__(path)
        self.path, self.limits = path, limits

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as much as is wanted, if a zip of so many files can want it."""
        wanted = size if size is not None and size >= 0 else self.path.stat().st_size - self.tell()
        if wanted > max(CHUNK, LISTED * self.limits.files):
            raise InputError(
                f"{self.path.name}: the list of its files takes {megabytes(wanted)}, more than {self.limits.files} "
                f"files need; put the texts into fewer, or into a table"
            )
        return super().read(wanted) or b""


@contextmanager
def open_zip(path: Path, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """A zip whose list of files is not too long."""
    with Directory(path, limits) as file, zipfile.ZipFile(file) as archive:
        yield archive


def unpack_zip(path: Path, folder: Path, limits: Limits) -> list[Path]:
    """The files in a zip, written below the folder; nothing that could reach outside, grow without end or hide."""
    budget = Budget(limits, sent=path.stat().st_size)
    found = []
    try:
        with open_zip(path, limits) as archive:
            for member in archive.infolist():
                name = member.filename
                if member.is_dir() or name.startswith("__MACOSX/") or Path(name).name in (".DS_Store", "Thumbs.db"):
                    continue
                target = folder.joinpath(*safe_name(name))
                if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
                    raise InputError(f"{name}: not a plain file; a zip may hold no links")
                if member.flag_bits & 1:
                    raise InputError(f"{path.name}: {name} is encrypted; send it without a password")
                if member.compress_type not in METHODS:
                    raise InputError(f"{path.name}: {name} is packed by another method than deflate; zip it again")
                check_kind(target, name)
                budget.count_file()
                make_room(target, name)
                with archive.open(member) as source, target.open("wb") as file:
                    budget.unpack(source, file, name)
                check_packed(target, name, budget)
                found.append(target)
    except TertiumError:
        raise
    except Exception as error:  # a hostile file can fail in zipfile and zlib in many ways
        raise InputError(f"{path.name}: not a valid zip file ({error or type(error).__name__})") from None
    return found


def half_of_memory() -> int:
    """Half of this computer's memory; 4 GB where it does not say."""
    try:
        return max(1 << 30, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def megabytes(size: int) -> str:
    """`512 MB`; `3 KB` where it is less than one."""
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} KB"
