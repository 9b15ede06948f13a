"""Detectors of words: those left untranslated, and names that got lost."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tertium.analysis.detectors import Detector, Hit, Knowledge, Segment, Text

SHORTEST = 3  # letters of a word that can be called untranslated
STEM = 5  # letters that must be left when an ending is dropped
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
    origins = {
        key: origin
        for key in output.keys - kept
        if len(key) >= SHORTEST
        and (origin := key if key in source.keys else _stem_of(key, source, known)) is not None
        and is_foreign(origin, known)
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
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def names(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:
    """A capitalised word or an emoji that source and all references share, and the output does not have."""
    source = segment.source
    if source is None or not segment.references:
        return
    first, *others = segment.references
    there = set(source.tokens).intersection(*(text.tokens for text in others))
    dates = {source.text[numeral.start : numeral.end] for numeral in source.numerals if numeral.written == "date"}
    shared = [
        token
        for place, token in enumerate(dict.fromkeys(first.tokens))
        if len(token) >= SHORTEST
        and token[0].isupper()
        and token in there
        and token not in dates  # a date can be written in many ways, and is the number detector's
        and (place > 0 or token.casefold() not in known.small)  # the first capital may be the sentence's
    ]
    symbols = [
        match for match in SYMBOLS.finditer(first.text) if all(match[0] in text.text for text in (source, *others))
    ]
    folded = output.text.casefold()
    lost = [token for token in shared if token.casefold() not in folded]
    lost += dict.fromkeys(match[0] for match in symbols if match[0] not in output.text)
    places = {word.text: word.start for word in reversed(source.words)} if lost else {}
    for text in lost:
        start = places[text] if text in places else source.text.index(text)
        evidence = f"{text}: in source and reference, not in the output"
        span = (start, start + len(text))
        yield Hit(len(lost) / (len(shared) + len(symbols)), evidence, None, span)


UNTRANSLATED = Detector("untranslated", "a source word left standing", frozenset({"source"}), untranslated, True)
NAMES = Detector("name", "a name of source and reference is missing", frozenset({"source", "references"}), names)
