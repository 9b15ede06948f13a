"""Numbers in running text: digits with either decimal mark, number words and dates of a few languages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache
from typing import NamedTuple

from tertium.text.letters import letter_words

DIGITS = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3}){1,6}(?:[.,]\d+)?(?! ?\d)|\d+(?:[.,'’\u00a0\u202f\u2009]\d+)*")
RUN = re.compile(r"\d[\d.,'’ \u00a0\u202f\u2009]*")  # where numbers can be: most texts have none
GROUP = 3  # digits between thousands separators
SCALES = (1_000, 1_000_000, 1_000_000_000)  # "2 million" is also 2,000,000
CLOCK = 12  # hours: 14 Uhr is 2 p.m.


class Numeral(NamedTuple):
    """A number, or a month, weekday or feast, where it stands, and all it can mean: `1.000` is a thousand or one."""

    values: frozenset[str]
    start: int
    end: int
    written: str  # "digits", "word", "ordinal" (also `both`) or "date"


def numerals(text: str, language: str | None = None) -> list[Numeral]:
    """The numbers of a text from left to right; words by the tables of the language, of all tables if it is None."""
    runs = RUN.finditer(text)
    found = [part for run in runs for match in DIGITS.finditer(text, *run.span()) for part in _digits(match)]
    table = _table(language)
    pieces = letter_words(text) if text.isascii() else PIECE.findall(text)
    if table is not None and not known_words(language).isdisjoint(pieces):
        found += _words(text, table, _readable(language))
        found.sort(key=lambda numeral: numeral.start)
    return found


def _digits(match: re.Match[str]) -> Iterator[Numeral]:
    """One numeral, or several where points only separate: 12.03.2024."""
    start, text = match.start(), match[0]
    if text.isdecimal():
        yield Numeral(frozenset({_plain(text)}), start, match.end(), "digits")
        return
    parts = re.split(r"(\D)", text)
    digits, marks = parts[::2], parts[1::2]
    values = set()
    grouped = all(len(group) == GROUP for group in digits[1:]) and len(digits[0]) <= GROUP and digits[0] != "0"
    if grouped and len(set(marks)) < 2:
        values.add(_plain("".join(digits)))
    inner = all(len(group) == GROUP for group in digits[1:-1]) and len(set(marks[:-1])) < 2
    if inner and marks[-1] in ".," and marks[-1] not in marks[:-1]:
        values.add(_plain("".join(digits[:-1]), digits[-1]))
    if values:
        yield Numeral(frozenset(values), start, match.end(), "digits")
        return
    for piece in re.finditer(r"\d+", text):
        yield Numeral(frozenset({_plain(piece[0])}), start + piece.start(), start + piece.end(), "digits")


def _plain(whole: str, fraction: str = "") -> str:
    """A number in ASCII digits without idle zeros."""
    ascii_whole, ascii_fraction = _ascii(whole).lstrip("0") or "0", _ascii(fraction).rstrip("0")
    return f"{ascii_whole}.{ascii_fraction}" if ascii_fraction else ascii_whole


def _ascii(digits: str) -> str:
    return digits if digits.isascii() else "".join(str(int(digit)) for digit in digits)


def same_clock_or_scale(value: str) -> set[str]:
    """What else a number may be called: an hour on the other clock, a figure with or without its thousands."""
    if "." in value:
        whole, fraction = value.split(".")
        zeros = [len(str(scale)) - 1 for scale in SCALES]
        return {(whole + fraction.ljust(count, "0")).lstrip("0") for count in zeros if len(fraction) <= count}
    if len(value) > 15:
        return set()
    number = int(value)
    found = {str(number * scale) for scale in SCALES if number}
    found |= {_quotient(number, scale) for scale in SCALES if number >= scale and number % (scale // 100) == 0}
    if CLOCK < number <= 2 * CLOCK:
        found.add(str(number - CLOCK))
    if 0 < number <= CLOCK:
        found.add(str(number + CLOCK))
    return found


def _quotient(number: int, scale: int) -> str:
    whole, rest = divmod(number, scale)
    return _plain(str(whole), f"{rest * 100 // scale:02d}")


# Number words. One is left out: in most languages it is the article.

ENGLISH = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
eighteen nineteen".split()
ENGLISH_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ENGLISH_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth \
fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
GERMAN = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn \
achtzehn neunzehn".split()
GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
GERMAN_ORDINALS = "dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte".split()
FRENCH = "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit \
dix-neuf vingt".split()
FRENCH_ORDINALS = "troisième quatrième cinquième sixième septième huitième neuvième dixième".split()
SPANISH = "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete \
dieciocho diecinueve veinte".split()
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
FEASTS = {
    "en": {"Christmas": 1, "Xmas": 1, "Easter": 2, "Pentecost": 3, "Whitsun": 3},
    "de": {"Weihnachten": 1, "Ostern": 2, "Pfingsten": 3},
    "fr": {"Noël": 1, "Pâques": 2, "Pentecôte": 3},
    "es": {"Navidad": 1, "Navidades": 1, "Pascua": 2, "Pentecostés": 3},
}
SHORT_DATES = {
    "Jan": "month 1", "Feb": "month 2", "Mar": "month 3", "Apr": "month 4", "Aug": "month 8", "Sep": "month 9",
    "Sept": "month 9", "Oct": "month 10", "Nov": "month 11", "Dec": "month 12", "Mon": "weekday 1",
    "Tue": "weekday 2", "Tues": "weekday 2", "Wed": "weekday 3", "Thu": "weekday 4", "Thurs": "weekday 4",
    "Fri": "weekday 5", "Sat": "weekday 6", "Sun": "weekday 7",
}  # fmt: skip
AMBIGUOUS = frozenset({"once", "quince", "elf", "mars", "mai"})  # words of other languages; not read where unsure
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
PIECE = re.compile(r"[^\W\d_]+")


class NumberWords(NamedTuple):
    """Words, lower-case, and their numbers; dates by their exact spelling; what multiplies the word before it."""

    words: dict[str, int]
    dates: dict[str, str]
    factors: dict[str, int]
    ordinals: dict[str, int]
    half: str | None = None  # before an hour: half an hour earlier


LANGUAGES = ("en", "de", "fr", "es")


@cache
def _table(language: str | None) -> NumberWords | None:
    """The tables of a language (`de`, `de_AT`, `deu` are German), of all, or None where there are none."""
    if language is None:
        tables = [_language(name) for name in LANGUAGES]
        words = {word: number for table in tables for word, number in table.words.items() if word not in AMBIGUOUS}
        dates = {word: date for table in tables for word, date in table.dates.items() if word not in AMBIGUOUS}
        ordinals = {word: number for table in tables for word, number in table.ordinals.items()}
        return NumberWords(words, dates, _language("en").factors, ordinals)
    short = {"eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es"}
    code = re.split("[-_]", language.lower())[0]
    code = short.get(code, code)
    return _language(code) if code in LANGUAGES else None


@cache
def _language(code: str) -> NumberWords:
    words: dict[str, int] = {}
    factors: dict[str, int] = {}
    ordinals: dict[str, int] = {}
    if code == "en":
        tens = dict(zip(ENGLISH_TENS, range(20, 100, 10), strict=True))
        units = {"one": 1, **dict(zip(ENGLISH[:8], range(2, 10), strict=True))}
        words = dict(zip(ENGLISH, range(2, 20), strict=True)) | tens
        words |= {f"{ten}-{unit}": a + b for ten, a in tens.items() for unit, b in units.items()}
        ordinals = dict(zip(ENGLISH_ORDINALS, range(3, 21), strict=True)) | {"both": 2}
        factors = {"hundred": 100, "thousand": 1000}
    elif code == "de":
        small = dict(zip(GERMAN, range(2, 20), strict=True))
        tens = dict(zip(GERMAN_TENS, range(20, 100, 10), strict=True))
        units = {"ein": 1, **dict(zip(GERMAN[:8], range(2, 10), strict=True))}
        below = small | tens | {f"{unit}und{ten}": a + b for ten, a in tens.items() for unit, b in units.items()}
        hundreds = {f"{unit}hundert": 100 * b for unit, b in units.items()} | {"hundert": 100}
        words = below | hundreds | {h + w: a + b for h, a in hundreds.items() for w, b in below.items()}
        words |= {f"{unit}tausend": 1000 * b for unit, b in (units | below).items()} | {"tausend": 1000}
        named = dict(zip(GERMAN_ORDINALS, range(3, 13), strict=True))
        ordinals = {word + ending: number for word, number in named.items() for ending in ("", "n", "r", "s", "m", "l")}
        ordinals |= {f"beide{ending}": 2 for ending in ("", "n", "r", "s")}
    elif code == "fr":
        words = dict(zip(FRENCH, range(2, 21), strict=True))
        words |= dict(zip("trente quarante cinquante soixante".split(), range(30, 70, 10), strict=True))
        ordinals = dict(zip(FRENCH_ORDINALS, range(3, 11), strict=True))
    else:
        words = dict(zip(SPANISH, range(2, 21), strict=True))
        ordinals = {"ambos": 2, "ambas": 2}
        words |= dict(zip("treinta cuarenta cincuenta sesenta setenta ochenta noventa".split(), range(30, 100, 10),
                          strict=True))  # fmt: skip
    dates = {word: f"month {k}" for k, word in enumerate(MONTHS[code].split(), 1)}
    dates |= {word: f"weekday {k}" for k, word in enumerate(WEEKDAYS[code].split(), 1)}
    dates |= {word: f"feast {k}" for word, k in FEASTS[code].items()}
    if code == "en":
        dates |= {f"{word}s": date for word, date in dates.items() if date.startswith("weekday")} | SHORT_DATES
    if code == "de":
        dates |= {f"{day.lower()}s": f"weekday {k}" for k, day in enumerate(WEEKDAYS["de"].split(), 1)}
        dates |= {
            day + time: f"weekday {k}"
            for k, day in enumerate(WEEKDAYS["de"].split(), 1)
            for time in ("abend", "morgen", "nachmittag", "nacht", "mittag", "vormittag")
        } | {"Sonnabend": "weekday 6"}
    return NumberWords(words, dates, factors, ordinals, "halb" if code == "de" else None)


@cache
def known_words(language: str | None) -> frozenset[str]:
    """Everything that a table could read, in the usual spellings: most texts have none of it."""
    table = _table(language)
    if table is None:
        return frozenset()
    words = {spelt for word in (*table.words, *table.ordinals) for spelt in (word, word.capitalize(), word.upper())}
    words |= {piece for word in words if "-" in word for piece in word.split("-")}
    return frozenset(words | set(table.dates))


@cache
def _readable(language: str | None) -> frozenset[str]:
    """Everything that a table could read, in lower case."""
    table = _table(language) or NumberWords({}, {}, {}, {})
    words = (*table.words, *table.factors, *table.ordinals, *table.dates, *([table.half] if table.half else []))
    return frozenset(word.lower() for word in words) | {word.lower() for word in known_words(language)}


def has_numerals(text: str, words: Set[str], language: str | None) -> bool:
    """False if there is no number in an ASCII text with these words, in lower case: mostly so, and told quickly."""
    return not (text.isascii() and _readable(language).isdisjoint(words) and not RUN.search(text))


def _pieces(text: str, table: NumberWords) -> Iterator[re.Match[str]]:
    """Words; those with a hyphen in pieces unless the table has them: `forty-one` is one, `seven-year` is two."""
    for match in WORD.finditer(text):
        if "-" in match[0] and match[0].lower() not in table.words:
            yield from PIECE.finditer(text, *match.span())
        else:
            yield match


def _words(text: str, table: NumberWords, readable: frozenset[str]) -> Iterator[Numeral]:
    """Number words, with what multiplies them: `nine hundred`; `halb elf` is half an hour before eleven."""
    start, end, number = -1, -1, 0
    half = None  # where a `halb` stood just now
    for match in _pieces(text, table):
        word = match[0].lower()
        if word not in readable and not number:
            half = None
            continue
        if half is not None and 1 < table.words.get(word, 0) <= CLOCK:
            hour = table.words[word] - 1
            yield Numeral(frozenset({str(hour), _plain(str(hour), "30")}), half, match.end(), "word")
            half = None
            continue
        half = match.start() if word == table.half else None
        if word in table.factors and number:
            number, end = number * table.factors[word], match.end()
            continue
        if number:
            yield Numeral(frozenset({str(number)}), start, end, "word")
            number = 0
        if word in table.words:
            start, end, number = match.start(), match.end(), table.words[word]
        elif word in table.ordinals:
            yield Numeral(frozenset({str(table.ordinals[word])}), *match.span(), "ordinal")
        elif match[0] in table.dates:
            yield Numeral(frozenset({table.dates[match[0]]}), *match.span(), "date")
    if number:
        yield Numeral(frozenset({str(number)}), start, end, "word")
