"""meta_evaluate: metrics beside people on evaluations small enough to check by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.human.scores import judge
from tertium.meta.arrays import check_join, read_tables
from tertium.meta.judge import TITLES, MetaEvaluation, pool
from tertium.meta.rivalry import Rules

EXAMPLES = Path(__file__).parents[2] / "examples"


def small(outputs: dict[str, list[str]], metrics: list[str]) -> tt.Evaluation:
    references = tt.Lines.of(["a b c d e f"] * len(next(iter(outputs.values()))))
    testset = tt.TestSet(
        name="tiny", segments=len(references), references=tt.References((references,), len(references))
    )
    return tt.evaluate(testset, [tt.System(name=k, outputs=tt.Lines.of(v)) for k, v in outputs.items()], metrics)


OUTPUTS = {
    "good": ["a b c d e f", "a b c d e f", "a b c d e x"],
    "fair": ["a b c d e x", "a b c d x x", "a b c x x x"],
    "poor": ["a b x x x x", "a x x x x x", "x x x x x x"],
}
PEOPLE = {"good": [90, 95, 80], "fair": [60, 70, 65], "poor": [10, 5, math.nan]}


@pytest.fixture(scope="module")
def example() -> tt.Evaluation:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    counted = tt.evaluate(given.testset, given.systems, ["bleu", "chrf", "ter"], judgements=given.judgements)
    return judge(counted, "human", 'human(scale="adequacy")')


def test_a_metric_that_says_what_people_say() -> None:
    found = tt.meta_evaluate(small(OUTPUTS, ["wer", "chrf"]), PEOPLE)
    assert found.systems == ("good", "fair", "poor")
    assert found.judged == 8
    for metric in ("wer", "chrf"):  # the word error rate is lower where people's scores are higher
        assert found.find(metric, "tau_b").value == 1
        assert found.find(metric, "accuracy").agree == 3
        assert found.find(metric, "spa").value == 1
        assert found.find(metric, "tau_b", "segment", "item").value == 1
        assert found.find(metric, "acc_eq_calibrated", "segment", "item").value == 1
        assert found.find(metric, "pearson", "segment").n == 8
    assert found.find("wer", "pearson").value > 0.9


def test_a_system_nobody_judged_is_left_out_and_named() -> None:
    evaluation = small(OUTPUTS, ["wer"])
    found = tt.meta_evaluate(evaluation, {name: PEOPLE[name] for name in ("good", "poor")})
    assert found.systems == ("good", "poor")
    assert found.warnings == ("tiny: nobody judged fair; left out",)
    with pytest.raises(tt.TertiumError, match=r"^test set tiny: people has scores of 1 of 3 systems; at least two"):
        tt.meta_evaluate(evaluation, {"good": PEOPLE["good"]})


def test_scores_that_do_not_fit() -> None:
    evaluation = small(OUTPUTS, ["wer"])
    with pytest.raises(
        tt.TertiumError, match=r"^people judged system god, which is not in the evaluation; there: good"
    ):
        tt.meta_evaluate(evaluation, {"god": [1, 2, 3]})
    with pytest.raises(tt.TertiumError, match=r"^system good: 2 scores by people, but test set tiny has 3 segments"):
        tt.meta_evaluate(evaluation, {"good": [1, 2], "fair": [1, 2, 3]})
    with pytest.raises(tt.TertiumError, match=r"^the evaluation has no metric human"):
        tt.meta_evaluate(evaluation, "human")
    with pytest.raises(tt.TertiumError, match=r"^no metric to compare with wer; name some"):
        tt.meta_evaluate(evaluation, "wer")
    with pytest.raises(tt.TertiumError, match=r"^alpha 2: must lie between 0 and 1"):
        tt.meta_evaluate(evaluation, PEOPLE, alpha=2)
    with pytest.raises(tt.TertiumError, match=r"^level 'corpus' is unknown"):
        tt.meta_evaluate(evaluation, PEOPLE, levels=["corpus"])
    with pytest.raises(tt.TertiumError, match=r"^no r \(system, none\) of wer"):
        tt.meta_evaluate(evaluation, PEOPLE).find("wer", "r")


def test_one_segment_and_equal_values_are_undefined_not_zero() -> None:
    one = tt.meta_evaluate(
        small({k: v[:1] for k, v in OUTPUTS.items()}, ["wer"]), {k: v[:1] for k, v in PEOPLE.items()}
    )
    assert math.isnan(one.find("wer", "tau_b", "segment", "system").value)
    flat = tt.meta_evaluate(small(OUTPUTS, ["wer"]), {name: [50, 50, 50] for name in OUTPUTS})
    assert math.isnan(flat.find("wer", "pearson").value)
    assert math.isnan(flat.find("wer", "accuracy_separated").value)
    assert flat.find("wer", "accuracy_separated").n == 0
    assert flat.rivalries["system"].clusters == ()


def test_people_and_metrics_of_the_example(example: tt.Evaluation) -> None:
    found = tt.meta_evaluate(example, "human")
    assert found.metrics == ("bleu", "chrf", "ter", 'human(scale="adequacy")')
    assert {score.statistic for score in found.scores} == set(TITLES)
    for level in ("system", "segment"):
        rivalry = found.rivalries[level]
        assert [name for cluster in rivalry.clusters for name in cluster] == sorted(
            found.metrics, key=lambda name: -rivalry.values[name]
        )
        assert len(rivalry.duels) == 6
        assert all(duel.difference >= 0 and duel.p <= duel.adjusted <= 1 for duel in rivalry.duels)
        matrix = found.between[level]
        assert np.array_equal(matrix, matrix.T)
        assert np.diag(matrix).tolist() == [1.0] * 4
    again = tt.meta_evaluate(example, "human")
    assert again.scores == found.scores or repr(again.scores) == repr(found.scores)  # NaN is not equal to itself


def test_values_of_tests_are_those_of_the_tables(example: tt.Evaluation) -> None:
    for system, segment, tests in (
        ("pearson", "acc_eq", ("systems", "inputs")),
        ("spearman", "tau_b", (None, "inputs")),
        ("tau_b", "pearson", (None, "williams")),
        ("accuracy", "pearson", (None, "both")),
        ("spa", "tau_b", ("inputs", "systems")),
    ):
        rules = Rules(system=system, segment=segment, system_test=tests[0], segment_test=tests[1])
        found = tt.meta_evaluate(example, "human", rules=rules, trials=20)
        for metric in found.metrics:
            expected = found.find(metric, system).value
            assert found.rivalries["system"].values[metric] == pytest.approx(expected, abs=1e-12)
            name, by = {"acc_eq": ("acc_eq_calibrated", "item"), "tau_b": ("tau_b", "item"),
                        "pearson": ("pearson", "none")}[segment]  # fmt: skip
            expected = found.find(metric, name, "segment", by).value
            assert found.rivalries["segment"].values[metric] == pytest.approx(expected, abs=1e-12)
        for duel in (*found.rivalries["system"].duels, *found.rivalries["segment"].duels):
            assert math.isnan(duel.p) or 0 <= duel.p <= 1


def test_outputs_that_are_missing_take_no_part() -> None:
    outputs = {name: [*lines, None] for name, lines in OUTPUTS.items()}
    people = {name: [*scores, 50] for name, scores in PEOPLE.items()}
    found = tt.meta_evaluate(small(outputs, ["wer", "chrf"]), people, rules=Rules(system="spa", segment="tau_b"))
    whole = tt.meta_evaluate(small(OUTPUTS, ["wer", "chrf"]), PEOPLE, rules=Rules(system="spa", segment="tau_b"))
    for level in ("system", "segment"):
        assert found.rivalries[level].values == whole.rivalries[level].values
    assert found.find("wer", "spa").n == 2
    assert found.find("wer", "tau_b", "segment", "item") == whole.find("wer", "tau_b", "segment", "item")


def test_rules_that_do_not_fit() -> None:
    with pytest.raises(tt.TertiumError, match="acc_eq at segment level is not compared by test 'williams'"):
        Rules(segment_test="williams")
    with pytest.raises(tt.TertiumError, match="system statistic"):
        Rules(system="acc_eq")
    with pytest.raises(tt.TertiumError, match="correction"):
        Rules(correction="bonferroni")


def noise(segments: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=segments) for name in OUTPUTS}


def test_a_join_is_doubted_only_where_there_are_enough_segments() -> None:
    rng = np.random.default_rng(1)
    words = "a b c d e f".split()

    def outputs(n: int) -> dict[str, list[str]]:
        hard = rng.integers(0, 7, size=n)  # how many words are lost, the same for all systems
        return {name: [" ".join(words[: 6 - lost] + ["x"] * lost) for lost in hard] for name in OUTPUTS}

    few = small(outputs(299), ["chrf"])
    check_join(read_tables(few, noise(299, 2)))
    many = small(outputs(300), ["chrf"])
    with pytest.raises(
        tt.TertiumError, match=r"^test set tiny: scores by people do not seem to be about these outputs"
    ):
        tt.meta_evaluate(many, noise(300, 2))
    assert tt.meta_evaluate(many, noise(300, 2), trust_join=True).judged == 900
    chrf = read_tables(many, noise(300, 2)).metrics[0].segments
    fitting = {name: row + noise(300, 3)[name] for name, row in zip(OUTPUTS, chrf / 30, strict=True)}
    assert tt.meta_evaluate(many, fitting).judged == 900


def test_a_degenerate_calibration_warns() -> None:
    """People tie nearly all pairs, so the best metric says nothing."""
    rng = np.random.default_rng(3)
    texts = {name: [" ".join(rng.permutation(list("abcdef"))) for _ in range(40)] for name in OUTPUTS}
    people = {name: np.where(np.arange(40) == k, 60.0, 50.0) for k, name in enumerate(OUTPUTS)}
    found = tt.meta_evaluate(small(texts, ["bleu"]), people)
    assert found.find("bleu", "acc_eq_calibrated", "segment", "item").tied > 0.9
    assert any("acc_eq is best with" in warning and "rewards saying nothing" in warning for warning in found.warnings)


def test_pooling() -> None:
    first = tt.meta_evaluate(small(OUTPUTS, ["wer", "bleu"]), PEOPLE)
    second = tt.meta_evaluate(
        small(OUTPUTS, ["wer", "bleu"]), {"good": [1, 2, 3], "fair": [5, 6, 8], "poor": [9, 8, 9]}
    )
    found = {(s.metric, s.level, s.statistic, s.average): s for s in pool([first, second])}
    accuracy = found["wer", "system", "accuracy", "none"]
    assert (accuracy.agree, accuracy.n, accuracy.value) == (3, 6, 0.5)
    mean = found["wer", "segment", "tau_b", "item"]
    values = [item.find("wer", "tau_b", "segment", "item").value for item in (first, second)]
    assert mean.value == pytest.approx(sum(values) / 2)
    assert mean.groups == 2


def test_threshold_and_micro(example: tt.Evaluation) -> None:
    def value(result: MetaEvaluation, name: str) -> float:
        return result.find("chrf", name, "segment", "item").value

    plain, wide = tt.meta_evaluate(example, "human"), tt.meta_evaluate(example, "human", threshold=50)
    assert (
        plain.find("chrf", "kendall_like", "segment", "item").n > wide.find("chrf", "kendall_like", "segment", "item").n
    )
    with pytest.raises(tt.TertiumError, match="no kendall_like"):  # five points have no 25 apart
        tt.meta_evaluate(example, 'human(scale="adequacy")').find("chrf", "kendall_like", "segment", "item")
    micro = tt.meta_evaluate(example, "human", micro=True)
    assert value(micro, "acc_eq") == pytest.approx(value(plain, "acc_eq"))  # all segments have all systems
