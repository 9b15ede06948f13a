"""Detectors of words: those left untranslated, and names that got lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tertium.analysis.detectors import Detector, Hit, Knowledge, Segment, Text, Word

SHORTEST = 3  # letters of a word that can be called untranslated
STEM = 5  # letters that must be left when an ending is dropped
ENDING = 2  # letters of such an ending
SYMBOLS = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")  # emoji and their older kin
RARE = 100  # a word of the target language is not a hundred times rarer in it than in the source


def is_foreign(word: str, known: Knowledge) -> bool:
    """Whether a word, case-folded, is none of the target language's: as far as the test set can tell.

    Common source words turn up in references too (a title that is quoted), but not nearly as often.
    """
    source = known.source_counts[word]
    return known.reference_counts[word] * RARE <= source and known.own_counts[word] * RARE <= source


def untranslated(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:
    """A word of the source that stands in the output, in no reference, and is no word of the target language."""
    source = segment.source
    if source is None:
        return
    kept = frozenset[str]().union(*(text.keys for text in segment.references))
    plain: frozenset[str] | None = None  # capitalised words of the references without accents, if need be
    found: list[tuple[Word, Word]] = []
    for word in output.words:
        if len(word.key) < SHORTEST or word.key in kept:
            continue
        origin = word.key if word.key in source.keys else _stem_of(word.key, source, known)
        if origin is None or not is_foreign(origin, known) or _inflected(word.key, kept):
            continue
        if word.text[0].isupper() and not word.text.isascii():
            plain = plain or frozenset(_bare(other) for text in segment.references for other in text.exact)
            if _bare(word.text) in plain:  # a name with its accents: nobody need translate it
                continue
        found.append((word, next(other for other in source.words if other.key == origin)))
    letters = sum(len(word.text) for word in output.words)
    share = sum(len(word.text) for word, _ in found) / max(1, letters)
    for word, origin_word in found:
        evidence = f"{word.text}: the source's word, and no reference has it"
        yield Hit(share, evidence, (word.start, word.end), (origin_word.start, origin_word.end))


def _stem_of(word: str, source: Text, known: Knowledge) -> str | None:
    """A source word that is this one with an ending: languages that inflect drop it when a word is copied."""
    if len(word) < STEM or known.reference_counts[word] or known.own_counts[word] > 1:
        return None
    for key in source.keys:
        if len(word) < len(key) <= len(word) + ENDING and key.startswith(word):
            return key
    return None


def _inflected(word: str, kept: frozenset[str]) -> bool:
    """Whether a reference has the word with an ending: *euro* where it says *euros*."""
    return len(word) > SHORTEST and any(
        len(word) < len(key) <= len(word) + ENDING and key.startswith(word) for key in kept
    )


def _bare(word: str) -> str:
    """A word without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def names(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:
    """A capitalised word or an emoji that source and all references share, and the output does not have."""
    source = segment.source
    if source is None or not segment.references:
        return
    first, *others = segment.references
    shared: dict[str, Word] = {}
    for place, word in enumerate(first.words):
        if len(word.text) < SHORTEST or not word.text[0].isupper() or word.text not in source.exact:
            continue
        if place == 0 and word.key in known.small:  # the capital may be the sentence's
            continue
        if all(word.text in text.exact for text in others):
            shared[word.text] = word
    symbols = [
        match for match in SYMBOLS.finditer(first.text) if all(match[0] in text.text for text in (source, *others))
    ]
    folded = output.text.casefold()
    lost = [word.text for word in shared.values() if word.key not in output.keys and word.key not in folded]
    lost += dict.fromkeys(match[0] for match in symbols if match[0] not in output.text)
    for text in lost:
        start = source.text.index(text)
        evidence = f"{text}: in source and reference, not in the output"
        yield Hit(len(lost) / (len(shared) + len(symbols)), evidence, None, (start, start + len(text)))


UNTRANSLATED = Detector("untranslated", "a source word left standing", frozenset({"source"}), untranslated, True)
NAMES = Detector("name", "a name of source and reference is missing", frozenset({"source", "references"}), names)
