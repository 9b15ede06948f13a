"""The rules of a house, which it names itself: a glossary, words that are forbidden, limits of length."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tertium.core.errors import MissingPackageError, OptionError
from tertium.core.testset import TestSet
from tertium.io.glossary import glossary_languages, read_forbidden, read_glossary
from tertium.text.glossary import TermChecker, TermFinder

LIMIT = re.compile(r"([0-9]{1,9})(?:\.([0-9]{1,3}))?(%?)")
Given = str | Path


class LengthLimit(NamedTuple):
    """So many characters, or such a share of the source's."""

    characters: int | None = None
    share: float | None = None

    @classmethod
    def parse(cls, text: str) -> LengthLimit:
        """`80`: characters; `130%`: of the source."""
        found = LIMIT.fullmatch(text.strip())
        if found is None or (found[2] and not found[3]):
            raise OptionError(f"length limit {text!r}: write characters (80), or a share of the source's (130%)")
        if found[3]:
            return cls(share=float(f"{found[1]}.{found[2] or 0}") / 100)
        return cls(characters=int(found[1]))

    def of(self, source: int | None) -> int | None:
        """How many characters an output may have; None where that depends on a source that is missing."""
        if self.share is None:
            return self.characters
        return None if source is None else math.floor(self.share * source + 1e-9)


class ForbiddenWords:
    """Words and phrases as they are written, in any case; one that ends in `*` with any ending."""

    def __init__(self, words: Iterable[tuple[str, str]]) -> None:
        self.words = list(words)
        self._finder = TermFinder((word for word, _ in self.words), stem=False)
        self._signs = [self._around(word.removesuffix("*")) for word, _ in self.words]
        self._starts = {word[:-1].casefold(): instead for word, instead in self.words if word.endswith("*")}
        self._lengths = sorted({len(start) for start in self._starts})

    def _around(self, word: str) -> tuple[str, str]:
        """The signs before and behind the letters: C++ is not C."""
        units = self._finder.units(word)
        return (word[: units[0].start], word[units[-1].end :]) if units else ("", "")

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where a text has them, and what to write instead."""
        found = {}
        for place in self._finder.every(text):
            before, behind = self._signs[place.term]
            start = place.start - len(before)
            if start >= 0 and text.startswith(before, start) and text.startswith(behind, place.end):
                found[start, place.end + len(behind)] = self.words[place.term][1]
        for unit in self._finder.units(text) if self._starts else ():
            for length in self._lengths:
                if unit.key[:length] in self._starts:
                    found.setdefault((unit.start, unit.end), self._starts[unit.key[:length]])
        wrong = sorted(found.items())  # not what is to be written: e-mail, instead of which E-Mail is wanted
        return ((start, end, instead) for (start, end), instead in wrong if text[start:end] != instead)


@dataclass(frozen=True)
class HouseRules:
    """What a house asks for; nothing of what it does not name."""

    terms: TermChecker | None = None
    forbidden: ForbiddenWords | None = None
    limits: tuple[LengthLimit, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has(self) -> frozenset[str]:
        """Which of the detectors' needs are met."""
        parts = {"glossary": self.terms, "forbidden": self.forbidden, "limits": self.limits or None}
        return frozenset(name for name, part in parts.items() if part is not None)


def read_house(
    testset: TestSet,
    glossary: Given | None = None,
    forbidden: Given | None = None,
    max_length: str | int | Iterable[str | int] | None = None,
) -> HouseRules:
    """The rules in files, ready for the languages of a test set."""
    notes: list[str] = []
    checker = None
    if glossary is not None:
        found = read_glossary(glossary, (testset.source_language, testset.target_language))
        try:
            checker = TermChecker(found, *glossary_languages(found, testset))
        except MissingPackageError:
            notes.append('terms are compared as they are written: stems need pip install "tertium[meteor]"')
            checker = TermChecker(found, None, None, stem=False)
        notes += checker.notes()
    given = () if max_length is None else [max_length] if isinstance(max_length, str | int) else max_length
    words = None if forbidden is None else ForbiddenWords(read_forbidden(forbidden))
    return HouseRules(checker, words, tuple(LengthLimit.parse(str(one)) for one in given), tuple(notes))
