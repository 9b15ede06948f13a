"""The detector of omissions: what every reference says in several words and the output in none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tertium.analysis.detect_length import expected_lengths
from tertium.analysis.detectors import Detector, Hit, Knowledge, Segment, Text

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


def omission(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:
    """A stretch of every reference of which the output, which is rather short, says nothing.

    Paraphrase is told from omission by balance: who says a thing otherwise has words of his own for it.
    """
    if not segment.references or not output.tokens:  # an empty output is a kind of its own
        return
    if len(output.text) >= SHORT * min(expected_lengths(segment, known)):
        return
    losses = [_loss(output, reference, known) for reference in segment.references]
    if all(loss.words >= FEWEST and loss.stretch >= FEWEST for loss in losses):
        least = min(losses)
        yield Hit(least.share, f"nothing of {least.text!r}, which the reference says")


def _loss(output: Text, reference: Text, known: Knowledge) -> Loss:
    weighty = [_weighty(key, known) for key in reference.folded]
    gone = [heavy and not output.has_form_of(key) for heavy, key in zip(weighty, reference.folded, strict=True)]
    own = sum(_weighty(key, known) and not reference.has_form_of(key) for key in output.folded)
    first, last, length = _longest(weighty, gone)
    text = reference.text[reference.words[first].start : reference.words[last].end] if length else ""
    return Loss(sum(gone) - own, sum(gone) / max(1, sum(weighty)), length, text)


def _weighty(key: str, known: Knowledge) -> bool:
    return len(key) >= LETTERS and known.reference_counts[key] <= max(OFTEN, COMMON * known.reference_words)


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
