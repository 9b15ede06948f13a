"""XLIFF 1.2 and 2.x and SDLXLIFF, written by hand after the standards."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.core.errors import InputError
from tertium.io.columns import LastTable, open_table
from tertium.io.testset import read_testset

XLIFF1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
 <file original="guide.html" source-language="de" target-language="en" datatype="html" category="manuals">
  <header>
   <phase-group><phase phase-name="pe" process-name="edit" contact-name="Ada" date="2026-11-01T10:00:00Z"/>
   </phase-group>
   <tool tool-id="t1" tool-name="borealis"/>
  </header>
  <body>
   <group id="g1">
    <trans-unit id="1" m:modified-by="Bo" xmlns:m="http://www.memsource.com/mxlf/2.0">
     <source>Klicken Sie <g id="a">hier</g>.<x id="b" ctype="lb"/>Danke &amp;
        gut.</source>
     <target state="final" phase-name="pe">Click <g id="a">here</g>.<x id="b" ctype="lb"/>Thanks &amp; good.</target>
     <note from="lead">a button</note><note>short</note>
     <count-group name="time"><count count-type="x-edit-time">12.5</count></count-group>
     <alt-trans origin="atlas" match-quality="70%"><target>Press <g id="a">here</g>.</target></alt-trans>
     <alt-trans origin="atlas" match-quality="90%"><target>Click <g id="a">there</g>.</target></alt-trans>
     <alt-trans origin="atlas"><target>No quality.</target></alt-trans>
     <alt-trans tool-id="t1" alttranstype="accepted"><target/></alt-trans>
     <alt-trans alttranstype="previous-version"><target>Older.</target></alt-trans>
    </trans-unit>
   </group>
   <trans-unit id="2" translate="no"><source>v1.0</source><target>v1.0</target></trans-unit>
   <trans-unit id="3"><source>Noch nichts.</source><target state="new">Noch nichts.</target></trans-unit>
   <trans-unit id="4"><source>Leer.</source><target/></trans-unit>
  </body>
 </file>
 <file original="more.html" source-language="de" target-language="en" datatype="html"><body>
   <trans-unit id="1"><source>Ende.</source><target>End.</target></trans-unit>
 </body></file>
</xliff>
"""

XLIFF2 = """<?xml version="1.0"?>
<xliff version="2.1" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="de" trgLang="en"
       xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0" xmlns:mda="urn:oasis:names:tc:xliff:metadata:2.0">
 <file id="f1" original="shop.json">
  <unit id="u1">
   <mtc:matches>
    <mtc:match ref="#s1" origin="atlas" type="mt"><source>Guten Tag.</source><target>Good day.</target></mtc:match>
    <mtc:match ref="#s2" origin="atlas"><source>Noch Fragen?</source><target>Other questions?</target></mtc:match>
    <mtc:match ref="#m1" origin="memory"><source>Fragen</source><target>questions</target></mtc:match>
    <mtc:match ref="#s2" type="tm" matchQuality="65.0"><source>Eine Frage?</source>
     <target>A question?</target></mtc:match>
   </mtc:matches>
   <mda:metadata><mda:metaGroup><mda:meta type="client">Alder</mda:meta></mda:metaGroup></mda:metadata>
   <notes><note id="n1">greeting</note></notes>
   <originalData><data id="d1">{0}</data><data id="d2">&lt;b&gt;</data><data id="d3">&lt;/b&gt;</data></originalData>
   <segment id="s1" state="final"><source>Guten Tag.</source><target>Hello.</target></segment>
   <ignorable><source> </source></ignorable>
   <segment id="s2" state="translated">
    <source>Noch <pc id="1" dataRefStart="d2" dataRefEnd="d3"><mrk id="m1" type="term">Fragen</mrk></pc>, <ph id="2"
      dataRef="d1"/><sc id="3" subType="xlf:lb" type="fmt"/>?<cp hex="263A"/></source>
    <target>Any <pc id="1" dataRefStart="d2" dataRefEnd="d3">questions</pc>, <ph id="2" dataRef="d1"/>?</target>
   </segment>
  </unit>
  <unit id="u2" translate="no"><segment><source>v2</source></segment></unit>
  <unit id="u3"><segment state="initial"><source>Neu.</source><target>Neu.</target></segment></unit>
 </file>
</xliff>
"""

SDL = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0"
       xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
 <file original="C:\\jobs\\letter.docx" datatype="x-sdlfilterframework2" source-language="de-DE"
  target-language="en-GB"><header><sdl:ref-files/></header><body>
  <trans-unit id="8f1a"><source>Erstens. Zweitens.</source>
   <seg-source><mrk mtype="seg" mid="1">Erstens.</mrk> <mrk mtype="seg" mid="2">Zweitens.</mrk></seg-source>
   <target><mrk mtype="seg" mid="1">First<mrk mtype="x-sdl-deleted" sdl:revid="r">ly</mrk>.</mrk> <mrk mtype="seg"
     mid="2">Second.</mrk></target>
   <sdl:seg-defs>
    <sdl:seg id="1" conf="ApprovedTranslation" origin="mt" origin-system="borealis">
     <sdl:value key="last_modified_by">PC\\ada</sdl:value><sdl:value key="modified_on">11/18/2026 09:30:05</sdl:value>
    </sdl:seg>
    <sdl:seg id="2" conf="Translated" origin="tm" percent="87"/>
   </sdl:seg-defs>
  </trans-unit></body>
 </file>
</xliff>
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for name, text in (("one.xlf", XLIFF1), ("two.xliff", XLIFF2), ("three.sdlxliff", SDL)):
        (tmp_path / name).write_text(text)
    return tmp_path


def texts(found: tt.Evaluation) -> tuple[list[str | None], list[tuple[str, ...]], dict[str, list[str | None]]]:
    assert found.testset.sources is not None
    outputs = {system.name: list(system.outputs) for system in found.systems}
    return list(found.testset.sources), list(found.testset.references), outputs


def test_version_1(written: Path) -> None:
    found = read_testset(written / "one.xlf")
    testset = found.testset
    assert texts(found) == (
        ["Klicken Sie hier. Danke & gut.", "Noch nichts.", "Leer.", "Ende."],
        [("Click here. Thanks & good.",), (), (), ("End.",)],
        {"atlas": ["Click there.", None, None, None], "borealis": ["", None, None, None]},
    )
    assert testset.language_pair == "de-en"
    assert testset.documents == ("guide.html",) * 3 + ("more.html",)
    assert testset.ids == ("guide.html:1", "guide.html:3", "guide.html:4", "more.html:1")
    assert testset.labels == {"domain": ("manuals", "manuals", "manuals", "")}
    assert testset.tags == "strip"
    first = {name: values[0] for name, values in testset.records.items()}
    assert first == {
        "translator": "Ada",
        "state": "final",
        "changed": "2026-11-01T10:00:00Z",
        "notes": "a button | short",
        "seconds": "12.5",
        "engine": "borealis",
        "file": str(written / "one.xlf"),
    }
    assert found.warnings == (
        f"{written}/one.xlf: 2 proposals left out: one as good or better of the same origin is there",
        f"{written}/one.xlf: 1 segment left out: the file says that it is not to be translated",
        f"{written}/one.xlf: 1 translation not used as a reference: not finished or not confirmed (state new)",
    )


def test_version_2(written: Path) -> None:
    found = read_testset(written / "two.xliff")
    assert texts(found) == (
        ["Guten Tag.", "Noch Fragen, ?☺", "Neu."],
        [("Hello.",), ("Any questions, ?",), ()],
        {"atlas": ["Good day.", "Other questions?", None], "tm": [None, "A question?", None]},
    )
    assert found.testset.language_pair == "de-en"
    assert found.testset.ids == ("u1:s1", "u1:s2", "u3")
    assert found.testset.records["state"] == ("final", "translated", "initial")
    assert found.testset.records["meta:client"] == ("Alder", "Alder", "")
    assert found.testset.records["notes"] == ("greeting", "greeting", "")
    assert [warning.split(": ", 1)[1] for warning in found.warnings] == [
        "1 proposal left out: it is for no segment of its unit, or for a part of one",
        "1 segment left out: the file says that it is not to be translated",
        "1 translation not used as a reference: not finished or not confirmed (state initial)",
    ]


def test_sdlxliff(written: Path) -> None:
    found = read_testset(written / "three.sdlxliff")
    assert texts(found) == (["Erstens.", "Zweitens."], [("First.",), ("Second.",)], {})
    assert found.testset.ids == ("8f1a:1", "8f1a:2")
    assert found.testset.records == {
        "state": ("ApprovedTranslation", "Translated"),
        "origin": ("mt", "tm"),
        "engine": ("borealis", ""),
        "translator": ("PC\\ada", ""),
        "changed": ("2026-11-18T09:30:05", ""),
        "match": ("", "87"),
        "file": (str(written / "three.sdlxliff"),) * 2,
    }


def test_tags_of_version_1(written: Path) -> None:
    def first(tags: str) -> tuple[str | None, str, str | None]:
        sources, references, outputs = texts(read_testset(written / "one.xlf", tags=tags))
        return sources[0], references[0][0], outputs["atlas"][0]

    assert first("protect") == (
        "Klicken Sie ⟦1⟩ hier ⟨1⟧ . ⟦2⟧ Danke & gut.",
        "Click ⟦1⟩ here ⟨1⟧ . ⟦2⟧ Thanks & good.",
        "Click ⟦1⟩ there ⟨1⟧ .",
    )
    assert first("keep") == (
        'Klicken Sie <g id="a">hier</g>.<x id="b"/>Danke & gut.',
        'Click <g id="a">here</g>.<x id="b"/>Thanks & good.',
        'Click <g id="a">there</g>.',
    )


def test_tags_of_version_2(written: Path) -> None:
    def second(tags: str) -> tuple[str | None, str]:
        sources, references, _ = texts(read_testset(written / "two.xliff", tags=tags))
        return sources[1], references[1][0]

    assert second("protect") == ("Noch ⟦1⟩ Fragen ⟨1⟧ , ⟦2⟧ ⟦3⟩ ?☺", "Any ⟦1⟩ questions ⟨1⟧ , ⟦2⟧ ?")
    assert second("keep") == ('Noch <b>Fragen</b>, {0}<sc id="3"/>?☺', "Any <b>questions</b>, {0}?")


def test_native_codes_of_version_1(tmp_path: Path) -> None:
    """Text in <ph>, <bpt>, <ept> and <it> is code, and what is in <sub> a text of its own."""
    path = tmp_path / "codes.xlf"
    path.write_text(
        '<xliff version="1.2"><file original="a" source-language="en"><body><trans-unit id="1"><source>One '
        '<bpt id="1">&lt;b&gt;</bpt>two<ept id="1">&lt;/b&gt;</ept> <ph id="2">&lt;img alt="<sub>three</sub>"&gt;</ph> '
        'four <it id="3" pos="close">{/i}</it></source></trans-unit></body></file></xliff>'
    )
    read = {tags: list(read_testset(path, tags=tags).testset.sources or ()) for tags in ("strip", "protect", "keep")}
    assert read == {
        "strip": ["One two four"],
        "protect": ["One ⟦1⟩ two ⟨1⟧ ⟦2⟧ four ⟨3⟧"],
        "keep": ['One <b>two</b> <img alt=""> four {/i}'],
    }


def test_the_signature_carries_how_tags_were_read(written: Path) -> None:
    found = read_testset(written / "one.xlf", tags="protect")
    scored = tt.evaluate(found.testset, found.systems, "chrf")
    assert "|tags:protect|" in scored.signatures["chrf"]
    tt.save(scored, written / "saved.zip")
    assert tt.load(written / "saved.zip").testset.tags == "protect"


def test_columns(written: Path) -> None:
    table = open_table(written / "one.xlf")
    assert table.names[:6] == ("source", "target", "document", "id", "hyp.atlas", "hyp.borealis")
    assert list(table.read("target")[0]) == ["Click here. Thanks & good.", "Noch nichts.", "", "End."]
    assert list(table.read("translator")[0]) == ["Ada", "", "", ""]


def test_files_of_one_test_set_must_have_the_same_sources(written: Path) -> None:
    other = written / "engine.xlf"
    other.write_text(XLIFF1.replace("Leer.", "Voll."))
    opener = LastTable()
    opener(str(written / "one.xlf"))
    with pytest.raises(InputError) as error:
        opener(str(other))
    assert str(error.value) == (
        f"{other}: segment 3 is 'Voll.', but in {written}/one.xlf it is 'Leer.'; files of one test set must hold the "
        f"same sources in the same order"
    )
    other.write_text(XLIFF1.replace('<trans-unit id="4"><source>Leer.</source><target/></trans-unit>', ""))
    with pytest.raises(InputError, match=r"segment 3 is 'Ende\.', but in .* it is 'Leer\.'"):
        opener(str(other))


def test_several_files_in_a_testset_toml(written: Path) -> None:
    (written / "four.xlf").write_text(XLIFF1.replace("Ende.", "Schluss."))
    (written / "testset.toml").write_text('files = "*.xlf"\ntags = "protect"\nname = "jobs"\n')
    found = read_testset(written / "testset.toml")
    assert found.testset.name == "jobs"
    assert len(found.testset) == 8
    assert found.testset.documents is not None
    assert found.testset.documents[3:5] == ("four.xlf/more.html", "one.xlf/guide.html")
    assert found.testset.tags == "protect"
    assert [system.name for system in found.systems] == ["atlas", "borealis"]
    (written / "testset.toml").write_text('files = "*.xlf"\nsource = "a.txt"\n')
    with pytest.raises(InputError, match="source beside files; localisation files have their own, leave it out"):
        read_testset(written / "testset.toml")


def test_files_are_no_shards(written: Path) -> None:
    from tertium.io.blocks import read_blocks

    with pytest.raises(InputError) as error:
        list(read_blocks(str(written / "one.xlf"), ("target",)))
    assert str(error.value) == (
        f'{written}/one.xlf: localisation files are no shards; name them in a testset.toml (files = "jobs/*.xlf") and '
        f"pass that"
    )


def test_tags_that_nothing_has(written: Path) -> None:
    (written / "a.txt").write_text("a\n")
    from tertium.cli.inputs import Inputs
    from tertium.core.errors import OptionError

    plain = str(written / "a.txt")
    with pytest.raises(
        OptionError, match=r"--tags keep: none of the files has inline tags that are read \(XLIFF, TMX\)"
    ):
        Inputs(refs=(plain,), hyps=(plain,), tags="keep").read()


def test_an_engine_in_a_file_of_its_own(written: Path) -> None:
    """The reference's file brings sources and documents; the engine's target is the output, whatever its state."""
    (written / "engine.xlf").write_text(XLIFF1.replace(">End.<", ">The end.<").replace('state="final"', 'state="new"'))
    from tertium.cli.inputs import Inputs

    found = Inputs(refs=(str(written / "one.xlf"),), hyps=(f"engine={written}/engine.xlf",), tags="keep").read()
    assert found.testset.tags == "keep"
    assert found.testset.documents == ("guide.html",) * 3 + ("more.html",)
    assert found.testset.sources is not None
    assert list(found.systems[0].outputs)[0::3] == [
        'Click <g id="a">here</g>.<x id="b"/>Thanks & good.',
        "The end.",
    ]


def test_a_campaign_names_one(tmp_path: Path) -> None:
    from tertium.human.campaign.spec import read_campaign

    units = "".join(
        f'<trans-unit id="{k}"><source>eins {k}</source><target>one {k}</target>'
        f'<alt-trans origin="atlas"><target>a {k}</target></alt-trans></trans-unit>'
        for k in range(40)
    )
    (tmp_path / "job.xlf").write_text(f'<xliff version="1.2"><file original="a"><body>{units}</body></file></xliff>')
    (tmp_path / "campaign.toml").write_text('testset = "job.xlf"\n[raters]\ncount = 2\n')
    campaign = read_campaign(tmp_path / "campaign.toml")
    assert len(campaign.evaluation.testset) == 40
    assert campaign.systems == ("atlas",)
