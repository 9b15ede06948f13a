"""METEOR 1.5's own tokeniser, its word lists and Snowball's stems."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from tertium import _kernel
from tertium.core.errors import MissingPackageError
from tertium.core.lines import Lines

DATA = Path(__file__).parent / "data" / "meteor"

# Languages that METEOR's tokeniser knows, and which side of an apostrophe stays with it.
APOSTROPHES = {"en": "right", "fr": "left", "cz": "both", "es": "both", "de": "both", "ru": "both"}

# Stemmers by METEOR's language codes; it has no Czech one.
SNOWBALL = {
    "en": "english", "fr": "french", "de": "german", "es": "spanish", "pt": "portuguese", "ru": "russian",
    "da": "danish", "ro": "romanian", "hu": "hungarian", "tr": "turkish", "fi": "finnish", "nl": "dutch",
    "it": "italian", "no": "norwegian", "se": "swedish",
}  # fmt: skip


def tokenize_meteor(lines: Lines, language: str, no_punct: bool) -> Lines:
    """The lines in lower case, with spaces between words, as METEOR's option -norm (and -noPunct) has them."""
    tokenised = _kernel.tokenize_meteor(lines.view, APOSTROPHES[language], _prefixes(language), no_punct)
    return Lines(*tokenised, lines.missing)


@cache
def _prefixes(language: str) -> dict[str, bool]:
    """Words whose final period is part of them; whether that is so before numbers only."""
    entries = (line.split() for line in _lines(f"prefixes.{language}.txt"))
    return {word: bool(condition) for word, *condition in entries}


@cache
def function_words() -> list[str]:
    """English ones, whatever the language: METEOR 1.5 never reads its lists for the others."""
    return _lines("function.en.txt")


def _lines(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def stem_words(words: list[str], language: str) -> list[str]:
    """Every word's stem, by Snowball's algorithm for the language."""
    try:
        stemmer = import_module("Stemmer").Stemmer(SNOWBALL[language], 0)  # no cache: no word comes twice
    except ImportError:
        raise MissingPackageError(
            'meteor: stage "stem" needs a package that is not installed: pip install "tertium[meteor]"; '
            'or leave the stage out: meteor(stages=("exact",))'
        ) from None
    return list(stemmer.stemWords(words))


def stemmer_version() -> str:
    """The version that a signature must name."""
    return version("PyStemmer")
