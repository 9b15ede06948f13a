"""Detectors that need little but the output: empty, unknown-word marks, loops, unbalanced quotes and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from tertium.analysis.detect.detector import Detector, Hit, Segment, Text

UNKNOWN = re.compile(r"<unk>|\[UNK\]|⁇|\ufffd", re.IGNORECASE)
UNUSUAL = re.compile("[<[⁇\ufffd]")  # with what such marks begin; found faster
LONGEST = 12  # words of a loop that is looked for
TIMES = {1: 3, 2: 3}  # how often a loop of one or two words must run to be one; longer ones twice
TWICE = 2
GLUED = re.compile(r"(\S{1,16}?)\1{5,}")  # for scripts without spaces, and letters that never end
LONG_WORD = 12  # characters that such a loop has at least, and two of them at most that differ
LONG_WORDS = re.compile(rf"\S{{{LONG_WORD},}}")
OPEN, CLOSE = "([{（［｛【「『《", ")]}）］｝】」』》"
BRACKETS = re.compile(f"[{re.escape(OPEN + CLOSE)}]")
QUOTE = re.compile('["“”„‟«»]')  # found faster, and in most texts there is none
QUOTES = re.compile(r'(?<!\d)"|"(?=\w)|[“”„‟«»]')
SMILEYS = re.compile(r"[:;=8][-~o^']?[()\[\]]{1,5}|(?<![()])[()]{1,5}[-^']?[:;=](?!\w)")
NUMBERED = re.compile(r"(?<!\S)(?:[^\W\d_]|[ivxIVX]{2,4}|\d{1,3})\.?\)\Z")  # a) and 1.) have no bracket that opens


def empty(output: Text, segment: Segment) -> Iterator[Hit]:
    """No output, although there was something to translate."""
    if output.text.strip():
        return
    if segment.source is None or segment.source.text.strip():
        yield Hit(1.0, "nothing was said")


def unknown(output: Text, segment: Segment) -> Iterator[Hit]:
    """A mark for a word or character that the system does not know."""
    found = list(UNKNOWN.finditer(output.text)) if UNUSUAL.search(output.text) else []
    if not found or any(UNKNOWN.search(text.text) for text in segment.texts):
        return
    share = min(1.0, len(found) / max(1, len(output.text.split())))
    for match in found:
        yield Hit(share, f"{match[0]} in the output", match.span())


def repetition(output: Text, segment: Segment) -> Iterator[Hit]:
    """Words or letters said over and over, more often than source and references do."""
    loop = find_loop(output)
    if loop is None:
        return
    theirs = [other for text in segment.texts if (other := find_loop(text))]
    if any(TWICE * other.times >= loop.times for other in theirs):  # a cry may be copied a little longer
        return
    shown = loop.block if len(loop.block) <= 40 else f"{loop.block[:40]}..."
    span = loop.start, loop.end
    yield Hit((loop.end - loop.start) / len(output.text), f"{shown!r} {loop.times} times in a row", span)


class Loop(NamedTuple):
    """Where something is said over and over, how often, what, and where it has been said for the first time."""

    start: int
    end: int
    times: int
    block: str
    once: int


def find_loop(text: Text) -> Loop | None:
    """The longest run of a repeated block of words; else of letters within a word."""
    return _loop(text) or _glued(text.text)


def _loop(text: Text) -> Loop | None:
    keys = text.folded
    if len(keys) - len(text.keys) < TWICE or len(set(pairwise(keys))) == len(keys) - 1:
        return None  # in a loop two words in a row come again
    last: dict[str, int] = {}
    periods = set()
    for place, key in enumerate(keys):
        before = last.get(key)
        if before is not None and place - before <= LONGEST:
            periods.add(place - before)
        last[key] = place
    best = (0, 0, 0)  # words in the run, its first word, its period
    for period in sorted(periods):
        run = 0  # words in a row that equal the word one period before
        for place in range(period, len(keys) + 1):
            if place < len(keys) and keys[place] == keys[place - period]:
                run += 1
                continue
            if run and run // period + 1 >= TIMES.get(period, TWICE) and run + period > best[0]:
                best = run + period, place - period - run, period
            run = 0
    length, first, period = best
    if not length:
        return None
    words = text.words[first : first + length]
    block = " ".join(word.text for word in words[:period])
    return Loop(words[0].start, words[-1].end, length // period, block, words[period - 1].end)


def _glued(text: str) -> Loop | None:
    if max(map(len, text.split()), default=0) < LONG_WORD:
        return None
    for word in LONG_WORDS.finditer(text):
        if len(set(word[0])) - 2 > len(word[0]) - LONG_WORD:  # too many letters differ; the search itself is slow
            continue
        for match in GLUED.finditer(text, *word.span()):
            if len(match[0]) >= LONG_WORD and any(char.isalpha() for char in match[1]):
                return Loop(match.start(), match.end(), len(match[0]) // len(match[1]), match[1], match.end(1))
    return None


def unbalanced(output: Text, segment: Segment) -> Iterator[Hit]:
    """A bracket or quotation mark without its partner, where source and references have theirs."""
    bracket = _lone_bracket(output.text)
    if bracket is not None and not any(_lone_bracket(text.text) is not None for text in segment.texts):
        yield Hit(0.1, f"{output.text[bracket]} has no partner", (bracket, bracket + 1))
    quotes = [match.span() for match in QUOTES.finditer(output.text)] if QUOTE.search(output.text) else []
    if len(quotes) % 2 and not any(len(QUOTES.findall(text.text)) % 2 for text in segment.texts):
        yield Hit(0.1, f"{len(quotes)} quotation marks", quotes[-1])


def _lone_bracket(text: str) -> int | None:
    """Where the first bracket without a partner stands."""
    if not BRACKETS.search(text):
        return None
    blanked = SMILEYS.sub(lambda match: " " * len(match[0]), text)
    waiting: list[tuple[str, int]] = []
    for match in BRACKETS.finditer(blanked):
        if match[0] in OPEN:
            waiting.append((CLOSE[OPEN.index(match[0])], match.start()))
        elif waiting and waiting[-1][0] == match[0]:
            waiting.pop()
        elif not NUMBERED.search(blanked[max(0, match.start() - 6) : match.end()]):
            return match.start()
    return waiting[0][1] if waiting else None


EMPTY = Detector("empty", "no output", frozenset(), empty)
UNKNOWN_WORD = Detector("unk", "a mark for an unknown word, such as <unk>", frozenset(), unknown)
REPETITION = Detector("repetition", "words said over and over", frozenset(), repetition)
UNBALANCED = Detector("unbalanced", "a quotation mark or bracket without its partner", frozenset(), unbalanced)
