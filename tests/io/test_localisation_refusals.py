"""Broken localisation files: each is refused in one sentence that says what, where, and the way out."""

import zipfile
from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.io.testset import read_testset


def xliff1(unit: str, file: str = 'original="a" source-language="de" target-language="en"') -> str:
    return f'<xliff version="1.2"><file {file}><body>{unit}</body></file></xliff>'


def xliff2(unit: str, root: str = 'srcLang="de" trgLang="en"', file: str = 'id="f"') -> str:
    return (
        f'<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" {root} '
        f'xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><file {file}>{unit}</file></xliff>'
    )


def tmx(units: str, srclang: str = "de") -> str:
    return f'<tmx version="1.4"><header srclang="{srclang}"/><body>{units}</body></tmx>'


SEGMENT = "<segment><source>eins</source></segment>"
PLURAL = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2; plural=n;\\n"\n\nmsgid "a"\nmsgid_plural "b"\n'

BROKEN = [
    ("empty.xlf", "", ":1: not well-formed XML (no element found, column 1); export the file again, or mend it there"),
    (
        "cut.xlf",
        xliff1("<trans-unit")[:60],
        ":1: not well-formed XML (unclosed token, column 22); export the file again, or mend it there",
    ),
    ("root.xlf", "<tmx/>", ":1: the root is <tmx>; expected <xliff>"),
    ("no.xlf", "<xliff/>", ':1: <xliff> without a version; expected version="1.2", "2.0" or another of 1.x and 2.x'),
    ("old.xlf", '<xliff version="3"/>', ":1: XLIFF of version '3'; versions 1.0 to 1.2 and 2.0 to 2.2 are read"),
    ("none.xlf", xliff1(""), ": no <trans-unit> with text to translate; is it the file that was meant?"),
    (
        "original.xlf",
        xliff1("", 'source-language="de"'),
        ":1: <file> without original; expected the name of the document that it came from",
    ),
    (
        "two.xlf",
        xliff1('</body></file><file original="b" source-language="fr"><body>'),
        ":1: <file> with source-language=\"fr\", but those before have 'de'; make a file for each language pair",
    ),
    (
        "id.xlf",
        xliff1("\n<trans-unit><source>a</source></trans-unit>"),
        ":2: <trans-unit> without an id; segments are known by it",
    ),
    (
        "twice.xlf",
        xliff1('<trans-unit id="7"><source>a</source></trans-unit>\n<trans-unit id="7"/>'),
        ":2: a second <trans-unit> 7 in file a (first on line 1); ids must be unique in a <file>",
    ),
    (
        "source.xlf",
        xliff1('<trans-unit id="7"><target>a</target></trans-unit>'),
        ":1: trans-unit 7 has no <source>; each needs one",
    ),
    (
        "targets.xlf",
        xliff1('<trans-unit id="7"><source>a</source><target>b</target><target>c</target></trans-unit>'),
        ":1: a second <target> in trans-unit 7; a unit has one",
    ),
    (
        "nested.xlf",
        xliff1('<trans-unit id="7"><trans-unit id="8"/></trans-unit>'),
        ":1: <trans-unit> inside <trans-unit>; close the first one",
    ),
    (
        "lang.xlf",
        xliff2("", ""),
        ":1: <xliff> of version 2 without srcLang; expected the language of the sources",
    ),
    ("file.xlf", xliff2("", file=""), ":1: <file> without an id; segments are known by it"),
    ("unit.xlf", xliff2("<unit/>"), ":1: <unit> without an id; segments are known by it"),
    (
        "again.xlf",
        xliff2(f'<unit id="u">{SEGMENT}</unit>\n<unit id="u"/>'),
        ":2: a second <unit> u in file f (first on line 1); ids must be unique in a <file>",
    ),
    ("hollow.xlf", xliff2('<unit id="u"/>'), ":1: unit u has no <segment>; each needs one"),
    (
        "lone.xlf",
        xliff2('<unit id="u"><source>a</source></unit>'),
        ":1: <source> outside <segment>; a unit has its texts in segments",
    ),
    (
        "bare.xlf",
        xliff2('<unit id="u"><segment><target>a</target></segment></unit>'),
        ":1: a segment of unit u has no <source>; each needs one",
    ),
    (
        "match.xlf",
        xliff2(f'<unit id="u"><mtc:matches><mtc:match/></mtc:matches>{SEGMENT}</unit>'),
        ':1: <mtc:match> without ref; expected the segment that it is for, such as ref="#s1"',
    ),
    ("root.tmx", "<xliff/>", ":1: the root is <xliff>; expected <tmx>"),
    ("none.tmx", tmx(""), ": no <tu> with texts; is it the file that was meant?"),
    ("empty.tmx", tmx('<tu tuid="7"/>'), ":1: unit 7 has no <tuv> with a <seg>; each needs one"),
    ("lang.tmx", tmx("<tu><tuv/></tu>"), ":1: <tuv> of unit 1 without xml:lang; expected its language"),
    (
        "seg.tmx",
        tmx("<tu><seg>a</seg></tu>"),
        ":1: <seg> of unit 1 outside <tuv>; expected its language around it",
    ),
    (
        "srclang.tmx",
        tmx('<tu><tuv xml:lang="en"><seg>a</seg></tuv></tu>', "fr"),
        ': srclang="fr", but no <tuv> is in that language; there are: en',
    ),
    (
        "word.po",
        "hello\n",
        ":1: 'hello' is no keyword of PO; expected msgctxt, msgid, msgid_plural or msgstr",
    ),
    (
        "quote.po",
        'msgid "a"b"\n',
        ':1: expected one string in double quotes, with \\" for a quote in it; is a quote missing?',
    ),
    ("start.po", '"a"\n', ":1: a string without msgid or msgstr before it; is a line missing?"),
    ("first.po", 'msgstr "a"\n', ":1: msgstr without msgid before it; expected the source of the message"),
    (
        "half.po",
        'msgid "a"\n\n',
        ":3: the message of line 1 has no msgstr; each has one, an empty one if need be",
    ),
    (
        "same.po",
        'msgid "a"\nmsgstr "b"\n\nmsgid "a"\nmsgstr "c"\n',
        ":4: the message of line 1 again; the same msgid needs another msgctxt",
    ),
    (
        "forms.po",
        f'{PLURAL}msgstr[0] "x"\nmsgstr[2] "y"\n',
        ":7: msgstr[2], but there are 2 forms (nplurals in the header)",
    ),
    (
        "form.po",
        'msgid "a"\nmsgstr[0] "x"\n',
        ":2: msgstr[N] and msgid_plural go together; one of them is missing",
    ),
    (
        "byte.po",
        b'msgid "a"\nmsgstr "\xe9"\n',
        ":2: byte 0xe9 is not UTF-8, and no header says what it is; save it again in UTF-8, and say so there",
    ),
    (
        "charset.po",
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=klingon\\n"\n',
        ": charset=klingon is unknown; save the file in UTF-8, and say so in its header",
    ),
    (
        "encoding.xlf",
        '<?xml version="1.0" encoding="klingon"?><xliff/>',
        ":1: the XML cannot be decoded (unknown encoding: klingon); convert the file to UTF-8",
    ),
]


@pytest.mark.parametrize(("name", "data", "message"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_broken_files(tmp_path: Path, name: str, data: str | bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with pytest.raises(InputError) as error:
        read_testset(path)
    assert str(error.value) == f"{path}{message}"


def test_an_unknown_way_to_read_tags(tmp_path: Path) -> None:
    (tmp_path / "a.xlf").write_text(xliff1('<trans-unit id="7"><source>a</source></trans-unit>'))
    with pytest.raises(OptionError, match="tags 'lose' is unknown; choose from strip, protect, keep"):
        read_testset(tmp_path / "a.xlf", tags="lose")


def sheet(path: Path, *rows: list[object]) -> Path:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_sheet_is_a_test_set(tmp_path: Path) -> None:
    path = sheet(
        tmp_path / "job.xlsx",
        ["ID", "Source", "Target", "MT: atlas", "document", "translator", "edit time", "Client"],
        ["k1", "eins", "one", "won", "a.html", "Ada", 7, "Alder"],
        ["k2", "zwei", None, "two", "a.html", None, None, None],
    )
    found = read_testset(path)
    assert list(found.testset.sources or ()) == ["eins", "zwei"]
    assert list(found.testset.references) == [("one",), ()]
    assert [(system.name, list(system.outputs)) for system in found.systems] == [("atlas", ["won", "two"])]
    assert (found.testset.documents, found.testset.ids) == (("a.html", "a.html"), ("k1", "k2"))
    assert {name: values[0] for name, values in found.testset.records.items()} == {
        "translator": "Ada", "seconds": "7", "meta:Client": "Alder", "file": str(path),
    }  # fmt: skip
    assert tt.evaluate(found.testset, found.systems, "chrf").scores()[0].n == 1


def test_seconds_and_blank_rows_of_a_sheet(tmp_path: Path) -> None:
    path = sheet(
        tmp_path / "job.xlsx",
        ["segment", "source", "mt: atlas", "seconds", "client"],
        ["k1", "eins", "one", 7, "Alder"],
        [None, " ", None, None, None],
        ["k3", "zwei", "two", None, None],
    )
    found = read_testset(path)
    assert [system.name for system in found.systems] == ["atlas"]
    assert (list(found.testset.sources or ()), found.testset.ids) == (["eins", "zwei"], ("k1", "k3"))
    assert found.testset.records["seconds"] == ("7", "")


def test_facts_that_have_a_meaning_are_kept_first(tmp_path: Path) -> None:
    heads = ["source", "mt: atlas", *(f"client {k}" for k in range(80)), "translator", "time_to_edit ms"]
    path = sheet(tmp_path / "job.xlsx", heads, ["eins", "one", *"x" * 80, "Ada", 7000])
    records = read_testset(path).testset.records
    assert len(records) == 64
    assert (records["translator"], records["seconds"], records["file"]) == (("Ada",), ("7",), (str(path),))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [["a", "mt"], ["x", "y"]],
            "no column is called source, reference or target; there are: a, mt; rename them, or name columns by --ref "
            "{path}:COLUMN",
        ),
        ([["source", "src"], ["x", "y"]], "2 columns for source: source, src; rename all but one"),
        ([["source", "mt"]], "no row below the names of the columns; is it the sheet that was meant?"),
        ([["source", "mt", "mt"], ["x", "y", "z"]], "2 columns are called 'mt'; rename them"),
    ],
)
def test_broken_sheets(tmp_path: Path, rows: list[list[object]], message: str) -> None:
    path = sheet(tmp_path / "job.xlsx", *rows)
    with pytest.raises(InputError) as error:
        read_testset(path)
    assert str(error.value).endswith(message.format(path=path))


def test_a_sheet_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.io import excel

    path = sheet(tmp_path / "job.xlsx", ["source", "mt"], ["x" * 30_000, "y" * 30_000])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/image.bin", bytes(3_000_000))
    monkeypatch.setattr(excel, "HARMLESS", 1 << 20)
    with pytest.raises(InputError, match=r"job\.xlsx: unpacks to 3\.\d MB, more than 200 times its size"):
        read_testset(path)


def test_a_cell_far_to_the_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tertium.io import excel

    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(["source", "mt"])
    for row in range(2, 6):
        book.active.cell(row, 10_000, "x")
    book.save(tmp_path / "job.xlsx")
    monkeypatch.setattr(excel, "MOST_CELLS", 20_000)
    with pytest.raises(InputError, match="more than 20000 cells, empty ones among them; delete the columns and rows"):
        read_testset(tmp_path / "job.xlsx")
