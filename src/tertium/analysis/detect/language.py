"""Detectors of whole texts in the wrong language: the source copied, or another language altogether."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text

FEWEST = 3  # words: a shorter copy may be a name
FEWEST_OWN = 2  # of them in no reference
SHARE = 0.8  # of all words, and of those, that stand in the source, if it is to be a copy
LETTERS = 40  # of a text whose language can be told
FAMILIAR = 0.7  # share of words that references have too
SURE = 0.95  # probability of the other language


def copied(output: Text, segment: Segment) -> Iterator[Hit]:
    """The source, or nearly all of it, instead of a translation."""
    source = segment.source
    if source is None or len(output.folded) < FEWEST or output.keys.isdisjoint(segment.unkept):
        return
    own = [key for key in output.folded if key not in segment.kept]  # names that references keep too say nothing
    share = _kept(output.folded, source)
    if len(own) < FEWEST_OWN or min(share, _kept(own, source)) < SHARE:
        return
    same = output.text.split() == source.text.split()
    evidence = "the source itself" if same else f"{share:.0%} of the words are the source's"
    yield Hit(share, evidence, (0, len(output.text)), (0, len(source.text)))


def _kept(words: list[str], source: Text) -> float:
    """The share of words that the source has too."""
    return sum(word in source.keys for word in words) / max(1, len(words))


def wrong_language(output: Text, segment: Segment) -> Iterator[Hit]:
    """A text in another language than the references', as far as that can be told from so short a text."""
    known = segment.known
    if known.identify is None or len(output.text) < LETTERS:
        return
    if segment.source is not None and _familiar(output, known.target):
        return
    if sum(map(len, output.tokens)) < LETTERS or not known.languages():
        return
    language, probability = known.identify(output.text)
    if language in known.languages() or probability < SURE:
        return
    if any(known.identify(text.text)[0] == language for text in segment.references):
        return
    yield Hit(probability, f"looks like {language} ({probability:.2f})", (0, len(output.text)))


def _familiar(text: Text, target: frozenset[str]) -> bool:
    """Whether most words are the references': then nothing need be identified, which is slow."""
    return len(text.keys & target) >= FAMILIAR * len(text.keys)


COPIED = Detector("copied", "the source instead of a translation", frozenset({"source"}), copied)
WRONG_LANGUAGE = Detector("language", "another language than the references'", frozenset({"langid"}), wrong_language)
