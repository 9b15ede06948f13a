"""Correlations of two lists: scipy's values, NaN where nothing can be said, the worked examples."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tertium.core.errors import InputError
from tertium.inference.correlations import CORRELATIONS, EXACT, pearson, spearman, tau_b, tau_c

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "tau_b": stats.kendalltau,
    "tau_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
}


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("n", [3, 5, 12, 50, 400])
@pytest.mark.parametrize("ties", [False, True])
def test_values_and_p_are_scipys(name: str, n: int, ties: bool) -> None:
    rng = np.random.default_rng(n)
    for _ in range(20):
        x, y = rng.normal(size=(2, n))
        y = y + x * rng.uniform(-2, 2)
        if ties:
            x, y = np.rint(x), np.rint(y)
        if len(set(x)) < 2 or len(set(y)) < 2:
            continue
        found, expected = CORRELATIONS[name](x, y), SCIPY[name](x, y)
        assert found.value == pytest.approx(expected.statistic, abs=1e-12)
        if name != "spearman" or n > EXACT:
            assert found.p == pytest.approx(expected.pvalue, rel=1e-6, abs=1e-12)
        assert found.n == n


@pytest.mark.parametrize("ties", [False, True])
def test_p_of_spearman_is_exact_for_few_points(ties: bool) -> None:
    """As scipy's permutation test with all orders has it; of 3 points in one order 2 of 6 orders are as extreme."""
    rng = np.random.default_rng(7)
    for n in (3, 4, 5, 6):
        x, y = rng.normal(size=(2, n))
        if ties:
            x, y = np.rint(x), np.rint(y)
        if len(set(x)) < 2 or len(set(y)) < 2:
            continue

        def rho(values: Any, other: Any = y) -> float:
            return float(stats.spearmanr(values, other).statistic)

        judge = stats.permutation_test((x,), rho, permutation_type="pairings", n_resamples=np.inf, vectorized=False)
        assert spearman(x, y).p == pytest.approx(
            float(((np.abs(judge.null_distribution) + 1e-12) >= abs(rho(x))).mean())
        )
    assert spearman([1, 2, 3], [1, 4, 5]).p == pytest.approx(1 / 3)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]).p == pytest.approx(1 / 12)


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("x", [[], [1.0], [0.1, 0.1, 0.1], [math.nan, 2.0, math.nan]])
def test_undefined_is_nan_and_warns_nobody(name: str, x: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = CORRELATIONS[name](x, range(len(x)))
        turned = CORRELATIONS[name](range(len(x)), x)
    assert [math.isnan(value) for value in (*found[:2], *turned[:2])] == [True] * 4
    assert found.n == turned.n == sum(not math.isnan(v) for v in x)


@pytest.mark.parametrize("name", CORRELATIONS)
def test_missing_values_leave_their_pair_out(name: str) -> None:
    x, y = [1.0, math.nan, 3.0, 4.0, 2.0], [2.0, 1.0, 4.0, math.nan, 1.0]
    assert CORRELATIONS[name](x, y) == CORRELATIONS[name]([1, 3, 2], [2, 4, 1])
    assert CORRELATIONS[name](x, y).n == 3


def test_perfect_and_two_points() -> None:
    assert pearson([1, 2, 3], [10, 20, 30])[:2] == (1.0, 0.0)
    assert pearson([1, 2], [5, 3]) == (-1.0, 1.0, 2)
    assert spearman([1, 2, 3, 4], [1, 10, 100, 1000]).value == 1.0
    assert pearson([1e-200, 2e-200, 4e-200], [1e200, 2e200, 4e200]).value == pytest.approx(1)


def test_known_small_cases() -> None:
    gold, metric = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
    assert tau_b(gold, metric).value == pytest.approx(0.316227766, abs=1e-9)
    assert tau_c(gold, metric).value == pytest.approx(0.32, abs=1e-12)


def test_lists_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="got 2 and 3 numbers"):
        pearson([1, 2], [1, 2, 3])
