"""NIST: options, parts, what merging shards knows, mteval's lower-casing."""

import math
import pickle

import numpy as np
import pytest
from laws.texts import make_testset

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.metrics import parse
from tertium.metrics.nist import lower_ascii


def nist(text: str, outputs: list[str], references: list[list[str | None]]) -> float:
    metric = parse(text)
    return float(metric.score(metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).sums()))


def test_the_worked_example_of_the_explanation() -> None:
    """docs/explanation/nist.md, by hand: 8 words in the references; `the` occurs twice, `the lamp` once."""
    references: list[list[str | None]] = [["the lamp on the wall"], ["a red lamp"]]
    outputs = ["the lamp on a wall", "a red lamp"]
    one = math.log2(8 / 2) * 2 + math.log2(8 / 1) * 2  # the, lamp; on, wall
    two = math.log2(8 / 1) * 2 + math.log2(8 / 2)  # a, red; lamp
    bigrams = math.log2(2 / 1) + math.log2(2 / 1)  # `the lamp`, `lamp on`; the others 0
    expected = (one + two) / 8 + bigrams / 6
    assert one + two == 18
    assert nist("nist(order=2)", outputs, references) == pytest.approx(expected)
    assert expected == pytest.approx(2.25 + 1 / 3)
    assert nist("nist", outputs, references) == pytest.approx(expected)  # longer n-grams have no information here


@pytest.mark.parametrize(("words", "penalty"), [(12, 1.0), (18, 1.0), (8, 0.5)])
def test_an_output_of_two_thirds_loses_half(words: int, penalty: float) -> None:
    [score] = tt.evaluate(
        make_testset([["a b c " * 4]]), [tt.System(name="s", outputs=Lines.of(["a " * words]))], "nist(order=1)"
    ).scores()
    assert score.parts["length_penalty"] == pytest.approx(penalty)
    assert score.value == pytest.approx(4 * math.log2(3) / words * penalty)
    assert (score.parts["output_length"], score.parts["reference_length"]) == (words, 12)


def test_the_penalty_has_the_same_bits_alone_and_among_others() -> None:
    """54 words for 83 are one of the pairs whose squared logarithm was rounded in two ways."""
    metric = parse("nist(order=1)")
    sums = [[1.0, 1.0, float(c), 83.0] for c in range(1, 84)]  # information, n-grams, words of output and reference
    assert [metric.score(row) for row in sums] == metric.score(np.array(sums)).tolist()


def test_lengths_of_references_are_averaged() -> None:
    metric = parse("nist")
    stats = metric.stats(Lines.of(["a b"]), metric.prepare(make_testset([["a", "a b c d", None]])))
    assert stats.sums()[-2:] == [2, 2.5]


def test_an_empty_output_scores_nothing() -> None:
    assert nist("nist", [""], [["a b"]]) == 0
    assert nist("nist", ["a"], [[""]]) == 0


def test_mteval_lower_cases_ascii_only() -> None:
    references: list[list[str | None]] = [["Émile AB"], ["x y z"]]
    same = nist('nist(lowercase=True, compat="mteval")', ["Émile ab", "x y z"], references)
    assert nist('nist(lowercase=True, compat="mteval")', ["émile ab", "x y z"], references) < same
    assert nist("nist(lowercase=True)", ["émile ab", "x y z"], references) == pytest.approx(same)
    intl = 'nist(lowercase=True, compat="mteval", tokenize="intl")'  # there mteval lower-cases all of Unicode
    assert nist(intl, ["émile ab", "x y z"], references) == pytest.approx(same)
    assert list(lower_ascii(Lines.of(["&AMP; A,É", None]), "13a")) == ["& amp ; a , É", None]


def test_shared_information_can_be_sent_to_another_process() -> None:
    metric = parse("nist")
    prepared = metric.prepare(make_testset([["a b a"], ["c"]]))
    again = pickle.loads(pickle.dumps(prepared.shared))
    assert list(again.streams[0]) == ["a b a", "c"]
    assert again.merge(again).table() is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nist(order=0)", "nist: order=0; the longest n-gram must have 1 to 20 words"),
        ("nist(order=21)", "nist: order=21; the longest n-gram must have 1 to 20 words"),
        ('nist(compat="perl")', 'nist: compat="perl" is unknown; choose from none, mteval'),
    ],
)
def test_options_are_checked(text: str, sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse(text)
    assert str(caught.value) == sentence
