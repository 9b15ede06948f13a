"""Test sets on this computer: fetched into a folder of ours, or found in sacreBLEU's.

FOLDER/NAME/raw/...            files as they were fetched, and what was unpacked of them
FOLDER/NAME/NAME.PAIR.FIELD    a line for every segment: as sacreBLEU keeps them
FOLDER/NAME/receipt.json       what was fetched from where, and what the texts are
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.io.files import read_lines
from tertium.io.named.catalogue import NamedSet, Pair, find_named, store_folder
from tertium.io.named.fields import Fields, read_fields

FACTS = ("origlang", "domain", "genre")  # fields that say what kind of text a segment is
UNKNOWN = "?"  # of a document that is not annotated
NO_PATH = re.compile(r'[/\\:\0<>"|?*]')


def sacrebleu_folder() -> Path:
    """Where sacreBLEU keeps its test sets."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


# Read


def files_of(entry: NamedSet, pair: Pair) -> Iterator[str]:
    """The files that a language pair is made of."""
    for path in pair.paths:
        _, colon, file = path.partition(":")
        yield file if entry.layout == "tsv" and colon else path


def text_path(home: Path, entry: NamedSet, pair: str, field: str) -> Path:
    """The file of a field; colons, which Windows has no files with, are dashes, as sacreBLEU has it."""
    return home / f"{entry.name.replace('/', '_')}.{pair}.{NO_PATH.sub('-', field)}"


def fields_of(entry: NamedSet, pair: str) -> Fields:
    """The fields of a language pair that is on this computer: texts of ours, else sacreBLEU's, else its files."""
    theirs = sacrebleu_folder() / entry.name
    for home in (store_folder() / entry.name, theirs):
        if found := _texts(entry, pair, home):
            return found
    if _unpacked(entry, pair, theirs):
        return read_fields(entry, entry.pair(pair), (theirs / "raw").joinpath)
    raise InputError(
        f"test set {entry.name}, {pair}, is not on this computer; fetch it: tertium testsets get {entry.name} -l {pair}"
    )


def is_here(entry: NamedSet, pair: str) -> bool:
    """Whether it is on this computer."""
    theirs = sacrebleu_folder() / entry.name
    found = (_text_files(entry, pair, home) for home in (store_folder() / entry.name, theirs))
    return any(map(_is_whole, found)) or _unpacked(entry, pair, theirs)


def _unpacked(entry: NamedSet, pair: str, theirs: Path) -> bool:
    """Whether sacreBLEU's folder has its files, out of which nothing was made yet."""
    return all((theirs / "raw" / path).is_file() for path in files_of(entry, entry.pair(pair)))


def _text_files(entry: NamedSet, pair: str, home: Path) -> dict[str, Path]:
    """The files of a folder that have a field each, by field."""
    start = text_path(home, entry, pair, "").name
    paths = {
        path.name.removeprefix(start): path for path in sorted(home.glob(f"{glob_safe(start)}*")) if path.is_file()
    }
    return {re.sub(r"^ref-", "ref:", name): path for name, path in paths.items()}


def _is_whole(named: Mapping[str, Path]) -> bool:
    return "src" in named and any(_is_reference(name) for name in named)


def _texts(entry: NamedSet, pair: str, home: Path) -> Fields:
    """The fields that a folder has as texts; none where there is no source or no reference."""
    named = _text_files(entry, pair, home)
    if not _is_whole(named):
        return {}
    found = {name: [text or "" for text in read_lines(path)] for name, path in named.items()}
    if len({len(lines) for lines in found.values()}) > 1:  # sacreBLEU stopped in the middle of writing them
        return {}
    order = ["src", *filter(_is_reference, found), "docid", "genre", "origlang"]
    return {name: found[name] for name in dict.fromkeys([*order, *found]) if name in found}


def glob_safe(text: str) -> str:
    """A text in which nothing is a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", text)


def _is_reference(name: str) -> bool:
    return name == "ref" or name.startswith("ref:")


def references_in(entry: NamedSet, pair: str, fields: Fields) -> list[str]:
    """The fields that count as references, in their order."""
    if entry.layout != "xml":
        return [name for name in fields if _is_reference(name)]
    wanted = [f"ref:{who}" if who else "ref" for who in entry.pair(pair).refs]
    return [name for name in wanted if name in fields]


def named_testset(name: str, pair: str | None = None) -> tuple[TestSet, tuple[System, ...]]:
    """A test set with a name, and the outputs of systems that came with it."""
    entry = find_named(name)
    found = entry.pair_name(pair)
    return of_fields(entry, found, fields_of(entry, found))


def of_fields(entry: NamedSet, pair: str, fields: Fields) -> tuple[TestSet, tuple[System, ...]]:
    """The same of texts that are at hand."""
    source, _, target = pair.partition("-")
    segments, documents = len(fields["src"]), fields.get("docid", [])
    labels = {key: tuple(fields[key]) for key in FACTS if any(fields.get(key, ()))}
    if "domain" not in labels and (known := document_kinds().get(entry.name)) and documents:
        labels["domain"] = tuple(known.get(document, UNKNOWN) for document in documents)
    references = tuple(Lines.of(fields[key]) for key in references_in(entry, pair, fields))
    testset = TestSet(
        name=entry.name,
        source_language=source,
        target_language=target,
        segments=segments,
        sources=Lines.of(fields["src"]),
        references=References(references, segments),
        documents=tuple(documents) if documents and all(documents) else None,
        labels=labels,
    )
    others = [key for key in fields if key not in ("src", "docid", *FACTS) and not _is_reference(key)]
    return testset, tuple(System(name=key, outputs=Lines.of(fields[key]), origin=entry.name) for key in others)


# Parts of a test set


def segments_of(testset: TestSet, origlang: str | None, subset: str | None) -> list[int]:
    """The segments of an original language (`non-xx`: of any other) whose domain a regular expression finds."""
    kept = list(range(len(testset)))
    for flag, label, asked in (("--origlang", "origlang", origlang), ("--subset", "domain", subset)):
        if asked is None:
            continue
        if label not in testset.labels:
            raise InputError(f"{flag} {asked}: of the segments of {testset.name} no {label} is known")
        values = testset.labels[label]
        fits = {value: _fits(value, flag, asked) for value in set(values)}
        kept = [k for k in kept if fits[values[k]]]
        if not kept:
            raise InputError(f"{flag} {asked}: no such segment in {testset.name}; there are: {', '.join(sorted(fits))}")
    return kept


def _fits(value: str, flag: str, asked: str) -> bool:
    if flag == "--origlang":
        return (value == asked.removeprefix("non-")) != asked.startswith("non-")
    try:
        return re.search(asked.removeprefix("country:"), value) is not None
    except re.error as error:
        raise InputError(f"{flag} {asked}: not a regular expression ({error})") from None


@cache
def document_kinds() -> Mapping[str, Mapping[str, str]]:
    """What documents are about, by test set (`COUNTRY-DOMAIN`): sacreBLEU's, of two test sets."""
    data = (files("tertium.io") / "data" / "testset-documents.json").read_bytes()
    found: Mapping[str, Mapping[str, str]] = json.loads(data)
    return found
