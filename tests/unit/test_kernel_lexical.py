"""What the kernel counts for lexical, against naive counting."""

import random
import sys
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import MESSES, disturb, random_text, random_words
from rapidfuzz.distance import LCSseq, Levenshtein
from reference import lexical as naive

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.metrics._lexical import Counts

Pair = tuple[str, str]  # output, reference

# Powers of two add up without rounding, in any order.
WEIGHTS = {"the": 0.0, "cat": 0.25, "a": 0.5, "w1": 0.125, "w3": 0.75, ".": 0.0625, "中": 0.5, "ab": -1.0}
LETTERS = st.text("aAbB1٣中. ,é\u0130ǅ\u03a3\u0301\u3000", max_size=20)
TEXTS = LETTERS | MESSES | st.text(max_size=20)


def rows_of(pairs: Sequence[Pair], weights: Mapping[str, float] = WEIGHTS) -> list[list[float]]:
    rows = np.zeros((len(pairs), len(Counts._fields)))
    outputs, references = (Lines.of(list(side)) for side in zip(*pairs, strict=True))
    table = _kernel.WordWeights(Lines.of(list(weights)).view, np.array(list(weights.values()), dtype=np.float64))
    _kernel.count_lexical(outputs.view, references.view, table, rows)
    return rows.tolist()


def check(pairs: Sequence[Pair]) -> None:
    """Segments one after the other: what one leaves in the kernel's memory must not reach the next."""
    for pair, got in zip(pairs, rows_of(pairs), strict=True):
        expected = naive.counts(*pair, WEIGHTS)
        assert dict(zip(Counts._fields, got, strict=True)) == dict(zip(Counts._fields, expected, strict=True)), pair


@settings(max_examples=400)
@given(pairs=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_equals_naive(pairs: list[Pair]) -> None:
    check(pairs)


def random_pairs(rng: random.Random, pairs: int, longest: int) -> list[Pair]:
    """References of up to several blocks of 64 words, of few types or many."""
    found = []
    for _ in range(pairs):
        types = rng.choice([1, 2, 3, 8, 30, 200])
        reference = random_words(rng, longest, types)
        output = disturb(rng, reference, types) if rng.random() < 0.7 else random_words(rng, longest, types)
        found.append((" ".join(output), " ".join(reference)))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_long_segments(seed: int) -> None:
    rng = random.Random(seed)
    check([*random_pairs(rng, 4, 150), (random_text(rng), random_text(rng)), ("", ""), ("a", ""), ("", "a")])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_at_length(seed: int) -> None:
    rng = random.Random(seed)
    texts = [(random_text(rng, 60), random_text(rng, 60)) for _ in range(40)]
    check([*random_pairs(rng, 6, rng.choice([63, 64, 65, 128, 129, 300])), *texts])


@pytest.mark.parametrize("types", [30, 3000])
def test_very_long_segments(types: int) -> None:
    """Few types and many: bit vectors are kept for all of them, or made for each word. The judge is RapidFuzz."""
    rng = random.Random(types)
    reference = random_words(rng, 1600, types, shortest=1500)
    output = disturb(rng, reference, types)
    (row,) = rows_of([(" ".join(output), " ".join(reference))])
    found = dict(zip(Counts._fields, row, strict=True))
    assert found["word_edits"] == found["lower_word_edits"] == Levenshtein.distance(output, reference)
    assert found["char_edits"] == Levenshtein.distance(" ".join(output), " ".join(reference))
    assert found["subsequence"] == LCSseq.similarity(output, reference)


def test_kinds_of_characters() -> None:
    """A word of every character that is not white space; of letters without case, some."""
    kinds = {chr(c): unicodedata.category(chr(c)) for c in range(0x20, sys.maxunicode + 1)}
    many = [c for c, kind in kinds.items() if kind in ("Lo", "Co")][::97]
    rest = [c for c, kind in kinds.items() if kind not in ("Cs", "Cn", "Lo", "Co")]
    check([(f"x {c}y", f"x {c}y {c}") for c in [*many, *rest] if not c.isspace()])


def test_by_hand() -> None:
    """The cat ate 3 Mice . / The cats ate 4 mice !: what is missing, added and of which kind."""
    (row,) = rows_of([("The cat ate 3 Mice .", "The cats ate 4 mice !")], {"the": 0.25, "ate": 0.5})
    found = dict(zip(Counts._fields, row, strict=True))
    assert found["matches"] == 3  # the, ate, mice
    assert found["subsequence"] == 3
    assert found["matched_weight"] == 0.25 + 0.5 + 1
    assert found["heaviest_missing"] == 1  # cats
    assert found["longest_missing"] == 4
    assert (found["output_numbers"], found["reference_numbers"], found["matched_numbers"]) == (1, 1, 0)
    assert (found["output_capitals"], found["reference_capitals"]) == (1, 0)  # Mice; the first word does not count
    assert (found["output_marks"], found["reference_marks"], found["matched_marks"]) == (1, 1, 0)
    assert found["matched_stems"] == 3
    assert found["matched_endings"] == 3
    assert (found["same_first"], found["same_last"], found["same_end"]) == (1, 0, 0)


def test_missing_lines_stay_zero() -> None:
    rows = np.zeros((2, len(Counts._fields)))
    table = _kernel.WordWeights(Lines.of([]).view, np.zeros(0))
    _kernel.count_lexical(Lines.of([None, "a"]).view, Lines.of(["a", None]).view, table, rows)
    assert not rows.any()


def test_a_weight_for_every_word() -> None:
    with pytest.raises(ValueError, match="2 words, but 1 weights"):
        _kernel.WordWeights(Lines.of(["a", "b"]).view, np.ones(1))


def test_of_equal_words_the_first_counts() -> None:
    table = _kernel.WordWeights(Lines.of(["a", "a", "b"]).view, np.array([0.5, 0.25, 0.125]))
    rows = np.zeros((1, len(Counts._fields)))
    _kernel.count_lexical(Lines.of(["a b"]).view, Lines.of(["a b"]).view, table, rows)
    assert rows[0, Counts._fields.index("matched_weight")] == 0.625
