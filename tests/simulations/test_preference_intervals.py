"""Intervals of the curve of preferences cover the slope of the population about as often as they promise."""

import numpy as np
import pytest

from tertium.meta.preference import preferences
from tertium.meta.table import ScoreTable


def draw(rng: np.random.Generator, groups: int, systems: int) -> ScoreTable:
    """Systems of which people and a metric see the quality through noise of their own."""
    quality = rng.normal(size=groups * systems)
    human, metric = (quality + spread * rng.normal(size=len(quality)) for spread in (0.3, 0.5))
    return ScoreTable(
        gold="human",
        metrics=("metric",),
        columns={"human": human, "metric": metric},
        systems=tuple(map(str, range(len(quality)))),
        keys=tuple((str(k),) for k in range(groups) for _ in range(systems)),
    )


@pytest.mark.slow
@pytest.mark.parametrize("groups", [3, 10])
def test_intervals_cover_the_slope(groups: int) -> None:
    """95 % intervals, 12 systems in a group; 200 draws, so three standard errors are 0.046 around 0.95."""
    rng = np.random.default_rng(7)
    truth = np.mean([preferences(draw(rng, 200, 12), confidence=None)[0].slope for _ in range(25)])
    hits = 0
    for seed in range(200):
        interval = preferences(draw(rng, groups, 12), trials=200, seed=seed)[0].interval
        assert interval is not None
        hits += interval.low <= truth <= interval.high
    assert 0.904 <= hits / 200 <= 0.996
