"""What the kernel counts over a whole corpus, against naive counting: types and NIST's information."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, make_testset, random_words
from reference import macrof, nist

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.metrics import parse
from tertium.text.words import tokenize

Texts = Sequence[str | None]
Corpus = list[tuple[str, list[str]]]


def view(texts: Texts) -> _kernel.View:
    return Lines.of(texts).view


def raw(*lines: bytes) -> _kernel.View:
    """Lines of any bytes, right up to the end of their buffer."""
    ends = np.cumsum([len(line) for line in lines])
    return _kernel.View(b"".join(lines), np.array(ends - [len(line) for line in lines]), np.array(ends))


def type_rows(outputs: Texts, streams: Sequence[Texts], tokenizer: str = "none") -> list[dict[str, tuple[int, ...]]]:
    """For each segment its types with what is counted of them."""
    texts, starts, indices, values = _kernel.count_types(
        view(outputs), [view(stream) for stream in streams], tokenizer, tokenizer
    )
    types = list(Lines(*texts))
    assert len(set(types)) == len(types)
    rows = []
    for first, last in pairwise(starts):
        assert len(set(indices[first:last])) == last - first
        found: dict[str, list[int]] = {}
        for index, value in zip(indices[first:last], values[first:last], strict=True):
            assert value > 0
            what, number = divmod(int(index), len(types))
            found.setdefault(str(types[number]), [0, 0, 0])[what] = int(value)
        rows.append({word: tuple(counts) for word, counts in found.items()})
    return rows


def naive_rows(segments: Corpus) -> list[dict[str, tuple[int, ...]]]:
    rows = []
    for output, references in segments:
        preds, refs, match = macrof.counts([(output.split(), [reference.split() for reference in references])])
        rows.append({word: (preds[word], refs[word], match[word]) for word in preds | refs})
    return rows


def streams_of(segments: Corpus) -> list[list[str | None]]:
    width = max(len(references) for _, references in segments)
    return [[r[k] if k < len(r) else None for _, r in segments] for k in range(width)]


def random_corpus(rng: random.Random, segments: int, longest: int, types: int, references: int) -> Corpus:
    corpus: Corpus = []
    for _ in range(segments):
        words = [random_words(rng, longest, types) for _ in range(rng.randint(1, references))]
        corpus.append((" ".join(disturb(rng, rng.choice(words), types)), [" ".join(w) for w in words]))
    return corpus


# Types


@pytest.mark.parametrize("seed", range(6))
def test_types_equal_naive_counting(seed: int) -> None:
    rng = random.Random(seed)
    corpus = random_corpus(rng, 40, rng.choice([3, 30, 300]), rng.choice([1, 20, 5000]), 3)
    assert type_rows([output for output, _ in corpus], streams_of(corpus)) == naive_rows(corpus)


@given(segments=st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_types_of_any_text(segments: Corpus) -> None:
    """Words as the tokenizer makes them."""
    for name in ("13a", "zh", "char"):
        words = [(tokenize(output, name), [tokenize(r, name) for r in references]) for output, references in segments]
        found = type_rows([output for output, _ in segments], streams_of(segments), name)
        for row, segment in zip(found, words, strict=True):
            preds, refs, match = macrof.counts([segment])
            assert row == {word: (preds[word], refs[word], match[word]) for word in preds | refs}


def test_types_are_numbered_by_first_appearance() -> None:
    outputs, references = ["b a", "c x"], ["a d", "x b e"]
    texts, *_ = _kernel.count_types(view(outputs), [view(references)], "none", "none")
    assert list(Lines(*texts)) == ["b", "a", "d", "c", "x", "e"]


def test_segments_that_cannot_be_scored_have_no_types() -> None:
    rows = type_rows(["a b", None, "c", ""], [["a", "d", None, ""], ["b b", "e", None, None]])
    assert rows == [{"a": (1, 1, 1), "b": (1, 2, 1)}, {}, {}, {}]


def test_words_of_every_length_are_told_apart() -> None:
    """The hash reads a word in pieces of 8, 4 and 1 bytes; neighbours differ in one byte anywhere."""
    words = [
        f"{'a' * k}{letter}{'a' * (size - k - 1)}" for size in range(1, 40) for k in range(size) for letter in "bc"
    ]
    words += ["a" * size for size in range(1, 40)]
    texts, places = _kernel.join_types([view(words), view(words[::-1])])
    distinct = list(dict.fromkeys(words))
    assert list(Lines(*texts)) == distinct
    assert [distinct[place] for place in places] == words + words[::-1]


def test_many_types() -> None:
    words = [str(k) for k in range(100_000)]
    [row] = type_rows([" ".join(words)], [[" ".join(words[::2])]])
    assert len(row) == 100_000
    assert Counter(row.values()) == {(1, 1, 1): 50_000, (1, 0, 0): 50_000}


def test_types_of_raw_bytes() -> None:
    """Invalid UTF-8, NUL and cut characters are bytes like others."""
    lines = [b"\xff\xfe \x00", b"\xe4\xb8", b"a\x00b a\x00b", b"", b"\xf0\x9f\x98"]
    for tokenizer in ("none", "13a", "intl", "zh", "char", "13a+lower"):
        (buffer, starts, ends), rows, indices, values = _kernel.count_types(
            raw(*lines), [raw(*lines[::-1])], tokenizer, tokenizer
        )
        assert len(rows) == len(lines) + 1
        assert len(indices) == len(values) == rows[-1]
        assert len(starts) == len(ends)
        assert bytes(buffer)


def test_lists_of_types_join() -> None:
    texts, places = _kernel.join_types([view(["cat", "mat"]), view([]), view(["hat", "cat", ""])])
    assert list(Lines(*texts)) == ["cat", "mat", "hat", ""]
    assert list(places) == [0, 1, 2, 0, 3]
    assert list(_kernel.join_types([])[1]) == []


def test_part_types() -> None:
    """By FNV-1a of the whole text, whose high bits are mixed with the low ones."""
    words = ["", "a", "the", "\N{CJK UNIFIED IDEOGRAPH-8BCD}", "x" * 1000, "x" * 1000 + "y", "a\nb", "\0"]

    def part(word: str, bits: int) -> int:
        value = 0xCBF29CE484222325
        for byte in word.encode():
            value = (value ^ byte) * 0x100000001B3 % (1 << 64)
        return ((value ^ (value >> 32)) * 0x9E3779B97F4A7C15 % (1 << 64)) >> (64 - bits)

    for bits in (1, 6, 8):
        assert list(_kernel.part_types(view(words), bits)) == [part(word, bits) for word in words]
    for bits in (0, 9):
        with pytest.raises(ValueError, match="by 1 to 8 bits"):
            _kernel.part_types(view(words), bits)


def test_lengths_must_be_equal() -> None:
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_types(view(["a", "b"]), [view(["a"])], "none", "none")
    table = _kernel.NgramInformation([view(["a"])], "none", 2)
    with pytest.raises(ValueError, match="2 outputs, but 1 references"):
        _kernel.count_information(view(["a", "b"]), [view(["a"])], "none", "none", table, 2, False, np.zeros((2, 6)))
    with pytest.raises(ValueError, match="at least 6 columns"):
        _kernel.count_information(view(["a"]), [view(["a"])], "none", "none", table, 2, False, np.zeros((1, 5)))


# Information


def information_rows(segments: Corpus, order: int, mteval: bool) -> np.ndarray:
    streams = [view(stream) for stream in streams_of(segments)]
    rows = np.zeros((len(segments), 2 * order + 2))
    table = _kernel.NgramInformation(streams, "none", order)
    outputs = view([output for output, _ in segments])
    _kernel.count_information(outputs, streams, "none", "none", table, order, mteval, rows)
    return rows


def naive_information(segments: Corpus, order: int, mteval: bool) -> list[list[float]]:
    words = [(output.split(), [reference.split() for reference in references]) for output, references in segments]
    return nist.rows(words, order, mteval=mteval)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mteval", [False, True])
def test_information_equals_naive_counting(seed: int, mteval: bool) -> None:
    """Few types, so that n-grams repeat at every order; the word 0 among them."""
    rng = random.Random(seed)
    corpus = random_corpus(rng, 25, rng.choice([3, 12, 80]), rng.choice([1, 2, 5, 500]), 3)
    corpus = [(o.replace("w0", "0"), [r.replace("w0", "0") for r in references]) for o, references in corpus]
    order = rng.randint(1, 7)
    ours, theirs = information_rows(corpus, order, mteval), naive_information(corpus, order, mteval)
    assert ours == pytest.approx(np.array(theirs), rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_information_equals_naive_counting_for_long(seed: int) -> None:
    test_information_equals_naive_counting(seed, mteval=seed % 2 == 0)


def test_a_history_of_zero() -> None:
    """`0` occurs once among 5 words: what follows it has no information, and for mteval log2(5)."""
    corpus: Corpus = [("0 b", ["0 b c"]), ("c", ["c d"])]
    assert information_rows(corpus, 2, False)[0, 1] == 0
    assert information_rows(corpus, 2, True)[0, 1] == pytest.approx(np.log2(5))
    assert information_rows([("a 0 b", ["a 0 b"])] * 2, 3, True)[0, 2] == 0  # longer histories are as they are


def test_a_long_segment_leaves_nothing_behind() -> None:
    rng = random.Random(3)
    long = " ".join(random_words(rng, 30_000, 9, shortest=20_000))
    corpus: Corpus = [("a b c", ["a b d"]), (long, [long]), ("a b c", ["a b d"]), ("", ["x"])]
    rows = information_rows(corpus, 5, False)
    assert rows[0].tolist() == rows[2].tolist()
    assert rows[3].tolist() == [0.0] * 11 + [1.0]


def test_information_of_raw_bytes() -> None:
    lines = [b"\xff\xfe \x00 \x00", b"\xe4\xb8 0 \xe4", b"a\x00b a\x00b", b"", b"\xf0\x9f\x98"]
    for tokenizer in ("none", "13a", "intl", "zh", "char"):
        table = _kernel.NgramInformation([raw(*lines)], tokenizer, 5)
        rows = np.zeros((5, 12))
        _kernel.count_information(raw(*lines), [raw(*lines)], tokenizer, tokenizer, table, 5, True, rows)
        assert np.isfinite(rows).all()
        assert (rows >= 0).all()


def test_information_of_other_references_is_finite() -> None:
    """Nobody should ask a table about references it has not seen; it answers all the same."""
    for known in ([], ["x y"]):
        table = _kernel.NgramInformation([view(known)], "none", 3)
        rows = np.zeros((1, 8))
        _kernel.count_information(view(["a b c"]), [view(["a b c"])], "none", "none", table, 3, False, rows)
        assert np.isfinite(rows).all()


# Scores


@given(
    segments=st.lists(
        st.tuples(st.lists(st.sampled_from("abc0"), max_size=6), st.lists(st.sampled_from("abcd0"), max_size=6)),
        min_size=1,
        max_size=5,
    )
)
def test_scores_equal_the_naive_formulas(segments: list[tuple[list[str], list[str]]]) -> None:
    words = [(output, [reference]) for output, reference in segments]
    outputs, references = (Lines.of([" ".join(side) for side in sides]) for sides in zip(*segments, strict=True))
    testset = make_testset([[text] for text in references])
    for name, expected in (
        ("nist", nist.score([sum(column) for column in zip(*nist.rows(words, 5), strict=True)])),
        ("macrof", macrof.macrof(words)),
        ("macrof(beta=2)", macrof.macrof(words, 2)),
        ("microf(beta=0.5)", macrof.microf(words, 0.5)),
        ("microf(k=0)", macrof.microf(words, k=0)),
    ):
        metric = parse(name)
        stats = metric.stats(outputs, metric.prepare(testset))
        assert float(metric.score(stats.total())) == pytest.approx(expected, rel=1e-12, abs=1e-12), name
