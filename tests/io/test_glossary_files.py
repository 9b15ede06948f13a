"""Glossaries and lists of words: what is read, and what is refused."""

from pathlib import Path

import pytest

from tertium.core.errors import InputError
from tertium.io.glossary import read_forbidden, read_glossary
from tertium.text.glossary import GlossaryEntry, TermFinder


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_csv(tmp_path: Path) -> None:
    path = write(
        tmp_path / "terms.csv",
        "Source,Target,Status\naccount, Konto | Benutzerkonto ,\n,,\nuser,User,Forbidden\nuser,Nutzer,preferred\n",
    )
    found = read_glossary(path)
    assert found.entries == (GlossaryEntry("account", ("Konto", "Benutzerkonto")), GlossaryEntry("user", ("Nutzer",)))
    assert (found.name, found.source_language) == ("terms.csv", None)


def test_columns_of_languages(tmp_path: Path) -> None:
    path = write(tmp_path / "terms.tsv", "id\tde-DE\ten_US\tfr\n1\tKonto\taccount\tcompte\n")
    found = read_glossary(path, ("en", "fr"))
    assert found.entries == (GlossaryEntry("account", ("compte",)),)
    assert (found.source_language, found.target_language) == ("en_US", "fr")


@pytest.mark.parametrize(
    ("text", "languages", "said"),
    [
        ("source,target\n", (None, None),
         "terms.csv: no terms; expected a row for each, with columns source and target"),
        ("source,target\na,b\n,c\n", (None, None), "terms.csv:3: a term without a source"),
        ("source,target\na,\n", (None, None), "terms.csv:2: a term without a translation"),
        ("en,de\na,b\n", (None, None),
         "terms.csv: columns en, de; expected source and target, or the codes of the test set's languages (which it "
         "does not name)"),
        ("en,de\na,b\n", ("en", "fr"),
         "terms.csv: columns en, de; expected source and target, or the codes of the test set's languages (en and fr)"),
        (f"source,target\n{'a ' * 200},b\n", (None, None),
         "terms.csv:2: a term of 400 characters, 'a a a a a a a a a a a a a a a '...; is a quote open?"),
        ("source,target\na,b\na, – \n", (None, None),
         "terms.csv:3: '–' has no letter and no digit, so no text is found to have it"),
    ],
)  # fmt: skip
def test_refused(tmp_path: Path, text: str, languages: tuple[str | None, str | None], said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_glossary(write(tmp_path / "terms.csv", text), languages)
    assert str(caught.value) == f"{tmp_path}/{said}"


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not a glossary; expected a name that ends in \.csv, \.tsv, \.xlsx or \.tbx"):
        read_glossary(write(tmp_path / "terms.txt", "a b"))


def test_forbidden(tmp_path: Path) -> None:
    path = write(tmp_path / "words.txt", "# a list\n\nlog in\n  handy \tSmartphone\n")
    assert read_forbidden(path) == [("log in", ""), ("handy", "Smartphone")]
    with pytest.raises(InputError, match=r"signs.txt:2: '\?!' has no letter and no digit"):
        read_forbidden(write(tmp_path / "signs.txt", "C++\n?!\n"))
    with pytest.raises(InputError, match="no words; expected one on a line"):
        read_forbidden(write(tmp_path / "empty.txt", "#\n"))


def test_finder_against_the_naive_search() -> None:
    """Every run of words, looked up one by one."""
    terms = ["a", "a b", "b a", "c", "a b c a", "b b"]
    finder, words = TermFinder(terms), "a b c a b b a c a b a b c a d b b b".split()
    text = " ".join(words)
    starts = [len(" ".join(words[:k])) + (k > 0) for k in range(len(words))]
    naive = {
        (number, starts[i], starts[i] + len(term))
        for number, term in enumerate(terms)
        for i in range(len(words))
        if words[i : i + len(term.split())] == term.split()
    }
    assert {tuple(place) for place in finder.every(text)} == naive
    longest, at = [], 0
    while at < len(words):
        fits = [
            (len(term.split()), k) for k, term in enumerate(terms) if words[at : at + len(term.split())] == term.split()
        ]
        if fits:
            length, number = max(fits)
            longest.append((number, starts[at], starts[at] + len(terms[number])))
            at += length
        else:
            at += 1
    assert [tuple(place) for place in finder.longest(text)] == longest


# TBX

OLD = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="1"><descrip type="subjectField">IT</descrip>
 <langSet xml:lang="en"><tig><term>account</term></tig><tig><term>user
  account</term></tig></langSet>
 <langSet xml:lang="de-DE"><ntig><termGrp><term>Konto</term></termGrp></ntig>
  <tig><term>Account</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
</termEntry>
<termEntry id="2"><langSet xml:lang="en"><tig><term>only here</term></tig></langSet></termEntry>
</body></text></martif>"""
NEW = """<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="1"><langSec xml:lang="en"><termSec><term>account</term></termSec><termSec><term>user account</term>
</termSec></langSec><langSec xml:lang="de"><termSec><term>Konto</term></termSec></langSec></conceptEntry>
</body></text></tbx>"""
ACCOUNT = (GlossaryEntry("account", ("Konto",)), GlossaryEntry("user account", ("Konto",)))


@pytest.mark.parametrize("text", [OLD, NEW])
@pytest.mark.parametrize("languages", [("en", "de"), ("en-GB", "de_CH"), (None, None), (None, "de")])
def test_tbx(tmp_path: Path, text: str, languages: tuple[str | None, str | None]) -> None:
    found = read_glossary(write(tmp_path / "terms.tbx", text), languages)
    assert found.entries == ACCOUNT
    assert (found.source_language, found.target_language) == ("en", "de")


def test_tbx_the_other_way_round(tmp_path: Path) -> None:
    found = read_glossary(write(tmp_path / "terms.tbx", OLD), ("de", "en"))
    assert found.entries == (GlossaryEntry("Konto", ("account", "user account")),)


@pytest.mark.parametrize(
    ("text", "languages", "said"),
    [
        ("<xliff/>", ("en", "de"), ":1: <xliff>; expected TBX, which begins with <martif> or <tbx>"),
        (OLD, ("en", "fr"), ": no term in fr; it has en, de"),
        (OLD.replace("de-DE", "fr").replace('"2"><langSet xml:lang="en"', '"2"><langSet xml:lang="es"'), (None, None),
         ': terms in en, fr, es, and the test set names no languages; name them: source_language = "en" and '
         'target_language = "de" in testset.toml'),
        ("<tbx/>", ("en", "de"), ": no term in en; it has none at all"),
        ('<tbx><langSec/></tbx>', ("en", "de"), ":1: <langSec> without xml:lang; say which language its terms are of"),
        ("<tbx>", ("en", "de"), ":1: not well-formed XML (no element found, column 6)"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><tbx/>', ("en", "de"), ":1: a DOCTYPE x with declarations of its own"),
        ("<tbx>" * 300, ("en", "de"), ":1: <tbx> lies in 256 other elements"),
    ],
)  # fmt: skip
def test_tbx_that_is_refused(tmp_path: Path, text: str, languages: tuple[str | None, str | None], said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_glossary(write(tmp_path / "terms.tbx", text), languages)
    assert str(caught.value).startswith(f"{tmp_path}/terms.tbx{said}")


def test_tbx_that_says_it_in_elements(tmp_path: Path) -> None:
    """ISO 30042:2019 has two styles: categories are attributes (DCA), or elements of their own (DCT)."""
    path = tmp_path / "t.tbx"
    path.write_text(
        """<tbx type="TBX-Basic" style="dct" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"
        xmlns:basic="http://www.tbxinfo.net/ns/basic"><text><body><conceptEntry id="c">
        <langSec xml:lang="en"><termSec><term>notebook</term></termSec></langSec><langSec xml:lang="de">
        <termSec><term>Block</term>
         <basic:administrativeStatus>deprecatedTerm-admn-sts</basic:administrativeStatus></termSec>
        <termSec><term>Notizbuch</term>
         <basic:administrativeStatus>preferredTerm-admn-sts</basic:administrativeStatus></termSec></langSec>
        </conceptEntry></body></text></tbx>"""
    )
    [entry] = read_glossary(path, ("en", "de")).entries
    assert entry == ("notebook", ("Notizbuch",))
