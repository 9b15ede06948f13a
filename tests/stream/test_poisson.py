"""The Poisson bootstrap: counts of Poisson(1), the same for any shards, and intervals like the multinomial's."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import OptionError
from tertium.core.stats import Stats
from tertium.engines.stream import stream
from tertium.inference.bootstrap import bootstrap
from tertium.inference.poisson import SHARES, PoissonDraws, streamed_scores
from tertium.io import blocks
from tertium.io.shards import find_shards

from .corpora import OUTPUTS, REFERENCES, TABLES, write_text


def test_shares_are_those_of_poisson() -> None:
    counts = np.arange(len(SHARES))
    assert sum(SHARES) == 1 << 16
    assert sum(counts * SHARES) == 1 << 16  # mean 1
    assert sum(counts * (counts - 1) * SHARES) == 1 << 16  # variance 1
    for count, share in enumerate(SHARES):
        assert abs(share - (1 << 16) * math.exp(-1) / math.factorial(count)) < 2


def test_a_row_draws_the_same_wherever_it_lies() -> None:
    draws = PoissonDraws(37, 5)
    whole = draws.counts(0, 100)
    assert whole.shape == (100, 37)
    for first, last in ((0, 1), (17, 44), (99, 100), (50, 50)):
        assert (draws.counts(first, last) == whole[first:last]).all()
    assert (draws.counts(10**12, 10**12 + 2) != whole[:2]).any()
    assert (PoissonDraws(37, 6).counts(0, 100) != whole).any()


def test_counts_are_poisson_and_independent() -> None:
    """Chi-squared of the shares, and correlations of neighbouring rows and trials; 5 standard errors each."""
    drawn = PoissonDraws(1000, 1).counts(0, 2000)
    n = drawn.size
    seen = np.bincount(drawn.astype(int).ravel(), minlength=len(SHARES))
    expected = np.array(SHARES) / (1 << 16) * n
    chi, freedom = float(((seen - expected) ** 2 / expected).sum()), len(SHARES) - 1
    assert abs(chi - freedom) < 5 * math.sqrt(2 * freedom)
    centred = drawn - 1
    assert abs(float((centred[1:] * centred[:-1]).mean())) < 5 / math.sqrt(n)
    assert abs(float((centred[:, 1:] * centred[:, :-1]).mean())) < 5 / math.sqrt(n)


def test_sums_are_those_of_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    parts = [Stats(("a", "b"), rng.integers(0, 9, (700, 2))), Stats(("c",), rng.integers(0, 9, (700, 1)))]
    draws = PoissonDraws(90, 3)
    expected = [draws.counts(11, 711).T @ part.segments() for part in parts]
    for product in (1, 1 << 18):
        monkeypatch.setattr("tertium.inference.poisson.PRODUCT", product)
        found = draws.weigh(parts, 11)
        assert [sums.tolist() for sums in found] == [sums.tolist() for sums in expected]


@pytest.mark.parametrize("kind", [*TABLES, "text"])
def test_intervals_are_the_same_for_any_shards(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards, kinds of files, blocks, threads: the resamples are those of the rows in memory."""
    if kind == "text":
        shards = find_shards(None, [write_text(tmp_path, "ref", REFERENCES)], [write_text(tmp_path, "mt", OUTPUTS)])
    else:
        pattern = TABLES[kind](tmp_path, REFERENCES, OUTPUTS)
        shards = find_shards(None, [f"{pattern}:ref"], [f"{pattern}:mt"])
    testset = tt.TestSet(segments=36, references=tt.References((tt.Lines.of(REFERENCES),), 36))
    evaluation = tt.evaluate(testset, [tt.System(name="mt", outputs=tt.Lines.of(OUTPUTS))], "bleu,chrf")
    draws = PoissonDraws(200, 9)
    for size, rows, threads in ((1 << 21, 1 << 14, 1), (60, 2, 3)):
        monkeypatch.setattr(blocks, "SIP", size)
        monkeypatch.setattr(blocks, "ROWS", rows)
        found = stream(shards, ["mt"], "bleu,chrf", draws=draws, run=tt.Run(threads=threads))
        for metric in ("bleu", "chrf"):
            [whole] = draws.weigh([evaluation.stats("mt", metric)], 0)
            assert found.drawn["mt", metric].tolist() == whole.tolist()
        for score in streamed_scores(found, draws, 0.9):
            assert score.signature.endswith("|poisson-bs:200|seed:9|ci:0.9")
            assert score.interval is not None
            assert score.interval.low < score.value < score.interval.high


def test_agrees_with_the_multinomial_on_many_segments() -> None:
    """100,000 segments of BLEU, drawn 2,000 times in both ways. The score is a smooth function of means, so both
    have the same spread, up to terms of 1/n; means, spreads and quantiles of B resamples have standard errors of
    s/sqrt(B), s/sqrt(2B) and s sqrt(q(1-q)/B)/phi(z_q). Both are random: sqrt(2) of that, times 4."""
    n, trials, rng = 100_000, 2000, np.random.default_rng(8)
    length = rng.integers(5, 60, n)
    totals = np.stack([np.maximum(length - k, 0) for k in range(4)], axis=1)
    skill = rng.beta(4, 3, n)  # segments differ: else there would be nothing to resample
    matches = rng.binomial(totals, np.stack([skill, skill**2, skill**3, skill**4], axis=1))
    names = [f"{what}_{k}" for what in ("matches", "totals") for k in range(1, 5)]
    rows = np.column_stack([matches, totals, length, length + rng.integers(-3, 4, n)])
    stats, bleu = Stats((*names, "output_length", "reference_length"), rows), tt.parse("bleu")
    [sums] = PoissonDraws(trials, 1).weigh([stats], 0)
    poisson, multinomial = bleu.score(sums), bootstrap(stats, bleu, trials=trials, seed=1)
    s, pair = float(multinomial.std()), math.sqrt(2)
    assert s > 0.01  # there is something to agree about
    assert abs(poisson.mean() - multinomial.mean()) < 4 * pair * s / math.sqrt(trials)
    assert abs(poisson.std() / s - 1) < 4 * pair / math.sqrt(2 * trials)
    normal = NormalDist()
    for q in (0.025, 0.25, 0.5, 0.75, 0.975):
        error = s * math.sqrt(q * (1 - q) / trials) / normal.pdf(normal.inv_cdf(q))
        assert abs(np.quantile(poisson, q) - np.quantile(multinomial, q)) < 4 * pair * error, q


def test_the_spread_of_a_mean_is_what_theory_says() -> None:
    """Rows (value, 1): the bootstrap's standard error of a mean is s/sqrt(n)."""
    n, trials = 50_000, 2000
    values = np.random.default_rng(3).exponential(2.0, n)
    [sums] = PoissonDraws(trials, 4).weigh([Stats(("value", "scored"), np.column_stack([values, np.ones(n)]))], 0)
    means = sums[:, 0] / sums[:, 1]
    expected = values.std() / math.sqrt(n)
    assert abs(means.std() / expected - 1) < 4 / math.sqrt(2 * trials)
    assert abs(means.mean() - values.mean()) < 4 * expected / math.sqrt(trials)


def test_what_cannot_be_drawn() -> None:
    for trials, seed in ((0, 1), (10, -1), (10**8, 1), (10, 1 << 128)):
        with pytest.raises(OptionError):
            PoissonDraws(trials, seed)
