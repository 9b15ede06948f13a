"""The papers that metrics, pages and documentation cite, as BibTeX: data/papers.bib."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from tertium.core.version import VERSION

# Authors (year), "title". Authors begin where the text does or behind a mark, so that a long text is read once.
CITED = re.compile(r'(?<![^;:"()])([^;:"()]+)\s\((\d{4})\),\s"([^"]+)"')
ENTRY = re.compile(r"^@\w+\{(\w+),\n.*?^\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)


@cache
def papers() -> dict[str, str]:
    """Every entry by its key, as it is written."""
    text = (files("tertium.io") / "data" / "papers.bib").read_text(encoding="utf-8")
    return {entry[1]: entry[0] for entry in ENTRY.finditer(text)}


def fields(entry: str) -> dict[str, str]:
    """What an entry says: author, title, year and so on."""
    return dict(FIELD.findall(entry))


def bibtex(texts: Iterable[str]) -> str:
    """Entries for `Authors (year), "title"`, wherever it stands in these texts: once each, sorted by their keys.

    A paper that is not among ours, of a metric from elsewhere, has what the text says of it.
    """
    entries: dict[str, str] = {}
    titles: dict[str, str] = {}
    for text in texts:
        for authors, year, title in CITED.findall(text):
            key = find(year, title)
            if key is not None:
                entries[key] = papers()[key]
                continue
            names = [name.strip() for name in re.split(r",\s|\sand\s", authors.strip()) if name.strip()]
            key = _ascii("".join(names[:1])).lower() + year
            while titles.get(key, title) != title or key in papers():  # the same author and year, another paper
                key += "b"
            titles[key] = title
            people = " and ".join(names)
            entries[key] = (
                f"@misc{{{key},\n  author = {{{people}}},\n  title = {{{{{title}}}}},\n  year = {{{year}}}\n}}"
            )
    title = "{{tertium: measuring machine translation}}"
    own = f"@misc{{tertium,\n  title = {title},\n  note = {{Version {VERSION}}}\n}}"
    return "\n\n".join([own, *(entries[key] for key in sorted(entries))])


def find(year: str, title: str) -> str | None:
    """The key of a paper by its year and title, in whatever case."""
    for key, entry in papers().items():
        known = fields(entry)
        if known["year"] == year and _letters(known["title"]).startswith(_letters(title)):
            return key
    return None


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", text.lower())


def _ascii(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z]", "", plain) or "anonymous"
