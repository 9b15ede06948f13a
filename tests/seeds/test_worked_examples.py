"""The examples that docs/explanation works by hand: expected values are the fractions of the pages, not our output."""

import itertools
import math
from fractions import Fraction

import pytest

import tertium as tt

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # small test sets


def score_of(metric: str, output: str, *references: str) -> tt.Score:
    [score] = tt.score(output, references=list(references), metrics=metric)
    return score


def test_bleu_of_the_dog_on_the_red_mat() -> None:
    score = score_of("bleu", "the dog sat on the old red mat", "the dog lay on the old red mat again")
    precisions = [Fraction(7, 8), Fraction(5, 7), Fraction(3, 6), Fraction(2, 5)]
    assert list(zip(score.parts["matches"], score.parts["totals"], strict=True)) == [(7, 8), (5, 7), (3, 6), (2, 5)]  # type: ignore[arg-type]
    assert math.prod(precisions) == Fraction(1, 8)
    assert score.parts["brevity_penalty"] == pytest.approx(math.exp(1 - 9 / 8), rel=1e-15)
    assert score.value == pytest.approx(100 * math.exp(-1 / 8) * 8**-0.25, rel=1e-14)
    assert round(score.value, 2) == 52.47


def test_chrf_of_walked_and_walks() -> None:
    precision = (Fraction(4, 6) + Fraction(3, 5) + Fraction(2, 4)) / 3
    recall = (Fraction(4, 5) + Fraction(3, 4) + Fraction(2, 3)) / 3
    assert (precision, recall) == (Fraction(53, 90), Fraction(133, 180))
    f = 5 * precision * recall / (4 * precision + recall)
    assert f == Fraction(7049, 10026)
    assert score_of("chrf(chars=3)", "walked", "walks").value == pytest.approx(float(100 * f), rel=1e-14)
    assert score_of("bleu", "walked", "walks").value == 0


def test_word_f1_of_there_is_a_cat_is_ten_thirteenths_and_of_permutations_one() -> None:
    words, reference = "chrf(chars=0, words=1, beta=1)", "The cat is on the mat"
    score = score_of(words, "There is a cat on the mat", reference)
    assert score.parts["precisions"] == pytest.approx((100 * 5 / 7,), rel=1e-15)
    assert score.parts["recalls"] == pytest.approx((100 * 5 / 6,), rel=1e-15)
    assert score.value == pytest.approx(1000 / 13, rel=1e-15)
    orders = [" ".join(order) for order in itertools.permutations(reference.split())]
    found = tt.score(orders, references=[reference] * len(orders), metrics=[words, "per"], level="segment")
    assert {(score.metric, score.value) for score in found} == {(words, 100), ("per", 0)}


@pytest.mark.parametrize(
    ("output", "reference", "ter", "wer"),
    [
        ("on the mat the cat sat", "the cat sat on the mat", (1, 6), (6, 6)),
        ("yesterday the old cat slept", "the old cat slept in the sun yesterday", (4, 8), (5, 8)),
    ],
)
def test_ter_moves_what_wer_deletes_and_inserts(
    output: str, reference: str, ter: tuple[int, int], wer: tuple[int, int]
) -> None:
    for metric, (edits, length) in (("ter", ter), ("wer", wer)):
        assert score_of(metric, output, reference).value == pytest.approx(100 * edits / length, rel=1e-15)


def test_error_rates_of_the_small_cat() -> None:
    output, reference = "the small cat sat", "the cat sat down"
    assert tt.align(output, reference) == "=I==D"
    expected = {"wer": Fraction(2, 4), "mer": Fraction(2, 5), "wip": Fraction(9, 16), "wil": Fraction(7, 16),
                "per": Fraction(1, 4)}  # fmt: skip
    for metric, value in expected.items():
        assert score_of(metric, output, reference).value == pytest.approx(float(100 * value), rel=1e-15)
    assert score_of("cer", "colour", "color").value == pytest.approx(20, rel=1e-15)
    assert score_of("wer", "colour", "color").value == 100


def agreements(given: object, scale: str | None = "adequacy", **options: object) -> dict[str, float]:
    return {row.word: row.value for row in tt.agreement(given, scale, **options)}  # type: ignore[arg-type]


def test_agreement_of_two_raters_on_ten_outputs() -> None:
    found = agreements([[5, 5, 5, 5, 4, 4, 3, 3, 2, 1], [5, 5, 5, 4, 4, 5, 3, 2, 2, 1]])
    by_hand = {
        "observed": Fraction(7, 10),
        "bennett": Fraction(5, 8),
        "cohen": Fraction(3, 5),
        "cohen-linear": Fraction(61, 76),
        "cohen-quadratic": Fraction(178, 193),
        "scott": Fraction(89, 149),
        "fleiss": Fraction(89, 149),
        "gwet-ac1": Fraction(137, 217),
        "gwet-ac2-linear": Fraction(293, 353),
        "gwet-ac2-quadratic": Fraction(181, 193),
        "alpha-nominal": Fraction(92, 149),
        "alpha-interval": Fraction(238, 257),
        "alpha-ordinal": Fraction(3577, 4090),
    }
    for word, fraction in by_hand.items():
        assert found[word] == pytest.approx(float(fraction), abs=1e-14), word
    assert (Fraction(7, 10) - Fraction(1, 25)) / (1 - Fraction(1, 25)) == Fraction(11, 16)  # the popular error


def test_ranking_kappa_with_a_tie_is_seven_fifteenths() -> None:
    ranks = {"x": {"A": 1, "B": 2, "C": 2}, "y": {"A": 1, "B": 2, "C": 3}}
    said = [
        tt.Judgement(rater=rater, system=system, segment=0, scale="rank", value=rank, task=rater)
        for rater, places in ranks.items()
        for system, rank in places.items()
    ]
    found = agreements(said, "rank")
    assert found["ranking"] == pytest.approx(2 / 3, rel=1e-15)
    assert found["ranking-kappa"] == pytest.approx(7 / 15, rel=1e-14)


def test_span_f1_of_two_marks_that_share_half() -> None:
    from tertium.core.judgement import Span

    marks = {"x": Span(start=0, end=10, severity="major"), "y": Span(start=5, end=15, severity="minor")}
    said = [
        tt.Judgement(rater=rater, system="A", segment=0, scale="adequacy", value=3, spans=(span,))
        for rater, span in marks.items()
    ]
    found = agreements(said)
    assert (found["span-f1"], found["span-f1-severity"]) == (0.5, 0)
