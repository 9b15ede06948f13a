"""What the detectors have to know about the whole test set, read in one pass over its texts."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from statistics import median

from tertium.analysis.detectors import Knowledge, Text
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.text.language import identifier

SAMPLE = 100_000  # segments from which a ratio is learnt
LONG = 20  # characters of a source whose ratio says something
IDENTIFIED = 500  # references from which the language is learnt
LETTERS = 40  # of those
OFTEN = 0.02  # share of them that must be taken for a language, if outputs may be too


def gather(testset: TestSet, systems: Sequence[System], *, identify: bool) -> Knowledge:
    """Count words, learn how long translations are and, if asked to, which language they are in."""
    known = Knowledge()
    ratios = array("d")
    streams = testset.references.streams
    for number in range(len(testset)):
        text = None if testset.sources is None else testset.sources[number]
        source = Text(text or "")
        known.source_counts.update(source.folded)
        lengths = []
        for stream in streams:
            reference = stream[number]
            if reference is None:
                continue
            words = Text(reference)
            known.reference_counts.update(words.folded)
            known.small.update(words.keys.intersection(words.tokens))
            lengths.append(len(reference))
        for system in systems:
            output = Text(system.outputs[number] or "")
            known.own_counts.update(output.keys - source.keys)
            if not streams:
                lengths.append(len(output.text))
        if len(source.text) >= LONG and number < SAMPLE:
            ratios.extend(length / len(source.text) for length in lengths if length)
    known.reference_words = known.reference_counts.total()
    known.ratio = median(ratios) if ratios else None
    if identify:
        known.identify = identifier()
        known.languages = _languages(testset, systems, known)
    return known


def _languages(testset: TestSet, systems: Sequence[System], known: Knowledge) -> frozenset[str]:
    """What the first long references are taken for, or the outputs where there are none."""
    if known.identify is None:
        return frozenset()
    counts: Counter[str] = Counter()
    for lines in testset.references.streams or tuple(system.outputs for system in systems):
        for number in range(min(len(lines), 10 * IDENTIFIED)):
            text = lines[number]
            if counts.total() < IDENTIFIED and text is not None and len(text) >= LETTERS:
                counts[known.identify(text)[0]] += 1
    return frozenset(language for language, count in counts.items() if count >= OFTEN * counts.total())
