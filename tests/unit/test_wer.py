"""WER, MER, WIL, WIP: pooled counts, the closest reference, empty sides; against jiwer and the naive version."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, make_testset, random_words
from reference import edits as naive
from reference import tokenizers

from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.metrics import parse

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)
RATES = {"wer": naive.wer, "mer": naive.mer, "wil": naive.wil, "wip": naive.wip}
rates = pytest.mark.parametrize("name", RATES)


def rows_of(metric: Metric, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


@rates
@settings(max_examples=60)
@given(segments=st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_equals_naive(name: str, segments: list[tuple[list[str], list[list[str]]]]) -> None:
    metric = parse(name)
    texts = [[" ".join(words) for words in references] for _, references in segments]
    rows = rows_of(metric, [" ".join(output) for output, _ in segments], [list(refs) for refs in texts])
    expected = [naive.closest(references, output) for output, references in segments]
    assert rows.tolist() == [list(counts) for counts in expected]
    pooled = naive.pool(expected)
    assert metric.score(rows.sum(axis=0).tolist()) == pytest.approx(RATES[name](pooled), abs=1e-9)
    for row, counts in zip(rows, expected, strict=True):
        assert float(metric.score(row)) == pytest.approx(RATES[name](counts), abs=1e-9)


@settings(max_examples=80)
@given(
    output=TEXTS,
    reference=TEXTS,
    tokenize=st.sampled_from(["none", "13a", "intl", "zh", "char"]),
    lowercase=st.booleans(),
)
def test_tokenizers(output: str, reference: str, tokenize: str, lowercase: bool) -> None:
    """`none` is jiwer's reading, which splits on spaces only; the others are BLEU's."""
    metric = parse(f'wer(tokenize="{tokenize}", lowercase={lowercase})')
    read = tokenizers.spaces if tokenize == "none" else lambda text, lower: tokenizers.tokenize(text, tokenize, lower)
    sides = [read(text, lowercase) for text in (reference, output)]
    assert rows_of(metric, [output], [[reference]]).tolist() == [list(naive.align(*sides))]


def test_corpora_equal_jiwer() -> None:
    jiwer = pytest.importorskip("jiwer")
    rng = random.Random("corpora")
    for _ in range(30):
        references = [random_words(rng, 30, 12, shortest=1) for _ in range(8)]
        outputs = [" ".join(disturb(rng, words, 12)) for words in references]
        texts = [" ".join(words) for words in references]
        peer = jiwer.process_words(texts, outputs)
        for name in RATES:
            sums = rows_of(parse(name), list(outputs), [[text] for text in texts]).sum(axis=0).tolist()
            assert sums == [peer.hits, peer.substitutions, peer.deletions, peer.insertions]
            assert parse(name).score(sums) == pytest.approx(100 * getattr(peer, name), abs=1e-9)


@pytest.mark.parametrize(
    ("output", "reference", "expected"),
    [
        ("", "", {"wer": 0, "mer": 0, "wil": 0, "wip": 100}),
        ("a b", "", {"wer": 200, "mer": 100, "wil": 100, "wip": 0}),
        ("", "a b", {"wer": 100, "mer": 100, "wil": 100, "wip": 0}),
        ("a", "a b", {"wer": 50, "mer": 50, "wil": 50, "wip": 50}),
        ("a b c d", "a b", {"wer": 100, "mer": 50, "wil": 50, "wip": 50}),
        ("x", "y", {"wer": 100, "mer": 100, "wil": 100, "wip": 0}),
        ("a x y z", "a", {"wer": 300, "mer": 75, "wil": 75, "wip": 25}),  # WER can exceed 100
    ],
)
def test_by_hand(output: str, reference: str, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        [row] = rows_of(parse(name), [output], [[reference]])
        assert parse(name).score(row.tolist()) == pytest.approx(value)


def test_counts_are_pooled_and_lines_never_joined() -> None:
    """Joined, "a b" and "c" against "a" and "b c" would be a perfect match."""
    rows = rows_of(parse("wer"), ["a b", "c"], [["a"], ["b c"]])
    assert rows.tolist() == [[1, 0, 0, 1], [1, 0, 1, 0]]
    assert parse("wer").score(rows.sum(axis=0).tolist()) == pytest.approx(100 * 2 / 3)


def test_short_lines_are_kept() -> None:
    """jiwer's command line drops lines of one character."""
    rows = rows_of(parse("wer"), ["x", "", "a"], [["y"], ["z"], ["a"]])
    assert rows.sum(axis=0).tolist() == [1, 1, 1, 0]


def test_the_reference_with_the_fewest_edits_counts_and_its_length() -> None:
    """Ties go to the first; a missing reference is none."""
    rows = rows_of(parse("wer"), ["a b", "a b", "a b"], [["x y z", "a c"], ["a", "a b c"], [None, "a b c d"]])
    assert rows.tolist() == [[1, 1, 0, 0], [1, 0, 0, 1], [2, 0, 2, 0]]


def test_parts_name_the_counts() -> None:
    [row] = rows_of(parse("wer"), ["a b x"], [["a c d x"]])
    assert parse("wer").parts(row.tolist()) == {  # type: ignore[attr-defined]
        "hits": 2,
        "substitutions": 1,
        "deletions": 1,
        "insertions": 0,
        "reference_length": 4,
        "output_length": 3,
    }


def test_all_but_per_share_their_rows() -> None:
    keys = {parse(name).stats_key(several=False) for name in RATES}  # type: ignore[attr-defined]
    assert len(keys) == 1
    others = ("per", "wer(lowercase=True)", 'mer(tokenize="13a")', 'wil(unicode="nfc")')
    for other in others:
        assert parse(other).stats_key(several=False) not in keys  # type: ignore[attr-defined]


def test_morphological_analysers() -> None:
    pytest.importorskip("MeCab")
    rows = rows_of(parse('wer(tokenize="ja-mecab")'), ["これは猫です"], [["これは犬です"]])
    assert rows.tolist() == [[3, 1, 0, 0]]
    assert list(parse('wer(tokenize="ja-mecab")').versions()) == ["ja-mecab"]  # type: ignore[attr-defined]
