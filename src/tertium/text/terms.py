"""Terms: the words by which texts are found. Case-folded, without function words, reduced to their stems.

Numbers are no terms: they look the same in most languages, so finding one says nothing of a translation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from tertium.core.errors import MissingPackageError
from tertium.text.letters import letter_words
from tertium.text.words import tokenize

SHORTEST = 2  # letters of a term, where words have letters: single ones are initials and what is left of contractions
INSTALL = 'pip install "tertium[retrieval]"'

# Snowball's algorithms by ISO 639-1 codes. PyStemmer 2 has them; 3.0 stems German and others otherwise than METEOR.
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian",
    "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

# Lists of bm25s, most of them NLTK's.
STOP_WORDS = {
    "da": "DANISH", "de": "GERMAN", "en": "EN_PLUS", "es": "SPANISH", "fr": "FRENCH", "it": "ITALIAN", "ko": "KOREAN",
    "nl": "DUTCH", "no": "NORWEGIAN", "pt": "PORTUGUESE", "ru": "RUSSIAN", "sv": "SWEDISH", "tr": "TURKISH",
    "zh": "CHINESE",
}  # fmt: skip

TOKENIZERS = {"ja": "ja-mecab", "ko": "ko-mecab", "zh": "zh"}  # of languages that letters do not tell into words
OTHER_CODES = {"nb": "no", "nn": "no", "cmn": "zh", "jpn": "ja", "kor": "ko", "eng": "en", "deu": "de", "ger": "de"}


def language_code(language: str | None) -> str | None:
    """`en` of `en-GB`, `en_US` or `eng`."""
    if not language:
        return None
    code = language.lower().replace("_", "-").partition("-")[0]
    return OTHER_CODES.get(code, code)


@dataclass(frozen=True, eq=False)
class TermReader:
    """Reads texts of one language as terms; remembers the stem of every word that it has seen."""

    language: str | None
    _stems: dict[str, str | None] = field(default_factory=dict, repr=False)
    _stop: frozenset[str] = field(init=False, repr=False)
    _stem: Callable[[str], str] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for module in ("bm25s", "Stemmer"):
            if find_spec(module) is None:
                raise MissingPackageError(f"retrieval needs a package that is not installed: {INSTALL}")
        code = language_code(self.language)
        object.__setattr__(self, "language", code)
        lists = import_module("bm25s.stopwords")
        words = getattr(lists, f"STOPWORDS_{STOP_WORDS[code]}") if code in STOP_WORDS else ()
        object.__setattr__(self, "_stop", frozenset(word.casefold() for word in words))
        stemmer: Any = import_module("Stemmer").Stemmer(STEMMERS[code], 0) if code in STEMMERS else None
        object.__setattr__(self, "_stem", None if stemmer is None else stemmer.stemWord)

    @property
    def tokenizer(self) -> str | None:
        """What splits texts of the language into words; None where runs of letters are words."""
        return TOKENIZERS.get(self.language or "")

    def words(self, text: str) -> list[str]:
        """The words from left to right, as they are written, function words among them."""
        if self.tokenizer is None:
            return letter_words(text)
        return [word for token in tokenize(text, self.tokenizer) for word in letter_words(token)]

    def term(self, word: str) -> str | None:
        """The term that a word is a form of; None for a function word, and for one that is too short."""
        found = self._stems.get(word, "")
        if found == "":
            found = self._stems[word] = self._read(word.casefold())
        return found

    def _read(self, word: str) -> str | None:
        if word in self._stop or (self.tokenizer is None and len(word) < SHORTEST):
            return None
        return (word if self._stem is None else self._stem(word)) or None

    def __call__(self, text: str) -> list[str]:
        """The terms of a text from left to right."""
        return [term for word in self.words(text) if (term := self.term(word)) is not None]

    def facts(self) -> dict[str, str]:
        """What a signature must say of it."""
        code = self.language or ""
        return {
            "lang": code or "unknown",
            "tok": self.tokenizer or "letters",
            "stem": f"snowball/{version('PyStemmer')}" if code in STEMMERS else "none",
            "stop": f"bm25s/{version('bm25s')}" if code in STOP_WORDS else "none",
        }

    def notes(self) -> list[str]:
        """What is not known of the language, in sentences."""
        code = self.language
        if code is None:
            return ["the language of the documents is not known: terms are whole words, function words among them"]
        lacking = [what for what, known in (("stemmer", STEMMERS), ("list of function words", STOP_WORDS))
                   if code not in known and self.tokenizer is None]  # fmt: skip
        return [f"there is no {' and no '.join(lacking)} for language {code}"] if lacking else []
