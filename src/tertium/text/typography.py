"""Punctuation and spacing: what no text of a language has, as far as a program can tell.

Rules of one language are used for it alone; those of every language are about spaces and doubled marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tertium.text.language_names import language_name
from tertium.text.placeholders import characters_of, placeholders
from tertium.text.terms import language_code

HAN = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
NO_BREAK = "\u00a0\u202f"
ARABIC_SCRIPT = frozenset({"ar", "fa", "ps", "ur"})  # comma ، semicolon ؛ question mark ؟
FULL_WIDTH = frozenset({"zh", "ja", "yue"})
# Languages that open quotations with „ and close them with “ or ”: there “ before a word is foreign.
LOW_QUOTES = frozenset("bg cs de et hr hu is lt lv mk pl ro sk sl sr".split())
# Languages in which nothing is opened with „.
HIGH_QUOTES = frozenset("ca da el en es fr ga gl he hi it ja ko nb nl nn no pt sv th vi zh".split())
ENGLISH_QUOTES = frozenset({"en", "ga", "he", "hi", "ko", "th"})  # nor with «


class Spot(NamedTuple):
    """A place that looks wrong, by which rule, and why."""

    rule: str
    start: int
    end: int
    why: str


# Each is: rule, pattern, why. Looking behind keeps every search from reading a run of spaces twice.
EVERYWHERE = (
    ("double space", re.compile(r"(?<=\S)  +(?=\S)"), "two spaces in a row"),
    ("comma without space", re.compile(r"(?:(?<=[^\W\d_])|(?<=[^\W\d_] )),(?=[^\W\d_])"), "no space behind the comma"),
    ("doubled mark", re.compile(r"(?<![,;.])(?:,[,;.]|;;|\.\.)(?![,;.])"), "two marks in a row"),
)
SPACED = ("space before mark", re.compile(rf"(?<=[\w)\]»”])[ {NO_BREAK}][,.;:!?](?=\s|$)"), "a space before the mark")
FRENCH = (
    ("space before mark", re.compile(rf"(?<=[\w)\]»”])[ {NO_BREAK}][,.](?=\s|$)"), "a space before the mark"),
    ("missing space", re.compile(r"(?<=[\w)\]»”])[;:!?](?=\s|$)"), "French has a space before : ; ! ?"),
    ("missing space", re.compile(r"«(?=\w)|(?<=\w)»"), "French has spaces within « »"),
)
CANADIAN = (FRENCH[0], FRENCH[2])  # there ; ! ? stand without a space
HALF_WIDTH = (
    ("half-width mark", re.compile(rf"(?<=[{HAN}])[,.;:!?](?=[{HAN}\s]|$)"), "a half-width mark among full-width text"),
    ("space", re.compile(rf"(?<=[{HAN}]) +(?=[{HAN}])"), "a space between characters"),
)
ARABIC_LETTER = "\u0620-\u064a\u0660-\u06d3"
ARABIC = (
    ("latin mark", re.compile(rf"(?<=[{ARABIC_LETTER}])[ {NO_BREAK}]?[,;?](?=[\s»”)]|$)"), "a Latin mark"),
    ("space before mark", re.compile(rf"(?<=[{ARABIC_LETTER})»”])[ {NO_BREAK}][،؛؟.:!](?=\s|$)"), SPACED[2]),
)
WIDE = ("full-width mark", re.compile("[，。；：！？（）]"), "a full-width mark")
LOW = ("foreign quote", re.compile(r"(?<!\w)“(?=\w)"), "opens with „, not with “")
HIGH = ("foreign quote", re.compile(r"„(?=\w)"), "does not open with „")
GUILLEMETS = ("foreign quote", re.compile(r"«(?=\s?\w)"), "does not open with «")
SIGNS = {  # one of these has to be there, which is found faster than by the pattern
    "double space": ("  ",),
    "comma without space": (",",),
    "doubled mark": (",,", ",.", ",;", ";;", ".."),
    "space before mark": tuple(space + mark for space in f" {NO_BREAK}" for mark in ",.;:!?،؛؟"),
    "latin mark": (",", ";", "?"),
    "full-width mark": tuple("，。；：！？（）"),
    "foreign quote": tuple("“„«"),
}
SENTENCE_ENDS = dict(zip(".。।．?？؟!！:：", ["a full stop"] * 4 + ["a question mark"] * 3 + ["an exclamation mark"] * 2
                         + ["a colon"] * 2, strict=True))  # fmt: skip
CLOSING = " \t\u00a0\u202f\"'”’“‘»«)]）】」』›"
BEHIND = rf"(?=[\s{re.escape(CLOSING)}.,;:!?…]|$)"  # a mark that ends something, and does not stand within an address
OPENED = (("¿", re.compile(rf"\?{BEHIND}")), ("¡", re.compile(rf"!{BEHIND}")))  # in Spanish


def spots(text: str, language: str | None) -> list[Spot]:
    """What looks wrong in a text of a language, from left to right; nothing within placeholders and tags."""
    masked = _masked(text)
    code, found = language_code(language), []
    for rule, pattern, why in _rules(code, (language or "").lower().replace("_", "-")):
        if not any(mark in masked for mark in SIGNS.get(rule, ("",))):
            continue
        if rule == "foreign quote" and code is not None:
            why = f"{language_name(code)} {why}"
        if rule == "latin mark" and code is not None:
            why = f"{why}: {language_name(code)} has ، ؛ and ؟"
        found += [Spot(rule, *match.span(), why) for match in pattern.finditer(masked)]
    if code == "es":
        found += _spanish(masked)
    return sorted(found, key=lambda spot: spot.start)


def _rules(code: str | None, tag: str) -> Iterator[tuple[str, re.Pattern[str], str]]:
    if code in FULL_WIDTH:
        yield from HALF_WIDTH
        yield EVERYWHERE[2]
        return
    yield from EVERYWHERE
    if code in ARABIC_SCRIPT:
        yield from ARABIC
        yield WIDE
        return
    yield from (CANADIAN if tag == "fr-ca" else FRENCH) if code == "fr" else (SPACED,)
    if code is not None and code != "ko":
        yield WIDE
    if code in LOW_QUOTES:
        yield LOW
    if code in HIGH_QUOTES:
        yield HIGH
    if code in ENGLISH_QUOTES:
        yield GUILLEMETS


def _spanish(text: str) -> Iterator[Spot]:
    """Questions and cries that nothing opens; not what stands within an address or a name: /?q, Yahoo!x."""
    for opening, pattern in OPENED:
        found = pattern.search(text)
        if found is not None and opening not in text:
            yield Spot("unopened", *found.span(), f"Spanish opens with {opening} what ends in {found[0]}")


def _masked(text: str) -> str:
    """The text with a letter in place of every character of a placeholder; `&nbsp;` begins and ends with a space."""
    parts, done = [], 0
    for one in placeholders(text):
        edge = NO_BREAK[0] if one.kind == "entity" and characters_of(one.text).isspace() else "x"
        parts += [text[done : one.start], edge, "x" * (one.end - one.start - 2), edge]
        done = one.end
    return "".join([*parts, text[done:]])


def ending(text: str) -> str:
    """The mark with which a text ends, in words; empty if it is none."""
    bare = text.rstrip(CLOSING)
    last = bare[-1:]
    if bare.endswith(("...", "…")):
        return "an ellipsis"
    if last in SENTENCE_ENDS:
        return SENTENCE_ENDS[last]
    return "" if last.isalnum() or not last else "another mark"
