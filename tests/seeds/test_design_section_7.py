"""The worked examples of the design, section 7, that are about the metrics there are."""

import itertools
from fractions import Fraction

import numpy as np

from tertium.core.lines import Lines
from tertium.core.testset import References, TestSet
from tertium.metrics import parse


def row_of(metric: str, output: str, *references: str) -> dict[str, float]:
    """One segment's statistics by name."""
    chosen = parse(metric)
    streams = tuple(Lines.of([text]) for text in references)
    testset = TestSet(segments=1, references=References(streams, 1))
    stats = chosen.stats(Lines.of([output]), chosen.prepare(testset))
    return dict(zip(stats.columns, stats.segments()[0].tolist(), strict=True))


def precisions_of(metric: str, output: str, *references: str) -> list[Fraction]:
    row = row_of(metric, output, *references)
    orders = [name.removeprefix("matches_") for name in row if name.startswith("matches_")]
    return [Fraction(int(row[f"matches_{n}"]), int(row[f"totals_{n}"])) for n in orders]


def test_seven_times_the_has_unigram_precision_two_sevenths() -> None:
    [p1] = precisions_of("bleu(order=1, lowercase=True)", "the the the the the the the", "The cat is on the mat")
    assert p1 == Fraction(2, 7)
    [printed] = parse("bleu(order=1, lowercase=True)").parts(np.array([2.0, 7.0, 7.0, 6.0]))["precisions"]  # type: ignore[attr-defined]
    assert printed == 100 * 2 / 7


def test_the_cat_the_cat_has_precisions_five_sevenths_and_four_sixths() -> None:
    references = "The cat is on the mat.", "There is a cat on the mat."
    output = "The cat the cat on the mat."
    for lowercase in (False, True):
        words = f'bleu(order=2, tokenize="none", lowercase={lowercase})'
        assert precisions_of(words, output, *references) == [Fraction(5, 7), Fraction(4, 6)]


def unigram_f1(output: str, reference: str) -> tuple[Fraction, Fraction, Fraction]:
    """Precision, recall and F1 of the bags of words."""
    row = row_of("bleu(order=1)", output, reference)
    precision = Fraction(int(row["matches_1"]), int(row["output_length"]))
    recall = Fraction(int(row["matches_1"]), int(row["reference_length"]))
    return precision, recall, 2 * precision * recall / (precision + recall)


def test_there_is_a_cat_has_f1_ten_thirteenths() -> None:
    found = unigram_f1("There is a cat on the mat", "The cat is on the mat")
    assert found == (Fraction(5, 7), Fraction(5, 6), Fraction(10, 13))


def test_any_permutation_of_the_reference_has_f1_one() -> None:
    reference = "The cat is on the mat"
    for words in itertools.permutations(reference.split()):
        assert unigram_f1(" ".join(words), reference) == (1, 1, 1)
        assert row_of("per", " ".join(words), reference)["errors"] == 0
