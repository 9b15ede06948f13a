"""What a difference is worth: the logistic curve against statsmodels, its corners, and its intervals."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tertium.core.errors import TertiumError
from tertium.core.score import Interval
from tertium.meta.pairs import system_pairs
from tertium.meta.preference import Preference, cautions, fit_slopes, preferences, round_differences
from tertium.meta.table import ScoreTable, score_table


def noisy_table(groups: int = 3, systems: int = 8, seed: int = 5) -> ScoreTable:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=groups * systems)
    columns = {
        "group": np.repeat(np.arange(groups), systems).tolist(),
        "human": np.round(truth + 0.3 * rng.normal(size=len(truth)), 1).tolist(),  # rounded: some are tied
        "near": (30 + 3 * truth + rng.normal(size=len(truth))).tolist(),
        "far": (truth + 3 * rng.normal(size=len(truth))).tolist(),
    }
    return score_table(columns, gold="human", group=["group"], metrics=["near", "far"])


def fit_by_statsmodels(difference: np.ndarray, share: np.ndarray, weights: np.ndarray | None = None) -> float:
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    model = GLM(share, difference[:, None], family=Binomial(), freq_weights=weights)
    return float(model.fit(tol=1e-14, maxiter=300).params[0])


def test_slopes_are_those_of_statsmodels() -> None:
    """GLM(family=Binomial()) of statsmodels without a constant; ties count one half."""
    table = noisy_table()
    pairs = system_pairs(table)
    share = np.where(pairs.gold > 0, 1.0, 0.5)
    assert 0 < (share < 1).sum() < len(share)
    for item in preferences(table, confidence=None):
        expected = fit_by_statsmodels(pairs.differences[item.metric], share)
        assert item.slope == pytest.approx(expected, rel=1e-9)
        assert item.interval is None


def test_weighted_slopes_are_those_of_statsmodels() -> None:
    table = noisy_table()
    pairs = system_pairs(table)
    share = np.where(pairs.gold > 0, 1.0, 0.5)
    weights = np.random.default_rng(1).integers(0, 4, size=(3, len(pairs))).astype(float)
    ours = fit_slopes(pairs.differences["near"], share, weights)
    for slope, row in zip(ours, weights, strict=True):
        assert slope == pytest.approx(fit_by_statsmodels(pairs.differences["near"], share, row), rel=1e-9)


@given(st.lists(st.tuples(st.floats(-50, 50), st.sampled_from([0.5, 1.0])), min_size=1, max_size=30))
def test_the_gradient_is_zero_wherever_the_slope_is_finite(data: list[tuple[float, float]]) -> None:
    difference, share = np.array([d for d, _ in data]), np.array([y for _, y in data])
    [slope] = fit_slopes(difference, share)
    if math.isfinite(slope):
        scale = np.abs(difference).sum()
        chance = 0.5 * (1 + np.tanh(slope * difference / 2))
        assert abs(float(((share - chance) * difference).sum())) <= 1e-9 * scale
    else:
        told = difference[(share == 1) & (difference != 0)]
        assert len({bool(value > 0) for value in told}) <= 1  # all on one side, or nothing told apart


def test_slopes_without_a_finite_maximum() -> None:
    one = np.ones(3)
    assert fit_slopes(np.array([1.0, 2, 0]), one).tolist() == [math.inf]
    assert fit_slopes(np.array([-1.0, -2, 0]), one).tolist() == [-math.inf]
    assert math.isnan(fit_slopes(np.array([0.0, 0, 0]), one)[0])
    assert math.isnan(fit_slopes(np.empty(0), np.empty(0))[0])
    assert fit_slopes(np.array([1.0, 2, 3]), 0.5 * one).tolist() == [0]  # nobody prefers anything


def test_the_scale_of_a_metric_does_not_matter() -> None:
    difference, share = np.array([1.0, -2, 3, 5]), np.ones(4)
    [slope] = fit_slopes(difference, share)
    for scale in (1e-150, 1e-3, 1e150):
        assert fit_slopes(difference * scale, share)[0] * scale == pytest.approx(slope)


def curve(slope: float, low: float, high: float) -> Preference:
    return Preference(
        metric="m", gold="h", n=12, groups=1, pairs=4, ties=1, accuracy=2 / 3, slope=slope,
        interval=Interval(low, high, 0.95), differences=np.array([0.2, 1.0, 1.2, 30.0]), agree=np.array([0, 1, 0.5, 1]),
    )  # fmt: skip


def test_reading_a_curve() -> None:
    item = curve(math.log(3), 0.0, math.inf)
    assert item.probability(1.0).value == pytest.approx(0.75)
    assert item.probability(2.0).value == pytest.approx(0.9)
    assert item.probability(2.0).interval == Interval(0.5, 1.0, 0.95)
    assert item.probability(0.0).value == 0.5
    assert item.difference(0.9).value == pytest.approx(2)
    assert item.difference(0.9).interval == Interval(0.0, math.inf, 0.95)
    assert item.observed(1.0) == (0.75, 2)  # 1.0 and 1.2, not 0.2
    assert math.isnan(item.observed(100.0)[0])
    assert item.largest == 30
    for share in (0.5, 1.0, math.nan):
        with pytest.raises(TertiumError, match=r"must lie between 0.5 and 1, such as 0.9$"):
            item.difference(share)


def test_a_curve_of_the_wrong_direction_or_none() -> None:
    assert curve(-1, -2, -0.5).difference(0.9).value == math.inf
    assert curve(-1, -2, -0.5).probability(1).value < 0.5
    assert curve(math.inf, 1, math.inf).probability(0).value == 0.5
    assert math.isnan(curve(math.nan, math.nan, math.nan).difference(0.9).value)
    assert math.isnan(curve(math.nan, math.nan, math.nan).probability(1).value)


def test_what_a_curve_rests_on() -> None:
    table = score_table({"h": [1, 2, 2, None], "m": [1, 3, 2, 9], "k": [None, 2, 1, 5]}, gold="h")
    m, k = preferences(table, trials=20)
    assert (m.n, m.groups, m.pairs, m.ties, m.accuracy) == (3, 1, 3, 1, 1)
    assert (k.n, k.groups, k.pairs, k.ties) == (2, 1, 1, 1)
    assert math.isnan(k.accuracy)
    assert sorted(m.differences) == [1, 1, 2]
    assert m.agree[m.differences == 2].tolist() == [1]


def test_a_missing_score_is_as_if_the_pair_were_not_there() -> None:
    whole = score_table({"h": [1, 2, 3, 4], "m": [2, 1, 4, 3], "n": [1, 1, 2, 3]}, gold="h", metrics=["m"])
    more = score_table({"h": [1, 2, 3, 4, 0], "m": [2, 1, 4, 3, None]}, gold="h")
    [one], [two] = preferences(whole, confidence=None), preferences(more, confidence=None)
    assert one.slope == pytest.approx(two.slope, rel=1e-14)
    assert one.pairs == two.pairs == 6


def test_intervals_depend_on_the_seed_and_on_nothing_else() -> None:
    table = noisy_table()
    first, second = preferences(table, trials=50), preferences(table, trials=50)
    assert [item.interval for item in first] == [item.interval for item in second]
    assert [item.interval for item in first] != [item.interval for item in preferences(table, trials=50, seed=1)]
    for item in first:
        assert item.interval is not None
        assert item.interval.low < item.slope < item.interval.high


def test_many_pairs_of_few_systems_do_not_make_a_narrow_interval() -> None:
    """120 pairs of 16 systems: the interval is far wider than one from 120 independent pairs."""
    [item, _] = preferences(noisy_table(groups=1, systems=16), trials=400)
    pairs = system_pairs(noisy_table(groups=1, systems=16))
    d = pairs.differences["near"]
    chance = 1 / (1 + np.exp(-item.slope * d))
    standard_error = 1 / math.sqrt(float((d**2 * chance * (1 - chance)).sum()))
    assert item.interval is not None
    assert item.interval.high - item.interval.low > 1.2 * 2 * 1.96 * standard_error


def test_round_differences() -> None:
    def at(*seen: float) -> list[float]:
        item = curve(1, 1, 1)
        return round_differences(Preference(**{**item.__dict__, "differences": np.array(seen)}))

    assert at(0.3, 0.4, 0.7, 12) == [0.5, 1, 2, 5, 10]
    assert at(0.004, 0.03) == [0.01, 0.02]
    assert at(0, 0) == []
    assert at(3) == []


def test_cautions() -> None:
    assert cautions([curve(1, 0, 2)]) == []
    few = preferences(score_table({"h": [1, 2], "m": [1, 2]}, gold="h"), trials=5)
    assert cautions(few) == [
        "only 2 systems have both scores: curves and intervals of so few are not reliable",
        "m never contradicts h (1 pair), so no curve can be fitted",
    ]


def test_refusals() -> None:
    table = noisy_table()
    with pytest.raises(TertiumError, match=r"^confidence 1.5: must lie between 0 and 1, such as 0.95$"):
        preferences(table, confidence=1.5)
    with pytest.raises(TertiumError, match=r"^0 resamples: at least one is needed$"):
        preferences(table, trials=0)
