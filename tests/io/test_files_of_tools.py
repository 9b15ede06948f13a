"""What tools add to the standards: earlier versions, unconfirmed segments, codes of tags, varieties of a language."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError
from tertium.io.testset import read_testset

MEMOQ = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:mq="MQXliff" version="1.2" mq:version="1">
 <file original="letter.docx" source-language="en" target-language="cs"><body>
  <trans-unit id="1" mq:status="ManuallyConfirmed">
   <source xml:space="preserve">Hello</source><target xml:space="preserve">Ahoj</target>
   <mq:minorversions><mq:historical-unit mq:status="MachineTranslated">
    <source xml:space="preserve">Hello there</source><target xml:space="preserve">Nazdar</target>
   </mq:historical-unit></mq:minorversions>
  </trans-unit>
  <trans-unit id="2" mq:status="MachineTranslated"><source>Bye</source><target>Nashle</target></trans-unit>
  <trans-unit id="3" mq:status="PreTranslated"><source>Yes</source><target>Ano</target></trans-unit>
  <trans-unit id="4" mq:status="NotStarted"><source>No</source><target></target></trans-unit>
 </body></file>
</xliff>"""

PHRASE = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2"
 xmlns:m="http://www.memsource.com/mxlf/2.0">
 <file original="letter.docx" source-language="en" target-language="cs"><body>
  <trans-unit id="a:0" m:confirmed="1"><source>Hello</source><target>Ahoj</target>
   <alt-trans origin="machine-trans"><target>Nazdar</target></alt-trans></trans-unit>
  <trans-unit id="a:1" m:confirmed="0" m:trans-origin="mt"><source>Bye</source><target>Nashle</target>
   <alt-trans origin="machine-trans"><target>Nashle</target></alt-trans></trans-unit>
 </body></file>
</xliff>"""

TRADOS = """<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2"
 version="1.2"><file original="letter.docx" source-language="en" target-language="cs"><body>
  <trans-unit id="1"><source>Hello. Bye.</source>
   <seg-source><mrk mtype="seg" mid="1">Hello.</mrk> <mrk mtype="seg" mid="2">Bye.</mrk></seg-source>
   <target><mrk mtype="seg" mid="1">Ahoj.</mrk> <mrk mtype="seg" mid="2">Nashle.</mrk></target>
   <sdl:seg-defs><sdl:seg id="1" conf="Translated"/><sdl:seg id="2" conf="Draft" origin="mt"/></sdl:seg-defs>
  </trans-unit></body></file>
</xliff>"""


def read(path: Path, text: str) -> tt.Evaluation:
    path.write_text(text)
    return read_testset(path)


@pytest.mark.parametrize(
    ("name", "text", "sources", "references", "note"),
    [
        ("a.mqxliff", MEMOQ, ["Hello", "Bye", "Yes", "No"], [("Ahoj",), (), (), ()],
         "2 translations not used as a reference: not finished or not confirmed (state MachineTranslated, "
         "PreTranslated)"),
        ("a.mxliff", PHRASE, ["Hello", "Bye"], [("Ahoj",), ()],
         "1 translation not used as a reference: not finished or not confirmed (state 0)"),
        ("a.sdlxliff", TRADOS, ["Hello.", "Bye."], [("Ahoj.",), ()],
         "1 translation not used as a reference: not finished or not confirmed (state Draft)"),
    ],
)  # fmt: skip
def test_what_nobody_has_confirmed_is_no_reference(
    tmp_path: Path, name: str, text: str, sources: list[str], references: list[tuple[str, ...]], note: str
) -> None:
    """An engine's own text as the reference would make every engine of its kind look perfect."""
    found = read(tmp_path / name, text)
    assert list(found.testset.sources or ()) == sources
    assert list(found.testset.references) == references
    assert found.warnings == (f"{tmp_path / name}: {note}",)


def test_effort_is_of_what_was_confirmed(tmp_path: Path) -> None:
    found = tt.effort(read(tmp_path / "a.mxliff", PHRASE))
    assert found.whole.segments == 1
    assert found.whole.scores["untouched"].value == 0


def test_texts_of_an_extension_are_no_segments(tmp_path: Path) -> None:
    """XLIFF 2 lets anybody put elements of their own into a unit, sources and targets among them."""
    text = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.1" version="2.1" srcLang="en" trgLang="cs">
     <file id="f"><unit id="u"><x:old xmlns:x="urn:x"><source>Old</source><target>Staré</target></x:old>
      <segment><source>New</source><target>Nové</target></segment></unit></file></xliff>"""
    found = read(tmp_path / "a.xlf", text)
    assert list(found.testset.sources or ()) == ["New"]
    assert list(found.testset.references) == [("Nové",)]


def test_a_match_into_another_language_is_no_output(tmp_path: Path) -> None:
    """XLIFF 2.1, 5.1.6.7: `reference="yes"`, the target is in a language that is not the file's."""
    text = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.1" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"
      version="2.1" srcLang="en" trgLang="cs"><file id="f"><unit id="u"><mtc:matches>
      <mtc:match ref="#s" origin="atlas" reference="yes"><source>A</source><target xml:lang="sk">B</target></mtc:match>
      <mtc:match ref="#s" origin="borealis"><source>A</source><target>C</target></mtc:match></mtc:matches>
      <segment id="s"><source>A</source><target>D</target></segment></unit></file></xliff>"""
    found = read(tmp_path / "a.xlf", text)
    assert {system.name: list(system.outputs) for system in found.systems} == {"borealis": ["C"]}
    assert found.warnings == (
        f"{tmp_path / 'a.xlf'}: 1 proposal left out: it is into another language, as a reference",
    )


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<ph id="1">&lt;br/&gt;</ph>', "one two"),
        ('<ph id="1">&lt;BR class="x" /&gt;</ph>', "one two"),
        ('<ph id="1">\\n</ph>', "one two"),
        ('<x id="1" equiv-text="&lt;br&gt;"/>', "one two"),
        ('<ph id="1">&lt;bra/&gt;</ph>', "onetwo"),
        ('<ph id="1">&lt;wbr/&gt;</ph>', "onetwo"),
        ('<g id="1"/>', "onetwo"),
    ],
)
def test_codes_that_are_line_breaks_are_spaces(tmp_path: Path, tag: str, expected: str) -> None:
    """Words on two sides of a line break are not one word."""
    text = f"""<xliff version="1.2"><file original="a"><body><trans-unit id="1"><source>one{tag}two</source>
      <target>x</target></trans-unit></body></file></xliff>"""
    assert list(read(tmp_path / "a.xlf", text).testset.sources or ()) == [expected]


def memory(*units: dict[str, str], srclang: str = "en-US") -> str:
    body = ""
    for unit in units:
        variants = [f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in unit.items()]
        body += f"<tu>{''.join(variants)}</tu>"
    return f'<tmx version="1.4"><header srclang="{srclang}"/><body>{body}</body></tmx>'


def test_varieties_of_a_language_in_a_memory(tmp_path: Path) -> None:
    text = memory({"en-US": "one", "de": "eins"}, {"en": "two", "de-DE": "zwei"}, {"EN-us": "three", "DE": "drei"})
    found = read(tmp_path / "m.tmx", text)
    assert list(found.testset.sources or ()) == ["one", "two", "three"]
    assert list(found.testset.references) == [("eins",), ("zwei",), ("drei",)]
    assert found.testset.language_pair == "en-US-de"
    assert found.warnings == (
        f"{tmp_path / 'm.tmx'}: texts in en are read as en-US",
        f"{tmp_path / 'm.tmx'}: texts in de-DE are read as de",
    )


def test_varieties_that_one_unit_has_are_languages(tmp_path: Path) -> None:
    """A memory from one English into the other, and one into two kinds of German."""
    found = read(tmp_path / "m.tmx", memory({"en": "color", "en-GB": "colour"}, srclang="en"))
    assert (found.testset.source_language, found.testset.target_language) == ("en", "en-GB")
    path = tmp_path / "n.tmx"
    with pytest.raises(InputError, match=r"translations into 2 languages \(de-AT, de-DE\)"):
        read(path, memory({"en-US": "a", "de-AT": "b"}, {"en-US": "a", "de-DE": "c"}))


def test_a_language_for_each_unit(tmp_path: Path) -> None:
    """Few texts, spread over a table of all languages, would take the memory of all its empty places."""
    text = memory(*({"en-US": "a", f"x{k}": "b"} for k in range(3000)))
    with pytest.raises(InputError) as error:
        read(tmp_path / "m.tmx", text)
    assert str(error.value) == (
        f"{tmp_path / 'm.tmx'}: 3000 units in 3000 languages, nearly all of which are missing; is xml:lang the "
        f"language of each text?"
    )


@pytest.mark.parametrize("ending", ["xlf", "po"])
def test_notes_of_a_unit_have_an_end(tmp_path: Path, ending: str) -> None:
    """They are joined to one text, which may not be copied for each of them."""
    many = 3000
    if ending == "xlf":
        notes = "<note>said so</note>" * many
        text = f"""<xliff version="1.2"><file original="a"><body><trans-unit id="1"><source>a</source><target>b</target>
          {notes}</trans-unit></body></file></xliff>"""
    else:
        text = "# said so\n" * many + 'msgid "a"\nmsgstr "b"\n'
    [notes] = read(tmp_path / f"a.{ending}", text).testset.records["notes"]
    assert len(notes) == 10_000
    assert notes.startswith("said so | said so | ")
    assert notes.endswith("…")


def test_facts_of_a_unit_with_many_segments(tmp_path: Path) -> None:
    """Each segment has its unit's facts: a unit may not have as many of these as it has segments."""
    n = 2000
    marks = "".join(f'<mrk mtype="seg" mid="{k}">a</mrk>' for k in range(n))
    counts = "".join(f'<count count-type="c{k}">1</count>' for k in range(n))
    text = f"""<xliff version="1.2"><file original="a"><body><trans-unit id="1"><source>{marks}</source>
      <target state="final">{marks}</target>{counts}<count count-type="edit-time">7</count></trans-unit></body></file>
      </xliff>"""
    found = read(tmp_path / "a.xlf", text)
    assert len(found.testset) == n
    assert len(found.testset.records) <= 66
    assert set(found.testset.records["seconds"]) == {"7"}
