"""The catalogue of test sets with a name: where their files are, what they must be, what is in them.

    [wmt19]
    title = "WMT 2019"
    layout = "sgml"               # plain, tsv, sgml or xml
    licence = "..."
    citation = "..."              # BibTeX
    refs = ["A"]                  # xml: the translators whose references count

    [[wmt19.files]]
    address = "https://..."       # or a path, which counts from the folder of the file that says so
    md5 = "..."                   # or sha256; without either, the first download is what is held to
    source = "sacreBLEU 2.6.0"    # who published the checksum

    [wmt19.pairs]
    de-en = ["sgm/newstest2019-deen-src.de.sgm", "sgm/newstest2019-deen-ref.en.sgm"]
    # tsv: "COLUMN:FILE", counted from 0; xml: one file, or { path = FILE, refs = ["B"] }

The part that is ours is made of sacreBLEU's table (`tools/make_catalogue.py`). What a user adds is kept beside what was
fetched, one file each.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from string import hexdigits
from typing import Any

from tertium.core.errors import InputError
from tertium.io.texts import suggest
from tertium.io.toml import check_keys, read_toml, typed

LAYOUTS = ("plain", "tsv", "sgml", "xml")
KEYS = ("title", "layout", "licence", "citation", "refs", "files", "pairs")
NAME = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*")
PAIR = re.compile(r"[A-Za-z]{2,3}(?:_\w{1,16})?-[A-Za-z]{2,3}(?:_\w{1,16})?")
ADDED = "added"  # the folder of the user's own entries, beside those of test sets
HASHES = {"md5": 32, "sha256": 64}  # and how many digits they have


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file to fetch, and what is known of it."""

    address: str
    checksum: tuple[str, str] | None = None  # which kind, and its digits
    source: str = ""  # of the checksum

    @property
    def name(self) -> str:
        """The last part of the address."""
        return PurePosixPath(self.address.partition("?")[0].rpartition("/")[2]).name


@dataclass(frozen=True, kw_only=True)
class Pair:
    """What a language pair is in the unpacked files."""

    paths: tuple[str, ...]  # source, then references; one for xml
    refs: tuple[str, ...] = ()  # xml: translators


@dataclass(frozen=True, kw_only=True)
class NamedSet:
    """An entry of the catalogue."""

    name: str
    title: str
    layout: str
    files: tuple[SourceFile, ...]
    pairs: Mapping[str, Pair]
    licence: str = ""
    citation: str = ""
    own: bool = False  # added by the user
    folder: Path = field(default_factory=Path)  # that paths count from

    def pair(self, name: str) -> Pair:
        """A language pair."""
        return self.pairs[self.pair_name(name)]

    def pair_name(self, name: str | None) -> str:
        """A language pair that there is; where there is only one, it need not be named."""
        if name is None and len(self.pairs) == 1:
            return next(iter(self.pairs))
        if name is None or name not in self.pairs:
            said = "name a language pair (-l)" if name is None else f"no language pair {name!r}"
            raise InputError(f"test set {self.name}: {said}; there are: {', '.join(self.pairs)}")
        return name

    @property
    def verified(self) -> bool:
        """Whether somebody published what every file must be."""
        return all(file.checksum is not None for file in self.files)

    def local_name(self, file: SourceFile) -> str:
        """What a file is called on this computer, which is sacreBLEU's name for it."""
        return f"{self.name.replace('/', '_')}.{file.name}"

    def text(self) -> str:
        """The entry as a file of its own, whose paths count from anywhere."""
        name = json.dumps(self.name)
        lines = [f"[{name}]", *(f"{key} = {json.dumps(getattr(self, key))}" for key in ("title", "layout"))]
        lines += [f"{key} = {json.dumps(value)}" for key in ("licence", "citation") if (value := getattr(self, key))]
        for file in self.files:
            address = file.address if "://" in file.address else str((self.folder / file.address).resolve())
            lines += [f"[[{name}.files]]", f"address = {json.dumps(address)}"]
            lines += [f"{kind} = {json.dumps(digits)}" for kind, digits in [file.checksum or ("", "")] if kind]
            lines += [f"source = {json.dumps(file.source)}"] if file.source else []
        lines.append(f"[{name}.pairs]")
        for key, pair in self.pairs.items():
            whole = json.dumps(list(pair.paths)) if self.layout != "xml" else None
            lines.append(f"{key} = {whole or _xml_pair(pair)}")
        return "\n".join(lines) + "\n"


def _xml_pair(pair: Pair) -> str:
    return f"{{ path = {json.dumps(pair.paths[0])}, refs = {json.dumps(list(pair.refs))} }}"


def added_path(name: str) -> Path:
    """The file of an entry that the user added; no two names have one."""
    return store_folder() / ADDED / f"{name.replace('_', '__').replace('/', '_-')}.toml"


def store_folder() -> Path:
    """Where test sets are kept; TERTIUM_TESTSETS or XDG_DATA_HOME names another place."""
    if named := os.environ.get("TERTIUM_TESTSETS"):
        return Path(named)
    share = os.environ.get("XDG_DATA_HOME")
    return (Path(share) if share else Path.home() / ".local" / "share") / "tertium" / "testsets"


def catalogue() -> dict[str, NamedSet]:
    """Every test set by name: ours, and those that the user added."""
    found = dict(_shipped())
    for path in sorted((store_folder() / ADDED).glob("*.toml")):
        found |= read_catalogue(path, own=True)
    return found


def find_named(name: str) -> NamedSet:
    """The test set of that name."""
    known = catalogue()
    if name not in known:
        raise InputError(f"no test set is called {name!r}{suggest(name, known)} see: tertium testsets list")
    return known[name]


@cache
def _shipped() -> Mapping[str, NamedSet]:
    with (files("tertium.io") / "data" / "testsets.toml").open("rb") as file:
        import tomllib

        return _entries(tomllib.load(file), "testsets.toml", Path(), own=False)


def read_catalogue(path: str | Path, *, own: bool) -> dict[str, NamedSet]:
    """The entries of a file, each of which may be wrong in only so many ways."""
    return _entries(read_toml(path), str(path), Path(path).resolve().parent, own=own)


def _entries(values: Mapping[str, Any], where: str, folder: Path, *, own: bool) -> dict[str, NamedSet]:
    cited = values.get("citations", {}) if not own else {}
    return {
        name: _entry(name, about, f"{where}: [{name}]", folder, own=own, cited=cited)
        for name, about in values.items()
        if own or name != "citations"
    }


def _entry(name: str, about: Any, where: str, folder: Path, *, own: bool, cited: Mapping[str, str]) -> NamedSet:
    if not NAME.fullmatch(name) or any(part.startswith(".") for part in name.split("/")):
        raise InputError(f"{where}: a name has letters, digits, dots (not first), dashes and slashes")
    if name.split("/")[0] == ADDED:
        raise InputError(f"{where}: {ADDED!r} is where entries are kept; choose another name")
    check_keys(typed(about, "Mapping[str, Any]", where), KEYS, where)
    for key in ("layout", "files", "pairs"):
        if key not in about:
            raise InputError(f"{where}: no {key}; an entry has layout, files and pairs")
    if about["layout"] not in LAYOUTS:
        raise InputError(f"{where}: layout = {about['layout']!r}; known: {', '.join(LAYOUTS)}")
    refs = typed(about.get("refs", []), "tuple[str, ...]", f"{where} refs")
    fetched = tuple(_file(file, f"{where} files") for file in _tables(about["files"], f"{where} files"))
    names = [file.name for file in fetched]
    if again := next((name for k, name in enumerate(names) if name in names[:k]), None):
        raise InputError(f"{where} files: two are called {again}, and one would take the other's place; rename one")
    pairs = typed(about["pairs"], "Mapping[str, Any]", f"{where} pairs")
    texts = {
        key: typed(about[key], "str", f"{where} {key}") for key in ("title", "licence", "citation") if key in about
    }
    citation = texts.pop("citation", "")
    return NamedSet(
        name=name,
        layout=about["layout"],
        files=fetched,
        pairs={key: _pair(key, value, about["layout"], refs, f"{where} pairs.{key}") for key, value in pairs.items()},
        own=own,
        folder=folder,
        citation=cited.get(citation, citation),
        **{"title": name} | texts,
    )


def _tables(given: Any, where: str) -> list[Any]:
    if not isinstance(given, list) or not given:
        raise InputError(f'{where}: expected a list of tables; write [[NAME.files]] and address = "..."')
    return given


def _file(given: Any, where: str) -> SourceFile:
    check_keys(typed(given, "Mapping[str, Any]", where), ("address", *HASHES, "source"), where)
    values = {key: typed(value, "str", f"{where} {key}") for key, value in given.items()}
    if "address" not in values:
        raise InputError(f"{where}: a file without an address")
    kinds = [kind for kind in HASHES if kind in values]
    for kind in kinds:
        if len(values[kind]) != HASHES[kind] or not set(values[kind]) <= set(hexdigits):
            raise InputError(f"{where} {kind} = {values[kind]!r}; expected {HASHES[kind]} hexadecimal digits")
    best = kinds[-1] if kinds else None  # sha256 where there are both
    made = SourceFile(
        address=values["address"],
        checksum=None if best is None else (best, values[best].lower()),
        source=values.get("source", ""),
    )
    if not made.name or made.name.startswith("."):
        raise InputError(f"{where}: {made.address} names no file")
    return made


def _pair(name: str, given: Any, layout: str, refs: tuple[str, ...], where: str) -> Pair:
    if not PAIR.fullmatch(name):
        raise InputError(f"{where}: not a language pair; write source and target, such as de-en")
    if isinstance(given, dict):
        check_keys(given, ("path", "refs"), where)
        paths = (typed(given.get("path"), "str", f"{where} path"),)
        refs = typed(given["refs"], "tuple[str, ...]", f"{where} refs") if "refs" in given else refs
    else:
        paths = typed(given, "tuple[str, ...]", where)
    if len(paths) < (1 if layout == "xml" else 2):
        raise InputError(f"{where}: {'a file' if layout == 'xml' else 'a source and a reference'} at least")
    for path in paths:
        inner = PurePosixPath(path)
        if inner.is_absolute() or ".." in inner.parts or "\\" in path or "\0" in path:
            raise InputError(f"{where}: {path!r} leaves the folder of the set")
    return Pair(paths=paths, refs=refs)
