"""Text with inline tags, and the three ways to read them: `strip`, `protect` and `keep`.

Click <g id="1">here</g><x id="2"/>      in the file
Click here                               strip: tags are left out, a line break is a space
Click ⟦1⟩ here ⟨1⟧ ⟦2⟧                 protect: each is a word; equal ids have equal numbers in a unit
Click <b>here</b>{0}                     keep: the codes that tags stand for, where the file has them
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.testset import TAGS
from tertium.io.wmt_documents import clean

STRIP = TAGS[0]  # what is done where nobody says otherwise
BREAKS = frozenset({"lb", "xlf:lb", "x-html-br", "br", "pb", "xlf:pb"})  # of ctype, type and subType
BREAK_CODE = re.compile(r"\s*(?:</?br(?:\s[^<>]*)?/?>|\\r\\n|\\n)\s*|[ \t\r]*\n\s*", re.IGNORECASE)
LONGEST_BREAK = 200  # characters of such a code

Shape = Literal["open", "close", "alone"]


class Tag(NamedTuple):
    """An inline tag: the id by which it is the same in source and target, and what it stands for."""

    shape: Shape
    key: str
    code: str
    breaks: bool = False  # a line or page


Part = str | Tag


def is_break(code: str) -> bool:
    r"""Whether a tag's code is a line break: `<br/>`, `\n`."""
    return len(code) < LONGEST_BREAK and BREAK_CODE.fullmatch(code) is not None


def check_tags(tags: str) -> str:
    """One of the ways to read tags, or an error that names them."""
    if tags not in TAGS:
        raise OptionError(f"tags {tags!r} is unknown; choose from {', '.join(TAGS)}")
    return tags


class Numbers:
    """The numbers of a unit's tags in the order in which they are met."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def word(self, tag: Tag) -> str:
        """`⟦1⟩`, `⟨1⟧` or `⟦1⟧`: brackets that no usual tokenizer splits off."""
        number = self.known.setdefault(tag.key, len(self.known) + 1)
        return {"open": f"⟦{number}⟩", "close": f"⟨{number}⟧", "alone": f"⟦{number}⟧"}[tag.shape]


def render(parts: Iterable[Part], tags: str, numbers: Numbers) -> str:
    """The text of a segment in one line."""
    if tags == "keep":
        return clean("".join(part if isinstance(part, str) else part.code for part in parts))
    out: list[str] = []
    after: Tag | None = None  # the tag before this part
    for part in parts:
        if isinstance(part, str):
            spaced = not out or out[-1][-1:].isspace()
            if after is not None and tags == STRIP and spaced and part[:1] == " ":
                part = part[1:]  # the space on the other side of a tag that is gone
            if part:
                out.append(" " if after is not None and tags != STRIP and not part[0].isspace() else "")
                out.append(part)
                after = None
        elif tags == STRIP:
            out += [" "] if part.breaks and out and not out[-1][-1:].isspace() else []
            after = part
        else:
            ends = "".join(out[-1:])
            out.append("" if not ends or ends[-1].isspace() else " ")
            out.append(numbers.word(part))
            after = part
    return clean("".join(out))
