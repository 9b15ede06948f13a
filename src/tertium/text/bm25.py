"""An index that finds the texts nearest to a text by their words: Okapi BM25 (Robertson et al. 1995), by bm25s."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from tertium.core.errors import MissingPackageError
from tertium.text.letters import folded_words

SPACELESS = "\u0e00", "\u0fff", "\u2e80", "\ua4cf"  # from Thai to Tibetan, and what East Asia writes but Hangul


def is_spaceless(char: str) -> bool:
    """Whether a character is of a script that puts no spaces between words."""
    return SPACELESS[0] <= char <= SPACELESS[1] or SPACELESS[2] <= char <= SPACELESS[3]


def terms(text: str) -> list[str]:
    """The words, case-folded; words of scripts without spaces as pairs of characters, which overlap."""
    found = []
    for word in folded_words(text):
        if len(word) > 2 and any(map(is_spaceless, word)):
            found += [word[k : k + 2] for k in range(len(word) - 1)]
        else:
            found.append(word)
    return found


class Bm25Index:
    """Texts, found by other texts that share rare words with them."""

    def __init__(self, texts: Sequence[str]) -> None:
        if find_spec("bm25s") is None:
            raise MissingPackageError('BM25 needs bm25s: pip install "tertium[llm]"')
        import bm25s

        self.count = len(texts)
        corpus = [terms(text) for text in texts]
        self._index: Any = None
        if any(corpus):  # bm25s cannot index texts of which none has a word
            self._index = bm25s.BM25(method="lucene")
            self._index.index(corpus, show_progress=False)

    def nearest(self, query: str, count: int) -> list[int]:
        """Places of the nearest texts, nearest first; of equals, the first comes first."""
        words = terms(query)
        if self._index is None or not words:
            return list(range(min(count, self.count)))
        import numpy as np

        places: list[int] = np.argsort(-self._index.get_scores(words), kind="stable")[:count].tolist()
        return places
