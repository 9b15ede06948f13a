"""What commands write: results whole or not at all, notes beside them, and nothing is lost in silence."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tertium.core.errors import OptionError

if TYPE_CHECKING:
    from tertium.core.table import Table

FAILED = 1  # exit status of a gate that does not let through


class Output(io.FileIO):
    """A file that remembers the first error of writing to it; what comes after the error is dropped."""

    def __init__(self, handle: int) -> None:
        super().__init__(handle, "wb", closefd=False)
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, or fail once: the interpreter flushes again at its end, when nobody can be told any more."""
        if self.error is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.error = error
                raise
        return memoryview(data).nbytes


def open_output() -> Output | None:
    """Put such a file behind `sys.stdout`; None where standard output has been replaced by somebody else.

    Without a buffer (`python -u`) Python itself loses what a full disk does not take, so there is always one.
    """
    old: Any = sys.stdout
    own = old is sys.__stdout__
    if old is None:  # closed: writing has to fail, and not to go into a file that happened to get its number
        output, encoding, by_lines = Output(os.open(os.devnull, os.O_RDONLY)), "utf-8", False
    elif not own:
        return None
    else:
        old.flush()
        output, encoding, by_lines = Output(old.fileno()), old.encoding, old.line_buffering
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), encoding, line_buffering=by_lines)
    return output


class Sheets(NamedTuple):
    """Tables for the sheets of an Excel file, and sentences above the list of them."""

    tables: Sequence[Table]
    about: Sequence[str] = ()


def write(text: str | Sheets, output: str | None) -> None:
    """To the screen, or whole or not at all to a file."""
    if isinstance(text, Sheets):
        from tertium.io.excel import write_excel

        write_excel(text.tables, str(output), text.about)
        return
    if output is None or output == "-":
        click.echo(text)
        return
    from tertium.io.files import write_atomically

    with write_atomically(output) as file:
        file.write(text.encode(errors="backslashreplace") + b"\n")  # a file name need not be UTF-8


def form_of(form: str, output: str | None) -> str:
    """The format that is asked for: `-o NAME.xlsx` is a workbook, which can be nothing but a file."""
    named = output is not None and output.lower().endswith(".xlsx")
    if named and form not in ("text", "xlsx"):
        raise OptionError(f"-o {output} is an Excel file, and -f {form} is not; leave one of them out")
    if form == "xlsx" and (output is None or output == "-"):
        raise OptionError("-f xlsx writes a file; name it: -o NAME.xlsx")
    if not named and form != "xlsx":
        return form
    from tertium.io.excel import check_excel

    check_excel(str(output))
    return "xlsx"


def write_notes(notes: Iterable[str]) -> None:
    """What readers of the result should know, beside it and not in it."""
    for note in notes:
        click.echo(f"tertium: note: {note}", err=True)


def stop_at(reasons: Iterable[str]) -> None:
    """Say what a gate does not let through, and end there; where there is nothing to say, go on."""
    stopped = False
    for reason in reasons:
        click.echo(f"tertium: {reason}", err=True)
        stopped = True
    if stopped:
        sys.exit(FAILED)
