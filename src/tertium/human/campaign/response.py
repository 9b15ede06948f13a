"""Responses: what a rater sends for one item, checked against the protocol, and the Judgements that it makes.

A response is a small JSON object; which keys it has is the protocol's:

    values   {scale: number}                       where there are scales
    ranks    [place of each output shown, from 1]  where outputs stand side by side; equal places are ties
    spans    [[start, end, severity, category, side], ...]  where errors are marked; code points of the text shown
    text     the mended output                     where outputs are post-edited
    seconds  how long the item was on the screen

Nothing else is taken: a response that could not have come from the page is refused in a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from tertium.core.errors import InputError
from tertium.core.judgement import MQM_WEIGHTS, SCALES, Judgement, Side, Span, mqm_penalty
from tertium.human.campaign.plan import PlannedItem
from tertium.human.campaign.protocol import Protocol

SEVERITIES = ("minor", "major", "critical")
SIDES = get_args(Side)
MOST_SPANS = 200
LONGEST_TEXT = 100_000
DAY = 86_400.0

Response = Mapping[str, Any]


def check_response(
    response: Any,
    protocol: Protocol,
    item: PlannedItem,
    texts: Sequence[str],
    source: str,
    taxonomy: Sequence[str] = (),
) -> None:
    """Refuse what this protocol cannot have been answered with; `texts` are those that were shown."""
    if not isinstance(response, Mapping):
        raise InputError(f"a response is an object, got {_sort(response)}")
    wanted = set(_keys(protocol))
    for key in response:
        if key not in wanted | {"seconds"}:
            raise InputError(
                f"unknown key {str(key)[:40]!r}; a response to {protocol.name} has {', '.join(sorted(wanted))}"
            )
    for key in sorted(wanted - set(response)):
        raise InputError(f"no {key}; a response to {protocol.name} has {', '.join(sorted(wanted))}")
    seconds = response.get("seconds", 0)
    if not is_number(seconds) or not 0 <= seconds <= DAY:
        raise InputError(f"seconds = {seconds!r}; must lie between 0 and {DAY:.0f}")
    if "values" in wanted:
        _check_values(response["values"], protocol)
    if "ranks" in wanted:
        _check_ranks(response["ranks"], len(item.shown))
    if "spans" in wanted:
        _check_spans(response["spans"], len(texts[0]), len(source), taxonomy if protocol.marks == "taxonomy" else ())
    if "text" in wanted:
        _check_text(response["text"])


def judgements_of(
    response: Response, protocol: Protocol, item: PlannedItem, rater: str, batch: int, start: float, text: str = ""
) -> Iterator[Judgement]:
    """What a response says, on the scales of the house; `text` is the output that was shown, where it was mended."""
    about: dict[str, Any] = {
        "segment": item.segment,
        "rater": rater,
        "kind": item.kind,
        "task": str(batch),
        "duration": float(response.get("seconds", 0)),
        "start": start,
    }
    if protocol.several:
        for shown, place in zip(item.shown, response["ranks"], strict=True):
            yield Judgement(system=shown.system, scale="rank", value=float(place), **about)
        return
    spans = tuple(_span(row) for row in response.get("spans", ()))
    [shown] = item.shown
    if protocol.edits:
        yield Judgement(system=shown.system, scale="hter", value=hter(text, response["text"]), **about)
        return
    if protocol.name == "mqm":
        yield Judgement(system=shown.system, scale="mqm", value=mqm_penalty(spans), spans=spans, **about)
        return
    for scale in protocol.scales:
        yield Judgement(system=shown.system, scale=scale, value=float(response["values"][scale]), spans=spans, **about)


def hter(output: str, mended: str) -> float:
    """Edits from an output to what a person made of it, in percent of the words of the latter (Snover et al. 2006).

    A text that was emptied has no words to divide by: then 0 where the output was empty, too, and 100 otherwise.
    """
    from tertium.core.lines import Lines
    from tertium.core.system import System
    from tertium.core.testset import References, TestSet
    from tertium.engines.evaluate import evaluate
    from tertium.metrics import parse_list

    if not mended.split():
        return 100.0 if output.split() else 0.0
    testset = TestSet(name="mended", segments=1, references=References((Lines.of([mended]),), 1))
    [ter] = parse_list("ter")
    [stats] = evaluate(testset, [System(name="output", outputs=Lines.of([output]))], ter).table.values()
    return float(ter.score(stats.total()))


def _keys(protocol: Protocol) -> Iterator[str]:
    if protocol.several:
        yield "ranks"
    elif not protocol.edits and protocol.name != "mqm":  # whose numbers follow from the text, and the spans
        yield "values"
    if protocol.marks != "none":
        yield "spans"
    if protocol.edits:
        yield "text"


def _check_text(text: Any) -> None:
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise InputError(f"text must be a text of at most {LONGEST_TEXT} characters")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError("text has half a character (a lone surrogate), which no file can hold; type it again")


def _check_values(values: Any, protocol: Protocol) -> None:
    if not isinstance(values, Mapping) or set(values) != set(protocol.scales):
        raise InputError(f"values must have a number for {' and '.join(protocol.scales)}")
    for name, value in values.items():
        scale = SCALES[name]
        if not is_number(value) or not scale.low <= value <= scale.high:
            raise InputError(f"{name} = {value!r}; must lie between {scale.low:g} and {scale.high:g}")
        if scale.high - scale.low < 100 and value != int(value):
            raise InputError(f"{name} = {value!r}; must be a whole number")


def _check_ranks(ranks: Any, outputs: int) -> None:
    fits = isinstance(ranks, list) and len(ranks) == outputs and all(type(rank) is int for rank in ranks)
    if not fits or not all(1 <= rank <= outputs for rank in ranks):
        raise InputError(f"ranks must be {outputs} places from 1 to {outputs}, got {ranks!r:.80}")


def _check_spans(spans: Any, output: int, source: int, taxonomy: Sequence[str]) -> None:
    if not isinstance(spans, list) or len(spans) > MOST_SPANS:
        raise InputError(f"spans must be a list of at most {MOST_SPANS}")
    for row in spans:
        if not isinstance(row, list) or len(row) != 5 or not all(type(k) is int for k in row[:2]):
            raise InputError(f"a span is [start, end, severity, category, side], got {row!r:.80}")
        start, end, severity, category, side = row
        if severity not in SEVERITIES or severity not in MQM_WEIGHTS:
            raise InputError(f"unknown severity {severity!r:.40}; known: {', '.join(SEVERITIES)}")
        if side not in SIDES:
            raise InputError(f"unknown side {side!r:.40}; known: {', '.join(SIDES)}")
        length = {"output": output, "source": source}.get(side, 0)
        empty = side == "none" or length == 0
        if not (start == end == 0 if empty else 0 <= start < end <= length):
            raise InputError(f"span [{start}, {end}) does not lie within the {length} characters of the {side}")
        if taxonomy and category not in taxonomy:
            raise InputError(f"unknown category {category!r:.80}; known: {', '.join(taxonomy)}")
        if not isinstance(category, str) or len(category) > 200:
            raise InputError("a category is a text of at most 200 characters")
        _check_text(category)


def _span(row: Sequence[Any]) -> Span:
    start, end, severity, category, side = row
    return Span(start=start, end=end, severity=severity, category=category, side=side)


def is_number(value: Any) -> bool:
    """Whether JSON gave a finite number, and no truth value."""
    return type(value) in (int, float) and math.isfinite(value)


def _sort(value: Any) -> str:
    return type(value).__name__
