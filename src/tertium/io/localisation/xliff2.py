"""XLIFF 2.x: units with segments, and matches beside them that name the segment they are for.

    <xliff version="2.0" srcLang="de" trgLang="en"> <file id="f1" original="guide.html">
      <unit id="7">
        <mtc:matches> <mtc:match ref="#s1" origin="atlas" type="mt"> <source>, <target>    an engine's output
        <notes> <note>
        <originalData> <data id="d1">&lt;b&gt;</data>
        <segment id="s1" state="final"> <source>, <target>

Standard: XLIFF 2.1, OASIS (2018), docs.oasis-open.org/xliff/xliff-core/v2.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.facts import about, note, percent, put, put_all
from tertium.io.localisation.inline import Content
from tertium.io.localisation.tags import Numbers
from tertium.io.localisation.xliff import OURS, XliffFollower

UNFINISHED = ("initial",)


@dataclass
class Proposal:
    """An <mtc:match>."""

    name: str
    ref: str
    quality: float
    foreign: bool  # into another language, for people to look at
    contents: dict[str, Content] = field(default_factory=dict)


@dataclass
class Piece:
    """A <segment>."""

    id: str
    line: int
    facts: dict[str, str]
    contents: dict[str, Content] = field(default_factory=dict)


@dataclass
class Unit:
    """A <unit> as far as it was read."""

    id: str
    line: int
    facts: dict[str, str] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    matches: list[Proposal] = field(default_factory=list)


class Xliff2(XliffFollower):
    """Reads units as they end."""

    def __init__(self, path: str, bitext: Bitext) -> None:
        super().__init__(path, bitext)
        self.document = ""
        self.known: dict[str, int] = {}
        self.unit: Unit | None = None
        self.match: Proposal | None = None
        self.piece: Piece | None = None
        self.ignoring = False  # in <ignorable>
        self.key = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Files, groups, units and what is in them."""
        if name == "xliff":
            if "srcLang" not in attributes:
                raise self.wrong("<xliff> of version 2 without srcLang; expected the language of the sources")
            self.bitext.source_language, self.bitext.target_language = attributes["srcLang"], attributes.get("trgLang")
        elif name == "file":
            if "id" not in attributes:
                raise self.wrong("<file> without an id; segments are known by it")
            self.document, self.known = attributes.get("original") or attributes["id"], {}
            self.nest(attributes)
        elif name in ("group", "unit"):
            self.nest(attributes)
            if name == "unit":
                self.open_unit(attributes)
        elif self.unit is not None:
            self.of_unit(self.unit, name, attributes)

    def open_unit(self, attributes: dict[str, str]) -> None:
        """A <unit>."""
        name = attributes.get("id")
        if self.unit is not None:
            raise self.wrong("<unit> inside <unit>; close the first one")
        if name is None:
            raise self.wrong("<unit> without an id; segments are known by it")
        if name in self.known:
            raise self.wrong(
                f"a second <unit> {name[:60]} in file {self.document[:60]} (first on line {self.known[name]}); ids "
                f"must be unique in a <file>"
            )
        self.known[name] = self.line
        self.bitext.units += 1
        self.unit = Unit(name, self.line)
        put_all(self.unit.facts, attributes)

    def of_unit(self, unit: Unit, name: str, attributes: dict[str, str]) -> None:
        """An element inside a unit."""
        if name in ("source", "target"):
            if ":" in self.inside[-1] and self.match is None:  # of an extension
                return
            self.content = Content(unit.data)
        elif name == "segment":
            state = attributes.get("state", "")
            self.piece = Piece(attributes.get("id", ""), self.line, {"state": state} if state else {})
            put_all(self.piece.facts, attributes)
        elif name == "ignorable":
            self.ignoring = True
        elif name == "mtc:match":
            self.match = self.open_match(attributes)
        elif name == "note":
            self.text, self.key = [], "" if attributes.get("category") == OURS else "note"
        elif name == "data":
            self.text, self.key = [], attributes.get("id", "")
        elif name == "mda:meta":
            self.text, self.key = [], attributes.get("type", "")
        elif name == "ctr:revision":
            put(unit.facts, "translator", attributes.get("author", ""))
            put(unit.facts, "changed", attributes.get("datetime", ""))

    def open_match(self, attributes: dict[str, str]) -> Proposal:
        """A match: where it came from, for which segment, and how good it says that it is."""
        ref = attributes.get("ref")
        if ref is None:
            raise self.wrong('<mtc:match> without ref; expected the segment that it is for, such as ref="#s1"')
        quality = percent(attributes.get("matchQuality") or attributes.get("similarity") or "")
        return Proposal(
            attributes.get("origin") or attributes.get("type") or "match",
            ref.rpartition("#")[2].rpartition("/")[2],
            quality,
            attributes.get("reference") == "yes",
        )

    def filled(self, name: str, content: Content) -> None:
        """A source or target has ended, of a segment or of a match."""
        if self.ignoring:
            return
        owner = self.match if self.match is not None else self.piece
        if owner is None:
            raise self.wrong(f"<{name}> outside <segment>; a unit has its texts in segments")
        if name in owner.contents:
            raise self.wrong(f"a second <{name}> where there was one; a segment has one")
        owner.contents[name] = content

    def finish(self, name: str) -> None:
        """Segments, matches and units as they end."""
        unit = self.unit
        if unit is not None:
            if name == "unit":
                self.close_unit(unit)
                self.unit = None
            elif name == "mtc:match" and self.match is not None:
                if self.match.foreign:
                    self.bitext.dropped["proposal", "it is into another language, as a reference"] += 1
                elif "target" in self.match.contents:
                    unit.matches.append(self.match)
                self.match = None
            elif name == "segment" and self.piece is not None:
                if "source" not in self.piece.contents:
                    raise self.wrong(f"a segment of unit {unit.id[:60]} has no <source>; each needs one")
                unit.pieces.append(self.piece)
                self.piece = None
            elif name in ("note", "data", "mda:meta") and self.text is not None:
                self.keep(unit, name, self.taken())
        if name == "ignorable":
            self.ignoring = False
        if name in ("group", "unit", "file"):
            self.translatable.pop()

    def keep(self, unit: Unit, name: str, text: str) -> None:
        """What an element with only text says."""
        if name == "data":
            unit.data[self.key] = text
        elif name == "note":
            note(unit.facts, text if self.key else "")
        elif self.key and self.match is None:
            about(unit.facts, self.key, text)

    # From a unit to its segments

    def close_unit(self, unit: Unit) -> None:
        """The unit's segments, each with the matches that are for it."""
        if not unit.pieces:
            raise self.wrong(f"unit {unit.id[:60]} has no <segment>; each needs one")
        numbers = Numbers()
        segments = [self.segment(unit, piece, k, numbers) for k, piece in enumerate(unit.pieces, 1)]
        places = {piece.id: k for k, piece in enumerate(unit.pieces)}
        marks = {mark: k for k, piece in enumerate(unit.pieces) for mark in piece.contents["source"].markers}
        best: dict[tuple[int, str], float] = {}
        for match in unit.matches:
            k = places.get(match.ref, 0 if len(segments) == 1 and match.ref not in marks else None)
            if k is None and match.ref in marks and self.whole(match, segments[marks[match.ref]]):
                k = marks[match.ref]
            if k is None:
                self.bitext.dropped["proposal", "it is for no segment of its unit, or for a part of one"] += 1
                continue
            text = self.said(match.contents["target"], numbers)
            known = best.get((k, match.name))
            if known is not None:
                self.bitext.dropped["proposal", "one as good or better of the same origin is there"] += 1
            if text is not None and (known is None or match.quality > known):
                best[k, match.name] = match.quality
                segments[k].outputs[match.name] = text
        for segment in segments:
            self.add(segment)

    def segment(self, unit: Unit, piece: Piece, place: int, numbers: Numbers) -> BitextSegment:
        """One segment of a unit."""
        facts = unit.facts | piece.facts
        source = self.said(piece.contents["source"], numbers)
        target = self.said(piece.contents.get("target"), numbers)
        return BitextSegment(
            unit=unit.id,
            part=(piece.id or str(place)) if len(unit.pieces) > 1 else "",
            document=self.document,
            line=piece.line,
            number=self.bitext.units,
            source=source,
            targets=() if target is None else (target,),
            finished=facts.get("state", "") not in UNFINISHED,
            facts=facts,
        )

    def whole(self, match: Proposal, segment: BitextSegment) -> bool:
        """Whether a match for something in a segment is for all of it."""
        source = match.contents.get("source")
        return source is not None and self.said(source, Numbers()) == segment.source
