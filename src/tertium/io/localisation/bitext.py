"""Bitext: the segments of a localisation file, and the test set, systems and columns that they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import FILE, References, TestSet
from tertium.core.wording import counted
from tertium.io.columns import sparse_limit
from tertium.io.files import COMPRESSED
from tertium.io.localisation.facts import MOST_FACTS

LONGEST_STATE, MOST_STATES = 30, 6  # of states in a note: characters, and how many
LABELS = ("domain",)  # facts by which scores may be grouped; all others are records
OWN = ("source", "target", "document", "id")  # columns that every file has


@dataclass(slots=True)
class BitextSegment:
    """One segment: what is to be translated, its translation by people, those by engines, and what is known of it."""

    unit: str
    source: str | None
    targets: tuple[str, ...] = ()  # the first is the file's translation; a memory may have several
    finished: bool = True  # nobody says that the translation still has to be made
    document: str = ""
    part: str = ""  # of a unit that has several segments
    number: int = 0  # of the unit in its file, from 1
    line: int = 0
    outputs: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)


@dataclass
class Bitext:
    """The segments of one file or of several, in their order."""

    path: str
    tags: str | None  # how inline tags were read; None in a format that has none
    segments: list[BitextSegment] = field(default_factory=list)
    source_language: str | None = None
    target_language: str | None = None
    units: int = 0  # that were met so far
    languages: dict[str, list[str | None]] = field(default_factory=dict)  # of a memory with more than one target
    remarks: list[str] = field(default_factory=list)  # on how it was read
    dropped: Counter[tuple[str, str]] = field(default_factory=Counter)  # what was left out: a noun, and why

    @property
    def name(self) -> str:
        """The file's name without extensions."""
        file = Path(self.path)
        return (file.with_suffix("") if file.suffix in COMPRESSED else file).stem

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, in sentences."""
        left = [f"{self.path}: {counted(n, noun)} left out: {why}" for (noun, why), n in self.dropped.items()]
        open_ = [segment for segment in self.segments if not segment.finished and any(segment.targets)]
        if open_:
            states = dict.fromkeys(segment.facts.get("state", "")[:LONGEST_STATE] for segment in open_)
            known = ", ".join(list(states)[:MOST_STATES])
            left.append(
                f"{self.path}: {counted(len(open_), 'translation')} not used as a reference: not finished or not "
                f"confirmed (state {known})"
            )
        return (*left, *self.remarks)

    def ids(self) -> tuple[str, ...]:
        """Names of segments: the unit's, its document's before it where there are several, its part's behind it."""
        several = len({segment.document for segment in self.segments}) > 1
        return tuple(
            ":".join(name for name in (segment.document if several else "", segment.unit, segment.part) if name)
            for segment in self.segments
        )

    def outputs(self) -> dict[str, Lines]:
        """What each engine or memory said, missing where it said nothing."""
        names = list(dict.fromkeys(name for segment in self.segments for name in segment.outputs))
        filled = sum(len(segment.outputs) for segment in self.segments)
        if len(names) * len(self.segments) > sparse_limit(filled):
            raise InputError(
                f"{self.path}: {len(names)} origins of matches for {counted(len(self.segments), 'segment')}, nearly "
                f"all of which are missing; is each match given an origin of its own?"
            )
        return {name: self._texts([s.outputs.get(name) for s in self.segments], name) for name in names}

    def facts(self) -> dict[str, tuple[str, ...]]:
        """What is known about segments, by name, empty where it is not."""
        found = dict.fromkeys(name for segment in self.segments for name in segment.facts)
        names = sorted(found, key=lambda name: name.startswith("meta:"))  # those that have a meaning first
        return {name: tuple(segment.facts.get(name, "") for segment in self.segments) for name in names[:MOST_FACTS]}

    def targets(self, finished: bool = False) -> tuple[Lines, ...]:
        """Translations; only those that are `finished`, where it is asked for."""
        kept = [segment.targets if segment.finished or not finished else () for segment in self.segments]
        if finished:  # an empty translation of what is not empty has not been made
            kept = [
                tuple(text for text in texts if text or not segment.source)
                for texts, segment in zip(kept, self.segments, strict=True)
            ]
        several = max(map(len, kept), default=0)
        if several * len(kept) > sparse_limit(sum(map(len, kept))):
            raise InputError(f"{self.path}: one unit has {several} translations, and most have far fewer")
        return tuple(
            self._texts([texts[k] if k < len(texts) else None for texts in kept], "target") for k in range(several)
        )

    def _texts(self, texts: Sequence[str | None], name: str) -> Lines:
        return Lines.of(texts, f"{self.path}:{name}")

    def sources(self) -> Lines:
        """What is to be translated."""
        return self._texts([segment.source for segment in self.segments], "source")

    def testset(self) -> TestSet:
        """Sources, the finished translations as references, documents, ids, labels and records."""
        if self.languages:
            names = ", ".join(self.languages)
            raise InputError(
                f"{self.path}: translations into {len(self.languages)} languages ({names[:200]}); name one, such as "
                f"--src {self.path} --ref {self.path}:{next(iter(self.languages))}"
            )
        for segment in self.segments:
            segment.facts.setdefault(FILE, self.path)
        facts, documents = self.facts(), tuple(segment.document for segment in self.segments)
        references = References(self.targets(finished=True), len(self.segments))
        return TestSet(
            name=self.name,
            source_language=self.source_language,
            target_language=self.target_language,
            segments=len(self.segments),
            sources=self.sources(),
            references=references,
            documents=documents if any(documents) else None,
            ids=self.ids(),
            labels={name: values for name, values in facts.items() if name in LABELS},
            records={name: values for name, values in facts.items() if name not in LABELS},
            tags=self.tags,
        )

    def systems(self) -> tuple[System, ...]:
        """A system for every origin of matches."""
        return tuple(System(name=name, outputs=texts, origin=self.path) for name, texts in self.outputs().items())

    def columns(self) -> dict[str, tuple[Lines, ...]]:
        """The same as columns: source, target, hyp.NAME, document, id, and what is known about segments."""
        own: dict[str, tuple[Lines, ...]] = {
            "source": (self.sources(),),
            "target": self.targets() or (self._texts([None] * len(self.segments), "target"),),
            "document": (self._texts([segment.document for segment in self.segments], "document"),),
            "id": (self._texts(self.ids(), "id"),),
        }
        own |= {name: (self._texts(texts, name),) for name, texts in self.languages.items() if name not in own}
        own |= {f"hyp.{name}": (texts,) for name, texts in self.outputs().items()}
        return own | {name: (self._texts(values, name),) for name, values in self.facts().items() if name not in own}


def join_bitexts(parts: Sequence[Bitext], name: str) -> Bitext:
    """The segments of several files one after the other; equal documents of several files get the files' names."""
    owners: dict[str, set[str]] = {}
    for part in parts:
        for segment in part.segments:
            owners.setdefault(segment.document, set()).add(part.path)
    whole = Bitext(name, parts[0].tags)
    for part in parts:
        for segment in part.segments:
            if len(owners[segment.document]) > 1 or not segment.document:
                segment.document = "/".join(filter(None, (Path(part.path).name, segment.document)))
            segment.facts[FILE] = part.path
            whole.segments.append(segment)
        whole.dropped += part.dropped
        whole.remarks += part.remarks
    whole.source_language = agreed(part.source_language for part in parts)
    whole.target_language = agreed(part.target_language for part in parts)
    return whole


def agreed(languages: Iterable[str | None]) -> str | None:
    """The language that all name, None where they differ or none is named."""
    known = {language for language in languages if language}
    return known.pop() if len(known) == 1 else None
