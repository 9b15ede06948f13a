"""The guard against leaks: no prompt shows what is asked, or nearly that."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

GRAM = 5  # characters of an n-gram
LONG = 20  # characters, without blanks and marks, of a text that can be nearly the same as another
NEAR = 0.8  # of a text's n-grams that another one has, and it is nearly the same, or holds it


def normalised(text: str) -> str:
    """The letters and digits of a text, case-folded: what is left when writing does not count."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum() or unicodedata.category(char)[0] == "M")


def grams(text: str) -> frozenset[str]:
    """The n-grams of a normalised text."""
    return frozenset(text[k : k + GRAM] for k in range(len(text) - GRAM + 1))


class Leaks:
    """Texts of a test set, and whether another text gives one of them away.

    A text that shares `NEAR` of the n-grams must share one of the rarest: only those are looked up, so that a large
    pool is checked against a large test set in about the time it takes to read both.
    """

    def __init__(self, texts: Iterable[str | None]) -> None:
        known = {normalised(text) for text in texts if text}
        self.exact = known - {""}
        self.sets = [grams(text) for text in sorted(self.exact) if len(text) >= LONG]
        often = Counter(gram for one in self.sets for gram in one)
        self.rare: dict[str, list[int]] = {}
        for place, one in enumerate(self.sets):
            may_lack = int((1 - NEAR) * len(one) + 1e-9)
            for gram in sorted(one, key=lambda gram: (often[gram], gram))[: may_lack + 1]:
                self.rare.setdefault(gram, []).append(place)

    def given_away_by(self, text: str) -> bool:
        """Whether a text is one of the test set's, nearly one, or holds one."""
        plain = normalised(text)
        if plain in self.exact:
            return True
        if len(plain) < LONG * NEAR:
            return False
        own = grams(plain)
        places = {place for gram in own for place in self.rare.get(gram, ())}
        return any(len(own & self.sets[place]) >= NEAR * len(self.sets[place]) - 1e-9 for place in places)


def keep_apart(
    pool: Sequence[tuple[tuple[str, ...], str]], sources: Iterable[str | None], references: Iterable[str | None] = ()
) -> list[bool]:
    """Which demonstrations (inputs, answer) show nothing of the test set, in either language."""
    asked, said = Leaks(sources), Leaks(references)
    return [
        not (any(asked.given_away_by(text) for text in inputs) or said.given_away_by(answer)) for inputs, answer in pool
    ]
