"""Glossaries: what a term has to be called, found in texts in any inflection that a stemmer knows.

Texts and terms are read alike: words, case-folded and reduced to their stems; of scripts without spaces, characters. A
term is a run of such units, so finding all terms of a text takes a time that grows with the text alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import NamedTuple

from tertium.core.errors import MissingPackageError
from tertium.text.letters import word_marks
from tertium.text.terms import STEMMERS, language_code

INSTALL = 'pip install "tertium[meteor]"'
WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)  # Thai, Lao, Burmese, Khmer, kana, Han
LONGEST = 100  # units of a term
COMPOUNDING = frozenset({"da", "de", "fi", "hu", "is", "nb", "nl", "nn", "no", "sv"})  # "Kontoeinstellungen"
PART = 4  # letters of a stem that is looked for within a longer word
WHOLE = 60  # letters of a word in which parts are looked for


class TermUnit(NamedTuple):
    """A word or a character as terms are compared, and where it stands."""

    key: str
    start: int
    end: int


class TermPlace(NamedTuple):
    """Where a term stands in a text."""

    term: int
    start: int
    end: int


@cache
def unit_pattern() -> re.Pattern[str]:
    """Words, of letters and digits with their marks; characters of scripts without spaces."""
    letters = rf"[^\W_{WITHOUT_SPACES}]"
    return re.compile(rf"[{WITHOUT_SPACES}]|{letters}+(?:[{word_marks()}]+{letters}*)*")


def stemmer_of(language: str | None) -> Callable[[str], str] | None:
    """Snowball's stemmer of a language; None where it has none."""
    code = language_code(language)
    if code not in STEMMERS:
        return None
    if find_spec("Stemmer") is None:
        raise MissingPackageError(
            f"terms in their inflections need a package that is not installed: {INSTALL}; or compare words as they "
            f"are written: terms(stem=False)"
        )
    stem: Callable[[str], str] = import_module("Stemmer").Stemmer(STEMMERS[code], 0).stemWord
    return stem


def stemmer_name(language: str | None) -> str:
    """What a signature must say of it."""
    return f"snowball/{version('PyStemmer')}" if language_code(language) in STEMMERS else "none"


class TermFinder:
    """Terms of one language, and where texts have them."""

    def __init__(self, terms: Iterable[str], language: str | None = None, *, stem: bool = True) -> None:
        self._stem = stemmer_of(language) if stem else None
        self._stems: dict[str, str] = {}
        self._parts: dict[str, tuple[int, ...]] = {}  # of the words that were looked into
        self._compounds = stem and language_code(language) in COMPOUNDING
        self._numbers: dict[tuple[str, ...], list[int]] = {}
        self._lengths: dict[str, list[int]] = {}  # of the terms that begin with a unit, the longest first
        for number, term in enumerate(terms):
            key = tuple(unit.key for unit in self.units(term))
            if key:
                self._numbers.setdefault(key, []).append(number)
                self._lengths.setdefault(key[0], []).append(len(key))
        self._lengths = {first: sorted(set(found), reverse=True) for first, found in self._lengths.items()}

    def units(self, text: str) -> list[TermUnit]:
        """The words and characters of a text."""
        found = unit_pattern().finditer(text)
        return [TermUnit(self._key(match[0]), match.start(), match.end()) for match in found]

    def _key(self, word: str) -> str:
        known = self._stems.get(word)
        if known is None:
            folded = word.casefold()
            known = self._stems[word] = folded if self._stem is None else self._stem(folded) or folded
        return known

    def longest(self, text: str) -> Iterator[TermPlace]:
        """Terms from left to right, the longest of those that begin at a word; none lies within another."""
        units, at = self.units(text), 0
        while at < len(units):
            place = next(self._from(units, at), None)
            if place is None:
                at += 1
                continue
            length, numbers = place
            for number in numbers:
                yield TermPlace(number, units[at].start, units[at + length - 1].end)
            at += length

    def every(self, text: str) -> Iterator[TermPlace]:
        """Terms from left to right, also those that lie within others or within compounds."""
        units = self.units(text)
        for at, unit in enumerate(units):
            for length, numbers in self._from(units, at):
                for number in numbers:
                    yield TermPlace(number, unit.start, units[at + length - 1].end)
            if self._compounds and PART < len(unit.key) <= WHOLE:
                if unit.key not in self._parts:
                    self._parts[unit.key] = tuple(self._within(unit.key))
                for number in self._parts[unit.key]:
                    yield TermPlace(number, unit.start, unit.end)

    def _from(self, units: Sequence[TermUnit], at: int) -> Iterator[tuple[int, list[int]]]:
        """The terms that begin at a unit, the longest first: how many units, and the numbers of the terms."""
        for length in self._lengths.get(units[at].key, ()):
            key = tuple(unit.key for unit in units[at : at + length])
            if len(key) == length and key in self._numbers:
                yield length, self._numbers[key]

    def _within(self, word: str) -> Iterator[int]:
        """Terms of one word with which a longer word begins or ends."""
        for cut in range(1, len(word)):
            for part in (word[:cut], word[cut:]):
                if len(part) >= PART:
                    yield from self._numbers.get((part,), ())


class GlossaryEntry(NamedTuple):
    """A term of the source, and what it may be called in the translation."""

    source: str
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Glossary:
    """Entries, and the languages that the file names."""

    name: str
    entries: tuple[GlossaryEntry, ...]
    source_language: str | None = None
    target_language: str | None = None

    def __len__(self) -> int:
        return len(self.entries)


class Demand(NamedTuple):
    """A term of the source, where it stands, and where the output says it; None where it does not."""

    entry: GlossaryEntry
    source: tuple[int, int]
    output: tuple[int, int] | None


@dataclass
class TermChecker:
    """A glossary made ready for texts of two languages."""

    glossary: Glossary
    source_language: str | None
    target_language: str | None
    stem: bool = True
    _sources: TermFinder = field(init=False, repr=False)
    _targets: TermFinder = field(init=False, repr=False)
    _entries: list[int] = field(init=False, repr=False)  # of each target the entry

    def __post_init__(self) -> None:
        entries = self.glossary.entries
        self._sources = TermFinder((entry.source for entry in entries), self.source_language, stem=self.stem)
        self._entries = [number for number, entry in enumerate(entries) for _ in entry.targets]
        targets = (target for entry in entries for target in entry.targets)
        self._targets = TermFinder(targets, self.target_language, stem=self.stem)

    def notes(self) -> list[str]:
        """What limits the search, in sentences."""
        if not self.stem:
            return []
        languages = {"source": self.source_language, "target": self.target_language}
        unknown = [side for side, language in languages.items() if language is None]
        if unknown:
            return [
                f"the {' and the '.join(unknown)} language is not known: its terms are compared as they are written"
            ]
        unstemmed = [str(one) for one in languages.values() if language_code(one) not in STEMMERS]
        return [f"there is no stemmer for {' and '.join(unstemmed)}: terms are found as they are written"] * bool(
            unstemmed
        )

    def demanded(self, source: str) -> tuple[TermPlace, ...]:
        """The terms of a source, each once, by the number of the entry."""
        first: dict[int, TermPlace] = {}
        for place in self._sources.longest(source):
            first.setdefault(place.term, place)
        return tuple(first.values())

    def said(self, output: str) -> dict[int, tuple[int, int]]:
        """The entries of which an output has a target term, and where it stands first."""
        found: dict[int, tuple[int, int]] = {}
        for place in self._targets.every(output):
            found.setdefault(self._entries[place.term], (place.start, place.end))
        return found

    def check(self, demanded: Sequence[TermPlace], output: str) -> list[Demand]:
        """What becomes of the terms of a source. Entries whose source terms are found in the same place are ways to say
        the same: one of them is enough."""
        if not demanded:
            return []
        said = self.said(output)
        places: dict[tuple[int, int], list[int]] = {}
        for place in demanded:
            places.setdefault((place.start, place.end), []).append(place.term)
        return [
            Demand(self._joined(numbers), at, next((said[number] for number in numbers if number in said), None))
            for at, numbers in places.items()
        ]

    def _joined(self, numbers: Sequence[int]) -> GlossaryEntry:
        entries = [self.glossary.entries[number] for number in numbers]
        return GlossaryEntry(entries[0].source, tuple(dict.fromkeys(t for entry in entries for t in entry.targets)))
