"""How values are written for people: the same words and roundings on the command line and on pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whatever writes a sentence may import this file
    from tertium.core.metric import Metric
    from tertium.core.testset import TestSet

ABSENT = "–"  # NaN means "not scored" and is never shown as 0
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def number(value: float, decimals: int) -> str:
    """A rounded number, and no -0.0; an en dash where there is none."""
    return ABSENT if math.isnan(value) else f"{value:z.{decimals}f}"


def p_text(p: float) -> str:
    """A p-value in four decimals; what would round to 0.0000 is written as a bound, because no p is 0."""
    return "<.0001" if p < 0.00005 else number(p, 4)


def p_equals(p: float) -> str:
    """`p = 0.0312` or `p <.0001`, for sentences."""
    return f"p {p_text(p)}" if p < 0.00005 else f"p = {p_text(p)}"


def counted(number: int, noun: str) -> str:
    """`1 segment`, `96 segments`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """`40 s`, `3 min`, `2.5 h`: about how long something takes."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 99.5 * 60 else f"{seconds / 3600:.1f} h"


def bounds_text(bounds: tuple[float, float]) -> str:
    """Between which values scores lie: `0-100`, `0 and up`, `-1 to 1`, `unbounded`."""
    low, high = bounds
    if math.isinf(low):
        return "unbounded" if math.isinf(high) else f"{high:g} and less"
    if math.isinf(high):
        return f"{low:g} and up"
    return f"{low:g} to {high:g}" if low < 0 else f"{low:g}-{high:g}"


def are(number: int, noun: str) -> str:
    """`is 1 segment`, `are 96 segments`."""
    return f"{'is' if number == 1 else 'are'} {counted(number, noun)}"


def stars(p: float) -> str:
    """The field's marks of a small p: one star up to 0.05, two up to 0.01, three up to 0.001."""
    return next((marks for limit, marks in STARS if p <= limit), "")


def visible(text: str) -> str:
    """A text in which control characters and other invisible ones are written by their number."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or _joins(text, k) else char.encode("unicode_escape").decode()
        for k, char in enumerate(text)
    )


JOINERS = "\u200c\u200d"  # ZERO WIDTH NON-JOINER and JOINER


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands where writing needs one: inside a word, as in Persian, or between parts of an emoji.
    Between letters of ASCII it would only be hidden."""
    from unicodedata import category

    around = text[place - 1 : place] + text[place + 1 : place + 2]
    return (
        text[place] in JOINERS
        and len(around) == 2
        and all(not char.isascii() and (category(char)[0] in "LM" or category(char) in ("So", "Sk")) for char in around)
    )


def headings(metrics: Sequence[Metric]) -> dict[str, str]:
    """A heading for every metric: its title, or its text where options are set; an arrow where lower is better."""
    named = {
        str(metric): getattr(metric, "heading", "") or (metric.title if str(metric) == metric.name else str(metric))
        for metric in metrics
    }
    often = list(named.values())
    return {
        text: (named[text] if often.count(named[text]) == 1 else text) + (" ↓" if metric.better == "lower" else "")
        for text, metric in ((str(metric), metric) for metric in metrics)
    }


def describe(testset: TestSet) -> str:
    """One line about the test set."""
    low, high = testset.references.fewest_and_most
    references = f"{low}" if low == high else f"{low}-{high}"
    documents = "" if testset.documents is None else f" in {counted(len(set(testset.documents)), 'document')}"
    pair = f" ({testset.language_pair})" if testset.language_pair else ""
    plural = "" if references == "1" else "s"
    segments = f"{len(testset):,} segment{'' if len(testset) == 1 else 's'}"
    return f"{testset.name}{pair}: {segments}{documents}, {references} reference{plural} per segment"
