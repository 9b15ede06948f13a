"""Scores of segments that others have averaged over their raters, as WMT publishes them (ad-seg-scores-XX-en.csv).

    SYS SID RAW.SCR Z.SCR N

Fields are set apart by blanks, tabs or commas. SYS is a system, with the number of its submission (`.7`) behind it;
HUMAN... are references that raters saw as outputs, and are left out. SID counts segments from 1, **not as lines of the
test set**: documents are first put in the order of their names, compared as strings by code point ("10" before "2"),
segments inside a document keep their order. The columns may also be called system, seg, raw, z and n.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.io.columns import read_number
from tertium.io.files import read_lines

if TYPE_CHECKING:
    from tertium.core.stats import Array

Column = Literal["z", "raw"]
NAMES = {"SYS": "system", "SID": "seg", "RAW.SCR": "raw", "Z.SCR": "z", "N": "n"}
OBLIGATORY = ("system", "seg")
ORDERS = ("documents", "lines")


def campaign_order(testset: TestSet) -> list[int]:
    """The segments as WMT's raters saw them numbered: entry k is the segment (from 0) whose SID is k + 1."""
    if testset.documents is None:
        raise InputError(
            f"test set {testset.name} has no documents, and WMT numbers segments by them; "
            f"name them (documents = in testset.toml, --doc FILE)"
        )
    inside: dict[str, list[int]] = {}
    for segment, document in enumerate(testset.documents):
        inside.setdefault(document, []).append(segment)
    return [segment for document in sorted(inside) for segment in inside[document]]


def usual_column(path: str | Path) -> Column:
    """Standard scores where the file has them, else raw ones: people's scores mean the same as everywhere."""
    lines = read_lines(path)
    return "z" if len(lines) == 0 or "z" in _heads(lines[0] or "") else "raw"


def _heads(line: str) -> list[str]:
    return [NAMES.get(name, name) for name in _fields(line)]


def read_segment_scores(
    path: str | Path, testset: TestSet, column: Column = "z", *, order: str = "documents"
) -> dict[str, Array]:
    """Scores of each system's segments, in the order of the test set; NaN where nobody judged. # each (n,)

    `order` says how SID counts: through the documents by name, as WMT does, or through the lines of the test set.
    """
    import numpy as np

    if column not in ("z", "raw"):
        raise OptionError(f"column {column!r} is unknown; choose from z, raw")
    if order not in ORDERS:
        raise OptionError(f"order {order!r} is unknown; choose from {', '.join(ORDERS)}")
    numbered = campaign_order(testset) if order == "documents" else list(range(len(testset)))
    found: dict[str, Array] = {}
    for where, system, sid, value in _rows(path, column):
        if system.upper().startswith("HUMAN"):
            continue
        if not 1 <= sid <= len(numbered):
            raise InputError(
                f"{where}: segment {sid}, but test set {testset.name} has {counted(len(numbered), 'segment')}"
            )
        name = re.sub(r"\.\d+$", "", system)
        scores = found.setdefault(name, np.full(len(numbered), np.nan))
        if not math.isnan(scores[numbered[sid - 1]]):
            raise InputError(f"{where}: system {name} already has a score for segment {sid}; keep one of them")
        scores[numbered[sid - 1]] = value
    if not found:
        raise InputError(f"{path}: no scores of systems")
    return found


def _rows(path: str | Path, column: str) -> Iterator[tuple[str, str, int, float]]:
    """Place, system, SID and score of every line."""
    lines = read_lines(path)
    if len(lines) == 0:
        raise InputError(f"{path}: empty file; expected a header such as SYS SID RAW.SCR Z.SCR N")
    heads = _heads(lines[0] or "")
    for name in (*OBLIGATORY, column):
        if name not in heads:
            raise InputError(f"{path}:1: no column {name!r}; expected a header such as SYS SID RAW.SCR Z.SCR N")
    places = [heads.index(name) for name in (*OBLIGATORY, column)]
    for number in range(1, len(lines)):
        where = f"{path}:{number + 1}"
        fields = _fields(lines[number] or "")
        if len(fields) != len(heads):
            raise InputError(f"{where}: {counted(len(fields), 'field')}, but the header has {len(heads)}")
        system, segment, score = (fields[place] for place in places)
        yield where, system, _whole(segment, where), _number(score, column, where)


def _fields(line: str) -> Sequence[str]:
    return [field.strip('"') for field in re.split(r"[,\t ]", line.strip())]


def _whole(text: str, where: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InputError(f"{where}: segment {text!r}; expected a number from 1")
    return int(text)


def _number(text: str, column: str, where: str) -> float:
    value = read_number(text)
    if not math.isfinite(value):
        raise InputError(f"{where}: {column} {text!r} is not a number")
    return value
