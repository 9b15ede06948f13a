"""Detectors of whole texts in the wrong language: the source copied, or another language altogether."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect_words import RARE
from tertium.analysis.detectors import Detector, Hit, Knowledge, Segment, Text

FEWEST = 3  # words: a shorter copy may be a name
FEWEST_OWN = 2  # of them in no reference
SHARE = 0.8  # of all words, and of those, that stand in the source, if it is to be a copy
LETTERS = 40  # of a text whose language can be told
FAMILIAR = 0.7  # share of words that references have too
SURE = 0.95  # probability of the other language


def copied(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:  # noqa: ARG001
    """The source, or nearly all of it, instead of a translation."""
    source = segment.source
    if source is None or len(output.tokens) < FEWEST:
        return
    kept = frozenset[str]().union(*(text.keys for text in segment.references))
    own = [key for key in output.folded if key not in kept]  # names that the references keep too say nothing
    share = _kept(output.folded, source)
    if len(own) < FEWEST_OWN or min(share, _kept(own, source)) < SHARE:
        return
    same = output.text.split() == source.text.split()
    evidence = "the source itself" if same else f"{share:.0%} of the words are the source's"
    yield Hit(share, evidence, (0, len(output.text)), (0, len(source.text)))


def _kept(words: list[str], source: Text) -> float:
    """The share of words that the source has too."""
    return sum(word in source.keys for word in words) / max(1, len(words))


def wrong_language(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:
    """A text in another language than the references', as far as that can be told from so short a text."""
    if known.identify is None or not known.languages or not _long_enough(output):
        return
    if segment.source is not None and _familiar(output, known):
        return
    language, probability = known.identify(output.text)
    if language in known.languages or probability < SURE:
        return
    if any(known.identify(text.text)[0] == language for text in segment.references):
        return
    yield Hit(probability, f"looks like {language} ({probability:.2f})", (0, len(output.text)))


def _familiar(text: Text, known: Knowledge) -> bool:
    """Whether most words are the references': then nothing need be identified, which is slow."""
    seen, source = known.reference_counts, known.source_counts
    return sum(seen[key] * RARE > source[key] for key in text.keys) >= FAMILIAR * len(text.keys)


def _long_enough(text: Text) -> bool:
    return sum(map(len, text.tokens)) >= LETTERS


COPIED = Detector("copied", "the source instead of a translation", frozenset({"source"}), copied)
WRONG_LANGUAGE = Detector("language", "another language than the references'", frozenset({"langid"}), wrong_language)
