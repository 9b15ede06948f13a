"""FILE and FILE:COLUMN."""

import sys
from io import BytesIO, TextIOWrapper

import pytest

from tertium.core.lines import Lines
from tertium.io.texts import mark_missing, read_stream, read_texts, split_spec

SGM = '<tstset><doc docid="d" sysid="{}"><seg id="1"> a &amp; b </seg></doc></tstset>\n'


def texts(spec, missing=None):
    return [list(stream) for stream in read_texts(spec, missing)]


def test_plain_text(write):
    assert texts(write("a.en", "\ufeffone\u2028\x0b\x85\r\n\r\n three")) == [["one\u2028\x0b\x85", "", " three"]]
    assert texts(write("empty.en", "")) == [[]]


def test_missing_lines(write):
    path = write("a.en", "\\N\nx\n\\Nx\n\nN\n")
    assert texts(path, "\\N") == [[None, "x", "\\Nx", "", "N"]]
    assert texts(path, "") == [["\\N", "x", "\\Nx", None, "N"]]
    assert texts(path, "nowhere") == texts(path)
    assert texts(path, "\udcff") == texts(path)
    assert texts(write("a.jsonl", '{"x": null}\n{"x": "-"}\n'), "-") == [[None, None]]


def test_marking_keeps_what_is_missing():
    assert list(mark_missing(Lines.of([None, "-", "a"]), "-")) == [None, None, "a"]


def test_columns(write):
    path = write("a.tsv", "source\tref\na\tb\n")
    assert texts(f"{path}:ref") == [["b"]]
    assert texts(write("one.tsv", "x\na\n")) == [["a"]]
    assert texts(write("a.jsonl", '{"refs": ["a", "b"], "s": "c"}\n') + ":refs") == [["a"], ["b"]]


def test_a_file_of_the_whole_name_comes_first(write):
    write("a.tsv", "x\ny\n")
    write("a.tsv:x", "plain\n")
    assert texts("a.tsv:x") == [["plain"]]
    assert split_spec("a.tsv:x:y") == ("a.tsv:x", "y")
    assert split_spec("a.tsv:z:y") == ("a.tsv", "z:y")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("a.tsv", "a.tsv has 2 columns: source, ref; choose one, for example a.tsv:source"),
        ("a.tsv:sorce", "a.tsv has no column 'sorce'; did you mean 'source'? columns: source, ref"),
        ("a.tsv:zzz", "a.tsv has no column 'zzz'; columns: source, ref"),
        ("a.tsv:", "a.tsv has no column ''; columns: source, ref"),
        ("a.en:x", "a.en:x: a.en is plain text and has no columns; write a.en"),
        ("b.tsv:x", "b.tsv: no such file"),
        ("b.en:x", "b.en:x: no such file"),
        ("b.en", "b.en: no such file"),
        ("x" * 5000 + ":y", "x" * 5000 + ":y: cannot be read (File name too long)"),
        ("none.jsonl", "none.jsonl has no columns; is it the right file?"),
        ("none.jsonl:x", "none.jsonl has no column 'x'; columns: none"),
        ("more.sgm", "more.sgm has 2 columns: one, two; choose one, for example more.sgm:one"),
        ("other.xml", "other.xml:1: the root is <tei>; expected <dataset>, the XML of a WMT test set"),
        (".", ". is a folder; name a file in it"),
    ],
)
def test_refusals(write, refusal, spec, message):
    write("a.tsv", "source\tref\na\tb\n")
    write("a.en", "a\n")
    write("none.jsonl", "{}\n")
    write("more.sgm", SGM.format("one") + SGM.format("two"))
    write("other.xml", "<tei></tei>")
    assert refusal(read_texts, spec) == message


def test_a_stream_is_one_text_per_segment(write, refusal):
    path = write("a.jsonl", '{"x": ["a", "b"]}\n')
    assert refusal(read_stream, path) == "a.jsonl: lists of up to 2 texts; expected one text per segment"
    assert list(read_stream(write("a.en", "a\n"))) == ["a"]


def test_wmt_files(write):
    assert texts(write("one.sgm", SGM.format("x"))) == [["a & b"]]
    write("two.sgml", SGM.format("x") + SGM.format("y"))
    assert texts("two.sgml:y") == [["a & b"]]
    write("a.xml", '<dataset><doc id="d"><src><seg id="1">q</seg></src><hyp system="z"/></doc></dataset>')
    assert texts("a.xml:src") == [["q"]]
    assert texts("a.xml:hyp.z") == [[None]]


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"a\nb\n")))
    assert texts("-") == [["a", "b"]]
