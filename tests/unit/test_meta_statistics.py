"""Statistics of metrics against people: the issue's known small cases, the naive judge, what is undefined."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.reference import meta

from tertium.core.errors import InputError, OptionError
from tertium.inference.averages import AVERAGES, GROUPED, average
from tertium.inference.correlation_tests import (
    SIDES,
    SWAPS,
    Gains,
    permutation,
    permuted_means,
    permuted_pearson,
    two_sided,
    williams,
)
from tertium.inference.flips import (
    Accuracy,
    all_masks,
    flip_p_values,
    masks,
    pairwise_accuracy,
    separated,
    soft_pairwise_accuracy,
)
from tertium.inference.pairs import count_pairs, difference_pearson, kendall_like
from tertium.inference.ties import calibrate

NAN = math.nan


def table(seed: int, systems: int, segments: int, *, steps: int = 4, missing: float = 0.2) -> np.ndarray:
    """Few values, so that there are ties, and holes."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, steps, size=(systems, segments)).astype(float)
    return np.where(rng.random(values.shape) < missing, np.nan, values)


def columns(gold: np.ndarray, metric: np.ndarray) -> list[tuple[list[float], list[float]]]:
    return [(gold[:, k].tolist(), metric[:, k].tolist()) for k in range(gold.shape[1])]


# Known small cases (mt-metrics-eval's own tests)


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [("pearson", (0.776, 0.760, 1)), ("tau_b", (0.552, 0.575, 1)), ("tau_c", (0.556, 0.611, 1))],
)
def test_two_systems_of_three_segments(statistic: str, expected: tuple[float, ...]) -> None:
    gold, metric = np.arange(1.0, 7).reshape(2, 3), np.array([2, 1, 4, 3, 3, 7.0]).reshape(2, 3)
    found = [average(gold, metric, statistic, by).value for by in ("none", "system", "item")]
    assert [round(value, 3) for value in found] == [round(value, 3) for value in expected]


def test_kendall_variants() -> None:
    gold, metric = [[1.0], [2], [2], [3], [4]], [[2.0], [1], [1.5], [5], [3]]
    found = {name: average(gold, metric, name, "item").value for name in ("tau_b", "tau_c", "tau_eq", "acc_eq")}
    assert found == {
        "tau_b": pytest.approx(0.316227766, abs=1e-9),
        "tau_c": pytest.approx(0.32, abs=1e-12),
        "tau_eq": pytest.approx(0.2, abs=1e-12),
        "acc_eq": pytest.approx(0.6, abs=1e-12),
    }


def test_spa_by_enumeration_and_by_chance() -> None:
    gold, metric = [[1, 2, 3], [2, 3, 4]], [[2, 2, 4], [1, 3, 5]]
    assert soft_pairwise_accuracy(gold, metric) == (0.875, 3, 0)  # all flips are gone through
    drawn = soft_pairwise_accuracy(gold, metric, trials=1000, enumerated=False)
    assert drawn[:2] == (pytest.approx(0.872, abs=5e-4), 3)
    # One pair: people's p is 1, the metric's a share of 1,000 coins that fall in 7 of 8 ways.
    assert drawn.error == pytest.approx(math.sqrt(7 / 64 / 1000), rel=0.05)


def test_williams() -> None:
    gold, first, second = [1, 2, 3, 4, 5], [1.1, 2, 3.1, 4, 5.1], [1.5, 2, 3.1, 4, 5.5]
    assert williams(gold, second, first) == pytest.approx(0.019, abs=5e-4)
    assert williams(gold, first, second) == pytest.approx(1 - williams(gold, second, first), abs=1e-12)


def test_tie_calibration() -> None:
    best = calibrate([1, 1, 1, 4], [0, 2, 6, 8])
    assert (best.eps, best.acc_eq) == (4, 4 / 6)


# The naive judge


@pytest.mark.parametrize("seed", range(30))
def test_calibration_is_the_best_of_all_thresholds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    systems, segments = int(rng.integers(2, 9)), int(rng.integers(1, 12))
    gold, metric = table(seed, systems, segments), table(seed + 1000, systems, segments, steps=7)
    groups = columns(gold, metric)
    if all(meta.acc_eq(*group) is None for group in groups):
        assert math.isnan(calibrate(gold, metric).acc_eq)
        return
    value, lowest, highest = meta.calibrated(groups)
    best = calibrate(gold, metric)
    assert (best.acc_eq, best.eps, best.highest_eps) == (float(value), lowest, highest)


def test_calibration_where_sixty_four_bits_are_too_few() -> None:
    """Groups of 2 to 60 members: the least common multiple of their numbers of pairs has 25 digits."""
    gold, metric = (table(seed, 60, 59, steps=steps, missing=0) for seed, steps in ((1, 3), (2, 5)))
    for group in range(59):
        gold[group + 2 :, group] = np.nan
    sizes = {members * (members - 1) // 2 for members in range(2, 61)}
    assert math.lcm(*sizes) > 1 << 64
    value, lowest, highest = meta.calibrated(columns(gold, metric))
    best = calibrate(gold, metric)
    assert (best.acc_eq, best.eps, best.highest_eps) == (pytest.approx(float(value), abs=1e-15), lowest, highest)


@pytest.mark.parametrize("seed", range(10))
def test_counts_of_pairs(seed: int) -> None:
    gold, metric = table(seed, 6, 8), table(seed + 100, 6, 8)
    for eps in (0.0, 1.0):
        counts = count_pairs(gold, metric, eps)
        for k, group in enumerate(columns(gold, metric)):
            expected = meta.acc_eq(*group, eps)
            found = counts.acc_eq()[k]
            assert math.isnan(found) if expected is None else found == float(expected)
    long_gold, long_metric = table(seed, 90, 3), table(seed + 100, 90, 3)  # counted by sorting
    for k, (left, right) in enumerate(columns(long_gold, long_metric)):
        found = [int(part[k]) for part in count_pairs(long_gold, long_metric)]
        pairs = [(meta.sign(g), meta.sign(m)) for g, m in meta.known_pairs(left, right)]
        assert found == [
            sum(g * m > 0 for g, m in pairs),
            sum(g * m < 0 for g, m in pairs),
            sum(g == 0 != m for g, m in pairs),
            sum(g != 0 == m for g, m in pairs),
            sum(g == 0 == m for g, m in pairs),
        ]


@pytest.mark.parametrize("seed", range(10))
def test_averages_are_means_of_scipys_correlations(seed: int) -> None:
    judges = {
        "pearson": stats.pearsonr,
        "spearman": stats.spearmanr,
        "tau_b": stats.kendalltau,
        "tau_c": lambda x, y: stats.kendalltau(x, y, variant="c"),
    }
    gold, metric = table(seed, 5, 7), table(seed + 100, 5, 7, missing=0.05)
    for name, judge in judges.items():
        for by, groups in (("item", columns(gold, metric)), ("system", columns(gold.T, metric.T))):
            values, sizes = [], []
            for left, right in groups:
                pairs = [(g, m) for g, m in zip(left, right, strict=True) if not math.isnan(g + m)]
                if len({g for g, _ in pairs}) > 1 and len({m for _, m in pairs}) > 1:
                    values.append(judge(*zip(*pairs, strict=True)).statistic)
                    sizes.append(len(pairs))
            found = average(gold, metric, name, by)
            assert found.value == pytest.approx(np.mean(values), abs=1e-12)
            assert found.groups == len(values)
            micro = average(gold, metric, name, by, micro=True)
            assert micro.value == pytest.approx(np.average(values, weights=sizes), abs=1e-12)
            if by == "item" and len(set(values)) > 1:
                assert found.p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-9)


def test_micro_average_of_accuracy_is_that_of_all_pairs() -> None:
    gold, metric = table(1, 5, 9), table(2, 5, 9)
    pairs = [pair for group in columns(gold, metric) for pair in meta.known_pairs(*group)]
    right = sum(meta.sign(g) == meta.sign(m) for g, m in pairs)
    assert average(gold, metric, "acc_eq", "item", micro=True).value == pytest.approx(right / len(pairs), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_kendall_like_and_differences(seed: int) -> None:
    gold, metric = table(seed, 6, 8, steps=9), table(seed + 100, 6, 8)
    groups = columns(gold, metric)
    assert kendall_like(gold, metric, 3).value == pytest.approx(meta.kendall_like(groups, 3), abs=1e-12)
    pairs = [pair for group in groups for pair in meta.known_pairs(*group)]
    both_ways = [*pairs, *((-g, -m) for g, m in pairs)]
    expected = stats.pearsonr(*zip(*both_ways, strict=True)).statistic
    assert difference_pearson(gold, metric) == (pytest.approx(expected, abs=1e-12), len(pairs))


@pytest.mark.parametrize("seed", range(5))
def test_flips_are_all_gone_through_where_they_are_few(seed: int) -> None:
    gold, metric = table(seed, 4, 7, missing=0), table(seed + 100, 4, 7, missing=0)
    assert soft_pairwise_accuracy(gold, metric)[0] == pytest.approx(
        float(meta.spa(gold.tolist(), metric.tolist())), abs=1e-12
    )
    exact = flip_p_values(gold[:1] - gold[1:2], enumerated=True)
    assert exact.tolist() == [float(meta.flip_p(*gold[:2].tolist()))]
    drawn = flip_p_values(gold[:1] - gold[1:2], trials=20_000, enumerated=False)
    assert drawn == pytest.approx(exact, abs=0.02)  # five standard errors


def test_masks_do_not_depend_on_the_size_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(masks(7, 50, 3)))
    monkeypatch.setattr("tertium.inference.flips.BLOCK", 40)
    blocks = list(masks(7, 50, 3))
    assert len(blocks) > 1
    assert np.array_equal(whole, np.concatenate(blocks))
    assert len({tuple(row) for row in all_masks(5).tolist()}) == 32


# Undefined is NaN, never 0


@pytest.mark.parametrize("by", AVERAGES)
@pytest.mark.parametrize("statistic", GROUPED)
@pytest.mark.parametrize(
    "gold", [np.full((3, 4), NAN), np.zeros((0, 0)), np.array([[1.0]]), np.array([[NAN, 1.0], [2.0, NAN]])]
)
def test_nothing_to_compare(statistic: str, by: str, gold: np.ndarray) -> None:
    found = average(gold, np.arange(gold.size, dtype=float).reshape(gold.shape), statistic, by)
    if by == "none" and gold.shape == (2, 2):  # two scores in all
        assert found.n == 2
        return
    assert math.isnan(found.value)
    assert math.isnan(found.p)


def test_equal_scores_have_no_correlation() -> None:
    flat, other = np.full((3, 5), 0.1), np.arange(15.0).reshape(3, 5)
    for name in ("pearson", "spearman", "tau_b", "tau_c"):
        for by in AVERAGES:
            assert math.isnan(average(flat, other, name, by).value)
            assert math.isnan(average(other, flat, name, by).value)
    assert math.isnan(difference_pearson(flat, other).value)
    assert math.isnan(williams(flat, other, other))
    assert math.isnan(permuted_pearson(flat, other, other).p("two"))
    assert average(flat, flat, "acc_eq", "item").value == 1  # all tied, rightly


def test_no_pairs_of_systems() -> None:
    assert math.isnan(pairwise_accuracy([1], [2]).value)
    assert Accuracy(1, 3).pooled(Accuracy(2, 3)).value == 0.5
    assert math.isnan(soft_pairwise_accuracy([[1, NAN], [NAN, 2]], [[1, 2], [3, 4]])[0])
    assert math.isnan(kendall_like([1, 2], [1, 2], 25).value)
    assert pairwise_accuracy([1, 2, 2], [1, 2, 2]) == (3, 3)
    assert pairwise_accuracy([1, 2, NAN], [1, 0, 2]) == (0, 1)


def test_tables_of_different_shapes_and_unknown_words() -> None:
    with pytest.raises(InputError, match="tables of one shape"):
        average([[1, 2]], [[1], [2]], "pearson")
    with pytest.raises(OptionError, match="statistic"):
        average([[1, 2]], [[1, 2]], "r")
    with pytest.raises(OptionError, match="swap"):
        permuted_pearson([1, 2], [1, 2], [2, 1], swap="all")
    shapes = r"human scores and the scores of both metrics .* one shape; got \(2, 1\), \(3, 1\) and \(2, 1\)"
    with pytest.raises(InputError, match=shapes):
        permuted_pearson([1, 2], [1, 2, 3], [2, 1])
    with pytest.raises(OptionError, match="at least one"):
        soft_pairwise_accuracy([[1, 2, 3]] * 2, [[1, 2, 3]] * 2, trials=0, enumerated=False)


# Which pairs people separate


def test_separated_pairs() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(3, 400))
    gold = noise + np.array([[0.0], [0.0], [1.0]])
    gold[:, :50] = np.nan
    gold[0, 50:100] = np.nan
    assert separated(gold).tolist() == [False, True, True]  # (1, 2), (1, 3), (2, 3)
    assert pairwise_accuracy([0, 0.1, 1], [0.2, 0.1, 1], separated(gold)) == (2, 2)
    assert pairwise_accuracy([0, 0.1, 1], [0.2, 0.1, 1]) == (2, 3)


# Metrics against each other


def three(seed: int, good: float, bad: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.normal(size=(6, 40))
    holes = np.where(rng.random(gold.shape) < 0.1, np.nan, gold)
    return holes, gold + rng.normal(size=gold.shape) * bad, 7 + 3 * (gold + rng.normal(size=gold.shape) * good)


def one_pair(first: np.ndarray, second: np.ndarray, **options: int) -> Gains:
    [gains] = permuted_means(first[None], second[None], **options)
    return gains


@pytest.mark.parametrize("swap", SWAPS)
def test_products_are_the_same_as_trial_by_trial(swap: str) -> None:
    gold, first, second = three(1, 1.0, 1.2)

    def statistic(people: np.ndarray, metric: np.ndarray) -> float:
        return average(people, metric, "pearson").value

    slow = permutation(gold, first, second, statistic, swap=swap, trials=200)
    fast = permuted_pearson(gold, first, second, swap=swap, trials=200)
    assert fast.observed == pytest.approx(slow.observed, abs=1e-12)
    assert fast.drawn == pytest.approx(slow.drawn, abs=1e-12)
    assert 0 < slow.p("one") < slow.p("two") < 1


def test_the_better_metric_is_found() -> None:
    gold, first, second = three(2, 0.5, 2.0)
    assert permuted_pearson(gold, first, second).p("one") < 0.01
    assert permuted_pearson(gold, second, first).p("one") > 0.99
    assert permuted_pearson(gold, first, second).p("two") == permuted_pearson(gold, second, first).p("two") < 0.01
    assert williams(gold, first, second) < 0.01
    values = [GROUPED["tau_b"](gold, metric) for metric in (first, second)]
    assert one_pair(*values).p("one") < 0.01
    assert one_pair(*values[::-1]).p("one") > 0.99
    assert one_pair(*values).p("two") == one_pair(*values[::-1]).p("two") < 0.01


def test_equal_metrics_are_equal() -> None:
    gold, first, _ = three(3, 1, 1)
    for sides in SIDES:
        assert permuted_pearson(gold, first, first).p(sides) == 1
        assert permuted_pearson(gold, first, 2 * first + 5).p(sides) == 1
    assert williams(gold, first, first) == 0.5
    assert two_sided(0.5) == 1
    assert math.isnan(williams([1, 2, 3], [1, 3, 2], [2, 1, 3]))
    assert math.isnan(one_pair(np.array([NAN]), np.array([1.0])).p("two"))


def test_whole_segments_are_swapped_as_means_are() -> None:
    """PERM-INPUTS of a mean over segments, trial by trial with the same masks."""
    gold, first, second = three(4, 1.0, 1.1)
    gold = np.nan_to_num(gold)

    def statistic(people: np.ndarray, metric: np.ndarray) -> float:
        return average(people, metric, "tau_b", "item").value

    slow = permutation(gold, first, second, statistic, swap="inputs", trials=300)
    values = [GROUPED["tau_b"](gold, metric) for metric in (first, second)]
    fast = one_pair(*values, trials=300)
    assert fast.observed == pytest.approx(slow.observed, abs=1e-12)
    assert fast.drawn == pytest.approx(slow.drawn, abs=1e-12)
    assert 0 < slow.p("two") < slow.p("one") < 1  # the second is behind


def test_few_segments_are_swapped_in_every_way() -> None:
    """Gains of 1, 2 and 3: of eight ways to sign them one adds up to 6, one to -6."""
    gains = one_pair(np.zeros(3), np.array([1.0, 2.0, 3.0]))
    assert sorted(3 * gains.drawn) == pytest.approx([-6, -4, -2, 0, 0, 2, 4])
    assert (gains.p("one"), gains.p("two")) == (1 / 8, 2 / 8)
    apart = one_pair(np.array([NAN, 0, 0, 0]), np.array([5.0, 1, 2, 3]))  # what is undefined takes no part
    assert (apart.observed, apart.p("two")) == (2, 2 / 8)


def test_what_drawing_leaves_uncertain_in_soft_accuracy() -> None:
    """The standard error is what SPA of other seeds really varies by."""
    rng = np.random.default_rng(6)
    gold = rng.normal(size=(6, 80)) + np.arange(6)[:, None] / 20
    metric = gold + rng.normal(size=gold.shape)
    found = [soft_pairwise_accuracy(gold, metric, trials=300, seed=seed) for seed in range(200)]
    spread, errors = np.std([item.value for item in found], ddof=1), [item.error for item in found]
    assert np.mean(errors) == pytest.approx(spread, rel=0.2)  # four standard errors of a spread of 200 values
    assert math.isnan(soft_pairwise_accuracy(gold, metric, trials=1).error)


def test_outputs_together_have_no_p() -> None:
    """They share segments and systems, and an unrelated metric would be significant far too often."""
    gold, metric = table(1, 5, 9), table(2, 5, 9)
    for name in ("pearson", "spearman", "tau_b", "tau_c"):
        assert math.isnan(average(gold, metric, name, "none").p)
        assert 0 < average(gold, metric, name, "item").p < 1


def test_hostile_values_neither_warn_nor_leave_the_range() -> None:
    """Infinite, missing, huge, tiny and equal values; tables without rows or columns."""
    rng = np.random.default_rng(5)
    values = [0.0, 1.0, 2.0, 0.1, 0.3, -1e100, 1e100, 1e-100, np.inf, -np.inf, np.nan]
    for _ in range(150):
        shape = tuple(rng.integers(0, 6, size=2))
        gold, first, second = (rng.choice(values, size=shape) for _ in range(3))
        with np.errstate(all="raise", under="ignore"):
            found = [average(gold, first, name, by).value for name in GROUPED for by in AVERAGES]
            found += [calibrate(gold, first).acc_eq, kendall_like(gold, first, 1).value]
            found += [difference_pearson(gold, first).value, williams(gold, first, second)]
            found += [soft_pairwise_accuracy(gold, first, trials=20)[0]]
            found += [
                permuted_pearson(gold, first, second, swap=swap, trials=5).p("two") for swap in SWAPS if min(shape) > 0
            ]
            assert len(separated(gold, trials=20)) == shape[0] * (shape[0] - 1) // 2
        assert all(math.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12 for value in found)
