"""Tables in every format: what is read, and what is refused in which words."""

import bz2
import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import MissingPackageError
from tertium.io.columns import extension, is_table, open_table, read_columns

FIELD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"))


def address(lines):
    return np.frombuffer(lines.buffer, dtype=np.uint8).ctypes.data


def texts(path):
    return {name: [list(stream) for stream in streams] for name, streams in read_columns(path).items()}


def test_tsv_has_no_quoting(write):
    path = write("a.tsv", 'source\tref\n"Ja\t"no" \u2028 "\n\tb\n')
    assert texts(path) == {"source": [['"Ja', ""]], "ref": [['"no" \u2028 "', "b"]]}


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_tsv_line_ends_and_byte_order_mark(write, ending, mark, last):
    path = write("a.tsv", mark + ending.join(["x\ty", "1\t2", "3\t4"]) + (ending if last else ""))
    assert texts(path) == {"x": [["1", "3"]], "y": [["2", "4"]]}


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_tables(write, suffix, pack):
    assert texts(write("a.tsv" + suffix, pack(b"x\ty\n1\t2\n"))) == {"x": [["1"]], "y": [["2"]]}
    assert texts(write("a.jsonl" + suffix, pack(b'{"x": "1"}\n'))) == {"x": [["1"]]}
    assert texts(write("a.csv" + suffix, pack(b"x\n1\n"))) == {"x": [["1"]]}


def test_tsv_with_only_a_header(write):
    assert texts(write("a.tsv", "x\ty\n")) == {"x": [[]], "y": [[]]}


def test_tsv_of_one_column_keeps_empty_lines(write):
    assert texts(write("a.tsv", "x\n\na\n\n")) == {"x": [["", "a", ""]]}


def test_tsv_columns_share_the_bytes_of_the_file(write):
    columns = read_columns(write("a.tsv", "x\ty\n1\t2\n"))
    assert address(columns["x"][0]) == address(columns["y"][0])


@given(st.lists(st.tuples(FIELD, FIELD, FIELD), max_size=8))
def test_tsv_gives_back_any_text(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("tsv") / "a.tsv"
    path.write_text("a\tb\tc\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="")
    got = texts(path)
    assert list(zip(*(got[name][0] for name in "abc"), strict=True)) == rows


def test_tabs_are_found_over_the_borders_of_scans(write, monkeypatch):
    monkeypatch.setattr("tertium.io.columns.SCAN", 3)
    assert texts(write("a.tsv", "x\ty\naaaa\tb\nc\tdddd\n")) == {"x": [["aaaa", "c"]], "y": [["b", "dddd"]]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", "", "a.tsv: empty; expected a header line with the names of the columns"),
        ("a.csv", "", "a.csv: empty; expected a header line with the names of the columns"),
        ("a.jsonl", "", "a.jsonl: empty; expected one JSON object per line"),
        ("a.jsonl", "\n \n", "a.jsonl: empty; expected one JSON object per line"),
        (
            "a.tsv",
            "x\ty\n1\t2\n1\t2\t3\n",
            "a.tsv:3: 3 fields, but the header has 2 fields; is there a separator too many or too few?",
        ),
        (
            "a.tsv",
            "x\ty\n1\t2\n\n",
            "a.tsv:3: 1 field, but the header has 2 fields; is there a separator too many or too few?",
        ),
        (
            "a.csv",
            'x,y\n"1\n1",2\n1\n',
            "a.csv:4: 1 field, but the header has 2 fields; is there a separator too many or too few?",
        ),
        (
            "a.csv",
            "x,y\n1,2\n\n",
            "a.csv:3: 0 fields, but the header has 2 fields; is there a separator too many or too few?",
        ),
        (
            "a.csv",
            'x,y\n1,2\n3,"open\n',
            "a.csv:3: not valid CSV (unexpected end of data); is a quote left open, or not doubled inside quotes?",
        ),
        (
            "a.csv",
            f"x,y\n1,2\n3,{200_000 * 'a'}\n",
            "a.csv:3: a field of more than 131072 characters, which is as many as CSV may have here; "
            "if no quote was left open before it, pass the table as .tsv or .jsonl",
        ),
        ("a.tsv", "x\t\n1\t2\n", "a.tsv:1: column 2 has no name; write a header line with names"),
        ("a.tsv", "x\ty\tx\n", "a.tsv:1: 2 columns are called 'x'; rename them"),
        (
            "a.jsonl",
            '{"x": 1}\n\n{"x": 2}\n',
            "a.jsonl:2: a blank line; expected one JSON object per line, {} where there is nothing",
        ),
        ("a.jsonl", "[1]\n", 'a.jsonl:1: a list; expected a JSON object such as {"source": "..."}'),
        ("a.jsonl", "null\n", 'a.jsonl:1: null; expected a JSON object such as {"source": "..."}'),
        ("a.jsonl", '"x"\n', 'a.jsonl:1: a single value; expected a JSON object such as {"source": "..."}'),
        (
            "a.jsonl",
            '{"x": 1}\n{"x": {"y": 1}}\n',
            "a.jsonl:2: 'x' holds an object; expected a text, a number, a list of texts, or null",
        ),
        (
            "a.jsonl",
            '{"x": [["a"]]}\n',
            "a.jsonl:1: 'x' holds a list; expected a text, a number, a list of texts, or null",
        ),
        (
            "a.jsonl",
            '{"x": "a"}\n{"x": "\u00e4\\ud83d"}\n',
            "a.jsonl:2: 'x' holds the lone surrogate \\ud83d at character 1, which is not text; "
            "write the whole character",
        ),
        (
            "a.jsonl",
            '{"x": 1\n',
            "a.jsonl:1: not JSON (Expecting ',' delimiter: line 1 column 8 (char 7)); expected one object per line",
        ),
        (
            "a.txt",
            "x\n",
            "a.txt: not a table; expected a name that ends in .tsv, .csv, .jsonl, .ndjson, .xlsx, .parquet, .arrow, "
            ".feather, .xml, .sgm, .sgml, .xlf, .xliff, .sdlxliff, .mqxliff, .mxliff, .tmx, .po, .pot "
            "(or the same with .gz)",
        ),
    ],
)
def test_refusals(write, refusal, name, content, message):
    assert refusal(read_columns, write(name, content)) == message


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.sgm"])
def test_bytes_that_are_not_utf8(write, refusal, name):
    message = refusal(read_columns, write(name, b"x\n\xe4\n"))
    assert message == (
        f"{name}:2: byte 0xe4 at offset 2 is not UTF-8; "
        "convert the file first, for example with: iconv -f latin1 -t utf-8"
    )


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.jsonl", "a.parquet", "a.arrow", "a.xml", "a.sgm"])
def test_no_such_file(refusal, name):
    assert refusal(read_columns, name) == f"{name}: no such file"


def test_deep_json_is_refused(write, refusal):
    message = refusal(read_columns, write("a.jsonl", '{"x": ' + "[" * 100_000 + "\n"))
    assert message.startswith("a.jsonl:1: not JSON (")


def test_csv(write):
    path = write("a.csv", '\ufeffx,y\r\n"a ""b"", c",2\r\n"two\nlines",\u2028\r\n')
    assert texts(path) == {"x": [['a "b", c', "two\nlines"]], "y": [["2", "\u2028"]]}


def test_csv_with_semicolons(write):
    """As spreadsheets write it in countries where the comma is the decimal mark."""
    table = open_table(write("a.csv", 'a;b\n1,5;"x;y"\n'))
    assert (table.names, list(table.read("a")[0]), list(table.read("b")[0])) == (("a", "b"), ["1,5"], ["x;y"])
    table = open_table(write("b.csv", "a;b,c\n1;2,3\n"))
    assert (table.names, list(table.read("a;b")[0])) == (("a;b", "c"), ["1;2"])


def test_csv_of_one_column_keeps_empty_lines(write):
    assert texts(write("a.csv", "x\n\na\n")) == {"x": [["", "a"]]}


def test_jsonl(write):
    rows = [
        '\ufeff{"s": "a\u2028", "n": 1.50, "r": ["x", "y"]}',
        '{"s": null, "r": "z", "b": true}',
        '{"r": [null, 7], "n": NaN}\r',
        '{"r": [], "s": "\\ud83d\\ude00"}',
        "",
    ]
    assert texts(write("a.ndjson", "\n".join(rows) + "\n\n")) == {
        "s": [["a\u2028", None, None, "\U0001f600"]],
        "n": [["1.50", None, "NaN", None]],
        "r": [["x", "z", None, None], ["y", None, "7", None]],
        "b": [[None, "true", None, None]],
    }


def test_a_column_that_is_not_asked_for_is_not_judged(write):
    table = open_table(write("a.jsonl", '{"meta": {"k": 1}, "x": "a"}\n'))
    assert table.names == ("meta", "x")
    assert list(table.read("x")[0]) == ["a"]


TABLE = {
    "s": pa.array(["a\u2028", None, ""]),
    "large": pa.array(["a", "b", None], pa.large_string()),
    "view": pa.array(["a", None, "c"], pa.string_view()),
    "words": pa.array(["a", "b", "a"]).dictionary_encode(),
    "n": pa.array([1, 2, None]),
    "none": pa.nulls(3),
    "refs": pa.array([["x", "y"], None, [None]], pa.list_(pa.string())),
    "two": pa.array([["x", "y"], ["z", None], ["v", "w"]], pa.list_(pa.string(), 2)),
}
EXPECTED = {
    "s": [["a\u2028", None, ""]],
    "large": [["a", "b", None]],
    "view": [["a", None, "c"]],
    "words": [["a", "b", "a"]],
    "n": [["1", "2", None]],
    "none": [[None, None, None]],
    "refs": [["x", None, None], ["y", None, None]],
    "two": [["x", "z", "v"], ["y", None, "w"]],
}


def write_ipc(table, path, maker):
    with maker(path, table.schema) as file:
        file.write_table(table)


@pytest.mark.parametrize("name", ["a.parquet", "groups.parquet", "a.feather", "file.arrow", "stream.arrow"])
def test_parquet_and_arrow(name):
    table = pa.table(TABLE)
    if name == "a.parquet":
        pyarrow.parquet.write_table(table, name)
    elif name == "groups.parquet":
        pyarrow.parquet.write_table(table, name, row_group_size=2)
    elif name == "a.feather":
        pyarrow.feather.write_feather(table, name)
    else:
        write_ipc(table, name, pa.ipc.new_file if name == "file.arrow" else pa.ipc.new_stream)
    assert texts(name) == EXPECTED


def test_several_chunks_become_one():
    table = pa.concat_tables([pa.table(TABLE), pa.table(TABLE)])
    write_ipc(table, "a.arrow", pa.ipc.new_file)
    assert texts("a.arrow") == {name: [stream * 2 for stream in streams] for name, streams in EXPECTED.items()}


def test_an_empty_parquet_file():
    pyarrow.parquet.write_table(pa.table({"x": pa.array([], pa.string())}), "a.parquet")
    assert texts("a.parquet") == {"x": [[]]}


def test_arrow_texts_are_not_copied(monkeypatch):
    write_ipc(pa.table({"x": ["abc" * 100], "r": [["a", "b"]]}), "a.arrow", pa.ipc.new_file)
    data = Path("a.arrow").read_bytes()
    monkeypatch.setattr("tertium.io.arrow.read_bytes", lambda _: data)
    first = pa.py_buffer(data).address
    for streams in read_columns("a.arrow").values():
        for lines in streams:
            assert first < address(lines) < first + len(data)


def test_damaged_parquet_and_arrow(write, refusal):
    assert refusal(read_columns, write("a.parquet", b"PAR1 nothing PAR1")).startswith("a.parquet: not a Parquet file (")
    assert refusal(read_columns, write("a.parquet", b"")).startswith("a.parquet: not a Parquet file (")
    for content in (b"", b"ARROW1", b"ARROW1\0\0 nothing ARROW1", b"nothing of the kind"):
        message = refusal(read_columns, write("a.arrow", content))
        assert message.startswith("a.arrow: not an Arrow or Feather (version 2) file (")


def test_arrow_damaged_inside(refusal):
    write_ipc(pa.table({"x": [["abc", "def"]]}), "a.arrow", pa.ipc.new_file)
    content = Path("a.arrow").read_bytes()
    offsets = np.array([0, 3, 6], dtype=np.int32).tobytes()
    assert content.count(offsets) == 1
    wrong = np.array([0, 1 << 30, 6], dtype=np.int32).tobytes()
    Path("a.arrow").write_bytes(content.replace(offsets, wrong))
    assert refusal(read_columns, "a.arrow").startswith("a.arrow: column 'x' cannot be read as text (")


def test_parquet_damaged_inside(refusal):
    pyarrow.parquet.write_table(
        pa.table({"x": ["a" * 50 + str(k) for k in range(1000)]}), "a.parquet", use_dictionary=False
    )
    content = bytearray(Path("a.parquet").read_bytes())
    content[100:200] = bytes(100)
    Path("a.parquet").write_bytes(content)
    assert refusal(read_columns, "a.parquet").startswith("a.parquet: column 'x' cannot be read as text (")


def test_nested_parquet_is_refused(refusal):
    pyarrow.parquet.write_table(pa.table({"x": [{"y": 1}], "z": ["a"]}), "a.parquet")
    assert refusal(read_columns, "a.parquet") == (
        "a.parquet: column 'x' holds struct<y: int64>; expected texts, numbers, or lists of texts"
    )
    assert list(open_table("a.parquet").read("z")[0]) == ["a"]


def test_binary_that_is_not_text_is_refused(refusal):
    pyarrow.parquet.write_table(pa.table({"x": pa.array([b"\xff"], pa.binary())}), "a.parquet")
    assert refusal(read_columns, "a.parquet").startswith("a.parquet: column 'x' cannot be read as text (")


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_without_pyarrow(monkeypatch, refusal, name):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackageError):
        read_columns(name)
    assert refusal(read_columns, name) == (
        f'{name}: Parquet and Arrow files need pyarrow; install it with: pip install "tertium[arrow]"'
    )


def test_extensions():
    assert extension("Data.TSV.gz") == ".tsv"
    assert extension("a.en") == ".en"
    assert extension("README") == ""
    assert is_table("x.jsonl.xz")
    assert not is_table("x.gz")


def test_plain_text_imports_nothing_heavy(write):
    write("a.en", "a\n")
    program = (
        "import sys, numpy; from tertium.io.texts import read_texts; read_texts('a.en');"
        "print([name for name in ('pyarrow', 'csv', 'xml', 'tomllib', 'zipfile', 'difflib', 'gzip', 'scipy')"
        " if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
