"""The detector of numbers: missing, invented, or in another order."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text
from tertium.text.numerals import Numeral, same_clock_or_scale

NOTHING = frozenset({"0"})  # the minutes of 6:00 are nobody's invention


def numbers(output: Text, segment: Segment) -> Iterator[Hit]:
    """Numbers of the source that the output lacks, and numbers that only the output has.

    A reference excuses what it does too. Words and dates count only where source and reference agree on them.
    """
    source = segment.source
    if source is None or not (source.numerals or output.numerals):
        return
    missing = [numeral for numeral in segment.once(_wanted) if not _has(output, numeral)]
    added = [
        numeral
        for numeral in output.numerals
        if (numeral.written == "digits" or (numeral.written == "word" and segment.references))
        and numeral.values != NOTHING
        and not any(_has(text, numeral) for text in segment.texts)
    ]
    total = max(1, len(source.numerals), len(output.numerals))
    severity = min(1.0, max(len(missing), len(added)) / total)
    for numeral in missing:
        text = source.text[numeral.start : numeral.end]
        yield Hit(severity, f"{text} in the source, not in the output", None, (numeral.start, numeral.end))
    for numeral in added:
        text = output.text[numeral.start : numeral.end]
        yield Hit(severity, f"{text} in the output, not in the source", (numeral.start, numeral.end))
    if not missing and not added and (span := _swapped(output, segment)):
        yield Hit(0.5, "the numbers stand in another order than in source and reference", span)


def _has(text: Text, numeral: Numeral) -> bool:
    """Whether a text says a number in some way."""
    if not text.values.isdisjoint(numeral.values):
        return True
    if numeral.written == "date" or not text.values:
        return False
    return any(not text.values.isdisjoint(same_clock_or_scale(value)) for value in numeral.values)


def _wanted(segment: Segment) -> list[Numeral]:
    """The numbers of the source that an output must say: those that every reference says."""
    numerals = [] if segment.source is None else segment.source.numerals
    if not segment.references:
        return [numeral for numeral in numerals if numeral.written == "digits"]
    return [numeral for numeral in numerals if all(_has(text, numeral) for text in segment.references)]


def _swapped(output: Text, segment: Segment) -> tuple[int, int] | None:
    """The stretch of the output's numbers, if source and references agree on an order and the output has another."""
    agreed = segment.once(_agreed)
    if len(agreed) < 2:
        return None
    order = _order(output)
    if order == agreed or sorted(order) != sorted(agreed) or len(set(order)) < len(order):
        return None
    spans = [numeral for numeral in output.numerals if numeral.written == "digits"]
    return spans[0].start, spans[-1].end


def _agreed(segment: Segment) -> list[str]:
    """The order in which source and references say their numbers; empty if they differ."""
    if segment.source is None or not segment.references:
        return []
    first, *others = [_order(text) for text in (segment.source, *segment.references)]
    return first if all(order == first for order in others) else []


def _order(text: Text) -> list[str]:
    return [min(numeral.values) for numeral in text.numerals if numeral.written == "digits"]


NUMBERS = Detector("number", "a number is missing, invented or out of order", frozenset({"source"}), numbers)
