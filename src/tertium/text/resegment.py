"""Outputs without line breaks, or with lines of their own, cut into the segments of a test set: speech translation.

The cuts are those with the fewest edits against the references, summed over all segments (Matusov, Leusch, Bender and
Ney 2005, "Evaluating machine translation output with automatic sentence segmentation"). The kernel finds them exactly
(`kernel/resegment.h`), document by document where both sides have documents.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import isqrt
from typing import Any, NamedTuple
from unicodedata import east_asian_width

from tertium import _kernel
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.text.letters import clusters

BY = ("none", "char")
WAYS = tuple(f"{by}{lower}" for by in BY for lower in ("", "+lower"))
FINAL = frozenset(".!?…‥。！？｡．؟۔।॥։።፧‽")
CLOSERS = frozenset("\"'”’»›)]}」』）】〉》")
MOST_WORK = 4 * 10**12  # words of an output times words of its references, in one document: a few minutes
MOST_KEPT = 2 * 10**9  # words of an output times the square root of the number of its segments: a gigabyte


class Units(NamedTuple):
    """What is never cut in two, words or characters, and the white space before it, as they are written."""

    texts: list[str]
    spaces: list[str]


def resegment(
    output: Any,
    references: Any,
    *,
    documents: Sequence[str] | None = None,
    output_documents: Sequence[str] | None = None,
    tokenize: str = "none",
    lowercase: bool = False,
) -> list[str]:
    """One text for every segment, of an output whose lines are others: the cuts with the fewest edits against the
    references.

    `output` is a text or a list of texts, `references` a text or a list of texts for every segment. Where both sides
    have documents, their names for every segment and for every text of the output, no text crosses from one into
    another; without the names of the output's, a text for each document will do. Edits are counted by words, or by
    characters (tokenize="char").
    """
    from tertium.core.layout import listed, references_of

    lines = Lines.of([output] if isinstance(output, str) else output, "output")
    streams = [references] if isinstance(references, str) else listed(references, "references")
    testset = TestSet(
        segments=len(streams),
        references=references_of(streams, len(streams), "segments"),
        documents=None if documents is None else tuple(documents),
    )
    if tokenize not in BY:
        raise OptionError(f'resegment: tokenize="{tokenize}" is unknown; choose from {", ".join(BY)}')
    way = f"{tokenize}+lower" if lowercase else tokenize
    found, _ = cut_lines(lines, testset, output_documents, way, "output")
    return [text or "" for text in found]


def resegment_systems(
    testset: TestSet, systems: Iterable[System], documents: Sequence[str] | None, way: str
) -> tuple[TestSet, tuple[System, ...], list[str]]:
    """The test set, which says from now on how outputs were cut, the systems cut anew, and what was done."""
    cut, notes = [], []
    for system in systems:
        where = system.origin or f"system {system.name}"
        found, parts = cut_lines(system.outputs, testset, documents, way, where)
        cut.append(replace(system, outputs=found))
        within = f", each of {parts} documents by itself" if parts > 1 else ""
        before = counted(len(system.outputs), "line")
        notes.append(
            f"{system.name}: {before} cut into {counted(len(testset), 'segment')} by the fewest edits{within}: "
            f"its segments are not its own"
        )
        notes += list(_spaceless(system, way))
    return replace(testset, resegmented=way), tuple(cut), notes


def _spaceless(system: System, way: str) -> Iterator[str]:
    """A warning where words can hardly be words."""
    length = sum(max(0, size) for size in system.outputs.lengths().tolist())
    words = sum(len((text or "").split()) for text in system.outputs)
    if way.startswith("none") and words and length > 30 * words:
        yield f"{system.name}: {counted(words, 'word')} in {length} bytes; if words have no spaces, cut by char"


def cut_lines(
    lines: Lines, testset: TestSet, documents: Sequence[str] | None, way: str, where: str
) -> tuple[Lines, int]:
    """One line for every segment, and how many documents were cut by themselves."""
    if way not in WAYS:
        raise OptionError(f"outputs cannot be cut by {way!r}; choose from {', '.join(WAYS)}")
    if not len(testset):
        raise InputError(f"test set {testset.name} is empty: there is no segment to cut {where} into")
    unreferenced = [k for k, count in enumerate(testset.references.counts.tolist(), 1) if count == 0]
    if unreferenced:
        raise InputError(
            f"test set {testset.name}: segment {unreferenced[0]} has no reference, and outputs are cut by what their "
            f"references say; leave such segments out"
        )
    found: list[str] = [""] * len(testset)
    groups = list(_documents(lines, testset, documents, where))
    for name, numbers, segments in groups:
        texts = [text for text in (lines[k] for k in numbers) if text is not None]
        shown = where if name is None else f"{where}, document {name}"
        for segment, text in zip(segments, _cut(texts, segments, testset, way, shown), strict=True):
            found[segment] = text
    return Lines.of(found), len(groups)


def _documents(
    lines: Lines, testset: TestSet, documents: Sequence[str] | None, where: str
) -> Iterator[tuple[str | None, Sequence[int], Sequence[int]]]:
    """Name, lines of the output and segments of everything that is cut by itself."""
    if testset.documents is None:
        if documents is not None:
            raise InputError(
                f"the output's lines have documents, but those of test set {testset.name} have none; name them "
                f"(--doc FILE), or leave out the output's (--hyp-doc)"
            )
        yield None, range(len(lines)), range(len(testset))
        return
    wanted = _places(testset.documents)
    if documents is None and len(lines) == len(wanted):  # a line for each
        documents = list(wanted)
    if documents is None:
        yield None, range(len(lines)), range(len(testset))
        return
    if len(documents) != len(lines):
        raise InputError(
            f"{where}: {counted(len(lines), 'line')}, but documents are named for {len(documents)}; name the document "
            f"of every line of the output"
        )
    given = _places(documents)
    for names, others, side in ((given, wanted, "the test set"), (wanted, given, "the output")):
        absent = [name for name in names if name not in others]
        if absent:
            raise InputError(f"{where}: {side} has no document {absent[0]!r}; both sides must have the same documents")
    for name, segments in wanted.items():
        yield name, given[name], segments


def _places(names: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        found.setdefault(name, []).append(place)
    return found


def _cut(texts: Sequence[str], segments: Sequence[int], testset: TestSet, way: str, where: str) -> list[str]:
    """The texts of these segments."""
    by, _, lower = way.partition("+")
    numbers: dict[str, int] = {}

    def numbered(units: Iterable[str]) -> list[int]:
        return [numbers.setdefault(unit.lower() if lower else unit, len(numbers) + 1) for unit in units]

    said = read_units(texts, by)
    output, wanted, bounds, counts = numbered(said.texts), array("I"), array("q", [0]), array("q")
    for segment in segments:
        references = testset.references[segment]
        counts.append(len(references))
        for reference in references:
            wanted.extend(numbered(read_units([str(reference)], by).texts))
            bounds.append(len(wanted))
    work, kept = len(output) * (len(wanted) + len(segments)), len(output) * isqrt(len(segments))
    if work > MOST_WORK or kept > MOST_KEPT:
        raise InputError(
            f"{where}: {len(output)} words or characters against {len(wanted)} in {counted(len(segments), 'segment')} "
            f"are too many to be cut at once; name documents on both sides (--doc, --hyp-doc)"
        )
    _, ends = _kernel.resegment(array("I", output), closing(said, by), wanted, bounds, counts)
    starts = [0, *ends.tolist()]
    return [_joined(said, first, last) for first, last in pairwise(starts)]


def read_units(texts: Iterable[str], by: str) -> Units:
    """Words, or characters with the marks that belong to them. Texts begin with a space, unless their characters do
    without."""
    units = Units([], [])
    for text in texts:
        space = " "
        if by == "none":
            end = 0
            for word in text.split():
                start = text.index(word, end)  # at once: all before is white space
                units.texts.append(word)
                units.spaces.append(text[end:start] if end else space)
                end = start + len(word)
            continue
        if not text[:1].isspace() and not (units.texts and _parted(units.texts[-1], text[:1])):
            space = ""
        for cluster in clusters(text.strip()):
            if cluster.isspace():
                space += cluster
                continue
            units.texts.append(cluster)
            units.spaces.append(space)
            space = ""
    return units


def _parted(before: str, after: str) -> bool:
    """Whether a line break between two characters stands for a space: not where one is of a script without spaces."""
    return bool(after) and not any(map(_runs_on, (before[0], after)))


def _runs_on(char: str) -> bool:
    """Whether a character is of Chinese, Japanese, or of Thai, Lao, Tibetan, Burmese or Khmer."""
    if char < "\u0e00" or "\uac00" <= char <= "\ud7a3":
        return False
    return char < "\u10a0" or "\u1780" <= char < "\u1800" or east_asian_width(char) in "WF"


def closing(units: Units, by: str) -> bytes:
    """Which units may end a sentence: 1 where such a mark is last, or a quotation mark or bracket behind one."""
    if by == "none":
        closers = "".join(CLOSERS)
        return bytes(word.rstrip(closers)[-1:] in FINAL for word in units.texts)
    marks = bytearray(len(units.texts))
    for k, (text, space) in enumerate(zip(units.texts, units.spaces, strict=True)):
        if text in FINAL:
            marks[k] = 1
        if k and marks[k - 1] and not space and (text in CLOSERS or text in FINAL):
            marks[k - 1], marks[k] = 0, 1  # the sentence goes on for a character
        elif k and units.texts[k - 1] == "." and text.isalnum() and not space:
            marks[k - 1] = 0  # 3.5, example.org
    return bytes(marks)


def _joined(units: Units, first: int, last: int) -> str:
    parts = zip(units.spaces[first:last], units.texts[first:last], strict=True)
    return "".join(chain.from_iterable(parts)).lstrip()
