"""What the kernel counts of every output against every reference, against naive counting of one pair at a time."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, random_text, random_words
from reference import chrf, edits, ngrams, ter, tokenizers

from tertium import _kernel
from tertium.core.lines import Lines

Texts = Sequence[str | None]
SIDES = st.lists(st.none() | TEXTS | TEXTS, max_size=4)


def planes(count: Callable[..., None], outputs: Texts, references: Texts, columns: int, *options: object) -> np.ndarray:
    """Rows by output and reference. # (n, m, k)"""
    filled = np.zeros((columns, len(outputs), len(references)))
    count(Lines.of(outputs).view, Lines.of(references).view, *options, filled)
    return np.moveaxis(filled, 0, -1)


def expected(
    outputs: Texts, references: Texts, columns: int, row: Callable[[str, str], Sequence[float]]
) -> list[object]:
    """The same, naively; zeros where either text is missing."""
    return [[[0.0] * columns if o is None or r is None else list(row(o, r)) for r in references] for o in outputs]


def ngram_row(output: list[str], reference: list[str], order: int) -> list[int]:
    matches, totals = ngrams.clipped(output, [reference], order)
    return [*matches, *totals, len(output), len(reference)]


@settings(max_examples=80)
@given(
    outputs=SIDES,
    references=SIDES,
    order=st.integers(1, 6),
    name=st.sampled_from(["13a", "intl", "zh", "char", "none"]),
)
def test_ngrams(outputs: Texts, references: Texts, order: int, name: str) -> None:
    found = planes(_kernel.count_ngram_pairs, outputs, references, 2 * order + 2, name, name, order)
    read = lambda text: tokenizers.tokenize(text, name)  # noqa: E731
    assert found.tolist() == expected(
        outputs, references, 2 * order + 2, lambda o, r: ngram_row(read(o), read(r), order)
    )


@pytest.mark.parametrize("types", [1, 2, 5, 100])
def test_ngrams_of_many_texts(types: int) -> None:
    rng = random.Random(types)
    references = [random_words(rng, 40, types) for _ in range(30)]
    outputs = [disturb(rng, rng.choice(references), types) for _ in range(20)]
    found = planes(
        _kernel.count_ngram_pairs,
        [" ".join(o) for o in outputs],
        [" ".join(r) for r in references],
        12,
        "none",
        "none",
        5,
    )
    assert found.tolist() == [[ngram_row(o, r, 5) for r in references] for o in outputs]


@settings(max_examples=80)
@given(
    outputs=SIDES,
    references=SIDES,
    chars=st.integers(0, 7),
    words=st.integers(0, 3),
    lower=st.booleans(),
    space=st.booleans(),
)
def test_chrf(outputs: Texts, references: Texts, chars: int, words: int, lower: bool, space: bool) -> None:
    columns = 3 * (chars + words)
    found = planes(_kernel.count_chrf_pairs, outputs, references, columns, chars, words, lower, space)
    naive = lambda o, r: np.ravel(chrf.statistics(o, r, chars, words, space, lower)).tolist()  # noqa: E731
    assert found.tolist() == expected(outputs, references, columns, naive)


@settings(max_examples=80)
@given(outputs=SIDES, references=SIDES, lower=st.booleans())
def test_character_edits(outputs: Texts, references: Texts, lower: bool) -> None:
    name = "codepoints+lower" if lower else "codepoints"
    found = planes(_kernel.count_edit_pairs, outputs, references, 4, name, name)
    fold = lambda text: list(text.strip().lower() if lower else text.strip())  # noqa: E731
    assert found.tolist() == expected(outputs, references, 4, lambda o, r: edits.align(fold(r), fold(o))[:4])


@pytest.mark.parametrize(("types", "longest"), [(2, 12), (8, 40), (500, 90), (3000, 200)])
def test_word_edits(types: int, longest: int) -> None:
    """Also where the texts together have many more words than any two of them, and more than 64 in one."""
    rng = random.Random(longest)
    references = [random_words(rng, longest, types) for _ in range(12)]
    outputs = [disturb(rng, rng.choice(references), types) for _ in range(8)]
    sides = [[" ".join(words) for words in side] for side in (outputs, references)]
    found = planes(_kernel.count_edit_pairs, *sides, 4, "none", "none")
    assert found.tolist() == [[list(edits.align(r, o)[:4]) for r in references] for o in outputs]


@pytest.mark.parametrize(("types", "longest"), [(2, 8), (8, 14), (300, 20)])
def test_translation_edits(types: int, longest: int) -> None:
    rng = random.Random(types)
    references = [random_words(rng, longest, types) for _ in range(7)]
    outputs = [disturb(rng, rng.choice(references), types) for _ in range(6)]
    sides = [[" ".join(words) for words in side] for side in (outputs, references)]
    found = planes(_kernel.count_translation_edit_pairs, *sides, 2, "none", "none")
    assert found.tolist() == [[[ter.edits(o, r), len(r)] for r in references] for o in outputs]


ALL: list[tuple[Callable[..., None], int, tuple[object, ...]]] = [
    (_kernel.count_ngram_pairs, 10, ("13a", "13a", 4)),
    (_kernel.count_chrf_pairs, 24, (6, 2, True, False)),
    (_kernel.count_edit_pairs, 4, ("spaces", "spaces")),
    (_kernel.count_edit_pairs, 4, ("codepoints", "codepoints")),
    (_kernel.count_translation_edit_pairs, 2, ("tercom", "tercom")),
]


@pytest.mark.parametrize(("count", "columns", "options"), ALL)
def test_a_side_against_itself(count: Callable[..., None], columns: int, options: tuple[object, ...]) -> None:
    """One pair of lines for both sides is read once; a copy of it gives the same."""
    rng = random.Random("itself")
    texts = [None if rng.random() < 0.1 else random_text(rng) for _ in range(25)]
    lines, once = Lines.of(texts), np.zeros((columns, 25, 25))
    count(lines.view, lines.view, *options, once)
    assert np.moveaxis(once, 0, -1).tolist() == planes(count, texts, texts, columns, *options).tolist()
    assert once.any()


@pytest.mark.parametrize(("count", "columns", "options"), ALL)
def test_any_bytes(count: Callable[..., None], columns: int, options: tuple[object, ...]) -> None:
    """Bytes that are no text: nothing is read outside, and every pair comes out as it does alone."""
    rng = random.Random("bytes")
    buffer = bytes(rng.choice([*range(256), 32, 32, 0, 0xF4, 0xE3]) for _ in range(3000))
    cuts = np.sort(np.array(rng.choices(range(3001), k=40)))
    view = _kernel.View(np.frombuffer(buffer, dtype=np.uint8), cuts[:-1].copy(), cuts[1:].copy())
    whole = np.zeros((columns, 39, 39))
    count(view, view, *options, whole)
    assert np.isfinite(whole).all()
    for i, j in [(rng.randrange(39), rng.randrange(39)) for _ in range(60)]:
        one, other = (
            _kernel.View(np.frombuffer(buffer, dtype=np.uint8), cuts[k : k + 1].copy(), cuts[k + 1 : k + 2].copy())
            for k in (i, j)
        )
        alone = np.zeros((columns, 1, 1))
        count(one, other, *options, alone)
        assert alone[:, 0, 0].tolist() == whole[:, i, j].tolist()


@pytest.mark.parametrize(("count", "columns", "options"), ALL)
def test_nothing_to_compare(count: Callable[..., None], columns: int, options: tuple[object, ...]) -> None:
    for outputs, references in ([], []), (["a"], []), ([], ["a"]), ([None], ["a"]), ([""], [""]):
        assert planes(count, outputs, references, columns, *options).shape == (len(outputs), len(references), columns)


@pytest.mark.parametrize(("count", "columns", "options"), ALL)
def test_planes_of_another_shape_are_refused(
    count: Callable[..., None], columns: int, options: tuple[object, ...]
) -> None:
    two, three = Lines.of(["a", "b"]).view, Lines.of(["a", "b", "c"]).view
    for shape in [(columns + 1, 2, 3), (columns, 3, 2), (columns, 2, 2), (0, 0, 0)]:
        with pytest.raises(ValueError, match=rf"rows must have the shape \({columns}, 2, 3\)"):
            count(two, three, *options, np.zeros(shape))
    with pytest.raises(TypeError):
        count(two, three, *options, np.zeros((columns, 6)))


def test_alphabets_of_many_thousand_characters() -> None:
    texts = ["".join(chr(0x4E00 + k) for k in range(first, first + 9000)) for first in range(0, 9000, 3000)]
    found = planes(_kernel.count_chrf_pairs, texts, texts, 9, 3, 0, False, False)
    shared = [[9000 - abs(i - j) * 3000 for j in range(3)] for i in range(3)]
    assert found[..., 2].tolist() == shared
    assert found[..., 8].tolist() == [[n - 2 for n in row] for row in shared]


def test_long_and_monotonous_texts() -> None:
    """Lists of postings stay short where one text repeats itself: they hold counts, not places."""
    texts = ["a" * 200_000, "a" * 70_000, "ab" * 50_000]
    found = planes(_kernel.count_chrf_pairs, texts, texts, 6, 2, 0, False, False)
    assert found[..., 2].tolist() == [[200_000, 70_000, 50_000], [70_000, 70_000, 50_000], [50_000, 50_000, 100_000]]
    assert found[..., 5].tolist() == [[199_999, 69_999, 0], [69_999, 69_999, 0], [0, 0, 99_999]]


def row_13a(output: str, reference: str) -> list[int]:
    return ngram_row(tokenizers.tokenize(output, "13a"), tokenizers.tokenize(reference, "13a"), 4)


@pytest.mark.slow
def test_long_fuzz() -> None:
    rng = random.Random("long")
    for _ in range(300):
        outputs, references = ([random_text(rng, 60) for _ in range(rng.randint(1, 6))] for _ in range(2))
        found = planes(_kernel.count_chrf_pairs, outputs, references, 24, 6, 2, False, False)
        naive = lambda o, r: np.ravel(chrf.statistics(o, r, 6, 2)).tolist()  # noqa: E731
        assert found.tolist() == expected(outputs, references, 24, naive)
        found = planes(_kernel.count_ngram_pairs, outputs, references, 10, "13a", "13a", 4)
        assert found.tolist() == expected(outputs, references, 10, row_13a)
