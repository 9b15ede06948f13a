"""What every detector is given and gives back: texts read once, what is known of the test set, hits."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

from tertium.text.numerals import Numeral, numerals

ENDING = 2  # letters by which a word may be inflected
ROOT = 5  # first letters that make two words forms of one: reserved, reservation
Span = tuple[int, int]  # character offsets [start, end)


class Word(NamedTuple):
    """A run of letters with its combining marks, and where it stands."""

    text: str
    key: str  # case-folded
    start: int
    end: int


@cache
def word_pattern() -> re.Pattern[str]:
    """Letters and their marks: vowel signs of many scripts are not letters to `re`."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    return re.compile(rf"[^\W\d_]+(?:[{re.escape(marks)}]+[^\W\d_]*)*")


class Text:
    """An output, a source or a reference; words and numbers are looked for once."""

    def __init__(self, text: str, language: str | None = None) -> None:
        self.text = text
        self.language = language

    @cached_property
    def tokens(self) -> list[str]:
        """The words from left to right, as they are written."""
        return word_pattern().findall(self.text)

    @cached_property
    def folded(self) -> list[str]:
        """The words from left to right, case-folded."""
        return [token.casefold() for token in self.tokens]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The words, case-folded."""
        return frozenset(self.folded)

    @cached_property
    def stems(self) -> dict[str, str]:
        """Every word, case-folded, by what is left of it without its last letters."""
        return {key[:-n]: key for n in range(ENDING, 0, -1) for key in reversed(self.folded)}

    @cached_property
    def roots(self) -> frozenset[str]:
        """The first letters of the longer words, case-folded."""
        return frozenset(key[:ROOT] for key in self.keys if len(key) >= ROOT)

    def has_form_of(self, key: str) -> bool:
        """Whether the text has a word, case-folded, or one that differs from it in its ending."""
        if key in self.keys or key[:ROOT] in self.roots or key in self.stems:
            return True
        return any(key[:-n] in self.keys for n in range(1, ENDING + 1) if len(key) - n >= ROOT - 1)

    @cached_property
    def words(self) -> list[Word]:
        """The words and where they stand: for the few texts in which something is found."""
        places = word_pattern().finditer(self.text)
        return [Word(match[0], key, *match.span()) for match, key in zip(places, self.folded, strict=True)]

    @cached_property
    def numerals(self) -> list[Numeral]:
        """The numbers from left to right."""
        return numerals(self.text, self.language)


class Segment(NamedTuple):
    """What an output is compared with."""

    source: Text | None
    references: tuple[Text, ...]


class Hit(NamedTuple):
    """One place where something looks wrong."""

    severity: float  # the share of what the detector looks at that is wrong: 0 to 1
    evidence: str
    output: Span | None = None
    source: Span | None = None


@dataclass
class Knowledge:
    """What the whole test set tells a detector; read in one pass before any segment is judged."""

    source_counts: Counter[str] = field(default_factory=Counter)  # words, case-folded
    reference_counts: Counter[str] = field(default_factory=Counter)
    reference_words: int = 0  # in all, counted again where they recur
    own_counts: Counter[str] = field(default_factory=Counter)  # in outputs, where the source does not say them
    small: set[str] = field(default_factory=set)  # words that references write without a capital
    ratio: float | None = None  # characters of translation per character of source
    identify: Callable[[str], tuple[str, float]] | None = None  # language and probability of a text
    languages: frozenset[str] = frozenset()  # what the references are taken for


class Detector(NamedTuple):
    """A name, what it looks for in words for people, what it cannot do without, and the search itself."""

    name: str
    meaning: str
    needs: frozenset[str]  # of "source", "references", "either", "langid"
    find: Callable[[Text, Segment, Knowledge], Iterable[Hit]]
    excused: bool = False  # finds nothing in a reference by the way it works, unless another reference judges

    def can_judge(self, has_source: bool, has_references: bool) -> bool:
        """Whether a segment with or without these has what the detector needs."""
        there = {"langid"} | ({"source", "either"} if has_source else set())
        return self.needs <= there | ({"references", "either"} if has_references else set())
