"""What WMT files have in common: source, references and systems, joined by document and segment id."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.io.columns import sparse_limit

Key = tuple[str, str]  # document, segment id

BREAK = re.compile(r"(?<![ \t])[ \t]*+[\r\n][ \t\r\n]*+")  # tried once for each run of spaces, not for each space


def clean(text: str) -> str:
    """A segment without white space around it; a line break in it is a space: a segment is one line."""
    return BREAK.sub(" ", text.strip(" \t\r\n"))


@dataclass
class Side:
    """One side of a test set: the source, a reference or a system."""

    role: str  # src, ref, hyp
    name: str
    origin: str
    texts: dict[Key, str] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """`src`, `ref.A`, `hyp.NAME`."""
        return f"{self.role}.{self.name}" if self.name else self.role

    def add(self, key: Key, text: str, line: int) -> None:
        """Add a segment; each may come once."""
        if key in self.texts:
            raise InputError(
                f"{self.origin}:{line}: segment {key[1]} of document {key[0]} is in {self.label} twice "
                f"(first on line {self.lines[key]}); remove one"
            )
        self.texts[key], self.lines[key] = clean(text), line


@dataclass
class WmtDocuments:
    """All sides of a test set, and facts about its documents."""

    name: str
    sides: dict[tuple[str, str], Side] = field(default_factory=dict)
    facts: dict[str, dict[str, str]] = field(default_factory=dict)  # by document: collection, domain, origlang
    source_languages: set[str] = field(default_factory=set)
    target_languages: set[str] = field(default_factory=set)

    def side(self, role: str, name: str, origin: str) -> Side:
        """The side of that role and name, a new one where there is none."""
        return self.sides.setdefault((role, name), Side(role, name, origin))

    def speaks(self, role: str, language: str | None) -> None:
        """Note the language of a side; old files have `any` where it is unknown."""
        if language and language != "any":
            (self.source_languages if role == "src" else self.target_languages).add(language)

    def keys(self) -> tuple[Key, ...]:
        """The segments in order: the source's, or those of the side with most; no side may have others."""
        sides = list(self.sides.values())
        leader = self.sides.get(("src", "")) or max(sides, key=lambda side: len(side.texts))
        for side in sides:
            for key in side.texts:
                if key not in leader.texts:
                    raise InputError(
                        f"{side.origin}:{side.lines[key]}: segment {key[1]} of document {key[0]} is in "
                        f"{side.label}, but not in {leader.label} ({leader.origin}); do they belong together?"
                    )
        return tuple(leader.texts)

    def columns(self) -> dict[tuple[str, str], Lines]:
        """The texts of every side, missing where it lacks a segment."""
        keys = self.keys()
        sides = list(self.sides.values())
        if len(keys) * len(sides) > sparse_limit(sum(len(side.texts) for side in sides)):
            raise InputError(
                f"{sides[0].origin}: {len(sides)} sides of {len(keys)} segments, nearly all of which are missing; "
                f"is each segment called a system?"
            )
        return {at: Lines.of([side.texts.get(key) for key in keys], side.label) for at, side in self.sides.items()}

    def evaluation_parts(self) -> tuple[TestSet, tuple[System, ...]]:
        """The test set and the systems."""
        keys, columns = self.keys(), self.columns()
        testset = TestSet(
            name=self.name,
            source_language=_only(self.source_languages),
            target_language=_only(self.target_languages),
            segments=len(keys),
            sources=columns.get(("src", "")),
            references=References(tuple(texts for (role, _), texts in columns.items() if role == "ref"), len(keys)),
            documents=tuple(document for document, _ in keys),
            ids=tuple(f"{document}:{segment}" for document, segment in keys),
            labels=self._labels(keys),
        )
        systems = tuple(
            System(name=name or role, outputs=texts, origin=self.sides[role, name].origin)
            for (role, name), texts in columns.items()
            if role == "hyp"
        )
        return testset, systems

    def _labels(self, keys: tuple[Key, ...]) -> dict[str, tuple[str, ...]]:
        """Facts about documents as labels of their segments, empty where a document lacks one."""
        names = dict.fromkeys(name for document, _ in keys for name in self.facts.get(document, {}))
        return {name: tuple(self.facts.get(document, {}).get(name, "") for document, _ in keys) for name in names}


def _only(languages: set[str]) -> str | None:
    return next(iter(languages)) if len(languages) == 1 else None
