"""Notes written into XLIFF files: spliced in at bytes, so that everything else stays as it is; ours are replaced."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.testset import FILE, TestSet
from tertium.io.columns import extension
from tertium.io.files import packing, read_bytes, write_atomically
from tertium.io.localisation.reading import read_bitext
from tertium.io.localisation.xliff import OURS, Root
from tertium.io.localisation.xml import XmlFollower

TAG = re.compile(rb"""<[^<>"']*+(?:"[^"]*+"[^<>"']*+|'[^']*+'[^<>"']*+)*+>""")
NAME = re.compile(rb"</?([^\s/>]++)")
DECLARED = re.compile(rb"""\A<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._-]{1,40})["']""")
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # what XML cannot say
ENDINGS = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
Splice = tuple[int, int, bytes]  # what lies between these bytes is replaced


def write_notes(path: str, notes: Mapping[int, Sequence[str]], target: str | Path) -> None:
    """Write a file again with these notes of its units, by their numbers from 1; whole or not at all."""
    if extension(path) not in ENDINGS:
        raise InputError(f"{path}: notes are written into XLIFF; expected a name that ends in {', '.join(ENDINGS)}")
    if packing(str(target)):
        raise InputError(
            f"{target}: notes are written into files that are not packed; leave out {packing(str(target))}"
        )
    written = with_notes(bytes(read_bytes(path)), path, notes)
    with write_atomically(target) as file:
        file.write(written)


def with_notes(data: bytes, path: str, notes: Mapping[int, Sequence[str]]) -> bytes:
    """The bytes of a file with these notes of its units, in place of those that we wrote before."""
    encoding = encoding_of(data)
    try:
        text = data if encoding == "utf-8" else data.decode(encoding).encode()
        same = encoding == "utf-8" or text.decode().encode(encoding) == data
    except (LookupError, UnicodeError):
        same = False
    if not same:
        raise InputError(f"{path}: notes cannot be written into a file in {encoding}; convert it to UTF-8")
    places = (NotePlaces2 if Root(path).version_of(data).startswith("2") else NotePlaces1)(path, text, notes)
    places.follow(text)
    done, kept = 0, []
    for start, end, new in sorted(places.splices, key=lambda splice: splice[:2]):
        kept += [text[done:start], new]
        done = end
    joined = b"".join([*kept, text[done:]])
    return joined if encoding == "utf-8" else joined.decode().encode(encoding, "xmlcharrefreplace")


def encoding_of(data: bytes) -> str:
    """How an XML file is encoded: by its first bytes, else as it says, else UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, b"<\0")):
        return "utf-16-le"
    if data.startswith((codecs.BOM_UTF16_BE, b"\0<")):
        return "utf-16-be"
    found = DECLARED.match(data)
    name = "utf-8" if found is None else found[1].decode("ascii").lower()
    return "utf-8" if name in ("utf8", "ascii", "us-ascii") else name


class NotePlaces(XmlFollower):
    """Finds where notes go, and those that are ours."""

    unit = ""  # the element that notes are of

    def __init__(self, path: str, data: bytes, notes: Mapping[int, Sequence[str]]) -> None:
        super().__init__(path, encoding="utf-8")
        self.data, self.notes = data, notes
        self.splices: list[Splice] = []
        self.number = 0
        self.prefix = b""
        self.empty: list[bool] = []  # which of the elements that we are in have no content
        self.end = 0  # of the element that ends
        self.place: int | None = None  # of the unit's notes
        self.start = 0  # of a note of ours
        self.ours = False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        found = TAG.match(self.data, self.offset)
        # For expat an element without content ends behind its tag, any other where its last tag begins.
        self.empty.append(found is not None and found[0].endswith(b"/>"))
        super()._start(name, attributes)

    def _end(self, name: str) -> None:
        found = None if self.empty.pop() else TAG.match(self.data, self.offset)
        self.end = self.offset if found is None else found.end()
        super()._end(name)

    def within(self) -> bool:
        """Whether the element is the unit's own."""
        return bool(self.inside) and self.inside[-1] == self.unit

    def begin_unit(self) -> None:
        """One unit more; our elements get the prefix of its own."""
        self.number += 1
        name = NAME.match(self.data, self.offset)
        self.prefix = b"" if name is None else name[1][: name[1].rfind(b":") + 1]
        self.place = None

    def written(self, attribute: str) -> bytes:
        """The unit's notes as XML."""
        tag = self.prefix.decode() + "note"
        found = (f'<{tag} {attribute}="{OURS}">{escaped(text)}</{tag}>' for text in self.notes.get(self.number, ()))
        return "".join(found).encode()


class NotePlaces1(NotePlaces):
    """XLIFF 1.x: notes stand behind the unit's source and target."""

    unit = "trans-unit"

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Units, and notes of ours."""
        if name == self.unit:
            self.begin_unit()
        elif name == "note" and self.within() and attributes.get("from") == OURS:
            self.start, self.ours = self.offset, True

    def close(self, name: str) -> None:
        """What notes stand behind, and where ours end."""
        if self.within() and name in ("source", "seg-source", "target"):
            self.place = self.end
        elif self.within() and name == "note" and self.ours:
            self.splices.append((self.start, self.end, b""))
            self.ours = False
        elif name == self.unit and self.place is not None:
            self.splices.append((self.place, self.place, self.written("from")))


class NotePlaces2(NotePlaces):
    """XLIFF 2.x: notes stand in an element of their own, before what the unit is made of."""

    unit = "unit"

    def __init__(self, path: str, data: bytes, notes: Mapping[int, Sequence[str]]) -> None:
        super().__init__(path, data, notes)
        self.of_others = 0
        self.around = 0  # where the unit's <notes> begins
        self.found: list[Splice] = []  # notes of ours in it

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Units, their notes, and where these would stand."""
        if name == self.unit:
            self.begin_unit()
        elif name == "notes" and self.within():
            self.around, self.of_others, self.found = self.offset, 0, []
        elif name == "note" and self.inside[-2:] == [self.unit, "notes"]:
            self.ours = attributes.get("category") == OURS
            self.of_others += not self.ours
            self.start = self.offset
        elif name in ("originalData", "segment", "ignorable") and self.within() and self.place is None:
            self.place = self.offset
            self.put(self.offset, self.offset)

    def close(self, name: str) -> None:
        """Where notes of ours end, and with them the element that has no others."""
        if name == "note" and self.ours and self.inside[-2:] == [self.unit, "notes"]:
            self.found.append((self.start, self.end, b""))
            self.ours = False
        elif name == "notes" and self.within():
            self.place = self.offset
            if self.of_others:
                self.splices += [*self.found, (self.offset, self.offset, self.written("category"))]
            else:
                self.put(self.around, self.end)

    def put(self, start: int, end: int) -> None:
        """Our notes in an element of their own; none where there are none."""
        notes, tag = self.written("category"), self.prefix + b"notes"
        self.splices.append((start, end, b"<%b>%b</%b>" % (tag, notes, tag) if notes else b""))


def escaped(text: str) -> str:
    """A text as XML has it."""
    text = UNWRITABLE.sub("\ufffd", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def write_segment_notes(testset: TestSet, notes: Sequence[Sequence[str]], target: str | Path) -> list[str]:
    """Write the XLIFF files of a test set again with notes for its segments; of several files, into a folder. The paths
    that were written."""
    files = testset.records.get(FILE, ())
    places: dict[str, list[int]] = {}
    for k, path in enumerate(files):
        places.setdefault(path, []).append(k)
    if not places:
        raise InputError(f"{target}: notes are written into XLIFF, but {testset.name} was not read from such a file")
    written: dict[str, Path] = {}
    for path in places:
        to = Path(target) if len(places) == 1 else Path(target) / Path(path).name
        if to in written.values():
            raise InputError(f"{target}: two files are called {to.name}, which can be written only once; rename one")
        written[path] = to
    if len(places) > 1:
        make_folder(Path(target))
    for path, here in places.items():
        write_notes(path, by_unit(path, testset, here, notes), written[path])
    return [str(to) for to in written.values()]


def by_unit(path: str, testset: TestSet, here: Sequence[int], notes: Sequence[Sequence[str]]) -> dict[int, list[str]]:
    """The notes of a file's units; refused where the file is another than the one that was read."""
    if extension(path) not in ENDINGS:
        raise InputError(f"{path}: notes are written into XLIFF; expected a name that ends in {', '.join(ENDINGS)}")
    segments = read_bitext(path, testset.tags).segments
    texts = None if testset.sources is None else [testset.sources[k] for k in here]
    if texts != [segment.source for segment in segments]:
        raise InputError(f"{path}: is no longer what was read; its segments are others. Run it again")
    found: dict[int, list[str]] = {}
    for k, segment in zip(here, segments, strict=True):
        which = f"segment {segment.part}: " if segment.part else ""
        found.setdefault(segment.number, []).extend(f"{which}{text}" for text in notes[k])
    return found


def make_folder(folder: Path) -> None:
    """The folder of several files, which may be there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror}); name a folder for several files") from None
