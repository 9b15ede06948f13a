"""Detectors of how a language is written: punctuation and spacing, numbers, dates and times."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text
from tertium.text.locales import copied_groups, foreign_formats, locale_of
from tertium.text.terms import language_code
from tertium.text.typography import SENTENCE_ENDS, ending, spots

SENTENCE_MARKS = frozenset(SENTENCE_ENDS.values())
UNMARKED = frozenset({"th", "lo"})  # whose sentences end in no mark
SLIGHT = 0.1  # the severity of a mark


def punctuation(output: Text, segment: Segment) -> Iterator[Hit]:
    """Marks and spaces that texts of the language do not have. What a reference breaks too is excused; so is what the
    source does with spaces."""
    found = spots(output.text, output.language)
    excused = segment.once(_excused) if found else frozenset()
    for spot in found:
        if spot.rule not in excused:
            said = output.text[max(0, spot.start - 8) : spot.end + 8].strip()
            yield Hit(SLIGHT, f"{spot.why}: {said!r}", (spot.start, spot.end))
    yield from _no_ending(output, segment)


def _excused(segment: Segment) -> frozenset[str]:
    """The rules that a reference breaks, and those of spaces that the source breaks."""
    broken = {spot.rule for text in segment.references for spot in spots(text.text, text.language)}
    if segment.source is not None:
        broken |= {spot.rule for spot in spots(segment.source.text, None)}
    return frozenset(broken)


def _no_ending(output: Text, segment: Segment) -> Iterator[Hit]:
    """The source ends with a full stop, a question mark and the like, and the output with a letter."""
    source, at = segment.source, len(output.text.rstrip())
    if source is None or not at or ending(output.text) or language_code(output.language) in UNMARKED:
        return
    wanted = ending(source.text)
    if wanted in SENTENCE_MARKS and all(ending(text.text) for text in segment.references):
        yield Hit(SLIGHT, f"ends without a mark, the source with {wanted}", (at - 1, at))


def formats(output: Text, segment: Segment) -> Iterator[Hit]:
    """Numbers, dates and times that are written as another language writes them, and as no reference does."""
    locale = locale_of(output.language)
    if locale is None:
        return
    found = list(foreign_formats(output.text, locale))
    source = segment.source
    theirs = None if source is None else locale_of(source.language)
    if source is not None and theirs is not None:
        found += copied_groups(output.text, source.text, locale, theirs)
    for one in found:
        said = output.text[one.start : one.end]
        if not any(said in text.text for text in segment.references):
            yield Hit(min(1.0, len(found) / max(1, len(output.numerals))), one.why, (one.start, one.end))


PUNCTUATION = Detector("punctuation", "marks or spaces that the language does not have", frozenset(), punctuation)
LOCALE = Detector("locale", "a number, date or time in a foreign format", frozenset({"locale"}), formats)
