"""PO, written by hand after the manual of GNU gettext."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.io.columns import open_table
from tertium.io.testset import read_testset

PO = r"""# A catalogue.
#, fuzzy
msgid ""
msgstr ""
"Project-Id-Version: doors 1\n"
"Last-Translator: Ada <ada@example.org>\n"
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#. on the button
#  short, please
#: src/door.c:12 src/door.c:40
#, c-format
msgctxt "menu"
msgid "Open \"%s\"\tnow\\\x21"
msgstr ""
"Öffne \"%s\" "
"jetzt\n"

#: src/gate.c:7
msgid "one gate"
msgid_plural "%d gates"
msgstr[0] "ein Tor"
msgstr[1] "%d Tore"

#, fuzzy
#| msgid "Close"
msgid "Shut"
msgstr "Zu"
msgid "Left"
msgstr ""

#~ msgid "Old"
#~ msgstr "Alt"
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    (tmp_path / "de.po").write_text(PO, encoding="utf-8")
    return tmp_path / "de.po"


def test_messages_are_segments(catalogue: Path) -> None:
    testset = read_testset(catalogue).testset
    assert list(testset.sources or ()) == ['Open "%s"\tnow\\!', "one gate", "%d gates", "Shut", "Left"]
    assert list(testset.references) == [('Öffne "%s" jetzt',), ("ein Tor",), ("%d Tore",), (), ()]
    assert testset.documents == ("src/door.c", "src/gate.c", "src/gate.c", "de", "de")
    assert testset.ids == ("src/door.c:2", "src/gate.c:3:0", "src/gate.c:3:1", "de:4", "de:5")
    assert (testset.source_language, testset.target_language, testset.tags) == (None, "de", None)
    assert testset.records["state"] == ("", "", "", "fuzzy", "")
    assert testset.records["context"][0] == "menu"
    assert testset.records["notes"][0] == "on the button | short, please"
    assert set(testset.records["translator"]) == {"Ada <ada@example.org>"}


def test_columns_have_what_is_fuzzy_too(catalogue: Path) -> None:
    assert list(open_table(catalogue).read("target")[0])[2:] == ["%d Tore", "Zu", ""]


def test_other_encodings(catalogue: Path) -> None:
    catalogue.write_bytes(PO.replace("charset=UTF-8", "charset=ISO-8859-1").encode("latin1"))
    assert read_testset(catalogue).testset.references[0] == ('Öffne "%s" jetzt',)


def test_a_catalogue_against_another(catalogue: Path) -> None:
    """What an engine wrote, in a catalogue of its own; the reference's file brings sources and documents."""
    other = catalogue.with_name("engine.po")
    other.write_text(PO.replace("ein Tor", "ein Gatter"), encoding="utf-8")
    from tertium.cli.inputs import Inputs

    found = Inputs(refs=(str(catalogue),), hyps=(f"engine={other}",)).read()
    assert found.testset.documents is not None
    assert list(found.systems[0].outputs)[1] == "ein Gatter"
    assert list(found.testset.sources or ())[3] == "Shut"
    assert tt.evaluate(found.testset, found.systems, "chrf").scores()[0].value < 100
