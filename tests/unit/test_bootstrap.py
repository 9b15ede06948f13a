"""Resampling: the same draws as sacreBLEU, in blocks or at once; intervals by order statistics."""

import math
import random
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from laws.texts import disturb, make_testset, random_words

import tertium.inference.bootstrap as module
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.inference.bootstrap import bootstrap, interval_of, percentile_interval, resample_weights
from tertium.inference.seeds import SEED
from tertium.metrics import parse

FLOAT32 = 2e-5  # how far scores near 100 may be from ours


@pytest.fixture(scope="module")
def sacrebleu() -> ModuleType:
    return pytest.importorskip("sacrebleu")


@pytest.fixture
def corpus() -> tuple[list[str], list[str]]:
    """Outputs and references that share words."""
    rng = random.Random("bootstrap")
    references = [random_words(rng, 25, 30, shortest=4) for _ in range(40)]
    return [" ".join(disturb(rng, words, 30)) for words in references], [" ".join(words) for words in references]


def stats_of(metric: Metric, outputs: list[str], references: list[str]) -> Stats:
    return metric.stats(Lines.of(outputs), metric.prepare(make_testset([[text] for text in references])))


@pytest.mark.parametrize(
    ("text", "peer_name", "options"),
    [
        ("bleu", "BLEU", {}),
        ('bleu(lowercase=True, smooth="floor")', "BLEU", {"lowercase": True, "smooth_method": "floor"}),
        ("chrf", "CHRF", {}),
        ("chrf(words=2)", "CHRF", {"word_order": 2}),
        ("ter", "TER", {}),
    ],
)
@pytest.mark.parametrize("trials", [100, 1000])
def test_resamples_are_sacrebleu_s(
    sacrebleu: ModuleType, corpus: tuple[list[str], list[str]], text: str, peer_name: str, options: Any, trials: int
) -> None:
    """With its seed: the mean, the half width of its 95 % interval, and every score; it computes in float32."""
    metric = parse(text)
    peer = getattr(sacrebleu, peer_name)(**options).corpus_score(corpus[0], [corpus[1]], n_bootstrap=trials)
    scores = bootstrap(stats_of(metric, *corpus), metric, trials=trials, seed=12345)
    assert scores.shape == (trials,)
    assert scores.mean() == pytest.approx(peer._mean, abs=FLOAT32)
    significance = pytest.importorskip("sacrebleu.significance")
    peer_metric = getattr(sacrebleu, peer_name)(**options)
    rows = peer_metric._extract_corpus_statistics(corpus[0], [corpus[1]])
    drawn = significance._bootstrap_resample(rows, peer_metric, trials)[1]
    assert scores.tolist() == pytest.approx([score.score for score in drawn], abs=FLOAT32)
    interval = percentile_interval(stats_of(metric, *corpus), metric, trials=trials)
    assert (interval.high - interval.low) / 2 == pytest.approx(peer._ci, abs=FLOAT32)
    assert interval.confidence == 0.95
    assert SEED == 12345


def test_other_seeds_are_sacrebleu_s_too(
    sacrebleu: ModuleType, corpus: tuple[list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "7")
    peer = sacrebleu.BLEU().corpus_score(corpus[0], [corpus[1]], n_bootstrap=200)
    metric = parse("bleu")
    scores = bootstrap(stats_of(metric, *corpus), metric, trials=200, seed=7)
    assert scores.mean() == pytest.approx(peer._mean, abs=FLOAT32)
    assert scores.mean() != bootstrap(stats_of(metric, *corpus), metric, trials=200, seed=8).mean()


@pytest.mark.parametrize(("n", "trials"), [(1, 5), (7, 30), (50, 11)])
@pytest.mark.parametrize("block", [1, 13, 100, 349, 1 << 24])
def test_drawing_in_blocks_equals_drawing_at_once(
    monkeypatch: pytest.MonkeyPatch, n: int, trials: int, block: int
) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    blocks = list(resample_weights(n, trials, seed=3))
    drawn = np.random.default_rng(3).integers(0, n, size=(trials, n))
    expected = [[float(np.count_nonzero(row == k)) for k in range(n)] for row in drawn]
    assert np.concatenate(blocks).tolist() == expected
    assert len(blocks) == math.ceil(trials / max(1, block // n))


def test_scores_do_not_depend_on_the_block(
    monkeypatch: pytest.MonkeyPatch, corpus: tuple[list[str], list[str]]
) -> None:
    metric = parse("chrf")
    stats = stats_of(metric, *corpus)
    whole = bootstrap(stats, metric, trials=50)
    monkeypatch.setattr(module, "BLOCK", 200)
    assert bootstrap(stats, metric, trials=50).tolist() == pytest.approx(whole.tolist(), abs=1e-9)


def test_every_resample_is_a_corpus_of_the_same_size() -> None:
    for weights in resample_weights(20, 100, seed=1):
        assert (weights.sum(axis=1) == 20).all()


def test_resampled_scores_by_brute_force(corpus: tuple[list[str], list[str]]) -> None:
    """Draw segments, put them into a list, score the list."""
    outputs, references = corpus
    metric = parse("wer")
    drawn = np.random.default_rng(5).integers(0, len(outputs), size=(20, len(outputs)))
    expected = [
        float(metric.score(stats_of(metric, [outputs[k] for k in row], [references[k] for k in row]).total()))
        for row in drawn
    ]
    assert bootstrap(stats_of(metric, *corpus), metric, trials=20, seed=5).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("confidence", ["0.5", "0.8", "0.9", "0.95", "0.99", "0.999"])
@pytest.mark.parametrize("trials", [1, 2, 19, 20, 39, 40, 41, 100, 1000, 2000])
def test_interval_by_brute_force(confidence: str, trials: int) -> None:
    """Take the smallest and the largest away, a pair at a time, as long as that many may be left out."""
    rng = random.Random(trials)
    scores = [rng.random() for _ in range(trials)]
    allowed = Fraction(trials) * (1 - Fraction(confidence))
    left, out = sorted(scores), 0
    while out + 2 <= allowed and len(left) > 2:
        left, out = left[1:-1], out + 2
    interval = interval_of(np.array(scores), float(confidence))
    assert (interval.low, interval.high) == (left[0], left[-1])


def test_interval_of_sparse_rows() -> None:
    rows = SparseRows(np.array([0, 1, 2, 2]), np.array([0, 1]), np.array([1.0, 1.0]), 2)
    stats = Stats(("a", "b"), rows, np.ones(3, dtype=bool))

    class Share:
        name, resampling = "share", "percentile"

        def score(self, sums: np.ndarray) -> np.ndarray:
            return 100 * sums[..., 0] / np.maximum(sums.sum(axis=-1), 1)

    found = percentile_interval(stats, Share(), trials=500)  # type: ignore[arg-type]
    assert (found.low, found.high) == (0, 100)


class Average:
    """A metric of types, for which percentile intervals are wrong."""

    name = "average"
    resampling = "paired only"

    def __str__(self) -> str:
        return self.name

    def score(self, sums: np.ndarray) -> np.ndarray:
        return sums[..., 0]


def test_paired_only_metrics_are_refused() -> None:
    stats = Stats(("a",), np.ones((3, 1)), np.ones(3, dtype=bool))
    with pytest.raises(
        OptionError,
        match=r"^average: a percentile interval is not valid for a type average \(docs/expl",
    ):
        percentile_interval(stats, Average())  # type: ignore[arg-type]


@pytest.fixture
def three() -> Stats:
    return Stats(("edits", "reference_length"), np.ones((3, 2)), np.ones(3, dtype=bool))


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan])
def test_impossible_confidences_are_refused(three: Stats, confidence: float) -> None:
    with pytest.raises(OptionError, match="must lie between 0 and 1"):
        percentile_interval(three, parse("ter"), confidence=confidence)


@pytest.mark.parametrize("trials", [0, -1])
def test_no_resamples_are_refused(three: Stats, trials: int) -> None:
    with pytest.raises(OptionError, match="at least one is needed"):
        percentile_interval(three, parse("ter"), trials=trials)


def test_one_segment_has_an_interval_of_no_width(three: Stats) -> None:
    one = Stats(("edits", "reference_length"), np.array([[1.0, 4.0]]), np.ones(1, dtype=bool))
    found = percentile_interval(one, parse("ter"), trials=10)
    assert (found.low, found.high) == (25, 25)
    assert percentile_interval(three, parse("ter"), trials=1).low == 100
