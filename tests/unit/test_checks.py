"""The checks of localisation teams: what each finds, where, and what it must leave alone."""

from pathlib import Path

import pytest

import tertium as tt
from tertium.analysis.diagnose import Diagnosis, Finding
from tertium.core.errors import OptionError
from tertium.text.locales import locale_of
from tertium.text.placeholders import placeholders
from tertium.text.typography import spots


def diagnosis(
    kind: str,
    output: str,
    source: str | None = None,
    *references: str,
    pair: tuple[str | None, str | None] = ("en", "de"),
    **rules: object,
) -> Diagnosis:
    testset = tt.TestSet(
        segments=1,
        sources=None if source is None else tt.Lines.of([source]),
        references=tt.References(tuple(tt.Lines.of([text]) for text in references), 1),
        source_language=pair[0],
        target_language=pair[1],
    )
    return tt.diagnose(testset, [tt.System(name="mine", outputs=tt.Lines.of([output]))], detectors=kind, **rules)  # type: ignore[arg-type]


def findings(kind: str, output: str, source: str | None = None, *references: str, **more: object) -> list[Finding]:
    return list(diagnosis(kind, output, source, *references, **more))  # type: ignore[arg-type]


# Placeholders and tags


@pytest.mark.parametrize(
    "text",
    ["{0}", "{name}", "{{count}}", "%s", "%d", "%1$s", "%.2f", "%(name)d", "%@", "${x}", "%USER_NAME%", "<b>",
     "</b>", "<br/>", '<a href="x">', "&nbsp;", "&#160;", "&#xA0;", "⟦1⟧", "⟦1⟩", "⟨1⟧"],
)  # fmt: skip
def test_placeholders_are_known(text: str) -> None:
    [found] = placeholders(f"Eins {text} zwei.")
    assert (found.start, found.end) == (5, 5 + len(text))
    both = "Eins zwei.", "Eins und zwei."
    assert findings("placeholder", "Eins zwei.", f"One {text} two.", *both) == [], "references leave it out, too"
    [lost] = findings("placeholder", "Eins zwei.", f"One {text} two.")
    assert lost.source == (4, 4 + len(text))
    assert lost.severity == 1
    [added] = findings("placeholder", f"Eins {text} zwei.", "One two.")
    assert added.output == (5, 5 + len(text))


@pytest.mark.parametrize(
    "text", ["50% sicher", "5 % davon", "100%", "a < b und c > d", "R&D", "AT&T;", "{ }", "$5", "<3", "%"]
)
def test_what_is_no_placeholder(text: str) -> None:
    assert placeholders(text) == []
    assert findings("placeholder", text, "something else") == []


def test_attributes_of_tags_may_be_translated() -> None:
    source, output = '<a title="Here">Click</a> {0}', '<a title="Hier">Klicken</a> {0}'
    assert findings("placeholder", output, source) == []


def test_a_placeholder_counts_as_often_as_it_comes() -> None:
    [found] = findings("placeholder", "{0} und", "{0} and {0}")
    assert (found.source, found.severity) == ((8, 11), 0.5)


@pytest.mark.parametrize(
    ("source", "output", "wrong"),
    [
        ("{n, plural, one {car} other {cars}} left", "Noch {n, plural, one {Auto} other {Autos}}", []),
        ("{g, select, male {his} other {their}} book", "{g, select, male {sein} female {ihr} other {ihr}} Buch", []),
        ("{n, plural, offset:1 =0 {none} other {all}}", "{n, plural, offset:1 =0 {keins} other {alle}}", []),
        ("{n, plural, one {{n}} other {{n} cars}}", "{n, plural, one {{n}} few {{n} auta} other {{n} aut}}", []),
        ("{n, plural, one {a car} other {{n} cars}}", "{n, plural, one {ein Auto} other {viele Autos}}", ["{n}"]),
        ("{n, plural, one {car} other {cars}} of {name}", "{n, plural, one {Auto} other {Autos}}", ["{name}"]),
        ("{n, plural, one {car} other {cars}}", "{n, plural, one {Auto} other {Autos}} {name}", ["{name}"]),
        (
            "{n, plural, other {x}} {n, plural, other {{a}}}",
            "{n, plural, other {{a}}} {n, plural, other {{a}}}",
            ["{a}"],
        ),
        ("{a, select, x {{b, plural, one {i} other {{c}}}} y {{c}}}", "{a, select, x {j} y {{c}}}", []),
    ],
)
def test_texts_in_messages_are_no_placeholders(source: str, output: str, wrong: list[str]) -> None:
    found = findings("placeholder", output, source)
    assert [one.evidence.split(" in the ")[0] for one in found] == wrong


def test_an_entity_may_be_written_as_its_character() -> None:
    assert findings("placeholder", "10\u00a0Euro", "10&nbsp;euros") == []
    assert len(findings("placeholder", "10 Euro", "10&nbsp;euros")) == 1


def test_words_in_angle_brackets_are_no_tags_where_the_source_has_none() -> None:
    assert findings("placeholder", "<Toraya> Gelee", "〈Toraya〉 jelly") == []
    assert len(findings("placeholder", "<b>Gelee", "jelly")) == 1


# Terms


@pytest.fixture
def glossary(tmp_path: Path) -> Path:
    path = tmp_path / "terms.csv"
    path.write_text(
        "source,target\naccount,Konto|Benutzerkonto\naccount settings,Kontoeinstellungen\nfile,Datei\nhouse,Haus\n"
        "Windows,Windows\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("Open the files.", "Öffnen Sie die Dateien."),
        ("Two houses", "Zwei Häuser"),
        ("the Account", "des Kontos"),
        ("your account", "Ihr Benutzerkonto"),
        ("your account", "die Kontonummer"),  # within a compound
        ("the account settings", "die Kontoeinstellungen"),  # the longer term
        ("Files and files", "Datei"),  # once is enough
        ("profile", "Profil"),  # not a word of its own
        ("WINDOWS", "windows"),
    ],
)
def test_terms_that_are_there(glossary: Path, source: str, output: str) -> None:
    assert findings("term", output, source, glossary=glossary) == []


def test_terms_that_are_missing(glossary: Path) -> None:
    source = "Open the file in your account settings."
    [first, second] = findings("term", "Öffnen Sie das File in den Optionen.", source, glossary=glossary)
    assert [source[slice(*one.source)] for one in (first, second) if one.source] == ["file", "account settings"]
    assert first.evidence == "file: the glossary says Datei"
    assert (first.severity, second.severity) == (1, 1)
    [one] = findings("term", "Öffnen Sie die Datei in den Optionen.", source, glossary=glossary)
    assert one.severity == 0.5


def test_terms_have_a_floor(glossary: Path) -> None:
    """The reference is judged by the glossary as systems are."""
    found = diagnosis("term", "die Datei", "the file", "das File", glossary=glossary)
    assert (found.tallies["mine", "term"].hits, found.floor["term"].hits, found.floor["term"].judged) == (0, 1, 1)


def test_languages_without_spaces_and_without_a_stemmer(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("en\tja\nfile\tファイル\n", encoding="utf-8")
    assert findings("term", "このファイルを開く", "Open the files", pair=("en", "ja"), glossary=path) == []
    [missing] = findings("term", "この書類を開く", "Open the files", pair=("en", "ja"), glossary=path)
    assert missing.evidence == "file: the glossary says ファイル"
    found = diagnosis("term", "x", "y", pair=("en", "ja"), glossary=path)
    assert found.notes == ("there is no stemmer for ja: terms are found as they are written",)
    plain = tmp_path / "plain.csv"
    plain.write_text("source,target\nfile,Datei\n", encoding="utf-8")
    found = diagnosis("term", "Dateien", "file", pair=(None, None), glossary=plain)
    assert [finding.kind for finding in found] == ["term"]
    assert found.notes == (
        "the source and the target language is not known: its terms are compared as they are written",
    )


# Forbidden words


def test_forbidden_words(tmp_path: Path) -> None:
    path = tmp_path / "forbidden.txt"
    path.write_text("# no English\nhandy\tSmartphone\nlog-in\nuser*\n", encoding="utf-8")
    output = "Das Handy, der Log-in, zwei Users; handyfrei"
    found = findings("forbidden", output, forbidden=path)
    assert [output[slice(*one.output)] for one in found if one.output] == ["Handy", "Log-in", "Users"]
    assert [one.evidence for one in found[:2]] == ["Handy is forbidden; write Smartphone", "Log-in is forbidden"]
    assert findings("forbidden", "Das Smartphone", forbidden=path) == []


def test_the_signs_of_forbidden_words_count(tmp_path: Path) -> None:
    path = tmp_path / "forbidden.txt"
    path.write_text("C++\n.NET\n", encoding="utf-8")
    output = "C, c++ und C+, net und .NET"
    found = findings("forbidden", output, forbidden=path)
    assert [output[slice(*one.output)] for one in found if one.output] == ["c++", ".NET"]


# Lengths


@pytest.mark.parametrize(
    ("limit", "hits"),
    [("9", 1), ("10", 0), (10, 0), ("99%", 1), ("100%", 0), (("20", "50%"), 1), ((), None), ("12.5%", 1)],
)  # fmt: skip
def test_lengths(limit: object, hits: int | None) -> None:
    if hits is None:
        with pytest.raises(OptionError, match="detector length needs a limit"):
            findings("length", "äöü4567890", "1234567890", max_length=limit)
        return
    found = findings("length", "äöü4567890", "1234567890", max_length=limit)
    assert len(found) == hits
    if limit == "9":
        assert found[0].evidence == "10 characters where 9 are allowed"
        assert (found[0].output, found[0].severity) == ((9, 10), pytest.approx(0.1))


@pytest.mark.parametrize("limit", ["", "x", "-3", "1.5", "10 %%", "9" * 20])
def test_limits_that_are_none(limit: str) -> None:
    with pytest.raises(OptionError, match="length limit"):
        findings("length", "a", "b", max_length=limit)


def test_what_is_to_be_written_is_not_forbidden(tmp_path: Path) -> None:
    """A word in another case than its replacement."""
    words = tmp_path / "words.txt"
    words.write_text("e-mail\tE-Mail\n", encoding="utf-8")
    found = findings("forbidden", "Eine E-Mail, zwei e-mail, drei E-MAIL", "x", forbidden=words)
    assert [one.evidence for one in found] == [
        "e-mail is forbidden; write E-Mail",
        "E-MAIL is forbidden; write E-Mail",
    ]


# Punctuation and spacing


@pytest.mark.parametrize(
    ("language", "text", "rule"),
    [
        ("de", "Eins  zwei.", "double space"),
        ("de", "Eins , zwei.", "space before mark"),
        ("de", "Eins,zwei.", "comma without space"),
        ("de", "Eins ,zwei.", "comma without space"),
        ("de", "Eins.. Zwei", "doubled mark"),
        ("de", "Er sagte “Nein“.", "foreign quote"),
        ("en", "He said „no“.", "foreign quote"),
        ("en", "He said «no».", "foreign quote"),
        ("en", "Yes， no", "full-width mark"),
        ("fr", "Bonjour!", "missing space"),
        ("fr", "Il dit: oui", "missing space"),
        ("fr", "«Oui»", "missing space"),
        ("fr-CA", "«Oui »", "missing space"),
        ("es", "Qué hora es?", "unopened"),
        ("es", "Hola!", "unopened"),
        ("es", "Vea https://a.org/?x=1 ahora. De verdad?", "unopened"),
        ("de", "Achtung&nbsp;!", "space before mark"),
        ("zh", "你好,世界。", "half-width mark"),
        ("zh", "你好 世界", "space"),
        ("ja", "はい.", "half-width mark"),
        ("ar", "نعم, لا.", "latin mark"),
        ("ar", "هل هذا جيد?", "latin mark"),
        ("fa", "بله; نه.", "latin mark"),
        ("ur", "ہاں ؟", "space before mark"),
    ],
)
def test_punctuation(language: str, text: str, rule: str) -> None:
    assert rule in {spot.rule for spot in spots(text, language)}
    assert len(findings("punctuation", text, None, pair=(None, language))) >= 1


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Er sagte: „Nein!“ (Um 10:30 Uhr, z. B.) ... 3,5 % :) usw., U.S., .NET"),
        ("en", "He said, “no”; e.g., “x”. 1,000 items..."),
        ("fr", "Bonjour ! Il dit : « oui » ; à 10:30, voir http://x.fr ?"),
        ("fr", "Bonjour\u202f! Quoi\u00a0?"),
        ("fr-CA", "Bonjour! Quoi?"),
        ("fr", "Bonjour&nbsp;! «&#160;Oui&nbsp;»"),
        ("es", "Vea https://a.org/?x=1 ahora."),
        ("es", "¿Qué hora es? ¡Hola!"),
        ("zh", "你好，世界。Version 2.0, OK."),
        ("ko", "안녕, 세계."),
        ("ar", "نعم، لا؛ هل هذا جيد؟ OK, 1,234 (Word, Excel)."),
        ("de", "Ordner .NET, Befehl ,5"),
        ("de", "Klicken Sie auf {0}, dann &nbsp; und <b>hier</b>."),
        ("xx", "Eins, zwei."),
    ],
)
def test_punctuation_that_is_right(language: str, text: str) -> None:
    assert spots(text, language) == []


def test_what_the_reference_and_the_source_do_is_excused() -> None:
    assert findings("punctuation", "Eins , zwei", "One, two", "Eins , zwo") == []
    assert findings("punctuation", "Eins  zwei", "One  two") == []
    assert len(findings("punctuation", "Eins  zwei", "One two")) == 1


def test_the_mark_at_the_end() -> None:
    [found] = findings("punctuation", "Eins zwei", "One two?", "Eins zwei?")
    assert found.evidence == "ends without a mark, the source with a question mark"
    for output, source, reference in [
        ("Eins zwei", "One two?", "Eins zwei"),  # the reference leaves it out, too
        ("Eins zwei.", "One two?", "Eins zwei?"),  # another mark may be a choice
        ("Eins zwei.“", "One two.", "Eins zwei."),
        ("Eins ...", "One.", "Eins."),
        ("Eins zwei", "One two", "Eins zwei."),
    ]:
        assert findings("punctuation", output, source, reference) == []


@pytest.mark.parametrize(("language", "hits"), [("th", 0), ("lo", 0), ("de", 1)])
def test_languages_whose_sentences_end_in_no_mark(language: str, hits: int) -> None:
    found = findings("punctuation", "เปิดบ้าน", "Open the gate.", "เปิดบ้าน.", pair=("en", language))
    assert len(found) == hits


# Formats


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("de", "Es sind 1,234.56 Euro.", "1,234.56"),
        ("de", "Es sind 1,234,567 Stück.", "1,234,567"),
        ("de", "3.5 Prozent", "3.5"),
        ("en", "1.234,56 euros", "1.234,56"),
        ("en", "3,5 million", "3,5"),
        ("de", "am 12/31/2025", "12/31/2025"),
        ("en", "on 31.12.2025", "31.12.2025"),
        ("en-US", "on 31/12/2025", "31/12/2025"),
        ("en-GB", "on 12/31/2025", "12/31/2025"),
        ("fr", "le 12/31/2025", "12/31/2025"),
        ("de", "um 3:30 pm", "3:30 pm"),
        ("de", "um 10am", "10am"),
        ("fr", "à 3 p.m.", "3 p.m."),
        ("de", "um 14h30", "14h30"),
        ("de", "Es beginnt um 14h30.", "14h30"),
        ("zh", "价格是1.234,56元。", "1.234,56"),
        ("ja", "約1,5億円です。", "1,5"),
        ("de-CH", "1,5 %", "1,5"),
        ("es-419", "1,5 %", "1,5"),
    ],
)
def test_foreign_formats(language: str, text: str, found: str) -> None:
    [hit] = findings("locale", text, None, pair=(None, language))
    assert hit.output is not None
    assert text[slice(*hit.output)] == found
    assert findings("locale", text, None, text, pair=(None, language)) == [], "a reference writes it so"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "1.234,56 Euro, 3,5 %, 31.12.2025, 14:30 Uhr, Version 2.5, 10.0.0.1, 2025-12-31, 1.234 Stück"),
        ("de", "Staffel 2 am Montag, Abschnitt 3.1, v1.2.3, Windows 8.1"),
        ("en", "1,234.56 euros, 3.5%, 12/31/2025, 31/12/2025, 3:30 pm, 1,234 items, pages 3,5,7"),
        ("fr", "1 234,56 €, 31/12/2025, 14h30, 14 h 30"),
        ("de-CH", "3.5 %"),
        ("es-419", "3.5 %"),
        ("es-CU", "3.5 %"),
        ("es-BZ", "3.5 %"),
        ("he", "31.12.2025, 3.5 %"),
        ("en-US", "12/31/2025"),
        ("ja", "2025/12/31 14:30"),
        ("ja", "約1.5億円、1,234個、第3,4,5章、Ver1,5"),
        ("zh", "价格是1,234.56元，共2,5两行。"),
        ("de", "14h30.txt"),
    ],
)
def test_formats_that_are_right(language: str, text: str) -> None:
    assert findings("locale", text, None, pair=(None, language)) == []


def test_thousands_that_are_copied() -> None:
    [found] = findings("locale", "Es sind 1,234 Stück.", "There are 1,234 items.")
    assert found.evidence == "1,234 as in the source: , is German's decimal mark"
    assert findings("locale", "Es sind 1.234 Stück.", "There are 1,234 items.") == []
    assert findings("locale", "There are 1,234 items.", "There are 1,234 items.", pair=("en", "en")) == []


def test_languages_whose_formats_are_not_known() -> None:
    assert locale_of(None) is None
    assert locale_of("xx") is None
    with pytest.raises(OptionError, match="detector locale needs a target language whose formats are known, not xx"):
        findings("locale", "1,5", None, pair=(None, "xx"))
    assert "locale" not in tt.diagnose(tt.TestSet(segments=0), []).detectors


# All of them


@pytest.mark.parametrize(
    ("kind", "said"),
    [("term", "a glossary (--glossary FILE)"), ("forbidden", "a list of words (--forbidden FILE)"),
     ("length", "a limit (--max-length 80 or 130%)")],
)  # fmt: skip
def test_rules_that_are_not_named(kind: str, said: str) -> None:
    with pytest.raises(OptionError) as caught:
        findings(kind, "a", "b")
    assert str(caught.value) == f"detector {kind} needs {said}"


HOSTILE = ["{" * 20000, "<a " * 20000, "%(" * 20000, "1," * 20000, " " * 50000 + "x", "„" * 20000, "<b>" * 9000,
           "1.1." * 9000, "a" * 99999, "&" * 30000, "12/" * 9000,
           "{n, plural, one " * 6000, "{n, plural, one {" * 6000 + "}" * 12000, "¿?" * 20000]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_long_texts_are_read(text: str, glossary: Path) -> None:
    for language in ("de", "fr", "zh", "es"):
        found = diagnosis(
            "placeholder,punctuation,locale,term", text, "one file", pair=("en", language), glossary=glossary
        )
        assert found.tallies["mine", "term"].judged == 1
