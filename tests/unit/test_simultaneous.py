"""Intervals of many differences at once: against their definition, by hand, and as comparisons have them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from tests.reference import simultaneous as reference

import tertium as tt
from tertium.inference.simultaneous import bonferroni_intervals, simultaneous_intervals


@pytest.mark.parametrize("seed", range(20))
def test_equals_its_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, trials = int(rng.integers(1, 9)), int(rng.integers(2, 60))
    observed = rng.normal(size=m)
    drawn = observed[:, None] + rng.normal(size=(m, trials)) * rng.integers(0, 4, (m, 1))  # some never move
    found = simultaneous_intervals(observed, drawn, 0.9)
    expected = reference.simultaneous(observed.tolist(), drawn.tolist(), 0.9)
    np.testing.assert_allclose([(item.low, item.high) for item in found], expected, atol=1e-12)
    assert {item.confidence for item in found} == {0.9}


def test_worked_by_hand() -> None:
    # Spreads are 1 and 2 (resamples at -1, 1 and at 8, 12), and no resample deviates by more than one spread: c = 1.
    found = simultaneous_intervals(np.array([0.0, 10.0]), np.array([[-1.0, 1.0], [8.0, 12.0]]), 0.95)
    assert [(item.low, item.high) for item in found] == [(-1.0, 1.0), (8.0, 12.0)]


def test_what_never_moves_has_no_width() -> None:
    found = simultaneous_intervals(np.array([0.0, 3.0]), np.repeat([[0.0], [3.0]], 50, axis=1), 0.95)
    assert [(item.low, item.high) for item in found] == [(0.0, 0.0), (3.0, 3.0)]


def test_more_pairs_make_wider_intervals() -> None:
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=(30, 2000))
    one, many = (simultaneous_intervals(np.zeros(m), drawn[:m], 0.95)[0] for m in (1, 30))
    assert 1.8 < one.high < 2.1  # as one interval
    assert 2.9 < many.high < 3.5  # Bonferroni: 3.1
    assert bonferroni_intervals(np.zeros(30), np.ones(30), 0.95)[0].high == pytest.approx(
        -NormalDist().inv_cdf(0.025 / 30)
    )


def evaluation(missing: int = 0) -> Any:
    rng = np.random.default_rng(3)
    lines = [f"The {k} old dogs run along the quiet river bank today." for k in range(60)]
    outputs: dict[str, list[str | None]] = {"a": list(lines)}
    for name, share in (("b", 0.2), ("c", 0.25), ("d", 0.7)):
        outputs[name] = [line.replace("dogs", "cats") if rng.random() < share else line for line in lines]
    if missing:
        outputs["d"][:missing] = [None] * missing
    testset = tt.TestSet(segments=60, references=tt.References((tt.Lines.of(lines),), 60))
    systems = [tt.System(name=name, outputs=tt.Lines.of(texts)) for name, texts in outputs.items()]
    return tt.evaluate(testset, systems, ["chrf", "macrof1"])


def test_comparisons_have_them() -> None:
    found = tt.compare(evaluation(), "chrf", trials=199)
    for item in found:
        assert item.interval is not None
        assert item.simultaneous is not None
        middle = (item.simultaneous.low + item.simultaneous.high) / 2
        assert middle == pytest.approx(item.difference)
        assert item.simultaneous.high - item.simultaneous.low > item.interval.high - item.interval.low
    assert all(item.simultaneous is None for item in tt.compare(evaluation(), "macrof", trials=199))


def test_pairs_that_do_not_share_segments_are_corrected_by_bonferroni() -> None:
    found = tt.compare(evaluation(missing=5), "chrf")
    assert {item.correction for item in found} == {"holm"}
    widths = [(item.simultaneous.high - item.simultaneous.low) / 2 for item in found if item.simultaneous]
    alone = [(item.simultaneous.high - item.simultaneous.low) / 2
             for pair in (("a", "b"),)
             for item in tt.compare(evaluation(missing=5), "chrf", baseline=pair[0]) if item.simultaneous
             and item.system == pair[1]]  # fmt: skip
    z = [-NormalDist().inv_cdf(0.025 / m) for m in (6, 3)]
    assert widths[0] / alone[0] == pytest.approx(z[0] / z[1])
