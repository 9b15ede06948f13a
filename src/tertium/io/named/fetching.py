"""Bring a test set to this computer, and look after it: only `tertium testsets get` fetches anything."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePath
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from tertium.core.errors import InputError
from tertium.io.files import write_atomically
from tertium.io.named.archives import DamagedArchiveError, is_archive, not_written, unpack
from tertium.io.named.catalogue import NamedSet, Pair, SourceFile, store_folder
from tertium.io.named.download import PATIENCE, DifferentFileError, Fetched, Tell, check, digest, fetch, is_right
from tertium.io.named.fields import read_fields
from tertium.io.named.store import files_of, sacrebleu_folder, text_path

RECEIPT = "receipt.json"


def get(entry: NamedSet, pairs: Sequence[str], tell: Tell, *, patience: float = PATIENCE) -> list[Fetched]:
    """Fetch a test set's files, check them, and write the texts of these language pairs: all of them, or none."""
    home = store_folder() / entry.name
    raw = home / "raw"
    noted = receipt(home).get("files", {})
    fetched = [
        _bring(entry, file, home, tell, noted.get(file.address, {}).get("sha256"), patience) for file in entry.files
    ]
    chosen = {name: entry.pair(name) for name in pairs or entry.pairs}
    with _aside(entry.name, home) as aside:
        place = _unpacked(entry, chosen.values(), raw, aside / "raw")
        made: dict[str, str] = {}
        for name, pair in chosen.items():
            for field, lines in read_fields(entry, pair, place).items():
                made |= _write_text(text_path(aside, entry, name, field), lines)
        for name in made:
            os.replace(aside / name, home / name)  # noqa: PTH105
        _write_receipt(entry, home, fetched, made)
    return fetched


@contextmanager
def _aside(name: str, home: Path) -> Iterator[Path]:
    """A folder in which texts are made, and which is gone afterwards, whatever happens; no error names it."""
    folder = ""
    try:
        with TemporaryDirectory(dir=home, prefix=".making-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    except OSError as error:
        raise not_written(home, error) from None
    except InputError as error:
        inside = f"{Path(folder) / 'raw'}{os.sep}"
        if inside not in str(error):
            raise
        raise InputError(f"test set {name}: {str(error).replace(inside, '')}") from None


def _unpacked(entry: NamedSet, pairs: Iterable[Pair], raw: Path, folder: Path) -> Callable[[str], Path]:
    """Take what these language pairs are made of out of the archives, and say where each file lies then."""
    wanted = {path for pair in pairs for path in files_of(entry, pair)}
    found: set[str] = set()
    for file in entry.files:
        archive = raw / entry.local_name(file)
        if not is_archive(archive):
            continue
        try:
            found |= unpack(archive, wanted - found, folder)
        except DamagedArchiveError as error:
            if file.checksum is not None:
                raise InputError(f"{error}; this is what was published") from None
            archive.unlink(missing_ok=True)
            raise InputError(f"{error}; it is removed, and fetched again when you run this again") from None
    lacking = sorted(path for path in wanted - found if not (raw / path).is_file())
    if lacking:
        raise InputError(f"test set {entry.name}: no {lacking[0]} in what was fetched; is its entry right?")
    return lambda path: (folder if path in found else raw) / path


def _write_text(path: Path, lines: Iterable[str]) -> dict[str, str]:
    """Write a field, and say what its file is."""
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        path.write_bytes(data)
    except OSError as error:
        raise not_written(path.parent.parent / path.name, error) from None
    return {path.name: hashlib.sha256(data).hexdigest()}


def _bring(entry: NamedSet, file: SourceFile, home: Path, tell: Tell, held: str | None, patience: float) -> Fetched:
    """From where it is: here, in sacreBLEU's folder, in a file of the user's, or elsewhere."""
    target = home / "raw" / entry.local_name(file)
    try:
        if "://" not in file.address:
            local = entry.folder / file.address
            if not local.is_file():
                raise InputError(f"{local}: no such file")
            if not target.exists() or check(file, local, held) != digest(target):
                _copy(local, target)
            return check(file, target, held)
        theirs = sacrebleu_folder() / entry.name / "raw" / entry.local_name(file)
        if file.checksum and theirs.is_file() and is_right(file, theirs) and not target.exists():
            _copy(theirs, target)
        return fetch(file, target, tell, held=held, patience=patience)
    except DifferentFileError as error:
        if file.checksum is not None:
            raise
        raise InputError(f"{error}; to take it all the same, remove {home}") from None


def _copy(local: Path, target: Path) -> None:
    part = target.with_name(f"{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        copyfile(local, part)
        os.replace(part, target)  # noqa: PTH105
    except OSError as error:
        part.unlink(missing_ok=True)
        raise not_written(target, error) from None


def _write_receipt(entry: NamedSet, home: Path, fetched: Sequence[Fetched], texts: Mapping[str, str]) -> None:
    old = receipt(home)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = old.get("files", {})
    noted = {
        file.address: {**found._asdict(), "first": before.get(file.address, {}).get("first", now)}
        for file, found in zip(entry.files, fetched, strict=True)
    }
    made = {"name": entry.name, "files": noted, "texts": {**old.get("texts", {}), **texts}}
    with write_atomically(home / RECEIPT) as out:
        out.write(json.dumps(made, indent=1, ensure_ascii=False).encode())


def receipt(home: Path) -> dict[str, Any]:
    """What is noted of a set's files; nothing where nothing is, or nothing that can be read."""
    try:
        found = json.loads((home / RECEIPT).read_bytes())
    except (OSError, ValueError):
        return {}
    tables = [found.get(key) for key in ("files", "texts")] if isinstance(found, dict) else [None]
    if not all(isinstance(table, dict) for table in tables):
        return {}
    return found if all(isinstance(file, dict) for file in found["files"].values()) else {}


def verify(entry: NamedSet) -> Iterator[str]:
    """What is wrong with the files of a set that is here, a sentence each."""
    home = store_folder() / entry.name
    noted = receipt(home)
    again = f"fetch it again: tertium testsets get {entry.name}"
    if not noted:
        yield f"{entry.name}: not fetched (tertium testsets get {entry.name})"
        return
    for file in entry.files:
        path, known = home / "raw" / entry.local_name(file), noted["files"].get(file.address, {})
        if not path.is_file():
            yield f"{path}: gone; {again}"
        elif known.get("sha256") != digest(path).sha256:
            yield f"{path}: changed since it was fetched; {again}"
        elif not is_right(file, path):
            yield f"{path}: not the file that was published; {again}"
    for name, made in noted["texts"].items():
        path = home / PurePath(name).name
        if not path.is_file():
            yield f"{path}: gone; {again}"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != made:
            yield f"{path}: changed since it was written; {again}"
