"""Glossaries and lists of forbidden words.

terms.csv, terms.tsv, ...    a table with columns source and target, or the codes of languages: en, de; `|` stands
                             between several translations, and a column status says forbidden or deprecated
terms.tbx                    TBX (ISO 30042), 2008 and 2019: terms by language and concept
forbidden.txt                a word or phrase on a line; behind a tab, what to write instead
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.io.columns import ColumnFile, extension, is_table, open_table
from tertium.io.files import read_lines
from tertium.text.glossary import LONGEST, Glossary, GlossaryEntry, unit_pattern
from tertium.text.terms import language_code

Languages = tuple[str | None, str | None]
BETWEEN = "|"
STATUS = "status"
REFUSED = ("forbidden", "deprecated", "superseded", "obsolete", "do not use")
COMMENT = "#"


def read_glossary(path: str | Path, languages: Languages = (None, None)) -> Glossary:
    """The terms of a file; of several languages those of these two."""
    if extension(path) == ".tbx":
        from tertium.io.tbx import read_tbx

        return read_tbx(str(path), languages)
    if not is_table(path):
        raise InputError(f"{path}: not a glossary; expected a name that ends in .csv, .tsv, .xlsx or .tbx")
    table = open_table(path)
    first, second = _columns(table.names, languages, str(path))
    status = _texts(table, next((name for name in table.names if name.lower() == STATUS), None))
    sides = zip(_texts(table, first), _texts(table, second), status, strict=False)
    entries = []
    for number, (source, targets, said) in enumerate(sides):
        line = (table.lines or range(2, 1 << 60))[number]
        if said.strip().lower() in REFUSED:
            continue
        ways = tuple(way.strip() for way in targets.split(BETWEEN) if way.strip())
        if not source.strip() and not ways:
            continue
        if not source.strip() or not ways:
            raise InputError(f"{path}:{line}: a term without a {'source' if not source.strip() else 'translation'}")
        entries.append(GlossaryEntry(source.strip(), ways))
        check_terms((source, *ways), f"{path}:{line}")
    if not entries:
        raise InputError(f"{path}: no terms; expected a row for each, with columns source and target")
    names = (None, None) if {first.lower(), second.lower()} == {"source", "target"} else (first, second)
    return Glossary(Path(path).name, tuple(entries), *names)


def check_terms(terms: Sequence[str], where: str) -> None:
    """Refuse what no text can be found to have, and what is no term but a text."""
    for term in terms:
        if not unit_pattern().search(term):
            raise InputError(f"{where}: {term.strip()!r} has no letter and no digit, so no text is found to have it")
        if len(term) > 10 * LONGEST or len(term.split()) > LONGEST:
            raise InputError(
                f"{where}: a term of {counted(len(term), 'character')}, {term[:30]!r}...; is a quote open?"
            )


def _columns(names: Sequence[str], languages: Languages, path: str) -> tuple[str, str]:
    """The columns of source terms and of their translations."""
    lowered = {name.lower().strip(): name for name in names}
    if "source" in lowered and "target" in lowered:
        return lowered["source"], lowered["target"]
    codes = {language_code(name.strip()): name for name in reversed(names)}
    wanted = [language_code(language) for language in languages]
    if all(code is not None and code in codes for code in wanted):
        return codes[wanted[0]], codes[wanted[1]]
    raise InputError(
        f"{path}: columns {', '.join(names)}; expected source and target, or the codes of the test set's languages"
        f" ({' and '.join(str(code) for code in wanted) if all(wanted) else 'which it does not name'})"
    )


def _texts(table: ColumnFile, name: str | None) -> Iterator[str]:
    if name is None:
        while True:
            yield ""
    for text in table.read(name)[0]:
        yield text or ""


def glossary_languages(glossary: Glossary, testset: TestSet) -> Languages:
    """The languages of a test set, or those that the glossary names."""
    return (
        testset.source_language or glossary.source_language,
        testset.target_language or glossary.target_language,
    )


def read_forbidden(path: str | Path) -> list[tuple[str, str]]:
    """Words and phrases, each with what to write instead (empty: nothing is said)."""
    found = []
    for number, line in enumerate(read_lines(path), 1):
        word, _, instead = (line or "").partition("\t")
        if not word.strip() or word.startswith(COMMENT):
            continue
        check_terms((word,), f"{path}:{number}")
        found.append((word.strip(), instead.strip()))
    if not found:
        raise InputError(f"{path}: no words; expected one on a line")
    return found
