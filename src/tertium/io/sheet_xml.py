"""What openpyxl does not say of a sheet that it reads as a stream: which cells are merged, and which formulas have no
value."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO, NamedTuple

from tertium.core.errors import InputError

BLOCK = 1 << 20
TELLING = re.compile(rb"<(?:\w{1,20}:)?(?:f[\s/>]|mergeCell[\s/>])")  # without which there is nothing to be known
LONGEST = 40  # of what is searched for
RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})")


class Merged(NamedTuple):
    """Cells that are shown as one: first and last row and column, from 1."""

    top: int
    left: int
    bottom: int
    right: int


def merged_cells(archive: zipfile.ZipFile, name: str, path: str) -> list[Merged]:
    """The merged cells of a sheet. A formula without the value that it had is refused: an empty cell in its place would
    be a text that nobody wrote."""
    with archive.open(name) as file:
        if not any(TELLING.search(block) for block in _blocks(file)):
            return []
    followed = _Sheet(path)
    with archive.open(name) as file:
        followed.follow(file)
    return followed.merged


def unmerge(rows: Sequence[list[str]], merged: Sequence[Merged], path: str) -> None:
    """Give cells that are merged downwards the text that all of them show; `rows` are those from the second one on."""
    room = sum(max(len(row), 1) for row in rows)
    for top, left, bottom, _ in merged:
        below = rows[max(0, top - 1) : bottom - 1]
        room -= len(below)
        if room < 0:
            raise InputError(f"{path}: merged cells that overlap; unmerge them, and save the file again")
        text = rows[top - 2][left - 1] if 2 <= top <= len(rows) + 1 and left <= len(rows[top - 2]) else ""
        for row in below if text else ():
            row += [""] * (left - len(row))
            row[left - 1] = row[left - 1] or text


class _Sheet:
    """Follows the XML of a sheet."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.merged: list[Merged] = []
        self.cell: dict[str, str] = {}  # the attributes of the one that we are in
        self.formula = self.value = self.in_value = False

    def follow(self, file: IO[bytes]) -> None:
        """The whole sheet."""
        from xml.parsers import expat

        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartElementHandler = self.open
        parser.EndElementHandler = self.close
        parser.CharacterDataHandler = self.words
        parser.ParseFile(file)

    def open(self, name: str, attributes: dict[str, str]) -> None:
        """Cells, what is in them, and ranges of merged ones."""
        local = name.rpartition(" ")[2]
        if local == "c":
            self.cell, self.formula, self.value = attributes, False, False
        elif local == "f":
            self.formula = True
        elif local == "v":
            self.in_value = True
        elif local == "mergeCell" and (found := RANGE.fullmatch(attributes.get("ref", ""))) is not None:
            left, top, right, bottom = found.groups()
            if int(bottom) > int(top):
                self.merged.append(Merged(int(top), _column(left), int(bottom), _column(right)))

    def words(self, text: str) -> None:
        """The value of a cell."""
        self.value |= self.in_value and bool(text)

    def close(self, name: str) -> None:
        """A cell has ended. One that says what kind its value is of has one, if an empty text."""
        local = name.rpartition(" ")[2]
        if local == "v":
            self.in_value = False
        elif local == "c" and self.formula and not self.value and "t" not in self.cell:
            raise InputError(
                f"{self.path}: the formula in {self.cell.get('r', 'a cell')} was saved without its value; open the "
                f"file in a spreadsheet and save it again, or put values in the place of formulas"
            )


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    """A file in blocks, each with the end of the one before."""
    end = b""
    while block := file.read(BLOCK):
        yield end + block
        end = block[-LONGEST:]
