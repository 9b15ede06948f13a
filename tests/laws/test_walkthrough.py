"""What an explanation shows adds up to the score, whatever the texts; and textbooks' examples come out exactly."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tertium as tt
from tertium.analysis.walkthrough import LONGEST, Walkthrough, walk_through
from tertium.core.errors import InputError
from tertium.core.table import Table
from tertium.metrics import parse
from tertium.metrics._steps.words import shown
from tertium.report.walkthrough import explain_page, walkthrough_markdown, walkthrough_object, walkthrough_text

from .texts import TEXTS
from .variants import CLASSES, metrics

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # small test sets
NAMES = [name for name, cls in CLASSES.items() if hasattr(cls, "steps")]
SENTENCES = st.one_of(
    TEXTS.map(lambda text: text.replace("\n", " ")),
    st.lists(st.sampled_from("a b c the .".split()), max_size=9).map(" ".join),
)
CAT = "The cat the cat on the mat."
REFERENCES = ("The cat is on the mat.", "There is a cat on the mat.")


def column(table: Table, head: str) -> list[Any]:
    place = table.heads.index(head)
    return [row[place] for row in table.rows]


def tables(found: Walkthrough, title: str) -> list[Table]:
    return [table for step in found.steps if step.title == title for table in step.tables]


def last_line(found: Walkthrough) -> str:
    return found.steps[-1].lines[-1]


def test_there_are_some() -> None:
    assert set(NAMES) == {"bleu", "cer", "chrf", "f1", "hlepor", "lepor", "macrof", "mer", "meteor", "microf", "nist",
                          "nlepor", "per", "precision", "recall", "ter", "wer", "wil", "wip"}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25)
@given(data=st.data(), output=SENTENCES, references=st.lists(SENTENCES, min_size=1, max_size=2))
def test_any_text_is_explained(name: str, data: st.DataObject, output: str, references: list[str]) -> None:
    """The last line is the score that `tertium score` has, and what can be added up adds up to the row."""
    metric = data.draw(metrics(name))
    found = walk_through(output, references, metric)
    [score] = tt.score([output], references=[references], metrics=metric, level="segment")
    assert found.value == score.value
    assert last_line(found).split(" = ")[-1].strip("= ") == shown(found.value)
    check_sums(name, metric, found)
    json.dumps(walkthrough_object(found), allow_nan=False)
    for text in (walkthrough_text(found, 60), walkthrough_markdown(found)):
        assert shown(found.value) in text


def check_sums(name: str, metric: Any, found: Walkthrough) -> None:
    row = found.row
    if name == "bleu":
        for n, table in enumerate(tables(found, "N-grams that count"), 1):
            assert sum(column(table, "counts")) == row[f"matches_{n}"]
            assert sum(column(table, "output")) == row[f"totals_{n}"]
    elif name == "nist":
        for n, table in enumerate(tables(found, "Information of the n-grams that count"), 1):
            assert math.fsum(column(table, "counts x info")) == pytest.approx(row[f"information_{n}"], abs=1e-9)
    elif name == "chrf":
        [table] = tables(found, "Precision and recall of each length")
        listed = iter(tables(found, "N-grams on both sides"))
        for said, wanted, both, p in zip(
            *(column(table, head) for head in ("output", "reference", "both", "precision")), strict=True
        ):
            if p is not None:
                ngrams = next(listed)
                assert (
                    sum(column(ngrams, "output")),
                    sum(column(ngrams, "reference")),
                    sum(column(ngrams, "counts")),
                ) == (said, wanted, both)
    elif name in ("wer", "mer", "wil", "wip", "cer"):
        edits = column(tables(found, "Alignment with the fewest edits")[0], "edit")
        expected = [row[kind] for kind in ("hits", "substitutions", "deletions", "insertions")]
        assert [edits.count(kind) for kind in ("hit", "substitution", "deletion", "insertion")] == expected
    elif name == "ter":
        [alignment] = tables(found, "Alignment after the shifts")
        shifts = sum(len(table.rows) for table in tables(found, "Shifts"))
        wrong = [edit for edit in column(alignment, "edit") if not edit.startswith("hit")]
        assert shifts + len(wrong) == row["edits"]
    elif name in ("macrof", "microf"):
        [table] = tables(found, "F of every type")
        scores, weights = column(table, "F"), column(table, "weight")
        total = math.fsum(weights)
        mean = math.fsum(f * w for f, w in zip(scores, weights, strict=True)) / total if total else 0.0
        assert 100 * mean == pytest.approx(found.value, abs=1e-9)
    elif name in ("precision", "recall", "f1") and metric.clip:
        [table] = tables(found, "Words that count")
        assert sum(column(table, "counts")) == row["output_matches"]
    elif name == "per":
        assert sum(column(tables(found, "Words in common, order ignored")[0], "counts")) == row["matches"]
    elif name in ("lepor", "hlepor", "nlepor") and getattr(metric, "compat", "none") == "none":
        moved = math.fsum(value for table in tables(found, "Positions") for value in column(table, "|j/c - i/r|"))
        words = sum(column(tables(found, "Precision and recall")[0], "output")) if found.row["length_penalty"] else 0
        if words:
            assert math.exp(-moved / words) == pytest.approx(row["position_penalty"], abs=1e-9)
    elif name == "meteor":
        [alignment] = tables(found, "Alignment")
        chunks = max(column(alignment, "chunk"), default=0)
        assert row["chunks"] in (chunks, 0 if chunks <= 1 else chunks)


# Textbooks


def test_bleu_of_the_cat_the_cat() -> None:
    """p1 = 5/7 and p2 = 4/6 on the words; with the full stop of 13a 6/8 and 5/7."""
    found = walk_through(CAT, REFERENCES, 'bleu(order=2, tokenize="none")')
    assert [table.title for table in tables(found, "N-grams that count")] == [
        "1-grams: 5/7 = 0.7143",
        "2-grams: 4/6 = 0.6667",
    ]
    words = tables(found, "N-grams that count")[0]
    assert words.heads == ["n-gram", "output", "reference 1", "reference 2", "most", "counts"]
    assert [list(row) for row in words.rows] == [
        ["The", 1, 1, 0, 1, 1], ["cat", 2, 1, 1, 1, 1], ["the", 2, 1, 1, 1, 1], ["on", 1, 1, 1, 1, 1],
        ["mat.", 1, 1, 1, 1, 1]]  # fmt: skip
    assert found.value == pytest.approx(100 * math.sqrt(5 / 7 * 4 / 6), rel=1e-14)


def test_seven_times_the() -> None:
    the = "the the the the the the the"
    found = walk_through(the, "The cat is on the mat", "precision(lowercase=True)")
    assert [list(row) for row in tables(found, "Words that count")[0].rows] == [["the", 7, 2, 2]]
    assert found.steps[-1].lines == ("P = 2/7 = 0.2857", "precision = 100 P = 28.5714")
    plain = walk_through(the, "The cat is on the mat", "precision(clip=False)")
    assert plain.steps[-1].lines == ("P = 7/7 = 1", "precision = 100 P = 100")


def test_f1_of_there_is_a_cat() -> None:
    found = walk_through("There is a cat on the mat", "The cat is on the mat", "f1")
    assert found.steps[-1].lines == ("P = 5/7 = 0.7143", "R = 5/6 = 0.8333", "F1 = 100 x 2 P R / (P + R) = 76.9231")
    assert found.value == pytest.approx(float(100 * Fraction(10, 13)), rel=1e-14)


def test_brevity_penalty_of_eight_words_against_ten() -> None:
    found = walk_through("a b c d e f g h", "a b c d e f g h i j")
    assert found.steps[3].lines == ("c = 8 < r = 10: BP = exp(1 - 10/8) = 0.7788",)


def test_ter_shows_its_shift() -> None:
    found = walk_through("on the mat the cat sat", "the cat sat on the mat", "ter")
    assert [list(row) for row in tables(found, "Shifts")[0].rows] == [[1, "on the mat", "the cat sat on the mat"]]
    assert column(tables(found, "Alignment after the shifts")[0], "edit") == ["hit"] * 3 + ["hit, shifted"] * 3
    assert found.steps[-1].lines[0] == "edits = 1 shift + 0 substitutions + 0 insertions + 0 deletions = 1"
    assert found.value == pytest.approx(100 / 6, rel=1e-14)


def test_meteor_shows_its_chunks() -> None:
    """The form of 2005: six matches in three chunks lose 0.5 (3/6)^3 of their score."""
    found = walk_through(
        "on the mat sat the cat", "the cat sat on the mat", 'meteor(variant="2005", stages=("exact",))'
    )
    chunks = column(tables(found, "Alignment")[0], "chunk")
    assert chunks == [1, 1, 2, 3, 3, 3]
    assert found.value == pytest.approx(100 * (1 - 0.5 * (3 / 6) ** 3), rel=1e-12)
    assert "An alignment that is rejected" not in {
        step.title for step in found.steps
    }  # the other way, fewer lines cross


def test_meteor_shows_what_it_rejects() -> None:
    """With each other's partners the two `the` cut one chunk into four, which would cost 0.5 (4/5)^3."""
    same = "the cat saw the dog"
    found = walk_through(same, same, 'meteor(variant="2005", stages=("exact",))')
    assert found.value == 100
    [rejected] = [step for step in found.steps if step.title == "An alignment that is rejected"]
    assert "4 chunks" in rejected.text[0]
    assert f"{100 * (1 - 0.5 * (4 / 5) ** 3):.4f}" in rejected.text[0]


def test_lepor_shows_positions() -> None:
    """a b against b a: each word is half the sentence away, NPD = (1/2 + 1/2) / 2."""
    found = walk_through("b a", "a b", "lepor")
    assert [list(row) for row in tables(found, "Positions")[0].rows] == [
        ["b", 1, 2, 0.5, 1.0, 0.5],
        ["a", 2, 1, 1.0, 0.5, 0.5],
    ]
    assert found.steps[2].lines == ("NPD = (1/c) x sum = 1/2 = 0.5000", "NPosPenal = exp(-NPD) = 0.6065")
    assert found.value == pytest.approx(100 * math.exp(-0.5), rel=1e-14)


def test_a_corpus_of_one_segment_can_score_otherwise() -> None:
    found = walk_through("the cat sat", "the cat sat")
    assert (found.value, found.corpus) == (100, 0)
    assert "As a corpus of this one segment: 0.0000" in walkthrough_text(found)


# Refused


@pytest.mark.parametrize(
    ("texts", "metric", "told"),
    [
        (("a", ()), "bleu", "bleu needs a reference, got none (--ref TEXT)"),
        (("a", ("b\nc",)), "bleu", "reference: more than one line, and an explanation is of one segment"),
        (
            ("a" * (LONGEST + 1), ("b",)),
            "ter",
            "output: 5001 characters, and an explanation is of one sentence, of 5000",
        ),
        (("a", ("b",)), "cosine", "cosine needs the source, got none (--src TEXT)"),
    ],
)
def test_what_cannot_be_explained(texts: tuple[str, tuple[str, ...]], metric: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        walk_through(*texts, metric)
    assert str(refused.value).startswith(told)


def test_a_page_of_several_metrics() -> None:
    hostile = "<script>alert(1)</script> the cat"
    found = [walk_through(hostile, ["the <b>cat</b>"], name) for name in NAMES]
    text = explain_page(found).html()
    assert "<script>alert" not in text
    assert "<b>cat" not in text
    for each in found:
        assert parse(each.metric).title in text


def test_a_metric_without_steps_shows_its_row() -> None:
    found = walk_through("the cat", "the cat", "lexical")
    assert found.steps[0].title == "Row"
    assert len(found.steps[0].tables[0].rows) == len(found.row)


def test_it_has_a_public_name() -> None:
    assert tt.explain is walk_through
