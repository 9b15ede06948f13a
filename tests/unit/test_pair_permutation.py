"""PERM-PAIRS: what metrics say of pairs of outputs is swapped; every way to swap gone through by hand; thresholds for
ties that come from another test set."""

import json
import math
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import tertium as tt
from tertium.inference.pair_permutation import Tied, permuted_pairs, right_pairs
from tertium.io.thresholds import matched, read_thresholds
from tertium.meta.evaluate import best_thresholds
from tertium.meta.metric_comparison import Rules

NAN = math.nan
GOLD = [[1.0, 3, 2], [2.0, 3, NAN], [3.0, 1, 5]]  # systems x segments
FIRST = [[0.0, 2, 1], [2.0, 2.1, 1], [1.0, 4, 2]]
SECOND = [[5.0, 7, 1], [6.0, 6, 1], [8.0, 1, NAN]]


def said(one: float, other: float, eps: float) -> int:
    return 0 if abs(one - other) <= eps else (1 if one > other else -1)


def by_hand(gold: list, first: list, second: list, eps: tuple[float, float], sides: str) -> tuple[float, float]:
    """The difference of acc_eq, and the share of all ways to swap with at least as large a one."""
    pairs = []  # segment, right by the first, right by the second
    for k in range(len(gold[0])):
        for i, j in combinations(range(len(gold)), 2):
            cells = [table[m][k] for table in (gold, first, second) for m in (i, j)]
            if not any(math.isnan(cell) for cell in cells):
                people = said(cells[0], cells[1], 0)
                pairs.append(
                    (k, people == said(cells[2], cells[3], eps[0]), people == said(cells[4], cells[5], eps[1]))
                )
    segments = sorted({k for k, _, _ in pairs})

    def accuracy(values: list[bool]) -> float:
        means = [[v for (k, _, _), v in zip(pairs, values, strict=True) if k == s] for s in segments]
        return sum(sum(mean) / len(mean) for mean in means) / len(means)

    gains = []
    for swapped in product((False, True), repeat=len(pairs)):
        left = [b if swap else a for swap, (_, a, b) in zip(swapped, pairs, strict=True)]
        right = [a if swap else b for swap, (_, a, b) in zip(swapped, pairs, strict=True)]
        gains.append(accuracy(right) - accuracy(left))
    observed = gains[0]
    far = [abs(g) >= abs(observed) - 1e-12 if sides == "two" else g >= observed - 1e-12 for g in gains]
    return observed, sum(far) / len(far)


@pytest.mark.parametrize("eps", [(0.0, 0.0), (0.5, 0.0), (0.0, 1.5), (10.0, 10.0)])
@pytest.mark.parametrize("sides", ["two", "one"])
def test_all_ways_to_swap_pairs(eps: tuple[float, float], sides: str) -> None:
    observed, p = by_hand(GOLD, FIRST, SECOND, eps, sides)
    metrics = {"first": Tied(FIRST, eps[0]), "second": Tied(SECOND, eps[1])}
    [found] = permuted_pairs(GOLD, metrics, trials=1000).values()
    assert found.observed == pytest.approx(observed, abs=1e-12)
    assert found.p(sides) == pytest.approx(p, abs=1e-12)


def test_random_swaps_come_near_to_all() -> None:
    rng = np.random.default_rng(3)
    gold = rng.normal(size=(3, 4))
    first, second = gold + rng.normal(size=(3, 4)), rng.normal(size=(3, 4))
    _, p = by_hand(gold.tolist(), first.tolist(), second.tolist(), (0.0, 0.0), "two")
    metrics = {"first": Tied(first, 0.0), "second": Tied(second, 0.0)}
    units = int((right_pairs(gold, first, 0.0) != right_pairs(gold, second, 0.0)).sum())
    trials = 2**units - 1  # one fewer than it takes to go through all
    drawn = [permuted_pairs(gold, metrics, trials=trials, seed=k)["first", "second"].p("two") for k in range(200)]
    assert np.mean(drawn) == pytest.approx(p, abs=4 * np.std(drawn) / math.sqrt(200) + 1 / trials)


def test_metrics_share_their_swaps() -> None:
    """Gains add up: from the first to the third is from the first to the second and on."""
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 4, size=(5, 30)).astype(float)
    metrics = {name: Tied(gold + rng.normal(size=gold.shape), eps) for name, eps in (("a", 0.1), ("b", 0.4), ("c", 0))}
    found = permuted_pairs(gold, metrics, trials=50)
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    together = found["a", "b"].drawn + found["b", "c"].drawn
    assert together == pytest.approx(found["a", "c"].drawn, abs=1e-12)


def test_nothing_to_swap() -> None:
    same = permuted_pairs(GOLD, {"a": Tied(FIRST, 0.0), "b": Tied(FIRST, 0.0)})["a", "b"]
    assert (same.observed, same.p("two")) == (0.0, 1.0)
    apart = permuted_pairs([[1.0], [2.0]], {"a": Tied([[1.0], [NAN]], 0.0), "b": Tied([[NAN], [1.0]], 0.0)})
    assert math.isnan(apart["a", "b"].p("two"))


OUTPUTS = {
    "one": ["the small cat sat", "rain fell all day", "we leave at noon"],
    "two": ["the small cat", "rain all day", "we leave at five"],
    "three": ["a cat", "it was wet", "noon"],
}
REFERENCE = ["the small cat sat", "rain fell all day", "we leave at noon"]
PEOPLE = {"one": [90, 80, 95], "two": [70, 85, 60], "three": [20, 30, 60]}


def evaluation() -> tt.Evaluation:
    testset = tt.TestSet(name="small", segments=3, references=tt.References((tt.Lines.of(REFERENCE),), 3))
    systems = [tt.System(name=name, outputs=tt.Lines.of(lines)) for name, lines in OUTPUTS.items()]
    return tt.evaluate(testset, systems, ["chrf", "ter"])


def test_a_threshold_from_elsewhere_is_used_and_said() -> None:
    found = tt.meta_evaluate(evaluation(), PEOPLE, eps={"chrf": 200, "ter": 0}, rules=Rules(segment_test="pairs"))
    tied = found.find("chrf", "acc_eq_given", "segment", "item")
    # People tie one of the nine pairs (60 and 60 on the third segment); a metric that ties all is right there.
    assert (tied.value, tied.eps, tied.tied, tied.n) == (pytest.approx(1 / 9), 200, 1.0, 9)
    assert found.comparisons["segment"].values["chrf"] == pytest.approx(1 / 9)
    assert found.comparisons["segment"].eps_given
    assert any("equal metrics are told apart too often" in text for text in found.warnings)
    assert dict(found.eps) == {"chrf": 200, "ter": 0}
    own = tt.meta_evaluate(evaluation(), PEOPLE, rules=Rules(segment_test="pairs"))
    assert not own.comparisons["segment"].eps_given
    assert not own.eps
    again = tt.meta_evaluate(evaluation(), PEOPLE, eps=own)
    for metric in ("chrf", "ter"):
        best = own.find(metric, "acc_eq_calibrated", "segment", "item")
        assert again.find(metric, "acc_eq_given", "segment", "item").value == pytest.approx(best.value)
        assert best_thresholds(own)[metric] == best.eps == again.eps[metric]


def test_thresholds_that_do_not_fit() -> None:
    with pytest.raises(tt.TertiumError, match=r"^no eps for ter; thresholds for ties are given for chrf"):
        tt.meta_evaluate(evaluation(), PEOPLE, eps={"chrf": 1})
    with pytest.raises(tt.TertiumError, match=r"^eps of ter is -1"):
        tt.meta_evaluate(evaluation(), PEOPLE, eps={"chrf": 1, "ter": -1})


def test_thresholds_are_read(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    scores = [{"statistic": "acc_eq_calibrated", "metric": 'scores(of="comet", file="a/x")', "eps": 0.25},
              {"statistic": "acc_eq", "metric": "chrf", "eps": 0.0}]  # fmt: skip
    file.write_text(json.dumps({"testsets": [{"scores": scores}]}))
    found = read_thresholds(["chrf(words=2)=1.5", str(file)])
    assert found == {"chrf(words=2)": 1.5, 'scores(of="comet", file="a/x")': 0.25}
    here = 'scores(of="comet", file="b/y")'
    assert matched(found, ["bleu", here]) == {here: 0.25}  # another file, the same metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "no 'testsets'"),
        ('{"testsets": [{}, {}]}', "2 test sets, each with its own"),
        ('{"testsets": [{"scores": 3}]}', "no acc_eq_calibrated"),
        ('{"testsets": [{"scores": [{"statistic": "acc_eq_calibrated", "metric": "ter", "eps": "x"}]}]}', "eps of ter"),
        ('{"testsets": [{"scores": [{"statistic": "acc_eq_calibrated", "metric": "ter", "eps": NaN}]}]}', "eps of ter"),
    ],
)
def test_files_without_thresholds(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(tt.TertiumError, match=message):
        read_thresholds([str(file)])


@pytest.mark.parametrize("spec", ["chrf=-1", "chrf=x", "=3", "nothing.json", "chrf=nan"])
def test_words_that_are_no_thresholds(spec: str) -> None:
    with pytest.raises(tt.TertiumError, match=r"^--eps "):
        read_thresholds([spec])


def test_a_threshold_is_given_once() -> None:
    with pytest.raises(tt.TertiumError, match="already a threshold for chrf"):
        read_thresholds(["chrf=1", "chrf=2"])
