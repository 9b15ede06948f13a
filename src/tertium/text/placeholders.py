"""Placeholders and tags: what a program fills in or a page shows otherwise, and a translation has to keep."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

# In the order in which they are tried. What a pattern may take is bounded, so that it reads no text twice.
PLACEHOLDER = re.compile(
    r"""
      (?P<entity> &(?:[a-zA-Z][a-zA-Z0-9]{1,31}|\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}); )
    | (?P<tag> </?[a-zA-Z][\w.:-]{0,63}(?:\s[^<>=]{1,99}=[^<>]{0,999}|\s)?/?> )
    | (?P<double> \{\{[^{}\n]{1,99}\}\} )
    | (?P<shell> \$\{[^{}\n]{1,99}\} )
    | (?P<brace> \{[\w.:!,\[\]-]{0,99}\} )
    | (?P<printf> (?<![\d%])%(?:[0-9]{1,2}\$)?[-+#0]{0,3}[0-9]{0,3}(?:\.[0-9]{1,3})?(?:hh?|ll?|[Lqjzt])?
                  [diouxXeEfFgGcsp@](?!\w) )
    | (?P<named> %\([\w.\ -]{1,99}\)[-+#0-9.]{0,9}[a-zA-Z] )
    | (?P<protected> ⟦[0-9]{1,9}[⟧⟩] | ⟨[0-9]{1,9}⟧ )
    | (?P<enclosed> (?<![\w%])%[A-Z][A-Z0-9_]{1,63}%(?!\w) )
    """,
    re.VERBOSE,
)
HTML = frozenset(
    "a abbr b big blockquote body br button center code div em font form g h1 h2 h3 h4 h5 h6 head hr html i img input "
    "ins kbd label li link mark ol option p pc ph pre q s script section select small span strike strong style sub sup "
    "table tbody td textarea tfoot th thead title tr tt u ul x".split()
)
MARKS = re.compile(r"[%$<&{⟦⟨]")  # with what they begin; in most texts there is none
SPACE = re.compile(r"\s+")
MESSAGE = re.compile(r"\{\s{0,9}[\w.-]{1,64}\s{0,9},\s{0,9}(?:plural|selectordinal|select)\s{0,9},")  # of ICU
BRACES = re.compile("[{}]")


class Placeholder(NamedTuple):
    """A placeholder as it is compared, what it is, and where it stands."""

    text: str
    kind: str
    start: int
    end: int
    message: int = 0  # the ICU message in which it stands, from 1


def placeholders(text: str) -> list[Placeholder]:
    """All of a text, from left to right."""
    if not MARKS.search(text):
        return []
    arms, begins, ends = _messages(text)
    found = []
    for match in PLACEHOLDER.finditer(text):
        kind, (start, end) = str(match.lastgroup), match.span()
        if kind == "entity" and html.unescape(match[0]) == match[0]:
            continue
        if start in arms and kind == "brace":  # one {car}
            continue
        if start in arms and kind == "double":  # other {{n}}
            kind, start, end = "brace", start + 1, end - 1
        number = bisect_right(begins, start)
        number = number if number and start < ends[number - 1] else 0
        found.append(Placeholder(_bare(text[start:end], kind), kind, start, end, number))
    return found


def distinct(found: Iterable[Placeholder]) -> list[Placeholder]:
    """Without what another arm of the same message has, too: languages differ in how many arms they need."""
    first = {(one.text, one.message or -one.start - 1): one for one in reversed(list(found))}
    return sorted(first.values(), key=lambda one: one.start)


def _messages(text: str) -> tuple[set[int], list[int], list[int]]:
    """ICU messages, `{n, plural, one {car} other {cars}}`: where the braces of arms open, in which text stands; where
    messages begin and end that lie in no other."""
    arms: set[int] = set()
    begins: list[int] = []
    ends: list[int] = []
    open_braces: list[bool] = []  # whether it is a message's
    messages = 0  # of them
    for brace in BRACES.finditer(text) if MESSAGE.search(text) else ():
        at = brace.start()
        if brace[0] == "{":
            arm = bool(open_braces) and open_braces[-1]
            message = not arm and MESSAGE.match(text, at) is not None
            if arm:
                arms.add(at)
            if message and not messages:
                begins.append(at)
                ends.append(len(text))
            open_braces.append(message)
            messages += message
        elif open_braces and open_braces.pop():
            messages -= 1
            if not messages:
                ends[-1] = at
    return arms, begins, ends


def _bare(text: str, kind: str) -> str:
    """A tag by its name alone: what its attributes say may be translated, too."""
    if kind != "tag":
        return text
    name = SPACE.split(text.strip("<>"), maxsplit=1)[0].removesuffix("/")
    return f"<{name.lower()}>"


def is_markup(tag: str) -> bool:
    """Whether a tag is one of HTML's or of localisation files, and not a word in angle brackets."""
    return tag.strip("</>") in HTML


def characters_of(entity: str) -> str:
    """What an entity stands for, which a translation may write instead."""
    return html.unescape(entity)
