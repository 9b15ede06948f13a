"""N-grams that the kernel lists and marks one by one, against naive counts; and they add up to what metrics count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS
from reference import ngrams as naive

from tertium import _kernel
from tertium.core.lines import Lines

WORDS = st.lists(
    st.sampled_from(["a", "b", "é", "\U0001f600c", "a word of more than fifteen bytes".replace(" ", "-")]), max_size=12
)
Run = tuple[int, int, int, int, int]


def listed(output: list[str], references: Sequence[list[str]], order: int) -> list[list[tuple[str, int, list[int]]]]:
    """Those of the output first, then those of the references, in the order in which they are met."""
    found = []
    for n in range(1, order + 1):
        counts = [naive.count(text, n) for text in (output, *references)]
        met = dict.fromkeys(ngram for count in counts for ngram in count)
        found.append([(" ".join(ngram), counts[0][ngram], [count[ngram] for count in counts[1:]]) for ngram in met])
    return found


def runs(units: list[str], references: Sequence[list[str]], order: int, joined: bool) -> list[Run]:
    """The longest n-gram that counts at every unit, the first ones counting; 0 where a unit is clipped."""
    longest, bridges = [0] * len(units), [0] * len(units)
    most: Counter[tuple[str, ...]] = Counter()
    for n in range(1, order + 1):
        allowed = Counter[tuple[str, ...]]()
        for reference in references:
            allowed |= naive.count(reference, n)
        most |= allowed
        left = Counter(allowed)
        for at in range(len(units) - n + 1):
            ngram = tuple(units[at : at + n])
            if left[ngram] > 0:
                left[ngram] -= 1
                longest[at : at + n] = [n] * n
                bridges[at : at + n - 1] = [n] * (n - 1)
    found: list[Run] = []
    for at, (unit, n) in enumerate(zip(units, longest, strict=True)):
        goes_on = bool(found) and found[-1][0] == n and found[-1][2] == at and (joined or bridges[at - 1] == n)
        if n and goes_on:
            found[-1] = (n, found[-1][1], at + 1, 0, 0)
        elif n:
            found.append((n, at, at + 1, 0, 0))
        elif most[(unit,)]:
            found.append((0, at, at + 1, units.count(unit), most[(unit,)]))
    return found


def views(texts: Sequence[list[str]]) -> list[_kernel.View]:
    return [Lines.of([" ".join(words)]).view for words in texts]


@settings(max_examples=200)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3), order=st.integers(1, 5))
def test_words(output: list[str], references: list[list[str]], order: int) -> None:
    others = views(references)
    [found] = _kernel.list_ngrams(views([output])[0], others, "none", "none", order)
    assert found == listed(output, references, order)
    [marked] = _kernel.mark_ngrams(views([output])[0], others, "none", "none", order)
    assert marked is not None
    text, stretches = marked
    assert text == " ".join(output)
    starts = [len(" ".join([*output[:k], ""])) for k in range(len(output))]
    ends = [start + len(word) for start, word in zip(starts, output, strict=True)]
    expected = runs(output, references, order, joined=order == 1)
    assert stretches == [(n, starts[first], ends[last - 1], said, most) for n, first, last, said, most in expected]


@settings(max_examples=200)
@given(output=TEXTS, reference=TEXTS, order=st.integers(1, 6), lowercase=st.booleans(), whitespace=st.booleans())
def test_characters_add_up_to_what_is_counted(
    output: str, reference: str, order: int, lowercase: bool, whitespace: bool
) -> None:
    sides = Lines.of([output]).view, Lines.of([reference]).view
    [found] = _kernel.list_characters(*sides, order, lowercase, whitespace)
    assert found is not None
    rows = np.zeros((1, 3 * order))
    _kernel.count_chrf(*sides, order, 0, lowercase, whitespace, rows)
    for ngrams, (said, wanted, both) in zip(found, rows.reshape(order, 3).tolist(), strict=True):
        assert sum(counts[0] for _, _, counts in ngrams) == wanted
        assert sum(count for _, count, _ in ngrams) == said or wanted == 0  # then chrF counts none of the output either
        assert sum(min(count, counts[0]) for _, count, counts in ngrams) == both


@settings(max_examples=200)
@given(output=st.text("abc ", max_size=20), reference=st.text("abc ", max_size=20), order=st.integers(1, 4))
def test_characters(output: str, reference: str, order: int) -> None:
    """White space is passed over, and lies inside a run; single characters show only where nothing longer counts."""
    [marked] = _kernel.mark_characters(Lines.of([output]).view, Lines.of([reference]).view, order, False, False)
    places = [k for k, letter in enumerate(output) if letter != " "]
    expected = runs([output[k] for k in places], [list(reference.replace(" ", ""))], order, joined=True)
    shown: list[Run] = []
    for n, first, last, *_ in expected:
        pair = n - n % 2 if n > 1 else n  # of 2 or 3, of 4 or 5 characters
        if shown and shown[-1][0] == pair and shown[-1][2] == first:
            shown[-1] = (pair, shown[-1][1], last, 0, 0)
        elif n >= min(2, order):
            shown.append((pair, first, last, 0, 0))
    ends = [(n, places[first], places[last - 1] + 1, 0, 0) for n, first, last, *_ in shown]
    assert marked == (output, ends)


@settings(max_examples=100)
@given(
    output=TEXTS,
    references=st.lists(TEXTS, min_size=1, max_size=3),
    name=st.sampled_from(["13a", "intl", "char", "13a+lower"]),
)
def test_words_add_up_to_what_is_counted(output: str, references: list[str], name: str) -> None:
    sides = Lines.of([output]).view, [Lines.of([text]).view for text in references]
    [found] = _kernel.list_ngrams(*sides, name, name, 4)
    assert found is not None
    rows = np.zeros((1, 9 + len(references)))
    _kernel.count_ngrams(*sides, name, name, 4, rows)
    matches = [float(sum(min(said, max(counts)) for _, said, counts in ngrams)) for ngrams in found]
    totals = [float(sum(said for _, said, _ in ngrams)) for ngrams in found]
    assert [*matches, *totals] == rows[0, :8].tolist()


def test_the_textbook_by_hand() -> None:
    output, references = "The cat the cat on the mat .".split(), ["The cat is on the mat .".split()]
    [marked] = _kernel.mark_ngrams(*views([output]), views(references), "none", "none", 4)
    assert marked == ("The cat the cat on the mat .",
                      [(2, 0, 7, 0, 0), (1, 8, 11, 0, 0), (0, 12, 15, 2, 1), (4, 16, 28, 0, 0)])  # fmt: skip


def test_missing_sides_and_what_does_not_fit() -> None:
    outputs, references = Lines.of(["a", None, "b", ""]), Lines.of([None, "a", "b", ""])
    assert _kernel.mark_ngrams(outputs.view, [references.view], "none", "none", 2) == [
        None, None, ("b", [(1, 0, 1, 0, 0)]), ("", [])]  # fmt: skip
    assert _kernel.list_ngrams(outputs.view, [references.view], "none", "none", 1) == [
        None, None, [[("b", 1, [1])]], [[]]]  # fmt: skip
    with pytest.raises(ValueError, match="4 outputs, but 1 references"):
        _kernel.mark_ngrams(outputs.view, [Lines.of(["a"]).view], "none", "none", 2)
