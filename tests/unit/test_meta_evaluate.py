"""meta_evaluate: metrics beside people on evaluations small enough to check by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.engines.evaluate import add_metrics
from tertium.inference.correlation_tests import permuted_means, two_sided, williams
from tertium.inference.flips import soft_pairwise_accuracy
from tertium.meta.arrays import Scores, Tables, check_join, read_tables
from tertium.meta.evaluate import TITLES, MetaEvaluation, pool
from tertium.meta.metric_comparison import MetricComparison, Rules, compare_metrics

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
    return add_metrics(counted, "human", 'human(scale="adequacy")')


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
        tt.TertiumError,
        match=r"^people judged god, but no system is called so, and nobody judged good, fair, poor; nearest: god: good",
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
    assert flat.comparisons["system"].clusters == ()


def test_people_and_metrics_of_the_example(example: tt.Evaluation) -> None:
    found = tt.meta_evaluate(example, "human")
    assert found.metrics == ("bleu", "chrf", "ter", 'human(scale="adequacy")')
    assert {score.statistic for score in found.scores} == set(TITLES) - {
        "kendall_like",
        "acc_eq_given",
    }  # 25 points of raw scores, eps from elsewhere
    assert found.gold_scores == "z"
    for level in ("system", "segment"):
        comparison = found.comparisons[level]
        assert [name for cluster in comparison.clusters for name in cluster] == sorted(
            found.metrics, key=lambda name: -comparison.values[name]
        )
        assert len(comparison.pairs) == 6
        assert all(pair.difference >= 0 and pair.p <= pair.adjusted <= 1 for pair in comparison.pairs)
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
            assert found.comparisons["system"].values[metric] == pytest.approx(expected, abs=1e-12)
            name, by = {"acc_eq": ("acc_eq_calibrated", "item"), "tau_b": ("tau_b", "item"),
                        "pearson": ("pearson", "none")}[segment]  # fmt: skip
            expected = found.find(metric, name, "segment", by).value
            assert found.comparisons["segment"].values[metric] == pytest.approx(expected, abs=1e-12)
        for pair in (*found.comparisons["system"].pairs, *found.comparisons["segment"].pairs):
            assert math.isnan(pair.p) or 0 <= pair.p <= 1


def test_outputs_that_are_missing_take_no_part() -> None:
    outputs = {name: [*lines, None] for name, lines in OUTPUTS.items()}
    people = {name: [*scores, 50] for name, scores in PEOPLE.items()}
    found = tt.meta_evaluate(small(outputs, ["wer", "chrf"]), people, rules=Rules(system="spa", segment="tau_b"))
    whole = tt.meta_evaluate(small(OUTPUTS, ["wer", "chrf"]), PEOPLE, rules=Rules(system="spa", segment="tau_b"))
    for level in ("system", "segment"):
        assert found.comparisons[level].values == whole.comparisons[level].values
    assert found.find("wer", "spa").n == 2
    assert found.find("wer", "tau_b", "segment", "item") == whole.find("wer", "tau_b", "segment", "item")


def test_rules_that_do_not_fit() -> None:
    with pytest.raises(tt.TertiumError, match="acc_eq at segment level is not compared by test 'williams'"):
        Rules(segment_test="williams")
    with pytest.raises(tt.TertiumError, match="system statistic"):
        Rules(system="acc_eq")
    with pytest.raises(tt.TertiumError, match="correction"):
        Rules(correction="bonferroni")


# Which metrics are closer than which


def made_up(metrics: int, *, systems: int = 8, segments: int = 120, seed: int = 1) -> Tables:
    """Metrics in three qualities, from best to worst: what people mean, with small, large and very large errors."""
    rng = np.random.default_rng(seed)
    meant = rng.normal(size=(systems, segments)) + rng.normal(size=(systems, 1)) / 2

    def scores(name: str, error: float) -> Scores:
        values = meant + error * rng.normal(size=meant.shape)
        return Scores(name=name, corpus=values.mean(axis=1), segments=values)

    return Tables(
        testset="drawn", systems=tuple(f"s{k}" for k in range(systems)), gold=scores("people", 0.5),
        metrics=tuple(scores(f"m{k:02d}", (0.1, 1.0, 5.0)[3 * k // metrics]) for k in range(metrics)),
        grounded=(), unjudged=(), absent=(),
    )  # fmt: skip


def comparison(tables: Tables, level: str = "segment", trials: int | None = None, **rules: object) -> MetricComparison:
    return compare_metrics(tables, level, Rules(**rules), trials, 4, rules.pop("alpha", 0.05))  # type: ignore[arg-type]


def test_twelve_metrics_are_told_apart_with_the_trials_of_wmt() -> None:
    """66 pairs: after Holm, 1,000 trials could show no p below 66/1001."""
    tables = made_up(12)
    found = comparison(tables)
    assert (found.trials, found.correction, found.unresolvable) == (1000, "max-t", None)
    qualities = [{f"m{k:02d}" for k in range(first, first + 4)} for first in (0, 4, 8)]
    assert [set(cluster) for cluster in found.clusters] == qualities
    assert min(pair.adjusted for pair in found.pairs) == 1 / 1001
    many = comparison(tables, trials=20_000, correction="holm")
    assert found.clusters == many.clusters


def test_too_few_trials_are_said_and_no_clusters_drawn() -> None:
    tables = made_up(12)
    holm = comparison(tables, trials=1000, correction="holm")
    assert holm.unresolvable == "not resolvable with 1000 trials; needs 13199"
    assert holm.clusters == ()
    assert holm.ranked == sorted(holm.values, key=lambda name: -holm.values[name])
    assert comparison(tables, trials=18).unresolvable == "not resolvable with 18 trials; needs 199"
    assert comparison(tables, trials=19).unresolvable is None
    unasked = comparison(tables, correction="holm")
    assert (unasked.trials, unasked.unresolvable) == (13199, None)
    assert len(unasked.clusters) == 3


def test_few_segments_or_systems_cannot_be_told_apart_by_any_trials() -> None:
    few = made_up(3, systems=5, segments=5)
    assert comparison(few).unresolvable == (
        "not resolvable: 5 segments can be swapped in 32 ways, so no p is below 0.062"
    )
    assert comparison(few, sides="one").unresolvable is None  # 1/32
    assert comparison(few, "system", system_test="systems").unresolvable == (
        "not resolvable: 5 systems can be swapped in 32 ways, so no p is below 0.062"
    )
    assert comparison(few, "system").unresolvable is None  # Williams' test swaps nothing


def test_two_sides_unless_one_was_asked_for() -> None:
    tables = made_up(2, seed=3)
    gold, first, second = tables.gold, *tables.metrics
    [pair] = comparison(tables, "system").pairs
    one = williams(gold.corpus, *(s.corpus for s in (first, second) if s.name == pair.worse),
                   *(s.corpus for s in (first, second) if s.name == pair.better))  # fmt: skip
    assert pair.p == pytest.approx(2 * one, abs=1e-15) == two_sided(one)
    [asked] = comparison(tables, "system", sides="one").pairs
    assert asked.p == one
    for sides in ("one", "two"):
        found = comparison(tables, segment="tau_b", sides=sides)
        [pair] = found.pairs
        by_name = {s.name: average_by_segment(gold.segments, s.segments) for s in (first, second)}
        [gains] = permuted_means(by_name[pair.worse][None], by_name[pair.better][None])
        assert pair.p == gains.p(sides)
        assert pair.adjusted == pair.p  # one pair


def average_by_segment(gold: np.ndarray, metric: np.ndarray) -> np.ndarray:
    from tertium.inference.averages import GROUPED

    return GROUPED["tau_b"](gold, metric)


def test_soft_accuracy_is_the_same_however_many_trials_its_test_takes() -> None:
    tables = made_up(2, systems=3, segments=12)
    found = compare_metrics(tables, "system", Rules(system="spa"), None, 4, 0.005)
    assert found.trials == 1999
    for metric in tables.metrics:
        assert found.values[metric.name] == soft_pairwise_accuracy(tables.gold.segments, metric.segments).value


def test_williams_test_makes_no_trials_and_is_corrected_by_holm() -> None:
    tables = made_up(3)
    assert comparison(tables, "system").correction == "holm"
    assert comparison(tables, "system", system_test="systems").correction == "max-t"
    assert comparison(tables, "system", correction="none").correction == "none"


def test_pairs_people_separate_need_trials_too() -> None:
    evaluation = small(OUTPUTS, ["wer"])
    found = tt.meta_evaluate(evaluation, PEOPLE, trials=20)
    assert (
        "tiny: which pairs of systems people tell apart is not resolvable with 20 trials; needs 399" in found.warnings
    )
    assert not any("resolvable" in warning for warning in tt.meta_evaluate(evaluation, PEOPLE).warnings)


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

    raw = 'human(standardise="none")'
    points = add_metrics(example, raw)
    plain, wide = tt.meta_evaluate(points, raw), tt.meta_evaluate(points, raw, threshold=50)
    assert plain.gold_scores == "raw"
    assert (
        plain.find("chrf", "kendall_like", "segment", "item").n > wide.find("chrf", "kendall_like", "segment", "item").n
    )
    with pytest.raises(tt.TertiumError, match="no kendall_like"):  # five points have no 25 apart
        tt.meta_evaluate(example, 'human(scale="adequacy")').find("chrf", "kendall_like", "segment", "item")
    micro = tt.meta_evaluate(points, raw, micro=True)
    assert value(micro, "acc_eq") == pytest.approx(value(plain, "acc_eq"))  # all segments have all systems
