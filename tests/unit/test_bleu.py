"""BLEU: rows and formula against the naive version, sacreBLEU and values worked out by hand."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, make_testset, random_words
from reference import bleu as naive
from reference import tokenizers

from tertium.core.lines import Lines
from tertium.metrics import parse
from tertium.metrics.bleu import Bleu

WORDS = st.lists(st.sampled_from("abcde"), max_size=12)
SMOOTHINGS = [("none", None), ("floor", None), ("floor", 0.01), ("add-k", None), ("add-k", 0.5), ("exp", None)]
smoothings = pytest.mark.parametrize(("smooth", "value"), SMOOTHINGS)


def rows_of(metric: Bleu, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


@smoothings
@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_formula_equals_naive(smooth: str, value: float | None, order: int) -> None:
    """Corpora and segments, with and without the effective order."""
    rng = random.Random(f"{smooth} {value} {order}")
    metric = Bleu(order=order, smooth=smooth, smooth_value=value, tokenize="none")
    for _ in range(60):
        size = rng.choice([1, 1, 2, 5])
        references = [[random_words(rng, 12, 6) for _ in range(rng.choice([1, 3]))] for _ in range(size)]
        outputs = [disturb(rng, rng.choice(refs), 6) for refs in references]
        rows = rows_of(
            metric, [" ".join(words) for words in outputs], [[" ".join(words) for words in refs] for refs in references]
        )
        expected = naive.corpus(outputs, references, order, smooth, value)
        assert float(metric.score(rows.sum(axis=0))) == pytest.approx(expected, abs=1e-9)
        for row, output, refs in zip(rows, outputs, references, strict=True):
            alone = naive.sentence(output, refs, order, smooth, value)
            assert float(metric.segment_score(row)) == pytest.approx(alone, abs=1e-9)


@settings(max_examples=80)
@given(
    output=TEXTS,
    references=st.lists(TEXTS, min_size=1, max_size=3),
    name=st.sampled_from(["13a", "intl", "zh", "char", "none"]),
    lowercase=st.booleans(),
    order=st.integers(1, 6),
)
def test_rows_equal_naive(output: str, references: list[str], name: str, lowercase: bool, order: int) -> None:
    """References are tokenised once and read again: no token is lost or split on the way."""
    [row] = rows_of(Bleu(tokenize=name, lowercase=lowercase, order=order), [output], [list(references)])
    words = [tokenizers.tokenize(text, name, lowercase) for text in (output, *references)]
    expected = naive.row(words[0], words[1:], order)
    assert row.tolist() == [*expected.matches, *expected.totals, expected.output_length, expected.reference_length]


@smoothings
def test_any_number_of_references_equals_sacrebleu(smooth: str, value: float | None) -> None:
    """sacreBLEU takes None where a segment has fewer references than others."""
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = random.Random(f"ragged {smooth}")
    peer = sacrebleu.BLEU(smooth_method=smooth, smooth_value=value)
    metric = Bleu(smooth=smooth, smooth_value=value)
    for _ in range(20):
        references = []
        for _ in range(6):
            known = [" ".join(random_words(rng, 15, 8)) for _ in range(rng.randint(1, 4))]
            references.append([*known, *[None] * (4 - len(known))])
        outputs = [" ".join(disturb(rng, refs[0].split(), 8)) for refs in references]
        streams = [list(stream) for stream in zip(*references, strict=True)]
        theirs = peer.corpus_score(outputs, streams)
        sums = rows_of(metric, list(outputs), references).sum(axis=0).tolist()
        assert metric.score(sums) == pytest.approx(theirs.score, abs=1e-9)
        parts = metric.parts(sums)
        assert parts["reference_length"] == theirs.ref_len
        assert parts["precisions"] == pytest.approx(theirs.precisions, abs=1e-9)
        assert parts["brevity_penalty"] == pytest.approx(theirs.bp, abs=1e-12)


@pytest.mark.parametrize(
    ("brevity", "lengths", "expected"),
    [
        ("closest", [3, 9], 3),  # 5 words: 2 and 4 away
        ("closest", [3, 7], 3),  # a tie: the shorter
        ("closest", [7, 3], 3),
        ("closest", [9, 4, 6], 4),
        ("closest", [0, 9], 9),
        ("shortest", [7, 3, 9], 3),
        ("average", [7, 3, 9], 19 / 3),
        ("average", [7], 7),
        ("shortest", [9], 9),
    ],
)
def test_the_reference_length_that_counts(brevity: str, lengths: list[int], expected: float) -> None:
    metric = Bleu(brevity=brevity, tokenize="none")
    references: list[str | None] = [None, *(" ".join(["w"] * n) for n in lengths), None]
    [row] = rows_of(metric, ["a b c d e"], [references])
    assert row[-2:].tolist() == [5, pytest.approx(expected)]


@pytest.mark.parametrize(
    ("c", "r", "expected"),
    [(5, 5, 1), (6, 5, 1), (4, 5, math.exp(1 - 5 / 4)), (1, 10, math.exp(-9)), (0, 3, 0), (0, 0, 1)],
)
def test_brevity_penalty(c: int, r: int, expected: float) -> None:
    """exp(1 - r/c), not exp(1 - c/r)."""
    parts = Bleu(order=1).parts([0.0, float(c), float(c), float(r)])
    assert parts["brevity_penalty"] == pytest.approx(expected, abs=1e-15)


def test_weights_by_hand() -> None:
    """p1 = 1, p2 = 1/2: with weights 3 and 1 the geometric mean is (1/2)^(1/4); weights need not sum to one."""
    sums = [4.0, 1.0, 4.0, 2.0, 4.0, 4.0]
    for weights in [(3, 1), (0.75, 0.25), (6.0, 2.0)]:
        assert Bleu(order=2, weights=weights).score(sums) == pytest.approx(100 * 0.5**0.25)
    assert Bleu(order=2, weights=(1, 0)).score(sums) == pytest.approx(100)
    assert Bleu(order=2, weights=(0, 1)).score(sums) == pytest.approx(50)
    assert Bleu(order=2, weights=(1, 1)).score(sums) == pytest.approx(Bleu(order=2).score(sums))


def test_weights_of_orders_that_the_output_has_not() -> None:
    """The effective order leaves out what there is none of; a score of no order at all is a number still."""
    metric = Bleu(weights=(0, 0, 0, 1))
    rows = rows_of(metric, ["a b", "a b c d e"], [["a b c d e"], ["a b c d e"]])
    assert np.isfinite(metric.segment_score(rows)).all()
    assert metric.segment_score(rows)[1] == pytest.approx(100)


def test_three_words_against_themselves_have_no_bleu_but_a_segment_score() -> None:
    [row] = rows_of(Bleu(), ["a b c"], [["a b c"]])
    assert Bleu().score(row.tolist()) == 0
    assert Bleu().segment_score(row.tolist()) == pytest.approx(100)


def test_counts_are_summed_before_dividing() -> None:
    """Segment precisions are not averaged: 1/1 and 0/3 give 1/4."""
    rows = rows_of(Bleu(order=1, smooth="none"), ["a", "x y z"], [["a"], ["a b c"]])
    assert Bleu(order=1, smooth="none").score(rows.sum(axis=0).tolist()) == pytest.approx(25)


def test_nothing_matched_is_zero_whatever_the_smoothing() -> None:
    for smooth, value in SMOOTHINGS:
        metric = Bleu(smooth=smooth, smooth_value=value)
        [row] = rows_of(metric, ["a b c d e"], [["v w x y z"]])
        assert metric.score(row.tolist()) == 0
        assert metric.parts(row.tolist())["precisions"] == [0, 0, 0, 0]


def test_unicode_forms_change_what_matches() -> None:
    outputs, references = ["caf\u00e9 ﬁn “x”"], [['cafe\u0301 fin "x"']]
    found = {
        form: rows_of(Bleu(unicode=form), list(outputs), [list(refs) for refs in references])[0, 0]
        for form in ("none", "nfc", "nfkc", "quotes")
    }
    assert found == {"none": 0, "nfc": 1, "nfkc": 2, "quotes": 3}


def test_morphological_analysers() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    pytest.importorskip("MeCab")
    outputs, references = ["これは猫です。", "ABC"], ["これは犬です。", "abc"]
    for lowercase in (False, True):
        metric = Bleu(tokenize="ja-mecab", lowercase=lowercase)
        peer = sacrebleu.BLEU(tokenize="ja-mecab", lowercase=lowercase).corpus_score(outputs, [references])
        sums = rows_of(metric, [*outputs], [[text] for text in references]).sum(axis=0).tolist()
        assert metric.score(sums) == pytest.approx(peer.score, abs=1e-9)
        assert metric.parts(sums)["matches"] == peer.counts
    assert list(metric.versions()) == ["ja-mecab"]
    assert parse("bleu").versions() == {}  # type: ignore[attr-defined]


def test_statistics_are_shared_where_they_are_the_same() -> None:
    default = Bleu().stats_key(several=True)
    for same in (Bleu(smooth="none"), Bleu(smooth="floor", smooth_value=0.5), Bleu(weights=(1, 2, 3, 4))):
        assert same.stats_key(several=True) == default
    for other in (Bleu(order=3), Bleu(tokenize="zh"), Bleu(lowercase=True), Bleu(unicode="nfc")):
        assert other.stats_key(several=False) != Bleu().stats_key(several=False)
    assert Bleu(brevity="average").stats_key(several=True) != default
    assert Bleu(brevity="average").stats_key(several=False) == Bleu().stats_key(several=False)
