"""Step-down max-T: against its definition, and what it promises."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference import maxt as reference

from tertium.inference.corrections import holm
from tertium.inference.maxt import step_down


@pytest.mark.parametrize("seed", range(20))
def test_equals_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, trials = int(rng.integers(1, 9)), int(rng.integers(1, 40))
    observed, drawn = rng.integers(0, 6, m) * 0.5, rng.integers(0, 6, (m, trials)) * 0.5  # many ties
    np.testing.assert_array_equal(step_down(observed, drawn), _in_any_order_of_ties(observed, drawn))


def _in_any_order_of_ties(observed: np.ndarray, drawn: np.ndarray) -> list[float]:
    return reference.step_down(observed[::-1].tolist(), drawn[::-1].tolist())[::-1]


def test_one_test_keeps_its_p() -> None:
    drawn = np.array([[0.0, 1.0, 2.0, 3.0]])
    assert step_down(np.array([2.0]), drawn).tolist() == [3 / 5]


def test_worked_by_hand() -> None:
    # 4 trials: the largest of both is 1, 3, 2, 5. The striking test (4) is reached once: (1 + 1) / 5. The other (2) is
    # reached by its own statistics 1, 0, 2, 5 twice: (2 + 1) / 5.
    drawn = np.array([[0.0, 3.0, 1.0, 1.0], [1.0, 0.0, 2.0, 5.0]])
    assert step_down(np.array([4.0, 2.0]), drawn).tolist() == [2 / 5, 3 / 5]


def test_copies_of_one_test_cost_nothing_where_holm_multiplies() -> None:
    drawn = np.tile(np.arange(199.0), (40, 1))
    p = step_down(np.full(40, 1000.0), drawn)
    assert p.tolist() == [1 / 200] * 40
    assert holm([1 / 200] * 40)[0] == pytest.approx(40 / 200)


def test_is_never_below_the_uncorrected_p() -> None:
    rng = np.random.default_rng(1)
    observed, drawn = rng.random(30), rng.random((30, 99))
    plain = ((drawn >= observed[:, None]).sum(axis=1) + 1) / 100
    assert (step_down(observed, drawn) >= plain).all()
