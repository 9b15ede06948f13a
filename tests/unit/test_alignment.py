"""Outputs beside references: pairs and confusions equal jiwer's, pictures fit their width and show every character."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium.core.errors import OptionError
from tertium.report.alignments import display_width, picture

WORDS = st.lists(st.sampled_from(["the", "cat", "sat", "猫", "e\u0301", "👩‍💻", "down"]), max_size=9)
PAIRS = st.lists(st.tuples(WORDS.map(" ".join), WORDS.filter(bool).map(" ".join)), min_size=1, max_size=4)
NAMES = {"substitute": "S", "delete": "D", "insert": "I", "equal": "="}


@settings(max_examples=80, deadline=None)
@given(PAIRS)
def test_alignments_and_confusions_equal_jiwers(pairs: list[tuple[str, str]]) -> None:
    jiwer = pytest.importorskip("jiwer")
    outputs, references = [one for one, _ in pairs], [other for _, other in pairs]
    for metric, process in (("wer", jiwer.process_words), ("cer", jiwer.process_characters)):
        found, peer = tt.alignments(outputs, references, metric), process(references, outputs)
        for ours, theirs in zip(found.segments, peer.alignments, strict=True):
            spelled = "".join(
                NAMES[chunk.type]
                * max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx)
                for chunk in theirs
            )
            assert ours.operations == spelled
        substituted, inserted, deleted = jiwer.collect_error_counts(peer)
        expected = Counter({("substitution", *key): count for key, count in substituted.items()})
        expected.update({("insertion", "", key): count for key, count in inserted.items()})
        expected.update({("deletion", key, ""): count for key, count in deleted.items()})
        assert {item[:3]: item.times for item in found.confusions(runs=True)} == dict(expected)


@settings(max_examples=80, deadline=None)
@given(PAIRS)
def test_pairs_hold_all_words(pairs: list[tuple[str, str]]) -> None:
    outputs, references = [one for one, _ in pairs], [other for _, other in pairs]
    for metric, between in (("wer", " "), ("cer", "")):
        found = tt.alignments(outputs, references, metric)
        for alignment, (output, reference) in zip(found.segments, pairs, strict=True):
            assert between.join(pair.output for pair in alignment.pairs if pair.operation != "D") == output
            assert between.join(pair.reference for pair in alignment.pairs if pair.operation != "I") == reference
            assert all((pair.operation == "=") == (pair.reference == pair.output) for pair in alignment.pairs)
        assert sum(item.times for item in found.confusions()) == sum(one.errors for one in found.segments)


def naive_width(text: str) -> int:
    """Of words without emoji: two columns for what East Asian Width calls wide, none for marks."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.text("ab猫é\u0301 ", max_size=30), min_size=2, max_size=2),
    st.sampled_from(["wer", "cer"]),
    st.integers(16, 90),
)
def test_pictures_fit(texts: list[str], metric: str, width: int) -> None:
    found = tt.alignments([texts[0]], [texts[1]], metric)
    for line in picture(found.segments[0], width, found.unit):
        assert naive_width(line) <= width


def test_lines_break_between_words() -> None:
    found = tt.alignments("a bb ccc dddd", "a bx ccc")
    assert picture(found.segments[0], 16) == [
        "REF: a bx ccc",
        "HYP: a bb ccc",
        "       S",
        "",
        "REF: ****",
        "HYP: dddd",
        "     I",
    ]


def test_wide_characters_stand_above_each_other() -> None:
    found = tt.alignments("猫は 寝た また", "猫が座った 寝た")
    assert picture(found.segments[0], 60) == [
        "REF: 猫が座った 寝た ****",
        "HYP: 猫は       寝た また",
        "     S               I",
    ]
    assert display_width("猫") == display_width("👩‍💻") == 2
    assert display_width("e\u0301") == 1


def test_a_word_longer_than_a_line_goes_on() -> None:
    found = tt.alignments("abcdefghijklmnop", "abcdefghijklm")
    assert picture(found.segments[0], 16) == [
        "REF: abcdefghijk",
        "HYP: abcdefghijk",
        "     S",
        "",
        "REF: lm",
        "HYP: lmnop",
    ]


def test_a_mark_is_shown_with_its_character() -> None:
    """CER counts code points; nobody can read half a character."""
    found = tt.alignments("e\u0301a", "ea", "cer")
    assert found.segments[0].operations == "=I="
    assert picture(found.segments[0], 60, "character") == ["REF: ea", "HYP: e\u0301a", "     S"]


def test_what_nobody_sees_is_written_out() -> None:
    found = tt.alignments("a\u202eb", "a\x1b[31mb")
    [reference, output, _] = picture(found.segments[0], 60)
    assert (reference, output) == (r"REF: a\x1b[31mb", r"HYP: a\u202eb    ".rstrip())


def test_segments_and_their_order() -> None:
    outputs, references = ["a", "b x", "c y z", "d"], ["a", "b", "c", "d"]
    found = tt.alignments({"one": outputs, "two": references}, references)
    assert [item.segment for item in found.chosen("one", "test set", None, False)] == [2, 3]
    assert [item.segment for item in found.chosen("one", "errors", 1, False)] == [3]
    assert len(found.chosen("two", "test set", None, True)) == 4
    assert found.text(order="errors", most=1).splitlines()[0] == "one: segment 3: 2 errors (0 S, 0 D, 2 I), 1 hit"
    assert [(item.output, item.times) for item in found.confusions("one")] == [("x", 1), ("y", 1), ("z", 1)]
    assert found.confusions("two") == []


def test_the_reference_that_counts_is_shown() -> None:
    found = tt.alignments(["good day", None], [["hello", "good day sir"], ["x", "y"]], layout="segments")
    assert [(one.segment, one.reference, one.operations) for one in found.segments] == [(1, 2, "==D")]
    assert found.text().startswith("segment 1, reference 2: 1 error (0 S, 1 D, 0 I), 2 hits\n")


def test_metrics_without_an_alignment_are_refused() -> None:
    with pytest.raises(
        OptionError, match=r"^bleu counts no errors of an alignment; choose from wer, cer, mer, wil, wip$"
    ):
        tt.alignments("a", "a", "bleu")
    with pytest.raises(OptionError, match="choose from test set, errors"):
        tt.alignments("a", "b").text(order="x")


def test_normalised_words_are_shown_as_they_are_counted() -> None:
    found = tt.alignments("YES, sir!", "yes sir", 'wer(normalise=("lower", "punct"))')
    assert found.segments[0].operations == "=="
    assert found.segments[0].pairs[0].output == "yes"


def test_hostile_texts_stay_texts() -> None:
    found = tt.alignments("<script>alert(1)</script> \u202e x", "<b>bold</b> & y")
    html = found.page().html()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "\u202e" not in html


def test_the_page_says_what_the_table_says() -> None:
    found = tt.alignments({"a": ["x y", "z"], "b": ["x", "z"]}, ["x", "z"])
    html = found.page().html()
    assert "By WER, b is best (0.00), a worst (50.00)." in html
    assert "b: no error in 2 segments." in html
    assert "1 segment with errors." in html
    assert "No segment has an error." in html


def test_the_page_of_one_system_begins_with_its_errors() -> None:
    html = tt.alignments({"a": ["x y", "z"]}, ["x", "z"]).page().html()
    assert "a: WER 50.00; 0 substitutions, 0 deletions, 1 insertion; errors in 1 of 2 segments." in html
