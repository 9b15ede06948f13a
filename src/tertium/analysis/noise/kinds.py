"""Noises: what can be done to words, as values whose text is their name: `delete`, `permute(how="swap")`.

A noise says once, for every word, what would become of it. An aim says which words come first. A rate then touches the
first so many of them: exactly so many, and the words touched at a low rate are among those touched at a higher one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar, dataclass_transform

from tertium.analysis.noise.words import Words
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.metric import choose, make_metric, metric_text, read_text
from tertium.metrics import parse_each
from tertium.text.negation import negate, negation_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.analysis.noise.words import Numbers

MASK = "ꙮ"  # one letter that texts do not have: a single word to every tokenizer
NEIGHBOURS = 5  # types on either side that are about as frequent
WINDOW = (4, 9)  # words in which two spans change places


class Material(NamedTuple):
    """What a noise may draw on."""

    words: Words
    sources: Lines | None = None
    language: str | None = None  # of the words


class Rewriting(NamedTuple):
    """What becomes of every word: nothing (""), another text, or None where it cannot be touched.

    Words of one `unit` are touched together (-1: never); of a line's `tail`, later words go first.
    """

    texts: list[str | None]
    unit: Numbers | None = None  # (words,)
    tail: NDArray[np.bool_] | None = None  # (words,)


class Noise(Protocol):
    """A frozen value; its fields are its options."""

    name: ClassVar[str]
    meaning: ClassVar[str]  # what one has to see in order to notice it

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """What becomes of every word if it is touched."""
        ...


NOISES: dict[str, type[Any]] = {}

N = TypeVar("N", bound=type[Any])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def noise(cls: N) -> N:
    """Make a class a noise: a frozen value with keyword-only options, known by its name."""
    made: Any = dataclass(frozen=True, kw_only=True)(cls)
    made.__str__ = metric_text
    NOISES[made.name] = made
    return cls


def parse_noise(text: str | Noise) -> Noise:
    """The noise a text means: `delete`, `permute(how="swap")`. parse_noise(str(noise)) == noise."""
    if not isinstance(text, str):
        if isinstance(text, type) or not hasattr(text, "rewrite"):
            raise OptionError(f"{text!r} is not a noise; pass a text such as 'delete'")
        return text
    name, options = read_text(text, "noise", 'permute(how="swap")')
    if name not in NOISES:
        raise OptionError(f"unknown noise {name!r}; known: {', '.join(NOISES)}")
    found: Noise = make_metric(NOISES[name], options)
    return found


def parse_noises(texts: str | Noise | Iterable[str | Noise]) -> tuple[Noise, ...]:
    """Noises from one or several texts, each possibly a list with commas outside brackets; doubles are dropped."""
    return parse_each(texts, parse_noise)


@noise
class Mask:
    """The word becomes one and the same word, which no text has."""

    name: ClassVar[str] = "mask"
    meaning: ClassVar[str] = "masked words"
    token: str = MASK

    def __post_init__(self) -> None:
        if not self.token or any(char.isspace() for char in self.token):
            raise OptionError(f"mask: token={self.token!r} must be one word")

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """The mask, unless the word is one."""
        return Rewriting([None if word == self.token else self.token for word in given.words.texts])


@noise
class Replace:
    """The word becomes another of the words at hand: any type, or one that is about as frequent."""

    name: ClassVar[str] = "replace"
    meaning: ClassVar[str] = "wrong words"
    how: str = "random"

    def __post_init__(self) -> None:
        choose("replace", "how", self.how, ("random", "frequency"))

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """Another type: every one equally likely, or one of the ten nearest by frequency."""
        import numpy as np

        words = given.words
        count = len(words.types)
        if count < 2:
            return Rewriting([None] * len(words))
        wide = count - 1 if self.how == "random" else min(NEIGHBOURS, count - 1)
        low = np.maximum(words.type - wide, 0)
        high = np.minimum(words.type + wide, count - 1)
        chosen = low + draw.integers(0, high - low)
        chosen += chosen >= words.type  # never the type itself
        return Rewriting([words.types[k] for k in chosen.tolist()])


@noise
class Delete:
    """The word goes."""

    name: ClassVar[str] = "delete"
    meaning: ClassVar[str] = "missing words"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """Nothing."""
        return Rewriting([""] * len(given.words))


@noise
class Permute:
    """Words change places inside their line: two neighbouring spans, two neighbouring words, or any two words."""

    name: ClassVar[str] = "permute"
    meaning: ClassVar[str] = "word order"
    how: str = "spans"

    def __post_init__(self) -> None:
        choose("permute", "how", self.how, ("spans", "swap", "shuffle"))

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """Every unit is put into another order: no word of it stays where it was. Equal ones are left."""
        import numpy as np

        words = given.words
        cut: Callable[[int, np.random.Generator], list[list[int]]]
        cut = {"spans": _rotations, "swap": _neighbours, "shuffle": _couples}[self.how]
        texts: list[str | None] = [None] * len(words)
        unit = np.full(len(words), -1, dtype=np.int64)
        found = 0
        for start, length in zip(words.starts.tolist(), words.lengths.tolist(), strict=False):
            for places in cut(length, draw):
                here = sorted(places)
                moved = [words.texts[start + place] for place in places]
                if any(words.texts[start + place] != text for place, text in zip(here, moved, strict=True)):
                    for place, text in zip(here, moved, strict=True):
                        texts[start + place] = text
                        unit[start + place] = found
                    found += 1
        return Rewriting(texts, unit)


def _rotations(length: int, draw: np.random.Generator) -> list[list[int]]:
    """Windows of a line, each as the places its words come from: [A B] becomes [B A]."""
    found, first = [], 0
    while length - first >= 2:
        size = int(draw.integers(WINDOW[0], WINDOW[1] + 1))
        size = size if length - first - size >= 2 else length - first  # no single word is left over
        turn = int(draw.integers(1, size))
        found.append([first + (k + turn) % size for k in range(size)])
        first += size
    return found


def _neighbours(length: int, draw: np.random.Generator) -> list[list[int]]:
    """Pairs of words side by side."""
    return [[k + 1, k] for k in range(int(draw.integers(0, 2)) if length > 2 else 0, length - 1, 2)]


def _couples(length: int, draw: np.random.Generator) -> list[list[int]]:
    """Pairs of words anywhere; three of them change places in a circle where one would be left over."""
    order = draw.permutation(length).tolist()
    ends = [*range(2, length - 1, 2), length] if length >= 2 else []
    starts = [0, *ends[:-1]]
    groups = [sorted(order[a:b]) for a, b in zip(starts, ends, strict=False)]
    return [[*group[1:], group[0]] for group in groups]


@noise
class Insert:
    """Behind the word comes another, drawn as the words at hand are distributed."""

    name: ClassVar[str] = "insert"
    meaning: ClassVar[str] = "added words"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """The word and another one."""
        texts = given.words.texts
        added = draw.integers(0, max(1, len(texts)), len(texts)).tolist()
        return Rewriting([f"{word} {texts[k]}" for word, k in zip(texts, added, strict=True)])


@noise
class Repeat:
    """The word is said twice."""

    name: ClassVar[str] = "repeat"
    meaning: ClassVar[str] = "words said twice"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """The word and itself."""
        return Rewriting([f"{word} {word}" for word in given.words.texts])


@noise
class Truncate:
    """Lines break off somewhere: few lines lose much."""

    name: ClassVar[str] = "truncate"
    meaning: ClassVar[str] = "lines that break off"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """Every line keeps at least its first word, until all lines are cut."""
        words = given.words
        kept = 1 + (draw.random(len(words.lengths)) * (words.lengths - 1).clip(0)).astype(words.lengths.dtype)
        return Rewriting([""] * len(words), tail=words.place >= kept[words.segment])


@noise
class Untranslate:
    """The word becomes the source word at the same place."""

    name: ClassVar[str] = "untranslate"
    meaning: ClassVar[str] = "words left untranslated"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """The source word that stands as far from the beginning, or the next one that is different."""
        if given.sources is None:
            raise InputError("untranslate needs the source, and the test set has none (--src FILE)")
        source, words = Words.of(given.sources), given.words
        texts: list[str | None] = []
        for word, segment, place in zip(words.texts, words.segment.tolist(), words.place.tolist(), strict=True):
            said = source.texts[source.starts[segment] : source.starts[segment + 1]]
            first = place * len(said) // int(words.lengths[segment])
            texts.append(next((text for text in (*said[first:], *said[:first]) if text != word), None))
        return Rewriting(texts)


@noise
class Case:
    """The first letter changes its case, or all letters become capitals or small."""

    name: ClassVar[str] = "case"
    meaning: ClassVar[str] = "letter case"
    how: str = "first"

    def __post_init__(self) -> None:
        choose("case", "how", self.how, ("first", "upper", "lower"))

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """The word in another case, if it has one."""
        change = {"first": _turn_first, "upper": str.upper, "lower": str.lower}[self.how]
        turned = {word: change(word) for word in given.words.types}
        return Rewriting([None if turned[word] == word else turned[word] for word in given.words.texts])


def _turn_first(word: str) -> str:
    place = next((k for k, char in enumerate(word) if char.isalpha()), len(word))
    return word[:place] + word[place : place + 1].swapcase() + word[place + 1 :]


@noise
class Typo:
    """A letter is lost or doubled, or two letters change places."""

    name: ClassVar[str] = "typo"
    meaning: ClassVar[str] = "spelling mistakes"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """Words of at least two letters, misspelt."""
        texts = given.words.texts
        chances = draw.random((len(texts), 2)).tolist()
        letters = {word: [k for k, char in enumerate(word) if char.isalpha()] for word in given.words.types}
        return Rewriting([_misspell(word, letters[word], *pair) for word, pair in zip(texts, chances, strict=True)])


def _misspell(word: str, letters: list[int], kind: float, where: float) -> str | None:
    """One mistake: `kind` and `where` are chances from 0 to 1."""
    pairs = [k for k in letters if k + 1 < len(word) and word[k + 1].isalpha() and word[k] != word[k + 1]]
    if len(letters) < 2:
        return None
    if kind < 1 / 3 and pairs:
        k = pairs[int(where * len(pairs))]
        return word[:k] + word[k + 1] + word[k] + word[k + 2 :]
    k = letters[int(where * len(letters))]
    return word[:k] + word[k + 1 :] if kind < 2 / 3 else word[: k + 1] + word[k:]


@noise
class Number:
    """A digit of a number becomes another."""

    name: ClassVar[str] = "number"
    meaning: ClassVar[str] = "wrong numbers"

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:
        """Words with a digit in them; a number does not begin with 0 afterwards unless it did before."""
        texts: list[str | None] = [None] * len(given.words)
        for number, word in enumerate(given.words.texts):
            digits = [k for k, char in enumerate(word) if char.isdecimal()]
            if digits:
                k = digits[int(draw.integers(0, len(digits)))]
                old = unicodedata.decimal(word[k])
                others = [digit for digit in range(1, 10) if digit != old]
                new = others[int(draw.integers(0, len(others)))]
                texts[number] = word[:k] + chr(ord(word[k]) - old + new) + word[k + 1 :]
        return Rewriting(texts)


@noise
class Negate:
    """A statement is made to say the opposite: `not` goes, or comes behind an auxiliary; by a table of the language."""

    name: ClassVar[str] = "negation"
    meaning: ClassVar[str] = "statements made to say the opposite"
    language: str = ""  # of the words; the test set's if it is not given

    def rewrite(self, given: Material, draw: np.random.Generator) -> Rewriting:  # noqa: ARG002
        """Words that say no, and verbs that can be negated."""
        table, words = negation_table(self.language or given.language), given.words
        texts = words.texts
        last = {int(end) - 1 for end in words.starts[1:]}  # numbers of words that nothing follows
        return Rewriting([negate(word, "" if k in last else texts[k + 1], table) for k, word in enumerate(texts)])


# What is tried where nobody says what.
USUAL = (
    'mask,replace,replace(how="frequency"),delete,permute,permute(how="swap"),permute(how="shuffle"),insert,repeat,'
    "truncate,untranslate,case,typo,number,negation"
)
