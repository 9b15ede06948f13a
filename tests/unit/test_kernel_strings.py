"""What the kernel counts for RIBES, CharacTER, EED and ROUGE, against naive counting."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import disturb, random_words
from reference import strings as naive

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.testing.texts import HARD, PIECES
from tertium.text.tokenizers import kernel_tokenize

Pair = tuple[list[str], list[str]]  # output, reference

FEW = st.lists(st.sampled_from("abc"), max_size=14)
MORE = st.lists(st.sampled_from(["a", "b", "ab", "ba", "the", "é", "中文", "c"]), max_size=14)
PAIRS = st.lists(st.tuples(FEW, FEW) | st.tuples(MORE, MORE), min_size=1, max_size=3)


def rows_of(pairs: Sequence[Pair], columns: int, count: Callable[..., None], *options: Any) -> list[list[float]]:
    """Segments one after the other: what one leaves in the kernel's memory must not reach the next."""
    rows = np.zeros((len(pairs), columns))
    outputs, references = (Lines.of([" ".join(words) for words in side]) for side in zip(*pairs, strict=True))
    count(outputs.view, references.view, "none", "none", *options, rows)
    return rows.tolist()


def ranks(pairs: Sequence[Pair]) -> list[list[float]]:
    return rows_of(pairs, 5, _kernel.count_ranks)


def shifts(pairs: Sequence[Pair], drifting: bool = False) -> list[list[float]]:
    return rows_of(pairs, 3, _kernel.count_character_shifts, drifting)


def subsequences(pairs: Sequence[Pair]) -> list[float]:
    return [row[0] for row in rows_of(pairs, 3, _kernel.count_subsequences, False)]


def extended(output: str, reference: str, *costs: float) -> list[float]:
    rows = np.zeros((1, 3))
    _kernel.count_extended_edits(Lines.of([output]).view, Lines.of([reference]).view, *(costs or (2.0, 0.2, 1.0)), rows)
    return rows[0].tolist()


def random_pairs(seed: int, pairs: int, longest: int) -> list[Pair]:
    rng = random.Random(seed)
    found = []
    for _ in range(pairs):
        types = rng.choice([1, 2, 3, 8, 30])
        reference = random_words(rng, longest, types)
        output = disturb(rng, reference, types) if rng.random() < 0.7 else random_words(rng, longest, types)
        found.append((output, reference))
    return found


@settings(max_examples=400)
@given(pairs=PAIRS)
def test_ranks(pairs: list[Pair]) -> None:
    assert ranks(pairs) == [naive.rank_counts(*pair) for pair in pairs]


@settings(max_examples=400)
@given(pairs=PAIRS)
def test_character_shifts(pairs: list[Pair]) -> None:
    assert shifts(pairs) == [naive.character_counts(*pair) for pair in pairs]
    assert shifts(pairs, True) == [naive.character_counts(*pair, drifting=True) for pair in pairs]


@settings(max_examples=300)
@given(pairs=PAIRS)
def test_common_subsequences(pairs: list[Pair]) -> None:
    assert subsequences(pairs) == [naive.common_table(reference, output)[-1][-1] for output, reference in pairs]


@pytest.mark.parametrize("seed", range(3))
def test_longer_texts(seed: int) -> None:
    """More than one block of 64 words."""
    pairs = random_pairs(seed, 6, 150)
    assert ranks(pairs) == [naive.rank_counts(*pair) for pair in pairs]
    assert subsequences(pairs) == [naive.common_table(reference, output)[-1][-1] for output, reference in pairs]


@pytest.mark.parametrize("seed", range(2))
def test_shifts_of_longer_texts(seed: int) -> None:
    """A block moved in a text of more than 64 words, and a few words changed."""
    rng = random.Random(seed)
    words = [f"w{rng.randrange(60)}" for _ in range(80)]
    output = [*words[50:70], *words[:50], *words[70:]]
    for _ in range(4):
        output[rng.randrange(80)] = f"w{rng.randrange(60)}"
    [found] = shifts([(output, words)])
    assert found == naive.character_counts(output, words)
    assert found[1] > 0


@settings(max_examples=200)
@given(output=st.text("ab .é", max_size=15), reference=st.text("ab .é", max_size=15), data=st.data())
def test_extended_edits(output: str, reference: str, data: st.DataObject) -> None:
    assert extended(output, reference) == naive.extended_edits(output, reference)
    costs = data.draw(st.tuples(*[st.sampled_from([0.0, 0.1, 0.3, 1.0, 1.7])] * 3))
    assert extended(output, reference, *costs) == naive.extended_edits(output, reference, *costs)


LINES = st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=4)


@settings(max_examples=300)
@given(outputs=LINES, references=LINES)
def test_lines_of_summaries(outputs: list[list[str]], references: list[list[str]]) -> None:
    rows = np.zeros((1, 3))
    texts = [Lines.of(["\n".join(map(" ".join, lines))]).view for lines in (outputs, references)]
    _kernel.count_subsequences(*texts, "none", "none", True, rows)
    matches = naive.union_matches(references, outputs)
    assert rows[0].tolist() == [matches, sum(map(len, outputs)), sum(map(len, references))]


def test_a_long_line_is_traced_through_saved_columns() -> None:
    """So long that not all columns of the table are kept: 300 blocks of 64 words, 20,000 columns."""
    rng = random.Random(1)
    reference = [f"w{rng.randrange(3000)}" for _ in range(19_200)]
    output = list(reference)
    for _ in range(300):
        output.insert(rng.randrange(len(output)), f"x{rng.randrange(9)}")
        del output[rng.randrange(len(output))]
    texts = [Lines.of([" ".join(words)]).view for words in (output, reference)]
    whole, lines = np.zeros((1, 3)), np.zeros((1, 3))
    _kernel.count_subsequences(*texts, "none", "none", False, whole)
    _kernel.count_subsequences(*texts, "none", "none", True, lines)
    assert whole.tolist() == lines.tolist()  # one line: what is traced is as long as what is counted
    [linked] = _kernel.link_subsequences(*texts, "none", "none")
    assert linked is not None
    words = sum(linked[0][start:end].count(" ") + 1 for kind, start, end, *_ in linked[2] if kind == 1)
    assert words == whole[0, 0] > 18_000


# By hand


def test_ranks_by_hand() -> None:
    # the paper's examples: "he read the book ..." has the ranks 8-11, 7, 1-6; 21 of 55 pairs rise, all within runs
    output = "he read the book because he was interested in world history".split()
    reference = "he was interested in world history because he read the book".split()
    assert ranks([(output, reference)]) == [[11, 21, 21, 11, 11]]
    # Bob hit John yesterday: 3 2 1 4
    assert ranks([("Bob hit John yesterday".split(), "John hit Bob yesterday".split())]) == [[4, 3, 0, 4, 4]]
    # "a" is not alone in "a a", but "a a" is: the first by its right context, the second by its left
    assert ranks([("a a".split(), "a a".split())]) == [[2, 1, 1, 2, 2]]
    # the first b of "a b b" is known by the a before it; nothing says where the second stands
    assert ranks([("a b b".split(), "a b".split())]) == [[2, 1, 1, 3, 2]]


def test_character_shifts_by_hand() -> None:
    # "b a": b goes behind a, no edit is left; of the words that differ, b is further on and has one character
    assert shifts([("b a".split(), "a b".split())]) == [[0, 1, 3]]
    # "cc dd aa" -> "aa cc dd": the phrase of two words costs the mean of their lengths
    assert shifts([("cc dd aa".split(), "aa cc dd".split())]) == [[0, 2, 8]]
    assert shifts([(["a"], ["b"])]) == [[1, 0, 1]]
    assert shifts([([], ["ab"]), (["ab"], []), ([], [])]) == [[2, 0, 0], [2, 0, 2], [0, 0, 0]]


def test_extended_edits_by_hand() -> None:
    # equal texts: every place but the first is visited once
    assert extended("ab", "ab") == [0, 1, 2]
    # the reference is empty: nothing is visited
    assert extended("ab", "") == [1, 3, 0]
    assert extended("", "ab") == [2, 1, 2]  # the place before the text twice


@pytest.mark.parametrize("text", PIECES[:60])
def test_no_word_that_is_not_ascii(text: str) -> None:
    """ROUGE's words: what remains of lower-cased text when all but a-z and 0-9 is a boundary."""
    import re

    whole = f"Ab{text}C1 {text}{text}"
    [found] = kernel_tokenize(Lines.of([whole]), "alnum+lower")
    assert found == " ".join(re.findall("[a-z0-9]+", whole.lower()))


def porter_words() -> list[str]:
    """Beginnings, middles and endings around which the rules turn."""
    starts = [
        "",
        "t",
        "ab",
        "cry",
        "tr",
        "eye",
        "hop",
        "fall",
        "y",
        "yy",
        "relat",
        "log",
        "archaeo",
        "syz",
        "opp",
        "1a",
    ]
    middles = ["", "e", "at", "iz", "bl", "tt", "ll", "ion", "y", "al"]
    ends = """ s es ies sses ss ed ied eed ing y e ll ational tional enci anci izer bli abli alli entli eli ousli
        ization ation ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful
        ness al ance ence er ic able ible ant ement ment ent ion sion ou ism ate iti ous ive ize""".split(" ")
    ends = [end.strip() for end in ends]
    pool = "sky skies dying lying tying news innings inning outings outing cannings canning howe proceed exceed succeed"
    return [a + b + c for a in starts for b in middles for c in ends if a + b + c] + pool.split()


def test_stems_are_those_of_nltk() -> None:
    """NLTK 3.10's PorterStemmer, its default mode; words of up to three letters are left alone, as rouge-score does."""
    from nltk.stem.porter import PorterStemmer

    stemmer, words = PorterStemmer(), porter_words()
    found = kernel_tokenize(Lines.of(words), "alnum+stem")
    expected = [stemmer.stem(word) if len(word) > 3 else word for word in words]
    assert [*found] == expected


# Any bytes, any length


@pytest.mark.parametrize(
    "text", [b"\xf4\xbf\xbf\xbf a", b"\xff\xfe", b"\x80 \x80 \x00", b"\xed\xa0\x80", b"a\x00 a\x00", b"b a\xff a \xc3"]
)
def test_invalid_bytes_are_harmless(text: bytes) -> None:
    view = _kernel.View(text, np.array([0]), np.array([len(text)]))
    other = Lines.of(["a b a \x00"]).view
    for one, two in ((view, view), (view, other), (other, view)):
        for count, columns, options in (
            (_kernel.count_ranks, 5, ("none", "none")),
            (_kernel.count_character_shifts, 3, ("none", "none", False)),
            (_kernel.count_subsequences, 3, ("alnum+lower+stem", "none", True)),
            (_kernel.count_extended_edits, 3, (2.0, 0.2, 1.0)),
        ):
            rows = np.full((1, columns), np.nan)
            count(one, two, *options, rows)
            assert np.isfinite(rows).all()
            if one is two and count is _kernel.count_character_shifts:
                assert rows[0, :2].tolist() == [0, 0]


def test_hard_lines() -> None:
    """Every line against itself turned round; the search for shifts is of lines that are not too long for it."""
    for count, columns, longest, *more in (
        (_kernel.count_ranks, 5, 10**6),
        (_kernel.count_character_shifts, 3, 1000, False),
    ):
        texts = [line for line in HARD if line.count(" ") < longest]
        lines, turned = Lines.of(texts), Lines.of([" ".join(reversed(line.split(" "))) for line in texts])
        rows = np.full((len(texts), columns), np.nan)
        count(lines.view, turned.view, "none", "none", *more, rows)
        assert np.isfinite(rows).all()


def test_long_lines_take_no_quadratic_time() -> None:
    """One word repeated, and two that alternate: 4 x 10^8 comparisons and more if all places were tried."""
    n = 20_000
    same, other = ["a"] * n, ["a", "b"] * (n // 2)
    assert ranks([(same, same)])[0][3:] == [n, n]
    assert ranks([(other, other)])[0][3:] == [n, n]
    assert subsequences([(same, other)]) == [n // 2]


def test_all_moved_phrases_of_a_long_text_are_found() -> None:
    """Forty sentences of 25 words, of each the first ten words at its end: nothing is left to edit."""
    rng = random.Random(1)
    words, frequencies = [f"w{k}" for k in range(2000)], [1 / (k + 1) for k in range(2000)]
    sentences = [rng.choices(words, frequencies, k=25) for _ in range(40)]
    reference = [word for sentence in sentences for word in sentence]
    output = [word for sentence in sentences for word in [*sentence[10:], *sentence[:10]]]
    [found] = shifts([(output, reference)])
    assert found == [0, naive.shift_cost(output, reference), len(" ".join(reference))]


@pytest.mark.parametrize(
    "sides",
    [
        (["a", "b"] * 1000, ["b", "a"] * 1000),  # millions of shifts, all tried
        ([f"u{k}" for k in range(4000)] + ["a"] * 4000, ["a"] * 4000 + [f"u{k}" for k in range(4000)]),  # none tried
    ],
)
def test_too_long_a_search_for_shifts_is_refused(sides: Pair) -> None:
    n = len(sides[0])
    with pytest.raises(ValueError, match=f"output of {n} words has too many phrases to shift against its reference of"):
        shifts([sides])


def test_a_table_of_half_a_gigabyte_is_refused_and_equal_texts_need_none() -> None:
    words = [f"u{k}" for k in range(50_000)]
    assert shifts([(words, words)]) == [[0, 0, len(" ".join(words))]]
    with pytest.raises(ValueError, match="output of 50000 words has too many phrases to shift"):
        shifts([(words, words[1:])])


def test_what_is_too_long_is_refused() -> None:
    long = Lines.of(["a" * 70_000]).view
    told = "an output of 70000 and a reference of 70000 characters; the extended edit distance compares at most"
    with pytest.raises(ValueError, match=told):
        _kernel.count_extended_edits(long, long, 2.0, 0.2, 1.0, np.zeros((1, 3)))
    lines = Lines.of(["a\n" * 50_000]).view
    with pytest.raises(ValueError, match="texts of 50000 and 50000 lines with 100000 words are too many"):
        _kernel.count_subsequences(lines, lines, "none", "none", True, np.zeros((1, 3)))
    many, few = Lines.of([" ".join(f"w{k}" for k in range(70_000))]).view, Lines.of(["a\n" * 65_000]).view
    with pytest.raises(ValueError, match="texts of 1 and 65000 lines with 135000 words are too many"):
        _kernel.count_subsequences(many, few, "none", "none", True, np.zeros((1, 3)))


def test_shapes_are_checked() -> None:
    lines = Lines.of(["a"])
    for count, columns, *more in ((_kernel.count_ranks, 5), (_kernel.count_character_shifts, 3, False)):
        with pytest.raises(ValueError, match=f"rows must have 1 rows and at least {columns} columns"):
            count(lines.view, lines.view, "none", "none", *more, np.zeros((1, columns - 1)))
        with pytest.raises(ValueError, match="1 outputs, but 2 references"):
            count(lines.view, Lines.of(["a", "b"]).view, "none", "none", *more, np.zeros((1, columns)))
