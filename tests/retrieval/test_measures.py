"""Measures against pytrec_eval, the naive versions, and hand."""

import math
import random

import numpy as np
import pytest
from tests.reference import retrieval as naive

from tertium.core.errors import OptionError
from tertium.retrieval.aqwv import query_weighted_value, sweep, value_rows
from tertium.retrieval.experiment import topic_evaluation, with_measures
from tertium.retrieval.measures import judge, overlap, rank_biased_overlap
from tertium.retrieval.metric import Retrieval, parse_measure
from tertium.retrieval.rankings import Ranking, Relevance, from_mapping

TREC = {"AP": "map", "RR": "recip_rank", "nDCG": "ndcg"}
TREC |= {f"P@{k}": f"P_{k}" for k in (1, 5, 10)} | {f"R@{k}": f"recall_{k}" for k in (1, 5, 10)}
TREC |= {f"nDCG@{k}": f"ndcg_cut_{k}" for k in (1, 5, 10)}


def random_case(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], int]:
    """A run with ties, unjudged documents, judged ones that it lacks, and topics of which it knows nothing; grades from
    -1 to 3. Every topic has a relevant document. Scores are exact in single precision, as trec_eval reads them."""
    draw = random.Random(seed)
    documents = [f"d{k}" for k in range(draw.randint(5, 60))]
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, float]] = {}
    for topic in (f"q{k}" for k in range(draw.randint(1, 12))):
        judged = draw.sample(documents, draw.randint(1, len(documents)))
        qrels[topic] = {name: draw.choice([-1, 0, 0, 1, 1, 2, 3]) for name in judged}
        qrels[topic][draw.choice(judged)] = draw.choice([1, 2])
        found = draw.sample(documents, draw.randint(0, len(documents)))
        if found:
            run[topic] = {name: draw.randint(1, 8) / 4 for name in found}
    return run, qrels, len(documents)


@pytest.mark.parametrize("seed", range(60))
def test_measures_equal_trec_eval(seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels, _ = random_case(seed)
    judge_of_judges = pytrec_eval.RelevanceEvaluator(
        {topic: {name: int(grade) for name, grade in row.items()} for topic, row in qrels.items()},
        {"map", "recip_rank", "ndcg", "P.1,5,10", "recall.1,5,10", "ndcg_cut.1,5,10"},
    )
    theirs = judge_of_judges.evaluate(run) if run else {}
    evaluation = topic_evaluation({"run": from_mapping(Ranking, run)}, from_mapping(Relevance, qrels))
    found = with_measures(evaluation, [Retrieval(measure=name) for name in TREC])
    for score in found.scores("segment"):
        name = TREC[found.metric(score.metric).measure]
        expected = theirs[score.segment][name] if score.segment in theirs else 0.0  # a topic without a line scores 0
        assert score.value == pytest.approx(expected, abs=1e-12), (score.segment, name)


def test_ties_stand_in_the_order_of_trec_eval() -> None:
    ranking = from_mapping(Ranking, {"q": {"a": 1.0, "c": 1.0, "b": 2.0, "d": 1.0}})
    assert list(ranking.named(0)) == ["b", "d", "c", "a"]


# AQWV


@pytest.mark.parametrize("seed", range(60))
def test_aqwv_and_its_sweep_equal_the_naive_version(seed: int) -> None:
    run, qrels, count = random_case(seed)
    qrels["empty"] = {"d0": 0.0}  # no relevant document: only false alarms count
    run["empty"] = {"d1": 1.5}
    relevant = {topic: {name for name, grade in row.items() if grade >= 1} for topic, row in qrels.items()}
    judged = judge(from_mapping(Ranking, run), from_mapping(Relevance, qrels))
    for threshold in (-math.inf, 0.5, 1.0, 1.9, math.inf):
        rows = value_rows(judged, count, threshold)
        for topic, row in zip(judged.relevance.topics, rows, strict=True):
            alone = naive.aqwv({topic: run.get(topic, {})}, {topic: relevant[topic]}, count, threshold)
            mine = query_weighted_value(row[0] if row[1] else 0.0, row[2] if row[3] else 0.0)
            assert mine == pytest.approx(alone, abs=1e-12)
        measure = Retrieval(measure="AQWV")
        assert measure.score(rows.sum(axis=0)) == pytest.approx(naive.aqwv(run, relevant, count, threshold), abs=1e-12)
    curve = sweep(judged, count)
    expected = [naive.aqwv(run, relevant, count, threshold) for threshold in naive.thresholds(run)]
    assert curve.thresholds.tolist() == naive.thresholds(run)
    np.testing.assert_allclose(curve.values, expected, atol=1e-10)
    assert curve.best[1] == pytest.approx(max(expected), abs=1e-10)


def test_aqwv_worked_by_hand() -> None:
    """The example of docs/explanation/retrieval.md: 1 - (1/2 + 40 * (4/98 + 1/100) / 2)."""
    qrels = {"1": {"r1": 1.0, "r2": 1.0}, "2": {"n0": 0.0}}
    run = {"1": {"r1": 3.0, **{f"n{k}": 1.0 for k in range(4)}}, "2": {"n0": 1.0}}
    evaluation = topic_evaluation({"s": from_mapping(Ranking, run)}, from_mapping(Relevance, qrels), size=100)
    [aqwv, best] = with_measures(evaluation, [Retrieval(measure="AQWV"), Retrieval(measure="mAQWV")]).scores()
    assert aqwv.value == pytest.approx(1 - (0.5 + 40 * (4 / 98 + 1 / 100) / 2), abs=1e-15)
    assert best.value == pytest.approx(0.5, abs=1e-15)  # the relevant document alone, from 3.0 on
    assert "thresholds:3" in best.signature


def test_aqwv_needs_to_know_how_many_documents_there_are() -> None:
    evaluation = topic_evaluation(
        {"s": from_mapping(Ranking, {"q": {"d": 1.0}})}, from_mapping(Relevance, {"q": {"d": 1.0}})
    )
    with pytest.raises(OptionError, match=r"^AQWV needs the number of documents in the collection"):
        with_measures(evaluation, [Retrieval(measure="AQWV")])


# Rank-biased overlap


@pytest.mark.parametrize(
    ("one", "other", "p", "expected"),
    [
        ("abc", "bad", 0.9, 0.1 / 0.9 * (0.81 + 2 / 3 * 0.729) + 2 / 3 * 0.729),  # the page's example: 0.630
        ("a", "a", 0.9, 1.0),
        ("ab", "cd", 0.5, 0.0),
        ("", "abc", 0.9, 0.0),
        ("", "", 0.9, 1.0),
        # S = a, L = ab: X_1 = 1, X_2 = 1; sums: 1*.5 + (1/2)*.25 and 1*(2-1)/(1*2)*.25; last: ((1-1)/2 + 1/1) * .25
        ("a", "ab", 0.5, 1.0 * (0.5 + 0.125 + 0.125) + 0.25),
        # S = b, L = ab: X_1 = 0, X_2 = 1: sums 0 + .125 and 0; last: ((1-0)/2 + 0) * .25
        ("b", "ab", 0.5, 0.125 + 0.125),
    ],
)
def test_rbo_worked_by_hand(one: str, other: str, p: float, expected: float) -> None:
    numbers = {char: k for k, char in enumerate("abcd")}
    for first, second in ((one, other), (other, one)):
        found = overlap([numbers[char] for char in first], [numbers[char] for char in second], p)
        assert found == pytest.approx(expected, abs=1e-15)
        assert naive.rbo(first, second, p) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("seed", range(30))
def test_rbo_of_rankings_equals_the_naive_version(seed: int) -> None:
    run, _, _ = random_case(seed)
    other, _, _ = random_case(seed + 1000)
    topics = tuple(other)
    found = rank_biased_overlap(from_mapping(Ranking, run), from_mapping(Ranking, other), 0.9)
    assert len(found) == len(topics)
    for topic, value in zip(topics, found.tolist(), strict=True):
        assert value == pytest.approx(naive.rbo(naive.ranked(run.get(topic, {})), naive.ranked(other[topic]), 0.9))


# Names


@pytest.mark.parametrize(
    ("word", "measure"),
    [("map", "AP"), ("MRR", "RR"), ("ndcg@10", "nDCG@10"), ("p@5", "P@5"), ("rbo(0.9)", "RBO(0.9)"), ("AQWV", "AQWV")],
)
def test_measures_by_the_fields_words(word: str, measure: str) -> None:
    assert parse_measure(word) == Retrieval(measure=measure)


@pytest.mark.parametrize("word", ["P", "P@0", "RBO", "RBO(1)", "blue", "AP@3", "", "nDCG@" + "9" * 50])
def test_unknown_measures(word: str) -> None:
    with pytest.raises(OptionError, match=r"is unknown; write one of AP, RR, P@K"):
        parse_measure(word)


# Topics without relevant documents


def test_topics_without_relevant_documents_are_not_scored_and_said() -> None:
    qrels = {"1": {"a": 1.0}, "2": {"a": 0.0}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    evaluation = topic_evaluation({"s": from_mapping(Ranking, run)}, from_mapping(Relevance, qrels), size=4)
    found = with_measures(evaluation, [Retrieval(), Retrieval(measure="AQWV")])
    [ap, aqwv] = found.scores()
    assert (ap.value, ap.n) == (1.0, 1)
    assert (aqwv.value, aqwv.n) == (1 - 40 * (0 + 1 / 4) / 2, 2)
    assert found.warnings == (
        "1 of 2 topics has no relevant document: AQWV counts its false alarms, other measures leave it out",
    )
