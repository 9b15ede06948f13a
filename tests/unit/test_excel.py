"""Tables as Excel files, read again by openpyxl."""

import io
import math
from pathlib import Path
from typing import Any

import pytest

from tertium.core.errors import InputError, MissingPackageError
from tertium.core.table import Cell, Column, Table, chances, numbers, texts
from tertium.io import excel as excel_file
from tertium.io.excel import excel, sheet_names, write_excel

openpyxl = pytest.importorskip("openpyxl")


def opened(tables: list[Table], *about: str) -> Any:
    return openpyxl.load_workbook(io.BytesIO(excel(tables, about)))


def values(sheet: Any) -> list[list[Any]]:
    return [[cell.value for cell in row] for row in sheet.rows]


def test_numbers_are_numbers_at_full_precision_shown_rounded() -> None:
    table = Table(
        title="Scores",
        columns=[*texts("system"), *numbers("BLEU", decimals=1), *chances("p"), Column("n")],
        rows=[
            ["atlas", 52.797697260722664, 0.00012345, 96],
            ["brook", math.nan, None, 0],
            ["cinder", -math.inf, 1.0, 7],
        ],
    )
    sheet = opened([table])["1 Scores"]
    assert values(sheet) == [
        ["system", "BLEU", "p", "n"],
        ["atlas", 52.797697260722664, 0.00012345, 96],
        ["brook", None, None, 0],
        ["cinder", "'-inf", 1, 7],
    ]
    assert [cell.number_format for cell in sheet[2]] == ["General", "0.0", "0.000", "General"]
    assert sheet.freeze_panes == "A2"


def test_intervals_have_columns_of_their_own() -> None:
    table = Table(
        columns=[*texts("system"), *numbers("BLEU", "chrF")],
        rows=[
            ["a", Cell("52.8 [48.3, 57.0]", 52.81, ends=(48.3333333333, 56.98)), 1.5],
            ["b", Cell("–"), 2.5],
            ["c", Cell("3.0 [-1.5, 4.5]", 3.04), 3.5],  # only the text says where it ends
        ],
    )
    assert values(opened([table])["1 table"]) == [
        ["system", "BLEU", "BLEU low", "BLEU high", "chrF"],
        ["a", 52.81, 48.3333333333, 56.98, 1.5],
        ["b", None, None, None, 2.5],
        ["c", 3.04, -1.5, 4.5, 3.5],
    ]


HOSTILE = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "#N/A",
    "#DIV/0!",
    "{=1}",
    "<f>1</f>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_a_formula(text: str) -> None:
    table = Table(title=text, note=text, columns=texts(text, "two"), rows=[[text, Cell(text)], [Cell("x", text), None]])
    book = opened([table], text)
    cells = [cell for sheet in book for row in sheet.rows for cell in row if cell.value is not None]
    assert {cell.data_type for cell in cells} <= {"s", "n"}
    assert not [cell.value for cell in cells if isinstance(cell.value, str) and cell.value[0] in "=+-@\t\r"]
    shown = f"'{text}" if text[0] in "=+-@\t\r" else text
    assert book.worksheets[1]["A2"].value in (shown, shown.replace("\r", "\n"))  # XML has one kind of line break


def test_what_xml_and_excel_cannot_hold_is_replaced_or_cut() -> None:
    long = "x" * 40_000
    rows = [["a\x00b\x1fc\ud800"], [long], ["한국어 \U0001f600 עברית"]]
    found = values(opened([Table(columns=texts("t"), rows=rows)])["1 table"])
    assert found[1] == ["a\ufffdb\ufffdc\ufffd"]
    assert (len(found[2][0]), found[2][0][-2:]) == (32_767, "x…")
    assert found[3] == rows[2]


def test_names_of_sheets_are_legal_and_unique() -> None:
    titles = ["a", "A", "", "b[1]:*?/\\x", "'quoted'", "\x00", "history", "x" * 50, "many words that do not fit at all"]
    names = sheet_names([*titles, *titles])
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert 0 < len(name) <= 31
        assert not set(name) & set("[]:*?/\\'")
    assert names[8] == "9 many words that do not fit…"
    opened([Table(title=title, columns=texts("t"), rows=[]) for title in titles])


def test_the_contents_say_what_each_sheet_is() -> None:
    table = Table(title="Scores: all", note="by bootstrap", columns=texts("t"), rows=[["x"], ["y"]])
    assert values(opened([table], "Town notes: 96 segments")["Contents"]) == [
        ["Town notes: 96 segments", None, None, None],
        [None, None, None, None],
        ["sheet", "table", "rows", "note"],
        ["1 Scores all", "Scores: all", 2, "by bootstrap"],
    ]


def test_the_same_tables_are_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    table = Table(columns=texts("t"), rows=[["x"]])
    first = excel([table])
    monkeypatch.setattr(time, "time", lambda: 2e9)
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(2e9))
    assert excel([table]) == first


def test_too_many_rows_for_a_sheet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(excel_file, "MOST_ROWS", 3)
    few = Table(title="few", columns=texts("t"), rows=[["x"]] * 2)
    write_excel([few], tmp_path / "few.xlsx")
    many = Table(title="many", columns=texts("t"), rows=[["x"]] * 3)
    with pytest.raises(
        InputError, match=r"^many: 3 rows, but a sheet of Excel has at most 2 below its heads; take CSV"
    ):
        write_excel([many], tmp_path / "many.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["few.xlsx"]  # nothing half-written


def test_without_openpyxl_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(MissingPackageError) as caught:
        write_excel([], tmp_path / "a.xlsx")
    assert str(caught.value).endswith(
        'a.xlsx: Excel files need openpyxl; install it with: pip install "tertium[excel]"'
    )
