"""Ratings in any format: our own and those of the tools that collect them. The first line shows which one it is.

    tertium    our own table (tertium.io.ratings.judgements), as .tsv, .csv, .jsonl, .parquet or .arrow
    appraise   results of Appraise, CSV with 9, 11 or 12 columns (tertium.io.ratings.appraise)
    mturk      direct assessment on Mechanical Turk, TSV (tertium.io.ratings.mturk)
    mqm        errors marked under MQM, TSV of Google and Marot (tertium.io.ratings.mqm)
    mlqe       lists of scores, TSV of MLQE-PE (tertium.io.ratings.mlqe)

Compressed files are unpacked.

Segments. `Judgement.segment` is a number from 0 in a test set. Where one is given, the names in the file are looked up
in it: as an id (`LANGUAGES/DOCUMENT/ITEM`, `DOCUMENT/ITEM` or `ITEM`), else as a number from 1 inside the document
where the test set has a document of that name, else as a number from 1 in the whole; numbers count from 0 where the
file has an item 0 (our own format never does). In files of direct assessment from WMT (mturk) numbers in the whole
count through documents in the order of their names. Where none is given, a test set is made of the file: one segment
for every name in it, ordered by language pair, document and item; `ids` are those names, `documents` and languages are
set where the file has them, and texts only where it quotes them. A test set made of several language pairs has the
label `languages` (such as `eng-ces`) for every segment, and no language of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.io.columns import extension, fields
from tertium.io.ratings.appraise import HEADERS, read_appraise, write_appraise
from tertium.io.ratings.appraise import KINDS as APPRAISE_TYPES
from tertium.io.ratings.judgements import open_judgements, write_judgements
from tertium.io.ratings.mlqe import read_mlqe, write_mlqe
from tertium.io.ratings.mqm import read_mqm, write_mqm
from tertium.io.ratings.mturk import read_mturk, write_mturk
from tertium.io.ratings.rows import Rows, read_rows
from tertium.io.ratings.segment_scores import ORDERS
from tertium.io.texts import suggest

READERS: dict[str, Callable[..., Evaluation]] = {
    "appraise": read_appraise,
    "mturk": read_mturk,
    "mqm": read_mqm,
    "mlqe": read_mlqe,
}
WRITERS: dict[str, Callable[[Evaluation, str | Path], None]] = {
    "appraise": write_appraise,
    "mturk": write_mturk,
    "mqm": write_mqm,
    "mlqe": write_mlqe,
}
FORMATS = ("tertium", *READERS)
TABLES = (".jsonl", ".ndjson", ".parquet", ".arrow", ".feather")  # only our own format comes in these
# Columns that one format has and no other.
MARKS = (
    ("tertium", {"segment"}),
    ("tertium", {"scale"}),
    ("mturk", {"WorkerId", "sys_id", "sid"}),
    ("mturk", {"annotator", "system", "seg", "raw"}),
    ("mqm", {"rater", "category", "severity"}),
    ("mlqe", {"scores"}),
    ("mlqe", {"id", "ratings"}),
)
# Columns that no table of texts has.
SURE_MARKS = ({"segment", "rater", "scale", "value"}, *(marks for _, marks in MARKS if len(marks) > 1))


def read_ratings(
    path: str | Path,
    format: str | None = None,
    testset: TestSet | None = None,
    *,
    order: str | None = None,
) -> tuple[TestSet, tuple[Judgement, ...]]:
    """The judgements in a file and the test set that they are about: the one given, or one made of the file.

    `format` is one of FORMATS; None and `auto` look at the first line. `order` says what numbers of segments count in a
    file of direct assessment from WMT: documents by name, which is usual, or lines.
    """
    found = open_ratings(path, format, testset, order=order)
    return found.testset, found.judgements


def open_ratings(
    path: str | Path,
    format: str | None = None,
    testset: TestSet | None = None,
    *,
    order: str | None = None,
) -> Evaluation:
    """As `read_ratings`, as an Evaluation: with the systems' outputs where the file quotes them."""
    if order not in (None, *ORDERS):
        raise OptionError(f"order {order!r} is unknown; choose from {', '.join(ORDERS)}")
    chosen = None if format in (None, "auto") else _known(str(format))
    if (chosen is None and extension(path) in TABLES) or chosen == "tertium":
        return _read_own(path, testset)
    rows = read_rows(path)
    chosen = chosen or _detect(rows)
    if chosen == "mturk" and order is not None:
        return read_mturk(rows, testset, order)
    return _read_own(path, testset) if chosen == "tertium" else READERS[chosen](rows, testset)


def _known(name: str) -> str:
    if name not in FORMATS:
        raise OptionError(f"unknown format {name!r}{suggest(name, FORMATS)} known: {', '.join(FORMATS)}")
    return name


def _detect(rows: Rows) -> str:
    header = rows.fields[0]
    for name, marks in MARKS:
        if marks <= set(header):
            return name
    if len(header) in HEADERS and (header[3] in APPRAISE_TYPES or tuple(header) == HEADERS[len(header)]):
        return "appraise"
    raise InputError(
        f"{rows.where(0)}: not a known format of ratings: {fields(len(header))}, the first is {header[0][:40]!r}; "
        f"known: {', '.join(FORMATS)} (docs/reference/judgements.md), or say which one it is"
    )


def are_ratings(header: Sequence[str]) -> bool:
    """Whether a first line can only be that of a file of ratings, whatever the file is called. Less than what tells the
    formats apart does not do: a table of texts may have a column `segment`, too."""
    there = set(header)
    if len(header) in HEADERS and (header[3] in APPRAISE_TYPES or tuple(header) == HEADERS[len(header)]):
        return True
    lists = "scores" in there and bool(there & {"index", "row", "segid", "id"})
    return lists or any(marks <= there for marks in SURE_MARKS)


def _read_own(path: str | Path, testset: TestSet | None) -> Evaluation:
    return open_judgements(path, testset)


def write_ratings(
    judgements: Iterable[Judgement],
    path: str | Path,
    testset: TestSet,
    format: str = "tertium",
    *,
    systems: Iterable[System] = (),
    notes: Sequence[str] = (),
) -> None:
    """Write judgements so that `read_ratings` reads them; `mqm` quotes the texts of the test set and the systems.

    `notes` are what whoever reads the result should know; only our own format has a place for them.
    """
    written = tuple(judgements)
    if not written:
        raise InputError(f"{path}: there are no judgements to write")
    if _known(format) == "tertium":
        write_judgements(written, path, testset, notes)
    else:
        evaluation = Evaluation(testset=testset, systems=tuple(systems), judgements=written)
        WRITERS[format](evaluation, path)
