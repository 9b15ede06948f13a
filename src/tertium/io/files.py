"""Bytes in and out: memory maps, compressed files, standard input, and atomic writing."""

from __future__ import annotations

import codecs
import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any

from tertium.core.errors import InputError
from tertium.core.lines import Lines

MODULES = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
COMPRESSED = tuple(MODULES)


def packing(name: str) -> str:
    """The suffix of a packed file, empty if it is not packed. For pathlib a file called `.gz` has none."""
    return next((suffix for suffix in COMPRESSED if name.endswith(suffix)), "")


def read_bytes(path: str | Path) -> Any:
    """The bytes of a file: memory-mapped if it is plain, unpacked if it is compressed; `-` is standard input."""
    name = str(path)
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder; name a file in it")
        if name.endswith(COMPRESSED):
            return _unpack(name)
        return _map(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: cannot be read ({error})") from None


def read_lines(path: str | Path) -> Lines:
    """A plain text file, one segment per line."""
    return Lines.from_bytes(read_bytes(path), "standard input" if str(path) == "-" else str(path))


def stream_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    r"""Lines with their numbers, read as they are asked for: split as Lines are, on `\n` only."""
    name = "standard input" if str(path) == "-" else str(path)
    with _open(str(path)) as file:
        number = 0
        while True:
            try:
                line = file.readline()
            except Exception as error:  # each kind of compression has errors of its own for the same thing
                raise InputError(f"{name}:{number + 1}: cannot be read ({error})") from None
            if not line:
                return
            number += 1
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            try:
                text = line.decode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{name}:{number}: byte 0x{line[error.start]:02x} is not UTF-8; "
                    f"convert the file first, for example with: iconv -f latin1 -t utf-8"
                ) from None
            yield number, text


def _open(name: str) -> AbstractContextManager[IO[bytes]]:
    """A file to be read from its beginning on, unpacked where it is compressed."""
    if name == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder; name a file in it")
        if name.endswith(COMPRESSED):
            from importlib import import_module

            file: IO[bytes] = import_module(MODULES[packing(name)]).open(name, "rb")
            return file
        return Path(name).open("rb")
    except FileNotFoundError:
        raise InputError(f"{name}: no such file") from None
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error})") from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"{name!r}: cannot be read ({error})") from None


def _map(name: str) -> Any:
    with Path(name).open("rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return file.read()  # empty, or a pipe that has no size
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # not every file system can
            return file.read()


def _unpack(name: str) -> bytes:
    from importlib import import_module

    suffix = packing(name)
    module = import_module(MODULES[suffix])
    try:
        with module.open(name, "rb") as file:
            return bytes(file.read())
    except FileNotFoundError:
        raise
    except Exception as error:  # each module has errors of its own for the same thing
        raise InputError(f"{name}: not a valid {suffix} file ({error})") from None


@contextmanager
def write_atomically(path: str | Path) -> Iterator[IO[bytes]]:
    """Write a file whole or not at all: into a neighbour first, which then takes its place when it is on disk."""
    import tempfile

    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=f".{target.name}.")
    except OSError as error:
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
