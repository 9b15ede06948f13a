"""Lists of candidates: formats, how they are told apart, and what is wrong with them."""

import gzip
import io
import json
import math
import sys
from pathlib import Path

import pytest

from tertium.core.errors import TertiumError
from tertium.io.nbest import NBest, read_nbest


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(name: str, text: str | bytes, form: str | None = None, size: int | None = None) -> list[NBest]:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_nbest(name, form, size))


def test_tsv() -> None:
    assert read("a.tsv", "s1\tone\t0.5\ns1\tone more\t1e-3\ns2\t\t2\n") == [
        NBest("s1", ["one", "one more"], [0.5, 0.001], "a.tsv:1"),
        NBest("s2", [""], [2.0], "a.tsv:3"),
    ]
    assert read("b.tsv", "7\ta\r\n7\tb\r\n8\tc") == [
        NBest("7", ["a", "b"], None, "b.tsv:1"),
        NBest("8", ["c"], None, "b.tsv:3"),
    ]


def test_tsv_with_a_header() -> None:
    text = "Count\tSegment\tnote\tcandidate\n3\tx\t-\tone\n1\tx\t-\ttwo\n"
    assert read("a.tsv", text) == [NBest("x", ["one", "two"], [3.0, 1.0], "a.tsv:2")]
    assert read("b.tsv", "id\ttext\n1\tone\n") == [NBest("1", ["one"], None, "b.tsv:2")]


def test_what_we_write_can_be_read() -> None:
    text = "segment\trank\tindex\tutility\tcandidate\n1\t1\t0\t-3.5\tone\n1\t2\t1\t-4\ttwo\n"
    assert read("a.tsv", text) == [NBest("1", ["one", "two"], None, "a.tsv:2")]


def test_jsonl() -> None:
    lines = [
        ["one", "two"],
        {"id": 7, "candidates": ["a"], "weights": [0.25], "source": "q"},
        {"candidates": [{"text": "a", "weight": 2}, {"candidate": "b\nc", "count": 1}]},
        [{"text": "é"}],
    ]
    assert read("a.jsonl", "".join(json.dumps(line) + "\n" for line in lines) + "\n \n") == [
        NBest(None, ["one", "two"], None, "a.jsonl:1"),
        NBest("7", ["a"], [0.25], "a.jsonl:2", "q"),
        NBest(None, ["a", "b\nc"], [2.0, 1.0], "a.jsonl:3"),
        NBest(None, ["é"], None, "a.jsonl:4"),
    ]


def test_moses() -> None:
    text = "0 ||| das Haus ||| L= -3 T= -1 ||| -4.5\n0 ||| ein Haus  ||| L= -4 ||| -5 ||| 0-0\n1 ||| ja ||| x= 1 ||| -1"
    assert read("best.100", text) == [
        NBest("0", ["das Haus", "ein Haus"], [-4.5, -5.0], "best.100:1", None, True),
        NBest("1", ["ja"], [-1.0], "best.100:3", None, True),
    ]
    assert read("short", "0 ||| a ||| -2e-1\n") == [NBest("0", ["a"], [-0.2], "short:1", None, True)]
    assert read("none", "0 ||| a ||| F= 2\n1 ||| b\n")[1] == NBest("1", ["b"], None, "none:2", None, True)


def test_lines() -> None:
    assert read("plain", "a\nb\n\nd\n", size=2) == [
        NBest(None, ["a", "b"], None, "plain:1"),
        NBest(None, ["", "d"], None, "plain:3"),
    ]


def test_compressed_and_byte_order_mark() -> None:
    assert read("a.tsv.gz", gzip.compress(b"\xef\xbb\xbf1\ta\n1\tb\n")) == [NBest("1", ["a", "b"], None, "a.tsv.gz:1")]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, expected in [
        ('["a", "b"]\n', NBest(None, ["a", "b"], None, "standard input:1")),
        ("0 ||| a\n", NBest("0", ["a"], None, "standard input:1", None, True)),
    ]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
        assert list(read_nbest("-")) == [expected]


def test_only_what_is_asked_for_is_read() -> None:
    Path("a.tsv").write_bytes(b"1\ta\n2\tb\n3\t\xff\n")
    lists = read_nbest("a.tsv")
    assert next(lists).texts == ["a"]  # known to be over when segment 2 begins
    with pytest.raises(TertiumError, match=r"^a\.tsv:3: byte 0xff is not UTF-8; convert the file first"):
        next(lists)


def test_minus_infinity_is_a_weight() -> None:
    assert read("a.tsv", "1\ta\t-inf\n")[0].weights == [-math.inf]


@pytest.mark.parametrize(
    ("name", "text", "form", "size", "message"),
    [
        ("a", "", None, None, "a: empty; expected candidates"),
        ("a", "x y\n", None, None, "a: not known how its candidates are listed; name it .tsv or .jsonl, say "
         "--input-format, or say how many lines each segment has (-n N)"),
        ("a", "x\n", "lines", None, "a: plain lines need the number of candidates of each segment (-n N)"),
        ("a.tsv", "1\ta\n", None, 2, "a.tsv: -n 2 is for plain lines; tsv says itself where a segment ends"),
        ("a", "x\ny\nz\n", None, 2, "a: 3 lines are no multiple of -n 2; the last segment has 1"),
        ("a.tsv", "1\n", None, None, "a.tsv:1: 1 field; expected segment, candidate and perhaps weight, with tabs "
         "between them, or a header line that names them"),
        ("a.tsv", "1\ta\n1\tb\tc\n", None, None, "a.tsv:2: 3 fields, but line 1 has 2 fields; is there a tab too many "
         "or too few?"),
        ("a.tsv", "1\ta\t1\n1\tb\tmany\n", None, None, "a.tsv:2: the weight 'many' is not a number"),
        ("a.tsv", "1\ta\n2\tb\n1\tc\n", None, None, "a.tsv:3: segment 1 again, which began on line 1; put the "
         "candidates of a segment together (sort by segment)"),
        ("a.jsonl", "[]\n", None, None, 'a.jsonl:1: no candidates; expected ["...", "..."] or {"candidates": ["...", '
         '"..."]}'),
        ("a.jsonl", '["a"]\n\n["b"]\n', None, None, "a.jsonl:2: a blank line; expected a list of candidates on every "
         "line"),
        ("a.jsonl", '["a", null]\n', None, None, "a.jsonl:1: null is not a text; expected a string"),
        ("a.jsonl", '[{"weight": 1}]\n', None, None, "a.jsonl:1: null is not a text; expected a string"),
        ("a.jsonl", '["\\ud800"]\n', None, None, "a.jsonl:1: a text holds half a character (a lone surrogate); write "
         "it whole"),
        ("a.jsonl", '{"candidates": ["a"], "weights": [1, 2]}\n', None, None, "a.jsonl:1: 'weights' must be a list of "
         "1 numbers, one for each candidate"),
        ("a.jsonl", '[{"text": "a", "weight": 1}, "b"]\n', None, None, "a.jsonl:1: the weight None is not a number"),
        ("a.jsonl", '{"candidates": ["a"], "weights": [true]}\n', None, None, "a.jsonl:1: the weight True is not "
         "a number"),
        ("a", "0 ||| a\nb\n", None, None, "a:2: no '|||'; expected: id ||| text ||| features ||| score"),
        ("a", "0 ||| a ||| x ||| y\n", None, None, "a:1: the weight 'y' is not a number"),
    ],
)  # fmt: skip
def test_mistakes(name: str, text: str, form: str | None, size: int | None, message: str) -> None:
    with pytest.raises(TertiumError) as error:
        read(name, text, form, size)
    assert str(error.value) == message


def test_json_that_is_none() -> None:
    with pytest.raises(
        TertiumError, match=r"^a\.jsonl:1: not JSON \(.*\); expected a list of candidates on every line$"
    ):
        read("a.jsonl", '["a"\n')


def test_files_that_cannot_be_read() -> None:
    for name, message in [("none.tsv", r"none\.tsv: no such file"), (".", r"\. is a folder; name a file in it")]:
        with pytest.raises(TertiumError, match=rf"^{message}$"):
            list(read_nbest(name))
    with pytest.raises(TertiumError, match=r"^a\.tsv\.gz:1: cannot be read \("):
        read("a.tsv.gz", b"not gzip")
    with pytest.raises(TertiumError, match=r"^b\.tsv\.gz:\d+: cannot be read \("):
        read("b.tsv.gz", gzip.compress(b"1\ta\n" * 1000)[:-9])
    with pytest.raises(TertiumError, match=r"cannot be read \("):
        list(read_nbest("a\0b"))
