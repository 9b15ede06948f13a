"""Degraded outputs, by which careless raters are found: a phrase gives way to one of equal length from elsewhere.

How long the phrase is follows the WMT campaigns (Bojar et al. 2017, "Findings of the 2017 conference on machine
translation", section 3): 1 word of 1, 2 of 2-5, 3 of 6-8, 4 of 9-15, 5 of 16-20, and a quarter of longer outputs. In
Chinese and Japanese characters are counted, and twice as many are replaced. First and last word stay where an output is
long enough, so that the damage is inside.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

WORD = re.compile(r"\S+")
CHARACTER = re.compile(r"\S")
BY_CHARACTER = ("zh", "ja")  # languages that put no spaces between words
REPLACED = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))  # (words of the output at most, words replaced)
TRIES = 50  # other segments that are looked at for a phrase which differs


@dataclass(frozen=True)
class Degraded:
    """A damaged text, and which characters of it are foreign: [start, end)."""

    text: str
    start: int
    end: int


def words_replaced(length: int) -> int:
    """How many of so many words are replaced."""
    return next((replaced for most, replaced in REPLACED if length <= most), length // 4)


def degrade(text: str, others: Sequence[str], language: str | None, draw: str) -> Degraded | None:
    """The text with a phrase of another one in it; None where nothing in the others differs from it.

    `draw` is what chance depends on: the same text, others and draw give the same damage everywhere.
    """
    by_character = (language or "").replace("_", "-").partition("-")[0].lower() in BY_CHARACTER
    unit = CHARACTER if by_character else WORD
    own = [match.span() for match in unit.finditer(text)]
    if not own:
        return None
    size = min(len(own), words_replaced(len(own)) * (2 if by_character else 1))
    inside = 1 if len(own) >= size + 2 else 0
    first = inside + _draw(draw, "place", len(own) - size - 2 * inside + 1)
    start, end = own[first][0], own[first + size - 1][1]
    for turn in range(min(TRIES, len(others))):
        other = others[_draw(draw, f"other {turn}", len(others))]
        words = [match.span() for match in unit.finditer(other)]
        if len(words) < size:
            continue
        at = _draw(draw, f"phrase {turn}", len(words) - size + 1)
        phrase = other[words[at][0] : words[at + size - 1][1]]
        if phrase.casefold() != text[start:end].casefold():
            return Degraded(text[:start] + phrase + text[end:], start, start + len(phrase))
    return None


def _draw(seed: str, purpose: str, choices: int) -> int:
    """A number below `choices`, by a hash: the same with any version of Python."""
    digest = hashlib.sha256(f"{seed}\0{purpose}".encode("utf-8", "surrogateescape")).digest()
    return int.from_bytes(digest[:8], "big") % choices
