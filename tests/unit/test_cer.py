"""CER: characters of stripped lines, the white space that remains included."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, make_testset, random_text
from reference import edits as naive
from reference import tokenizers

from tertium.core.lines import Lines
from tertium.metrics.cer import Cer


def rows_of(metric: Cer, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


@settings(max_examples=100)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3), lowercase=st.booleans())
def test_equals_naive(output: str, references: list[str], lowercase: bool) -> None:
    [row] = rows_of(Cer(lowercase=lowercase), [output], [list(references)])
    sides = [tokenizers.characters(text, lowercase) for text in (output, *references)]
    expected = naive.closest(sides[1:], sides[0])
    assert row.tolist() == list(expected)
    assert float(Cer().score(row)) == pytest.approx(naive.cer(expected), abs=1e-9)


def test_corpora_equal_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    rng = random.Random("cer")
    for _ in range(20):
        references = [f"x{random_text(rng, 8)}x" for _ in range(4)]
        outputs = [text[: rng.randint(0, len(text))] + random_text(rng, 3) for text in references]
        sums = rows_of(Cer(), list(outputs), [[text] for text in references]).sum(axis=0).tolist()
        assert Cer().score(sums) == pytest.approx(100 * jiwer.cer(references, outputs), abs=1e-9)


@pytest.mark.parametrize(
    ("output", "reference", "row"),
    [
        ("  kitten ", "sitting", [4, 2, 1, 0]),
        ("a b", "ab", [2, 0, 0, 1]),
        ("a  b", "a b", [3, 0, 0, 1]),  # runs of spaces inside are not collapsed
        ("\u3000é\n", "e\u0301", [0, 1, 1, 0]),
        ("", " \t", [0, 0, 0, 0]),
    ],
)
def test_by_hand(output: str, reference: str, row: list[int]) -> None:
    assert rows_of(Cer(), [output], [[reference]]).tolist() == [row]


def test_options_by_hand() -> None:
    assert rows_of(Cer(lowercase=True), ["ÀΣ"], [["àς"]]).tolist() == [[2, 0, 0, 0]]
    assert rows_of(Cer(unicode="nfc"), ["é"], [["e\u0301"]]).tolist() == [[1, 0, 0, 0]]
    assert Cer().parts([3.0, 1.0, 0.0, 2.0])["output_length"] == 6
    assert Cer().score([0.0, 0.0, 0.0, 2.0]) == 200
