"""The detector of numbers: missing, invented, or in another order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tertium.analysis.detectors import Detector, Hit, Knowledge, Segment, Text
from tertium.text.numerals import Numeral, same_clock_or_scale

NOTHING = frozenset({"0"})  # the minutes of 6:00 are nobody's invention


def numbers(output: Text, segment: Segment, known: Knowledge) -> Iterator[Hit]:  # noqa: ARG001
    """Numbers of the source that the output lacks, and numbers that only the output has.

    A reference excuses what it does too. Words and dates count only where source and reference agree on them.
    """
    source = segment.source
    if source is None or not (source.numerals or output.numerals):
        return
    said, asked = _values(output.numerals), _values(source.numerals)
    theirs = [_values(text.numerals) for text in segment.references]
    missing = [numeral for numeral in source.numerals if _wanted(numeral, theirs) and not _has(said, numeral)]
    added = [
        numeral
        for numeral in output.numerals
        if (numeral.written == "digits" or (numeral.written == "word" and theirs))
        and numeral.values != NOTHING
        and not _has(asked, numeral)
        and not any(_has(values, numeral) for values in theirs)
    ]
    total = max(1, len(source.numerals), len(output.numerals))
    severity = min(1.0, max(len(missing), len(added)) / total)
    for numeral in missing:
        text = source.text[numeral.start : numeral.end]
        yield Hit(severity, f"{text} in the source, not in the output", None, (numeral.start, numeral.end))
    for numeral in added:
        text = output.text[numeral.start : numeral.end]
        yield Hit(severity, f"{text} in the output, not in the source", (numeral.start, numeral.end))
    if not missing and not added and (span := _swapped(output, source, segment.references)):
        yield Hit(0.5, "the numbers stand in another order than in source and reference", span)


def _values(numerals: Iterable[Numeral]) -> frozenset[str]:
    return frozenset(value for numeral in numerals for value in numeral.values)


def _has(values: frozenset[str], numeral: Numeral) -> bool:
    """Whether a text with these numbers says this one in some way."""
    if not values.isdisjoint(numeral.values):
        return True
    if numeral.written == "date":
        return False
    return any(not values.isdisjoint(same_clock_or_scale(value)) for value in numeral.values)


def _wanted(numeral: Numeral, references: list[frozenset[str]]) -> bool:
    """Whether the output must say a number of the source: every reference does."""
    if not references:
        return numeral.written == "digits"
    return all(_has(values, numeral) for values in references)


def _swapped(output: Text, source: Text, references: tuple[Text, ...]) -> tuple[int, int] | None:
    """The stretch of the output's numbers, if source and references agree on an order and the output has another."""
    orders = [_order(text) for text in (source, *references)]
    order = _order(output)
    if not references or len(order) < 2 or any(other != orders[0] for other in orders):
        return None
    if order == orders[0] or sorted(order) != sorted(orders[0]) or len(set(order)) < len(order):
        return None
    spans = [numeral for numeral in output.numerals if numeral.written == "digits"]
    return spans[0].start, spans[-1].end


def _order(text: Text) -> list[str]:
    return [min(numeral.values) for numeral in text.numerals if numeral.written == "digits"]


NUMBERS = Detector("number", "a number is missing, invented or out of order", frozenset({"source"}), numbers)
