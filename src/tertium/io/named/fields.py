"""What a test set's files say: source, references, documents, original languages, as sacreBLEU 2.6.0 reads them.

Each rule here is that program's, so that its scores and what it prints come out: text of SGML keeps its entities, runs
of white space become one blank (not in plain text and TSV), in XML a segment without any reference is left out, as are
test suites.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.io.named.catalogue import NamedSet, Pair

Fields = dict[str, list[str]]  # `src`, `ref` or `ref:NAME`, `docid`, `origlang`, ...: a text for every segment

BLANKS = re.compile(r"\s+")
META = ("docid", "genre", "origlang")
NO_META = "wmt08"  # whose documents say nothing
LARGEST = 1 << 31  # bytes of a file, unpacked


def read_fields(entry: NamedSet, pair: Pair, place: Callable[[str], Path]) -> Fields:
    """The fields of a language pair, from files of which `place` says where they lie, unpacked."""
    if entry.layout == "xml":
        return _xml(place(pair.paths[0]))
    names = ["src", "ref"] if len(pair.paths) == 2 else ["src", *(f"ref:{k}" for k in range(len(pair.paths) - 1))]
    found: Fields = {}
    for number, (name, path) in enumerate(zip(names, pair.paths, strict=True)):
        if entry.layout == "tsv":
            column, colon, file = path.partition(":")
            at = int(column) if colon and column.isdecimal() else min(number, 1)
            found[name] = list(_column(place(file if colon and column.isdecimal() else path), at))
        elif entry.layout == "sgml" and path.endswith((".sgm", ".sgml", ".xml")):
            found[name] = [text for text, _ in _sgml(place(path))]
        else:
            found[name] = [line.rstrip() for line in _lines(place(path))]
    if entry.layout == "sgml" and not entry.name.startswith(NO_META):
        of_source = [meta for _, meta in _sgml(place(pair.paths[0]))]
        found |= {name: [meta[name] for meta in of_source] for name in META}
    lengths = {name: len(texts) for name, texts in found.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"test set {entry.name}: its files are not of one length ({said}); is the download whole?")
    return found


def _lines(path: Path) -> Iterator[str]:
    r"""Lines, which end at \n alone."""
    yield from StringIO(_text(path), newline="\n")


def _text(path: Path) -> str:
    try:
        if path.suffix != ".gz":
            return path.read_bytes().decode()
        with gzip.open(path) as file:
            data = file.read(LARGEST + 1)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; is the download whole?") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(data) > LARGEST:
        raise InputError(f"{path}: more than {LARGEST >> 30} GB when unpacked")
    return data.decode()


def _column(path: Path, at: int) -> Iterator[str]:
    for number, line in enumerate(_lines(path), 1):
        cells = line.rstrip("\n").split("\t")
        if len(cells) <= at:
            raise InputError(f"{path}:{number}: {len(cells)} columns, but number {at} (from 0) is wanted")
        yield cells[at]


def _clean(text: str) -> str:
    return BLANKS.sub(" ", text.strip())


def _sgml(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Every segment, which has a line of its own, and what its document says of itself."""
    meta = dict.fromkeys(META, "")
    for line in _lines(path):
        if line.startswith("<doc "):
            for name in META:
                _, opened, rest = line.partition(f'{name}="')
                value, closed, _ = rest.partition('"')
                if opened and closed:
                    meta[name] = value
        elif line.startswith("<seg "):
            yield _clean(_inside(line)), dict(meta)


def _inside(line: str) -> str:
    """What stands between the tags; a line that has no end tag is taken whole, as sacreBLEU does."""
    start, end = line.find(">", len("<seg")), line.rfind("</seg>")
    return line[start + 1 : end] + line[end + len("</seg>") :] if 0 <= start < end else line


def _xml(path: Path) -> Fields:
    from xml.etree import ElementTree

    text = _text(path)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise InputError(f"{path}: the XML has a DOCTYPE; such files are refused")
    try:
        root = ElementTree.fromstring(text.encode())
    except (ElementTree.ParseError, ValueError) as error:
        raise InputError(f"{path}: not well-formed XML ({error}); is the download whole?") from None
    documents = [doc for doc in root.iter("doc") if "testsuite" not in doc.attrib]
    translators = list(dict.fromkeys(ref.get("translator") for ref in root.iter("ref")))
    names = {who: f"ref:{who}" if who else "ref" for who in translators}
    systems = list(dict.fromkeys(hyp.get("system") or "" for doc in documents for hyp in doc.iter("hyp")))
    if taken := {"src", "docid", "origlang", "domain", *names.values()}.intersection(systems):
        raise InputError(f"{path}: a system is called {taken.pop()!r}, which is the name of another field")
    found: Fields = {"src": [], **{name: [] for name in names.values()}, "docid": [], "origlang": []}
    found |= {system: [] for system in systems} | {"domain": []}
    try:
        for doc in documents:
            _add_document(doc, found, names, systems)
    except (TypeError, ValueError):
        raise InputError(f"{path}: a <seg> without a number as its id; is it the XML of a WMT test set?") from None
    if not any(found["domain"]):
        del found["domain"]
    return found


def _add_document(doc: Any, found: Fields, names: dict[str | None, str], systems: list[str]) -> None:
    """The segments of a document for which there is a reference."""
    sources = {int(seg.get("id")): seg.text or "" for src in doc.iter("src") for seg in src.iter("seg")}
    references = {ref.get("translator"): _texts(ref) for ref in doc.iter("ref")}
    outputs = {hyp.get("system") or "": _texts(hyp) for hyp in doc.iter("hyp")}
    for number in sorted(sources):
        if not any(texts.get(number) for texts in references.values()):
            continue
        found["src"].append(_clean(sources[number]))
        for who, name in names.items():
            found[name].append(_clean(references.get(who, {}).get(number, "")))
        for system in systems:
            found[system].append(_clean(outputs.get(system, {}).get(number, "")))
        for name, attribute in (("docid", "id"), ("origlang", "origlang"), ("domain", "domain")):
            found[name].append(_clean(doc.get(attribute) or ""))


def _texts(side: Any) -> dict[int, str]:
    return {int(seg.get("id")): seg.text or "" for seg in side.iter("seg")}
