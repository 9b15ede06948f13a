"""The detector of omissions: what every reference says in several words and the output in none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tertium.analysis.detect.detector import Detector, Hit, Knowledge, Segment, Text
from tertium.analysis.detect.length import expected_lengths

LETTERS = 4  # of a word that says something, as a rule
COMMON = 0.001  # share of the references' words above which a word says little,
OFTEN = 8  # if it occurs more often than this
SHORT = 0.88  # of the shortest expectation: a paraphrase is seldom so much shorter
FEWEST = 2  # words that must be gone in a row, and on balance


class Loss(NamedTuple):
    """How many words fewer the output has than a reference, and the longest stretch it says nothing of."""

    words: int
    share: float  # of the reference's words
    stretch: int  # words in it
    text: str


def omission(output: Text, segment: Segment) -> Iterator[Hit]:
    """A stretch of every reference of which the output, which is rather short, says nothing.

    Paraphrase is told from omission by balance: a paraphrase has words of its own in place of those it lacks.
    """
    if not segment.references or not output.folded:  # an empty output is a kind of its own
        return
    if len(output.text) >= SHORT * segment.once(expected_lengths)[0]:
        return
    losses = []
    for reference, weighty in zip(segment.references, segment.once(_weights), strict=True):
        loss = _loss(output, reference, weighty, segment.known)
        if loss is None:
            return
        losses.append(loss)
    least = min(losses)
    yield Hit(least.share, f"nothing of {least.text!r}, which the reference says")


def _weights(segment: Segment) -> list[list[bool]]:
    """Whether each word of each reference says something."""
    return [_weighty(reference, segment.known) for reference in segment.references]


def _weighty(text: Text, known: Knowledge) -> list[bool]:
    limit = max(OFTEN, COMMON * known.reference_words)
    return [len(key) >= LETTERS and known.reference_counts[key] <= limit for key in text.folded]


def _loss(output: Text, reference: Text, weighty: list[bool], known: Knowledge) -> Loss | None:
    """What is lost of a reference; None if it is little."""
    gone = _without(reference, weighty, output)
    first, last, length = _longest(weighty, gone)
    if length < FEWEST:
        return None
    words = sum(gone) - sum(_without(output, _weighty(output, known), reference))
    if words < FEWEST:
        return None
    text = reference.text[reference.words[first].start : reference.words[last].end]
    return Loss(words, sum(gone) / sum(weighty), length, text)


def _without(text: Text, weighty: list[bool], other: Text) -> list[bool]:
    """Which of a text's words say something that the other does not say in any form."""
    return [heavy and not other.has_form_of(key) for heavy, key in zip(weighty, text.folded, strict=True)]


def _longest(weighty: list[bool], gone: list[bool]) -> tuple[int, int, int]:
    """First and last place and number of the most words in a row that are gone; light ones may stand between them."""
    best = (0, 0, 0)
    first, length = 0, 0
    for place, (heavy, lost) in enumerate(zip(weighty, gone, strict=True)):
        if lost:
            first, length = (first, length + 1) if length else (place, 1)
            best = max(best, (first, place, length), key=lambda run: run[2])
        elif heavy:
            length = 0
    return best


OMISSION = Detector(
    "omission", "a stretch of the reference that the output lacks", frozenset({"references"}), omission, True
)
