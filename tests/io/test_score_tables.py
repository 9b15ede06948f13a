"""Tables of scores: texts and numbers by column, and refusals that name file, line and column."""

import gzip
import io
import math
import sys

import pytest

from tertium.io.columns import read_columns
from tertium.io.score_tables import read_table

TSV = "System\tHuman\tBLEU\na\t0.5\t31.4\nb\t\t2e1\nc\t-1\tNA\n"


def numbers(path, name):
    return [None if math.isnan(value) else value for value in read_table(path).numbers(name)]


@pytest.mark.parametrize("path", ["a.tsv", "a.txt", "a.tsv.gz", "a.csv", "table"])
def test_numbers_and_missing_cells(write, path):
    text = TSV.replace("\t", ",") if path.endswith(".csv") else TSV
    write(path, gzip.compress(text.encode()) if path.endswith(".gz") else text)
    assert read_table(path).texts("System") == ["a", "b", "c"]
    assert numbers(path, "Human") == [0.5, None, -1]
    assert numbers(path, "BLEU") == [31.4, 20, None]


def test_json_lines(write):
    write("a.jsonl", '{"system": "a", "bleu": 31.4}\n{"system": "b", "bleu": null}\n')
    assert numbers("a.jsonl", "bleu") == [31.4, None]
    assert read_table("a.jsonl").places() == ["a.jsonl:1", "a.jsonl:2"]


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\n1\t2\t\n3\t\t\n",  # rows only
        "a\tb\t\n1\t2\t\n3\t\t\n",  # header and rows
    ],
)
@pytest.mark.parametrize(("path", "separator"), [("a.tsv", "\t"), ("a.csv", ",")])
def test_a_separator_at_the_end_of_every_row(write, text, path, separator):
    write(path, text.replace("\t", separator))
    assert read_table(path).names == ("a", "b")
    assert numbers(path, "a") == [1, 3]
    assert numbers(path, "b") == [2, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n1\t2\t\n3\t4\n", "a.tsv:2: 3 fields, but the header has 2 fields"),
        ("a\tb\n1\t2\t\n3\t4\t5\n", "a.tsv:2: 3 fields, but the header has 2 fields"),
        ("a\tb\t\n1\t2\t\n3\t4\t5\n", "a.tsv:1: column 3 has no name"),
    ],
)
def test_a_separator_too_many(write, refusal, text, message):
    write("a.tsv", text)
    assert refusal(read_columns, "a.tsv").startswith(message)
    write("a.csv", text.replace("\t", ","))
    assert refusal(read_columns, "a.csv").startswith(message.replace(".tsv", ".csv"))


@pytest.mark.parametrize(
    ("cell", "way_out"),
    [
        ("31,4", "write a point and no thousands separators"),
        ("1,234.5", "write a point and no thousands separators"),
        ("good", "leave a cell that is not known empty"),
        ("1_000", "leave a cell that is not known empty"),
        ("inf", "leave a cell that is not known empty"),
        ("٣", "leave a cell that is not known empty"),
    ],
)
def test_what_is_not_a_number(write, refusal, cell, way_out):
    write("a.tsv", f"system\tBLEU\na\t1\nb\t{cell}\n")
    assert (
        refusal(read_table("a.tsv").numbers, "BLEU") == f"a.tsv:3:2: BLEU is {cell!r}, which is not a number; {way_out}"
    )


def test_lines_of_csv_with_line_breaks_in_cells(write, refusal):
    write("a.csv", 'system,BLEU\n"a\nb",1\nc,x\n')
    assert refusal(read_table("a.csv").numbers, "BLEU").startswith("a.csv:4:2: BLEU is 'x'")


def test_several_files_are_one_table(write, refusal):
    write("a.tsv", "system\tHuman\tBLEU\nx\t1\t2\n")
    write("b.csv", "BLEU,system,Human,extra\n4,y,3,0\n")
    table = read_table(["a.tsv", "b.csv"])
    assert table.names == ("system", "Human", "BLEU")
    assert table.texts("system") == ["x", "y"]
    assert table.numbers("BLEU").tolist() == [2, 4]
    assert table.places() == ["a.tsv:2", "b.csv:2"]
    assert refusal(table.column, "extra") == "a.tsv:1: no column 'extra'; columns: system, Human, BLEU"


def test_names_of_columns(write, refusal):
    write("a.tsv", "Year\tBLEU\tbleu\tHuman\n1\t2\t3\t4\n")
    table = read_table("a.tsv")
    assert table.column("year") == "Year"
    assert table.column("bleu") == "bleu"
    assert refusal(table.column, "Bleu") == (
        "a.tsv:1: no column 'Bleu'; did you mean 'bleu'? columns: Year, BLEU, bleu, Human"
    )


def test_columns_that_are_meant_as_numbers(write):
    write("a.tsv", "name\tall\tmost\tfew\tnone\na\t1\t1\t1\t\nb\t2\t2,5\tx\t\nc\t-\tx\ty\t\n")
    table = read_table("a.tsv")
    assert [name for name in table.names if table.is_numeric(name)] == ["all", "most"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a.tsv: empty; expected a header line with the names of the columns"),
        ("a\tb\n", "a.tsv: a header and no rows; expected one row per system"),
        ("a\ta\n1\t2\n", "a.tsv:1: 2 columns are called 'a'; rename them"),
    ],
)
def test_files_that_are_no_tables(write, refusal, content, message):
    write("a.tsv", content)
    assert refusal(read_table, "a.tsv") == message


def test_other_refusals(write, refusal):
    assert refusal(read_table, "nowhere.tsv") == "nowhere.tsv: no such file"
    assert refusal(read_table, []) == "no table: name a file"
    assert refusal(read_table, "a.bin").startswith("a.bin: not a table; expected a name that ends in .tsv, .csv")
    write("lists.jsonl", '{"a": [1, 2]}\n')
    assert refusal(read_table("lists.jsonl").texts, "a") == (
        "lists.jsonl: column 'a' has lists of values; expected one value in each row"
    )


@pytest.mark.parametrize("text", [TSV, TSV.replace("\t", ",")])
def test_standard_input(monkeypatch, refusal, text):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    table = read_table("-")
    assert table.texts("System") == ["a", "b", "c"]
    assert refusal(table.numbers, "System").startswith("standard input:2:1: System is 'a', which is not a number")
