"""JSON lines that the kernel reads say what Python's decoder says, and it leaves all others to Python."""

import json
import random
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tertium import _kernel
from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io import blocks
from tertium.io.columns import read_columns

KEYS = ["source", "ref", "mt", "schlüssel", "", "a b", "翻訳"]
PIECES = [
    "the cat", "Straße", "😀", "猫", "\u2028", '"', "\\", "/", "\n", "\t", "\b\f\r", "\0", "\x1f", "\x7f", "e\u0301",
    " ",
]  # fmt: skip
BYTES = [
    b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\x00", b"\x1f", b"\t", b" ", b"\r", b"0", b"-", b".", b"e", b"u",
    b"NaN", b"Infinity", b"null", b"tru", b"\\ud83d", b"\\ude00", b"\\u00e9", b"\\u0000", b"\xef\xbb\xbf", b"\xc2\xa0",
    b'"mt":"b",', b'"mt":1,', b"1e5", b"01", b"1.", b"-", b"//", b"'", b"\\x", b"\\u12", b"\\u 123",
]  # fmt: skip
CERTAIN = [
    '{"mt": "a"}', ' {\t"mt"\r:"a" }\t', '{"mt": ""}', '{"x": {"mt": 1, "y": [[], {}, [1, "]"]]}, "mt": "a"}',
    '{"mt": "\\u00e9\\ud83d\\ude00\\uD83D\\uDE00\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000"}',
    '{"x": {"m\\u0074": 1}, "mt": "é猫😀\u2028\x7f"}',
    '{"a": -0, "b": 0.5, "c": -12.25e-3, "d": 1E+9, "e": true, "f": false, "g": null, "mt": "x"}',
    '{"x": 1, "x": 2, "mt": "a"}', "{" + '"x": ' + "[" * 30 + "]" * 30 + ', "mt": "a"}',
    '{"n": ' + "9" * 5000 + ', "mt": "a"}',
]  # fmt: skip
UNCERTAIN = [
    "", " ", "{}", "[]", '"mt"', "1", '{"x": "a"}', '{"mt": null}', '{"mt": 1}', '{"mt": NaN}', '{"mt": ["a"]}',
    '{"mt": "a", "mt": "b"}', '{"mt": 1, "mt": "b"}', '{"m\\u0074": "b", "mt": "a"}', '{"mt": "\\ud83d"}',
    '{"mt": "\\ude00\\ud83d"}', '{"mt": "\\ud83d\\u0041"}', '{"mt": "\\ud83dx"}', '{"mt": "a"} x', '{"mt": "a",}',
    '{"mt": "a"', '{"mt": "a', '{"mt"', '{"mt":', '{"mt": "a\x01"}', '{"mt": "a\tb"}', '{"mt": "\\x"}',
    '{"mt": "\\u12"}', '{"mt": "\\u12g4"}', '{"mt": "\\u+123"}', '{"mt": "\\', '{"x": NaN, "mt": "a"}',
    '{"x": Infinity, "mt": "a"}', '{"x": -Infinity, "mt": "a"}', '{"x": 01, "mt": "a"}', '{"x": 1., "mt": "a"}',
    '{"x": .5, "mt": "a"}', '{"x": -, "mt": "a"}', '{"x": 1e, "mt": "a"}', '{"x": +1, "mt": "a"}',
    '{"x": tru, "mt": "a"}', '{"x": [1,], "mt": "a"}', '{"x": [,], "mt": "a"}', '{"x": {1: 2}, "mt": "a"}',
    '{"x": {"y"}, "mt": "a"}', '{"x" "y", "mt": "a"}', '\ufeff{"mt": "a"}', '\u00a0{"mt": "a"}',
    '{"x": ' + "[" * 40 + "]" * 40 + ', "mt": "a"}', '{"x":' * 100_000, "[" * 100_000, "{'mt': 'a'}",
    '{"mt": "a"}{"mt": "b"}', '{"x": "a" "b", "mt": "c"}',
]  # fmt: skip


def told(line: str, key: str) -> str | None:
    """What Python's decoder finds under a key, None where it is not an object with a text there."""
    try:
        row = json.loads(line, parse_int=str, parse_float=lambda _: 0.0)
    except (ValueError, RecursionError):
        return None
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, str) or any("\ud800" <= character <= "\udfff" for character in value):
        return None
    return value if key not in dict(twice(line)) else None


def twice(line: str) -> list[tuple[str, bool]]:
    """Keys of the object itself that are there several times."""
    found: list[list[tuple[str, Any]]] = []
    json.loads(line, object_pairs_hook=found.append, parse_int=str)
    keys = [key for key, _ in found[-1]]
    return [(key, True) for key in keys if keys.count(key) > 1]


def kernel_texts(lines: list[str], keys: list[str]) -> tuple[list[int], list[list[str | None]]]:
    """The numbers of lines that are Python's to read, and texts of every key."""
    others, texts = _kernel.json_texts(Lines.of(lines).view, keys)
    return list(others), [list(Lines(*columns)) for columns in texts]


@pytest.mark.parametrize("line", CERTAIN, ids=range(len(CERTAIN)))
def test_plain_lines_are_read(line: str) -> None:
    expected = json.loads(line, parse_int=str)["mt"]
    assert kernel_texts([line, "", line], ["mt"]) == ([1], [[expected, "", expected]])


@pytest.mark.parametrize("line", UNCERTAIN, ids=range(len(UNCERTAIN)))
def test_all_others_are_left_to_python(line: str) -> None:
    good = '{"mt": "a"}'
    assert kernel_texts([good, line, good], ["mt"]) == ([1], [["a", "", "a"]])


def test_missing_lines_and_no_lines() -> None:
    others, [texts] = _kernel.json_texts(Lines.of([None, '{"mt": "a"}']).view, ["mt"])
    assert (list(others), list(Lines(*texts))) == ([0], ["", "a"])
    assert kernel_texts([], ["mt"]) == ([], [[]])
    assert kernel_texts(['{"a": "x", "b": "y"}', "{"], []) == ([1], [])
    assert kernel_texts(['{"a": "x", "b": "y"}'], ["b", "a", "b"]) == ([], [["y"], ["x"], ["y"]])


def test_keys_in_the_order_in_which_they_appear() -> None:
    lines = ['{"b": 1, "a": {"z": 2}}', '{"\\u0061": 3}', '{"a": 1, "b": 2}', '{"c": 1, "é": 2, "b": 3}', "[]"]
    others, keys, first = _kernel.json_keys(Lines.of(lines).view)
    assert (list(others), keys, list(first)) == ([1, 4], ["b", "a", "c", "é"], [0, 0, 3, 3])


def value(draw: random.Random, depth: int) -> Any:
    """Any JSON value."""
    kind = draw.choice(["text", "number", "word", "list", "object"] if depth < 4 else ["text", "number"])
    if kind == "list":
        return [value(draw, depth + 1) for _ in range(draw.randrange(3))]
    if kind == "object":
        return {draw.choice(KEYS): value(draw, depth + 1) for _ in range(draw.randrange(3))}
    if kind == "text":
        return text(draw)
    numbers = [0, -1, 1.5, -2e-9, 10**30, float("nan"), float("inf")]
    return draw.choice(numbers if kind == "number" else [None, True, False])


def text(draw: random.Random) -> str:
    return "".join(draw.choices([*PIECES, "\ud83d"] if draw.random() < 0.05 else PIECES, k=draw.randrange(12)))


def valid_line(draw: random.Random) -> bytes:
    """An object of texts, mostly, as json writes it."""
    keys = draw.sample(KEYS, draw.randrange(1, 7))
    row = {key: value(draw, 0) if draw.random() < 0.1 else text(draw) for key in keys}
    separators = draw.choice([None, (",", ":"), (" ,\t", "  : ")])
    written = json.dumps(row, ensure_ascii=draw.random() < 0.5, separators=separators)
    return written.encode(errors="replace")


def damaged(draw: random.Random, line: bytes) -> bytes:
    """The line with some of its bytes gone, doubled or others."""
    for _ in range(draw.randrange(1, 4)):
        at, to = sorted(draw.choices(range(len(line) + 1), k=2))
        to = min(to, at + draw.randrange(6))
        other = draw.choice([b"", line[at:to] * 2, draw.choice(BYTES), bytes([draw.randrange(256)])])
        line = line[:at] + other + line[to:]
    return line.replace(b"\n", b"")


def corpus(seed: int, count: int, share: float) -> list[str]:
    """Lines, of which a share is damaged."""
    draw = random.Random(seed)
    lines = [valid_line(draw) for _ in range(count)]
    return [(damaged(draw, line) if draw.random() < share else line).decode(errors="ignore") for line in lines]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_is_what_python_reads(seed: int) -> None:
    lines = corpus(seed, 1500, 0.5)
    for key in KEYS:
        others, [texts] = kernel_texts(lines, [key])
        left = set(others)
        for number, line in enumerate(lines):
            if number not in left:
                assert texts[number] == told(line, key), line
        assert len(left) < len(lines) * 0.9  # most have no such text: half a corpus is damaged, keys are drawn


@pytest.mark.parametrize("seed", range(2))
def test_plain_objects_are_never_left_to_python(seed: int) -> None:
    draw = random.Random(seed)
    keys = [key for key in KEYS if key.isascii()]  # others can be written with escapes
    rows = [{key: "".join(draw.choices(PIECES, k=6)) for key in draw.sample(keys, 4)} | {"mt": "x"} for _ in range(500)]
    lines = [json.dumps(row, ensure_ascii=draw.random() < 0.5) for row in rows]
    assert kernel_texts(lines, ["mt"]) == ([], [["x"] * 500])


@pytest.mark.parametrize("line", [CERTAIN[3], CERTAIN[4], CERTAIN[6]], ids=["nested", "escapes", "numbers"])
def test_a_line_that_is_cut_short_is_left_to_python(line: str) -> None:
    whole = line.encode()
    for size in range(len(whole)):
        view = _kernel.View(whole[:size], *(memoryview(place.to_bytes(8, "little")).cast("q") for place in (0, size)))
        assert list(_kernel.json_texts(view, ["mt"])[0]) == [0]
        assert list(_kernel.json_keys(view)[0]) == [0]


Answer = list[tuple[str, list[list[str | None]]]] | str


def outcome(read: Callable[[], Iterator[tuple[str, Any]]]) -> Answer:
    """Names and texts, or what is refused."""
    try:
        return [(name, [list(stream) for stream in streams]) for name, streams in read()]
    except InputError as error:
        return str(error)


def all_ways(path: str) -> list[Answer]:
    """A file read whole and in blocks, by one column and several."""

    def in_blocks(columns: list[str | None]) -> Iterator[tuple[str, Any]]:
        for _, block in blocks.read_blocks(path, columns):
            yield from zip(map(str, columns), block, strict=True)

    wanted: list[list[str | None]] = [["mt"], ["mt", "source", "mt"], [None], ["ref", "no\ud800where"]]
    whole = outcome(lambda: iter(read_columns(path).items()))
    return [whole, *(outcome(lambda columns=columns: in_blocks(columns)) for columns in wanted)]


def files() -> Iterator[str]:
    """Files in which few lines are odd: most of them can be read to the end."""
    plain = ['{"mt": "a", "source": "b", "ref": "c"}', '{"source": "\\u00e9", "ref": "", "mt": "é"}', '{"mt": "only"}']
    odd = ["", " ", "{}", '{"mt": null, "x": 1}', '{"mt": 2.50}', '{"mt": ["a", null, "b"]}', '{"mt": {}}', "{", "[1]",
           '{"mt": "\\ud800"}', '{"\\ud800": "a"}', '{"mt": "a", "mt": "b"}', '{"": "a"}', '{"mt": NaN}',
           '{"mt": true}', '{"m\\u0074": "a", "neu": 1}', '\ufeff{"mt": "a"}']  # fmt: skip
    draw = random.Random(11)
    yield from ("", "\n", '{"mt": "a"}', '{"mt": ' + json.dumps(["x"] * 3000) + "}\n" + '{"mt": "a"}\n' * 3000)
    for _ in range(150):
        lines = draw.choices(plain[: draw.randrange(1, 4)], k=draw.randrange(8))
        for _ in range(draw.randrange(3)):
            lines.insert(draw.randrange(len(lines) + 1), draw.choice(odd))
        yield "\n".join([*lines, *[""] * draw.randrange(3)])
    for seed in range(30):
        yield "\n".join(corpus(seed, 5, 0.02))


def all_lines(lines: Any) -> memoryview:
    """The number of every line: all are left to Python."""
    return memoryview(array("q", range(len(_kernel.line_lengths(lines)))))


def no_texts(lines: Any) -> tuple[bytes, memoryview, memoryview]:
    places = memoryview(array("q", [0] * len(_kernel.line_lengths(lines))))
    return b"", places, places


def test_readers_answer_as_by_python_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIP", 64)  # several blocks in a file of a few lines
    by_kernel = []
    paths = [tmp_path / f"{k}.jsonl" for k, _ in enumerate(files())]
    for path, content in zip(paths, files(), strict=True):
        path.write_bytes(content.encode())
        by_kernel.append(all_ways(str(path)))
    monkeypatch.setattr(_kernel, "json_texts", lambda lines, keys: (all_lines(lines), [no_texts(lines) for _ in keys]))
    monkeypatch.setattr(_kernel, "json_keys", lambda lines: (all_lines(lines), [], memoryview(b"").cast("q")))
    for path, answers in zip(paths, by_kernel, strict=True):
        assert all_ways(str(path)) == answers, path.read_text()
    refused = [isinstance(answer, str) for answers in by_kernel for answer in answers]
    assert 0.2 < sum(refused) / len(refused) < 0.8
