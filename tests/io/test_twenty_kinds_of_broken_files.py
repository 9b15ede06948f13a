"""Twenty kinds of broken files and more for each format, each refused in a sentence: what is wrong, and where."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.testset import read_testset

XLIFF_1 = """<xliff version="1.2"><file original="a" source-language="de" target-language="en"><body>
<trans-unit id="1"><source>eins</source><target>one</target></trans-unit>
</body></file></xliff>"""
XLIFF_2 = """<xliff version="2.1" srcLang="de" trgLang="en"><file id="f">
<unit id="1"><segment id="s"><source>eins</source><target>one</target></segment></unit>
</file></xliff>"""
SDLXLIFF = """<xliff version="1.2" xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0"><file original="a"><body>
<trans-unit id="1"><source>eins</source><seg-source><mrk mtype="seg" mid="1">eins</mrk></seg-source><target>
<mrk mtype="seg" mid="1">one</mrk></target><sdl:seg-defs><sdl:seg id="1" conf="Translated"/></sdl:seg-defs></trans-unit>
</body></file></xliff>"""
TMX = """<tmx version="1.4"><header srclang="de"/><body>
<tu tuid="1"><tuv xml:lang="de"><seg>eins</seg></tuv><tuv xml:lang="en"><seg>one</seg></tuv></tu>
</body></tmx>"""
WHOLE = {"a.xlf": XLIFF_1, "b.xlf": XLIFF_2, "c.sdlxliff": SDLXLIFF, "d.tmx": TMX}

# What is done to the text of any of these, and what is said of it.
XML = [
    (lambda _: "", r":1: not well-formed XML \(no element found"),
    (lambda text: text[:30], r":1: not well-formed XML \(unclosed token"),
    (lambda text: text[: text.index("eins") + 2], r":\d: not well-formed XML \((no element found|unclosed token)"),
    (lambda text: text.replace("one</", "one</x"), r":\d: not well-formed XML \(mismatched tag"),
    (lambda text: text * 2, r":\d: not well-formed XML \(junk after document element"),
    (lambda text: text + "x", r":\d: not well-formed XML \(junk after document element"),
    (lambda text: text.replace("eins", "a & b"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "a < b"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "\0"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "&#0;"), r":\d: not well-formed XML \(reference to invalid character number"),
    (lambda text: text.replace("eins", "&uuml;"), r":\d: not well-formed XML \(undefined entity"),
    (lambda text: text.replace("eins", "<g:x/>"), r":\d: not well-formed XML \(unbound prefix"),
    (lambda text: text.replace("eins", '<x id="1" id="2"/>'), r":\d: not well-formed XML \(duplicate attribute"),
    (lambda text: text.replace("eins", "<x id=1/>"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "<!-- a -- b -->"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "<![CDATA[x"), r":\d: not well-formed XML \(unclosed CDATA section"),
    (lambda text: f'<!DOCTYPE a [<!ENTITY b "c">]>{text}', ":1: a DOCTYPE a with declarations of its own"),
    (lambda text: f'<?xml version="1.0" encoding="klingon"?>{text}', ":1: the XML cannot be decoded"),
    (lambda text: f'<?xml version="1.0" encoding="shift_jis"?>{text}', ":1: the XML cannot be decoded"),
    (lambda text: text.replace("eins", "Tür").encode("latin-1"), r":\d: not well-formed XML \(not well-formed"),
    (lambda text: text.replace("eins", "<g>" * 300 + "</g>" * 300), r":\d: <g> lies in 256 other elements"),
    (lambda _: '{"source": "eins"}', r":1: not well-formed XML \(not well-formed"),
    (lambda _: "<html/>", r":1: the root is <html>; expected <(xliff|tmx)>"),
]


def refusal(path: Path, data: str | bytes) -> str:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InputError) as error:
        read_testset(path)
    said = str(error.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    return said.removeprefix(str(path))


@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_file_is_read(tmp_path: Path, name: str) -> None:
    """What is broken below is nothing but what is done to it."""
    (tmp_path / name).write_text(WHOLE[name])
    testset = read_testset(tmp_path / name).testset
    assert (list(testset.sources or ()), list(testset.references)) == (["eins"], [("one",)])


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("kind", range(len(XML)))
def test_broken_xml(tmp_path: Path, name: str, kind: int) -> None:
    done, said = XML[kind]
    assert re.match(said, refusal(tmp_path / name, done(WHOLE[name])))


def tmx(units: str) -> str:
    return f'<tmx version="1.4"><header srclang="de"/><body>{units}</body></tmx>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (tmx(""), ": no <tu> with texts; is it the file that was meant?"),
        (tmx("<tu/>"), ":1: unit 1 has no <tuv> with a <seg>; each needs one"),
        (tmx('<tu tuid="7"><tuv xml:lang="de"/></tu>'), ":1: unit 7 has no <tuv> with a <seg>; each needs one"),
        (tmx("<tu><tuv><seg>a</seg></tuv></tu>"), ":1: <tuv> of unit 1 without xml:lang; expected its language"),
        (tmx("<tu><seg>a</seg></tu>"), ":1: <seg> of unit 1 outside <tuv>; expected its language around it"),
        (tmx("<tu><tu/></tu>"), ":1: <tu> inside <tu>; close the first one"),
        (tmx('<tu><tuv xml:lang="de"><seg>a</seg><seg>b</seg></tuv></tu>'),
         ":1: a second <seg> in one <tuv> of unit 1; each has one"),
        (TMX.replace('"de"/>', '"fr"/>'), ': srclang="fr", but no <tuv> is in that language; there are: de, en'),
    ],
)  # fmt: skip
def test_broken_memories(tmp_path: Path, data: str, said: str) -> None:
    assert refusal(tmp_path / "a.tmx", data) == said


def test_two_sources_of_a_unit_are_told(tmp_path: Path) -> None:
    variants = "".join(f'<tuv xml:lang="{tag}"><seg>{tag}</seg></tuv>' for tag in ("de", "de", "en"))
    path = tmp_path / "a.tmx"
    path.write_text(tmx(f"<tu>{variants}</tu>"))
    assert read_testset(path).warnings == (
        f"{path}: 1 text left out: a unit has one source, and these have several; the first is read",
    )


FORMS = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n;\\n"\n\n'
NOT_QUOTED = 'expected one string in double quotes, with \\" for a quote in it; is a quote missing?'
NO_KEYWORD = "is no keyword of PO; expected msgctxt, msgid, msgid_plural or msgstr"
CHARSET = 'msgid ""\nmsgstr "Content-Type: text/plain; charset={}\\n"\n\nmsgid "ä"\nmsgstr "b"\n'
PLURAL = ":{}: msgid_plural stands between msgid and msgstr, and nowhere else"
FORM = ":{}: msgstr[N] and msgid_plural go together; one of them is missing"
TWICE = ":{}: a second {} in one message; is {} missing between them?"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("", ": no message with a msgid; is it the file that was meant?"),
        (FORMS, ": no message with a msgid; is it the file that was meant?"),
        ('msgid "a"\nmsgstr "b"\nfoo "c"\n', f":3: 'foo \"c\"' {NO_KEYWORD}"),
        ('MSGID "a"\nmsgstr "b"\n', f":1: 'MSGID \"a\"' {NO_KEYWORD}"),
        ("<xliff/>", f":1: '<xliff/>' {NO_KEYWORD}"),
        ('{"a": "b"}', f":1: '{{\"a\": \"b\"}}' {NO_KEYWORD}"),
        ('msgid a\nmsgstr "b"\n', f":1: {NOT_QUOTED}"),
        ('msgid "a\nmsgstr "b"\n', f":1: {NOT_QUOTED}"),
        ('msgid "a" b\nmsgstr "c"\n', f":1: {NOT_QUOTED}"),
        ('msgid "a"b"\nmsgstr "c"\n', f":1: {NOT_QUOTED}"),
        ('msgid "a\\"\nmsgstr "b"\n', f":1: {NOT_QUOTED}"),
        ("msgid “a”\nmsgstr “b”\n", f":1: {NOT_QUOTED}"),
        ('"a"\nmsgid "b"\nmsgstr ""\n', ":1: a string without msgid or msgstr before it; is a line missing?"),
        ('msgstr "b"\n', ":1: msgstr without msgid before it; expected the source of the message"),
        ('msgid "a"', ":1: the message of line 1 has no msgstr; each has one, an empty one if need be"),
        ('msgid "a"\nmsgid "b"\nmsgstr "c"\n', TWICE.format(2, "msgid", "the msgstr of the first one")),
        ('msgctxt "a"\nmsgctxt "b"\n', TWICE.format(2, "msgctxt", "the msgstr of the first one")),
        ('msgid "a"\nmsgstr "b"\nmsgstr "c"\n', TWICE.format(3, "msgstr", "its msgid")),
        ('msgid "a"\nmsgstr[0] "b"\n', FORM.format(2)),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr "c"\n', FORM.format(3)),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[x] "c"\n', FORM.format(3)),
        ('msgid_plural "b"\nmsgstr[0] "d"\n', PLURAL.format(1)),
        ('msgid "a"\nmsgstr "b"\nmsgid_plural "c"\n', PLURAL.format(3)),
        (f'{FORMS}msgid "a"\nmsgid_plural "b"\nmsgstr[2] "c"\n',
         ":6: msgstr[2], but there are 2 forms (nplurals in the header)"),
        ('msgid[0] "a"\nmsgstr "b"\n', ":1: msgid has no forms; only msgstr does"),
        ('msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n',
         ":4: the message of line 1 again; the same msgid needs another msgctxt"),
        (CHARSET.format("klingon"), ": charset=klingon is unknown; save the file in UTF-8, and say so in its header"),
        (CHARSET.format("rot13"), ": charset=rot13 is unknown; save the file in UTF-8, and say so in its header"),
        (CHARSET.format("ascii"), ":4: byte 0xc3 is not ascii, in which the header says that the file is; save it "
         "again in UTF-8, and say so there"),
        (b'msgid "\xe4"\nmsgstr "b"\n',
         ":1: byte 0xe4 is not UTF-8, and no header says what it is; save it again in UTF-8, and say so there"),
    ],
)  # fmt: skip
def test_broken_catalogues(tmp_path: Path, data: str | bytes, said: str) -> None:
    assert refusal(tmp_path / "a.po", data) == said


def book(*rows: list[object]) -> bytes:
    made = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        made.active.append(row)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def changed(old: bytes = b"", new: bytes = b"", drop: str = "") -> bytes:
    """A good workbook with something else in its sheet, or without one of its parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book(["source", "mt"], ["a", "b"]))) as good, zipfile.ZipFile(out, "w") as bad:
        for name in good.namelist():
            data = good.read(name)
            if name == "xl/worksheets/sheet1.xml":
                assert old in data
                data = data.replace(old, new) if old else data
            if name != drop:
                bad.writestr(name, data)
    return out.getvalue()


NO_BOOK = (
    r": not an Excel file with a table on its first sheet \(\w+\); save it as \.xlsx, with the names of the columns in "
    r"its first row"
)
EMPTY = ": no row below the names of the columns; is it the sheet that was meant?"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: b"", NO_BOOK),
        (lambda: b"source,target\na,b\n", NO_BOOK),
        (lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), NO_BOOK),  # an old .xls, or one with a password
        (lambda: changed()[:2000], NO_BOOK),
        (lambda: changed(drop="xl/worksheets/sheet1.xml"), NO_BOOK),
        (lambda: changed(drop="xl/workbook.xml"), NO_BOOK),
        (lambda: changed(drop="[Content_Types].xml"), NO_BOOK),
        (lambda: changed(b"<worksheet", b'<!DOCTYPE a [<!ENTITY b "c">]><worksheet'), NO_BOOK),
        (lambda: changed(b"</row>", b"</rwo>"), NO_BOOK),
        (lambda: changed(b"</row>", b"\0</row>"), NO_BOOK),
        (book, NO_BOOK),
        (lambda: book(["source", "mt"]), EMPTY),
        (lambda: book(["source", "mt"], ["", ""], [" ", " "]), EMPTY),
        (lambda: book(["a", "b"], ["x", "y"]), ": no column is called source, reference or target; there are: a, b"),
        (lambda: book(["source", "SRC"], ["x", "y"]), ": 2 columns for source: source, SRC; rename all but one"),
        (lambda: book(["source", "document", "doc"], ["x", "y", "z"]), ": 2 columns for documents: document, doc"),
        (lambda: book(["source", "id", "key"], ["x", "y", "z"]), ": 2 columns for id: id, key; rename all but one"),
        (lambda: book(["source", "mt", "mt"], ["x", "y", "z"]), ":1: 2 columns are called 'mt'; rename them"),
        (lambda: book(["source", None, "mt"], ["x", "y", "z"]), ":1: column 2 has no name; write a header line"),
        (lambda: book(["source", "mt"], ["x", "y", "z"]), ": row 2 of the first sheet has more cells than the first"),
        (lambda: book(["Job 7"], [], ["source", "mt"], ["x", "y"]), ": row 3 of the first sheet has more cells than"),
        (lambda: book(["source", "mt"], ["x", "=1+1"]), ": the formula in B2 was saved without its value; open the"),
    ],
)
def test_broken_sheets(tmp_path: Path, made, said: str) -> None:
    pytest.importorskip("openpyxl")
    assert re.match(said, refusal(tmp_path / "a.xlsx", made()))
