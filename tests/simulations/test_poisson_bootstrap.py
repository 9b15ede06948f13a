"""Poisson resamples beside multinomial ones: the same intervals where segments are many, and what they promise."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.stats import Stats
from tertium.inference.bootstrap import bootstrap
from tertium.inference.poisson import PoissonDraws

pytestmark = pytest.mark.slow

WER = tt.parse("wer")
NORMAL = NormalDist()


def rows(rng: np.random.Generator, n: int) -> Any:
    """Errors and words of segments of all lengths; some segments are harder than others."""
    words = rng.integers(3, 60, n)
    errors = rng.binomial(words, rng.beta(2, 4, n))
    kinds = rng.multinomial(errors, [0.5, 0.3, 0.2])
    return {"hits": words - kinds[:, 0] - kinds[:, 1], "substitutions": kinds[:, 0], "deletions": kinds[:, 1],
            "insertions": kinds[:, 2]}  # fmt: skip


def stats_of(rng: np.random.Generator, n: int) -> Stats:
    """The columns that WER has."""
    lines = tt.Lines.of(["a"])
    testset = tt.TestSet(segments=1, references=tt.References((lines,), 1))
    columns = WER.stats(lines, WER.prepare(testset)).columns
    known = rows(rng, n)
    known["reference_length"] = known["hits"] + known["substitutions"] + known["deletions"]
    return Stats(columns, np.column_stack([known[name] for name in columns]))


def drawn(stats: Stats, trials: int, seed: int) -> tuple[Any, Any]:
    [sums] = PoissonDraws(trials, seed).weigh([stats], 0)
    return WER.score(sums), bootstrap(stats, WER, trials=trials, seed=seed)


def test_the_ends_of_intervals_on_many_segments() -> None:
    """100,000 segments, 10,000 resamples of each kind. A quantile of B resamples with spread s has a standard error of
    s sqrt(q(1-q)/B)/phi(z_q); the difference of two has sqrt(2) of that. What the kinds themselves differ by is of the
    order s/sqrt(n), which at this n is a third of it and is added."""
    n, trials = 100_000, 10_000
    poisson, multinomial = drawn(stats_of(np.random.default_rng(21), n), trials, 5)
    s = float(multinomial.std())
    for q in (0.005, 0.025, 0.975, 0.995):
        error = s * math.sqrt(2 * q * (1 - q) / trials) / NORMAL.pdf(NORMAL.inv_cdf(q))
        apart = abs(float(np.quantile(poisson, q) - np.quantile(multinomial, q)))
        assert apart < 4 * error + s / math.sqrt(n), (q, apart / s)
    assert abs(float(poisson.std()) / s - 1) < 4 * math.sqrt(1 / trials)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """1,000 test sets of 1,000 segments: 95 % of the intervals hold the score of very many segments, to within four
    binomial standard errors; and both kinds do so on nearly the same sets."""
    rng, sets, trials = np.random.default_rng(31), 1000, 500
    truth = float(WER.score(stats_of(rng, 3_000_000).total()))
    held = np.zeros((2, sets), dtype=bool)
    for k in range(sets):
        for kind, scores in enumerate(drawn(stats_of(rng, 1000), trials, k)):
            low, high = np.quantile(scores, [0.025, 0.975])
            held[kind, k] = low <= truth <= high
    error = math.sqrt(0.95 * 0.05 / sets)
    for share in held.mean(axis=1):
        assert abs(share - 0.95) < 4 * error + 0.005  # 500 resamples see ends a little too far inside
    assert abs(int(held[0].sum()) - int(held[1].sum())) < 4 * math.sqrt((held[0] != held[1]).sum() + 1)
