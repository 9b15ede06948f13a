"""How languages write numbers, dates and times, as far as a program can tell a foreign way from their own.

Facts of the Unicode Common Locale Data Repository; languages that are not here are not judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tertium.text.glossary import WITHOUT_SPACES
from tertium.text.language_names import language_name
from tertium.text.terms import language_code

COMMA = frozenset(
    "bg ca cs da de el es et eu fi fr gl hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk vi".split()
)  # decimal comma
POINT = frozenset("en ga he hi ja ko ms mt ta te th ur zh".split())  # decimal point
POINT_TAGS = frozenset({"de-ch", "de-li", "it-ch", "es-mx", "es-us", "es-pr", "es-gt", "es-hn", "es-pa", "es-sv",
                        "es-do", "es-ni", "es-pe", "es-419", "es-cu", "es-bz"})  # fmt: skip
DOTS = frozenset("bg cs da de et fi he hr hu is lv mk nb nn no pl ro ru sk sl sr tr uk".split())  # 31.12.2025
SLASHES = frozenset("ca el en es fr ga gl hi it ja ms mt pt th ur vi zh".split())  # 31/12/2025, 2025/12/31
MONTH_FIRST = frozenset({"en", "en-us", "en-ph"})
DAY_LONG = frozenset(
    "bg ca cs da de et eu fi fr gl hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr sv tr uk".split()
)  # 24 hours, no am and pm
HOUR_LETTER = frozenset({"fr", "pt", "ca", "gl", "eu"})  # 14h30

NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
DATE = re.compile(r"(?<![0-9./-])([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![0-9]|[./-][0-9])")
HALF_DAY = re.compile(  # not "2 am", which is German for "2 on the"
    r"(?<![0-9:.])[0-9]{1,2}(?:[:.][0-9]{2})?(?:am\b|[ \u00a0\u202f]?(?:pm\b|[ap]\.[ \u00a0]?m\.))", re.IGNORECASE
)
LETTERED = re.compile(r"(?<![\w.,:])[0-9]{1,2}[ \u00a0\u202f]?h[ \u00a0\u202f]?[0-9]{2}(?!\w|[.,:]\w)")
MEASURED = re.compile(
    r"[ \u00a0\u202f-]?(?:[%‰€$£¥°]|(?:percent|prozent|procent|millions?|millionen|millones|milliards?|milliarden?|mio|"
    r"mrd|billions?|euros?|dollars?|km|cm|mm|kg|mg|gb|mb|kb|tb|ghz|mhz|kwh|kw|ml|m²|m2|km²|ms)\b|"
    "[倍元円米万度億])",
    re.IGNORECASE,
)
THOUSANDS = re.compile("[1-9][0-9]{0,2}[.,][0-9]{3}")
UNSPACED = re.compile(f"[{WITHOUT_SPACES}]")  # of a script in which numbers touch words
DIGITS = re.compile("[0-9]")


class Foreign(NamedTuple):
    """A number, date or time that is written as the language does not, where it stands, and how it should be."""

    start: int
    end: int
    why: str


class Locale(NamedTuple):
    """What is known of a language, or of it in a country."""

    name: str
    decimal: str  # empty: not known
    dates: str  # what may stand between day, month and year; empty: not known
    month_first: bool | None  # None: both orders
    half_days: bool  # am and pm
    hour_letter: bool


@cache
def locale_of(language: str | None) -> Locale | None:
    """The habits of a language; None where nothing is known of it."""
    code, tag = language_code(language), (language or "").lower().replace("_", "-")
    if code is None or code not in COMMA | POINT | DOTS | SLASHES:
        return None
    decimal = "." if tag in POINT_TAGS or code in POINT else "," if code in COMMA else ""
    dates = "." if code in DOTS or tag in ("fr-ch", "it-ch") else "/" if code in SLASHES else ""
    first = None if tag == "en" else tag in MONTH_FIRST
    return Locale(language_name(code), decimal, dates, first, code not in DAY_LONG, code in HOUR_LETTER)


def foreign_formats(text: str, locale: Locale) -> Iterator[Foreign]:
    """What a text writes as the language does not, from kind to kind."""
    if not DIGITS.search(text):
        return
    taken: list[tuple[int, int]] = []
    for match in DATE.finditer(text):
        taken.append(match.span())
        if why := _date(match, locale):
            yield Foreign(*match.span(), why)
    if not locale.half_days:
        for match in HALF_DAY.finditer(text):
            taken.append(match.span())
            yield Foreign(*match.span(), f"{match[0]}: {locale.name} counts 24 hours, without am and pm")
    for match in LETTERED.finditer(text):
        taken.append(match.span())
        if not locale.hour_letter:
            yield Foreign(*match.span(), f"{match[0]}: {locale.name} writes no h between hours and minutes")
    if locale.decimal:
        yield from _numbers(text, locale, taken)


def _date(match: re.Match[str], locale: Locale) -> str:
    """Why a date is foreign, or nothing."""
    one, mark, other, _ = match.groups()
    first, second = int(one), int(other)
    day_first, month_first = second <= 12 and first <= 31, first <= 12 and second <= 31
    if not (day_first or month_first) or not first or not second:
        return ""
    if mark != "-" and locale.dates and mark != locale.dates and len(match[4]) == 4:
        return f"{match[0]}: {locale.name} has {locale.dates} between day, month and year"
    if not day_first and locale.month_first is False:
        return f"{match[0]}: {locale.name} has the day before the month"
    if not month_first and locale.month_first is True:
        return f"{match[0]}: {locale.name} has the month before the day"
    return ""


def _numbers(text: str, locale: Locale, taken: list[tuple[int, int]]) -> Iterator[Foreign]:
    """Numbers whose decimal mark is the other one; what may be a version, a section or an address is left alone."""
    ends = {place for start, end in taken for place in range(start, end)}
    for match in NUMBER.finditer(text):
        start, end = match.span()
        if start in ends or match[0].isdigit() or _attached(text, start, end):
            continue
        decimal = _decimal_mark(match[0], text[end : end + 12])
        if decimal and decimal != locale.decimal:
            want = "a decimal comma" if locale.decimal == "," else "a decimal point"
            yield Foreign(start, end, f"{match[0]}: {locale.name} has {want}")


def copied_groups(text: str, source: str, locale: Locale, theirs: Locale) -> Iterator[Foreign]:
    """Thousands that are grouped as in the source, where that mark is the decimal one of the language: 1,234."""
    if not locale.decimal or not theirs.decimal or locale.decimal == theirs.decimal or not DIGITS.search(text):
        return
    originals = {match[0] for match in NUMBER.finditer(source) if THOUSANDS.fullmatch(match[0])}
    for match in NUMBER.finditer(text) if originals else ():
        if match[0] in originals and locale.decimal in match[0] and not _attached(text, *match.span()):
            why = f"{match[0]} as in the source: {locale.decimal} is {locale.name}'s decimal mark"
            yield Foreign(*match.span(), why)


def _attached(text: str, start: int, end: int) -> bool:
    """Whether a number is a part of something longer: v2.5, 10.0.0.1-rc1, 3.5x."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    unspaced = UNSPACED.match
    if (before.isalnum() and not unspaced(before)) or (after.isalpha() and not unspaced(after)):
        return True
    return bool(before and before in "._/#@:") or bool(after and after in "_/#@")


def _decimal_mark(number: str, after: str) -> str:
    """The mark that must be a decimal one, by the form of a number and what comes behind it; empty if none must."""
    groups = re.split("[.,]", number)
    marks = [char for char in number if char in ".,"]
    grouped = len(groups[0]) <= 3 and groups[0] != "0" and all(len(group) == 3 for group in groups[1:])
    if len(set(marks)) == 2:
        if marks[-1] in marks[:-1] or any(len(group) != 3 for group in groups[1:-1]) or len(groups[0]) > 3:
            return ""
        return marks[-1]
    if len(marks) > 1:
        return {".": ",", ",": "."}[marks[0]] if grouped else ""
    if not grouped and MEASURED.match(after):
        return marks[0]
    return ""
