"""Tables as an Excel workbook (.xlsx): a sheet for each, behind a sheet of contents; and sheets as tables.

Numbers are numbers at full precision, shown rounded. A text never becomes a formula: its cell is of the kind text, and
what a spreadsheet would compute if it were copied elsewhere (= + - @, a tab) gets an apostrophe, as in CSV of pages.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from tertium.core.errors import InputError, MissingPackageError, TertiumError
from tertium.core.table import Cell, Column, Table, Value
from tertium.core.wording import ABSENT
from tertium.io.files import HARMLESS, RATIO, check_no_result, megabytes, write_atomically
from tertium.io.sheet_xml import merged_cells, unmerge
from tertium.io.tables import inert

MOST_ROWS = 1 << 20  # of a sheet
LONGEST = 32_767  # characters of a cell
LONGEST_NAME = 31  # of a sheet
WIDEST = 60  # characters of a column
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # what XML cannot say
INTERVAL = re.compile(r"\[(-?[\d.]+), (-?[\d.]+)\]")
CONTENTS = "Contents"
MOST_CELLS = 50_000_000  # of a sheet that is read, as far as they lie between others
EPOCH = "1980-01-01T00:00:00Z"  # in place of now: the same tables have the same bytes


def check_excel(what: str) -> None:
    """Refuse early where the package is missing; `what` begins the sentence."""
    try:
        import openpyxl  # noqa: F401
    except ImportError:
        raise MissingPackageError(
            f'{what}: Excel files need openpyxl; install it with: pip install "tertium[excel]"'
        ) from None


def write_excel(tables: Sequence[Table], path: str | Path, about: Sequence[str] = ()) -> None:
    """Write a workbook, whole or not at all; `about` are sentences above the contents."""
    check_excel(str(path))
    data = excel(tables, about)
    with write_atomically(path) as file:
        file.write(data)


def excel(tables: Sequence[Table], about: Sequence[str] = ()) -> bytes:
    """The bytes of a workbook."""
    from openpyxl import Workbook

    names = sheet_names([table.title for table in tables])
    for name, table in zip(names, tables, strict=True):
        if len(table.rows) >= MOST_ROWS:
            raise InputError(
                f"{table.title or name}: {len(table.rows)} rows, but a sheet of Excel has at most {MOST_ROWS - 1} "
                f"below its heads; take CSV (-f csv)"
            )
    book = Workbook(write_only=True)
    contents = Table(
        columns=[Column("sheet", "text"), Column("table", "text"), Column("rows"), Column("note", "text")],
        rows=[[name, t.title, len(t.rows), t.note] for name, t in zip(names, tables, strict=True)],
    )
    _fill(book.create_sheet(CONTENTS), contents, about)
    for name, table in zip(names, tables, strict=True):
        _fill(book.create_sheet(name), table)
    out = io.BytesIO()
    book.save(out)
    return _undated(out)


def sheet_names(titles: Sequence[str]) -> list[str]:
    """Names that Excel takes: numbered, so no two are alike; without the signs that it forbids, at most 31 letters."""
    names = []
    for k, title in enumerate(titles, 1):
        words = re.sub(r"[\[\]:*?/\\]", " ", UNWRITABLE.sub(" ", title)).replace("'", "’").split() or ["table"]
        name = f"{k} {' '.join(words)}"
        if len(name) > LONGEST_NAME:
            short = name[: LONGEST_NAME - 1]
            name = (short.rpartition(" ")[0] if short.count(" ") > 1 else short) + "…"
        names.append(name)
    return names


def _fill(sheet: Any, table: Table, above: Sequence[str] = ()) -> None:
    """Heads and rows below sentences; intervals get columns of their own."""
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    wide = [any(_ends(row[k]) is not None for row in table.rows) for k in range(len(table.columns))]
    heads: list[str] = []
    for column, spread in zip(table.columns, wide, strict=True):
        heads += [column.head, f"{column.head} low", f"{column.head} high"] if spread else [column.head]
    lines = [[part for column, value, spread in zip(table.columns, row, wide, strict=True)
              for part in _parts(column, value, spread)] for row in table.rows]  # fmt: skip
    for k, head in enumerate(heads):
        longest = max([len(head), *(len(str(line[k][0])) for line in lines[:1000] if isinstance(line[k][0], str))])
        sheet.column_dimensions[get_column_letter(k + 1)].width = min(max(longest, 10), WIDEST) + 2
    if not above:
        sheet.freeze_panes = "A2"
    for sentence in above:
        sheet.append([_cell(sheet, sentence, None)])
    if above:
        sheet.append([])
    row = [_cell(sheet, head, None) for head in heads]
    for cell in row:
        cell.font = Font(bold=True)
    sheet.append(row)
    for line in lines:
        sheet.append([_cell(sheet, value, form) for value, form in line])


def _parts(column: Column, given: Value | Cell, spread: bool) -> list[tuple[Value, str | None]]:
    """A value with how it is shown, and the ends of its interval if the column has intervals."""
    form = "0.000" if column.kind == "p" else f"0.{'0' * column.decimals}" if column.decimals else "0"
    if isinstance(given, Cell):
        value = given.value if given.value is not None else None if given.text == ABSENT else given.text
    else:
        value = given
    found: list[tuple[Value, str | None]] = [(value, form if isinstance(value, float) else None)]
    return found + [(end, form) for end in _ends(given) or (None, None)] if spread else found


def _ends(given: Value | Cell) -> tuple[float, float] | None:
    """The ends of the interval in a cell; those that its text shows where it has no others."""
    if not isinstance(given, Cell) or given.value is None or isinstance(given.value, str):
        return None
    if given.ends is not None:
        return given.ends
    shown = INTERVAL.search(given.text)
    return None if shown is None else (float(shown[1]), float(shown[2]))


def _cell(sheet: Any, value: Value, form: str | None) -> Any:
    from openpyxl.cell import WriteOnlyCell

    if isinstance(value, float) and math.isnan(value):
        value = None
    if isinstance(value, float) and math.isinf(value):
        value = repr(value)
    if isinstance(value, str):
        cell = WriteOnlyCell(sheet, value=harmless(value))
        cell.data_type = "s"  # whatever it looks like: a formula, an error of Excel, a date
        return cell
    cell = WriteOnlyCell(sheet, value=repr(float(value)) if isinstance(value, float) else value)
    if isinstance(value, float):
        cell.data_type = "n"  # openpyxl itself writes 16 digits of a float, which may need 17
        cell.number_format = form or "General"
    return cell


def harmless(text: str) -> str:
    """A text that no spreadsheet computes, as long as a cell may be."""
    text = inert(UNWRITABLE.sub("\ufffd", text))
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _undated(book: io.BytesIO) -> bytes:
    """The same workbook without the time at which it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(book) as made, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as kept:
        for name in made.namelist():
            data = made.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]{8}Z", EPOCH.encode(), data)
            info = zipfile.ZipInfo(name)  # dated 1980
            info.compress_type = zipfile.ZIP_DEFLATED
            kept.writestr(info, data)
    return out.getvalue()


# Reading


def read_sheet(path: str) -> tuple[list[str], list[list[str]]]:
    """The heads and rows of the first sheet, as texts; formulas by the values that were saved with them."""
    check_excel(path)
    with _opened(path) as data:
        return sheet_rows(data, path)


def sheet_rows(data: IO[bytes], path: str, most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """The same of a file that is open; `most` rows at most."""
    import openpyxl

    try:
        _check_xml(data, path)
        book = openpyxl.load_workbook(data, read_only=True, data_only=True, keep_links=False)
        try:
            sheet = book.worksheets[0]
            rows = sheet.iter_rows(values_only=True, max_row=None if most is None else most + 1)
            heads, *cells = _bounded(rows, path)
            if most is None:
                with zipfile.ZipFile(data) as archive:
                    unmerge(cells, merged_cells(archive, sheet._worksheet_path, path), path)
        finally:
            book.close()
    except TertiumError:
        raise
    except Exception as error:  # a file that is none can fail in zipfile, XML and openpyxl in many ways
        raise InputError(
            f"{path}: not an Excel file with a table on its first sheet ({type(error).__name__}); save it as .xlsx, "
            f"with the names of the columns in its first row"
        ) from None
    wide = max((k + 1 for k, head in enumerate(heads) if head), default=0)
    while cells and not any(cells[-1]):  # Excel keeps rows that were once formatted
        cells.pop()
    if len(cells) * wide > MOST_CELLS:  # which short rows are filled up to
        raise InputError(f"{path}: {len(cells)} rows of {wide} columns, more than {MOST_CELLS} cells; save it as .tsv")
    for k, row in enumerate(cells):
        if any(row[wide:]):
            raise InputError(f"{path}: row {k + 2} of the first sheet has more cells than the first row has names")
    return heads[:wide], [[*row[:wide], *[""] * (wide - len(row))] for row in cells]


def _bounded(rows: Iterator[tuple[Any, ...]], path: str) -> Iterator[list[str]]:
    """Rows as texts without what is empty at their ends; a single cell far to the right makes thousands of them."""
    cells = 0
    for row in rows:
        last = next((k for k in range(len(row), 0, -1) if row[k - 1] is not None), 0)
        cells += len(row)
        if cells > MOST_CELLS:
            raise InputError(
                f"{path}: more than {MOST_CELLS} cells, empty ones among them; delete the columns and rows behind the "
                f"table, or save it as .tsv"
            )
        yield [_text(value) for value in row[:last]]


def _check_xml(data: IO[bytes], path: str) -> None:
    """Refuse declarations of entities, which no spreadsheet has, and which can grow without end; and what unpacks to
    more than sheets do. Nothing in a zip gives more bytes than the zip says."""
    size = data.seek(0, io.SEEK_END)
    with zipfile.ZipFile(data) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > max(HARMLESS, RATIO * size):
            raise InputError(
                f"{path}: unpacks to {megabytes(unpacked)}, more than {RATIO} times its size, which no sheet of texts "
                f"does; save it anew"
            )
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                with archive.open(name) as file:
                    head = file.read(1 << 16)
                if b"<!DOCTYPE" in head or b"\0" in head:
                    raise ValueError("a document type")
    data.seek(0)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return str(int(value))
    return value if isinstance(value, str) else value.isoformat() if hasattr(value, "isoformat") else str(value)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    check_no_result(path)
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(
            f"{path}: {'no such file' if isinstance(error, FileNotFoundError) else error.strerror}"
        ) from None
