"""An index that finds the texts nearest to a text by their words: Okapi BM25 (Robertson et al. 1995), by bm25s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from tertium.core.errors import MissingPackageError
from tertium.core.run import PLAIN, Run
from tertium.text.letters import folded_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPACELESS = "\u0e00", "\u0fff", "\u2e80", "\ua4cf"  # from Thai to Tibetan, and what East Asia writes but Hangul
K1, B = 1.5, 0.75  # how soon more of a word says no more, and how far long texts are held back
STEP = 1000  # texts between two reports of progress


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
    """Texts, found by other texts that share rare words with them. `read` says what the words of a text are.

    Lucene's variant, in double precision: a word t of the query adds to the score of a text d

        idf(t) * f / (f + k1 * (1 - b + b * |d| / mean |d|)),  idf(t) = log(1 + (N - n + 0.5) / (n + 0.5))

    f: how often t is in d; |d|: the words of d; N: all texts, n: those with t. A word that a query says twice counts
    twice.
    """

    def __init__(
        self,
        texts: Sequence[str],
        *,
        read: Callable[[str], list[str]] = terms,
        k1: float = K1,
        b: float = B,
        run: Run = PLAIN,
        install: str = 'pip install "tertium[llm]"',
    ) -> None:
        if find_spec("bm25s") is None:
            raise MissingPackageError(f"BM25 needs bm25s: {install}")
        import bm25s

        self.count, self._read = len(texts), read
        self._words: dict[str, int] = {}
        corpus = []  # numbers of words: a tenth of the memory of the words themselves
        for done, text in enumerate(texts):
            if done % STEP == 0:
                run.tell("indexing", done, self.count)
            corpus.append([self._words.setdefault(word, len(self._words)) for word in read(text)])
        self._index: Any = None
        if self._words:  # bm25s cannot index texts of which none has a word
            self._index = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
            self._index.index((corpus, self._words), show_progress=False, create_empty_token=False)
        run.tell("indexing", self.count, self.count)

    def scores(self, query: str) -> NDArray[np.float64]:
        """How near every text is to the query; 0 where they share no word. # (n,)"""
        import numpy as np

        known = [self._words[word] for word in self._read(query) if word in self._words]
        if not known:
            return np.zeros(self.count)
        found: NDArray[np.float64] = self._index.get_scores_from_ids(known)
        return found

    def nearest(self, query: str, count: int) -> list[int]:
        """Places of the nearest texts, nearest first; of equals, the first comes first."""
        import numpy as np

        places: list[int] = np.argsort(-self.scores(query), kind="stable")[:count].tolist()
        return places
