"""TER: what Python adds to the kernel's edits: several references, average length, references read twice."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.texts import TEXTS, disturb, make_testset, random_words
from reference import ter as naive
from reference import tokenizers

from tertium.core.lines import Lines
from tertium.metrics.ter import Ter

FLAGS = ("normalized", "no_punct", "asian", "case_sensitive")


def rows_of(metric: Ter, outputs: list[str | None], references: list[list[str | None]]) -> np.ndarray:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset(references))).segments()


@settings(max_examples=150)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3), flags=st.sets(st.sampled_from(FLAGS)))
def test_rows_equal_naive(output: str, references: list[str], flags: set[str]) -> None:
    """References are tokenised twice, as sacreBLEU does."""
    options = {flag: flag in flags for flag in FLAGS}
    [row] = rows_of(Ter(**options), [output], [list(references)])
    twice = [tokenizers.tercom(" ".join(tokenizers.tercom(text, **options)), **options) for text in references]
    assert row.tolist() == pytest.approx(naive.segment(tokenizers.tercom(output, **options), twice))


@settings(max_examples=60)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=2), flags=st.sets(st.sampled_from(FLAGS)))
def test_equals_sacrebleu(output: str, references: list[str], flags: set[str]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    options = {flag: flag in flags for flag in FLAGS}
    metric = Ter(**options)
    asian = options.pop("asian")
    peer = sacrebleu.TER(**options, asian_support=asian).corpus_score([output], [[text] for text in references])
    [row] = rows_of(metric, [output], [list(references)])
    assert row.tolist() == pytest.approx([peer.num_edits, peer.ref_length])
    assert float(metric.score(row)) == pytest.approx(peer.score, abs=1e-9)


def test_references_read_twice_make_a_difference() -> None:
    """A possessive before a mark is cut off in the second reading only: even a perfect output has edits."""
    sacrebleu = pytest.importorskip("sacrebleu")
    text = "the cat's."
    [row] = rows_of(Ter(normalized=True), [text], [[text]])
    peer = sacrebleu.TER(normalized=True).sentence_score(text, [text])
    assert row.tolist() == [peer.num_edits, peer.ref_length] == [2, 4]


def test_corpora_equal_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    rng = random.Random("ter")
    references = [[random_words(rng, 15, 10) for _ in range(2)] for _ in range(30)]
    outputs = [" ".join(disturb(rng, rng.choice(refs), 10)) for refs in references]
    texts = [[" ".join(words) for words in refs] for refs in references]
    peer = sacrebleu.TER().corpus_score(outputs, [list(stream) for stream in zip(*texts, strict=True)])
    sums = rows_of(Ter(), list(outputs), [list(refs) for refs in texts]).sum(axis=0).tolist()
    assert sums == pytest.approx([peer.num_edits, peer.ref_length])
    assert Ter().score(sums) == pytest.approx(peer.score, abs=1e-9)


def test_several_references_by_hand() -> None:
    """Fewest edits over the references that are there; the average of their lengths."""
    rows = rows_of(
        Ter(),
        ["a b c", "a b c", "a b c"],
        [["a b c", None, "x"], [None, "a b", "a b c d e f"], ["c a b", None, None]],
    )
    assert rows.tolist() == [[0, 2], [1, 4], [1, 3]]


@pytest.mark.parametrize(
    ("sums", "score"), [([3.0, 4.0], 75), ([0.0, 0.0], 0), ([2.0, 0.0], 100), ([9.0, 3.0], 300), ([0.0, 5.0], 0)]
)
def test_formula(sums: list[float], score: float) -> None:
    assert Ter().score(sums) == score
    assert Ter().parts(sums) == {"edits": sums[0], "reference_length": sums[1]}


def test_case_and_punctuation_by_hand() -> None:
    """Case is ignored unless asked for."""
    assert rows_of(Ter(), ["The cat ."], [["the cat"]]).tolist() == [[1, 2]]
    assert rows_of(Ter(case_sensitive=True), ["The cat"], [["the cat"]]).tolist() == [[1, 2]]
    assert rows_of(Ter(no_punct=True), ["The cat ."], [["the cat"]]).tolist() == [[0, 2]]
    assert rows_of(Ter(normalized=True), ["the cat."], [["the cat ."]]).tolist() == [[0, 3]]
    assert rows_of(Ter(normalized=True, asian=True), ["中文"], [["中 文"]]).tolist() == [[0, 2]]
    assert rows_of(Ter(unicode="nfc"), ["e\u0301"], [["\u00e9"]]).tolist() == [[0, 1]]
