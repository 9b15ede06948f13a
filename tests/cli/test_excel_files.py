"""-o NAME.xlsx: the same tables as sheets of an Excel file."""

import csv
from pathlib import Path

import pytest

from .running import Command

openpyxl = pytest.importorskip("openpyxl")
ROOT = Path(__file__).parents[2]
TESTSET = str(ROOT / "examples" / "testset.toml")


@pytest.mark.parametrize(
    ("command", "sheets"),
    [
        ("score", ["1 Scores", "2 Scores, one in each row"]),
        ("compare -m bleu --trials 100", ["1 Comparisons"]),
        ("buckets -m bleu", ["1 BLEU", "2 Scores, one in each row"]),
        ("human agreement", ["1 Agreement"]),
        ("meta -m bleu,chrf --trials 100", ["1 Statistics"]),
        (
            "stress -m bleu --system atlas --noise delete --seeds 1",
            ["1 BLEU 52.8, of empty outputs…", "2 Curves, one point in each row"],
        ),
        (
            "stress -m bleu --system atlas --damage --top 5",
            ["1 By how often outputs have a…", "2 The most frequent types 5…"],
        ),
        ("diagnose", ["1 Segments with errors", "2 What was found, one in each…"]),
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


TABLE = [str(ROOT / "examples" / "scores.tsv"), "--gold", "human", "--group", "year,langs", "--lower", "TER"]


@pytest.mark.parametrize(
    ("ask", "data", "place"),
    [
        (["meta", "correlate", *TABLE], [], 5),
        (["meta", "preference", *TABLE, "--trials", "20"], [], 4),
        (["retrieve", "all", str(ROOT / "examples" / "retrieval" / "testset.toml"), "-m", "bleu,chrf"], [], -4),
        (["stress", TESTSET, "--system", "atlas", "-m", "bleu", "--noise", "delete", "--seeds", "2"], [], -1),
        (["types", TESTSET, "atlas", "brook", "--trials", "0", "--show", "types"], [], 1),
        (["prompt", "demo"], ["-o", "-"], -1),
    ],
)
def test_sheets_have_the_numbers_of_csv(
    tertium: Command, ask: list[str], data: list[str], place: int, tmp_path: Path
) -> None:
    file = tmp_path / "all.xlsx"
    assert tertium(*ask, "-o", str(file)).status == 0
    rows = list(csv.reader(tertium(*ask, "-f", "csv", *data).out.splitlines()))
    sheet = openpyxl.load_workbook(file).worksheets[place]
    width = len(rows[0])  # of preference CSV repeats in every row how all rows came about
    found = [["" if value is None else str(value) for value in row] for row in sheet.values]
    for line, expected in zip(found, rows, strict=True):
        for ours, theirs in zip(line, expected[:width], strict=False):
            assert ours.removeprefix("'") == theirs or float(ours) == float(theirs)


def test_csv_is_exact_and_excel_is_inert(tertium: Command, tmp_path: Path) -> None:
    """Programs read CSV again, and types such as `=` are what they are; a spreadsheet gets no formula."""
    words = tmp_path / "words.en"
    words.write_text("=1+2 - @you\n")
    ask = ["types", "--ref", str(words), "--hyp", f"a={words}", "-m", "macrof(tokenize='none')"]
    rows = list(csv.reader(tertium(*ask, "-f", "csv").out.splitlines()))
    assert {row[1] for row in rows[1:]} == {"=1+2", "-", "@you"}
    assert tertium(*ask, "-o", str(tmp_path / "a.xlsx")).status == 0
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[1]
    assert {row[0] for row in list(sheet.values)[1:]} == {"'=1+2", "'-", "'@you"}
    assert {cell.data_type for row in sheet.rows for cell in row[:1]} == {"s"}


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
