r"""Lines: split on \n only, missing is not empty, slices share the buffer, errors say where."""

import mmap
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.system import System
from tertium.core.testset import References, TestSet

TEXTS = st.lists(st.none() | st.text(max_size=12), max_size=6)


# From bytes


def naive_split(data: bytes) -> list[str]:
    """The definition, by Python's own means."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix(b"\r").decode() for line in lines]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\nb", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\n\r\n", ["a\rb", ""]),
        (b"a\r\r\n", ["a\r"]),
        (b"\xef\xbb\xbfa\nb", ["a", "b"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"a\n\xef\xbb\xbfb", ["a", "\ufeffb"]),
        (b"a\x00b\n\x00", ["a\x00b", "\x00"]),
        ("a\u2028b\x85c\x0bd\x0ce\u2029f\x1cg".encode(), ["a\u2028b\x85c\x0bd\x0ce\u2029f\x1cg"]),
        (b"a\r", ["a"]),
    ],
)
def test_split(data: bytes, lines: list[str]) -> None:
    assert list(Lines.from_bytes(data)) == lines == naive_split(data)


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["a", "\n", "\r", "\r\n", "é", "\u2028", "\x00", "\ufeff", " "])).map("".join))
def test_split_equals_naive(text: str) -> None:
    assert list(Lines.from_bytes(text.encode())) == naive_split(text.encode())


def test_from_a_memory_map(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("eins\nzwei\r\n\ndrei ü".encode())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    lines = Lines.from_bytes(mapped)
    assert list(lines) == ["eins", "zwei", "", "drei ü"]
    assert lines[3] == "drei ü"
    assert list(lines[1:3]) == ["zwei", ""]
    assert lines == Lines.of(["eins", "zwei", "", "drei ü"])


INVALID = [
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xe2\x82",
    b"\x80",
    b"\xc3(",
    b"\xf5\x80\x80\x80",
]


@pytest.mark.parametrize("wrong", INVALID)
@pytest.mark.parametrize("before", [b"", b"a" * 15 + b"\n", b"a" * 40 + b"\nb\n", "é\n".encode() * 9])
def test_bytes_that_are_not_utf8(wrong: bytes, before: bytes) -> None:
    """The line and the offset of the first wrong byte, which is where Python's decoder stops too."""
    data = before + wrong + b"\nrest"
    with pytest.raises(UnicodeDecodeError) as caught:
        data.decode()
    line = before.count(b"\n") + 1
    said = f"^file.txt:{line}: byte 0x{wrong[0]:02x} at offset {caught.value.start} is not UTF-8; .*iconv"
    with pytest.raises(InputError, match=said):
        Lines.from_bytes(data, "file.txt")


def python_s_verdict(data: bytes) -> int:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


@settings(max_examples=300)
@given(st.binary(max_size=40) | st.lists(st.sampled_from([*INVALID, b"a", "é€😀".encode()])).map(b"".join))
def test_utf8_is_judged_as_python_does(data: bytes) -> None:
    assert _kernel.first_invalid_utf8(data) == python_s_verdict(data)


def test_utf8_of_random_bytes() -> None:
    rng = random.Random("bytes")
    good = "aé€😀\u07ff\u0800\uffff\U00010000\U0010ffff" * 5
    for _ in range(3000):
        data = bytearray("".join(rng.choices(good, k=rng.randint(0, 30))).encode())
        if data and rng.random() < 0.7:
            data[rng.randrange(len(data))] = rng.randrange(256)
        assert _kernel.first_invalid_utf8(bytes(data)) == python_s_verdict(bytes(data))


# From strings


@settings(max_examples=150)
@given(TEXTS)
def test_of_strings_gives_them_back(texts: list[str | None]) -> None:
    lines = Lines.of(texts)
    assert list(lines) == texts
    assert len(lines) == len(texts)
    assert [lines[k] for k in range(-len(texts), 0)] == texts
    assert lines.present.tolist() == [text is not None for text in texts]
    assert lines.lengths().tolist() == [-1 if text is None else len(text.encode()) for text in texts]
    assert lines.text() == b"".join(text.encode() for text in texts if text is not None)
    assert lines.complete == (None not in texts)
    assert (lines.missing is None) == lines.complete
    assert Lines.of(lines) is lines
    assert Lines.of(iter(texts)) == lines
    assert repr(lines) == f"Lines({len(texts)} line{'s' * (len(texts) != 1)})"


@settings(max_examples=100)
@given(TEXTS, st.integers(-7, 7) | st.none(), st.integers(-7, 7) | st.none(), st.sampled_from([None, 1, 2, -1, -2]))
def test_slices(texts: list[str | None], start: int | None, stop: int | None, step: int | None) -> None:
    here = slice(start, stop, step)
    part = Lines.of(texts)[here]
    assert list(part) == texts[here]
    assert part == Lines.of(texts[here])
    assert list(part[::-1]) == texts[here][::-1]


@given(st.lists(st.none() | st.text(), min_size=1), st.data())
def test_lines_by_number(texts: list[str | None], data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    lines = Lines.of(texts)
    taken = lines.take(np.array(numbers, dtype=np.int64))
    assert list(taken) == [texts[k] for k in numbers]
    references = References((lines,), len(lines)).take(np.array(numbers, dtype=np.int64))
    assert list(references) == [() if texts[k] is None else (texts[k],) for k in numbers]


def test_index_errors() -> None:
    lines = Lines.of(["a", None])
    for index in (2, -3, 100):
        with pytest.raises(IndexError):
            lines[index]
    assert lines[np.int64(0)] == "a"
    assert "a" in lines
    assert lines.index("a") == 0


@settings(max_examples=100)
@given(TEXTS, TEXTS)
def test_equality_is_of_what_the_lines_say(a: list[str | None], b: list[str | None]) -> None:
    assert (Lines.of(a) == Lines.of(b)) == (a == b)
    if a == b:
        assert hash(Lines.of(a)) == hash(Lines.of(b))
    assert Lines.of(a) != a


def test_digest_tells_bounds_and_missing_apart() -> None:
    different = [
        ["ab", "c"],
        ["a", "bc"],
        ["abc"],
        ["abc", ""],
        ["", "abc"],
        ["abc", None],
        [None, "abc"],
        [],
        [""],
        [None],
    ]
    assert len({Lines.of(texts).digest() for texts in different}) == len(different)
    spread = Lines.from_bytes(b"ab\r\nc\n")
    assert spread.digest() == Lines.of(["ab", "c"]).digest()


def test_digest_of_many_lines() -> None:
    """More than are hashed at a time; how they are kept does not matter."""
    texts = [f"line {k}" for k in range(70_000)]
    whole = Lines.from_bytes("\n".join(texts).encode())
    assert whole.digest() == Lines.of(texts).digest()
    texts[69_999] = "line"
    assert whole.digest() != Lines.of(texts).digest()


@settings(max_examples=50)
@given(TEXTS)
def test_pickle(texts: list[str | None]) -> None:
    lines = Lines.of(texts)
    assert pickle.loads(pickle.dumps(lines)) == lines
    assert list(pickle.loads(pickle.dumps(lines[1:]))) == texts[1:]


def test_withheld_texts_keep_their_digest() -> None:
    lines = Lines.of(["a", "b"])
    left_out = Lines.withhold(2, lines.digest())
    assert left_out == lines
    assert list(left_out) == [None, None]
    assert pickle.loads(pickle.dumps(left_out)) == lines


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ("a text", "outputs: a single string; pass a list of strings, one per segment"),
        (["a", 5], r"outputs\[1\] is int 5; expected a string, or None where it is missing"),
        (["a", b"b"], r"outputs\[1\] is bytes b'b'; expected a string"),
        ([["a"]], r"outputs\[0\] is list \['a'\]; expected a string"),
        (
            ["a", "b\udc80"],
            r"outputs\[1\]: character 1 is the lone surrogate U\+DC80, which is not text; read the file",
        ),
        (["\ud800"], r"outputs\[0\]: character 0 is the lone surrogate U\+D800"),
        ([None, "ab\udfff"], r"outputs\[1\]: character 2 is the lone surrogate U\+DFFF"),
    ],
)
def test_what_is_not_text_is_refused(texts: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        Lines.of(texts, "outputs")


def test_missing_values_of_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    expected = ["a", None, ""]
    assert list(Lines.of(["a", float("nan"), ""])) == expected
    assert list(Lines.of(["a", pandas.NA, ""])) == expected
    for dtype in ("object", "string", "str"):
        assert list(Lines.of(pandas.Series(expected, dtype=dtype))) == expected, dtype
    assert list(Lines.of(polars.Series(expected))) == expected
    assert list(Lines.of(np.array(["a", "b"]))) == ["a", "b"]


def test_a_table_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="outputs: a table with the columns mt, ref; pass one of its columns"):
        Lines.of(pandas.DataFrame({"mt": ["a"], "ref": ["b"]}), "outputs")


def test_a_subclass_of_str_is_text() -> None:
    class Name(str):
        __slots__ = ()

    assert list(Lines.of([Name("é"), "b"])) == ["é", "b"]


# From Arrow


def test_arrow_arrays() -> None:
    arrow = pytest.importorskip("pyarrow")
    texts = ["a", None, "", "über\x00", None, "z"]
    for kind in (arrow.string(), arrow.large_string()):
        array = arrow.array(texts, kind)
        assert list(Lines.of(array)) == texts
        for first in range(7):
            for size in range(7 - first):
                assert list(Lines.of(array.slice(first, size))) == texts[first : first + size]
        chunked = arrow.chunked_array([array, array.slice(2, 3), arrow.array([], kind)])
        assert list(Lines.of(chunked)) == texts + texts[2:5]
        assert list(Lines.of(arrow.chunked_array([], kind))) == []
    assert list(Lines.of(arrow.array(["x", "y"]))) == ["x", "y"]


def test_arrow_text_is_not_copied() -> None:
    arrow = pytest.importorskip("pyarrow")
    array = arrow.array(["some text", "more"])
    lines = Lines.of(array)
    assert np.frombuffer(lines.buffer, dtype=np.uint8).ctypes.data == array.buffers()[2].address
    del array
    assert list(lines) == ["some text", "more"]


def test_arrow_bytes_that_are_not_utf8() -> None:
    arrow = pytest.importorskip("pyarrow")
    offsets = arrow.py_buffer(np.array([0, 1, 3], dtype=np.int32))
    array = arrow.StringArray.from_buffers(2, offsets, arrow.py_buffer(b"a\xff\xff"))
    with pytest.raises(InputError, match=r"outputs\[1\]: the Arrow array holds bytes that are not UTF-8"):
        Lines.of(array, "outputs")
    half = arrow.StringArray.from_buffers(2, offsets, arrow.py_buffer("éa".encode()))
    with pytest.raises(InputError, match=r"texts\[0\]: .*not UTF-8"):  # the whole is valid, its halves are not
        Lines.of(half)


def test_other_arrow_types_are_refused() -> None:
    arrow = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match=r"outputs\[0\] is Int64Scalar"):
        Lines.of(arrow.array([1, 2]), "outputs")


# In test sets


def test_references_stand_inside_their_segments() -> None:
    references = References((Lines.of(["a", None, "c"]), Lines.of(["x", "y", None])), 3)
    assert list(references) == [("a", "x"), ("y",), ("c",)]
    assert references.counts.tolist() == [2, 1, 1]
    assert references.fewest_and_most == (1, 2)
    assert list(references[1:]) == [("y",), ("c",)]
    assert len(references[::2]) == 2
    assert References((), 2).fewest_and_most == (0, 0)
    assert list(References((), 2)) == [(), ()]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"documents": ("a", "b", "c")}, "test set t: documents: 3 lines, but there are 2 segments"),
        ({"ids": ("a",)}, "ids: 1 line"),
        ({"labels": {"domain": ("news",)}}, "labels 'domain': 1 line"),
    ],
)
def test_lengths_are_checked_once(parts: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        TestSet(name="t", segments=2, **parts)


def test_lengths_of_texts_are_checked_too() -> None:
    line = Lines.of(["a"])
    with pytest.raises(InputError, match="test set t: sources: 1 line, but there are 2 segments"):
        TestSet(name="t", segments=2, sources=line)
    with pytest.raises(InputError, match="reference stream 2 has 1 line, but there are 2 segments"):
        References((Lines.of(["a", "b"]), line), 2)
    with pytest.raises(InputError, match=r"test set t: sources must be Lines, which Lines.of\(\) makes"):
        TestSet(name="t", segments=1, sources=["a"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"system s: outputs must be Lines, which Lines.of\(\) makes"):
        System(name="s", outputs=["a"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="references must be References"):
        TestSet(name="t", segments=1, references=["a"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="references: 1 line, but there are 2 segments"):
        TestSet(name="t", segments=2, references=References((line,), 1))


def test_slices_of_test_sets() -> None:
    whole = TestSet(
        name="t",
        source_language="de",
        target_language="en",
        segments=3,
        sources=Lines.of(["1", "2", "3"]),
        references=References((Lines.of(["a", None, "c"]),), 3),
        documents=("d", "d", "e"),
        ids=("x", "y", "z"),
        labels={"domain": ("n", "m", "n")},
    )
    part = whole.slice(1, 3)
    assert len(part) == 2
    assert part.sources is not None
    assert list(part.sources) == ["2", "3"]
    assert list(part.references) == [(), ("c",)]
    assert (part.documents, part.ids, part.labels) == (("d", "e"), ("y", "z"), {"domain": ("m", "n")})
    assert part.language_pair == whole.language_pair == "de-en"
    assert TestSet(segments=0).language_pair is None
    assert whole.slice(0, 3).digest == whole.digest != part.digest


def test_digest_of_a_test_set_tells_its_parts_apart() -> None:
    def made(**parts: Any) -> str:
        return TestSet(segments=2, **parts).digest

    one, other = Lines.of(["a", "b"]), Lines.of(["a", "c"])
    digests = [
        made(),
        made(sources=one),
        made(sources=other),
        made(references=References((one,), 2)),
        made(references=References((other,), 2)),
        made(references=References((one, other), 2)),
        made(references=References((other, one), 2)),
        made(documents=("a", "b")),
        made(ids=("a", "b")),
        made(labels={"domain": ("a", "b")}),
        made(labels={"register": ("a", "b")}),
    ]
    assert len(set(digests)) == len(digests)
    assert made(name="x") == made()
