"""-o NAME.xlsx: the same tables as sheets of an Excel file."""

import csv
from pathlib import Path

import pytest

from .running import Command

openpyxl = pytest.importorskip("openpyxl")
TESTSET = str(Path(__file__).parents[2] / "examples" / "testset.toml")


@pytest.mark.parametrize(
    ("command", "sheets"),
    [
        ("score", ["1 Scores", "2 Scores, one in each row"]),
        ("compare -m bleu --trials 100", ["1 Comparisons"]),
        ("buckets -m bleu", ["1 BLEU", "2 Scores, one in each row"]),
        ("human agreement", ["1 Agreement"]),
        ("meta -m bleu,chrf --trials 100", ["1 Statistics"]),
    ],
)
def test_every_table_is_a_sheet(tertium: Command, command: str, sheets: list[str], tmp_path: Path) -> None:
    file = tmp_path / "Tables.XLSX"
    found = tertium(*command.split(), TESTSET, "-o", str(file))
    assert (found.status, found.out) == (0, "")
    assert openpyxl.load_workbook(file).sheetnames == ["Contents", *sheets]


def test_an_excel_file_has_the_numbers_of_csv(tertium: Command, tmp_path: Path) -> None:
    file, ask = tmp_path / "scores", ["score", TESTSET, "--confidence", "--trials", "50", "-m", "bleu,chrf"]
    assert tertium(*ask, "-f", "xlsx", "-o", str(file)).status == 0
    rows = list(csv.reader(tertium(*ask, "-f", "csv").out.splitlines()))
    with file.open("rb") as opened:
        book = openpyxl.load_workbook(opened)
    long = [["" if value is None else str(value) for value in row] for row in book.worksheets[2].values]
    assert long == rows
    heads, first, *_ = book["1 Scores"].values
    assert heads == ("system", "BLEU", "BLEU low", "BLEU high", "chrF", "chrF low", "chrF high")
    [said] = [row for row in rows if row[:2] == [first[0], "bleu"]]
    assert [str(value) for value in first[1:4]] == [said[5], said[7], said[8]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["-f", "xlsx"], "tertium: -f xlsx writes a file; name it: -o NAME.xlsx\n"),
        (
            ["-f", "csv", "-o", "a.xlsx"],
            "tertium: -o a.xlsx is an Excel file, and -f csv is not; leave one of them out\n",
        ),
    ],
)
def test_an_excel_file_is_a_file(tertium: Command, options: list[str], sentence: str) -> None:
    found = tertium("score", TESTSET, *options)
    assert (found.status, found.err) == (2, sentence)


def test_without_openpyxl_nothing_is_counted(tertium: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    found = tertium("score", "no-such-file.toml", "-o", str(tmp_path / "a.xlsx"))
    assert found.status == 2
    assert found.err.endswith('a.xlsx: Excel files need openpyxl; install it with: pip install "tertium[excel]"\n')
