"""Bring a test set to this computer, and look after it: only `tertium testsets get` fetches anything."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from typing import Any

from tertium.core.errors import InputError
from tertium.io.files import write_atomically
from tertium.io.named.archives import is_archive, unpack
from tertium.io.named.catalogue import NamedSet, SourceFile, store_folder
from tertium.io.named.download import PATIENCE, Fetched, Tell, check, fetch
from tertium.io.named.fields import read_fields
from tertium.io.named.store import files_of, sacrebleu_folder, text_path

RECEIPT = "receipt.json"


def get(entry: NamedSet, pairs: Sequence[str], tell: Tell, *, patience: float = PATIENCE) -> list[Fetched]:
    """Fetch a test set's files, check them, and write the texts of these language pairs."""
    home = store_folder() / entry.name
    raw = home / "raw"
    fetched = [_bring(entry, file, raw / entry.local_name(file), tell, patience) for file in entry.files]
    _hold_to_receipt(entry, home, fetched)
    chosen = {name: entry.pair(name) for name in pairs or entry.pairs}
    wanted = {path for pair in chosen.values() for path in files_of(entry, pair)}
    for file in entry.files:
        archive = raw / entry.local_name(file)
        if is_archive(archive):
            wanted -= unpack(archive, wanted, raw)
    lacking = sorted(path for path in wanted if not (raw / path).exists())
    if lacking:
        raise InputError(f"test set {entry.name}: no {lacking[0]} in what was fetched; is its entry right?")
    texts: dict[str, str] = {}
    for name, pair in chosen.items():
        for field, lines in read_fields(entry, pair, raw).items():
            path = text_path(home, entry, name, field)
            data = "".join(f"{line}\n" for line in lines).encode()
            with write_atomically(path) as out:
                out.write(data)
            texts[path.name] = hashlib.sha256(data).hexdigest()
    _write_receipt(entry, home, fetched, texts)
    return fetched


def _bring(entry: NamedSet, file: SourceFile, target: Path, tell: Tell, patience: float) -> Fetched:
    """From where it is: here, in sacreBLEU's folder, in a file of the user's, or elsewhere."""
    if not target.exists():
        theirs = sacrebleu_folder() / entry.name / "raw" / entry.local_name(file)
        local = entry.folder / file.address if "://" not in file.address else theirs if file.checksum else None
        if local is not None and local.exists() and _is_right(file, local):
            target.parent.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f"{target.name}.part")
            copyfile(local, part)
            os.replace(part, target)  # noqa: PTH105
        elif "://" not in file.address:
            raise InputError(f"{entry.folder / file.address}: no such file, or not what its checksum says")
    return fetch(file, target, tell, patience=patience)


def _is_right(file: SourceFile, path: Path) -> bool:
    try:
        check(file, path)
    except (InputError, OSError):
        return False
    return True


def _hold_to_receipt(entry: NamedSet, home: Path, fetched: Sequence[Fetched]) -> None:
    """A file without a published checksum has to be what it was when it was first fetched."""
    for file, found in zip(entry.files, fetched, strict=True):
        before = receipt(home).get("files", {}).get(file.address, {}).get("sha256")
        if before is not None and before != found.sha256:
            raise InputError(
                f"{file.address}: not what was fetched before (sha256 {found.sha256}, then {before}); to take it "
                f"all the same, remove {home}"
            )


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
    """What is noted of a set's files; nothing where nothing is."""
    try:
        found = json.loads((home / RECEIPT).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def verify(entry: NamedSet) -> Iterator[str]:
    """What is wrong with the files of a set that is here, a sentence each."""
    home = store_folder() / entry.name
    noted = receipt(home)
    if not noted:
        yield f"{entry.name}: not fetched (tertium testsets get {entry.name})"
        return
    for file in entry.files:
        path, known = home / "raw" / entry.local_name(file), noted["files"].get(file.address, {})
        if not path.exists():
            yield f"{path}: gone; fetch it again"
            continue
        try:
            found = check(file, path)
        except InputError as error:
            yield str(error)
            continue
        if known.get("sha256") != found.sha256:
            yield f"{path}: changed since it was fetched"
    for name, digest in noted.get("texts", {}).items():
        path = home / name
        if not path.exists():
            yield f"{path}: gone; fetch it again"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            yield f"{path}: changed since it was written"
