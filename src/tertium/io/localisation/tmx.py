"""TMX, translation memories: units (<tu>) in which the same text stands in several languages.

    <tmx version="1.4"> <header srclang="de" ...> <body>
      <tu tuid="7" changeid="ada"> <prop type="client">..</prop>
        <tuv xml:lang="de"> <seg>, <tuv xml:lang="en"> <seg>

The language of the header is the source, the other one the target; a target that stands there twice is two references.
Standard: TMX 1.4b, LISA OSCAR (2005).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tertium.core.errors import InputError
from tertium.core.wording import counted
from tertium.io.columns import sparse_limit
from tertium.io.localisation.bitext import Bitext, BitextSegment
from tertium.io.localisation.facts import about, note, put_all
from tertium.io.localisation.inline import Content
from tertium.io.localisation.tags import Numbers, render
from tertium.io.localisation.xml import XmlFollower

ANY = "*all*"  # srclang of a memory in which every language may be the source


@dataclass
class TmxUnit:
    """A <tu> as far as it was read."""

    id: str
    line: int
    source: str  # the language that it says is its source, lower case
    facts: dict[str, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)  # by language, lower case


class Tmx(XmlFollower):
    """Reads units as they end."""

    def __init__(self, path: str, tags: str) -> None:
        super().__init__(path)
        self.tags = tags
        self.source = ""  # srclang
        self.languages: dict[str, str] = {}  # as they are written, by their lower case
        self.entries: list[TmxUnit] = []
        self.entry: TmxUnit | None = None
        self.numbers = Numbers()
        self.language = ""  # of the <tuv> that we are in
        self.filled = False  # whether it has its <seg>
        self.content: Content | None = None
        self.depth = 0
        self.text: list[str] | None = None
        self.key = ""

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Units, variants, segments, and what is known of them."""
        if self.content is not None:
            self.depth += 1
            self.content.open(name, attributes)
        elif not self.inside and name != "tmx":
            raise self.wrong(f"the root is <{name[:60]}>; expected <tmx>")
        elif name == "header":
            self.source = attributes.get("srclang", "").lower()
        elif name == "tu":
            self.open_unit(attributes)
        elif self.entry is not None:
            self.of_unit(self.entry, name, attributes)

    def open_unit(self, attributes: dict[str, str]) -> None:
        """A <tu>."""
        if self.entry is not None:
            raise self.wrong("<tu> inside <tu>; close the first one")
        number = len(self.entries) + 1
        source = attributes.get("srclang", self.source).lower()
        self.entry = TmxUnit(attributes.get("tuid") or str(number), self.line, source)
        self.numbers = Numbers()
        put_all(self.entry.facts, attributes)

    def of_unit(self, entry: TmxUnit, name: str, attributes: dict[str, str]) -> None:
        """An element inside a unit."""
        if name == "tuv":
            self.filled = False
            self.language = attributes.get("xml:lang") or attributes.get("lang") or ""
            if not self.language:
                raise self.wrong(f"<tuv> of unit {entry.id[:60]} without xml:lang; expected its language")
            put_all(entry.facts, attributes)
        elif name == "seg":
            if not self.language:
                raise self.wrong(f"<seg> of unit {entry.id[:60]} outside <tuv>; expected its language around it")
            if self.filled:
                raise self.wrong(f"a second <seg> in one <tuv> of unit {entry.id[:60]}; each has one")
            self.filled = True
            self.content = Content()
        elif name in ("note", "prop"):
            self.text, self.key = [], attributes.get("type", name) if name == "prop" else name

    def words(self, text: str) -> None:
        """Text of a segment, or of a note."""
        if self.content is not None:
            self.content.words(text)
        elif self.text is not None:
            self.text.append(text)

    def close(self, name: str) -> None:
        """Segments, notes and units as they end."""
        entry = self.entry
        if self.content is not None and self.depth:
            self.depth -= 1
            self.content.close(name)
        elif self.content is not None and entry is not None:
            key = self.language.lower()
            self.languages.setdefault(key, self.language)
            entry.texts.setdefault(key, []).append(render(self.content.parts, self.tags, self.numbers))
            self.content = None
        elif name == "tuv":
            self.language = ""
        elif name in ("note", "prop") and self.text is not None and entry is not None:
            text, self.text = "".join(self.text), None
            if name == "note":
                note(entry.facts, text)
            else:
                about(entry.facts, self.key, text)
        elif name == "tu" and entry is not None:
            if not entry.texts:
                raise self.wrong(f"unit {entry.id[:60]} has no <tuv> with a <seg>; each needs one")
            self.entries.append(entry)
            self.entry = None


def read_tmx(data: Any, path: str, tags: str) -> Bitext:
    """The units of a memory; where it has more than two languages, a column for each."""
    memory = Tmx(path, tags)
    memory.follow(data)
    if not memory.entries:
        raise InputError(f"{path}: no <tu> with texts; is it the file that was meant?")
    source = _source(memory)
    remarks = _join_varieties(memory, source)
    others = [language for language in memory.languages if language != source]
    target = others[0] if len(others) == 1 else None
    bitext = Bitext(path, tags, remarks=remarks)
    bitext.source_language = memory.languages[source]
    bitext.target_language = None if target is None else memory.languages[target]
    for entry in memory.entries:
        own = entry.texts.get(source)
        if own is not None and len(own) > 1:
            bitext.dropped["text", "a unit has one source, and these have several; the first is read"] += len(own) - 1
        bitext.segments.append(
            BitextSegment(
                unit=entry.id,
                line=entry.line,
                source=None if own is None else own[0],
                targets=tuple(entry.texts.get(target, ())) if target else (),
                facts=entry.facts,
            )
        )
    if len(others) > 1:
        filled = sum(len(entry.texts) for entry in memory.entries)
        if len(others) * len(memory.entries) > sparse_limit(filled):
            raise InputError(
                f"{path}: {counted(len(memory.entries), 'unit')} in {len(others)} languages, nearly all of which are "
                f"missing; is xml:lang the language of each text?"
            )
        bitext.languages = {
            memory.languages[key]: [entry.texts.get(key, [None])[0] for entry in memory.entries] for key in others
        }
    return bitext


def _source(memory: Tmx) -> str:
    """The language of the sources: what the header says, or a variety of it; of any, the one that comes first."""
    said = memory.source or memory.entries[0].source
    if said in memory.languages:
        return said
    if said and said != ANY:
        kin = [language for language in memory.languages if language.split("-")[0] == said.split("-")[0]]
        if len(kin) != 1:
            known = ", ".join(memory.languages.values())
            raise InputError(
                f'{memory.path}: srclang="{said[:20]}", but no <tuv> is in that language; there are: {known[:200]}'
            )
        return kin[0]
    return next(iter(memory.languages))


def _join_varieties(memory: Tmx, source: str) -> list[str]:
    """Read `en` and `en-US` as one language where no unit has both: of the sources, and of the only two others. In
    sentences, what was joined."""
    found = _join(memory, source, [language for language in memory.languages if _kin(language, source)])
    others = [language for language in memory.languages if language != source]
    if len(others) == 2 and _kin(*others):
        found += _join(memory, others[0], others[1:])
    return found


def _kin(one: str, other: str) -> bool:
    """Whether one of two tags is the other one with a region, a script or the like behind it."""
    return one != other and (one.startswith(f"{other}-") or other.startswith(f"{one}-"))


def _join(memory: Tmx, language: str, varieties: list[str]) -> list[str]:
    """Read the texts of varieties as those of a language, if a unit has at most one of them all."""
    family = {language, *varieties}
    if not varieties or any(len(family.intersection(entry.texts)) > 1 for entry in memory.entries):
        return []
    names = ", ".join(memory.languages.pop(variety) for variety in varieties)
    for entry in memory.entries:
        for variety in family.intersection(entry.texts):
            entry.texts[language] = entry.texts.pop(variety)
    return [f"{memory.path}: texts in {names[:200]} are read as {memory.languages[language]}"]
