"""The search for line breaks, against all segmentations there are."""

from __future__ import annotations

import random
import signal
from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import resegment as naive

from tertium import _kernel

Words = tuple[str, ...]


def cut(output: Words, segments: Sequence[Sequence[Words]], closing: str = "") -> tuple[int, tuple[int, ...]]:
    """By the kernel, words being numbered as they come."""
    numbers: dict[str, int] = {}

    def numbered(words: Words) -> list[int]:
        return [numbers.setdefault(word, len(numbers) + 1) for word in words]

    said, wanted, bounds = numbered(output), [], [0]
    for references in segments:
        for reference in references:
            wanted += numbered(reference)
            bounds.append(len(wanted))
    counts = [len(references) for references in segments]
    marks = bytes(word in closing for word in output)
    numbers_of = array("I", said), marks, array("I", wanted)
    edits, ends = _kernel.resegment(*numbers_of, array("q", bounds), array("q", counts))
    return edits, tuple(ends.tolist())


def small(letters: str, most: int) -> st.SearchStrategy[Words]:
    return st.lists(st.sampled_from(letters), max_size=most).map(tuple)


@settings(max_examples=400, deadline=None)
@given(small("abc", 7), st.lists(st.lists(small("abc", 4), min_size=1, max_size=3), min_size=1, max_size=4))
def test_no_segmentation_has_fewer_edits(output: Words, segments: list[list[Words]]) -> None:
    assert cut(output, segments) == naive.resegment(output, segments)
    assert cut(output, segments, "c") == naive.resegment(output, segments, "c")


def table(output: Words, segments: Sequence[Sequence[Words]]) -> int:
    """The fewest edits by a distance table that goes on from segment to segment; no bits, no segmentations."""
    column = list(range(len(output) + 1))
    for references in segments:
        ways = []
        for reference in references:
            row = column
            for word in reference:
                new = [row[0] + 1]
                for j, said in enumerate(output, 1):
                    new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (said != word)))
                row = new
            ways.append(row)
        column = [min(values) for values in zip(*ways, strict=True)]
    return column[-1]


def score(output: Words, segments: Sequence[Sequence[Words]], ends: Sequence[int]) -> int:
    starts = (0, *ends[:-1])
    return sum(
        min(table(output[start:end], [[reference]]) for reference in references)
        for start, end, references in zip(starts, ends, segments, strict=True)
    )


@pytest.mark.parametrize("seed", range(12))
def test_texts_longer_than_a_machine_word(seed: int) -> None:
    """Several blocks of 64 symbols, frequent and rare words, groups of segments, windows that have to grow."""
    rng = random.Random(seed)
    vocabulary = [f"w{k}" for k in range(rng.choice([2, 12, 200]))]

    def text(most: int) -> Words:
        return tuple(rng.choice(vocabulary) for _ in range(rng.randrange(most + 1)))

    segments = [
        [text(rng.choice([3, 12, 150])) for _ in range(rng.choice([1, 1, 3]))] for _ in range(rng.randrange(1, 30))
    ]
    said = [word for references in segments for word in rng.choice(references)]
    for _ in range(rng.choice([0, 20, 150])):
        where = rng.randrange(len(said) + 1)
        said[where : where + rng.randrange(6)] = text(5)
    output = tuple(said)
    edits, ends = cut(output, segments)
    assert edits == table(output, segments)
    assert score(output, segments, ends) == edits
    assert list(ends) == sorted(ends)
    assert ends[-1] == len(output)


def test_a_segment_much_longer_than_its_reference() -> None:
    """By hand: b stands at its place only if all that follows it does, one word swapped for c and 999 too many."""
    assert cut(("a", "b", *["x"] * 1000), [[("a",)], [("b", "c")]]) == (1000, (1, 1002))


def test_nothing_on_one_side() -> None:
    assert cut((), [[("a", "b")], [()]]) == (2, (0, 0))
    assert cut(("a", "b"), [[()], [()]]) == (2, (2, 2))
    assert cut((), []) == (0, ())


@pytest.mark.parametrize(
    ("bounds", "counts", "said"),
    [
        ([0, 2], [0], "every segment needs a reference"),
        ([0, 2], [2], "there are fewer references than counted"),
        ([0, 3], [1], "a reference lies outside its symbols"),
        ([-1, 2], [1], "a reference lies outside its symbols"),
        ([2, 0], [1], "a reference lies outside its symbols"),
        ([], [1], "there are fewer references than counted"),
    ],
)
def test_bounds_that_fit_nothing(bounds: list[int], counts: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _kernel.resegment(array("I", [1]), b"\0", array("I", [1, 2]), array("q", bounds), array("q", counts))


def test_numbers_with_gaps_would_take_memory_for_nothing() -> None:
    with pytest.raises(ValueError, match="without gaps"):
        _kernel.resegment(array("I", [2**32 - 1]), b"\0", array("I", [1]), array("q", [0, 1]), array("q", [1]))


def test_a_mark_for_every_symbol() -> None:
    with pytest.raises(ValueError, match="one entry per symbol"):
        _kernel.resegment(array("I", [1]), b"", array("I", [1]), array("q", [0, 1]), array("q", [1]))


def test_of_equal_cuts_one_behind_a_sentence() -> None:
    """`x` is too many wherever it stands: nearer to the second reference's length, or behind the full stop."""
    output, segments = ("a", ".", "x", "b"), [[("a", ".")], [("b",)]]
    assert cut(output, segments) == (1, (3, 4))
    assert cut(output, segments, ".") == (1, (2, 4))


def test_a_signal_ends_a_long_search() -> None:
    """After a hundredth of a second of computing, of several seconds; what a handler raises comes out."""

    class StoppedError(Exception):
        pass

    def stop(*_: object) -> None:
        raise StoppedError

    n = 1_000_000
    said, bounds = array("I", [1 + k % 1000 for k in range(n)]), array("q", [0, n])
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
        with pytest.raises(StoppedError):
            _kernel.resegment(said, bytes(n), said, bounds, array("q", [1]))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
