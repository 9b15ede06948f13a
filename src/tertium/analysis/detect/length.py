"""Detectors that measure: too short and too long against the source and the references."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text
from tertium.core.wording import counted

SHORT = 0.7  # of the expected length
LONG = 1.6
FEW = 12  # characters: less is not worth a word


def expected_lengths(segment: Segment) -> list[float]:
    """What the length could be: that of each reference, and the source's times the usual ratio; from the least up."""
    lengths = [float(len(text.text)) for text in segment.references]
    if segment.source is not None and segment.known.ratio is not None:
        lengths.append(len(segment.source.text) * segment.known.ratio)
    return sorted(lengths)


def truncation(output: Text, segment: Segment) -> Iterator[Hit]:
    """Much shorter than every expectation."""
    lengths = segment.once(expected_lengths)
    got = len(output.text.strip())
    if not lengths or not got:  # an empty output is a kind of its own
        return
    least = lengths[0]
    if got < SHORT * least and least - got >= FEW:
        yield Hit(1 - got / least, f"{counted(got, 'character')} where at least {least:.0f} are expected", (got, got))


def over_generation(output: Text, segment: Segment) -> Iterator[Hit]:
    """Much longer than every expectation."""
    lengths = segment.once(expected_lengths)
    got = len(output.text.strip())
    if not lengths:
        return
    most = lengths[-1]
    if got > LONG * most and got - most >= FEW:
        span = (min(got, round(most)), got)
        yield Hit(1 - most / got, f"{counted(got, 'character')} where at most {most:.0f} are expected", span)


TRUNCATION = Detector("truncation", "much shorter than source and references", frozenset({"either"}), truncation)
OVER_GENERATION = Detector(
    "overgeneration", "much longer than source and references", frozenset({"either"}), over_generation
)
