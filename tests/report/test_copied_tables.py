"""What tables copy: LaTeX that compiles and shows the same cells, Markdown and CSV that are read back."""

import csv
import io
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tertium.core.table import Cell, Column, Table, numbers, texts
from tertium.report.page import Page, Section

pytestmark = pytest.mark.slow
Read = Callable[..., Any]
Copied = list[dict[str, Any]]
CLIPBOARD = "navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }"
CELLS = """(table) => [...table.querySelector("table").rows].map((row) => [...row.cells].map((cell) => (
  { text: (cell.querySelector("code") ?? cell).textContent.trim(), value: cell.dataset.value })))"""

NAMES = [
    "a|b `c` <script>alert(1)</script>",
    "\\input{x} _ $ % & # ~ ^ {}",
    "[x] *star* --- ,, '' \"quoted\", comma",
    "*",
    "=1+1",
    "-3",
    "Größe «1» “two” Žižek 3 € naïve…",
    "[link](address) ~~gone~~ &amp;",
]
OTHERS = ["Ελλάδα и Москва", "مجموعة 1", "מערכת"]


def page(names: list[str]) -> Page:
    scored: list[list[Any]] = [
        [name, Cell(f"{k}.5 [-0.{k}, {k + 1}.2] **", k + 0.512345678), -1.25 * k, Cell("2-4", 2), Cell("3/8", 8)]
        for k, name in enumerate(names, 1)
    ]
    scored.append(["absent", None, float("nan"), Cell("1", 1), Cell("–")])
    columns = [*texts("system"), *numbers("BLEU_x ↓", "p ≤ 0.05", "ranks", "pairs")]
    codes = [*texts("[metric]"), Column("signature", "code")]
    coded: list[list[Any]] = [[name, Cell(f"bleu|n:{k}|{name}")] for k, name in enumerate(names)]
    tables = [
        Table(title="Scores", columns=columns, rows=scored),
        Table(title="Signatures", columns=codes, rows=coded),
    ]
    return Page(title="Tables", sections=[Section(id="tables", title="Tables", tables=tables)])


def copied(reader: Any) -> Copied:
    reader.page.evaluate(CLIPBOARD)
    found = []
    for table in reader.page.locator("div.table").all():
        if table.locator("script.rows").count():  # rows that come when they are asked for
            table.locator(".all").click()
            reader.until(f"!document.querySelector('#{table.get_attribute('id')} script.rows')")
        item = {"id": table.get_attribute("id"), "cells": table.evaluate(CELLS)}
        for form in ("latex", "markdown", "csv"):
            table.locator(f"[data-copy={form}]").click()
            item[form] = reader.page.evaluate("window.copied")
        found.append(item)
    assert found
    return found


@pytest.fixture
def odd(read: Read, tmp_path: Path) -> Copied:
    page(NAMES).save(tmp_path / "odd.html")
    return copied(read(tmp_path / "odd.html"))


def seen(text: str) -> str:
    """What a reader of a PDF sees, whatever the program calls it that reads it out."""
    text = unicodedata.normalize("NFKC", text)
    same = {"\u2212": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "”": '"', "“": '"', "⋄": "◆", "\u02dc": "~"}
    return re.sub(r"\s+", "", "".join(same.get(char, char) for char in text))


def document(table: str, more: str = "") -> str:
    """The smallest document with the packages that the copied text says it needs."""
    packages = re.findall(r"^%.*?(\\usepackage(?:\[[^]]*\])?\{[^}]*\})", table, re.MULTILINE)
    wide = r"\usepackage[paperwidth=200cm,paperheight=100cm,margin=1cm]{geometry}\pagestyle{empty}"
    return "\n".join([r"\documentclass{article}", *packages, more, wide, r"\begin{document}", table, r"\end{document}"])


def compiled(text: str, folder: Path, program: str = "pdflatex") -> str:
    """The PDF's text."""
    folder.mkdir(parents=True)
    (folder / "table.tex").write_text(text, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "table.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    errors = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("!")]
    assert (done.returncode, errors) == (0, []), text
    words = subprocess.run(["pdftotext", "-layout", "table.pdf", "-"], cwd=folder, capture_output=True, check=True)
    return seen(words.stdout.decode())


def needed(*programs: str, files: tuple[str, ...] = ()) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: LaTeX cannot be tried (texlive-latex-base, poppler-utils)")
    for name in files:
        if subprocess.run(["kpsewhich", name], capture_output=True, check=False).returncode:
            pytest.skip(f"LaTeX has no {name} here: this table cannot be tried (texlive-luatex, lmodern)")


def test_latex_of_odd_names(odd: Copied, tmp_path: Path) -> None:
    needed("pdflatex", "pdftotext", files=("booktabs.sty", "lmodern.sty"))
    for item in odd:
        assert "% \\usepackage[T1]{fontenc}" in item["latex"].splitlines()
        # outlines, whose letters can be read out of the PDF
        text = compiled(document(item["latex"], r"\usepackage{lmodern}"), tmp_path / item["id"])
        assert [cell["text"] for row in item["cells"] for cell in row if seen(cell["text"]) not in text] == []


def test_latex_of_a_report(read: Read, example_file: Path, tmp_path: Path) -> None:
    needed("pdflatex", "pdftotext", files=("booktabs.sty", "lmodern.sty"))
    for item in copied(read(example_file)):
        more = r"\usepackage{lmodern}" if "fontenc" in item["latex"] else ""
        text = compiled(document(item["latex"], more), tmp_path / item["id"])
        cells = [seen(cell["text"]) for row in item["cells"] for cell in row]
        assert [cell for cell in cells if cell.replace("_", "") not in text.replace("_", "")] == []  # _ may be a rule


def test_latex_of_letters_that_need_a_font(read: Read, tmp_path: Path) -> None:
    needed("lualatex", files=("fontspec.sty", "lmroman10-regular.otf"))
    page(OTHERS).save(tmp_path / "others.html")
    for item in copied(read(tmp_path / "others.html")):
        assert "LuaLaTeX" in item["latex"]
        assert "% \\usepackage[english,bidi=basic]{babel}" in item["latex"].splitlines()
        assert "5[-0.1,2.2]**" in compiled(document(item["latex"]), tmp_path / item["id"], "lualatex") or (
            "signature" in item["latex"]
        )


def test_latex_asks_for_no_more_than_it_needs(read: Read, tmp_path: Path) -> None:
    page(["plain"]).save(tmp_path / "plain.html")
    table = copied(read(tmp_path / "plain.html"))[1]["latex"]
    assert table.splitlines()[:2] == ["% \\usepackage{booktabs}", "\\begin{tabular}{ll}"]


def test_markdown_is_read_back(odd: Copied) -> None:
    reader = MarkdownIt("commonmark").enable("table")
    for item in odd:
        rows: list[list[str]] = []
        for token in reader.parse(item["markdown"]):
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                assert {part.type for part in token.children or ()} <= {"text", "text_special"}
                rows[-1].append("".join(part.content for part in token.children or ()))
        assert rows == [[" ".join(cell["text"].split()) for cell in row] for row in item["cells"]]


def test_csv_is_read_back(odd: Copied) -> None:
    """Values in full, what cells say besides in columns of its own, an apostrophe before a formula."""
    rows = list(csv.DictReader(io.StringIO(odd[0]["csv"])))
    assert [row["system"] for row in rows] == [
        *(f"'{name}" if name[0] in "=-" else name for name in NAMES),
        "absent",
    ]
    assert [row["BLEU_x ↓"] for row in rows] == [str(k + 0.512345678) for k in range(1, 9)] + [""]
    assert [rows[1][f"BLEU_x ↓ {name}"] for name in ("low", "high", "stars")] == ["-0.2", "3.2", "**"]
    assert [(row["ranks"], row["ranks last"]) for row in rows] == [("2", "4")] * 8 + [("1", "1")]
    assert [(row["pairs"], row["pairs agreeing"]) for row in rows] == [("8", "3")] * 8 + [("", "")]
    assert [row["p ≤ 0.05"] for row in rows[:2]] == ["-1.25", "-2.5"]
    signatures = [row["signature"] for row in csv.DictReader(io.StringIO(odd[1]["csv"]))]
    assert signatures == [f"bleu|n:{k}|{name}" for k, name in enumerate(NAMES)]
