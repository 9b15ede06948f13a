"""Outputs cut into the segments of a test set: words, characters, documents, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.text.letters import clusters
from tertium.text.resegment import closing, read_units

REFERENCES = ["the cat sat on the mat .", "it rained all night .", "nobody came ."]


def test_line_breaks_come_back() -> None:
    assert tt.resegment(" ".join(REFERENCES), REFERENCES) == REFERENCES
    broken = ["the cat sat", "on the mat . it rained", "", "all night . nobody came ."]
    assert tt.resegment(broken, REFERENCES) == REFERENCES


def test_errors_stay_in_their_segments() -> None:
    said = "a cat sat on the mat . it rain the whole night . came nobody ."
    assert tt.resegment(said, REFERENCES) == ["a cat sat on the mat .", "it rain the whole night .", "came nobody ."]


def test_the_reference_that_fits_best_counts() -> None:
    references = [["good morning", "hello to you all"], ["all is well", "fine"]]
    assert tt.resegment("hello to you all fine", references) == ["hello to you all", "fine"]


def test_lower_case_is_an_option() -> None:
    """By hand: in lower case 'Yes' is a hit; else all three words are swapped or left out wherever the cut is."""
    assert tt.resegment("No YES no", ["no", "yes no"], lowercase=True) == ["No", "YES no"]


def test_characters_of_a_language_without_spaces() -> None:
    references = ["猫が座った。", "雨が降った。"]
    assert tt.resegment("猫が座る。雨が降った。", references, tokenize="char") == ["猫が座る。", "雨が降った。"]
    assert tt.resegment(["猫が座った。雨", "が降った。"], references, tokenize="char") == references


def test_characters_keep_the_spaces_that_are_there() -> None:
    references = ["I saw 東京 first", "then Kyoto"]
    assert tt.resegment(["I saw 東京 first", "then Kyoto"], references, tokenize="char") == references
    assert tt.resegment(["I saw 東", "京 first then Kyoto"], references, tokenize="char") == references
    assert tt.resegment(["да", "нет"], ["да нет"], tokenize="char") == ["да нет"]


@pytest.mark.parametrize("way", ["none", "char"])
def test_white_space_stays_as_it_is(way: str) -> None:
    references = ["Bonjour\u00a0!", "Vous  allez\tbien\u00a0?", "元気\u3000です"]
    assert tt.resegment(" ".join(references), references, tokenize=way) == references
    assert tt.resegment(["Bonjour\u00a0!  Vous", " allez"], ["Bonjour\u00a0! Vous allez"], tokenize=way) == [
        "Bonjour\u00a0!  Vous allez"
    ]


def test_no_character_loses_its_marks() -> None:
    flags = "\U0001f469\u200d\U0001f4bb"
    assert clusters("a\u0301b") == ["a\u0301", "b"]
    assert clusters(f"x{flags}") == ["x", flags]
    assert clusters("กำ\u0e49ง") == ["กำ\u0e49", "ง"]
    assert clusters("\u0301a") == ["\u0301", "a"]
    assert clusters("a \u0301") == ["a", " ", "\u0301"]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30), st.lists(st.text(max_size=10), min_size=1, max_size=4), st.sampled_from(["none", "char"]))
def test_nothing_is_lost_and_nothing_added(said: str, references: list[str], way: str) -> None:
    try:
        found = tt.resegment(said, references, tokenize=way)
    except InputError as error:
        assert "surrogate" in str(error)  # noqa: PT017
        return
    assert len(found) == len(references)
    assert "".join("".join(found).split()) == "".join(said.split())


@given(st.text(max_size=40))
def test_characters_put_together_are_the_text(text: str) -> None:
    assert "".join(clusters(text)) == text


def test_where_sentences_end() -> None:
    def ends(text: str, by: str) -> list[str]:
        units = read_units([text], by)
        return [unit for unit, mark in zip(units.texts, closing(units, by), strict=True) if mark]

    assert ends('he said "no." then (yes!) 3.5 left', "none") == ['"no."', "(yes!)"]
    assert ends("「はい。」と言った。3.5", "char") == ["」", "。"]


def test_documents_keep_their_words() -> None:
    """Without documents 'b' is closer to the second segment; with them it stays in the first."""
    references, documents = ["a x", "b c"], ["one", "two"]
    assert tt.resegment("a b c", references) == ["a", "b c"]
    assert tt.resegment(["a b", "c"], references, documents=documents) == ["a b", "c"]
    named = tt.resegment(["a", "c", "b"], references, documents=documents, output_documents=["one", "two", "one"])
    assert named == ["a b", "c"]


def test_another_number_of_lines_is_cut_as_a_whole() -> None:
    assert tt.resegment(["a b c", "", ""], ["a x", "b c"], documents=["one", "two"]) == ["a", "b c"]


def test_what_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"segment 2 has no reference, and outputs are cut by what their references say"
    ):
        tt.resegment("a", [["a"], []])
    with pytest.raises(InputError, match="output: the output has no document 'two'; both sides must have the same"):
        tt.resegment(["a", "b"], ["a", "b"], documents=["one", "two"], output_documents=["one", "one"])
    with pytest.raises(InputError, match="output: the test set has no document 'six'; both sides"):
        tt.resegment(["a", "b"], ["a", "b"], documents=["one", "two"], output_documents=["one", "six"])
    with pytest.raises(InputError, match="output: 3 lines, but documents are named for 2; name the document of every"):
        tt.resegment(["a", "b", "c"], ["a", "b"], documents=["one", "two"], output_documents=["one", "two"])
    with pytest.raises(InputError, match="those of test set testset have none; name them"):
        tt.resegment(["a"], ["a", "b"], output_documents=["one"])
    with pytest.raises(OptionError, match='tokenize="13a" is unknown; choose from none, char'):
        tt.resegment("a", ["a"], tokenize="13a")
    with pytest.raises(InputError, match="test set testset is empty: there is no segment to cut output into"):
        tt.resegment("a", [])
    with pytest.raises(InputError, match="references: int; pass a list of strings"):
        tt.resegment("a", 5)


def test_too_much_at_once_is_refused_before_it_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.text.resegment.MOST_WORK", 11)
    assert tt.resegment("a b", ["a", "b", "c"][:2]) == ["a", "b"]
    with pytest.raises(
        InputError, match="3 words or characters against 2 in 2 segments are too many to be cut at once"
    ):
        tt.resegment("a b c", ["a", "b"])


def test_a_saved_evaluation_knows_how_it_was_cut(tmp_path: Path) -> None:
    from tertium.core.testset import References, TestSet
    from tertium.text.resegment import resegment_systems

    lines = tt.Lines.of(REFERENCES)
    testset = TestSet(segments=3, references=References((lines,), 3))
    system = tt.System(name="talk", outputs=tt.Lines.of([" ".join(REFERENCES)]))
    cut, systems, notes = resegment_systems(testset, [system], None, "none+lower")
    assert notes == ["talk: 1 line cut into 3 segments by the fewest edits: its segments are not its own"]
    evaluation = tt.evaluate(cut, systems, "wer")
    tt.save(evaluation, tmp_path / "talk.tertium")
    again = tt.load(tmp_path / "talk.tertium")
    assert again.testset.resegmented == "none+lower"
    assert "|resegmented:none+lower|" in again.signatures["wer"]
    assert cut.slice(0, 1).resegmented == "none+lower"


def test_words_that_can_hardly_be_words() -> None:
    from tertium.core.testset import References, TestSet
    from tertium.text.resegment import resegment_systems

    text = "猫が座った。雨が降った。" * 3
    testset = TestSet(segments=1, references=References((tt.Lines.of([text]),), 1))
    _, _, notes = resegment_systems(testset, [tt.System(name="ja", outputs=tt.Lines.of([text]))], None, "none")
    assert notes[1] == "ja: 1 word in 108 bytes; if words have no spaces, cut by char"
