"""Negation in a few languages: words whose removal turns a statement round, and words that can be negated."""

from __future__ import annotations

import re
from typing import NamedTuple

from tertium.core.errors import OptionError


class Negation(NamedTuple):
    """A language's table, all in lower case."""

    negators: dict[str, str]  # what is left of a word that says no; nothing: the word goes
    verbs: frozenset[str]  # words that take the particle
    particle: str
    before: bool = False  # the particle stands before the verb


ENGLISH = Negation(
    {"not": "", "no": "", "never": "", "cannot": "can", "nothing": "something", "nobody": "somebody",
     "without": "with", "none": "some"},
    frozenset("is are was were am can could will would shall should may might must do does did has have had".split()),
    "not",
)  # fmt: skip
GERMAN = Negation(
    {"nicht": "", "nie": "", "niemals": "", "kein": "ein", "keine": "eine", "keinen": "einen", "keinem": "einem",
     "keiner": "einer", "keines": "eines", "nichts": "etwas", "niemand": "jemand", "ohne": "mit"},
    frozenset(
        "ist sind war waren hat haben hatte hatten wird werden wurde wurden kann können konnte konnten muss müssen "
        "soll sollen darf dürfen will wollen".split()
    ),
    "nicht",
)  # fmt: skip
FRENCH = Negation(
    {"pas": "", "jamais": "", "aucun": "un", "aucune": "une", "sans": "avec", "personne": "quelqu'un"},
    frozenset("est sont était étaient a ont avait avaient sera seront peut peuvent doit doivent va vont".split()),
    "pas",
)
SPANISH = Negation(
    {"no": "", "nunca": "", "jamás": "", "ningún": "un", "ninguna": "una", "nada": "algo", "nadie": "alguien",
     "sin": "con"},
    frozenset("es son está están era eran fue fueron ha han había puede pueden debe deben será serán tiene".split()),
    "no",
    before=True,
)  # fmt: skip
TABLES = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}

CONTRACTED = re.compile(r"(\w+)n['’]t", re.IGNORECASE)
IRREGULAR = {"ca": "can", "wo": "will", "sha": "shall"}  # can't, won't, shan't


def negation_table(language: str | None) -> Negation:
    """The table of a language: `en`, `en-GB`."""
    code = (language or "").replace("_", "-").partition("-")[0].lower()
    if code not in TABLES:
        said = "no language is named" if language is None else f"there is none for {language!r}"
        raise OptionError(f"negation needs a table of the language, and {said}; there are: {', '.join(TABLES)}")
    return TABLES[code]


def negate(word: str, following: str, table: Negation) -> str | None:
    """What a word becomes when the statement is to say the opposite, given the next word; None where it cannot."""
    low = word.lower()
    if low in table.negators:
        return _like(word, table.negators[low])
    if low in table.verbs and following.lower() not in table.negators:
        return f"{table.particle} {word}" if table.before else f"{word} {table.particle}"
    match = CONTRACTED.fullmatch(word) if table is ENGLISH else None
    if match is None:
        return None
    return _like(word, IRREGULAR.get(match[1].lower(), match[1]))


def _like(word: str, text: str) -> str:
    """A text that begins with a capital where the word does."""
    return text[:1].upper() + text[1:] if word[:1].isupper() else text
