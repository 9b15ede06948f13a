"""What the detectors have to know about the whole test set, read in one pass over its texts."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, repeat
from statistics import median
from typing import NamedTuple

from tertium.analysis.detect.detector import Knowledge
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.text.language import Identify, identifier
from tertium.text.letters import casefolded, folded_words, letter_words

SAMPLE = 100_000  # segments from which a ratio is learnt
LONG = 20  # characters of a source whose ratio says something
IDENTIFIED = 500  # references from which the language is learnt
LETTERS = 40  # of those
OFTEN = 0.02  # share of them that must be taken for a language, if outputs may be too


class SegmentTexts(NamedTuple):
    """The texts of a segment: its source, its references in their streams, what systems say. None: missing."""

    number: int  # from 0
    source: str | None
    references: tuple[str | None, ...]
    outputs: tuple[str | None, ...]


def rows(testset: TestSet, systems: Sequence[System], places: Sequence[int]) -> Iterator[SegmentTexts]:
    """The texts of these segments, one after the other."""
    count = len(testset.references.streams)
    whole = len(places) == len(testset)  # a line after the other is read faster than one here and one there

    def texts(lines: Lines) -> Iterable[str | None]:
        return lines if whole else (lines[place] for place in places)

    sources = repeat(None, len(places)) if testset.sources is None else texts(testset.sources)
    others = [*testset.references.streams, *(system.outputs for system in systems)]
    for number, source, *row in zip(places, sources, *map(texts, others), strict=True):
        yield SegmentTexts(number, source, tuple(row[:count]), tuple(row[count:]))


def gather(testset: TestSet, systems: Sequence[System], *, identify: bool) -> Knowledge:
    """Count words, learn how long translations are and, if asked to, which language they are in."""
    known = Knowledge()
    ratios = array("d")
    for number, source, references, outputs in rows(testset, systems, range(len(testset))):
        words = folded_words(source or "")
        known.source_counts.update(words)
        for text in references:
            if text is not None:
                written = letter_words(text)
                theirs = folded_words(text) if text.isascii() else casefolded(written)
                known.reference_counts.update(theirs)
                known.small.update(set(theirs).intersection(written))
        own = {text: set(folded_words(text)).difference(words) for text in {*outputs} if text is not None}
        known.own_counts.update(chain.from_iterable(own[text] for text in outputs if text is not None))
        if source is not None and len(source) >= LONG and number < SAMPLE:
            ratios.extend(len(text) / len(source) for text in references or outputs if text)
    known.reference_words = known.reference_counts.total()
    known.ratio = median(ratios) if ratios else None
    if identify:
        known.identify = ask = identifier()
        lines = testset.references.streams or [system.outputs for system in systems]
        known.languages = cache(lambda: _languages(lines, ask))
    return known


def _languages(lines: Iterable[Lines], identify: Identify) -> frozenset[str]:
    """What the first long references are taken for, or the outputs where there are none."""
    first = (text for one in lines for text in islice(one, 10 * IDENTIFIED))
    long = (text for text in first if text is not None and len(text) >= LETTERS)
    counts = Counter(identify(text)[0] for text in islice(long, IDENTIFIED))
    return frozenset(language for language, count in counts.items() if count >= OFTEN * counts.total())
