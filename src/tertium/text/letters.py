"""Words as runs of letters with their combining marks: what detectors compare, in any language."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

LETTERS = bytes(code if chr(code).isalpha() else ord(" ") for code in range(128)) + bytes(128)
FOLDED = LETTERS.lower()


@cache
def word_pattern() -> re.Pattern[str]:
    """Letters and their marks: vowel signs of many scripts are not letters to `re`."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    return re.compile(rf"[^\W\d_]+(?:[{re.escape(marks)}]+[^\W\d_]*)*")


def letter_words(text: str) -> list[str]:
    """The words from left to right, as they are written."""
    if text.isascii():  # several times faster than the pattern
        return text.encode().translate(LETTERS).decode().split()
    return word_pattern().findall(text)


def folded_words(text: str) -> list[str]:
    """The words from left to right, case-folded."""
    if text.isascii():
        return text.encode().translate(FOLDED).decode().split()
    return [word.casefold() for word in word_pattern().findall(text)]
