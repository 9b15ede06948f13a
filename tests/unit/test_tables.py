"""Tables: what is marked, what printers write, and how text fits a terminal."""

import csv
import io
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.table import Cell, Column, Table, chances, numbers, texts
from tertium.io import tables

SCORES = [*texts("system"), Column("BLEU", decimals=1, better="higher"), Column("TER ↓", decimals=1, better="lower")]


def best(rows: list[list[Any]]) -> list[list[bool]]:
    return [[cell.strong for cell in row[1:]] for row in Table(columns=SCORES, rows=rows).cells()]


def test_the_best_of_a_column_is_marked_and_so_are_all_that_share_it() -> None:
    assert best([["a", 30.0, 50.0], ["b", 31.0, 40.0], ["c", 31.0, 60.0]]) == [
        [False, False], [True, True], [True, False],
    ]  # fmt: skip
    assert best([["a", 30.0, math.nan], ["b", Cell("31 [30, 32]", 31.0), None]]) == [[False, False], [True, False]]


def test_nothing_is_best_alone() -> None:
    assert best([["a", 30.0, 50.0]]) == [[False, False]]
    assert best([["a", 30.0, 50.0], ["b", None, math.nan]]) == [[False, False], [False, False]]


def test_every_printer_marks_the_best_in_its_way() -> None:
    table = Table(columns=SCORES, rows=[["a|_", 30.04, 50.0], ["b", 31.0, None]], title="T", note="N")
    assert tables.text([table]) == (
        "T\n\nsystem   BLEU  TER ↓\na|_      30.0   50.0\nb       •31.0      –\n\nN\n• the best of its column"
    )
    assert tables.markdown([table]) == (
        "| system | BLEU | TER ↓ |\n| :-- | --: | --: |\n| a\\|_ | 30.0 | 50.0 |\n| b | **31.0** | – |\n\nN"
    )
    assert tables.latex(table).splitlines()[2:-2] == [
        r"system & BLEU & TER $\downarrow$ \\", r"\midrule", r"a|\_ & 30.0 & 50.0 \\", r"b & \textbf{31.0} & -- \\",
    ]  # fmt: skip


def test_programs_get_every_digit_and_no_nan() -> None:
    rows = [["a\tb", Cell("0.1 *", 0.1 + 0.2), math.nan], ['x"\n', None, math.inf]]
    table = Table(columns=[*texts("t"), *numbers("n"), *chances("p")], rows=rows).with_columns(seed=7)
    assert list(csv.reader(io.StringIO(tables.csv(table)))) == [
        ["t", "n", "p", "seed"], ["a\tb", "0.30000000000000004", "", "7"], ['x"\n', "", "inf", "7"],
    ]  # fmt: skip
    assert tables.tsv(table).splitlines() == [
        "t\tn\tp\tseed", "a\\tb\t0.30000000000000004\t\t7", 'x"\\n\t\tinf\t7',
    ]  # fmt: skip
    assert tables.objects(table) == [
        {"t": "a\tb", "n": 0.1 + 0.2, "p": None, "seed": 7},
        {"t": 'x"\n', "n": None, "p": None, "seed": 7},
    ]


def test_marks_hang_behind_numbers() -> None:
    table = Table(columns=[*texts("k"), *numbers("v")], rows=[["a", Cell("1.00 **")], ["b", 12.0]])
    assert tables.text([table]) == "k         v\na   1.00 **\nb  12.00"


# A terminal that is too narrow


WIDE = Table(
    columns=[*texts("system"), *numbers("score"), *numbers("won", "lost", spare=2), *numbers("effect", spare=3)],
    rows=[["atlas", 52.8, 5, 89, 0.25], ["brook", 26.2, 9, 84, 0.5]],
)


def test_columns_are_left_out_the_most_expendable_first_and_together() -> None:
    assert tables.text([WIDE], room=80) == tables.text([WIDE])
    assert tables.text([WIDE], room=28).splitlines() == [
        "system  score  won  lost", "atlas   52.80    5    89", "brook   26.20    9    84", "",
        "left out to fit 28 columns:", "effect (-f csv has all)",
    ]  # fmt: skip
    assert tables.text([WIDE], room=20).splitlines()[0] == "system  score"
    assert "won, lost, effect" in tables.text([WIDE], room=20).replace("\n", " ")


def test_what_may_not_be_left_out_stands_in_another_part() -> None:
    table = Table(columns=[*texts("year"), *numbers("BLEU", "chrF", "TER")], rows=[["2025", 1.0, 2.0, 3.0]])
    assert tables.text([table], room=16) == "year  BLEU  chrF\n2025  1.00  2.00\n\nyear   TER\n2025  3.00"


def test_heads_and_texts_are_broken_into_lines() -> None:
    rows = [["atlas", "brook, cinder, delta, elm", 1.0]]
    table = Table(columns=[*texts("system"), *texts("better than", spare=1), *numbers("mean of all")], rows=rows)
    assert tables.text([table], room=34).splitlines() == [
        "                           mean of", "system  better than            all",
        "atlas   brook, cinder,        1.00", "        delta, elm",
    ]  # fmt: skip


@given(
    st.lists(st.text(st.characters(categories=["L", "Nd", "P"]), max_size=40), min_size=2, max_size=12),
    st.integers(1, 3),
    st.sampled_from([60, 80]),
)
def test_no_line_is_longer_than_the_terminal(words: list[str], named: int, room: int) -> None:
    heads, names = words[:-1] or ["x"], words[-1]
    columns = [*texts(*heads[:named]), *numbers(*heads[named:])]
    row = [names] * len(heads[:named]) + [12345.678] * len(heads[named:])
    table = Table(columns=columns, rows=[row], title=" ".join(words), note=" ".join(words))
    assert max(map(len, tables.text([table], room=room).splitlines()), default=0) <= room


@pytest.mark.parametrize("room", [None, 40])
def test_what_is_shown_is_all_there(room: int | None) -> None:
    table = Table(columns=[*texts("name"), *numbers(*"abcdefghij")], rows=[["x", *map(float, range(10))]])
    assert {f"{k}.00" for k in range(10)} <= set(tables.text([table], room=room).split())
