"""What the kernel counts for LEPOR, against naive counting."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import disturb, random_words
from reference import lepor as naive

from tertium import _kernel
from tertium.core.lines import Lines

Pair = tuple[list[str], list[str]]  # output, reference

WORDS = st.lists(st.sampled_from("abcde"), max_size=24)


def rows_of(pairs: Sequence[Pair], window: int = 2, order: int = 1, perl: bool = False) -> list[list[float]]:
    rows = np.zeros((len(pairs), 3 + order))
    outputs, references = (Lines.of([" ".join(words) for words in side]) for side in zip(*pairs, strict=True))
    _kernel.count_lepor(outputs.view, references.view, "none", "none", window, order, perl, rows)
    return rows.tolist()


def check(pairs: Sequence[Pair], window: int, order: int) -> None:
    """Segments one after the other: what one leaves in the kernel's memory must not reach the next."""
    assert rows_of(pairs, window, order) == [naive.counts(*pair, window, order) for pair in pairs]
    assert rows_of(pairs, perl=True) == [naive.perl_counts(*pair) for pair in pairs]


@settings(max_examples=300)
@given(
    pairs=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3), window=st.integers(0, 5), order=st.integers(1, 4)
)
def test_equals_naive(pairs: list[Pair], window: int, order: int) -> None:
    check(pairs, window, order)


def random_pairs(rng: random.Random, pairs: int, longest: int) -> list[Pair]:
    """Few types make words so frequent that they are indexed; many leave most of them single."""
    found = []
    for _ in range(pairs):
        types = rng.choice([1, 2, 3, 8, 30, 200])
        reference = random_words(rng, longest, types)
        output = disturb(rng, reference, types) if rng.random() < 0.7 else random_words(rng, longest, types)
        found.append((output, reference))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_frequent_words(seed: int) -> None:
    rng = random.Random(seed)
    check(random_pairs(rng, 12, 250), rng.randint(0, 4), rng.randint(1, 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_frequent_words_at_length(seed: int) -> None:
    rng = random.Random(seed)
    check(random_pairs(rng, 8, rng.choice([60, 300, 500])), rng.choice([0, 1, 2, 3, 8]), rng.randint(1, 6))


def test_sparse_contexts_of_a_frequent_word() -> None:
    """A word that occurs often, with a different word beside it each time: the index has many short lists."""
    rng = random.Random(7)
    reference = [word for k in range(120) for word in ("the", f"w{k % 40}")]
    output = [word for k in rng.sample(range(120), 100) for word in ("the", f"w{k % 40}")]
    for window in (1, 2, 3):
        check([(output, reference), (reference, output)], window, 1)


def test_by_hand() -> None:
    """Sums of |j r - pos c|."""
    # b: 2nd of 3 and 1st of 2, |2 x 2 - 1 x 3| = 1; a: 3rd and 2nd, |3 x 2 - 2 x 3| = 0
    assert rows_of([("x b a".split(), "b a".split())]) == [[3, 2, 1, 2]]
    # no b beside an a of the reference: the nearest. |1 x 5 - 1 x 3| = 2; the second a: |3 x 5 - 5 x 3| = 0
    assert rows_of([("a b a".split(), "a x y z a".split())], window=1) == [[3, 5, 2, 2]]
    # b beside the last a: |1 x 5 - 5 x 3| = 10; b: |2 x 5 - 4 x 3| = 2; the other a: |3 x 5 - 1 x 3| = 12
    assert rows_of([("a b a".split(), "a x y b a".split())], window=1) == [[3, 5, 24, 3]]
    # equally near: the leftmost, |2 x 3 - 1 x 3| = 3
    assert rows_of([("x a y".split(), "a z a".split())]) == [[3, 3, 3, 1]]


@pytest.mark.parametrize(("output", "reference"), [([], []), ([], ["a"]), (["a"], []), (["a"], ["b"])])
def test_nothing_in_common(output: list[str], reference: list[str]) -> None:
    for perl in (False, True):
        assert rows_of([(output, reference)], perl=perl) == [[len(output), len(reference), 0, 0]]


@given(words=WORDS, window=st.integers(0, 4))
def test_nothing_has_moved_in_a_perfect_output(words: list[str], window: int) -> None:
    assert rows_of([(words, words)], window) == [[len(words), len(words), 0, len(words)]]


@pytest.mark.parametrize("perl", [False, True])
def test_long_lines_take_no_quadratic_time(perl: bool) -> None:
    """A word repeated, and a frequent word whose contexts never agree: 10^10 comparisons if each were tried."""
    n = 100_000
    same = ["a"] * n
    assert rows_of([(same, same)], perl=perl) == [[n, n, 0, n]]
    output = [word for k in range(n // 3) for word in ("a", "x", f"x{k}")]
    reference = [word for k in range(n // 3) for word in ("a", "y", f"y{k}")]
    [[c, r, moved, matches]] = rows_of([(output, reference)], perl=perl)
    assert (c, r, matches) == (len(output), len(reference), n // 3)
    assert (moved > 0) == perl  # the Perl programs take the first occurrence every time


@pytest.mark.parametrize("perl", [False, True])
@pytest.mark.parametrize(
    "text", [b"\xf4\xbf\xbf\xbf a", b"\xff\xfe", b"\x80 \x80 \x00", b"\xed\xa0\x80", b"a\x00 a\x00"]
)
def test_invalid_bytes_are_harmless(text: bytes, perl: bool) -> None:
    view = _kernel.View(text, np.array([0]), np.array([len(text)]))
    rows = np.zeros((1, 4))
    _kernel.count_lepor(view, view, "13a+lower", "13a+lower", 2, 1, perl, rows)
    assert rows[0, 0] == rows[0, 1] == rows[0, 3] > 0
    assert rows[0, 2] == 0


def test_a_window_wider_than_anything() -> None:
    assert rows_of([("a b a".split(), "b a a".split())], window=2**64 - 1) == [
        naive.counts(["a", "b", "a"], ["b", "a", "a"], 9)
    ]


def test_shapes_are_checked() -> None:
    lines = Lines.of(["a"])
    with pytest.raises(ValueError, match="rows must have 1 rows and at least 4 columns"):
        _kernel.count_lepor(lines.view, lines.view, "none", "none", 2, 1, False, np.zeros((1, 3)))
    with pytest.raises(ValueError, match="1 outputs, but 2 references"):
        _kernel.count_lepor(lines.view, Lines.of(["a", "b"]).view, "none", "none", 2, 1, False, np.zeros((1, 4)))
