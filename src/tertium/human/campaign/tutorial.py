"""Examples that raters try first: what they should have said, and why. Nothing of it is kept, or counted.

What is expected of an example is a table of campaign.toml, `expected`, with keys by the protocol:

    da100 = [80, 100]        a scale's name: a number, or the lowest and the highest that will do
    ranks = [1, 2]           places of the outputs, as they stand in `outputs`
    errors = ["ends"]        words of the output that are to be marked, and nothing else; [] where there is nothing
    text = ["Good morning"]  post-edited texts that will do
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tertium.core.errors import InputError
from tertium.core.judgement import SCALES, Scale
from tertium.human.campaign.protocol import Protocol
from tertium.io.texts import suggest


@dataclass(frozen=True, kw_only=True)
class Example:
    """A screen of the tutorial, what is expected, and what a rater is told when they have answered."""

    source: str
    outputs: tuple[str, ...]
    feedback: str
    expected: Mapping[str, Any] = field(default_factory=dict)


class ExampleVerdict(NamedTuple):
    """Whether an answer to one question of an example is what was expected, and what that was."""

    question: str  # a scale, or ranks, errors, text
    right: bool
    expected: tuple[str, ...]


def check_expected(example: Example, protocol: Protocol, where: str) -> None:
    """Refuse what nobody could answer."""
    known = [*_questions(protocol)]
    for key, value in example.expected.items():
        if key not in known:
            raise InputError(f"{where}: unknown key {key!r}{suggest(key, known)} known: {', '.join(known)}")
        problem = _problem(key, value, example)
        if problem:
            raise InputError(f"{where} {key} = {value!r}: {problem}")


def verdicts(example: Example, response: Mapping[str, Any]) -> list[ExampleVerdict]:
    """A response, which fits the protocol, held against what is expected: one verdict for each question."""
    found = []
    for key, value in example.expected.items():
        if key == "ranks":
            names = tuple(f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[k % 26]} {place}" for k, place in enumerate(value))
            found.append(ExampleVerdict(key, list(response["ranks"]) == list(value), names))
        elif key == "errors":
            found.append(ExampleVerdict(key, _marked(example.outputs[0], value, response["spans"]), tuple(value)))
        elif key == "text":
            fits = response["text"].split() in [text.split() for text in value]
            found.append(ExampleVerdict(key, fits, tuple(value)))
        else:
            low, high = _range(value)
            shown = f"{low:g}" if low == high else f"{low:g}–{high:g}"
            found.append(ExampleVerdict(key, low <= response["values"][key] <= high, (shown,)))
    return found


def _questions(protocol: Protocol) -> Iterator[str]:
    if protocol.several:
        yield "ranks"
    elif protocol.edits:
        yield "text"
    else:
        yield from (scale for scale in protocol.scales if scale != "mqm")
        if protocol.marks != "none":
            yield "errors"


def _problem(key: str, value: Any, example: Example) -> str:
    """What is wrong with an expectation; empty where nothing is."""
    outputs = len(example.outputs)
    if key == "ranks":
        fits = isinstance(value, list) and len(value) == outputs and all(type(place) is int for place in value)
        return "" if fits and all(1 <= place <= outputs for place in value) else f"{outputs} places from 1 to {outputs}"
    if key in ("errors", "text"):
        if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
            return "a list of texts"
        if key == "text" and not value:
            return "name at least one text that will do"
        strange = [text for text in value if key == "errors" and text not in example.outputs[0]]
        return f"{strange[0]!r} is not in the output" if strange else ""
    return "" if _fits(SCALES[key], value) else f"{_allowed(SCALES[key])}, or [lowest, highest] of them"


def _allowed(scale: Scale) -> str:
    return f"a number from {scale.low:g} to {scale.high:g}"


def _fits(scale: Scale, value: Any) -> bool:
    ends = value if isinstance(value, list) else [value]
    return (
        len(ends) in (1, 2)
        and all(type(end) in (int, float) and scale.low <= end <= scale.high for end in ends)
        and ends[0] <= ends[-1]
    )


def _range(value: Any) -> tuple[float, float]:
    ends: Sequence[float] = value if isinstance(value, list) else [value]
    return float(ends[0]), float(ends[-1])


def _marked(output: str, errors: Sequence[str], spans: Sequence[Sequence[Any]]) -> bool:
    """Whether each of the words is touched by a mark, and each mark in the output touches one of them."""
    wanted = [(start := output.index(text), start + len(text)) for text in errors]
    marks = [(row[0], row[1]) for row in spans if row[4] == "output"]
    return _touched(wanted, marks) and _touched(marks, wanted)


def _touched(some: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> bool:
    return all(any(start < high and low < end for low, high in others) for start, end in some)
