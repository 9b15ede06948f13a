"""Tests of pairs, wins, clusters by each rule, rank ranges, power."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.reference import human as naive

from tertium.core.errors import InputError, OptionError
from tertium.core.judgement import Judgement
from tertium.human.power import power_curve
from tertium.human.ranking import PRESETS, RULES, RankingMethod, clusters_by, preset, rank_systems
from tertium.human.significance import p_values, signed_rank
from tertium.human.standardise import POLICIES

RAW = RankingMethod(standardised=False, correction="none")


def judged(scores: dict[str, list[float | None]], scale: str = "da100") -> list[Judgement]:
    """One rater, one judgement for each number."""
    return [
        Judgement(system=name, segment=k, rater="r", scale=scale, value=value)
        for name, values in scores.items()
        for k, value in enumerate(values)
        if value is not None
    ]


def matrix(text: str) -> np.ndarray:
    """Rows of 0 and 1: who beats whom."""
    return np.array([[cell == "1" for cell in row] for row in text.split()])


# Clusters


def drawn(rule: str, beats: np.ndarray) -> list[int]:
    """After how many systems lines are drawn."""
    names = [str(k) for k in range(len(beats))]
    found = clusters_by(rule, names, beats)
    assert [name for cluster in found for name in cluster] == names
    return np.cumsum([len(cluster) for cluster in found]).tolist()[:-1]


@pytest.mark.parametrize(
    ("text", "strict", "minwins", "last"),
    [
        # nobody beats anybody; everybody beats everybody below
        ("000 000 000", [], [], []),
        ("011 001 000", [1, 2], [1, 2], [1, 2]),
        # an upset: the third beats the second, which fails to beat the fourth. The second has one win (the fifth) and
        # the third two (the second, the fifth); two systems follow the third. Only `last` draws a line there.
        ("01111 00001 01001 00001 00000", [1, 4], [1, 4], [1, 3, 4]),
        # the last of three beats the first instead of the fourth, all others beat the fourth: wins are as many as
        # systems that follow, yet not everybody above beats everybody below.
        ("0001 0001 1000 0000", [], [3], [3]),
        # the second beats the first as well: three wins where two systems follow, so no rule draws a line below it;
        # the first has no win at all, so `minwins` draws none further down either.
        ("0000 1011 0001 0000", [], [], [3]),
    ],
)  # fmt: skip
def test_rules_differ_by_upsets(text: str, strict: list[int], minwins: list[int], last: list[int]) -> None:
    beats = matrix(text)
    assert drawn("strict", beats) == strict
    assert drawn("minwins", beats) == minwins
    assert drawn("last", beats) == last


def squares() -> st.SearchStrategy[np.ndarray]:
    return st.integers(1, 6).flatmap(
        lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n).map(lambda cells: np.reshape(cells, (n, n)))
    )


@given(squares())
def test_strict_lines_are_those_of_the_definition(square: np.ndarray) -> None:
    beats = square & ~np.eye(len(square), dtype=bool)
    assert drawn("strict", beats) == naive.strict_clusters(beats.tolist())


@given(squares())
def test_without_upsets_strict_lines_are_among_the_others(square: np.ndarray) -> None:
    beats = np.triu(square, 1)
    assert set(drawn("strict", beats)) <= set(drawn("minwins", beats)) <= set(drawn("last", beats))


# Tests of pairs


def test_rank_sum_is_scipys() -> None:
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal([[0.3], [0]], size=(2, 60)), 1)
    scores[0, :5] = np.nan
    scores[1, -7:] = np.nan
    first, second = scores[0, 5:], scores[1, :-7]
    both = scores[:, 5:-7]
    expected = stats.mannwhitneyu(first, second, alternative="greater").pvalue
    matched = stats.mannwhitneyu(both[0], both[1], alternative="greater").pvalue
    assert p_values(scores, "rank-sum", 1, 1)[0, 1] == pytest.approx(expected, rel=1e-12)
    assert p_values(scores, "rank-sum-matched", 1, 1)[0, 1] == pytest.approx(matched, rel=1e-12)
    assert expected != matched


@given(st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9))
def test_signed_rank_is_that_of_all_signs(gains: list[float]) -> None:
    expected = naive.signed_rank(gains) if any(gains) else 0.5
    assert signed_rank(np.array(gains)) == pytest.approx(expected, rel=1e-12)


def test_signed_rank_of_many_is_scipys() -> None:
    gains = np.random.default_rng(2).normal(0.2, 1, 80)
    expected = stats.wilcoxon(gains, alternative="greater", method="asymptotic").pvalue
    assert signed_rank(gains) == expected
    few = gains[:40]  # no ties: scipy is exact too
    assert signed_rank(few) == pytest.approx(
        stats.wilcoxon(few, alternative="greater", method="exact").pvalue, rel=1e-9
    )


def test_permutations_are_those_of_all_signs() -> None:
    scores = np.array([[3.0, 1, 4, 1, 5, 9], [2, 7, 1, 0, 2, 8], [1, 1, 1, 1, np.nan, np.nan]])
    found = p_values(scores, "permutation", 20_000, 3)
    assert found[0, 1] == pytest.approx(naive.permutation((scores[0] - scores[1]).tolist()), abs=0.015)
    assert found[0, 2] == pytest.approx(naive.permutation((scores[0] - scores[2])[:4].tolist()), abs=0.015)
    assert np.isnan(np.diag(found)).all()


def test_bootstrap_is_the_share_of_draws_that_are_not_better() -> None:
    """Two segments, gains 3 and -1: drawn together they gain; only (-1, -1), one draw in four, loses."""
    found = p_values(np.array([[3.0, 0], [0, 1]]), "bootstrap", 20_000, 4)
    assert found[0, 1] == pytest.approx(0.25, abs=0.015)
    assert found[1, 0] == pytest.approx(0.75, abs=0.015)


@pytest.mark.parametrize("test", ["rank-sum", "rank-sum-matched", "signed-rank", "permutation", "bootstrap"])
def test_equal_systems_do_not_beat_each_other(test: str) -> None:
    ranking = rank_systems(
        judged({"a": [1, 2, 3] * 9, "b": [1, 2, 3] * 9}), method=RankingMethod(standardised=False, test=test)
    )
    assert not ranking.beats.any()
    assert [(item.best, item.worst) for item in ranking.systems] == [(1, 2), (1, 2)]


def test_systems_without_a_segment_in_common_cannot_be_matched() -> None:
    scores = {"a": [1.0, 2, None, None], "b": [None, None, 1.0, 2]}
    ranking = rank_systems(judged(scores), method=RankingMethod(standardised=False, test="signed-rank"))
    assert np.isnan(ranking.p).all()
    assert not ranking.beats.any()
    with pytest.raises(InputError, match="a and b have no judged segment in common"):
        power_curve(ranking, "a", "b")


def test_rounding_makes_no_difference_of_ties() -> None:
    """.1 + .2 is not .3; as means of judgements the two are the same score."""
    scores = np.array([[0.1 + 0.2] * 30, [0.3] * 30])
    assert p_values(scores, "rank-sum", 1, 1)[0, 1] == 0.5
    assert p_values(scores, "signed-rank", 1, 1)[0, 1] == 0.5


# Rankings


FAR = {"a": [90.0, 92, 91, 95, 93] * 4, "b": [50.0, 52, 51, 55, 53] * 4, "c": [50.0, 51, 53, 55, 52] * 4}


def test_ranking() -> None:
    ranking = rank_systems(judged(FAR), method=RAW)
    assert ranking.clusters == [["a"], ["b", "c"]]
    first, second, third = ranking.systems
    assert (first.wins, first.losses, first.best, first.worst) == (2, 0, 1, 1)
    assert (second.best, second.worst, third.best, third.worst) == (2, 3, 2, 3)
    assert (first.raw, first.segments, first.judgements) == (pytest.approx(92.2), 20, 20)


def test_lower_is_better_where_the_scale_says_so() -> None:
    ranking = rank_systems(judged(FAR, "mqm"), method=RAW)
    assert ranking.clusters == [["b", "c"], ["a"]]
    assert ranking.systems[0].wins == 1


def test_holm_counts_all_tests_made() -> None:
    plain = rank_systems(judged(FAR), method=RAW)
    corrected = rank_systems(judged(FAR), method=RankingMethod(standardised=False, correction="holm"))
    assert np.nanmin(corrected.p) == pytest.approx(6 * np.nanmin(plain.p))
    one_way = RankingMethod(standardised=False, correction="holm", upsets=False)
    assert np.nanmin(rank_systems(judged(FAR), method=one_way).p) == pytest.approx(3 * np.nanmin(plain.p))


def test_rankings_are_corrected_unless_they_follow_a_published_one() -> None:
    """Twelve equal systems, 132 tests: uncorrected, some of them nearly always find something."""
    rng = np.random.default_rng(7)
    found = {"holm": 0, "none": 0}
    for _ in range(40):
        scores = {f"s{k}": rng.normal(50, 10, 60).tolist() for k in range(12)}
        for correction, method in (("holm", RankingMethod(standardised=False)), ("none", RAW)):
            found[correction] += bool(rank_systems(judged(scores), method=method).beats.any())
    assert found["holm"] <= 5  # 2 are expected
    assert found["none"] >= 30
    assert rank_systems(judged(FAR)).method.correction == "holm"
    assert rank_systems(judged(FAR)).method.rule == "strict"
    for name, rule in (("wmt22-toen", "last"), ("wmt21-toen", "last"), ("appraise22", "minwins")):
        assert (preset(name).correction, preset(name).rule) == ("none", rule)


def test_holm_needs_enough_trials() -> None:
    few = RankingMethod(standardised=False, correction="holm", test="permutation", trials=100)
    with pytest.raises(OptionError) as refused:
        rank_systems(judged(FAR), method=few)
    assert str(refused.value) == (
        "which systems differ significantly is not resolvable with 100 trials; needs 1199 (6 tests, correction holm, "
        "alpha 0.05); give more trials, or none"
    )
    with pytest.raises(OptionError, match="not resolvable with 119 trials"):  # p = alpha is not below it
        rank_systems(judged(FAR), method=few, trials=119)
    assert rank_systems(judged(FAR), method=few, trials=120).beats[0, 1]


def test_trials_are_enough_unless_they_are_given() -> None:
    drawn = RankingMethod(standardised=False, test="bootstrap", correction="none")
    assert rank_systems(judged(FAR), method=drawn).method.draws == 1000
    assert rank_systems(judged(FAR), method=drawn, correction="holm").method.draws == 1199  # 6 tests, a tenth of alpha
    assert rank_systems(judged(FAR), method=drawn, correction="holm", upsets=False).method.draws == 1000  # 3 take 599
    assert rank_systems(judged(FAR), method=drawn, alpha=0.001).method.draws == 9999
    assert rank_systems(judged(FAR), method=drawn, trials=20).method.draws == 20
    with pytest.raises(OptionError, match="not resolvable with 19 trials; needs 199"):
        rank_systems(judged(FAR), method=drawn, trials=19)


def test_changes_of_a_method() -> None:
    assert rank_systems(judged(FAR), rule="strict", test="signed-rank").method.rule == "strict"
    with pytest.raises(OptionError, match="a ranking has no option 'rules'; options: policy, standardised, test, rule"):
        rank_systems(judged(FAR), rules="strict")


def test_upsets_count_unless_refused() -> None:
    """b has the higher mean by one huge value, a wins nearly everywhere."""
    scores = {"a": [20.0] * 30, "b": [10.0] * 27 + [100.0] * 3 + [100.0]}
    scores["b"][:2] = [100.0, 100.0]
    assert sum(scores["b"]) / 31 > 20
    ranking = rank_systems(judged(scores), method=RAW)
    assert [item.system for item in ranking.systems] == ["b", "a"]
    assert ranking.beats[1, 0]
    strict = rank_systems(judged(scores), method=RankingMethod(standardised=False, upsets=False))
    assert not strict.beats.any()


def test_presets_say_what_they_do() -> None:
    assert {preset(name).rule for name in PRESETS} == {"last", "minwins"}
    assert preset("appraise22").test == "rank-sum-matched"
    assert preset("wmt22-toen").policy == POLICIES["wmt22-toen"]
    assert not preset("appraise22").upsets
    assert set(RULES) == {"last", "minwins", "strict"}


def test_ranking_refused() -> None:
    with pytest.raises(OptionError, match='preset="wmt23" is unknown; choose from wmt22-toen, wmt21-toen, appraise22'):
        rank_systems(judged(FAR), method="wmt23")
    with pytest.raises(OptionError, match=r"alpha 1\.5: must lie between 0 and 1"):
        RankingMethod(alpha=1.5)
    with pytest.raises(OptionError, match='test="t" is unknown'):
        RankingMethod(test="t")
    with pytest.raises(OptionError, match="0 trials: at least one is needed"):
        RankingMethod(test="permutation", trials=0)
    flat = [Judgement(system="a", segment=0, rater="r", scale="da100", value=5)]
    with pytest.raises(
        InputError, match="no system has a standard score on the scale da100: no rater's judgements differ"
    ):
        rank_systems(flat, method="appraise22")


# Power


@pytest.mark.parametrize("test", ["rank-sum", "signed-rank"])
def test_power_is_what_drawing_more_segments_shows(test: str) -> None:
    """Twice as many segments, drawn from those at hand, separate the systems as often as the curve says."""
    rng = np.random.default_rng(5)
    scores = {"a": (rng.normal(0.2, 1, 100) + 50).tolist(), "b": (rng.normal(0, 1, 100) + 50).tolist()}
    ranking = rank_systems(judged(scores), method=RankingMethod(standardised=False, test=test))
    names = [item.system for item in ranking.systems]
    curve = power_curve(ranking, "a", "b", factors=[1.0, 2.0])
    table = np.array([scores[name] for name in names])
    found = [
        p_values(table[:, rng.integers(0, 100, 200)], test, 1, 1)[0, 1] < 0.05
        for _ in range(400)
    ]  # fmt: skip
    assert curve.curve[1][1] == pytest.approx(np.mean(found), abs=0.08)
    assert curve.judgements == 200
    assert curve.curve[1][0] == 400


def test_needed_judgements_have_the_power_they_promise() -> None:
    rng = np.random.default_rng(6)
    scores = {"a": (rng.normal(0.2, 1, 100) + 50).tolist(), "b": (rng.normal(0, 1, 100) + 50).tolist()}
    ranking = rank_systems(judged(scores), method=RAW)
    curve = power_curve(ranking, "b", "a")
    again = power_curve(ranking, "a", "b", factors=[curve.needed / curve.judgements])
    assert again.curve[0][1] == pytest.approx(0.8)
    assert curve.interval.low < curve.needed < curve.interval.high
    assert all(low < high for (_, low), (_, high) in pairwise(curve.curve))
    with pytest.raises(OptionError, match="no system is called d; judged were: a, b"):
        power_curve(ranking, "a", "d")
    with pytest.raises(OptionError, match="a is compared with itself"):
        power_curve(ranking, "a", "a")
    with pytest.raises(OptionError, match="factors 0: must be above 0"):
        power_curve(ranking, "a", "b", factors=[0.0])


def test_nothing_separates_equal_systems() -> None:
    ranking = rank_systems(judged({"a": [1, 2, 3], "b": [1, 2, 3]}), method=RAW)
    assert math.isinf(power_curve(ranking, "a", "b").interval.high)
