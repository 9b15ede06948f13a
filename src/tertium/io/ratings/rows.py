"""Rows of text fields with their line numbers: what the formats of other people's ratings are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from tertium.core.errors import InputError
from tertium.io.columns import csv_rows, fields
from tertium.io.files import MODULES, packing, read_bytes, split_text, write_atomically

T = TypeVar("T")


@dataclass(frozen=True)
class Rows:
    """The fields of a file, the header included, and the line on which each row starts."""

    path: str
    fields: list[list[str]]
    lines: Sequence[int]

    def where(self, row: int) -> str:
        """`FILE:LINE` of a row."""
        return f"{self.path}:{self.lines[row]}"

    def body(self) -> Rows:
        """The rows below the header, each of which must be as wide."""
        return Rows(self.path, self.fields[1:], self.lines[1:]).check_width(len(self.fields[0]), "the header has")

    def check_width(self, width: int, because: str) -> Rows:
        """The same rows, or an error about the first one that has more or fewer fields."""
        for k, row in enumerate(self.fields):
            if len(row) != width:
                raise InputError(
                    f"{self.where(k)}: {fields(len(row))}, but {because} {fields(width)}; "
                    f"is there a separator too many or too few?"
                )
        return self

    def columns(self, names: Iterable[str]) -> list[list[str]]:
        """Columns of a file with a header by their names, without the header; `a|b` is either, `a?` may be absent."""
        body, header = self.body(), self.fields[0]
        found = []
        for name in names:
            alike = [k for k, known in enumerate(header) if known in name.removesuffix("?").split("|")]
            if not alike and not name.endswith("?"):
                raise InputError(
                    f"{self.where(0)}: no column {' or '.join(name.split('|'))}; columns: {', '.join(header)}"
                )
            found.append([row[alike[0]] for row in body.fields] if alike else [])
        return found


def read_rows(path: str | Path) -> Rows:
    """The rows of a file: fields between tabs if its first line has a tab, else CSV. Blank lines are left out."""
    data = read_bytes(path)
    split_text(data, str(path))  # for its error where the bytes are not UTF-8
    text = bytes(data).decode("utf-8-sig")
    if "\t" in text.partition("\n")[0]:
        lines = [(k, line.removesuffix("\r")) for k, line in enumerate(text.split("\n"), 1)]
        kept = [(k, line) for k, line in lines if line]
        rows = Rows(str(path), [line.split("\t") for _, line in kept], [k for k, _ in kept])
    else:
        found = [(line, row) for line, row in csv_rows(data, str(path)) if row]
        rows = Rows(str(path), [row for _, row in found], [line for line, _ in found])
    if not rows.fields:
        raise InputError(f"{path}: empty; expected ratings, one per line")
    return rows


def write_rows(path: str | Path, rows: Iterable[Sequence[str]]) -> None:
    """Write fields between tabs; refuse those that such a file cannot hold."""
    lines = []
    header: Sequence[str] = ()
    for row in rows:
        header = header or row
        line = "\t".join(row)
        if line.count("\t") != len(row) - 1 or "\n" in line or "\r" in line:
            name, text = next((n, t) for n, t in zip(header, row, strict=True) if any(mark in t for mark in "\t\n\r"))
            raise InputError(f"{path}: the {name} {text!r} has a tab or line break in it, which TSV cannot hold")
        lines.append(line + "\n")
    write_text(path, "".join(lines))


def write_text(path: str | Path, text: str) -> None:
    """Write a text whole or not at all, compressed where the name says so."""
    data, suffix = text.encode(), packing(str(path))
    if suffix:
        timeless = {"mtime": 0} if suffix == ".gz" else {}  # the same text gives the same bytes
        data = import_module(MODULES[suffix]).compress(data, **timeless)
    with write_atomically(path) as file:
        file.write(data)


def choose(text: str, known: Mapping[str, T], what: str, where: str) -> T:
    """What a file's word stands for, or an error that lists the words there are."""
    if text not in known:
        raise InputError(f"{where}: unknown {what} {text!r}; known: {', '.join(known)}")
    return known[text]


def short_number(value: float) -> str:
    """`4` for 4.0; every other number with all the digits it takes to read it back."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))
