"""Scores and errors written into notes of XLIFF files: nothing else changes, and ours never double."""

import re
from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.localisation.notes import with_notes
from tertium.io.testset import read_testset

from .running import Command

XLIFF1 = """<?xml version='1.0' encoding="{encoding}"?>\r
<!-- by hand -->
<x:xliff version="1.2" xmlns:x="urn:oasis:names:tc:xliff:document:1.2">
 <x:file original='a > b' source-language="de" target-language="en" datatype="x"><x:body>
  <x:trans-unit id="1"   ><x:source>Ein  Bär &amp; zwei</x:source>
    <x:target state="a>b" >One bear &#38; two</x:target ><x:note from="lead">keep &lt;me&gt;</x:note>
    <x:alt-trans origin="atlas"><x:source>Ein</x:source><x:target>One bear &amp; 2</x:target></x:alt-trans>
  </x:trans-unit>
  <x:trans-unit id="2"><x:source>Zwei 12</x:source><x:target/><x:note>also</x:note></x:trans-unit>
 </x:body></x:file>
</x:xliff>
"""

XLIFF2 = """<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="de" trgLang="en"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">
<file id="f"><notes><note>of the file</note></notes>
 <unit id="1"><originalData><data id="d">x</data></originalData><segment><source>eins</source></segment></unit>
 <unit id="2"><notes><note id="n1">theirs</note></notes><segment id="s1"><source>zwei</source></segment>
  <segment id="s2"><source>drei</source></segment></unit>
 <unit id="3"><segment><source>vier</source></segment></unit>
</file></xliff>"""

OURS = re.compile(rb'<(?:x:)?note (?:from|category)="tertium">[^<]*</(?:x:)?note>')


def without_ours(data: bytes) -> bytes:
    return OURS.sub(b"", data).replace(b"<notes></notes>", b"")


def test_version_1() -> None:
    data = XLIFF1.format(encoding="UTF-8").encode()
    first = with_notes(data, "a.xlf", {1: ["one < 2 & \x07", "two"], 2: ["three"]})
    assert without_ours(first) == data
    assert (
        'two</x:target ><x:note from="tertium">one &lt; 2 &amp; \ufffd</x:note>'
        '<x:note from="tertium">two</x:note><x:note from="lead">' in first.decode()
    )
    assert '<x:target/><x:note from="tertium">three</x:note><x:note>also' in first.decode()
    second = with_notes(first, "a.xlf", {1: ["one < 2 & \x07", "two"], 2: ["three"]})
    assert second == first
    assert with_notes(second, "a.xlf", {}) == data


def test_version_2() -> None:
    data = XLIFF2.encode()
    first = with_notes(data, "a.xlf", {1: ["one"], 2: ["two"]})
    assert without_ours(first) == data
    assert '<unit id="1"><notes><note category="tertium">one</note></notes><originalData>' in first.decode()
    assert '>theirs</note><note category="tertium">two</note></notes><segment' in first.decode()
    assert with_notes(first, "a.xlf", {1: ["one"], 2: ["two"]}) == first
    assert with_notes(first, "a.xlf", {3: ["new"]}).count(b"tertium") == 1
    assert with_notes(first, "a.xlf", {}) == data


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "iso-8859-1"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    """The file stays in its encoding; what this has no letter for is written by its number."""
    said = "utf-8" if encoding == "utf-8-sig" else "utf-16" if encoding.startswith("utf-16") else encoding
    data = XLIFF1.format(encoding=said).encode(encoding)
    path = tmp_path / "a.xlf"
    path.write_bytes(with_notes(data, "a.xlf", {1: ["☺ ä"]}))
    assert with_notes(path.read_bytes(), "a.xlf", {}) == data
    assert read_testset(path).testset.records["notes"] == ("keep <me>", "also")
    from xml.etree import ElementTree

    notes = [note.text for note in ElementTree.parse(path).iter("{urn:oasis:names:tc:xliff:document:1.2}note")]
    assert notes == ["☺ ä", "keep <me>", "also"]


def test_an_encoding_that_cannot_be_kept() -> None:
    data = XLIFF1.format(encoding="klingon").encode()
    with pytest.raises(
        InputError, match=r"a\.xlf: notes cannot be written into a file in klingon; convert it to UTF-8"
    ):
        with_notes(data, "a.xlf", {})


def test_a_report_writes_scores_and_what_it_found(tertium: Command, tmp_path: Path) -> None:
    path, out = tmp_path / "job.xlf", tmp_path / "noted.xlf"
    path.write_text(XLIFF1.format(encoding="UTF-8"), newline="")
    said = tertium("report", str(path), "-m", "chrf", "-o", str(tmp_path / "r.html"), "--xliff-notes", str(out)).out
    assert f"{out} is written, with notes" in said
    data = out.read_bytes()
    assert without_ours(data) == path.read_bytes()
    [note] = OURS.findall(data)
    assert re.search(rb">atlas: chrF \d\d\.\d", note)
    tertium("report", str(out), "-m", "chrf", "-o", str(tmp_path / "r.html"), "--xliff-notes", str(out))
    assert out.read_bytes() == data


def test_scores_go_into_a_folder_where_there_are_several_files(tertium: Command, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.xlf").write_text(XLIFF1.format(encoding="UTF-8"), newline="")
    (tmp_path / "testset.toml").write_text('files = "*.xlf"\n')
    tertium("score", str(tmp_path / "testset.toml"), "-m", "chrf", "--xliff-notes", str(tmp_path / "out"))
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == ["a.xlf", "b.xlf"]
    assert (tmp_path / "out" / "a.xlf").read_bytes().count(b'from="tertium"') == 1


def test_what_cannot_be_written(tmp_path: Path) -> None:
    from tertium.cli.options import write_xliff_notes

    path = tmp_path / "job.xlf"
    path.write_text(XLIFF1.format(encoding="UTF-8"))
    read = read_testset(path)
    path.write_text(XLIFF1.format(encoding="UTF-8").replace("Zwei", "Drei"))
    with pytest.raises(
        InputError, match=r"job\.xlf: is no longer what was read; its segments are others. Run it again"
    ):
        write_xliff_notes(read, str(tmp_path / "out.xlf"))
    assert not (tmp_path / "out.xlf").exists()
    (tmp_path / "a.po").write_text('msgid "a"\nmsgstr "b"\n')
    with pytest.raises(InputError, match=r"a\.po: notes are written into XLIFF; expected a name that ends in \.xlf"):
        write_xliff_notes(read_testset(tmp_path / "a.po"), str(tmp_path / "out.po"))
