"""Localisation files that somebody made to do harm: refused, or read in time and memory that grow with their size."""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from tertium.core.errors import TertiumError
from tertium.io.localisation.reading import FORMATS
from tertium.io.testset import read_testset

LAUGHS = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
UNIT = '<trans-unit id="1"><source>{}</source><target>b</target></trans-unit>'
WHOLE = '{}<xliff version="1.2"><file original="a"><body>' + UNIT + "</body></file></xliff>"


def refusal(path: Path, text: str) -> str:
    path.write_text(text)
    with pytest.raises(TertiumError) as error:
        read_testset(path)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize("name", ["a.xlf", "a.tmx"])
@pytest.mark.parametrize(
    "declarations",
    [
        f'<!ENTITY l0 "ha">{LAUGHS}',
        '<!ENTITY l9 SYSTEM "file:///etc/passwd">',
        '<!ENTITY % l9 SYSTEM "http://127.0.0.1:9/x.dtd"> %l9;',
        f'<!ATTLIST source big CDATA "{"x" * 1000}">',
    ],
    ids=["laughs", "file", "parameter", "default"],
)
def test_declarations_are_refused(tmp_path: Path, name: str, declarations: str) -> None:
    text = WHOLE.format(f"<!DOCTYPE xliff [{declarations}]>", "&l9;")
    assert refusal(tmp_path / name, text) == (
        ":1: a DOCTYPE xliff with declarations of its own; such files are refused, take them out"
    )


def test_entities_that_nobody_declares(tmp_path: Path) -> None:
    """An external DOCTYPE is left alone: what it might declare is unknown."""
    text = WHOLE.format('<!DOCTYPE xliff SYSTEM "http://127.0.0.1:9/x.dtd">', "a &nbsp; b")
    assert refusal(tmp_path / "a.xlf", text) == (
        ":1: the entity 'nbsp'; only those of XML itself are read, write the character"
    )
    text = WHOLE.format('<!DOCTYPE xliff SYSTEM "http://127.0.0.1:9/x.dtd">', "a")
    (tmp_path / "b.xlf").write_text(text)
    assert list(read_testset(tmp_path / "b.xlf").testset.sources or ()) == ["a"]


@pytest.mark.parametrize(("name", "inside"), [("a.xlf", "<g>"), ("b.xlf", "<mrk>"), ("c.xlf", "<deep>")])
def test_ten_million_elements_inside_each_other(tmp_path: Path, name: str, inside: str) -> None:
    text = WHOLE.format("", inside * 10_000_000)
    tag = inside[1:-1]
    assert refusal(tmp_path / name, text) == (
        f":1: <{tag}> lies in 256 other elements, and no file of this kind is so deep; export it again"
    )


def calls(action: Callable[[], object]) -> int:
    """How many functions of Python are called, C's too: work that no clock has to measure."""
    count = 0

    def met(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(met)
    try:
        action()
    finally:
        sys.setprofile(before)
    return count


def many_units(n: int) -> str:
    units = "".join(
        f'<trans-unit id="{k}"><source>a<x id="1"/>b</source><target>c</target><note>n</note>'
        f'<alt-trans origin="o{k % 3}"><target>d</target></alt-trans></trans-unit>'
        for k in range(n)
    )
    return f'<xliff version="1.2"><file original="a"><body>{units}</body></file></xliff>'


def one_unit_of_many_marks(n: int) -> str:
    marks = "".join(f'<mrk mtype="seg" mid="{k}">a</mrk>' for k in range(n))
    unit = f'<trans-unit id="1"><source>a</source><seg-source>{marks}</seg-source><target>{marks}</target></trans-unit>'
    return f'<xliff version="1.2"><file original="a"><body>{unit}</body></file></xliff>'


def one_unit_of_many_matches(n: int) -> str:
    marks = "".join(f'<mrk mtype="seg" mid="{k}">a</mrk>' for k in range(n))
    matches = "".join(f'<alt-trans mid="{k}"><target>c</target></alt-trans>' for k in range(n))
    unit = (
        f'<trans-unit id="1"><source>a</source><seg-source>{marks}</seg-source><target>{marks}</target>'
        f"{matches}</trans-unit>"
    )
    return f'<xliff version="1.2"><file original="a"><body>{unit}</body></file></xliff>'


def many_segments(n: int) -> str:
    segments = "".join(f'<segment id="s{k}"><source>a<ph id="p{k}"/></source></segment>' for k in range(n))
    matches = "".join(f'<mtc:match ref="#s{k}"><source>a</source><target>b</target></mtc:match>' for k in range(n))
    return (
        '<xliff version="2.0" srcLang="de" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">'
        f'<file id="f"><unit id="u"><mtc:matches>{matches}</mtc:matches>{segments}</unit></file></xliff>'
    )


def many_notes(n: int) -> str:
    unit = f'<trans-unit id="1"><source>a</source><target>b</target>{"<note>n</note>" * n}</trans-unit>'
    return f'<xliff version="1.2"><file original="a"><body>{unit}</body></file></xliff>'


def many_attributes(n: int) -> str:
    attributes = " ".join(f'a{k}="v"' for k in range(n))
    return WHOLE.format("", f"<g {attributes}>x</g>")


def many_variants(n: int) -> str:
    variants = "".join(f'<tuv xml:lang="l{k}"><seg>a</seg></tuv>' for k in range(n))
    return f'<tmx version="1.4"><header srclang="l0"/><body><tu>{variants}</tu></body></tmx>'


def many_messages(n: int) -> str:
    return "".join(f'#: f{k}.c:1\n# note\nmsgid "a{k}\\n"\n"b"\nmsgstr "c"\n\n' for k in range(n))


def one_long_message(n: int) -> str:
    return 'msgid "a"\nmsgstr ""\n' + '"b\\t"\n' * n + '"' + "\\\\" * n + '"'


SHAPES = [
    ("a.xlf", many_units),
    ("a.xlf", one_unit_of_many_marks),
    ("a.xlf", one_unit_of_many_matches),
    ("a.xlf", many_segments),
    ("a.xlf", many_notes),
    ("a.xlf", many_attributes),
    ("a.tmx", many_variants),
    ("a.po", many_messages),
    ("a.po", one_long_message),
]


@pytest.mark.parametrize(("name", "make"), SHAPES, ids=[make.__name__ for _, make in SHAPES])
def test_work_grows_with_the_size(tmp_path: Path, name: str, make: Callable[[int], str]) -> None:
    """Eight times the file takes eight times the calls, and not 64 times."""

    def work(n: int) -> int:
        (tmp_path / name).write_text(make(n))

        def read() -> None:
            with suppress(TertiumError):  # of a memory in very many languages
                read_testset(tmp_path / name)

        return calls(read)

    read_once = work(10)  # what is imported the first time
    assert read_once
    assert work(1600) < 10 * work(200)


def test_a_huge_attribute(tmp_path: Path) -> None:
    path = tmp_path / "a.xlf"
    path.write_text(WHOLE.format("", f'<g id="{"x" * 5_000_000}">a</g>'))
    assert list(read_testset(path, tags="protect").testset.sources or ()) == ["⟦1⟩ a ⟨1⟧"]


VALID = {
    ".xlf": [many_units(3), one_unit_of_many_marks(2), many_segments(2)],
    ".tmx": [many_variants(3)],
    ".po": [many_messages(3), one_long_message(2)],
}


@pytest.mark.parametrize("ending", VALID)
@hypothesis.given(data=st.data())
@hypothesis.settings(max_examples=150)
def test_any_bytes_are_read_or_refused(ending: str, data: st.DataObject) -> None:
    """Valid files with pieces cut out, put in, or replaced."""
    text = bytearray(data.draw(st.sampled_from(VALID[ending])).encode())
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 30)))
        text[start:end] = data.draw(
            st.binary(max_size=8) | st.sampled_from([b"<", b">", b"<g>", b"</g>", b"&#xd;", b"\xff", b'"', b"\n\n"])
        )
    tags = data.draw(st.sampled_from(["strip", "protect", "keep"]))
    try:
        bitext = FORMATS[ending](bytes(text), f"a{ending}", tags)
        bitext.columns()
        bitext.testset()
    except TertiumError as error:
        if not str(error).startswith(f"a{ending}"):
            raise AssertionError(f"the error does not name the file: {error}") from error
