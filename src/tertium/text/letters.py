"""Words as runs of letters with their combining marks: what detectors compare, in any language."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

LETTERS = bytes(code if chr(code).isalpha() else ord(" ") for code in range(128)) + bytes(128)
FOLDED = LETTERS.lower()


@cache
def word_marks() -> str:
    """Combining marks, for the inside of a class of a pattern."""
    marks = "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")
    return re.escape(marks)


@cache
def word_pattern() -> re.Pattern[str]:
    """Letters and their marks: vowel signs of many scripts are not letters to `re`."""
    return re.compile(rf"[^\W\d_]+(?:[{word_marks()}]+[^\W\d_]*)*")


def letter_words(text: str) -> list[str]:
    """The words from left to right, as they are written."""
    if text.isascii():  # several times faster than the pattern
        return text.encode().translate(LETTERS).decode().split()
    return word_pattern().findall(text)


def folded_words(text: str) -> list[str]:
    """The words from left to right, case-folded."""
    if text.isascii():
        return text.encode().translate(FOLDED).decode().split()
    return casefolded(word_pattern().findall(text))


def casefolded(words: list[str]) -> list[str]:
    """Each of these words case-folded: all of them at once, since characters fold by themselves and none to a space."""
    return " ".join(words).casefold().split()


def clusters(text: str) -> list[str]:
    """Characters as readers see them: each with its combining marks, signs of an emoji and Hangul letters joined. White
    space stands by itself."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    joined = False  # by a ZERO WIDTH JOINER before
    for char in text:
        if found and not found[-1].isspace() and (joined or belongs(char)):
            found[-1] += char
        else:
            found.append(char)
        joined = char == "\u200d"
    return found


def belongs(char: str) -> bool:
    """Whether a character is a part of the one before it."""
    if char < "\u0300":
        return False
    skin, jamo = "\U0001f3fb" <= char <= "\U0001f3ff", "\u1160" <= char <= "\u11ff"
    return skin or jamo or char in "\u200d\u0e33\u0eb3" or unicodedata.category(char)[0] == "M"
