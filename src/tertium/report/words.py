"""How sentences of a report are put together, and what people's scales are called in them."""

from __future__ import annotations

from collections.abc import Sequence

from tertium.core.metric import Metric
from tertium.core.wording import number

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MANY = 6  # more names than these are counted, not listed
ASKED = {  # what raters were asked, as readers know it
    "da100": "people's rating (0-100)",
    "esa": "people's rating after marking errors (0-100)",
    "document100": "people's rating of documents (0-100)",
    "sqm": "people's rating (0-6)",
    "adequacy": "adequacy (1-5)",
    "fluency": "fluency (1-5)",
    "rank": "people's ranking",
    "mqm": "errors marked by people (MQM)",
    "catastrophic": "catastrophic errors by people",
}


def listed(names: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f" {word} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def in_words(count: int) -> str:
    """Small numbers as sentences have them."""
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def times(buckets: Sequence[str]) -> str:
    """`once`, `once, twice or 3-5 times`."""
    once = {"1": "once", "2": "twice"}
    said = [once[bucket] for bucket in buckets if bucket in once]
    more = [bucket for bucket in buckets if bucket not in once]
    counts = [*said, *more[:-1], f"{more[-1]} times"] if more else said
    return listed(counts, "or")


def words_of(buckets: Sequence[str], groups: int) -> str:
    """`words that the references have once or twice`; `words of every frequency` where these are all groups."""
    if len(buckets) == groups > 1:
        return "words of every frequency"
    return f"words that the references have {times(buckets)}"


def capital(text: str) -> str:
    """With a capital letter, to begin a sentence of ours; never of a name."""
    return text[:1].upper() + text[1:]


def amount(value: float, metric: Metric) -> str:
    """A difference without its sign, as the metric's scores are rounded; never rounded to nothing."""
    text = number(abs(value), metric.decimals)
    return text if value == 0 or float(text) else number(abs(value), metric.decimals + 2)


def chance(p: float) -> str:
    """A p-value in a sentence."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def scale_title(scale: str) -> str:
    """What raters were asked, in words."""
    return ASKED.get(scale, scale)


def people_title(metric: Metric, *, standardised: bool) -> str:
    """People's scores as readers know them: `people's rating (0-100, z)` for standard scores."""
    name = scale_title(str(getattr(metric, "scale", metric)))
    return with_note(name, "z") if standardised else name


def with_note(name: str, note: str) -> str:
    """`adequacy (1-5, raw)`: a note in the brackets of a name, or in its own."""
    return f"{name.removesuffix(')')}, {note})" if name.endswith(")") else f"{name} ({note})"
