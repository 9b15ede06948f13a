"""chrF and chrF++: the formula and the choice of the best reference, against the naive version and by hand."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, make_testset, random_text
from reference import chrf as naive

from tertium.core.lines import Lines
from tertium.metrics.chrf import Chrf

OPTIONS = list(itertools.product([False, True], repeat=3))


def rows_of(metric: Chrf, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


def mutate(rng: random.Random, text: str) -> str:
    cut = rng.randint(0, len(text))
    return rng.choice([text, "", text[:cut], text[:cut] + random_text(rng, 6), random_text(rng, 12)])


@pytest.mark.parametrize(("whitespace", "lowercase", "eps"), OPTIONS)
@pytest.mark.parametrize(("chars", "words", "beta"), [(6, 0, 2), (6, 2, 2), (6, 0, 1), (3, 1, 0.5), (0, 2, 3)])
def test_equals_naive(chars: int, words: int, beta: float, whitespace: bool, lowercase: bool, eps: bool) -> None:
    """Rows of the best of three references, gaps among them, and the score of their sum."""
    rng = random.Random(f"{chars} {words} {beta} {whitespace} {lowercase} {eps}")
    options = {
        "chars": chars,
        "words": words,
        "whitespace": whitespace,
        "lowercase": lowercase,
        "beta": beta,
        "eps": eps,
    }
    metric = Chrf(**options)  # type: ignore[arg-type]
    outputs = [random_text(rng, 12) for _ in range(25)]
    references = [[mutate(rng, output) for _ in range(rng.randint(1, 3))] for output in outputs]
    with_gaps = [[None, *refs] if rng.random() < 0.3 else list(refs) for refs in references]
    rows = rows_of(metric, list(outputs), with_gaps)
    expected = [naive.best(output, refs, **options) for output, refs in zip(outputs, references, strict=True)]
    assert rows.tolist() == [list(itertools.chain(*row)) for row in expected]
    corpus = naive.corpus(outputs, references, **options)
    assert metric.score(rows.sum(axis=0).tolist()) == pytest.approx(corpus, abs=1e-9)
    for row, statistics in zip(rows, expected, strict=True):
        assert float(metric.score(row)) == pytest.approx(naive.f_score(statistics, beta, eps), abs=1e-9)


@settings(max_examples=60)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3))
def test_equals_sacrebleu(output: str, references: list[str]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    for words in (0, 2):
        peer = sacrebleu.CHRF(word_order=words).sentence_score(output, references)
        [row] = rows_of(Chrf(words=words), [output], [list(references)])
        assert float(Chrf(words=words).score(row)) == pytest.approx(peer.score, abs=1e-9)


def test_f_by_hand() -> None:
    """One order, 2 of 4 and 2 of 8: P = 1/2, R = 1/4. F_beta has (1 + beta^2), not (1 + beta)^2."""
    sums = [4.0, 8.0, 2.0]
    assert Chrf(chars=1).score(sums) == pytest.approx(100 * 5 * (1 / 8) / (4 / 2 + 1 / 4))
    assert Chrf(chars=1, beta=1).score(sums) == pytest.approx(100 / 3)
    assert Chrf(chars=1, beta=0).score(sums) == pytest.approx(50)
    assert Chrf(chars=1, beta=3).score(sums) == pytest.approx(100 * 10 * (1 / 8) / (9 / 2 + 1 / 4))


def test_orders_that_one_side_has_not_are_left_out() -> None:
    """Averages run over the orders that both sides have; with eps over all."""
    sums = [2.0, 2.0, 1.0, 0.0, 1.0, 0.0]
    assert Chrf(chars=2).score(sums) == pytest.approx(50)
    assert Chrf(chars=2, eps=True).score(sums) == pytest.approx(25)
    assert Chrf(chars=2).parts(sums) == {"precisions": [50, 0], "recalls": [50, 0]}


def test_an_order_the_reference_has_not_counts_nothing_in_the_output() -> None:
    [row] = rows_of(Chrf(chars=3), ["abcdef"], [["ab"]])
    assert row.tolist() == [6, 2, 2, 5, 1, 1, 0, 0, 0]


def test_the_best_reference_depends_on_beta() -> None:
    """A long reference that holds the output has precision, a short one recall; of equals the first counts."""
    references: list[list[str | None]] = [["abcd", "a"]]
    [long] = rows_of(Chrf(chars=1, beta=0.1), ["ab"], references)
    [short] = rows_of(Chrf(chars=1, beta=9), ["ab"], references)
    assert (long[1], short[1]) == (4, 1)
    [first] = rows_of(Chrf(chars=1), ["ab"], [["xay", "uav"]])
    [second] = rows_of(Chrf(chars=1, words=1), ["xx"], [["a", "bcd"]])
    assert first.tolist() == [2, 3, 1]
    assert second[1] == 1  # both score 0


def test_words_of_chrf_plus_plus() -> None:
    """One final mark comes off, else one initial; a mark alone is a word."""
    [row] = rows_of(Chrf(chars=0, words=1), ["(yes), !"], [["(yes) , !"]])
    assert row.tolist() == [3, 4, 2]  # "(yes)" "," "!" against "(yes" ")" "," "!"


def test_statistics_are_shared_where_they_are_the_same() -> None:
    assert Chrf(beta=1).stats_key(several=False) == Chrf(eps=True).stats_key(several=False) == "chrf"
    assert len({metric.stats_key(several=True) for metric in (Chrf(), Chrf(beta=1), Chrf(eps=True))}) == 3
    assert Chrf(words=2).stats_key(several=False) != "chrf"


def test_unicode_forms_change_what_matches() -> None:
    texts = ["caf\u00e9"], [["cafe\u0301"]]
    assert rows_of(Chrf(chars=1), *texts)[0].tolist() == [4, 5, 3]  # type: ignore[arg-type]
    assert rows_of(Chrf(chars=1, unicode="nfc"), *texts)[0].tolist() == [4, 4, 4]  # type: ignore[arg-type]
