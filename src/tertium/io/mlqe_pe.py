"""MLQE-PE (Fomicheva et al. 2022; CC0) as examples to learn from: outputs, their post-edits, standardised judgements.

    FOLDER/direct-assessments/SPLIT/PAIR-SPLIT.tar.gz    *.tsv: index original translation ... z_mean ...
    FOLDER/post-editing/SPLIT/PAIR-SPLIT.tar.gz          *.mt *.pe: the same outputs, tokenised, and their post-edits

Rows are aligned. The outputs are those beside the post-edits, because both are tokenised alike. Nothing is unpacked to
the disk.
"""

from __future__ import annotations

import math
import tarfile
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.examples import Examples

PAIRS = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
SPLITS = ("train", "dev", "test")
LARGEST = 64_000_000  # bytes of a member that is read
SOURCE, SCORE = "original", "z_mean"


def read_mlqe_pe(folder: str | Path, split: str, pair: str) -> Examples:
    """The segments of a language pair: source, output, post-edit as the reference, mean z-score."""
    root = Path(folder)
    judged = root / "direct-assessments" / split / f"{pair}-{split}.tar.gz"
    edited = root / "post-editing" / split / f"{pair}-{split}.tar.gz"
    (table,) = _members(judged, ".tsv")
    outputs, references = _members(edited, ".mt", ".pe")
    header, *rows = [line.split("\t") for line in table]
    for name in (SOURCE, SCORE):
        if name not in header:
            raise InputError(f"{judged}: no column {name!r}; there are {', '.join(header)}")
    if not len(rows) == len(outputs) == len(references):
        raise InputError(
            f"{root}, {pair} {split}: {len(rows)} judged segments, {len(outputs)} outputs and {len(references)} "
            "post-edits; expected as many of each"
        )
    source, score = header.index(SOURCE), header.index(SCORE)
    for k, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InputError(f"{judged}, line {k} of the table: {len(row)} fields, expected {len(header)}")
    import numpy as np

    return Examples(
        outputs=Lines.of(outputs),
        scores=np.array([_number(row[score], f"{judged}, line {k} of the table") for k, row in enumerate(rows, 2)]),
        sources=Lines.of([row[source] for row in rows]),
        references=Lines.of(references),
        where=f"MLQE-PE {pair} {split}",
    )


def _members(path: Path, *endings: str) -> list[list[str]]:
    """The lines of the one file of each ending in an archive."""
    try:
        with tarfile.open(path) as archive:
            found = {ending: _member(archive, path, ending) for ending in endings}
    except (OSError, tarfile.TarError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read ({reason}); expected MLQE-PE's own folders and archives") from None
    return [found[ending].removesuffix("\n").split("\n") for ending in endings]


def _member(archive: tarfile.TarFile, path: Path, ending: str) -> str:
    files = [
        member
        for member in archive
        if member.isfile() and member.name.endswith(ending) and not Path(member.name).name.startswith("._")
    ]
    if len(files) != 1:
        raise InputError(f"{path}: {len(files)} files end in {ending}; expected one")
    if files[0].size > LARGEST:
        raise InputError(f"{path}: {files[0].name} has {files[0].size} bytes; expected at most {LARGEST}")
    content = archive.extractfile(files[0])
    try:
        return "" if content is None else content.read().decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {files[0].name} is not UTF-8 (byte {error.start})") from None


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{where}: {SCORE} is {text!r}, expected a number")
    return value
