"""Numbers for segments that a file of ratings names in its own way.

Ratings come with or without their test set. With it, a file's names are looked up in it. Without it, a test set is made
of what the file says: its ids, its documents, its languages, and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.io.files import COMPRESSED
from tertium.io.ratings.rows import Rows

LANGUAGES = "languages"  # the label of segments in a test set made of several language pairs


class Name(NamedTuple):
    """How a file names a segment: an item, of a document, of a language pair such as `de-en`; both may be empty."""

    item: str
    document: str = ""
    languages: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.languages, self.document, self.item) if part)


def number_segments(
    names: Sequence[Name],
    rows: Rows,
    testset: TestSet | None,
    sources: Mapping[Name, str] | None = None,
    documents: Mapping[Name, str] | None = None,
    order: Sequence[int] | None = None,
) -> tuple[TestSet, dict[Name, int]]:
    """The test set, and the number in it of every name; `names[k]` is that of row k, for errors.

    `sources` and `documents` go into a test set that is made; documents are needed only where names do without them.
    Numbers in the whole count through the segments of `order` where it is given, else through lines.
    """
    first: dict[Name, int] = {}
    for k, name in enumerate(names):
        first.setdefault(name, k)
    if testset is None:
        made = _order(list(first))
        return _make(made, rows.path, sources, documents or {}), {name: k for k, name in enumerate(made)}
    find = _Finder(testset, base=0 if any(name.item == "0" for name in first) else 1, order=order)
    numbers = {}
    for name, k in first.items():
        number = find(name)
        if number is None:
            ids = " or an id of the test set" if testset.ids else ""
            raise InputError(
                f"{rows.where(k)}: unknown segment {str(name)!r}; expected a number from 1 to {len(testset)}{ids} "
                f"(test set {testset.name})"
            )
        numbers[name] = number
    return testset, numbers


def _order(names: Sequence[Name]) -> list[Name]:
    """Languages and documents as they first appear in the file; items by number, or as they appear."""
    pairs = {pair: k for k, pair in enumerate(dict.fromkeys(name.languages for name in names))}
    documents = {document: k for k, document in enumerate(dict.fromkeys(name.document for name in names))}
    numbered = all(is_number(name.item) for name in names)

    def place(name: Name) -> tuple[int, int, int, str]:
        digits = name.item.lstrip("0") if numbered else ""
        return pairs[name.languages], documents[name.document], len(digits), digits

    return sorted(names, key=place)


def is_number(text: str) -> bool:
    """Whether a text is a whole number in plain digits."""
    return text.isascii() and text.isdigit()


def _make(
    names: Sequence[Name], path: str, sources: Mapping[Name, str] | None, documents: Mapping[Name, str]
) -> TestSet:
    pairs = list(dict.fromkeys(name.languages for name in names))
    source, target = split_languages(pairs[0]) if len(pairs) == 1 else ("", "")
    # One pair is a fact about the test set and need not be part of every id.
    groups = [documents.get(name, name.document) for name in names]
    ids = [str(name if len(pairs) > 1 else name._replace(languages="")) for name in names]
    if len(set(ids)) < len(ids):
        twice = next(name for name, count in Counter(ids).items() if count > 1)
        raise InputError(f"{path}: two segments would be called {twice!r}; rename the document or the item of one")
    return TestSet(
        name=_stem(path),
        source_language=source or None,
        target_language=target or None,
        segments=len(names),
        sources=None if sources is None else Lines.of([sources[name] for name in names], path),
        documents=tuple(groups) if any(groups) else None,
        ids=tuple(ids),
        labels={LANGUAGES: tuple(name.languages for name in names)} if len(pairs) > 1 else {},
    )


def split_languages(pair: str) -> tuple[str, str]:
    """`de-en` -> de, en; `zh-CN-en` -> zh-CN, en: a region or script has capitals, a language has none."""
    parts = pair.split("-")
    for k in range(len(parts) - 1, 0, -1):
        if parts[k].isascii() and parts[k].isalpha() and parts[k].islower() and (k > 1 or parts[0]):
            return "-".join(parts[:k]), "-".join(parts[k:])
    return parts[0], "-".join(parts[1:])


def _stem(path: str) -> str:
    file = Path(path)
    return (file.with_suffix("") if file.suffix in COMPRESSED else file).stem


class _Finder:
    """Looks names up in a test set: by id, by the place in a document, by number from `base`."""

    def __init__(self, testset: TestSet, base: int, order: Sequence[int] | None) -> None:
        self.segments, self.base, self.order = len(testset), base, order
        self.ids: dict[str, int] = {}
        for k, name in enumerate(testset.ids or ()):
            self.ids.setdefault(name, k)
        self.documents: dict[str, list[int]] = {}
        for k, name in enumerate(testset.documents or ()):
            self.documents.setdefault(name, []).append(k)

    def __call__(self, name: Name) -> int | None:
        for text in (str(name), str(name._replace(languages="")), name.item):
            if text in self.ids:
                return self.ids[text]
        if not is_number(name.item) or len(name.item) > 18:
            return None
        number = int(name.item) - self.base
        inside = self.documents.get(name.document) if name.document else None
        if inside is not None:
            return inside[number] if 0 <= number < len(inside) else None
        if not 0 <= number < self.segments:
            return None
        return number if self.order is None else self.order[number]


def output_systems(
    outputs: Mapping[tuple[str, Name], str], numbers: Mapping[Name, int], segments: int, path: str
) -> tuple[System, ...]:
    """Systems of the outputs that a file of ratings quotes; those it does not are missing."""
    found: dict[str, list[str | None]] = {}
    for (system, name), text in outputs.items():
        found.setdefault(system, [None] * segments)[numbers[name]] = text
    return tuple(
        System(name=system, outputs=Lines.of(texts, f"{path}:{system}"), origin=path) for system, texts in found.items()
    )


def name_of(testset: TestSet, segment: int) -> Name:
    """The name under which a segment is written into a file: what `number_segments` made of it, taken apart."""
    document = testset.documents[segment] if testset.documents else ""
    languages = testset.labels[LANGUAGES][segment] if LANGUAGES in testset.labels else testset.language_pair or ""
    item = testset.ids[segment] if testset.ids else str(segment + 1)
    for prefix in (languages, document):
        item = item.removeprefix(f"{prefix}/") if prefix else item
    return Name(item, document, languages)
