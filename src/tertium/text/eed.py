"""How the extended edit distance prepares texts: punctuation apart, a space at both ends."""

from __future__ import annotations

import re
import unicodedata

from tertium.core.lines import Lines

SPACE = re.compile(r"\s+")
MARKS = re.compile("([.!?,])")
NUMBER = re.compile(r"(\d) ([.,]) ?(\d)")
TITLES = "Dr|Jr|Prof|Rev|Gen|Mr|Mt|Mrs|Ms"
TITLE = re.compile(rf"\b({TITLES}) \.")
SHORT = ((" e .g .", " e.g."), (" i .e .", " i.e."), (" U .S .", " U.S."))

# The authors' program forgets that marks have a space before them and none behind, and that a dot stands for anything.
NUMBER_OF_PROGRAM = re.compile(r"(\d) ([.,]) (\d)")
TITLE_OF_PROGRAM = re.compile(rf"({TITLES}) .")
SHORT_OF_PROGRAM = (("e . g .", "e.g."), ("i . e .", "i.e."), ("U . S .", "U.S."))


def prepare_english(text: str, compat: bool) -> str:
    """Punctuation apart from words, but for numbers and abbreviations; white space is single spaces."""
    text = SPACE.sub(" ", MARKS.sub(r" \1", text.rstrip()))
    if compat:
        text = TITLE_OF_PROGRAM.sub(r"\1.", NUMBER_OF_PROGRAM.sub(r"\1\2\3", text))
        for apart, together in SHORT_OF_PROGRAM:
            text = text.replace(apart, together)
        return f" {text} "
    text = TITLE.sub(r"\1.", NUMBER.sub(r"\1\2\3", f" {text} "))
    for apart, together in SHORT:
        text = text.replace(apart, together)
    return text


def prepare_lines(lines: Lines, language: str, compat: bool) -> Lines:
    """Every line as the distance reads it; `ja` is for languages without spaces."""

    def prepared(text: str | None) -> str | None:
        if text is None:
            return None
        if language == "ja":
            return unicodedata.normalize("NFKC", text.rstrip())
        return prepare_english(text, compat)

    return Lines.of([prepared(text) for text in lines])
