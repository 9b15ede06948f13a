"""PER: bags of words. No peer computes it, so its values are worked out by hand and by the naive version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import make_testset
from reference import edits as naive

from tertium.core.lines import Lines
from tertium.metrics import parse

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


def rows_of(outputs: list[str | None], references: list[list[str | None]], text: str = "per") -> np.ndarray:
    metric = parse(text)
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


@given(segments=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4))
def test_equals_naive(segments: list[tuple[list[str], list[str]]]) -> None:
    rows = rows_of([" ".join(output) for output, _ in segments], [[" ".join(words)] for _, words in segments])
    references, outputs = [words for _, words in segments], [output for output, _ in segments]
    assert parse("per").score(rows.sum(axis=0).tolist()) == pytest.approx(naive.per(references, outputs), abs=1e-9)


@given(words=st.permutations("a b b c d e".split(" ")))
def test_order_is_free(words: list[str]) -> None:
    assert rows_of([" ".join(words)], [["a b b c d e"]]).tolist() == [[0, 6, 6, 6]]


@pytest.mark.parametrize(
    ("output", "reference", "row", "score"),
    [
        ("d c b a", "a b c d", [0, 4, 4, 4], 0),
        ("a a x", "a b c d", [3, 1, 3, 4], 75),
        ("a b b", "a b", [1, 2, 3, 2], 50),
        ("a b", "", [2, 0, 2, 0], 200),
        ("", "a b", [2, 0, 0, 2], 100),
        ("", "", [0, 0, 0, 0], 0),
    ],
)
def test_by_hand(output: str, reference: str, row: list[int], score: float) -> None:
    assert rows_of([output], [[reference]]).tolist() == [row]
    assert parse("per").score([float(x) for x in row]) == score


def test_several_references_by_hand() -> None:
    """Fewest errors, the first of equals; its length."""
    rows = rows_of(["a b", "a b", "a b"], [["x y z", "b a c"], [None, "a"], ["a c", "b c d"]])
    assert rows.tolist() == [[1, 2, 2, 3], [1, 1, 2, 1], [1, 1, 2, 2]]


def test_options_and_parts() -> None:
    assert rows_of(["A."], [["a ."]], 'per(tokenize="13a", lowercase=True)').tolist() == [[0, 2, 2, 2]]
    assert parse("per").parts([1.0, 2.0, 3.0, 4.0]) == {  # type: ignore[attr-defined]
        "errors": 1,
        "matches": 2,
        "output_length": 3,
        "reference_length": 4,
    }
