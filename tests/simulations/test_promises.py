"""What tests and intervals promise, tried out: how often they are wrong when the truth is known.

Corpora are drawn from a large pool of segments, so that the true score is that of the pool.
"""

import gzip
import random
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.core.stats import Stats
from tertium.inference.bootstrap import bca_interval, percentile_interval, resample_weights
from tertium.inference.paired import p_value, permuted_differences, resampled_scores

pytestmark = pytest.mark.slow

WORDS = [f"w{k}" for k in range(30000)]
FREQUENCY = 1 / np.arange(1, 30001)  # as words are (Zipf)
POOL, SEGMENTS, TRIALS = 4000, 150, 800


def sentences(rng: np.random.Generator) -> list[list[str]]:
    lengths = rng.poisson(12, POOL) + 3
    drawn = rng.choice(len(WORDS), size=int(lengths.sum()), p=FREQUENCY / FREQUENCY.sum())
    return [[WORDS[k] for k in part] for part in np.split(drawn, np.cumsum(lengths)[:-1])]


def spoil(words: list[str], rng: random.Random) -> str:
    """Some words changed, dropped or moved, in some segments many and in others few."""
    share = rng.betavariate(1, 3)
    kept = [rng.choice(WORDS[:200]) if rng.random() < share else word for word in words if rng.random() > share / 3]
    if rng.random() < share and len(kept) > 3:
        kept = kept[3:] + kept[:3]
    return " ".join(kept)


@pytest.fixture(scope="module")
def pool() -> tt.Evaluation:
    """Two systems that err in the same way, but not in the same places."""
    texts = sentences(np.random.default_rng(0))
    references = [" ".join(words) for words in texts]
    outputs = [[spoil(words, random.Random(f"{k}{i}")) for i, words in enumerate(texts)] for k in range(2)]
    systems = [tt.System(name=f"s{k}", outputs=tt.Lines.of(lines)) for k, lines in enumerate(outputs)]
    testset = tt.TestSet(segments=POOL, references=tt.References((tt.Lines.of(references),), POOL))
    return tt.evaluate(testset, systems, "bleu,chrf,ter,hlepor,macrof")


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "hlepor"])
def test_permutation_rejects_five_percent_under_the_null(pool: tt.Evaluation, name: str) -> None:
    """Who is called A and who B is decided by coin in every segment: then no system is better."""
    metric, rng, wrong = pool.metric(name), np.random.default_rng(1), 0
    rows = [np.asarray(pool.stats(system.name, metric).rows) for system in pool.systems]
    simulations = 2000
    for k in range(simulations):
        numbers = rng.integers(0, POOL, SEGMENTS)
        coin = rng.integers(0, 2, (SEGMENTS, 1)).astype(bool)
        columns = pool.stats("s0", metric).columns
        a = Stats(columns, np.where(coin, rows[0][numbers], rows[1][numbers]))
        b = Stats(columns, np.where(coin, rows[1][numbers], rows[0][numbers]))
        observed = metric.score(b.total()) - metric.score(a.total())
        differences = permuted_differences({"a": a, "b": b}, metric, [("a", "b")], 199, k)["a", "b"]
        wrong += p_value(differences, observed, "permutation") <= 0.05
    assert 0.04 <= wrong / simulations <= 0.06


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_sacrebleus_bootstrap_rejects_too_often_under_the_null(pool: tt.Evaluation, name: str) -> None:
    """Centring absolute values halves p; centring the differences, as is done where runs are drawn too, does not."""
    metric, rng, wrong = pool.metric(name), np.random.default_rng(1), np.zeros(2)
    rows = [np.asarray(pool.stats(system.name, metric).rows) for system in pool.systems]
    columns, simulations = pool.stats("s0", metric).columns, 1000
    for k in range(simulations):
        numbers = rng.integers(0, POOL, SEGMENTS)
        coin = rng.integers(0, 2, (SEGMENTS, 1)).astype(bool)
        a = Stats(columns, np.where(coin, rows[0][numbers], rows[1][numbers]))
        b = Stats(columns, np.where(coin, rows[1][numbers], rows[0][numbers]))
        observed = metric.score(b.total()) - metric.score(a.total())
        drawn = resampled_scores({"a": a, "b": b}, metric, 300, k)
        differences = drawn["b"] - drawn["a"]
        wrong += [p_value(differences, observed, "bootstrap", runs=runs) <= 0.05 for runs in (False, True)]
    sacrebleus, ours = wrong / simulations
    assert sacrebleus > 0.09
    assert 0.035 <= ours <= 0.075


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "hlepor"])
@pytest.mark.parametrize("interval", [percentile_interval, bca_interval])
def test_intervals_cover_what_they_say(pool: tt.Evaluation, name: str, interval: object) -> None:
    metric, rng, covered = pool.metric(name), np.random.default_rng(2), 0
    stats = pool.stats("s0", metric)
    truth = metric.score(stats.total())
    for k in range(TRIALS):
        found = interval(stats.take(rng.integers(0, POOL, SEGMENTS)), metric, trials=400, seed=k)  # type: ignore[operator]
        covered += found.low <= truth <= found.high
    assert 0.93 <= covered / TRIALS <= 0.97


def test_why_a_type_average_has_no_percentile_interval() -> None:
    """Systems get rare words wrong more often, and a resample loses a third of the rare types: its MacroF is too high,
    and the interval does not even contain the score it belongs to."""
    rng, texts = random.Random(0), sentences(np.random.default_rng(0))[:1000]
    outputs = [
        " ".join("wrong" if rng.random() < (0.6 if int(word[1:]) > 500 else 0.1) else word for word in words)
        for words in texts
    ]
    references = tt.References((tt.Lines.of([" ".join(words) for words in texts]),), 1000)
    system = tt.System(name="s", outputs=tt.Lines.of(outputs))
    evaluation = tt.evaluate(tt.TestSet(segments=1000, references=references), [system], "macrof")
    metric, stats = evaluation.metrics[0], evaluation.stats("s", "macrof")
    resampled = np.concatenate([metric.score(stats.weigh(weights)) for weights in resample_weights(1000, 200, 0)])
    assert np.quantile(resampled, 0.025) > metric.score(stats.total())


def test_permutation_is_sound_for_a_type_average(pool: tt.Evaluation) -> None:
    """Swapping keeps all segments, so no type is lost: MacroF may be compared in pairs."""
    metric, rng, wrong = pool.metric("macrof"), np.random.default_rng(3), 0
    both = Stats.aligned([pool.stats(system.name, metric) for system in pool.systems])
    simulations = 400
    for k in range(simulations):
        numbers = rng.choice(POOL, 60, replace=False)
        coin = rng.integers(0, 2, 60).astype(bool)
        parts = [stats.take(numbers) for stats in both]
        mixed = [Stats.concat([parts[0].take(np.flatnonzero(side)), parts[1].take(np.flatnonzero(~side))])
                 for side in (coin, ~coin)]  # fmt: skip
        order = np.argsort(np.concatenate([np.flatnonzero(coin), np.flatnonzero(~coin)]))
        other = np.argsort(np.concatenate([np.flatnonzero(~coin), np.flatnonzero(coin)]))
        a, b = Stats.aligned([mixed[0].take(order), mixed[1].take(other)])
        observed = metric.score(b.total()) - metric.score(a.total())
        differences = permuted_differences({"a": a, "b": b}, metric, [("a", "b")], 99, k)["a", "b"]
        wrong += p_value(differences, observed, "permutation") <= 0.05
    assert wrong / simulations <= 0.08


SHARED = Path(__file__).parents[3] / "shared" / "data" / "wmt22" / "de-en"


@pytest.mark.skipif(not SHARED.exists(), reason="shared/data/wmt22 is not beside the repository")
def test_p_values_are_sacrebleus_on_nine_systems() -> None:
    """sacreBLEU 2.6.0, PairedTest with its default seed: both tests, BLEU and chrF, WMT22 de-en."""
    significance = pytest.importorskip("sacrebleu.significance")
    metrics = pytest.importorskip("sacrebleu.metrics")
    read = lambda path: gzip.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")[:400]  # noqa: E731
    reference = read(SHARED / "ref.A.gz")
    systems = {path.stem: read(path) for path in sorted((SHARED / "systems").glob("*.gz"))}
    testset = tt.TestSet(segments=400, references=tt.References((tt.Lines.of(reference),), 400))
    evaluation = tt.evaluate(
        testset, [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in systems.items()], "bleu,chrf"
    )
    for kind, test, trials in (("ar", "permutation", 2000), ("bs", "bootstrap", 500)):
        _, expected = significance.PairedTest(
            list(systems.items()),
            {"BLEU": metrics.BLEU(references=[reference]), "chrF": metrics.CHRF(references=[reference])},
            None,
            test_type=kind,
            n_samples=trials,
        )()
        for name, title in (("bleu", "BLEU"), ("chrf", "chrF2")):
            found = tt.compare(evaluation, name, baseline=next(iter(systems)), test=test, trials=trials)
            assert [item.p for item in found] == [result.p_value for result in expected[title][1:]]
