"""Files that translate-toolkit 3.20.4 wrote. It is GPL: its programs are started, and nothing of it is imported.

`make toolkit` installs it into an environment of its own.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tertium.io.localisation.notes import with_notes
from tertium.io.testset import read_testset

pytestmark = pytest.mark.slow
HERE = Path(__file__).parents[2] / "build" / "toolkit" / "bin"

CATALOGUE = r"""msgid ""
msgstr ""
"Language: de\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\n"

#. a button
#: src/door.c:12
msgctxt "menu"
msgid "Open \"%s\" <b>now</b>\n"
msgstr "Öffne \"%s\" <b>jetzt</b> & gleich\n"

#: src/gate.c:7
msgid "one gate"
msgid_plural "%d gates"
msgstr[0] "ein Tor"
msgstr[1] "%d Tore"

#, fuzzy
msgid "Shut"
msgstr "Zu"

msgid "Left"
msgstr ""
"""
SOURCES = ['Open "%s" <b>now</b>', "one gate", "%d gates", "Shut", "Left"]
REFERENCES = [('Öffne "%s" <b>jetzt</b> & gleich',), ("ein Tor",), ("%d Tore",), (), ()]
MEMORY = r"""msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Left"
msgstr "Links"
"""


@pytest.fixture
def call(tmp_path: Path) -> object:
    """A program of it, in a folder with the catalogue."""
    path = f"{HERE}{os.pathsep}{os.environ['PATH']}"
    if shutil.which("po2xliff", path=path) is None:
        pytest.skip("no translate-toolkit here; `make toolkit` brings it")
    (tmp_path / "de.po").write_text(CATALOGUE, encoding="utf-8")

    def called(program: str, *words: str) -> None:
        found = shutil.which(program, path=path)
        assert found is not None
        done = subprocess.run([found, "--progress=none", *words], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    return called


def test_the_catalogue_itself(call: object, tmp_path: Path) -> None:
    del call
    testset = read_testset(tmp_path / "de.po").testset
    assert (list(testset.sources or ()), list(testset.references)) == (SOURCES, REFERENCES)


def test_xliff_1(call, tmp_path: Path) -> None:
    call("po2xliff", "de.po", "de.xlf")
    found = read_testset(tmp_path / "de.xlf")
    testset = found.testset
    assert (list(testset.sources or ()), list(testset.references)) == (SOURCES, REFERENCES)
    assert (testset.language_pair, testset.ids) == ("en-US-de", ("3", "4[0]", "4[1]", "5", "6"))
    assert testset.documents == ("de.po",) * 5
    assert testset.records["notes"][0] == "a button"
    assert testset.records["state"] == ("translated",) * 3 + ("needs-translation", "")
    assert found.warnings == (
        f"{tmp_path}/de.xlf: 1 segment left out: the file says that it is not to be translated",
        f"{tmp_path}/de.xlf: 1 translation not used as a reference: not finished or not confirmed (state "
        "needs-translation)",
    )


def test_proposals_of_a_memory(call, tmp_path: Path) -> None:
    (tmp_path / "memory.po").write_text(MEMORY)
    call("po2xliff", "de.po", "de.xlf")
    call("po2xliff", "memory.po", "memory.xlf")
    call("pretranslate", "--tm=memory.xlf", "-i", "de.xlf", "-o", "filled.xlf", "-t", "de.xlf")
    found = read_testset(tmp_path / "filled.xlf")
    assert list(found.testset.sources or ()) == SOURCES
    assert [(system.name, list(system.outputs)) for system in found.systems] == [("fish", [None] * 4 + ["Links"])]


def test_tmx(call, tmp_path: Path) -> None:
    """It writes what is translated and not fuzzy."""
    call("po2tmx", "-l", "de", "de.po", "de.tmx")
    testset = read_testset(tmp_path / "de.tmx").testset
    assert (list(testset.sources or ()), list(testset.references)) == (SOURCES[:3], REFERENCES[:3])
    assert testset.language_pair == "en-de"
    assert testset.records["meta:x-context"] == ("menu", "", "")


def test_catalogues_that_it_wrote(call, tmp_path: Path) -> None:
    call("po2xliff", "de.po", "de.xlf")
    call("xliff2po", "de.xlf", "back.po")
    testset = read_testset(tmp_path / "back.po").testset
    assert (list(testset.sources or ()), list(testset.references)) == (SOURCES, REFERENCES)
    assert testset.documents == ("src/door.c", "src/gate.c", "src/gate.c", "back", "back")


def test_it_reads_files_with_our_notes(call, tmp_path: Path) -> None:
    """A file with notes of ours has the same messages for it."""
    call("po2xliff", "de.po", "de.xlf")
    data = (tmp_path / "de.xlf").read_bytes()
    noted = with_notes(data, "de.xlf", {key: ["atlas: chrF 41.2"] for key in range(1, 7)})
    assert noted.count(b"chrF 41.2") == 6
    (tmp_path / "noted.xlf").write_bytes(noted)
    for name in ("de", "noted"):
        call("xliff2po", f"{name}.xlf", f"{name}.back.po")
    back, again = (read_testset(tmp_path / f"{name}.back.po").testset for name in ("de", "noted"))
    assert list(again.sources or ()) == list(back.sources or ()) == SOURCES
    assert list(again.references) == list(back.references) == REFERENCES
