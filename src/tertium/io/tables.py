"""Tables as text, Markdown, LaTeX, CSV, TSV and rows of JSON. Nothing heavy is imported, as every command prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from tertium.core.table import Cell, Column, Table, Value
from tertium.core.wording import ABSENT

WIDEST = 80  # of sentences, where nothing says how wide a line may be
NARROWEST = 16  # texts are broken into lines of this length before a table is taken apart,
SHORTEST = 6  # and of this one if it takes that
GAP = 2  # blanks between columns
BEST = "•"
MARKS = " *!◆"  # of significance, contradiction and the like, behind numbers
COMPUTED = ("=", "+", "-", "@", "\t", "\r", "\n")  # where a spreadsheet begins to compute
ESCAPED = str.maketrans({"\t": r"\t", "\n": r"\n", "\r": r"\r"})
LATEX = str.maketrans({"_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
                       "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}",
                       "↓": r"$\downarrow$", "↑": r"$\uparrow$", ABSENT: "--"})  # fmt: skip


# For people


def text(tables: Sequence[Table], decimals: int | None = None, room: int | None = None, whole: str = "-f csv") -> str:
    """One below the other, each under its title, in lines of at most `room` characters if there is such a limit;
    `whole` is the option that leaves nothing out."""
    parts = []
    for table in tables:
        parts.append(wrapped(table.title, room))
        grids, omitted, marked = _grids(table, decimals, room)
        parts += grids
        said = [*table.note.split("\n"), *([f"{BEST} the best of its column"] if marked else [])]
        if omitted:
            said.append(f"left out to fit {room} columns: {', '.join(omitted)} ({whole} has all)")
        parts.append(wrapped("\n".join(line for line in said if line), room))
    return "\n\n".join(part for part in parts if part)


def wrapped(text: str, room: int | None = None) -> str:
    """Sentences in lines that fit a screen."""
    width = min(room or WIDEST, WIDEST)
    if max(map(len, text.split("\n"))) <= width:
        return text
    import textwrap

    return "\n".join(
        textwrap.fill(part, width, break_long_words=False, break_on_hyphens=False) for part in text.split("\n")
    )


def _grids(table: Table, decimals: int | None, room: int | None) -> tuple[list[str], list[str], bool]:
    """The table, in as many parts as it takes to fit; the heads of columns left out; whether something is marked."""
    cells = table.cells(decimals)
    grid = _Grid(table.columns, [[(BEST if cell.strong else "") + cell.text for cell in row] for row in cells])
    kept, omitted = grid.kept(room)
    shown = [grid.aligned(part) for part in grid.parts(kept, room)]
    return shown, omitted, any(row[k].strong for row in cells for k in kept)


class _Grid:
    """Texts in rows, and how wide each column is: where room is short, heads and texts are broken into lines."""

    def __init__(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        self.columns, self.rows = columns, [list(row) for row in rows]
        self.hang()
        self.bodies = [max((len(row[k]) for row in self.rows), default=0) for k in range(len(columns))]
        self.widths = [max(len(column.head), body) for column, body in zip(columns, self.bodies, strict=True)]

    def hang(self) -> None:
        """Marks behind numbers hang to the right, so that numbers stand below each other."""
        for k in range(len(self.columns)):
            tails = [] if self.is_text(k) else [len(row[k]) - len(row[k].rstrip(MARKS)) for row in self.rows]
            for row, tail in zip(self.rows, tails, strict=False):
                row[k] += " " * (max(tails) - tail)

    def is_text(self, k: int) -> bool:
        """Whether a column stands to the left."""
        return self.columns[k].kind in ("text", "code")

    def length(self, chosen: Sequence[int]) -> int:
        """Of lines with these columns."""
        return sum(self.widths[k] + GAP for k in chosen) - GAP

    def kept(self, room: int | None) -> tuple[list[int], list[str]]:
        """The columns that stay, and the heads of those that are spared because broken lines do not save enough."""
        kept, whole = list(range(len(self.columns))), list(self.widths)
        while room is not None and not self.narrow(kept, room, self.floor):
            self.widths = list(whole)
            worst = max(self.columns[k].spare for k in kept)
            if worst < 2:
                break
            kept = [k for k in kept if self.columns[k].spare < worst]
        return kept, [column.head for k, column in enumerate(self.columns) if k not in kept]

    def parts(self, kept: list[int], room: int | None) -> list[list[int]]:
        """Columns that stand side by side: all of them, or those by which rows are known beside some of the others."""
        if room is None or self.length(kept) <= room:
            return [kept]
        names = [k for k in kept if self.columns[k].spare == 0] or kept[:1]
        others = [k for k in kept if k not in names]
        self.narrow(names, room // 2, self.floor)
        for k in others or names[:1]:  # each must fit beside the names
            self.narrow(list(dict.fromkeys([*names, k])), room, self.least)
        parts: list[list[int]] = [[]]
        for k in others:
            if parts[-1] and self.length([*names, *parts[-1], k]) > room:
                parts.append([])
            parts[-1].append(k)
        return [[*names, *part] for part in parts]

    def floor(self, k: int) -> int:
        """How narrow a column gets before others are left out: no word of a head is broken, and no short text."""
        words = max(map(len, self.columns[k].head.split()), default=0)
        return max(words, min(self.bodies[k], NARROWEST) if self.is_text(k) else self.bodies[k])

    def least(self, k: int) -> int:
        """How narrow it gets if it takes that."""
        return SHORTEST if self.is_text(k) else max(1, self.bodies[k])

    def narrow(self, chosen: Sequence[int], room: int, floor: Callable[[int], int]) -> bool:
        """Take from the widest columns; whether all fits then."""
        while self.length(chosen) > room:
            wide = [k for k in chosen if self.widths[k] > floor(k)]
            if not wide:
                return False
            self.widths[max(wide, key=lambda k: self.widths[k])] -= 1
        return True

    def aligned(self, part: Sequence[int]) -> str:
        """Columns aligned by blanks, texts to the left, numbers to the right, heads just above them."""
        heads = [_broken(self.columns[k].head, self.widths[k]) for k in part]
        tall = max(map(len, heads))
        blocks = [[[""] * (tall - len(head)) + head for head in heads]]
        blocks += [[_broken(row[k], self.widths[k]) for k in part] for row in self.rows]
        lines = []
        for block in blocks:
            for line in zip_longest(*block, fillvalue=""):
                cells = [
                    cell.ljust(self.widths[k]) if self.is_text(k) else cell.rjust(self.widths[k])
                    for k, cell in zip(part, line, strict=True)
                ]
                lines.append((" " * GAP).join(cells).rstrip())
        return "\n".join(lines)


def _broken(cell: str, width: int) -> list[str]:
    """A cell in lines of this length."""
    if len(cell) <= width:
        return [cell]
    import textwrap

    return textwrap.wrap(cell, width, break_on_hyphens=False)


def markdown(tables: Sequence[Table], decimals: int | None = None) -> str:
    """One below the other, as GitHub reads them; titles only where there are several. The best is bold."""
    found = [_markdown(table, decimals) + (f"\n\n{table.note}" if table.note else "") for table in tables]
    if len(found) == 1:
        return found[0]
    return "\n\n".join(f"**{table.title}**\n\n{shown}" for table, shown in zip(tables, found, strict=True))


def _markdown(table: Table, decimals: int | None) -> str:
    def shown(cell: Cell) -> str:
        escaped = cell.text.replace("|", r"\|")
        return f"**{escaped}**" if cell.strong else escaped

    rule = [":--" if column.kind in ("text", "code") else "--:" for column in table.columns]
    lines = [table.heads, rule, *[[shown(cell) for cell in row] for row in table.cells(decimals)]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(table: Table, decimals: int | None = None) -> str:
    """A booktabs table; the best is bold."""

    def shown(cell: Cell) -> str:
        escaped = cell.text.translate(LATEX)
        return rf"\textbf{{{escaped}}}" if cell.strong else escaped

    columns = "".join("l" if column.kind in ("text", "code") else "r" for column in table.columns)
    head, *rows = [[head.translate(LATEX) for head in table.heads], *([*map(shown, r)] for r in table.cells(decimals))]
    lines = [rf"{' & '.join(row)} \\" for row in rows]
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\toprule", rf"{' & '.join(head)} \\", r"\midrule", *lines, r"\bottomrule", end])


# For programs


def csv(table: Table) -> str:
    """Numbers at full precision, nothing where there is none; texts as they are, `=` and `-` among them, because
    programs read them again. Tables that people open in a spreadsheet make their texts `inert` first."""
    import csv as writing
    import io

    out = io.StringIO()
    writer = writing.writer(out, lineterminator="\n")
    writer.writerows([table.heads, *[[exact(value) for value in row] for row in table.values()]])
    return out.getvalue().rstrip("\n")


def tsv(table: Table) -> str:
    """Numbers at full precision, nothing where there is none; tabs and line breaks in texts as `\\t`, `\\n`, `\\r`."""
    lines = [table.heads, *[[exact(value).translate(ESCAPED) for value in row] for row in table.values()]]
    return "\n".join("\t".join(line) for line in lines)


def exact(value: Value) -> str:
    """A value for programs to read."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else repr(value)


def inert(text: str) -> str:
    """A text that spreadsheets do not take for a formula: an apostrophe before what would begin one."""
    return f"'{text}" if text.startswith(COMPUTED) else text


def objects(table: Table) -> list[dict[str, Any]]:
    """An object of JSON, which knows no NaN, for each row."""
    return [
        {head: None if isinstance(value, float) and not math.isfinite(value) else value
         for head, value in zip(table.heads, row, strict=True)}
        for row in table.values()
    ]  # fmt: skip
