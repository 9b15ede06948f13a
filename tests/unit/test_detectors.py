"""Every detector: what it finds, where, and what it must leave alone."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tertium as tt
from tertium.analysis import diagnose as module
from tertium.analysis.detect.choice import usual_detectors
from tertium.analysis.diagnose import Diagnosis, Finding, Tally
from tertium.inference.mcnemar import mcnemar

EXAMPLES = Path(__file__).parents[2] / "examples"


def findings(
    kind: str,
    output: str,
    source: str | None = None,
    *references: str,
    pair: tuple[str | None, str | None] = (None, None),
) -> list[Finding]:
    """What one detector says about one output."""
    testset = tt.TestSet(
        segments=1,
        sources=None if source is None else tt.Lines.of([source]),
        references=tt.References(tuple(tt.Lines.of([text]) for text in references), 1),
        source_language=pair[0],
        target_language=pair[1],
    )
    return list(tt.diagnose(testset, [tt.System(name="mine", outputs=tt.Lines.of([output]))], detectors=kind))


def places(found: list[Finding], output: str) -> list[str]:
    return [output[slice(*finding.output)] for finding in found if finding.output]


GERMAN, ENGLISH = "Der Bagger steht am Ufer der Harke.", "The digger stands by the bank of the Harke."


def test_untranslated() -> None:
    output = "The Bagger stands by the Harke."
    [found] = findings("untranslated", output, GERMAN, ENGLISH)
    assert (found.segment, found.system, found.kind) == (1, "mine", "untranslated")
    assert output[slice(*found.output)] == "Bagger" == GERMAN[slice(*found.source)]
    assert found.severity == pytest.approx(6 / 25)
    assert "Bagger" in found.evidence


@pytest.mark.parametrize(
    ("output", "source", "reference"),
    [
        ("It costs 5 euro.", "Es kostet 5 Euro.", "It costs 5 euros."),  # the reference inflects it
        ("Agüero scored.", "Agüero traf.", "Aguero scored."),  # a name with its accents
        ("It was in a bank.", "Es war in Bonn.", "It was at Bonn."),  # shorter than three letters
        ("He said BAGGER.", "Er sagte Kran.", "He said crane."),  # not the source's word
    ],
)
def test_not_untranslated(output: str, source: str, reference: str) -> None:
    assert findings("untranslated", output, source, reference) == []


def test_untranslated_with_its_ending_dropped() -> None:
    output = "The issue of a Leseausweis is free."
    source = "Die Ausstellung eines Leseausweises ist frei."
    assert places(findings("untranslated", output, source, "Library cards are free."), output) == ["Leseausweis"]


def test_target_words_are_learnt_from_other_segments() -> None:
    testset = tt.TestSet(
        segments=2,
        sources=tt.Lines.of(["Das Team gewann.", "Wir ruhen."]),
        references=tt.References((tt.Lines.of(["The side won.", "Our team rests."]),), 2),
    )
    system = tt.System(name="mine", outputs=tt.Lines.of(["The team won.", "We rest."]))
    assert len(tt.diagnose(testset, [system], detectors="untranslated")) == 0


def test_common_source_words_count_although_a_reference_quotes_one() -> None:
    sources = ["Er las und schlief und und und."] * 40 + ["Er las Sein und Zeit."]
    references = ["He read and slept."] * 40 + ["He read Sein und Zeit."]
    testset = tt.TestSet(
        segments=41, sources=tt.Lines.of(sources), references=tt.References((tt.Lines.of(references),), 41)
    )
    outputs = tt.Lines.of(["He read and slept."] * 39 + ["He read und slept.", "He read Sein und Zeit."])
    found = tt.diagnose(testset, [tt.System(name="mine", outputs=outputs)], detectors="untranslated")
    assert [finding.segment for finding in found] == [40]


LONG = "The committee met on the bridge, listened to everybody and went home without a decision."


def test_lengths() -> None:
    [short] = findings("truncation", "The committee met.", LONG, LONG)
    assert short.severity == pytest.approx(1 - 18 / len(LONG))
    [long] = findings("overgeneration", f"{LONG} {LONG}", LONG, LONG)
    assert long.severity == pytest.approx(1 - len(LONG) / (2 * len(LONG) + 1))
    assert findings("truncation", LONG[:-10], LONG, LONG) == []
    assert findings("truncation", "", LONG, LONG) == []  # empty is a kind of its own
    assert findings("truncation", "The committee met.", LONG, LONG, "They met.") == []  # one reference is as short


@pytest.mark.parametrize(
    ("output", "span"),
    [
        ("the the the cat", "the the the"),
        ("he went to bed, went to bed. went to bed", "went to bed, went to bed. went to bed"),
        ("we are now here and we are now here and so on", "we are now here and we are now here and"),
        ("a b a c a b a c", "a b a c a b a c"),
        ("hahahahahahahaha", "hahahahahahahaha"),
        ("好的好的好的好的好的好的", "好的好的好的好的好的好的"),
    ],
)
def test_repetition(output: str, span: str) -> None:
    found = findings("repetition", output, "etwas anderes")
    assert places(found, output) == [span]
    assert found[0].severity == pytest.approx(len(span) / len(output))


@pytest.mark.parametrize("output", ["that that is", "very very good", "1000000000", "----------", "no no no"])
def test_not_repetition(output: str) -> None:
    assert findings("repetition", output, "nein nein nein") == []


@pytest.mark.parametrize(
    ("output", "source", "reference", "evidence"),
    [
        ("It costs 1,520 euros.", "Es kostet 1.250 Euro.", "It costs 1,250 euros.", ["1.250", "1,520"]),
        ("It costs 35 euros.", "Es kostet 3,5 Euro.", "It costs 3.5 euros.", ["3,5", "35"]),
        ("Five came.", "Drei kamen.", "Three came.", ["Drei", "Five"]),
        ("He comes on Thursday.", "Er kommt am Dienstag.", "He comes on Tuesday.", ["Dienstag"]),
        ("Children under 18 nothing, adults pay 16.", "Kinder unter 16 nichts, Erwachsene 18.",
         "Children under 16 nothing, adults pay 18.", ["order"]),
    ],
)  # fmt: skip
def test_numbers(output: str, source: str, reference: str, evidence: list[str]) -> None:
    found = findings("number", output, source, reference, pair=("de", "en"))
    assert len(found) == len(evidence)
    for finding, word in zip(found, evidence, strict=True):
        assert word in finding.evidence
        assert 0 < finding.severity <= 1


@pytest.mark.parametrize(
    ("output", "source", "reference"),
    [
        ("It costs 1,250.50 euros.", "Es kostet 1.250,50 Euro.", None),
        ("At 2 p.m. on 3 May", "Um 14 Uhr am 3. Mai", None),
        ("the third of May", "der 3. Mai", None),
        ("1.5 million", "1.500.000", None),
        ("twelve plums", "12 Zwetschgen", None),
        ("the two of them", "die beiden", "both of them"),
        ("12 500 people", "12.500 Menschen", None),
        ("half past ten", "halb elf", "half past ten"),
        ("a dozen", "12 Stück", "a dozen"),  # the reference does it too
        ("at 6:00", "um 6 Uhr", None),
    ],
)
def test_numbers_that_agree(output: str, source: str, reference: str | None) -> None:
    assert findings("number", output, source, *([reference] if reference else []), pair=("de", "en")) == []


LONG = "The old ferry crosses the river twice every hour and carries bicycles free of charge."


def test_omission() -> None:
    [found] = findings("omission", "The old ferry crosses the river twice every hour.", None, LONG)
    assert found.evidence == "nothing of 'carries bicycles free of charge', which the reference says"
    assert found.severity == pytest.approx(4 / 10)  # of ten weighty words


@pytest.mark.parametrize(
    ("output", "references"),
    [
        ("The old ferry crosses the river twice every hour and takes bikes gratis.", [LONG]),  # words of its own
        ("The old ferry crosses the river twice every hour.", [LONG, "The old ferry crosses hourly."]),  # excused
        ("The old ferry crosses the river twice every hour, carrying the bicycle for no charge.", [LONG]),  # inflected
        ("", [LONG]),  # a kind of its own
        ("The old ferry crosses the river twice every hour.", []),
    ],
)
def test_no_omission(output: str, references: list[str]) -> None:
    source = "Die alte Fähre quert den Fluss zweimal die Stunde."
    if references:
        assert findings("omission", output, source, *references) == []
    else:
        with pytest.raises(tt.TertiumError, match="has no references, which these detectors need: omission"):
            findings("omission", output, source)


def test_names() -> None:
    source, reference = "Am Freitag kam Selin 🙂 nach Kassel.", "Selin 🙂 came to Kassel on Friday."
    found = findings("name", "Sabine came to Kassel on Friday.", source, reference)
    assert [source[slice(*finding.source)] for finding in found] == ["Selin", "🙂"]
    assert [finding.severity for finding in found] == pytest.approx([2 / 3] * 2)
    assert findings("name", "Selin's parents 🙂 live in KASSEL.", source, reference) == []
    assert findings("name", "Nobody came.", source, reference, "She came.") == []  # the other reference has no name


def test_a_capital_at_the_start_may_be_the_sentences() -> None:
    testset = tt.TestSet(
        segments=2,
        sources=tt.Lines.of(["Was war?", "Nichts."]),
        references=tt.References((tt.Lines.of(["Was it?", "It was nothing."]),), 2),
    )
    system = tt.System(name="mine", outputs=tt.Lines.of(["Is it?", "Nothing."]))
    assert len(tt.diagnose(testset, [system], detectors="name")) == 0


def test_copied() -> None:
    [found] = findings("copied", GERMAN, GERMAN, ENGLISH)
    assert (found.severity, found.evidence) == (1.0, "the source itself")
    assert (found.output, found.source) == ((0, len(GERMAN)), (0, len(GERMAN)))
    [found] = findings("copied", "Der Bagger steht am river der Harke.", GERMAN, ENGLISH)
    assert found.severity == pytest.approx(6 / 7)
    assert findings("copied", "Kassel Hauptbahnhof Nord", "Kassel Hauptbahnhof Nord", "Kassel Hauptbahnhof Nord") == []


@pytest.mark.parametrize("output", ['He said "yes.', "one (two", "one) two", "„ja", "(a [b) c]", "（一"])
def test_unbalanced(output: str) -> None:
    assert findings("unbalanced", output, 'Er sagte "ja" (nein).') != []


@pytest.mark.parametrize(
    "output", ["a) one b) two", "fine :-)", "sad :(", '5" wide', "“yes”", "«oui»", "(stamp can)", "1.) yes", "don’t"]
)
def test_balanced(output: str) -> None:
    assert findings("unbalanced", output, "ja") == []


def test_unbalanced_as_the_source_is() -> None:
    assert findings("unbalanced", '"yes', '"ja', '"yes') == []


def test_unknown_words() -> None:
    found = findings("unk", "the <unk> of <UNK>", "das x von y")
    assert [finding.output for finding in found] == [(4, 9), (13, 18)]
    assert findings("unk", "write <unk>", "schreibe <unk>") == []


def test_empty() -> None:
    assert len(findings("empty", " ", "ja")) == 1
    assert findings("empty", "", "") == []
    assert len(findings("empty", "")) == 1


def test_wrong_language() -> None:
    pytest.importorskip("py3langid")
    english = [LONG, "Nobody on the platform looked surprised when the train was late again this evening."]
    german = "Niemand auf dem Bahnsteig wirkte überrascht, als der Zug an diesem Abend wieder verspätet war."
    testset = tt.TestSet(segments=2, references=tt.References((tt.Lines.of(english),), 2))
    system = tt.System(name="mine", outputs=tt.Lines.of([LONG, german]))
    found = tt.diagnose(testset, [system], detectors="language")
    assert [(finding.segment, finding.kind) for finding in found] == [(2, "language")]
    assert "de" in found[0].evidence
    sourced = tt.TestSet(segments=2, sources=tt.Lines.of(["Ja.", "Nein."]), references=testset.references)
    assert [finding.segment for finding in tt.diagnose(sourced, [system], detectors="language")] == [2]
    short = tt.System(name="mine", outputs=tt.Lines.of([LONG, "Niemand"]))
    assert len(tt.diagnose(testset, [short], detectors="language")) == 0


# What is there and what is not


@cache
def example(**options: Any) -> Diagnosis:
    return tt.diagnose(tt.read_testset(EXAMPLES / "testset.toml"), **options)


def test_without_source_and_without_references() -> None:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    bare = tt.TestSet(segments=96, references=given.testset.references)
    found = tt.diagnose(bare, given.systems)
    assert not {"untranslated", "number", "name", "copied"} & set(found.detectors)
    assert any("has no source, which these detectors need: untranslated, number, name, copied" in note
               for note in found.notes)  # fmt: skip
    sourced = tt.TestSet(segments=96, sources=given.testset.sources)
    found = tt.diagnose(sourced, given.systems)
    assert set(usual_detectors()) - set(found.detectors) <= {"omission", "name", "language", "locale"}
    assert found.floor == {}
    assert {f.segment for f in found if f.kind == "number" and f.system == "delta"} >= {1, 6, 10, 63}
    assert {f.segment for f in found if f.kind == "untranslated" and f.system == "cinder"} >= {2, 4, 5, 9}


def test_some_segments_only() -> None:
    whole, some = example(), example(segments=(45, 7, 45))
    assert list(some) == [finding for finding in whole if finding.segment in (7, 45)]
    assert some.tallies["cinder", "truncation"].judged == 2
    with pytest.raises(tt.TertiumError, match=r"^there is no segment 0: the test set has 1 to 96$"):
        example(segments=(0,))


def test_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tt.TertiumError, match=r"^there is no detector 'loops'; known: untranslated, truncation"):
        example(detectors="loops")
    bare = tt.TestSet(segments=1)
    with pytest.raises(tt.TertiumError, match=r"^test set testset has no source and no references, which"):
        tt.diagnose(bare, [], detectors="number")
    with pytest.raises(tt.TertiumError, match=r"^there is no segment 97: the test set has 1 to 96$"):
        example(detectors="empty").among([3, 97])
    with pytest.raises(tt.TertiumError, match=r"^there is no system 'x'; there are: atlas, brook, cinder, delta$"):
        example(detectors="empty").compare("atlas", "x")
    one = tt.System(name="a", outputs=tt.Lines.of(["x"]))
    with pytest.raises(tt.TertiumError, match=r"^two systems have the same name"):
        tt.diagnose(bare, [one, one])
    with pytest.raises(tt.TertiumError, match=r"2 lines, but test set testset has 1 segment"):
        tt.diagnose(bare, [tt.System(name="a", outputs=tt.Lines.of(["x", "y"]))])
    monkeypatch.setattr("tertium.text.language.find_spec", lambda _: None)
    with pytest.raises(tt.TertiumError, match=r'needs py3langid: pip install "tertium\[langid\]"$'):
        example(detectors="language")
    assert any("tertium[langid]" in note for note in example(keep=0).notes)


def test_missing_outputs_are_not_judged() -> None:
    system = tt.System(name="a", outputs=tt.Lines.of([None, ""]))
    found = tt.diagnose(tt.TestSet(segments=2), [system], detectors="empty")
    tally = found.tallies["a", "empty"]
    assert (tally.judged, tally.hits, tally.rate) == (1, 1, 1.0)


def test_keep_limits_what_is_kept_and_nothing_else() -> None:
    whole, short = example(detectors="number,name"), example(detectors="number,name", keep=2)
    assert len(short) <= 2 * 2 * 4 < len(whole)
    assert {key: tally.hits for key, tally in whole.tallies.items()} == {
        key: tally.hits for key, tally in short.tallies.items()
    }


def test_two_systems_are_compared() -> None:
    found = example(detectors="untranslated,number")
    number = found.compare("cinder", "delta")[1]
    cinder, delta = (
        {finding.segment for finding in found if finding.system == name and finding.kind == "number"}
        for name in ("cinder", "delta")
    )
    assert number[:4] == ("number", len(cinder - delta), len(delta - cinder), len(cinder & delta))
    p = found.against("atlas")
    assert p["cinder", "untranslated"] < 1e-9
    assert p["brook", "number"] == 1.0


def test_systems_are_compared_with_the_reference() -> None:
    found = example(detectors="untranslated,number,empty,name")
    p = found.beside_reference()
    floor, delta = (tally.marks for tally in (found.floor["number"], found.tallies["delta", "number"]))
    only = [sum(one == Tally.HIT != other for one, other in zip(*pair, strict=True) if one and other)
            for pair in ((delta, floor), (floor, delta))]  # fmt: skip
    assert only == [48, 0]
    assert p["delta", "number"] == pytest.approx(16 * mcnemar(48, 0))  # four systems, four detectors; the smallest
    assert p["atlas", "number"] == 1.0
    assert set(p) == {(name, kind) for name in found.systems for kind in found.detectors}
    given = tt.read_testset(EXAMPLES / "testset.toml")
    first = tt.References((given.testset.references.streams[0],), 96)
    alone = tt.diagnose(replace(given.testset, references=first), given.systems, detectors="untranslated,number,name")
    assert {kind for _, kind in alone.beside_reference()} == {"number"}  # the others cannot judge it


def test_hits_among_segments() -> None:
    counts = example(detectors="empty,truncation").among([1, 2, 37, 37])
    assert counts["cinder"] == {"empty": 1, "truncation": 1}
    assert counts["atlas"] == {"empty": 0, "truncation": 0}


def test_any_text_is_survived() -> None:
    hostile = ["\x00\u200f", "((((" * 2000, "a " * 5000, "१२३ कि", "9" * 5000, '"' * 999, "\U0001f642" * 300]
    lines = tt.Lines.of(hostile)
    testset = tt.TestSet(segments=7, sources=lines, references=tt.References((lines, lines), 7))
    assert list(module.diagnose(testset, [tt.System(name="same", outputs=lines)])) == []
    turned = tt.System(name="turned", outputs=tt.Lines.of(hostile[::-1]))
    for finding in module.diagnose(testset, [turned]):
        assert 0 <= finding.severity <= 1


@pytest.mark.parametrize(
    "text",
    ["111 " * 20_000 + "1111", "a) " * 20_000, "((" * 20_000, "Ab" * 20_000, " ".join(f"W{k}x" for k in range(20_000))],
)
def test_long_lines_take_no_quadratic_time(text: str) -> None:
    """Minutes, if every word were held against every other, or a pattern began anew at every bracket."""
    testset = tt.TestSet(
        segments=1,
        sources=tt.Lines.of([text]),
        references=tt.References((tt.Lines.of([text[1:]]),), 1),
    )
    mine = tt.System(name="mine", outputs=tt.Lines.of([text[::-1]]))
    able = [name for name in usual_detectors() if name not in ("language", "locale")]
    assert module.diagnose(testset, [mine], detectors=able) is not None


# The errors that were planted in the example

UNTRANSLATED = [
    *(1, 2, 4, 5, 7, 9, 12, 13, 14, 15, 22, 23, 24, 25, 26, 31, 33, 35, 36, 38, 42, 43, 44, 45, 48, 50, 52, 53, 56, 57),
    *(58, 60, 61, 62, 63, 64, 68, 70, 73, 74, 75, 77, 79, 82, 84, 86, 87, 89, 90, 91, 92, 93, 96),
]  # read by hand; examples/README.md says 53
WRONG = [
    *(1, 2, 3, 5, 6, 10, 11, 12, 16, 18, 22, 23, 25, 26, 28, 31, 32, 33, 34, 35, 38, 40, 41, 42, 43, 44, 45, 48, 50),
    *(51, 53, 54, 55, 57, 58, 59, 60, 63, 66, 67, 70, 71, 74, 79, 81, 83, 84, 85, 86, 89, 91, 92, 93, 96),
]  # number, date, name or amount; 54 of them
DROPPED = [
    *(1, 7, 11, 14, 15, 16, 18, 22, 23, 25, 26, 27, 30, 32, 33, 35, 38, 39, 43, 44, 45, 46, 47, 50, 52, 53, 55, 58, 59),
    *(60, 64, 67, 72, 74, 75, 76, 78, 80, 83, 84, 88, 91, 92, 95),
]  # a clause or an item, read by hand; 44 of them. A single word is dropped in 19, 29 and 86


def segments(found: Diagnosis, system: str, *kinds: str) -> list[int]:
    return sorted({finding.segment for finding in found if finding.system == system and finding.kind in kinds})


def test_planted_errors_are_found() -> None:
    found = example()
    assert segments(found, "cinder", "untranslated") == UNTRANSLATED
    assert segments(found, "delta", "number", "name") == WRONG
    assert set(segments(found, "cinder", "truncation", "omission", "number", "name")) >= set(DROPPED)
    assert segments(found, "cinder", "empty") == [37]
    assert segments(found, "cinder", "copied") == [48]
    assert segments(found, "brook", "name") == [50, 57]
    assert segments(found, "brook", "number") == [34]  # half eleven


def test_a_careful_system_has_one_false_alarm() -> None:
    assert [(finding.segment, finding.kind) for finding in example() if finding.system == "atlas"] == [(72, "omission")]
