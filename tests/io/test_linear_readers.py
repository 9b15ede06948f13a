"""Readers that look at each character a few times at most read the same as the patterns that they took the place of."""

import re
from itertools import product

from tertium.io.claims import NUMBER, printed_score, split_signature
from tertium.io.ratings.segments import split_languages
from tertium.io.sgm import ATTRIBUTE
from tertium.io.wmt_documents import clean

OLD_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
OLD_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t\r\n]*")
OLD_PRINTED = re.compile(rf"(.*[|+]v(?:ersion)?[:.]\S+)\s+=\s+({NUMBER})\b.*", re.DOTALL)
OLD_PARTS = re.compile(r"""(?:[^|"']|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|["'])+""")
OLD_LANGUAGES = re.compile(r"(.+)-([a-z]+(?:-.*)?)")


def every(pieces: str | list[str], longest: int) -> list[str]:
    return ["".join(text) for size in range(longest + 1) for text in product(pieces, repeat=size)]


def test_attributes() -> None:
    for text in every("a-= \"'", 7):
        assert ATTRIBUTE.findall(text) == OLD_ATTRIBUTE.findall(text), text


def test_line_breaks() -> None:
    for text in every("a \t\r\n", 7):
        assert clean(text) == OLD_BREAK.sub(" ", text.strip(" \t\r\n")), repr(text)


def test_bars_of_signatures() -> None:
    for text in every("a|\"'\\", 7) + every('a|"\\\n', 7):
        assert split_signature(text) == (OLD_PARTS.findall(text) or [""]), text


def test_language_pairs() -> None:
    for text in every("aZ-", 7):
        old = OLD_LANGUAGES.fullmatch(text)
        source, _, target = text.partition("-")
        assert split_languages(text) == (old.groups() if old else (source, target)), text


def test_lines_that_sacrebleu_printed() -> None:
    for text in every(["|v:1", "+version.2", " ", "=", " = ", "5", "5.25x", "-"], 5):
        old = OLD_PRINTED.fullmatch(text)
        assert printed_score(text) == (old.groups() if old else None), text
