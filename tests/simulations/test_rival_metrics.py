"""What tests between metrics promise: two metrics that are equally close to people are rarely told apart."""

import numpy as np
import pytest

from tertium.inference.averages import GROUPED
from tertium.inference.rivals import SWAPS, permuted_means, permuted_pearson, williams

pytestmark = pytest.mark.slow

SYSTEMS, SEGMENTS, SIMULATIONS, ALPHA = 8, 60, 600, 0.05
# Four standard errors of a share of 5 %.
MOST = ALPHA + 4 * (ALPHA * (1 - ALPHA) / SIMULATIONS) ** 0.5


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People, and two metrics of the same quality: each what people mean plus errors of its own, on another scale."""
    meant = rng.normal(size=(SYSTEMS, SEGMENTS)) + rng.normal(size=(SYSTEMS, 1)) / 2 + rng.normal(size=(1, SEGMENTS))
    people, first, second = (meant + rng.normal(size=meant.shape) for _ in range(3))
    return people, first, 20 + 5 * second


def test_williams_test() -> None:
    rng, wrong = np.random.default_rng(1), 0
    for _ in range(SIMULATIONS):
        people, first, second = (table[:, 0] for table in draw(rng))  # independent points, as the test supposes
        wrong += williams(people, first, second) <= ALPHA
    assert wrong / SIMULATIONS <= MOST


@pytest.mark.parametrize("swap", SWAPS)
def test_permutation_of_pearson(swap: str) -> None:
    rng, wrong = np.random.default_rng(2), 0
    for k in range(SIMULATIONS):
        wrong += permuted_pearson(*draw(rng), swap=swap, trials=99, seed=k) <= ALPHA
    assert wrong / SIMULATIONS <= MOST


def test_permutation_of_means_over_segments() -> None:
    rng, wrong, found = np.random.default_rng(3), 0, 0
    for k in range(SIMULATIONS):
        people, first, second = draw(rng)
        worse = first + 3 * rng.normal(size=first.shape)
        values = [GROUPED["tau_b"](people, metric) for metric in (first, second, worse)]
        wrong += permuted_means(values[0], values[1], trials=99, seed=k) <= ALPHA
        found += permuted_means(values[2], values[1], trials=99, seed=k) <= ALPHA
    assert wrong / SIMULATIONS <= MOST
    assert found / SIMULATIONS > 0.8  # ten times the error variance is nearly always found out
