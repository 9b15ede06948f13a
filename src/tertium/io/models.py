"""Models by name and content: `NAME@sha8` is the same model on any computer; where its files lie is nobody's business.

A metric's option `model` is a path, a name, or a name with the first eight digits of the content's SHA-256. Names are
looked for in the folders that the user gave (`--models DIR`, `models =` in testset.toml), in their order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.run import Model

PINNED = re.compile(r"(?P<name>[^/\\]+)@(?P<digest>[0-9a-f]{8})")
BLOCK = 1 << 20


def find_model(text: str, folders: Sequence[str] = ()) -> Model:
    """The model that a text means: a path, `NAME`, or `NAME@sha8`, whose content is then compared."""
    pinned = PINNED.fullmatch(text)
    name = pinned["name"] if pinned else text
    others = []
    for path in _places(name, folders, named=pinned is not None):
        found = Model(_name_of(path), str(path), digest_of(path))
        if pinned is None or found.digest.startswith(pinned["digest"]):
            return found
        others.append(f"{path} is {found.text}")
    if others:
        raise InputError(f"model {text} is asked for, but {'; '.join(others)}: the content is another")
    where = f"it is not in {', '.join(folders)}" if folders else "no folder of models was given"
    raise InputError(f"model {text!r}: no such file or folder, and {where}; pass a path, or its folder (--models DIR)")


def digest_of(path: str | Path) -> str:
    """The SHA-256 of a file; of a folder, that of the names and contents of all files in it that are not hidden."""
    root = Path(path)
    if root.is_file():
        return _digest_of_file(root)
    parts = sha256()
    for file in _files(root):
        parts.update(f"{file.relative_to(root).as_posix()}\n{_digest_of_file(file)}\n".encode())
    return parts.hexdigest()


def _places(name: str, folders: Sequence[str], *, named: bool) -> Iterator[Path]:
    """Where a model may lie: the path itself, else in the folders, with any ending."""
    if not named and Path(name).expanduser().exists():
        yield Path(name).expanduser()
        return
    if any(mark in name for mark in (os.sep, "/", "\0")) or name in ("", ".", ".."):
        return
    for folder in folders:
        if (Path(folder) / name).exists():
            yield Path(folder) / name
        elif Path(folder).is_dir():
            yield from sorted(file for file in Path(folder).iterdir() if file.is_file() and file.stem == name)


def _name_of(path: Path) -> str:
    """The folder's name, or the file's without its ending; `@` would be read as what comes before a digest."""
    whole = path.resolve()
    return (whole.name if whole.is_dir() else whole.stem).replace("@", "-") or "model"


def _files(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _digest_of_file(path: Path) -> str:
    digest = sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(f"model {path}: cannot be read ({error.strerror or error})") from None
    return digest.hexdigest()
