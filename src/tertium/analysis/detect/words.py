"""Detectors of words: those left untranslated, and names that got lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Set

from tertium.analysis.detect.detector import ENDING, Detector, Hit, Knowledge, Segment, Text

SHORTEST = 3  # letters of a word that can be called untranslated
STEM = 5  # letters that must be left when an ending is dropped
SYMBOLS = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")  # emoji and their older kin


def untranslated(output: Text, segment: Segment) -> Iterator[Hit]:
    """A word of the source that stands in the output, in no reference, and is no word of the target language."""
    source, known, suspects = segment.source, segment.known, segment.once(_suspects)
    if source is None or output.keys.isdisjoint(suspects):
        return
    origins = {
        key: origin
        for key in output.keys & suspects
        if (origin := key if key in source.keys else _stem_of(key, source, known)) is not None
        and known.is_foreign(origin)
        and not _inflected(key, segment.references)
    }
    if not origins:
        return
    plain = frozenset(_bare(token) for text in segment.references for token in text.tokens)
    places = {word.key: word for word in reversed(source.words)}
    found = [
        (word, places[origins[word.key]])
        for word in output.words
        if word.key in origins and not (word.text[0].isupper() and _bare(word.text) in plain)  # a name and its accents
    ]
    letters = sum(map(len, output.tokens))
    share = sum(len(word.text) for word, _ in found) / max(1, letters)
    for word, origin_word in found:
        evidence = f"{word.text}: the source's word, and no reference has it"
        yield Hit(share, evidence, (word.start, word.end), (origin_word.start, origin_word.end))


def _suspects(segment: Segment) -> Set[str]:
    """Words of the source, and the longer ones without their endings, that no reference has."""
    if segment.source is None:
        return frozenset()
    words = {key for key in segment.unkept if len(key) >= SHORTEST}
    long = [key for key in segment.source.keys if len(key) > STEM]
    return words.union(*({key[:-n] for key in long} for n in range(1, ENDING + 1))) - segment.kept


def _stem_of(word: str, source: Text, known: Knowledge) -> str | None:
    """A source word that is this one with an ending: languages that inflect drop it when a word is copied."""
    if len(word) < STEM or known.reference_counts[word] or known.own_counts[word] > 1:
        return None
    return source.stems.get(word)


def _inflected(word: str, references: tuple[Text, ...]) -> bool:
    """Whether a reference has the word with an ending: *euro* where it says *euros*."""
    return len(word) > SHORTEST and any(word in text.stems for text in references)


def _bare(word: str) -> str:
    """A word without accents."""
    if word.isascii():
        return word
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def names(output: Text, segment: Segment) -> Iterator[Hit]:
    """A capitalised word or an emoji that source and all references share, and the output does not have."""
    shared, symbols = segment.once(_shared)
    if not shared and not symbols:
        return
    folded = output.text.casefold()
    lost = [token for token in shared if token.casefold() not in folded]
    lost += dict.fromkeys(symbol for symbol in symbols if symbol not in output.text)
    source = segment.source
    if source is None or not lost:
        return
    places = {word.text: word.start for word in reversed(source.words)}
    for text in lost:
        start = places[text] if text in places else source.text.index(text)
        evidence = f"{text}: in source and reference, not in the output"
        span = (start, start + len(text))
        yield Hit(len(lost) / (len(shared) + len(symbols)), evidence, None, span)


def _shared(segment: Segment) -> tuple[list[str], list[str]]:
    """Capitalised words, and emoji, that source and all references have."""
    source = segment.source
    if source is None or not segment.references:
        return [], []
    first, *others = segment.references
    there = set(source.tokens).intersection(first.tokens, *(text.tokens for text in others))
    there = {token for token in there if len(token) >= SHORTEST and token[0].isupper()}
    symbols = [
        symbol for symbol in SYMBOLS.findall(first.text) if all(symbol in text.text for text in (source, *others))
    ]
    if not there:
        return [], symbols
    dates = {source.text[numeral.start : numeral.end] for numeral in source.numerals if numeral.written == "date"}
    shared = [
        token
        for place, token in enumerate(dict.fromkeys(first.tokens))
        if token in there
        and token not in dates  # a date can be written in many ways, and is the number detector's
        and (place > 0 or token.casefold() not in segment.known.small)  # the first capital may be the sentence's
    ]
    return shared, symbols


UNTRANSLATED = Detector("untranslated", "a source word left standing", frozenset({"source"}), untranslated, True)
NAMES = Detector("name", "a name of source and reference is missing", frozenset({"source", "references"}), names)
