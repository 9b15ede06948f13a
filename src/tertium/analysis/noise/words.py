"""Words of many lines, and the order in which a noise takes them: rarest first, content words first, ends first."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from zlib import crc32

from tertium.core.errors import OptionError
from tertium.core.lines import Lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# What a noise is aimed at, and how a sentence says so.
AIMS = {
    "random": "",
    "rarest": " among the rarest",
    "frequent": " among the most frequent",
    "content": " among content words",
    "function": " among function words",
    "begin": " at the beginning",
    "middle": " in the middle",
    "end": " at the end",
}
COMMON = 0.4  # share of running words that the most frequent types make up, where no list of function words is known


@dataclass(frozen=True, eq=False)
class Words:
    """Lines split at spaces, once. Words are numbered through all lines; a missing line has none."""

    lines: Lines
    texts: list[str]  # every word
    segment: Numbers  # (words,): the line it stands in
    starts: Numbers  # (n + 1,): the number of every line's first word

    @classmethod
    def of(cls, lines: Lines) -> Words:
        """Words are what spaces separate; all else, such as a no-break space, belongs to them."""
        import numpy as np

        split = [[word for word in (text or "").split(" ") if word] for text in lines]
        sizes = np.array([len(words) for words in split], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        texts = [word for words in split for word in words]
        return cls(lines, texts, np.repeat(np.arange(len(split)), sizes), starts)

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def place(self) -> Numbers:
        """Where a word stands in its line, from 0. # (words,)"""
        import numpy as np

        return np.arange(len(self)) - self.starts[self.segment]

    @cached_property
    def lengths(self) -> Numbers:
        """Words of every line. # (n,)"""
        import numpy as np

        return np.diff(self.starts)

    @cached_property
    def types(self) -> list[str]:
        """Every word once, the most frequent first; equal ones in the order in which they first occur."""
        return [word for word, _ in Counter(self.texts).most_common()]

    @cached_property
    def type(self) -> Numbers:
        """The number of a word's type. # (words,)"""
        import numpy as np

        number = {word: k for k, word in enumerate(self.types)}
        return np.array([number[word] for word in self.texts], dtype=np.int64)

    @cached_property
    def counts(self) -> Numbers:
        """How often a type occurs. # (types,)"""
        import numpy as np

        return np.bincount(self.type, minlength=len(self.types))


def generator(seed: int, what: str) -> np.random.Generator:
    """Random numbers for one purpose: the same for the same seed, whatever else is drawn."""
    import numpy as np

    return np.random.default_rng([seed, crc32(what.encode())])


def ranks(words: Words, aim: str, seed: int, language: str | None = None) -> Numbers:
    """The place of every word in the order in which an aim takes them, from 0; equal ones at random. # (words,)"""
    import numpy as np

    if aim not in AIMS:
        raise OptionError(f"aim {aim!r} is unknown; choose from {', '.join(AIMS)}")
    order = np.lexsort((generator(seed, aim).random(len(words)), _keys(words, aim, language)))
    found = np.empty(len(words), dtype=np.int64)
    found[order] = np.arange(len(words))
    return found


def _keys(words: Words, aim: str, language: str | None) -> NDArray[np.float64]:
    """Small for words that come first. # (words,)"""
    import numpy as np

    if aim == "random":
        return np.zeros(len(words))
    if aim in ("rarest", "frequent"):
        often = words.counts[words.type].astype(np.float64)
        return often if aim == "rarest" else -often
    if aim in ("content", "function"):
        known = function_types(words, language)
        common = np.array([word in known for word in words.types], dtype=np.bool_)[words.type]
        return (common if aim == "content" else ~common).astype(np.float64)
    where = (words.place + 0.5) / words.lengths[words.segment]  # 0 is the beginning of a line, 1 its end
    return np.abs(where - {"begin": 0.0, "middle": 0.5, "end": 1.0}[aim])


def function_types(words: Words, language: str | None = None) -> frozenset[str]:
    """The types that are function words: by METEOR's list where the language has one, else the most frequent ones.

    The latter are those that together make up 40 % of the running words.
    """
    import numpy as np

    if (language or "").replace("_", "-").partition("-")[0].lower() == "en":
        from tertium.text.meteor import function_words

        known = frozenset(function_words())
        return frozenset(word for word in words.types if word.lower() in known or _bare(word) in known)
    above = np.concatenate([[0], np.cumsum(words.counts)[:-1]])  # words of types that are more frequent
    return frozenset(words.types[: int(np.count_nonzero(above < COMMON * len(words)))])


def _bare(word: str) -> str:
    """A word in lower case without the marks around it."""
    inner = [k for k, char in enumerate(word) if unicodedata.category(char)[0] not in "PS"]
    return word[inner[0] : inner[-1] + 1].lower() if inner else ""
