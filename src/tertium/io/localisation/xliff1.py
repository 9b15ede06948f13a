"""XLIFF 1.x, and SDLXLIFF, which is XLIFF 1.2 with facts about segments beside its units.

    <file original="guide.html" source-language="de" target-language="en">
      <trans-unit id="7"> <source>, <target state="final">, <note>,
        <alt-trans origin="atlas" match-quality="80"> <target>    an engine's output, or a memory's
      <trans-unit id="8"> <source>, <seg-source> <mrk mtype="seg" mid="1">, <target> with the same marks: two segments

Standard: XLIFF 1.2, OASIS (2008), docs.oasis-open.org/xliff/xliff-core/xliff-core.html.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.facts import about, note, percent, put, put_all
from tertium.io.localisation.inline import Content
from tertium.io.localisation.tags import Numbers, Part, render
from tertium.io.localisation.xliff import OURS, XliffFollower

# States that say that nobody has made the translation, or nobody has confirmed it: of the standard, of Trados, of
# memoQ, and what Phrase says where a segment is not confirmed. What engines and memories filled in has such a state.
UNFINISHED = frozenset({
    "new", "needs-translation", "Unspecified", "Draft",
    "NotStarted", "PreTranslated", "MachineTranslated", "AssembledFromFragments", "PartiallyEdited",
    "0", "false",
})  # fmt: skip
SDL_FACTS = {"conf": "state", "origin": "origin", "origin-system": "engine", "percent": "match"}  # of <sdl:seg>
PO_HEADER = "x-gettext-domain-header"
NO_OUTPUT = ("reference", "previous-version")  # kinds of <alt-trans> that nobody proposed


@dataclass
class AltTrans:
    """An <alt-trans>."""

    name: str
    part: str  # the segment of the unit that it is for
    quality: float
    accepted: bool
    target: Content | None = None
    wanted: bool = True


@dataclass
class TransUnit:
    """A <trans-unit> as far as it was read."""

    id: str
    line: int
    facts: dict[str, str] = field(default_factory=dict)
    contents: dict[str, Content] = field(default_factory=dict)  # source, seg-source, target
    matches: list[AltTrans] = field(default_factory=list)
    parts: dict[str, dict[str, str]] = field(default_factory=dict)  # facts of its segments
    said: dict[str, list[tuple[AltTrans, list[Part]]]] = field(default_factory=dict)  # matches of its segments


class Xliff1(XliffFollower):
    """Reads units as they end."""

    def __init__(self, path: str, bitext: Bitext) -> None:
        super().__init__(path, bitext)
        self.document = ""
        self.known: dict[str, int] = {}  # units of this file, with their lines
        self.tools: dict[str, str] = {}
        self.phases: dict[str, dict[str, str]] = {}
        self.of_file: dict[str, str] = {}
        self.unit: TransUnit | None = None
        self.match: AltTrans | None = None
        self.about: dict[str, str] | None = None  # the facts that an <sdl:value> belongs to
        self.key = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Files, groups, units, matches, contents, and what is known of them."""
        if name == "file":
            self.open_file(attributes)
        elif name in ("group", "trans-unit", "bin-unit"):
            # The header of a PO file that was made into XLIFF is no text.
            self.nest({"translate": "no"} if attributes.get("restype") == PO_HEADER else attributes)
            if name == "trans-unit":
                self.open_unit(attributes)
        elif name == "tool":
            self.tools[attributes.get("tool-id", "")] = attributes.get("tool-name", "")
        elif name == "phase":
            who = attributes.get("contact-name") or attributes.get("contact-email") or ""
            self.phases[attributes.get("phase-name", "")] = {"translator": who, "changed": attributes.get("date", "")}
        elif self.unit is not None:
            self.of_unit(self.unit, name, attributes)

    def open_file(self, attributes: dict[str, str]) -> None:
        """A <file>: a document."""
        if "original" not in attributes:
            raise self.wrong("<file> without original; expected the name of the document that it came from")
        self.document, self.known, self.tools, self.phases = attributes["original"], {}, {}, {}
        self.of_file = {"domain": attributes["category"]} if attributes.get("category") else {}
        self.speaks("source_language", "source-language", attributes)
        self.speaks("target_language", "target-language", attributes)

    def speaks(self, field_: str, key: str, attributes: dict[str, str]) -> None:
        """Note a language; files of one document may not differ in it."""
        said, known = attributes.get(key), getattr(self.bitext, field_)
        if said and known and said != known:
            raise self.wrong(
                f'<file> with {key}="{said[:20]}", but those before have {known!r}; make a file for each language pair'
            )
        setattr(self.bitext, field_, known or said)

    def open_unit(self, attributes: dict[str, str]) -> None:
        """A <trans-unit>."""
        if self.unit is not None:
            raise self.wrong("<trans-unit> inside <trans-unit>; close the first one")
        name = attributes.get("id")
        if name is None:
            raise self.wrong("<trans-unit> without an id; segments are known by it")
        if name in self.known:
            raise self.wrong(
                f"a second <trans-unit> {name[:60]} in file {self.document[:60]} (first on line {self.known[name]}); "
                f"ids must be unique in a <file>"
            )
        self.known[name] = self.line
        self.bitext.units += 1
        self.unit = TransUnit(name, self.line, dict(self.of_file))
        put_all(self.unit.facts, attributes)

    def of_unit(self, unit: TransUnit, name: str, attributes: dict[str, str]) -> None:
        """An element inside a unit."""
        if name in ("source", "seg-source", "target"):
            if ":" in self.inside[-1]:  # of an earlier version, which memoQ keeps in an element of its own
                return
            self.content = Content()
            if name == "target" and self.match is None:
                self.open_target(unit, attributes)
        elif name == "alt-trans":
            self.match = self.open_match(attributes)
        elif name in ("note", "prop") and self.match is None:
            self.text, self.key = [], "" if attributes.get("from") == OURS else attributes.get("prop-type", name)
        elif name == "count":
            self.text, self.key = [], attributes.get("count-type", "")
        elif name == "sdl:seg":
            self.about = unit.parts.setdefault(attributes.get("id", ""), {})
            for key, known in SDL_FACTS.items():
                put(self.about, known, attributes.get(key, ""))
        elif name == "sdl:value" and self.about is not None:
            self.text, self.key = [], attributes.get("key", "")

    def open_target(self, unit: TransUnit, attributes: dict[str, str]) -> None:
        """A <target>: its state, and the phase in which it was made."""
        put(unit.facts, "state", attributes.get("state", ""))
        put(unit.facts, "origin", attributes.get("state-qualifier", ""))
        for name, value in self.phases.get(attributes.get("phase-name", ""), {}).items():
            put(unit.facts, name, value)
        put_all(unit.facts, attributes)

    def open_match(self, attributes: dict[str, str]) -> AltTrans:
        """An <alt-trans>: by whom, for which segment, and how good it says that it is."""
        tool = attributes.get("tool-id", "")
        name = attributes.get("origin") or self.tools.get(tool) or attributes.get("tool") or tool or "alt-trans"
        kind = attributes.get("alttranstype", "proposal")
        quality = percent(attributes.get("match-quality", ""))
        return AltTrans(name, attributes.get("mid", ""), quality, kind == "accepted", wanted=kind not in NO_OUTPUT)

    def filled(self, name: str, content: Content) -> None:
        """A source or target has ended, of the unit or of a match."""
        if self.match is not None:
            if name == "target":
                self.match.target = content
        elif self.unit is not None:
            if name in self.unit.contents:
                raise self.wrong(f"a second <{name}> in trans-unit {self.unit.id[:60]}; a unit has one")
            self.unit.contents[name] = content

    def finish(self, name: str) -> None:
        """Matches, notes and units as they end."""
        unit = self.unit
        if name == "trans-unit" and unit is not None:
            self.close_unit(unit)
            self.unit = None
        elif name == "alt-trans" and unit is not None and self.match is not None:
            unit.matches += [self.match] if self.match.wanted and self.match.target is not None else []
            self.match = None
        elif name in ("note", "prop", "count", "sdl:value") and self.text is not None and unit is not None:
            self.keep(unit, name, self.taken())
        elif name == "sdl:seg":
            self.about = None
        if name in ("group", "trans-unit", "bin-unit"):
            self.translatable.pop()

    def keep(self, unit: TransUnit, name: str, text: str) -> None:
        """What an element with only text says."""
        if name == "note":
            note(unit.facts, text if self.key else "")
        elif name == "sdl:value" and self.about is not None:
            put(self.about, self.key, text)
        elif name in ("prop", "count"):
            about(unit.facts, self.key, text)

    # From a unit to its segments

    def close_unit(self, unit: TransUnit) -> None:
        """The unit's segments: those that are marked in it, or the whole."""
        if "source" not in unit.contents:
            raise self.wrong(f"trans-unit {unit.id[:60]} has no <source>; each needs one")
        source, target = unit.contents["source"], unit.contents.get("target")
        marks = unit.contents.get("seg-source", source).marked
        divided = bool(marks) and (target is None or bool(target.marked) or len(marks) == 1)
        numbers = Numbers()
        self.give_out(unit, marks if divided else [""])
        if not divided:
            self.add_segment(unit, "", source.parts, None if target is None else target.parts, numbers)
            return
        for part, parts in marks.items():
            said = None if target is None else target.marked.get(part, target.parts if not target.marked else None)
            self.add_segment(unit, part, parts, said, numbers)

    def add_segment(
        self, unit: TransUnit, part: str, source: list[Part], target: list[Part] | None, numbers: Numbers
    ) -> None:
        """One segment with the matches that are for it."""
        tags, facts = self.tags, unit.facts | unit.parts.get(part, {})
        state = facts.get("state", "")
        segment = BitextSegment(
            unit=unit.id,
            part=part,
            document=self.document,
            line=unit.line,
            number=self.bitext.units,
            source=render(source, tags, numbers),
            targets=() if target is None else (render(target, tags, numbers),),
            finished=state not in UNFINISHED,
            facts=facts,
        )
        for name, match, said in self.best(unit, part):
            segment.outputs[name] = render(said, tags, numbers)
            if match.accepted:
                facts["engine"] = name
        self.add(segment)

    def best(self, unit: TransUnit, part: str) -> Iterator[tuple[str, AltTrans, list[Part]]]:
        """The best match of each origin for a segment; the first of equals."""
        found: dict[str, tuple[AltTrans, list[Part]]] = {}
        for match, said in unit.said.get(part, ()):
            if match.name in found:
                self.bitext.dropped["proposal", "one as good or better of the same origin is there"] += 1
            if match.name not in found or match.quality > found[match.name][0].quality:
                found[match.name] = match, said
        return ((name, match, said) for name, (match, said) in found.items())

    def give_out(self, unit: TransUnit, parts: Collection[str]) -> None:
        """Give each match to the segment that it is for; `parts` are the unit's segments, or the whole."""
        only = next(iter(parts)) if len(parts) == 1 else None
        for match in unit.matches:
            if match.target is None:
                continue
            if only == "" or (only is not None and match.part in ("", only)):
                mine = {only: match.target.parts}
            elif match.part:
                mine = {match.part: match.target.parts}
            else:
                mine = match.target.marked
            for part, said in mine.items():
                unit.said.setdefault(part, []).append((match, said))
            if not mine:
                self.bitext.dropped["proposal", "for a unit of several segments it does not say which it is for"] += 1
