"""Bytes in and out: files, compressed files, standard input, memory maps, and atomic writing."""

from __future__ import annotations

import codecs
import glob
import io
import mmap
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any

from tertium.core.errors import InputError
from tertium.core.lines import Lines

MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
COMPRESSED = tuple(MODULES)
SAMPLE = 1 << 12  # bytes at the beginning of a file that show whether it is text
SIP = 1 << 20  # bytes read at a time where nobody knows how many there are
DEVICE = 16_000_000  # bytes that a device may give: a terminal, or /dev/null
LONGEST = 64_000_000  # bytes of a line in what has no size
ENDLESS = f"no line ends within {LONGEST // 1_000_000} MB; is it text, and has it an end?"
HARMLESS = 256_000_000  # bytes that anything may unpack to,
RATIO = 200  # and how many times its size a larger one
RESULTS: ContextVar[tuple[tuple[int, int, str], ...]] = ContextVar("RESULTS", default=())  # of `kept_for_results`


def packing(name: str) -> str:
    """The suffix of a packed file, empty if it is not packed. For pathlib a file called `.gz` has none."""
    return next((suffix for suffix in COMPRESSED if name.endswith(suffix)), "")


def read_bytes(path: str | Path, *, mmap: bool = False) -> Any:
    """The bytes of a file, unpacked if it is compressed; `-` is standard input.

    They are read into memory, because a mapped file that is cut short ends the process that reads it (SIGBUS). With
    `mmap` a plain file is mapped all the same: it must not be written to as long as its bytes are in use.
    """
    name = str(path)
    if name == "-":
        return _read_standard_input()
    with _opening(name):
        if name.endswith(COMPRESSED):
            return _unpack(name)
        with Path(name).open("rb", buffering=0) as file:
            return (mmap and _map(file)) or _read(file, name)


def read_lines(path: str | Path, *, mmap: bool = False) -> Lines:
    """A plain text file, one segment per line."""
    return split_text(read_bytes(path, mmap=mmap), "standard input" if str(path) == "-" else str(path))


def split_text(data: Any, name: str) -> Lines:
    """The lines of a file's bytes, if they look like text."""
    check_nuls(data, name)
    return Lines.from_bytes(data, name)


def check_nuls(data: Any, name: str) -> None:
    """Refuse what begins like UTF-16 or binary data: to UTF-8 a NUL is a character like any other.

    In UTF-16 line feeds, spaces, digits and Latin letters have a NUL before or behind them, always on the same side.
    """
    data = bytes(data[:SAMPLE])
    count = data.count(0)
    if 32 * count < max(len(data), 32) or data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return  # a stray one is left alone, and a byte order mark is no UTF-8 either
    nuls = f"{count} of the first {len(data)} bytes are NUL"
    for encoding, half in (("utf-16be", data[::2]), ("utf-16le", data[1::2])):
        text = data.decode(encoding, "ignore")
        if half.count(0) == count and not any(character < " " and character not in "\t\n\r" for character in text):
            raise InputError(
                f"{name}: looks like UTF-16 without a byte order mark ({nuls}); "
                f"convert the file first, for example with: iconv -f {encoding} -t utf-8"
            )
    raise InputError(f"{name}: not text ({nuls}); pass UTF-8 text")


def stream_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers, read as they are asked for: split as Lines are, on `\n` only."""
    name = "standard input" if str(path) == "-" else str(path)
    with open_file(str(path)) as file:
        number = 0
        while True:
            try:
                line = file.readline(LONGEST + 1)
            except Exception as error:  # each kind of compression has errors of its own for the same thing
                raise InputError(f"{name}:{number + 1}: cannot be read ({error})") from None
            if not line:
                return
            number += 1
            if len(line) > LONGEST:
                raise InputError(f"{name}:{number}: {ENDLESS}")
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
                check_nuls(line, name)
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{name}:{number}: byte 0x{line[error.start]:02x} is not UTF-8; "
                    f"convert the file first, for example with: iconv -f latin1 -t utf-8"
                ) from None
            yield number, text


def open_file(name: str) -> AbstractContextManager[IO[bytes]]:
    """A file to be read from its beginning on, unpacked where it is compressed."""
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    with _opening(name):
        if name.endswith(COMPRESSED):
            from importlib import import_module

            file: IO[bytes] = import_module(MODULES[packing(name)]).open(name, "rb")
            return file
        return Path(name).open("rb")


@contextmanager
def kept_for_results(path: str | Path) -> Iterator[None]:
    """Refuse to read this file meanwhile, where it is there already: a result is going to take its place."""
    try:
        about = Path(path).stat()
    except (OSError, ValueError):  # nothing that could be lost
        yield
        return
    if not stat.S_ISREG(about.st_mode):
        yield
        return
    token = RESULTS.set((*RESULTS.get(), (about.st_dev, about.st_ino, str(path))))
    try:
        yield
    finally:
        RESULTS.reset(token)


def check_no_result(path: str | Path) -> None:
    """Refuse a file that is kept for results. All that reads a file somewhere else than here asks this first."""
    kept = RESULTS.get()
    if not kept:
        return
    try:
        about = Path(path).stat()
    except (OSError, ValueError):  # whoever reads it says so
        return
    for device, number, result in kept:
        if (about.st_dev, about.st_ino) == (device, number):
            raise InputError(f"{result} is read, and what is written there would take its place; write to another file")


@contextmanager
def _opening(name: str) -> Iterator[None]:
    """What keeps a file from being opened or read, as sentences."""
    try:
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder; name a file in it")
        check_no_result(name)
        yield
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: cannot be read ({error})") from None


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input is closed; name a file, or pipe one into it")
    try:
        return _read(sys.stdin.buffer, "standard input")
    except OSError as error:
        raise InputError(f"standard input: cannot be read ({error.strerror or error})") from None


def _read(file: IO[bytes], name: str) -> bytes:
    """All bytes of a file; what has no size of its own is read as long as it looks like text that ends."""
    try:
        about = os.fstat(file.fileno())
    except OSError:  # no file of the operating system
        about = None
    regular = about is not None and stat.S_ISREG(about.st_mode)
    device = about is not None and (stat.S_ISCHR(about.st_mode) or stat.S_ISBLK(about.st_mode))
    try:
        if not regular:
            return _collect(file, lambda size, lines: _check_end(name, device, size, lines))
        data = file.read()
    except MemoryError:
        size = f"{megabytes(about.st_size)}, " if about is not None and regular else ""
        raise InputError(
            f"{name}: {size}for which there is no memory; plain text in a file can be read where it lies (--mmap)"
        ) from None
    if about is not None and len(data) < about.st_size and file.tell() < about.st_size:
        raise InputError(f"{name}: became shorter while it was read; try again when it has been written")
    return data


def _check_end(name: str, device: bool, size: int, lines: bool) -> None:
    if device and size > DEVICE:
        raise InputError(f"{name}: a device that gives more than {megabytes(DEVICE)}; name a file")
    if not lines and size > LONGEST:
        raise InputError(f"{name}: {ENDLESS}")


def _collect(file: IO[bytes], check: Callable[[int, bool], None]) -> bytes:
    """All bytes of a file; `check` is told how many there are so far, and whether a line has ended in them."""
    read, lines = io.BytesIO(), False
    while chunk := file.read(SIP):
        lines = lines or b"\n" in chunk
        read.write(chunk)
        check(read.tell(), lines)
    return read.getvalue()


def _map(file: IO[bytes]) -> Any:
    """The bytes of a file where they lie, None where that cannot be."""
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # empty, a pipe, or on a file system that cannot
        return None


def _unpack(name: str) -> bytes:
    from importlib import import_module

    suffix = packing(name)
    module = import_module(MODULES[suffix])
    most = max(HARMLESS, RATIO * Path(name).stat().st_size)

    def check(size: int, _lines: bool) -> None:
        if size > most:
            raise InputError(
                f"{name}: unpacks to more than {megabytes(most)}, {RATIO} times its size, which no text does; "
                f"if it is meant, unpack it yourself and pass what comes out"
            )

    try:
        with module.open(name, "rb") as file:
            return _collect(file, check)
    except (FileNotFoundError, InputError):
        raise
    except MemoryError:
        raise InputError(f"{name}: there is no memory for what it unpacks to") from None
    except Exception as error:  # each module has errors of its own for the same thing
        raise InputError(f"{name}: not a valid {suffix} file ({error})") from None


def megabytes(size: int) -> str:
    """`64.0 MB`."""
    return f"{size / 1e6:.1f} MB"


@contextmanager
def write_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file whole or not at all: into a neighbour first, which then takes its place when it is on disk."""
    import tempfile

    target = Path(path)
    if _is_special(target):
        with _opened_special(target) as file:
            yield file
        return
    try:
        handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.")
    except OSError as error:
        check_folder(target)
        raise InputError(f"{target}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101
        os.replace(name, target)  # noqa: PTH105
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):  # a folder of that name, a full disk
            raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None
        raise


def check_folder(path: str | Path) -> None:
    """Refuse to write where there is no folder."""
    folder = Path(path).parent
    if not folder.is_dir():
        what = f"{folder} is not a folder" if folder.exists() else f"there is no folder {folder}; make it first"
        raise InputError(f"{path}: cannot be written: {what}")


def _is_special(target: Path) -> bool:
    """Whether it is a device or a pipe: written to, never replaced. Without its /dev/null a machine goes wrong."""
    try:
        mode = target.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextmanager
def _opened_special(target: Path) -> Iterator[IO[bytes]]:
    try:
        with target.open("wb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{target}: cannot be written ({error.strerror or error})") from None


def remove_begun(path: str | Path) -> None:
    """Remove what `write_atomically` had begun for this file when its process was killed. Nobody else may be writing
    the file."""
    target = Path(path)
    for begun in target.parent.glob(f".{glob.escape(target.name)}.????????"):
        begun.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
