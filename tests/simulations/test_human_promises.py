"""What tests of judgements promise: few false alarms, and that pairs see more where segments differ in difficulty."""

import numpy as np
import pytest

from tertium.human.significance import TESTS, p_values

CAMPAIGNS, SEGMENTS = 500, 60


def alarms(test: str, gain: float) -> float:
    """How often the first of two systems is found better, if it is by `gain`; segments differ far more than that."""
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(CAMPAIGNS):
        difficulty = rng.normal(0, 2, SEGMENTS)
        scores = difficulty + rng.normal([[gain], [0]], 1, (2, SEGMENTS))
        found += p_values(scores, test, 400, 11)[0, 1] < 0.05
    return found / CAMPAIGNS


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_false_alarms_are_as_rare_as_promised(test: str) -> None:
    """5 % and three standard errors; the unpaired tests are far below, because difficulty hides differences."""
    assert alarms(test, 0.0) < 0.05 + 3 * (0.05 * 0.95 / CAMPAIGNS) ** 0.5


@pytest.mark.slow
def test_pairs_see_more() -> None:
    found = {test: alarms(test, 0.5) for test in TESTS}
    for paired in ("signed-rank", "permutation", "bootstrap"):
        assert found[paired] > found["rank-sum"] + 0.3
