"""What comparisons of several systems, of documents and of several runs promise, tried out where no system is better.

Rows are scores of segments, as people give them: the promises are about drawing and correcting, not about a metric.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.stats import Stats
from tertium.inference.compare import Comparison, compare
from tertium.metrics import parse

pytestmark = pytest.mark.slow

ALPHA = 0.05


def evaluation(values: dict[str, Any], documents: list[str] | None = None) -> tt.Evaluation:
    """Systems with these scores of segments; `NAME@RUN` is a run."""
    metric, segments = parse("human"), len(next(iter(values.values())))
    outputs = tt.Lines.of([""] * segments)
    systems = tuple(tt.System(name=n, outputs=outputs, run=n.partition("@")[2] or None) for n in values)
    columns = ("value", "count")
    return tt.Evaluation(
        testset=tt.TestSet(segments=segments, documents=None if documents is None else tuple(documents)),
        systems=systems,
        metrics=(metric,),
        table={(n, str(metric)): Stats(columns, np.stack([v, np.ones(segments)], axis=1)) for n, v in values.items()},
    )


def rejections(made: Any, simulations: int, **options: Any) -> float:
    """How often anything is significant."""
    return float(np.mean([something(compare(made(k), **options, seed=k)) for k in range(simulations)]))


def something(items: Iterable[Comparison]) -> bool:
    """Whether any pair is told apart."""
    return any(item.verdict != "undecided" for item in items)


def equal_systems(seed: int, systems: int = 12, segments: int = 50) -> tt.Evaluation:
    """Equally good, with hard and easy segments, and two systems that vary more than the others."""
    rng = np.random.default_rng(seed)
    spread = np.where(np.arange(systems) < 2, 3.0, 1.0)
    hard = rng.normal(0, 2, segments)
    return evaluation({f"s{k}": hard + spread[k] * rng.normal(size=segments) for k in range(systems)})


def test_one_false_alarm_among_all_pairs_stays_below_alpha() -> None:
    """12 equal systems, 66 pairs: max-T as promised."""
    assert 0.02 <= rejections(equal_systems, 400, trials=199) <= 0.08


def test_a_true_difference_does_not_make_others_look_real() -> None:
    """One system is far worse; the other eleven are equal: no pair of these may be found more often than promised."""

    def made(seed: int) -> tt.Evaluation:
        given = equal_systems(seed)
        worse = given.table["s11", "human"].rows - [5.0, 0.0]
        return evaluation(
            {s.name: given.table[s.name, "human"].rows[:, 0] for s in given.systems[:-1]} | {"s11": worse[:, 0]}
        )

    wrong = found = 0
    for k in range(300):
        items = compare(made(k), trials=199, seed=k)
        wrong += something(item for item in items if item.system != "s11")
        found += all(item.verdict == "worse" for item in items if item.system == "s11")
    assert wrong / 300 <= 0.08
    assert found / 300 >= 0.95


def test_the_best_is_picked_from_the_same_data() -> None:
    """30 equal systems: correcting only the comparisons of the best one, as if it had been named before, finds
    something too often; correcting over all pairs does not."""
    picked = whole = 0
    for k in range(200):
        given = equal_systems(k, systems=30)
        best = max(given.scores(), key=lambda score: score.value).system
        picked += something(compare(given, baseline=best, trials=999, correction="holm", seed=k))
        whole += something(c for c in compare(given, trials=199, seed=k) if best in (c.baseline, c.system))
    assert picked / 200 >= 0.07
    assert whole / 200 <= 0.07


def dependent_documents(seed: int) -> tt.Evaluation:
    """Two equal systems; in a document one of them may be better throughout, by coin. 30 documents of 10 segments."""
    rng = np.random.default_rng(seed)
    gain = np.repeat(rng.normal(0, 0.4, 30), 10) + rng.normal(size=300)
    return evaluation({"a": np.zeros(300), "b": gain}, [f"d{i // 10}" for i in range(300)])


def test_swapping_segments_of_documents_finds_too_much() -> None:
    assert rejections(dependent_documents, 1000, trials=199) >= 0.15
    assert 0.03 <= rejections(dependent_documents, 1000, trials=199, unit="document") <= 0.07


def test_drawing_documents_covers_what_it_says() -> None:
    """Intervals of the difference: by segments too narrow, by documents nearly as wide as they should be."""
    covered = np.zeros(2)
    for k in range(500):
        for which, unit in enumerate(("segment", "document")):
            [item] = compare(dependent_documents(k), trials=199, seed=k, unit=unit)  # type: ignore[arg-type]
            assert item.interval is not None
            covered[which] += item.interval.low <= 0 <= item.interval.high
    by_segment, by_document = covered / 500
    assert by_segment <= 0.86
    assert 0.90 <= by_document <= 0.97


def runs_of(seed: int, runs: int) -> tt.Evaluation:
    """Two equal systems whose runs vary much more than segments do."""
    rng = np.random.default_rng(seed)
    return evaluation({f"{name}@{k}": rng.normal(0, 1.0) + rng.normal(0, 1, 200) for name in "ab" for k in range(runs)})


@pytest.mark.parametrize(("runs", "low", "high"), [(2, 0.2, 0.34), (3, 0.08, 0.19), (5, 0.06, 0.16), (10, 0.04, 0.11)])
def test_few_runs_find_too_much(runs: int, low: float, high: float) -> None:
    """Less than with k of k runs, but still too often where runs are few: the spread of two is a guess."""
    rate = rejections(lambda seed: runs_of(seed, runs), 600, test="bootstrap", trials=300)
    assert low <= rate <= high


@pytest.mark.parametrize("systems", [2, 9])
def test_simultaneous_intervals_hold_all_true_differences(systems: int) -> None:
    """Systems of different quality and spread: in 95 of 100 test sets no interval of any pair misses; single ones of 36
    pairs miss somewhere far more often."""
    missed, single, simulations = 0, 0, 400
    true = {f"s{k}": 0.2 * k for k in range(systems)}
    for seed in range(simulations):
        rng = np.random.default_rng([seed, systems])
        hard = rng.normal(0, 2, 200)
        values = {
            name: hard + level + (2.0 if name == "s1" else 1.0) * rng.normal(size=200) for name, level in true.items()
        }
        items = compare(evaluation(values), trials=1, seed=seed)
        gaps = [true[item.system] - true[item.baseline] for item in items]
        pairs = list(zip(items, gaps, strict=True))
        missed += any(not i.simultaneous.low <= gap <= i.simultaneous.high for i, gap in pairs if i.simultaneous)
        single += any(not i.interval.low <= gap <= i.interval.high for i, gap in pairs if i.interval)
    assert 0.02 <= missed / simulations <= 0.09
    if systems > 2:
        assert single / simulations > 0.2
