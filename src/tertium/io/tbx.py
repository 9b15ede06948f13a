"""TBX (ISO 30042), the XML of term bases: versions of 2008 (martif, termEntry) and 2019 (tbx, conceptEntry)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tertium.core.errors import InputError
from tertium.io.files import read_bytes
from tertium.io.glossary import Languages, check_terms
from tertium.io.localisation.xml import XmlFollower
from tertium.text.glossary import Glossary, GlossaryEntry
from tertium.text.terms import language_code

ROOTS = ("martif", "tbx")
ENTRIES, SIDES, TERMS = ("termEntry", "conceptEntry"), ("langSet", "langSec"), ("tig", "ntig", "termSec")
NOTES, STATUS = ("termNote", "admin", "note"), "administrativeStatus"
# Values of administrativeStatus of terms that are not to be used; the short ones are those of simpler dialects.
REFUSED = frozenset({"deprecatedTerm-admn-sts", "supersededTerm-admn-sts", "deprecated", "superseded", "obsolete",
                     "forbidden"})  # fmt: skip

Concept = dict[str, list[str]]  # terms by language


class _Follower(XmlFollower):
    """Collects the terms of each concept, by language."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.concepts: list[tuple[int, Concept]] = []
        self.language = ""
        self.term: list[str] = []
        self.refused = False
        self.status: list[str] | None = None
        self.text: list[str] | None = None

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """An entry, a language in it, a term in that, and what is said of the term."""
        name = name.removeprefix("?:")
        if not self.inside and name not in ROOTS:
            raise self.wrong(f"<{name[:60]}>; expected TBX, which begins with <martif> or <tbx>")
        if name in ENTRIES:
            self.concepts.append((self.line, {}))
        elif name in SIDES:
            self.language = attributes.get("xml:lang", "")
            if not self.language:
                raise self.wrong(f"<{name}> without xml:lang; say which language its terms are of")
        elif name in TERMS:
            self.term, self.refused = [], False
        elif name == "term":
            self.text = []
        elif name == STATUS:  # as an element of its own (TBX in DCT style)
            self.status = []
        elif name in NOTES:
            self.status = [] if attributes.get("type") == STATUS else None

    def close(self, name: str) -> None:
        """A term is known when all that is said of it is."""
        name = name.removeprefix("?:")
        if name == "term" and self.text is not None:
            self.term.append(" ".join("".join(self.text).split()))
            self.text = None
        elif name in (*NOTES, STATUS) and self.status is not None:
            self.refused |= "".join(self.status).strip() in REFUSED
            self.status = None
        elif name in TERMS and self.concepts and not self.refused:
            check_terms(self.term, f"{self.path}:{self.line}")
            self.concepts[-1][1].setdefault(self.language, []).extend(filter(None, self.term))
            self.term = []

    def words(self, text: str) -> None:
        """Text of a term or of its status."""
        if self.text is not None:
            self.text.append(text)
        elif self.status is not None:
            self.status.append(text)


def read_tbx(path: str, languages: Languages) -> Glossary:
    """The concepts that have terms in both languages; where none is named, in the only two that there are."""
    follower = _Follower(path)
    follower.follow(read_bytes(path))
    there = list(dict.fromkeys(language for _, concept in follower.concepts for language in concept))
    source, target = _sides(there, languages, path)
    entries = [
        GlossaryEntry(term, tuple(dict.fromkeys(ways)))
        for _, concept in follower.concepts
        if (ways := _of(concept, target))
        for term in dict.fromkeys(_of(concept, source))
    ]
    if not entries:
        raise InputError(f"{path}: no concept has terms in both {source} and {target}")
    return Glossary(Path(path).name, tuple(entries), source, target)


def _of(concept: Concept, language: str) -> list[str]:
    """The terms of a language; a region does not tell two apart."""
    wanted = language_code(language)
    return [term for own, terms in concept.items() if language_code(own) == wanted for term in terms]


def _sides(there: Sequence[str], languages: Languages, path: str) -> tuple[str, str]:
    codes = list(dict.fromkeys(str(language_code(language)) for language in there))
    wanted = [language_code(language) for language in languages]
    if wanted[0] is None or wanted[1] is None:
        if len(codes) == 2:
            first = wanted[0] or next((code for code in codes if code != wanted[1]), codes[0])
            return first, next(code for code in codes if code != first)
        raise InputError(
            f"{path}: terms in {', '.join(codes) or 'no language'}, and the test set names no languages; name them: "
            f'source_language = "en" and target_language = "de" in testset.toml'
        )
    for language, code in zip(languages, wanted, strict=True):
        if code not in codes:
            raise InputError(f"{path}: no term in {language}; it has {', '.join(codes) or 'none at all'}")
    return str(wanted[0]), str(wanted[1])
