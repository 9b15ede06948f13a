"""The XML of WMT test sets since 2021: <dataset>, <collection>?, <doc>; in it <src>, <ref> and <hyp>."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.io.columns import extension
from tertium.io.files import read_bytes
from tertium.io.sgm import read_sgm
from tertium.io.wmt_documents import Key, Side, WmtDocuments

__all__ = ["read_sgm", "read_wmt", "read_xml", "xml_columns"]

NAMED_BY = {"ref": "translator", "hyp": "system"}
FACTS = ("domain", "origlang")


def read_wmt(path: str | Path) -> tuple[TestSet, tuple[System, ...]]:
    """The test set of a WMT file, XML or SGM, and the systems it holds."""
    return read_sgm(path) if extension(path) in (".sgm", ".sgml") else read_xml(path)


def read_xml(path: str | Path) -> tuple[TestSet, tuple[System, ...]]:
    """The test set of a WMT XML file and the systems it holds."""
    return _parse(str(path)).evaluation_parts()


def xml_columns(path: str | Path) -> dict[str, Lines]:
    """The sides of a WMT XML file by name: `src`, `ref.A` (`ref` when unnamed), `hyp.SYSTEM`."""
    parallel = _parse(str(path))
    return {parallel.sides[at].label: texts for at, texts in parallel.columns().items()}


def _parse(path: str) -> WmtDocuments:
    from xml.parsers import expat

    reader = _XmlReader(path)
    try:
        reader.parser.Parse(read_bytes(path), True)
    except expat.ExpatError as error:
        raise InputError(
            f"{path}:{error.lineno}: not well-formed XML ({expat.ErrorString(error.code)}, column {error.offset + 1})"
        ) from None
    except (LookupError, ValueError) as error:  # an encoding that neither expat nor Python knows
        raise InputError(f"{path}:1: the XML cannot be decoded ({error}); convert the file to UTF-8") from None
    if not reader.parallel.sides or not any(side.texts for side in reader.parallel.sides.values()):
        raise InputError(f"{path}: no <seg> in a <src>, <ref> or <hyp>; expected the XML of a WMT test set")
    return reader.parallel


class _XmlReader:
    """Follows the elements as expat meets them, which gives every error its line."""

    def __init__(self, path: str) -> None:
        from xml.parsers import expat

        self.path = path
        self.parallel = WmtDocuments(Path(path).name.partition(".")[0])
        self.inside: list[str] = []
        self.collection: str | None = None
        self.document: str | None = None
        self.side: Side | None = None
        self.segment: tuple[Side, Key] | None = None
        self.text: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        # Entities can blow a small file up to gigabytes or read other files; WMT files have none.
        self.parser.EntityDeclHandler = self.refuse_entities
        self.parser.SkippedEntityHandler = self.refuse_entities

    def wrong(self, message: str) -> InputError:
        return InputError(f"{self.path}:{self.parser.CurrentLineNumber}: {message}")

    def refuse_entities(self, name: str, *_: Any) -> None:
        raise self.wrong(f"the entity {name!r} of a DOCTYPE; such files are refused, write the characters themselves")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.inside and tag != "dataset":
            raise self.wrong(f"the root is <{tag}>; expected <dataset>, the XML of a WMT test set")
        if self.segment is not None:
            raise self.wrong(f"<{tag}> inside <seg>; a segment is plain text")
        if not self.inside:
            self.parallel.name = attributes.get("id") or self.parallel.name
        elif tag == "collection":
            self.collection = attributes.get("id")
        elif tag == "doc":
            self.open_document(attributes)
        elif tag in ("src", "ref", "hyp") and self.document is not None:
            self.open_side(tag, attributes)
        elif tag == "seg" and self.side is not None and self.document is not None:
            if "id" not in attributes:
                raise self.wrong("<seg> without an id; segments are joined by it")
            self.segment = self.side, (self.document, attributes["id"])
        self.inside.append(tag)

    def open_document(self, attributes: dict[str, str]) -> None:
        name = attributes.get("id")
        if name is None:
            raise self.wrong("<doc> without an id; segments are joined by it")
        if name in self.parallel.facts and self.collection:
            name = f"{self.collection}/{name}"
        if name in self.parallel.facts:
            raise self.wrong(f"a second document {name}; documents need ids of their own")
        facts = {} if self.collection is None else {"collection": self.collection}
        self.parallel.facts[name] = facts | {key: attributes[key] for key in FACTS if key in attributes}
        self.document = name

    def open_side(self, role: str, attributes: dict[str, str]) -> None:
        name = attributes.get(NAMED_BY.get(role, ""), "")
        self.side = self.parallel.side(role, name, self.path)
        self.parallel.speaks(role, attributes.get("lang") or attributes.get("language"))

    def characters(self, text: str) -> None:
        if self.segment is not None:
            self.text.append(text)

    def end(self, tag: str) -> None:
        self.inside.pop()
        if tag == "seg" and self.segment is not None:
            side, key = self.segment
            side.add(key, "".join(self.text), self.parser.CurrentLineNumber)
            self.segment, self.text = None, []
        elif tag in ("src", "ref", "hyp"):
            self.side = None
        elif tag == "doc":
            self.document = None
        elif tag == "collection":
            self.collection = None
