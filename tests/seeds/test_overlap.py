"""Precision, recall and F1 of words: the examples with which textbooks begin, as fractions."""

import itertools
from fractions import Fraction

import pytest

import tertium as tt

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # small test sets

CAT = "The cat is on the mat"


def share_of(metric: str, output: str, *references: str) -> Fraction:
    """A score as the fraction it is."""
    [score] = tt.score(output, references=list(references), metrics=metric)
    return Fraction(score.value / 100).limit_denominator(1000)


def test_seven_times_the() -> None:
    the = "the the the the the the the"
    assert share_of("precision(lowercase=True)", the, CAT) == Fraction(2, 7)
    assert share_of("precision(clip=False)", the, CAT) == Fraction(7, 7)
    assert share_of("precision(clip=False)", the, "there is no such word") == 0
    assert share_of("recall(lowercase=True)", the, CAT) == Fraction(2, 6)
    assert share_of("recall", the, CAT) == Fraction(1, 6)  # The is another word


def test_there_is_a_cat_on_the_mat() -> None:
    output = "There is a cat on the mat"
    for options in ("", "(lowercase=True)"):
        assert share_of(f"precision{options}", output, CAT) == Fraction(5, 7)
        assert share_of(f"recall{options}", output, CAT) == Fraction(5, 6)
        assert share_of(f"f1{options}", output, CAT) == Fraction(10, 13)


def test_any_permutation_of_the_reference_has_f1_one() -> None:
    orders = [" ".join(order) for order in itertools.permutations(CAT.split())]
    found = tt.score(orders, references=[CAT] * len(orders), metrics=["precision", "recall", "f1"], level="segment")
    assert len(found) == 3 * 720
    assert {score.value for score in found} == {100.0}


def test_several_references() -> None:
    """Precision takes them together, as BLEU's p1 does; recall and F1 are of the one that is best by F1."""
    output, references = "The cat the cat on the mat", ("The cat is on the mat", "There is a cat on the mat")
    words = "(tokenize='none')"
    assert share_of(f"precision{words}", output, *references) == Fraction(5, 7)
    [bleu] = tt.score(output, references=list(references), metrics="bleu(order=1, tokenize='none')")
    assert (bleu.parts["matches"], bleu.parts["totals"]) == ((5,), (7,))
    assert share_of(f"recall{words}", output, *references) == Fraction(5, 6)  # The, cat, on, the, mat of six words
    assert share_of(f"f1{words}", output, *references) == Fraction(10, 13)
    assert share_of("precision", "a b", "a x", "b y") == Fraction(2, 2)
    assert share_of("f1", "a b", "a x", "b y") == Fraction(1, 2)


def test_precision_does_not_miss_what_is_not_said() -> None:
    """Why it breaks the law that an output that lacks everything is worse than a perfect one."""
    outputs, references = ["the cat sat", ""], ["the cat sat", "on the mat"]
    precision, recall = (
        tt.score(outputs, references=references, metrics=name)[0].value for name in ("precision", "recall")
    )
    assert (precision, recall) == (100, 50)


def test_without_clipping_both_sides_are_counted_for_themselves() -> None:
    [score] = tt.score("a a a b", references="a c c a a a", metrics="f1(clip=False)")
    assert score.parts == {
        "output_matches": 3,
        "reference_matches": 4,
        "output_length": 4,
        "reference_length": 6,
    }
    assert score.value == pytest.approx(100 * 2 * (3 / 4) * (4 / 6) / (3 / 4 + 4 / 6), rel=1e-15)
