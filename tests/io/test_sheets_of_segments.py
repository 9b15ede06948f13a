"""Sheets as people make them: merged cells, formulas, texts in several lines."""

import zipfile
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.columns import open_table
from tertium.io.testset import read_testset

openpyxl = pytest.importorskip("openpyxl")


def sheet(path: Path, *rows: list[object], merged: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(path)
    return path


def rewritten(path: Path, old: bytes, new: bytes) -> Path:
    """The file as a spreadsheet would have saved it: with the values of formulas."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    assert old in parts[name]
    parts[name] = parts[name].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for part, data in parts.items():
            archive.writestr(part, data)
    return path


HEADS = ["Source", "Target", "MT: atlas", "Document"]


def test_cells_that_are_merged_downwards_have_one_text(tmp_path: Path) -> None:
    path = sheet(tmp_path / "a.xlsx", HEADS, ["a", "b", "c", "one.html"], ["d", "e", "f"], ["g", "h", "i", "two.html"],
                 ["j", "k", "l"], merged=("D2:D3", "D4:D5"))  # fmt: skip
    assert read_testset(path).testset.documents == ("one.html", "one.html", "two.html", "two.html")
    assert list(open_table(f"{path}").read("Document")[0]) == ["one.html", "one.html", "two.html", "two.html"]


def test_other_merged_cells_are_left_alone(tmp_path: Path) -> None:
    path = sheet(tmp_path / "a.xlsx", HEADS, ["a", "b", "c", "one.html"], ["", "", "", "", ""], ["d", "e", "f"],
                 merged=("A3:D3", "E4:E9"))  # fmt: skip
    assert list(read_testset(path).testset.sources or ()) == ["a", "d"]


def test_merged_cells_that_overlap(tmp_path: Path) -> None:
    path = sheet(tmp_path / "a.xlsx", HEADS, *(["a", "b", "c", "d"] for _ in range(50)), merged=("D2:D51",))
    whole = b'<mergeCell ref="D2:D51"/>'
    with zipfile.ZipFile(path) as archive:
        found = archive.read("xl/worksheets/sheet1.xml")
    as_written = whole if whole in found else b'<mergeCell ref="D2:D51" />'
    rewritten(path, as_written, whole * 100)
    with pytest.raises(InputError) as error:
        read_testset(path)
    assert str(error.value) == f"{path}: merged cells that overlap; unmerge them, and save the file again"


def test_a_formula_without_its_value_is_no_empty_output(tmp_path: Path) -> None:
    """Programs write formulas that no spreadsheet has computed yet."""
    path = sheet(tmp_path / "a.xlsx", HEADS, ["a", "b", '=CONCATENATE("c","d")', "x"])
    for read in (read_testset, lambda path: open_table(str(path)).read("Source")):
        with pytest.raises(InputError) as error:
            read(path)
        assert str(error.value) == (
            f"{path}: the formula in C2 was saved without its value; open the file in a spreadsheet and save it again, "
            f"or put values in the place of formulas"
        )


@pytest.mark.parametrize(("value", "expected"), [(b"cd", "cd"), (b"", "")])
def test_a_formula_with_its_value_is_that_value(tmp_path: Path, value: bytes, expected: str) -> None:
    path = sheet(tmp_path / "a.xlsx", HEADS, ["a", "b", '=CONCATENATE("c","d")', "x"])
    cell = b'<c r="C2"><f>CONCATENATE("c","d")</f><v></v></c>'
    with zipfile.ZipFile(path) as archive:
        if cell not in archive.read("xl/worksheets/sheet1.xml"):
            cell = cell.replace(b"<v></v>", b"<v />")
    rewritten(path, cell, b'<c r="C2" t="str"><f>CONCATENATE("c","d")</f><v>%b</v></c>' % value)
    assert [list(system.outputs) for system in read_testset(path).systems] == [[expected]]


def test_texts_in_several_lines_are_one_segment(tmp_path: Path) -> None:
    """As in all localisation files: white space around a segment is left out, a line break in it is a space."""
    found = read_testset(sheet(tmp_path / "a.xlsx", HEADS, [" a\nb ", "c\r\nd", "e\n", "x"]))
    assert list(found.testset.sources or ()) == ["a b"]
    assert list(found.testset.references) == [("c d",)]
    assert [list(system.outputs) for system in found.systems] == [["e"]]
