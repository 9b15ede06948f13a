"""Uploads: the readers and errors of the command line, within limits, and nothing reached but what came along."""

import bz2
import gzip
import io
import json
import lzma
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError, TertiumError
from tertium.core.evaluation import Evaluation
from tertium.io.columns import READERS
from tertium.web.uploads import FormPart, Limits, read_upload, safe_name, title_of

SOURCE, REFERENCE, OUTPUT = "eins\nzwei\n", "one\ntwo\n", "one\ntoo\n"
XML = """<dataset id="little"><doc id="d"><src lang="de"><p><seg id="1">eins</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">one</seg></p></ref>
<hyp system="atlas" language="en"><p><seg id="1">one</seg></p></hyp></doc></dataset>"""


def part(field: str, name: str, data: str | bytes) -> FormPart:
    return FormPart(field, name, io.BytesIO(data.encode() if isinstance(data, str) else data))


def packed(files: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def read(folder: Path, *parts: FormPart, roles: object = None, limits: Limits | None = None) -> Evaluation:
    return read_upload(parts, None if roles is None else json.dumps(roles), folder, limits or Limits())


def refusal(folder: Path, *parts: FormPart, roles: object = None, limits: Limits | None = None) -> str:
    with pytest.raises(TertiumError) as caught:
        read(folder, *parts, roles=roles, limits=limits)
    assert str(folder) not in str(caught.value)  # where the server keeps things is nobody's business
    return str(caught.value)


def facts(found: Evaluation) -> tuple[list[str] | None, list[tuple[str, ...]], dict[str, list[str]]]:
    testset = found.testset
    return (
        None if testset.sources is None else list(testset.sources),
        [tuple(texts) for texts in testset.references],
        {system.name: list(system.outputs) for system in found.systems},
    )


WHOLE = (["eins", "zwei"], [("one",), ("two",)], {"atlas": ["one", "too"]})


@pytest.mark.parametrize("name", ["file", "roles"])
def test_a_table_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    opened, reader = [], READERS[".jsonl"]
    monkeypatch.setitem(READERS, ".jsonl", lambda path: opened.append(path) or reader(path))  # type: ignore[func-returns-value]
    rows = '{"source": "eins", "reference": "one", "output.a": "one", "output.b": "a"}\n'
    roles = [{"file": "x.jsonl", "column": column, "role": column.partition(".")[0]}
             for column in ("output.a", "source", "output.b", "reference")]  # fmt: skip
    found = read(tmp_path, part("file", "x.jsonl", rows), roles=roles if name == "roles" else None)
    said = "output." if name == "roles" else ""  # of columns that are recognised the word that says so is left out
    assert facts(found) == (["eins"], [("one",)], {f"{said}a": ["one"], f"{said}b": ["a"]})
    assert opened == [str(tmp_path / "x.jsonl")]


def test_files_in_their_fields(tmp_path: Path) -> None:
    found = read(tmp_path, part("source", "s.de", SOURCE), part("reference", "s.en", REFERENCE),
                 part("output", "atlas.en", OUTPUT))  # fmt: skip
    assert facts(found) == WHOLE
    assert found.systems[0].origin == "output/atlas.en"


def test_files_by_their_names(tmp_path: Path) -> None:
    found = read(tmp_path, part("file", "source.de", SOURCE), part("file", "ref.en", REFERENCE),
                 part("file", "atlas.en", OUTPUT))  # fmt: skip
    assert facts(found) == WHOLE


def test_files_by_roles(tmp_path: Path) -> None:
    roles = [{"file": "x", "role": "source"}, {"file": "y", "role": "reference"},
             {"file": "z", "role": "output", "name": "atlas"}, {"file": "w", "role": "ignore"}]  # fmt: skip
    parts = [
        part("file", "x", SOURCE),
        part("file", "y", REFERENCE),
        part("file", "z", OUTPUT),
        part("file", "w", b"\xff"),
    ]
    assert facts(read(tmp_path, *parts, roles=roles)) == WHOLE


TSV = "source\tref\tatlas\neins\tone\tone\nzwei\ttwo\ttoo\n"
JSONL = '{"source": "eins", "ref": "one", "atlas": "one"}\n{"source": "zwei", "ref": "two", "atlas": "too"}\n'


@pytest.mark.parametrize(("name", "data"), [("t.tsv", TSV), ("t.csv", TSV.replace("\t", ",")), ("t.jsonl", JSONL)])
def test_tables(tmp_path: Path, name: str, data: str) -> None:
    assert facts(read(tmp_path / "a", part("file", name, data))) == WHOLE
    roles = [{"file": name, "column": "source", "role": "source"}, {"file": name, "column": "ref", "role": "reference"},
             {"file": name, "column": "atlas", "role": "output", "name": "atlas"}]  # fmt: skip
    assert facts(read(tmp_path / "b", part("file", name, data), roles=roles)) == WHOLE


def test_columns_that_say_what_they_are(tmp_path: Path) -> None:
    found = read(tmp_path, part("file", "t.tsv", "id\tsrc\tref.A\tref.B\thyp.x\tnote\n1\ta\tb\tc\td\te\n"))
    assert facts(found) == (["a"], [("b", "c")], {"x": ["d"]})


def test_wmt(tmp_path: Path) -> None:
    assert facts(read(tmp_path, part("file", "little.xml", XML))) == (["eins"], [("one",)], {"atlas": ["one"]})


TOML = 'source = "s.de"\nreferences = "r.en"\nsystems = "systems/*.en"\n'
BUNDLE = {"testset.toml": TOML, "s.de": SOURCE, "r.en": REFERENCE, "systems/atlas.en": OUTPUT}


def test_testset_with_its_files(tmp_path: Path) -> None:
    assert facts(read(tmp_path, *(part("file", name, data) for name, data in BUNDLE.items()))) == WHOLE


@pytest.mark.parametrize("files", [
    BUNDLE, {f"folder/{name}": data for name, data in BUNDLE.items()},
    {"source.de": SOURCE, "references/a.en": REFERENCE, "systems/atlas.en": OUTPUT, "__MACOSX/._x": "", "README": "hi"},
    {"data.tsv": TSV}, {"data.jsonl": JSONL},
])  # fmt: skip
def test_zips(tmp_path: Path, files: dict[str, str]) -> None:
    assert facts(read(tmp_path, part("file", "all.zip", packed(files)))) == WHOLE


def test_names_do_not_say_where_the_server_keeps_files(tmp_path: Path) -> None:
    clashing = {"ref.en": REFERENCE, "a.en": OUTPUT, "x/a.en": OUTPUT, "b.en": OUTPUT, "b.de": OUTPUT}
    expected = ["a", "x/a", "b.en", "b.de"]
    origins = ["a.en", "x/a.en", "b.en", "b.de"]
    toml = {"testset.toml": 'references = "ref.en"\nsystems = ["a.en", "x/a.en", "b.en", "b.de"]\n'}
    table = {"m.toml": toml["testset.toml"]}
    names = [("all", "ref.en"), ("all", "testset"), ("m", "m")]  # of a zip, and without one
    for number, (files, name) in enumerate(zip([clashing, clashing | toml, clashing | table], names, strict=True)):
        zipped = read(tmp_path / f"{number}", part("file", "all.zip", packed(files)))
        loose = read(tmp_path / f"{number} loose", *(part("file", inner, data) for inner, data in files.items()))
        for found in (zipped, loose):
            assert [system.name for system in found.systems] == expected
            assert [system.origin for system in found.systems] == origins
        assert (zipped.testset.name, loose.testset.name) == name
    fields = [part("reference", "ref.en", REFERENCE), part("output", "a.en", OUTPUT), part("output", "x/a.en", OUTPUT)]
    assert [system.name for system in read(tmp_path / "fields", *fields).systems] == ["a", "x/a"]
    assert read(tmp_path / "xml", part("file", "little.xml", XML)).systems[0].origin == "little.xml"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (["ref.en", "atlas.en"], "atlas"),
        (["ref.en", "atlas.en", "brook.en"], "atlas and brook"),
        (["ref.en", "atlas.en", "brook.en", "cinder.en"], "atlas, brook and cinder"),
        (["reference.a.en", *(f"{name}.en" for name in "wxyz")], "w, x and 2 others"),
        (["wmt22.de-en.ref.en", "atlas.en"], "wmt22"),
        (["newstest2019-deen-ref.en", "newstest2019-deen-src.de", "atlas.en"], "newstest2019-deen"),
        (["My test.ref.en", "atlas.en"], "My test"),
        (["town/ref.en", "town/systems/atlas.en"], "town"),
        (["references/a.en", "systems/atlas.en"], "atlas"),
        (["systems/ref.en", "systems/atlas.en"], "atlas"),
        (["town-notes.tsv"], "town-notes"),
        ([*BUNDLE], "testset"),
    ],
)
def test_dropped_files_get_a_name(tmp_path: Path, files: list[str], name: str) -> None:
    special = BUNDLE | {"town-notes.tsv": TSV}
    given = read(tmp_path, *(part("file", file, special.get(file, OUTPUT)) for file in files))
    assert title_of(given, files) == name
    assert title_of(given, [*files, ""]) == name  # a field that was left empty


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_files(tmp_path: Path, suffix: str, pack: object) -> None:
    parts = [part("file", name + suffix, pack(text.encode())) for name, text in  # type: ignore[operator]
             {"source.de": SOURCE, "ref.en": REFERENCE, "atlas.en": OUTPUT}.items()]  # fmt: skip
    assert facts(read(tmp_path, *parts)) == WHOLE
    assert refusal(tmp_path / "b", part("file", f"ref.en{suffix}", b"not at all")).startswith(
        f"ref.en{suffix}: not a valid {suffix} file ("
    )


def test_compressed_files_that_a_testset_names(tmp_path: Path) -> None:
    files = {name: gzip.compress(str(data).encode()) for name, data in BUNDLE.items() if name != "testset.toml"}
    bundle = {f"{name}.gz": data for name, data in files.items()} | {
        "testset.toml": TOML.replace('"\n', '.gz"\n').encode()
    }
    assert facts(read(tmp_path / "a", part("file", "all.zip", packed(bundle)))) == WHOLE
    assert facts(read(tmp_path / "b", *(part("file", name, data) for name, data in bundle.items()))) == WHOLE


def test_saved_evaluations(tmp_path: Path) -> None:
    given = read(
        tmp_path / "a", part("source", "s", SOURCE), part("reference", "r", REFERENCE), part("output", "atlas", OUTPUT)
    )
    evaluation = tt.evaluate(given.testset, given.systems, "bleu")
    tt.save(evaluation, tmp_path / "e.zip")
    found = read(tmp_path / "b", part("file", "e.zip", (tmp_path / "e.zip").read_bytes()))
    assert facts(found) == WHOLE
    assert [score.value for score in found.scores()] == [score.value for score in evaluation.scores()]


def test_saved_evaluations_of_local_metrics_are_refused(tmp_path: Path) -> None:
    given = read(
        tmp_path / "a", part("source", "s", SOURCE), part("reference", "r", REFERENCE), part("output", "atlas", OUTPUT)
    )
    local = tt.evaluate(given.testset, given.systems, 'bleu(tokenize="py:shlex:split")')
    tt.save(local, tmp_path / "e.zip")
    assert refusal(tmp_path / "b", part("file", "e.zip", (tmp_path / "e.zip").read_bytes())).startswith(
        'bleu: tokenize="py:shlex:split" names a file or a function of this computer, which is not allowed here'
    )


def test_wrong_files(tmp_path: Path) -> None:
    reference = part("reference", "ref.en", REFERENCE)
    cases = [
        ([], "no file came along; drop source, references and outputs, or a test set as one file"),
        ([part("file", "a.en", OUTPUT)], "no reference and no source among a.en; say which file is which, or call them "
         "reference.en, source.de, systems/NAME.en"),
        ([part("reference", "r.en", REFERENCE)],
         "no output of a system; send at least one beside source and references"),
        ([part("reference", "r.en", b"\xff\n"), part("output", "a.en", OUTPUT)],
         "reference/r.en:1: byte 0xff at offset 0 is not UTF-8; convert the file first, for example with: "
         "iconv -f latin1 -t utf-8"),
        ([part("source", "s.de", "eins\n"), reference, part("output", "a.en", OUTPUT)],
         "source/s.de: 1 line, but reference/ref.en has 2; they must go line by line"),
        ([part("source", "a", SOURCE), part("source", "b", SOURCE), reference, part("output", "c", OUTPUT)],
         "2 files for source: source/a, source/b; there is one, or none"),
        ([part("output", "a.en", OUTPUT), part("output", "a.en", OUTPUT)], "a.en: two files of that name; rename one"),
        ([part("file", "t.parquet", b"PAR1")],
         "t.parquet: .parquet files are not taken here; convert it to .tsv or .jsonl"),
        ([part("file", "a.zip", b"PK"), part("file", "b.en", OUTPUT)],
         "a.zip came with 1 other files; send a zip alone"),
        ([part("file", "a.zip", b"PK")], "a.zip: not a valid zip file (File is not a zip file)"),
        ([part("file", "a.zip", packed({}))], "a.zip: no file in it; put source, references and outputs there"),
        ([part("file", "a.zip", packed({"b.zip": packed({"c": "d"})}))],
         "a.zip: a zip in a zip; unpack the inner one first"),
        ([part("file", "a.toml", TOML), part("file", "b.toml", TOML)], "2 .toml files: a.toml, b.toml; send one"),
        ([part("file", "a.toml", "x = [")], "a.toml: not a valid TOML file (Invalid value (at end of document))"),
        ([part("file", "a.toml", TOML)],
         "s.de: no such file came along, and a.toml names it; send the whole folder, or a zip of it"),
        ([part("file", "x.xml", "<dataset>")], "x.xml:1: not well-formed XML (no element found, column 10)"),
        ([part("file", "t.tsv", "a\tb\n1\n")],
         "t.tsv:2: 1 field, but the header has 2 fields; is there a separator too many or too few?"),
        ([part("file", "evaluation.zip", packed({"evaluation.json": "{}"}))],
         "evaluation.zip: not a tertium evaluation, or damaged ('format')"),
    ]  # fmt: skip
    for number, (parts, sentence) in enumerate(cases):
        assert refusal(tmp_path / str(number), *parts) == sentence


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("photo.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF", "an image"),
        ("mt.en", b"\x89PNG\r\n\x1a\n", "an image"),
        ("paper.pdf", b"%PDF-1.7\n%\xe2", "a PDF document"),
        ("mt.docx", packed({"word/document.xml": "<w/>"}), "an office document or a zip"),
        ("mt.en", gzip.compress(OUTPUT.encode()), "compressed, which its name should say (.gz)"),
        ("mt.en", b"one\0two\n", "binary"),
    ],
)
def test_files_that_are_no_texts(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    sentence = f"{name}: this is {what}, not a text; send plain texts in UTF-8, one segment per line"
    texts = [part("source", "s.de", SOURCE), part("reference", "r.en", REFERENCE)]
    assert refusal(tmp_path / "a", *texts, part("output", name, data)) == f"output/{sentence}"
    assert refusal(tmp_path / "b", part("file", name, data)) == sentence
    (tmp_path / "c").mkdir()
    beside = [part("file", "reference.en", REFERENCE), part("file", "mt.txt", OUTPUT), part("file", f"id/{name}", data)]
    roles = [{"file": "reference.en", "role": "reference"}, {"file": "mt.txt", "role": "output"},
             {"file": f"id/{name}", "role": "ignore"}]  # fmt: skip
    assert [system.name for system in read(tmp_path / "c", *beside, roles=roles).systems] == ["mt"]


def test_wrong_roles(tmp_path: Path) -> None:
    output = part("file", "a.en", OUTPUT)
    for number, (roles, sentence) in enumerate([
        ("x", 'roles: expected a JSON list such as [{"file": "a.en", "role": "output", "name": "atlas"}]'),
        ([{"file": "b.en", "role": "output"}], "roles: no file 'b.en' came along; there are: a.en"),
        ([{"file": "../a.en", "role": "output"}], "roles: no file '../a.en' came along; there are: a.en"),
        ([{"file": "a.en", "role": "judge"}],
         "roles: a.en cannot be 'judge'; choose from source, reference, output, documents, judgements, ignore"),
    ]):  # fmt: skip
        output.file.seek(0)
        assert refusal(tmp_path / str(number), output, roles=roles) == sentence


# Names that reach elsewhere

OUTSIDE = ["../a.en", "a/../../b", "/etc/passwd", "\\\\server\\x", "C:\\x", "..", "", "a/..", "..\\..\\x"]


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_outside_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="not a name inside the upload"):
        safe_name(name)
    if name:
        assert "not a name inside the upload" in refusal(tmp_path / "up", part("output", name, OUTPUT))
        zipped = packed({name: OUTPUT})
        assert "not a name inside the upload" in refusal(tmp_path / "zip", part("file", "a.zip", zipped))
    assert not (tmp_path / "a.en").exists()
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name", ["a\x00b", "a\nb", "a\u202eb", "\ud800", "x" * 201, "/".join("abcdefghijklmno")])
def test_strange_names_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="rename the file"):
        safe_name(name)


@pytest.mark.parametrize("key", ["source", "references", "systems", "documents", "ids", "judgements"])
@pytest.mark.parametrize("spec", ["/etc/passwd", "../secret.txt", "systems/../../secret.txt", "C:/x", "~/x"])
def test_a_testset_names_nothing_outside(tmp_path: Path, key: str, spec: str) -> None:
    (tmp_path / "secret.txt").write_text(REFERENCE)
    toml = f'{key} = "{spec}"\n' + ("" if key == "references" else 'references = "r.en"\n')
    files = {"testset.toml": toml, "r.en": REFERENCE}
    expected = (f"testset.toml: {key} names '{spec}', which lies outside the upload; "
                f"send the files along and name them by paths from testset.toml")  # fmt: skip
    assert refusal(tmp_path / "up", *(part("file", name, data) for name, data in files.items())) == expected
    assert refusal(tmp_path / "zip", part("file", "a.zip", packed(files))) == expected


def test_labels_and_tables_of_systems_name_nothing_outside(tmp_path: Path) -> None:
    for number, extra in enumerate(
        ['[labels]\nd = "/etc/passwd"\n', '[systems]\nd = "../x"\n', 'references = ["/x"]\n']
    ):
        assert "lies outside the upload" in refusal(tmp_path / str(number), part("file", "testset.toml", extra))


def test_a_campaign_beside_a_test_set_is_no_second_one(tmp_path: Path) -> None:
    files = BUNDLE | {"campaign.toml": "testset = 'testset.toml'"}
    assert facts(read(tmp_path, *(part("file", name, data) for name, data in files.items()))) == WHOLE


def test_links_in_zips_are_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        link = zipfile.ZipInfo("r.en")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert refusal(tmp_path, part("file", "a.zip", out.getvalue())) == "r.en: not a plain file; a zip may hold no links"


# Limits


def test_zip_bombs(tmp_path: Path) -> None:
    bomb = packed({"reference.en": b"\n" * (40 << 20)})
    assert len(bomb) < 100_000
    assert refusal(tmp_path / "a", part("file", "a.zip", bomb)) == (
        "reference.en: with it the upload unpacks to more than 200 times its size; texts do not, so it is refused"
    )
    inside = packed({"reference.en.gz": gzip.compress(b"\n" * (40 << 20))})
    assert refusal(tmp_path / "c", part("file", "a.zip", inside)) == (
        "reference.en.gz: with it the upload unpacks to more than 200 times its size; texts do not, so it is refused"
    )
    assert refusal(tmp_path / "b", part("reference", "r.en.gz", gzip.compress(b"\n" * (40 << 20)))) == (
        "r.en.gz: with it the upload unpacks to more than 200 times its size; texts do not, so it is refused"
    )


def test_limits(tmp_path: Path) -> None:
    little = Limits(unpacked=3000, files=3)
    four = {f"{k}.en": OUTPUT for k in range(4)}
    sentence = "more than 3 files; put the texts into fewer, or into a table"
    assert refusal(tmp_path / "a", part("file", "a.zip", packed(four)), limits=little) == sentence
    assert (
        refusal(tmp_path / "b", *(part("output", name, data) for name, data in four.items()), limits=little) == sentence
    )
    large = "a.en: more than 2 KB unpacked; send less at a time"
    assert refusal(tmp_path / "c", part("output", "a.en", "x" * 3001), limits=little) == large
    assert refusal(tmp_path / "d", part("file", "a.zip", packed({"a.en": "x" * 3001})), limits=little) == large


def test_a_zip_that_lies_about_its_size(tmp_path: Path) -> None:
    data = bytearray(packed({"reference.en": b"\n" * 5000}))
    for mark in (b"PK\x01\x02", b"PK\x03\x04"):  # the size that is declared, in both places
        place = data.find(mark) + (24 if mark == b"PK\x01\x02" else 22)
        data[place : place + 4] = (10).to_bytes(4, "little")
    found = refusal(tmp_path, part("file", "a.zip", bytes(data)))
    assert found.startswith("a.zip: not a valid zip file (")


JOB = """<xliff version="1.2"><file original="d" source-language="de" target-language="en"><body>
<trans-unit id="1"><source>eins<x id="1"/></source><target>{}<x id="1"/></target>{}</trans-unit>
<trans-unit id="2"><source>zwei</source><target>two</target>
<alt-trans origin="atlas"><target>too</target></alt-trans></trans-unit></body></file></xliff>"""
ATLAS = '<alt-trans origin="atlas"><target>one</target></alt-trans>'


def test_localisation_files(tmp_path: Path) -> None:
    """One or several of them are a test set; beside others, their targets are what their names say."""
    assert facts(read(tmp_path, part("file", "job.xlf", JOB.format("one", ATLAS)))) == WHOLE
    several = read(
        tmp_path / "several",
        part("file", "b/job.xlf", JOB.format("one", ATLAS)),
        part("file", "a/job.sdlxliff", JOB.format("won", ATLAS)),
    )
    assert len(several.testset) == 4
    assert several.testset.name == "testset"
    roles = read(
        tmp_path / "roles",
        part("file", "reference.xlf", JOB.format("one", "")),
        part("file", "systems/borealis.xlf", JOB.format("won", "")),
    )
    assert facts(roles) == (["eins", "zwei"], [("one",), ("two",)], {"borealis": ["won", "two"]})


def test_notes_of_localisation_files_do_not_say_where_they_are_kept(tmp_path: Path) -> None:
    data = JOB.format("one", ATLAS + ATLAS)
    found = read(tmp_path, part("file", "job.xlf", data))
    assert found.warnings == ("job.xlf: 1 proposal left out: one as good or better of the same origin is there",)
    found = read(tmp_path / "packed", part("file", "job.zip", packed({"jobs/job.xlf": data})))
    assert found.warnings[0].startswith("jobs/job.xlf: 1 proposal left out")


def test_tags_of_uploads(tmp_path: Path) -> None:
    parts = [part("file", "job.xlf", JOB.format("one", ATLAS))]
    found = read_upload(parts, None, tmp_path, Limits(), "protect")
    assert found.testset.references[0] == ("one ⟦1⟧",)


def test_hostile_localisation_files(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE xliff [<!ENTITY a "ha">]>' + JOB.format("&a;", "")
    assert "declarations of its own" in refusal(tmp_path, part("file", "job.xlf", laughs))
    outside = 'files = "../*.xlf"\n'
    assert "lies outside the upload" in refusal(tmp_path / "toml", part("file", "testset.toml", outside))
