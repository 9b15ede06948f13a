"""Same inputs and seed, same bytes, on any number of threads: what is drawn at random."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tertium as tt
from tertium.inference import bootstrap as drawing
from tertium.inference import paired
from tertium.inference.bootstrap import bootstrap_together, resample_weights
from tertium.inference.paired import permuted_differences, resampled_scores, swap_weights

WORDS = "the old boat went back to the harbour in the evening and nobody saw the lamp burn all night".split()
METRICS = ("bleu", "chrf", "ter", "wer", "macrof", "nist", "meteor")
PAIRS = [("a", "b"), ("a", "c"), ("c", "b")]


@pytest.fixture(scope="module")
def evaluation() -> tt.Evaluation:
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(80)]
    outputs = {
        name: [" ".join(word for word in text.split() if rng.random() < share) or "no" for text in texts]
        for name, share in (("a", 0.9), ("b", 0.8), ("c", 0.7))
    }
    systems = [tt.System(name=name, outputs=tt.Lines.of(lines)) for name, lines in outputs.items()]
    references = tt.References((tt.Lines.of(texts),), len(texts))
    return tt.evaluate(tt.TestSet(segments=len(texts), references=references), systems, METRICS)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there is something to share out."""
    monkeypatch.setattr(drawing, "BLOCK", 400)
    monkeypatch.setattr(paired, "BLOCK", 6_000)
    monkeypatch.setattr(paired, "CACHED", 3_000)


@pytest.mark.parametrize("shard", [7, 40, 80])
def test_counting(evaluation: tt.Evaluation, shard: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Systems are shared out as shards are: with shards of 40 segments there are more systems than shards."""
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", shard)
    again = tt.evaluate(evaluation.testset, evaluation.systems, METRICS, run=tt.Run(threads=4))
    assert list(again.table) == list(evaluation.table)
    for key, stats in again.table.items():
        assert stats.columns == evaluation.table[key].columns
        assert np.array_equal(stats.segments(), evaluation.table[key].segments())


def rows(evaluation: tt.Evaluation, metric: str) -> dict[str, tt.Stats]:
    return dict(zip("abc", tt.Stats.aligned([evaluation.stats(name, metric) for name in "abc"]), strict=True))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_swaps(evaluation: tt.Evaluation, metric: str, threads: int) -> None:
    stats, chosen = rows(evaluation, metric), evaluation.metric(metric)
    one, many = (permuted_differences(stats, chosen, PAIRS, 500, 11, tt.Run(threads=count)) for count in (1, threads))
    assert {pair: values.tobytes() for pair, values in one.items()} == {
        pair: values.tobytes() for pair, values in many.items()
    }


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_resamples(evaluation: tt.Evaluation, metric: str, threads: int) -> None:
    stats, chosen = rows(evaluation, metric), evaluation.metric(metric)
    one, many = (resampled_scores(stats, chosen, 90, 11, tt.Run(threads=count)) for count in (1, threads))
    assert all(np.array_equal(one[name], many[name]) for name in "abc")
    alone = bootstrap_together([(stats["b"], chosen)], trials=90, seed=11, run=tt.Run(threads=threads))[0]
    assert alone.tolist() == pytest.approx(one["b"].tolist(), rel=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_blocks_of_sums_are_sums_of_rows(evaluation: tt.Evaluation, metric: str) -> None:
    """Whatever is counted in whole numbers, in whichever blocks: what every trial gives by itself."""
    stats, chosen = rows(evaluation, metric), evaluation.metric(metric)
    weights = np.concatenate(list(resample_weights(80, 30, 5)))
    got = resampled_scores(stats, chosen, 30, 5)
    for name in "abc":
        expected = [float(chosen.score(stats[name].weigh(row))) for row in weights]
        assert got[name].tolist() == pytest.approx(expected, rel=1e-12)
    swapped = permuted_differences(stats, chosen, PAIRS, 130, 5)
    coins = np.concatenate(list(swap_weights(80, 130, 5))).astype(float)
    for a, b in PAIRS:
        expected = [
            float(chosen.score(stats[b].weigh(keep) + stats[a].weigh(1 - keep)))
            - float(chosen.score(stats[a].weigh(keep) + stats[b].weigh(1 - keep)))
            for keep in coins
        ]
        assert swapped[a, b].tolist() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_comparisons(evaluation: tt.Evaluation, test: str) -> None:
    one, many = (
        tt.compare(evaluation, "bleu", test=test, trials=600, run=tt.Run(threads=count))  # type: ignore[arg-type]
        for count in (1, 4)
    )
    assert one == many


PRODUCT = """
import hashlib
import numpy as np
from tertium.inference.products import product
rng = np.random.default_rng(7)
count, n, width = {shape}
found = product(rng.integers(0, 3, (count, n)).astype(np.float64), rng.random((n, width)))
print(hashlib.sha256(found.tobytes()).hexdigest())
"""


@pytest.mark.parametrize("shape", ["500, 1984, 108", "33, 1984, 12", "16, 1023, 32"])
def test_products_on_any_number_of_processors(shape: str) -> None:
    """Rows that are no whole numbers, such as NIST's, are added up in one order: OpenBLAS has another for each number
    of threads, which it takes from the computer."""
    script = PRODUCT.format(shape=shape)
    found = {
        subprocess.run(  # the number is read when numpy is loaded
            [sys.executable, "-c", script],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads},
            check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "2", "3")
    }
    assert len(found) == 1
