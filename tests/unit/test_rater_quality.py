"""Raters: control items, repeats, runs and time, each against a plain loop or a worked example."""

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.reference import human as naive

from tertium.core.errors import OptionError
from tertium.core.judgement import Judgement
from tertium.human.judgement_arrays import judgement_arrays_of
from tertium.human.quality import (
    RaterQuality,
    longest_run,
    mean_difference,
    rater_quality,
    run_chance,
    shared_seconds,
    t_power,
    without_flagged,
)


def said(value: float, segment: int = 0, kind: str = "genuine", **more: Any) -> Judgement:
    facts = {"system": "a", "rater": "r", "scale": "da100", "task": "t", **more}
    return Judgement(value=value, segment=segment, kind=kind, **facts)  # type: ignore[arg-type]


def only(judgements: list[Judgement]) -> RaterQuality:
    [found] = rater_quality(judgements)
    return found


GENUINE, DAMAGED = [80, 70, 60, 75, 66], [50, 61, 58, 30, 66]


def control(kind: str, values: list[int], scale: str = "da100") -> list[Judgement]:
    pairs = enumerate(zip(GENUINE, values, strict=True))
    return [said(v, k, what, scale=scale) for k, (a, b) in pairs for v, what in ((a, "genuine"), (b, kind))]


def test_degraded_items() -> None:
    test = only(control("degraded", DAMAGED)).degraded
    gains = np.subtract(GENUINE, DAMAGED)
    assert test.n == 5
    assert test.difference == pytest.approx(gains.mean())
    assert test.t == pytest.approx(stats.ttest_rel(DAMAGED, GENUINE, alternative="less").pvalue, rel=1e-12)
    assert test.wilcoxon == pytest.approx(naive.signed_rank(gains.tolist()))
    assert only(control("degraded", DAMAGED)).references.n == 0


def test_references_and_scales_where_lower_is_better() -> None:
    found = only(control("reference", DAMAGED))
    assert found.references.difference == pytest.approx(-17.2)
    assert found.flags == ("references",)
    turned = only(control("degraded", DAMAGED, "mqm"))
    assert turned.degraded.difference == pytest.approx(-17.2)
    assert "degraded" in turned.flags


def test_control_items_are_compared_with_the_same_output_in_the_same_task() -> None:
    judgements = [
        said(80, 1),
        said(10, 1, "degraded"),
        said(70, 2, system="b"),
        said(20, 2, "degraded", system="b"),
        said(5, 1, "degraded", system="b"),  # the rater never saw that output whole
        said(5, 2, "degraded", task="u", system="b"),  # nor in this task
        said(60, 3, rater="s"),
        said(5, 3, "degraded"),  # another rater did
    ]
    first = rater_quality(judgements)[0].degraded
    assert (first.n, first.difference) == (2, 60)


def test_items_that_come_several_times_are_paired_in_their_order() -> None:
    judgements = [said(80), said(70), said(20, kind="degraded"), said(40, kind="degraded"), said(1, kind="degraded")]
    assert only(judgements).degraded.n == 2
    assert only(judgements).degraded.difference == pytest.approx((60 + 30) / 2)


def test_too_few_pairs_say_nothing() -> None:
    one = only([said(80), said(20, kind="degraded")])
    assert (one.degraded.n, one.degraded.difference) == (1, 60)
    assert math.isnan(one.degraded.t)
    assert one.flags == ()
    alike = only([said(80), said(70, kind="degraded"), said(60, 1), said(50, 1, "degraded")])
    assert math.isnan(alike.degraded.t)  # no spread to measure the difference by
    assert alike.degraded.wilcoxon == 0.25


@pytest.mark.parametrize("kind", ["degraded", "references"])
def test_nobody_is_flagged_for_fewer_than_five_pairs(kind: str) -> None:
    """Two pairs, 45 points apart the right way, have p = .21; four that go the wrong way may be chance, too."""
    pairs = control(kind.removesuffix("s"), [70, 81, 50, 85, 56] if kind == "references" else [81, 69, 70, 70, 70])
    assert kind in only(pairs).flags
    assert only(pairs[:8]).flags == ()
    far = only([said(90), said(80, kind="degraded"), said(90, 1), said(10, 1, "degraded")])
    assert far.degraded.difference == 45
    assert far.degraded.t > 0.05
    assert far.flags == ()


@pytest.mark.parametrize(("n", "effect"), [(10, 0.5), (27, 0.5), (12, 1.0)])
def test_power_is_that_of_statsmodels(n: int, effect: float) -> None:
    from statsmodels.stats.power import TTestPower

    expected = TTestPower().power(effect, n, 0.05, alternative="larger")
    assert t_power(n, effect, 0.05) == pytest.approx(expected, rel=1e-9)


def test_repeats() -> None:
    values = [10, 90, 30, 70, 50, 20]
    steady = [said(v, k) for k, v in enumerate(values)] + [said(v + 1, k, "repeat") for k, v in enumerate(values)]
    found = only(steady)
    assert (found.repeats, found.repeat_error) == (6, 1)
    assert found.any_error == pytest.approx(naive.gini([j.value for j in steady]))
    assert found.flags == ()
    wild = [said(v, k) for k, v in enumerate(values)] + [said(100 - v, k, "repeat") for k, v in enumerate(values)]
    assert only(wild).flags == ("repeats",)


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30))
def test_differences_and_runs_are_those_of_plain_loops(values: list[float]) -> None:
    assert mean_difference(np.array(values)) == pytest.approx(naive.gini(values), nan_ok=True)
    runs, length = [1], 1
    for before, now in pairwise(values):
        length = length + 1 if now == before else 1
        runs.append(length)
    assert longest_run(np.array(values)) == max(runs)


def test_runs_are_judged_by_what_the_rater_says_anyway() -> None:
    """Ten fives in a row are no news from a rater who always says five or four, and many from one who rarely does."""
    values = np.array([100.0] * 10 + [float(k) for k in range(90)])
    assert run_chance(values, 10) == pytest.approx(100 * 0.1**10 * 0.9 + 90 * 100 * 0.01**10 * 0.99)
    assert only([said(v, k) for k, v in enumerate(values)]).flags == ("runs",)
    often = [5.0, 4.0, 5.0] * 60 + [5.0] * 10
    assert only([said(v, k, scale="adequacy") for k, v in enumerate(often)]).flags == ()
    assert only([said(7, k) for k in range(3)]).flags == ("constant",)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 8)), min_size=1, max_size=8))
def test_time_is_shared_second_by_second(work: list[tuple[int, int]]) -> None:
    start, duration = (np.array(column, dtype=float) for column in zip(*work, strict=True))
    expected = naive.shared_seconds([(begin, begin + length) for begin, length in work])
    assert shared_seconds(start, duration) == pytest.approx(expected, abs=1e-9)


def test_time_of_tasks_that_lie_open_side_by_side() -> None:
    """Two tasks of ten judgements, each said to take 40 seconds, in the same 40 seconds: two seconds a judgement."""
    both = [
        said(k, k, task=task, start=4.0 * k, duration=4.0, system=task)
        for k in range(10)
        for task in ("t", "u")
    ]  # fmt: skip
    assert only(both).seconds == pytest.approx(2)
    assert "fast" in only(both).flags
    assert only([j for j in both if j.task == "t"]).seconds == pytest.approx(4)
    assert math.isnan(only([said(1), said(2, 1)]).seconds)


def test_the_fastest_task_counts() -> None:
    slow = [said(k, k, duration=30.0) for k in range(5)]
    fast = [said(k, k, duration=1.0, task="u", system="b") for k in range(5)]
    assert only(slow + fast).seconds == 1


def test_filters() -> None:
    judgements = [said(7, k) for k in range(3)] + [said(k, k, rater="s") for k in range(3)]
    answers = judgement_arrays_of(judgements)
    kept, dropped = without_flagged(answers, rater_quality(answers), ["constant"])
    assert dropped == ("r",)
    assert kept.value.tolist() == [0, 1, 2]
    with pytest.raises(OptionError, match='flag="slow" is unknown; choose from degraded'):
        without_flagged(answers, [], ["slow"])
    with pytest.raises(OptionError, match="alpha 2: must lie between 0 and 1"):
        rater_quality(answers, alpha=2)
