"""The SGM of NIST and of WMT before 2021: <srcset>, <refset> or <tstset> with <doc>s and <seg>s.

It looks like XML and is not: attributes may lack quotes, tags come in any case, text is not always escaped.
So only the tags that matter are looked for, and everything else is text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.io.files import COMPRESSED, read_bytes, split_text
from tertium.io.wmt_documents import Key, Side, WmtDocuments

TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
# A name begins where a word does and is taken whole: else a long word without `=` is tried from each of its letters.
ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
FACTS = ("genre", "origlang")
ROLES = {"srcset": "src", "refset": "ref", "tstset": "hyp"}


def read_sgm(*paths: str | Path) -> tuple[TestSet, tuple[System, ...]]:
    """The test set in one or more SGM files (source, references, systems), joined by document and segment."""
    parallel = WmtDocuments("")
    for path in paths:
        _parse(str(path), parallel)
    return parallel.evaluation_parts()


def sgm_columns(path: str | Path) -> dict[str, Lines]:
    """The sides of an SGM file by their sysid; `src` is the source."""
    parallel = WmtDocuments("")
    _parse(str(path), parallel)
    columns = parallel.columns()
    names = [name or role for role, name in columns]
    if len(set(names)) < len(names):  # a reference and a system of one name
        names = [side.label for side in parallel.sides.values()]
    return dict(zip(names, columns.values(), strict=True))


def _parse(path: str, parallel: WmtDocuments) -> None:
    data = read_bytes(path)
    split_text(data, path)  # for its error where the bytes are not UTF-8
    reader = _SgmReader(path, parallel)
    text = bytes(data).decode("utf-8-sig")
    for tag in TAG.finditer(text):
        reader.line += text.count("\n", reader.position, tag.start())
        reader.position = tag.start()
        reader.meet(tag, text)
    if reader.segment is not None:
        raise reader.wrong("<seg> is never closed; expected </seg>")
    if not reader.segments:
        raise InputError(f"{path}: no <seg> in a <srcset>, <refset> or <tstset>; expected an SGM file of WMT or NIST")


@dataclass
class _SgmReader:
    """Where in the file we are."""

    path: str
    parallel: WmtDocuments
    line: int = 1
    position: int = 0
    role: str | None = None
    of_set: dict[str, str] = field(default_factory=dict)
    of_doc: dict[str, str] | None = None
    documents: int = 0
    segment: tuple[Side, Key] | None = None
    start: int = 0
    segments: int = 0
    in_document: int = 0

    def wrong(self, message: str) -> InputError:
        return InputError(f"{self.path}:{self.line}: {message}")

    def meet(self, tag: re.Match[str], text: str) -> None:
        """One tag."""
        name, closing = tag[2].lower(), bool(tag[1])
        if self.segment is not None and not (closing and name == "seg"):
            raise self.wrong(f"{tag[0]} before the </seg> of segment {self.segment[1][1]}")
        if name == "seg":
            self.meet_segment(tag, text, closing)
        elif name == "doc":
            self.of_doc = None if closing else self.open_document(tag[3])
        else:
            self.role = None if closing else ROLES[name]
            self.of_set = _attributes(tag[3])
            self.parallel.name = self.parallel.name or self.of_set.get("setid") or self.stem
            self.parallel.speaks("src", self.of_set.get("srclang"))
            self.parallel.speaks("hyp", self.of_set.get("trglang"))

    def open_document(self, attributes: str) -> dict[str, str]:
        found = _attributes(attributes)
        self.documents += 1
        self.in_document = 0
        found["docid"] = found.get("docid") or found.get("id") or str(self.documents)
        facts = self.parallel.facts.setdefault(found["docid"], {})
        facts |= {key: found[key] for key in FACTS if key in found}
        return found

    def meet_segment(self, tag: re.Match[str], text: str, closing: bool) -> None:
        if not closing:
            if self.role is None or self.of_doc is None:
                raise self.wrong("<seg> outside a <doc> of a <srcset>, <refset> or <tstset>")
            self.in_document += 1
            name = _attributes(tag[3]).get("id") or str(self.in_document)
            side = self.parallel.side(self.role, self.speaker(self.role, self.of_doc), self.path)
            self.segment = side, (self.of_doc["docid"], name)
            self.start = tag.end()
        elif self.segment is None:
            raise self.wrong("</seg> without a <seg>")
        else:
            content = ENTITY.sub(lambda entity: ENTITIES[entity[1]], text[self.start : tag.start()])
            side, key = self.segment
            side.add(key, content, self.line)
            self.segments += 1
            self.segment = None

    @property
    def stem(self) -> str:
        """The file's name without extensions."""
        file = Path(self.path)
        return (file.with_suffix("") if file.suffix in COMPRESSED else file).stem

    def speaker(self, role: str, document: dict[str, str]) -> str:
        """The name of a side: the sysid of its document or set; a system without one is named by its file."""
        if role == "src":
            return ""
        name = document.get("sysid") or self.of_set.get("sysid") or self.of_set.get("refid") or ""
        return name or (self.stem if role == "hyp" else "")


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): double or single or bare for name, double, single, bare in ATTRIBUTE.findall(text)}
