"""TMX, written by hand after the standard."""

from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.columns import open_table
from tertium.io.testset import read_testset

TMX = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4">
 <header creationtool="hand" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="de"
   datatype="html"/>
 <body>
  <tu tuid="a" creationid="Bo" creationdate="20261101T101112Z">
   <note>first</note><prop type="client">Alder</prop><prop type="x-edit-time">7</prop>
   <tuv xml:lang="de"><seg>Das <bpt i="1">&lt;b&gt;</bpt>Tor<ept i="1">&lt;/b&gt;</ept><ph x="2">%s</ph> ist
 zu.</seg></tuv>
   <tuv xml:lang="en" changeid="Ada"><seg>The <bpt i="1">&lt;b&gt;</bpt>gate<ept i="1">&lt;/b&gt;</ept><ph
 x="2">%s</ph> is shut.</seg></tuv>
   <tuv xml:lang="EN"><seg>The <hi x="3">gate</hi> is closed.</seg></tuv>
  </tu>
  <tu><tuv xml:lang="de"><seg>Nur hier.</seg></tuv></tu>
 </body>
</tmx>
"""


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    (tmp_path / "m.tmx").write_text(TMX)
    return tmp_path / "m.tmx"


def test_units_with_two_references(memory: Path) -> None:
    testset = read_testset(memory).testset
    assert list(testset.sources or ()) == ["Das Tor ist zu.", "Nur hier."]
    assert list(testset.references) == [("The gate is shut.", "The gate is closed."), ()]
    assert (testset.language_pair, testset.ids, testset.documents) == ("de-en", ("a", "2"), None)
    assert {name: values[0] for name, values in testset.records.items()} == {
        "creator": "Bo",
        "created": "2026-11-01T10:11:12Z",
        "notes": "first",
        "meta:client": "Alder",
        "seconds": "7",
        "translator": "Ada",
        "file": str(memory),
    }


def test_tags(memory: Path) -> None:
    def first(tags: str) -> tuple[str, ...]:
        return read_testset(memory, tags=tags).testset.references[0]  # type: ignore[return-value]

    assert first("protect") == ("The ⟦1⟩ gate ⟨1⟧ ⟦2⟧ is shut.", "The ⟦3⟩ gate ⟨3⟧ is closed.")
    assert first("keep") == ("The <b>gate</b>%s is shut.", 'The <hi id="3">gate</hi> is closed.')


def test_utf_16(tmp_path: Path) -> None:
    path = tmp_path / "wide.tmx"
    path.write_bytes(TMX.replace('encoding="utf-8"', 'encoding="utf-16"').replace("zu.", "zu…").encode("utf-16"))
    assert next(iter(read_testset(path).testset.sources or ())) == "Das Tor ist zu…"


def test_more_languages_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "three.tmx"
    path.write_text(TMX.replace('xml:lang="EN"', 'xml:lang="fr-CA"'))
    table = open_table(path)
    assert table.names[:6] == ("source", "target", "document", "id", "en", "fr-CA")
    assert list(table.read("fr-CA")[0]) == ["The gate is closed.", None]
    with pytest.raises(InputError) as error:
        read_testset(path)
    assert str(error.value) == (
        f"{path}: translations into 2 languages (en, fr-CA); name one, such as --src {path} --ref {path}:en"
    )


@pytest.mark.parametrize(("said", "found"), [("*all*", "de"), ("DE-at", "de"), ("en", "en")])
def test_the_language_of_sources(tmp_path: Path, said: str, found: str) -> None:
    path = tmp_path / "m.tmx"
    path.write_text(TMX.replace('srclang="de"', f'srclang="{said}"'))
    assert read_testset(path).testset.source_language == found


def test_the_word_of_a_tag_is_one_token(memory: Path) -> None:
    import tertium as tt

    [first, _] = read_testset(memory, tags="protect").testset.references[0]
    assert tt.tokenize(first) == ["The", "⟦1⟩", "gate", "⟨1⟧", "⟦2⟧", "is", "shut", "."]
