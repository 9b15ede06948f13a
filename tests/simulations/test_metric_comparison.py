"""What tests between metrics promise: metrics that are equally close to people are rarely told apart."""

import numpy as np
import pytest

from tertium.inference.averages import GROUPED, average
from tertium.inference.correlation_tests import SWAPS, Gains, permuted_means, permuted_pearson, two_sided, williams
from tertium.inference.correlations import pearson
from tertium.inference.pair_permutation import Tied, permuted_pairs
from tertium.meta.arrays import Scores, Tables
from tertium.meta.metric_comparison import Rules, compare_metrics

pytestmark = pytest.mark.slow

SYSTEMS, SEGMENTS, SIMULATIONS, ALPHA = 8, 60, 600, 0.05


def error(share: float, simulations: int = SIMULATIONS) -> float:
    """Four standard errors of a share."""
    return 4 * (share * (1 - share) / simulations) ** 0.5


MOST = ALPHA + error(ALPHA)


def draw(rng: np.random.Generator, metrics: int = 2) -> list[np.ndarray]:
    """People, and metrics of the same quality: each what people mean plus errors of its own, on another scale."""
    meant = rng.normal(size=(SYSTEMS, SEGMENTS)) + rng.normal(size=(SYSTEMS, 1)) / 2 + rng.normal(size=(1, SEGMENTS))
    people, *others = (meant + rng.normal(size=meant.shape) for _ in range(metrics + 1))
    return [people, *(20 * k + (1 + 4 * k) * table for k, table in enumerate(others))]


def one_pair(first: np.ndarray, second: np.ndarray, **options: int) -> Gains:
    [gains] = permuted_means(first[None], second[None], **options)
    return gains


def test_williams_test() -> None:
    """Two sides keep what they promise; one side, for whoever is ahead, finds twice as many."""
    rng, wrong, ahead = np.random.default_rng(1), 0, 0
    for _ in range(SIMULATIONS):
        people, first, second = (table[:, 0] for table in draw(rng))  # independent points, as the test supposes
        p = williams(people, first, second)
        wrong += two_sided(p) <= ALPHA
        ahead += min(p, 1 - p) <= ALPHA
    assert wrong / SIMULATIONS <= MOST
    assert abs(ahead / SIMULATIONS - 2 * ALPHA) <= error(2 * ALPHA)


@pytest.mark.parametrize("swap", SWAPS)
def test_permutation_of_pearson(swap: str) -> None:
    rng, wrong = np.random.default_rng(2), 0
    for k in range(SIMULATIONS):
        wrong += permuted_pearson(*draw(rng), swap=swap, trials=99, seed=k).p("two") <= ALPHA
    assert wrong / SIMULATIONS <= MOST


def test_permutation_of_means_over_segments() -> None:
    rng, wrong, ahead, found = np.random.default_rng(3), 0, 0, 0
    for k in range(SIMULATIONS):
        people, first, second = draw(rng)
        worse = first + 3 * rng.normal(size=first.shape)
        values = [GROUPED["tau_b"](people, metric) for metric in (first, second, worse)]
        equal = one_pair(values[0], values[1], trials=99, seed=k)
        wrong += equal.p("two") <= ALPHA
        ahead += min(equal.p("one"), Gains(-equal.observed, -equal.drawn).p("one")) <= ALPHA
        found += one_pair(values[2], values[1], trials=99, seed=k).p("two") <= ALPHA
    assert abs(wrong / SIMULATIONS - ALPHA) <= error(ALPHA)
    assert abs(ahead / SIMULATIONS - 2 * ALPHA) <= error(2 * ALPHA)
    assert found / SIMULATIONS > 0.8  # ten times the error variance is nearly always found out


def tables_of(people: np.ndarray, metrics: list[np.ndarray]) -> Tables:
    def scores(name: str, values: np.ndarray) -> Scores:
        return Scores(name=name, corpus=values.mean(axis=1), segments=values)

    return Tables(
        testset="drawn", systems=tuple(f"s{k}" for k in range(len(people))), gold=scores("people", people),
        metrics=tuple(scores(f"m{k}", values) for k, values in enumerate(metrics)), grounded=(), unjudged=(), absent=(),
    )  # fmt: skip


@pytest.mark.parametrize(("level", "statistic"), [("system", "pearson"), ("segment", "tau_b"), ("segment", "acc_eq")])
def test_two_equal_metrics_by_the_default_test(level: str, statistic: str) -> None:
    rng, wrong = np.random.default_rng(4), 0
    for k in range(SIMULATIONS):
        people, *metrics = draw(rng)
        found = compare_metrics(
            tables_of(people, metrics),
            level,
            Rules(**{level: statistic}),
            None,
            k,
            ALPHA,  # type: ignore[arg-type]
        )
        wrong += len(found.clusters) > 1
    assert abs(wrong / SIMULATIONS - ALPHA) <= error(ALPHA)


def test_eight_equal_metrics_after_max_t() -> None:
    """28 pairs at once: one false alarm among them in 5 % of test sets, not in 5 % of pairs."""
    rng, wrong, uncorrected, simulations = np.random.default_rng(5), 0, 0, 300
    for k in range(simulations):
        people, *metrics = draw(rng, 8)
        found = compare_metrics(tables_of(people, metrics), "segment", Rules(segment="tau_b"), 399, k, ALPHA)
        wrong += any(pair.significant for pair in found.pairs)
        uncorrected += any(pair.p <= ALPHA for pair in found.pairs)
    assert abs(wrong / simulations - ALPHA) <= error(ALPHA, simulations)
    assert uncorrected / simulations > 0.3


def test_all_outputs_together_are_not_independent() -> None:
    """Why a correlation of all outputs has no p: that of Student's t finds an unrelated metric far too often, that of
    the segments' values (by item) does not."""
    rng, together, by_item, simulations = np.random.default_rng(6), 0, 0, 300
    for _ in range(simulations):
        people, metric = (rng.normal(size=(10, 200)) + rng.normal(size=(1, 200)) for _ in range(2))
        together += pearson(people, metric).p <= ALPHA
        by_item += average(people, metric, "pearson", "item").p <= ALPHA
    assert together / simulations > 0.2
    assert abs(by_item / simulations - ALPHA) <= error(ALPHA, simulations)


def test_pairs_of_outputs_are_not_independent() -> None:
    """PERM-PAIRS takes them for that, and tells equal metrics apart several times as often as alpha says."""
    rng, wrong, runs = np.random.default_rng(8), 0, 150
    for k in range(runs):
        people = rng.normal(size=(10, 200))
        metrics = {name: Tied(people + 2 * rng.normal(size=people.shape), 0.0) for name in "ab"}
        wrong += permuted_pairs(people, metrics, trials=199, seed=k)["a", "b"].p("two") <= ALPHA
    assert wrong / runs > ALPHA + error(ALPHA, runs)
