"""What every detector reads and returns: texts, knowledge of the test set, hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from tertium.analysis.detect.rules import HouseRules
from tertium.text.letters import casefolded, folded_words, letter_words, word_pattern
from tertium.text.numerals import Numeral, has_numerals, numerals

ENDING = 2  # letters by which a word may be inflected
ROOT = 5  # first letters that make two words forms of one: reserved, reservation
RARE = 100  # a word of the target language is not a hundred times rarer in it than in the source
Span = tuple[int, int]  # character offsets [start, end)
T = TypeVar("T")


class Word(NamedTuple):
    """A run of letters with its combining marks, and where it stands."""

    text: str
    key: str  # case-folded
    start: int
    end: int


class Text:
    """An output, a source or a reference; words and numbers are looked for once."""

    def __init__(self, text: str, language: str | None = None) -> None:
        self.text = text
        self.language = language

    @cached_property
    def folded(self) -> list[str]:
        """The words from left to right, case-folded."""
        return folded_words(self.text) if self.text.isascii() else casefolded(self.tokens)

    @cached_property
    def keys(self) -> frozenset[str]:
        """The different words, case-folded."""
        return frozenset(self.folded)

    @cached_property
    def tokens(self) -> list[str]:
        """The words from left to right, as they are written."""
        return letter_words(self.text)

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
        if key in self.keys or key[:ROOT] in self.roots or (len(key) < ROOT and key in self.stems):
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
        return numerals(self.text, self.language) if has_numerals(self.text, self.keys, self.language) else []

    @cached_property
    def values(self) -> frozenset[str]:
        """All that its numbers can mean."""
        return frozenset(value for numeral in self.numerals for value in numeral.values)


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
    languages: Callable[[], frozenset[str]] = frozenset  # what the references are taken for
    house: HouseRules = field(default_factory=HouseRules)  # rules that the user names

    @cached_property
    def target(self) -> frozenset[str]:
        """Words that references say not nearly so seldom as sources do."""
        source = self.source_counts
        return frozenset(word for word, count in self.reference_counts.items() if count * RARE > source[word])

    def is_foreign(self, word: str) -> bool:
        """Whether a word, case-folded, is none of the target language's: as far as the test set can tell.

        Common source words turn up in references too (a title that is quoted), but not nearly as often.
        """
        return word not in self.target and self.own_counts[word] * RARE <= self.source_counts[word]


class Segment:
    """What an output is compared with."""

    def __init__(self, source: Text | None, references: tuple[Text, ...], known: Knowledge) -> None:
        self.source = source
        self.references = references
        self.known = known
        self._done: dict[Callable[[Segment], Any], Any] = {}

    def once(self, work: Callable[[Segment], T]) -> T:
        """The result of a function for this segment, computed for the first output that needs it and kept for the
        others."""
        try:
            found: T = self._done[work]
        except KeyError:
            found = self._done[work] = work(self)
        return found

    @property
    def texts(self) -> list[Text]:
        """References and source, which excuse what they do too."""
        return [*self.references, *([self.source] if self.source else [])]

    @cached_property
    def kept(self) -> frozenset[str]:
        """The words of all references, case-folded."""
        return frozenset[str]().union(*(text.keys for text in self.references))

    @cached_property
    def unkept(self) -> frozenset[str]:
        """The words of the source that no reference has, case-folded."""
        return frozenset() if self.source is None else self.source.keys - self.kept


class Hit(NamedTuple):
    """One place where something looks wrong."""

    severity: float  # the share of what the detector looks at that is wrong: 0 to 1
    evidence: str
    output: Span | None = None
    source: Span | None = None


class Detector(NamedTuple):
    """A name, what it looks for in words for people, what it cannot do without, and the search itself."""

    name: str
    meaning: str
    needs: frozenset[str]  # of "source", "references", "either", "langid", "locale", and rules of the house
    find: Callable[[Text, Segment], Iterable[Hit]]
    excused: bool = False  # finds nothing in a reference by the way it works, unless another reference judges

    def can_judge(self, has_source: bool, has_references: bool) -> bool:
        """Whether a segment with or without these has what the detector needs."""
        there = {"langid", "locale", "glossary", "forbidden", "limits"} | (
            {"source", "either"} if has_source else set()
        )
        return self.needs <= there | ({"references", "either"} if has_references else set())
