"""Steps of normalisation, named and in an order, as speech people take them before they count word errors.

Those that jiwer 4.0 has do the same here, apart from white space, which is all of Unicode's and not ASCII's alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.text.normalise import FORMS

Step = Callable[[str], str]

SPACE, SPACES = re.compile(r"\s"), re.compile(r"\s\s+")
OPENING, CLOSING = re.compile(r"[<\[]"), re.compile(r"[>\]]")
CONTRACTIONS = (
    ("won't", "will not"), ("can't", "can not"), ("let's", "let us"), ("n't", " not"), ("'re", " are"), ("'s", " is"),
    ("'d", " would"), ("'ll", " will"), ("'t", " not"), ("'ve", " have"), ("'m", " am"),
)  # fmt: skip


class _Punctuation(dict[int, "int | None"]):
    """For str.translate: None for characters that Unicode calls punctuation; each is looked up once."""

    def __missing__(self, code: int) -> int | None:
        found = None if unicodedata.category(chr(code))[0] == "P" else code
        if len(self) < 1 << 16:
            self[code] = found
        return found


PUNCTUATION = _Punctuation()


def _drop_non_words(text: str) -> str:
    """Without what stands between < or [ and the next > or ]."""
    kept, at = [], 0
    while (opening := OPENING.search(text, at)) and (closing := CLOSING.search(text, opening.end())):
        kept.append(text[at : opening.start()])
        at = closing.end()
    return "".join([*kept, text[at:]])


def _expand(text: str) -> str:
    for short, long in CONTRACTIONS:
        text = text.replace(short, long)
    return text


def _drop_accents(text: str) -> str:
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")
    return unicodedata.normalize("NFC", bare)


STEPS: dict[str, Step] = {
    "lower": str.lower,
    "upper": str.upper,
    "punct": lambda text: text.translate(PUNCTUATION),
    "contractions": _expand,
    "kaldi": _drop_non_words,
    "accents": _drop_accents,
    "nfc": FORMS["nfc"],
    "nfkc": FORMS["nfkc"],
    "quotes": FORMS["quotes"],
    "whitespace": lambda text: SPACE.sub(" ", text),
    "spaces": lambda text: SPACES.sub(" ", text),
    "nospace": lambda text: SPACE.sub("", text),
    "strip": str.strip,
}
WORDS = {"remove": "remove:WORD", "replace": "replace:WORD=OTHER"}  # steps that say a word themselves


def check_steps(owner: str, steps: Sequence[str]) -> None:
    """Refuse what is no step."""
    for step in steps:
        kind, colon, said = step.partition(":")
        word, equals, _ = said.partition("=")
        if step in STEPS or (kind == "remove" and said) or (kind == "replace" and word and equals):
            continue
        way = f'; write "{WORDS[kind]}"' if colon and kind in WORDS else ""
        known = ", ".join((*STEPS, *WORDS.values()))
        raise OptionError(f'{owner}: normalise has a step "{step}", which is unknown{way}; choose from {known}')


def take_steps(lines: Lines, steps: Sequence[str]) -> Lines:
    """The lines after all steps, one after the other; without a step as they are, without copying."""
    if not steps:
        return lines
    ways = [_way(step) for step in steps]

    def walk(text: str) -> str:
        for way in ways:
            text = way(text)
        return text

    return Lines.of([None if text is None else walk(text) for text in lines])


@lru_cache(maxsize=256)
def _way(step: str) -> Step:
    if step in STEPS:
        return STEPS[step]
    kind, _, said = step.partition(":")
    word, _, other = said.partition("=") if kind == "replace" else (said, "", " ")
    whole = re.compile(rf"\b{re.escape(word)}\b")
    return lambda text: whole.sub(lambda _: other, text)
