"""Texts that are too long for a model, in overlapping windows: parts of all texts of a segment that belong together.

With w windows, window k of every text of a segment (output, source, reference) is from k / (w + 1) to (k + 2) / (w + 1)
of its characters, k = 0, ..., w - 1: half of it is in the next one, and what stands at the same share of two texts is
in the same window. A border inside a word is moved to where the word begins. w is as small as doubling and bisection
find it so that no window is too long. The score is the mean of the windows' scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Texts = tuple[str, ...]  # of a segment: the output first
TooLong = Callable[[list[Texts]], Sequence[bool]]

MOST = 1024  # windows of a segment
WORD = 40  # characters that a word may have; what is longer is not made of words


class Window(NamedTuple):
    """A part of a segment's texts."""

    texts: Texts
    start: int  # where it begins in the output
    own: tuple[int, int]  # the characters of the output that are nearer to its middle than to any other's


def windows_of(texts: Texts, too_long: TooLong) -> list[Window]:
    """Few windows that a model can read; where even the shortest are too long for it, these."""

    def fit(count: int) -> bool:
        return count >= MOST or not any(too_long([window.texts for window in _cut(texts, count)]))

    low, high = 1, 2  # too few windows, enough of them
    while not fit(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fit(middle) else (middle, high)
    return _cut(texts, high)


def whole(texts: Texts) -> Window:
    """Texts as they are."""
    return Window(texts, 0, (0, len(texts[0])))


def _cut(texts: Texts, count: int) -> list[Window]:
    borders = [[_border(text, k, count + 1) for k in range(count + 2)] for text in texts]
    halves = [_border(texts[0], 2 * k + 1, 2 * (count + 1)) for k in range(count + 1)]
    own = [0, *halves[1:-1], len(texts[0])]
    return [
        Window(
            tuple(text[at[k] : at[k + 2]].strip() for text, at in zip(texts, borders, strict=True)),
            borders[0][k] + _indent(texts[0][borders[0][k] : borders[0][k + 2]]),
            (own[k], own[k + 1]),
        )
        for k in range(count)
    ]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip()) if text.strip() else 0


def _border(text: str, part: int, parts: int) -> int:
    """Where a share of a text ends: at the beginning of a word."""
    place = len(text) * part // parts
    if place in (0, len(text)) or text[place].isspace():
        return place
    for back in range(min(WORD, place)):
        if text[place - back - 1].isspace():
            return place - back
    return place
