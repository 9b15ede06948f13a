"""Detectors of what a house asks for: terms of a glossary, words that are forbidden, lengths that are kept."""

from __future__ import annotations

from collections.abc import Iterator

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text
from tertium.core.wording import counted
from tertium.text.glossary import TermPlace

NAMED = 3  # translations of a term that the evidence names


def terms(output: Text, segment: Segment) -> Iterator[Hit]:
    """A term of the source that the output does not call as the glossary does."""
    checker = segment.known.house.terms
    demanded = segment.once(_demanded)
    if checker is None or not demanded:
        return
    found = checker.check(demanded, output.text)
    missing = [demand for demand in found if demand.output is None]
    for demand in missing:
        ways = demand.entry.targets
        wanted = " or ".join(ways[:NAMED]) + (f" ({len(ways) - NAMED} more)" if len(ways) > NAMED else "")
        evidence = f"{demand.entry.source}: the glossary says {wanted}"
        yield Hit(len(missing) / len(found), evidence, None, demand.source)


def _demanded(segment: Segment) -> tuple[TermPlace, ...]:
    checker = segment.known.house.terms
    return () if checker is None or segment.source is None else checker.demanded(segment.source.text)


def forbidden(output: Text, segment: Segment) -> Iterator[Hit]:
    """A word that the list forbids."""
    words = segment.known.house.forbidden
    if words is None:
        return
    found = list(words.find(output.text))
    for start, end, instead in found:
        better = f"; write {instead}" if instead else ""
        said = output.text[start:end]
        yield Hit(min(1.0, len(found) / max(1, len(output.folded))), f"{said} is forbidden{better}", (start, end))


def too_long(output: Text, segment: Segment) -> Iterator[Hit]:
    """More characters than a limit allows."""
    got, source = len(output.text), segment.source
    limits = [
        limit for one in segment.known.house.limits
        if (limit := one.of(None if source is None else len(source.text))) is not None
    ]  # fmt: skip
    if limits and got > min(limits):
        most = min(limits)
        yield Hit(1 - most / got, f"{counted(got, 'character')} where {most} are allowed", (most, got))


TERMS = Detector("term", "a term that is not translated as the glossary says", frozenset({"source", "glossary"}), terms)
FORBIDDEN = Detector("forbidden", "a word that the list forbids", frozenset({"forbidden"}), forbidden)
LENGTH = Detector("length", "longer than the limit", frozenset({"limits"}), too_long)
