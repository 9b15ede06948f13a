"""Words that the kernel links, against naive alignments: of edits, of TER after its shifts, of LEPOR."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import disturb, random_text, random_words
from reference import edits, lepor, ter

from tertium import _kernel
from tertium.core.lines import Lines

Pair = tuple[list[str], list[str]]  # output, reference
WORDS = st.lists(st.sampled_from(["a", "b", "é", "\U0001f600c", "dd"]), max_size=16)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3)


def views(pairs: Sequence[Pair]) -> list[_kernel.View]:
    return [Lines.of([" ".join(words) for words in side]).view for side in zip(*pairs, strict=True)]


def word_pairs(
    linked: _kernel.Linked | None, output: list[str], reference: list[str], shifts: bool
) -> list[tuple[int, int]]:
    """Stretches of characters as links of words; exact ones are as long as they can be, shifted or not."""
    shifted = {k for block, _ in (ter.shifts(output, reference) if shifts else []) for k in block}
    assert linked is not None
    said, wanted, stretches = linked
    assert (said, wanted) == (" ".join(output), " ".join(reference))
    found: list[tuple[int, int]] = []
    before = None
    for same, start, end, at, until in stretches:
        own, other = said[start:end].split(" "), wanted[at:until].split(" ")
        i, j = said[:start].count(" "), wanted[:at].count(" ")
        assert own == output[i : i + len(own)]
        assert other == reference[j : j + len(other)]
        assert (same > 0) == (own == other)
        assert same or len(own) == len(other) == 1
        assert not same or {k in shifted for k in range(i, i + len(own))} == {same == 2}
        assert not (same and before == (i, j, same))  # else the two were one
        before = (i + len(own), j + len(own), same) if same else None
        found += [(i + k, j + k) for k in range(len(own))]
    return found


def naive_edits(output: list[str], reference: list[str]) -> list[tuple[int, int]]:
    steps = edits.operations(reference, output)
    return [(place, at) for kind, at, place in steps if kind in ("equal", "substitute")]


def naive_lepor(window: int) -> Callable[[list[str], list[str]], list[tuple[int, int]]]:
    def links(output: list[str], reference: list[str]) -> list[tuple[int, int]]:
        places = enumerate(lepor.align(output, reference, window))
        return sorted(((i, j) for i, j in places if j is not None), key=lambda link: link[1])

    return links


def check(pairs: Sequence[Pair], window: int) -> None:
    """Segments one after the other: what one leaves in the kernel's memory must not reach the next."""
    given = views(pairs)
    for found, naive in (
        (_kernel.link_edits(*given, "none", "none", False), naive_edits),
        (_kernel.link_edits(*given, "none", "none", True), ter.links),
        (_kernel.link_lepor(*given, "none", "none", window), naive_lepor(window)),
    ):
        shifts = naive is ter.links
        assert [word_pairs(linked, *pair, shifts) for linked, pair in zip(found, pairs, strict=True)] == [
            naive(*pair) for pair in pairs
        ]
    for output, reference in pairs:
        texts = (" ".join(output).encode(), " ".join(reference).encode())
        assert _kernel.list_shifts(*texts, "none", "none") == ter.shifts(output, reference)


@settings(max_examples=200)
@given(pairs=PAIRS, window=st.integers(0, 4))
def test_links_equal_naive(pairs: list[Pair], window: int) -> None:
    check(pairs, window)


@pytest.mark.parametrize("seed", range(8))
def test_links_of_longer_segments_equal_naive(seed: int) -> None:
    rng = random.Random(f"links {seed}")
    pairs = []
    for _ in range(4):
        types = rng.choice([3, 8, 30])
        reference = random_words(rng, 70, types, shortest=1)
        pairs.append((disturb(rng, reference, types), reference))
    check(pairs, rng.randint(0, 3))


def test_a_shifted_block_by_hand() -> None:
    """`he came` moves behind `on friday`, of two equally good shifts the one that starts first; then every word stands
    against its own."""
    [found] = _kernel.link_edits(
        *views([("he came on friday".split(), "on friday he came".split())]), "none", "none", True
    )
    assert found is not None
    assert found[2] == [(1, 8, 17, 0, 9), (2, 0, 7, 10, 17)]
    assert _kernel.list_shifts(b"he came on friday", b"on friday he came", "none", "none") == [([0, 1], [2, 3, 0, 1])]


def test_missing_sides_and_what_does_not_fit() -> None:
    outputs, references = Lines.of(["a", None, "b", ""]), Lines.of([None, "a", "b", ""])
    nothing: list[tuple[int, int, int, int, int]] = []
    expected = [None, None, ("b", "b", [(1, 0, 1, 0, 1)]), ("", "", nothing)]
    assert _kernel.link_edits(outputs.view, references.view, "none", "none", False) == expected
    assert _kernel.link_edits(outputs.view, references.view, "none", "none", True) == expected
    assert _kernel.link_lepor(outputs.view, references.view, "none", "none", 2) == expected
    with pytest.raises(ValueError, match="4 outputs, but 1 references"):
        _kernel.link_edits(outputs.view, Lines.of(["a"]).view, "none", "none", False)


def test_any_text_is_linked() -> None:
    rng = random.Random("links of any text")
    for name in ("13a", "spaces", "char", "zh", "intl", "tercom+normalized+lower"):
        lines = [Lines.of([random_text(rng) for _ in range(40)]) for _ in range(2)]
        for said, wanted, stretches in filter(
            None, _kernel.link_edits(*(each.view for each in lines), name, name, True)
        ):
            for same, start, end, at, until in stretches:
                assert 0 <= start < end <= len(said)
                assert 0 <= at < until <= len(wanted)
                assert (same > 0) == (said[start:end] == wanted[at:until])
