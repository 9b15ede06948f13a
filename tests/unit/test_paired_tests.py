"""Paired comparisons: p-values against exact enumeration, corrections and clusters by hand, runs, missing outputs."""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.inference import paired
from tertium.inference.clusters import clusters
from tertium.inference.compare import cohens_d, compare, detectable_difference
from tertium.inference.corrections import CORRECTIONS, benjamini_hochberg, holm
from tertium.inference.paired import p_value, permuted_differences, swap_weights
from tertium.inference.products import product
from tertium.inference.standings import ranked_clusters, shared_scores

REFERENCES = [
    "the cat sat on the mat",
    "it rained all night",
    "nobody came to the party",
    "we sold the old boat",
    "she sings in the choir",
    "the bridge is closed today",
    "he forgot his red umbrella",
    "they planted two apple trees",
]
GOOD = [text.replace("the old", "an old").replace("all night", "the whole night") for text in REFERENCES]
BAD = [" ".join(text.split()[::-1][:3]) for text in REFERENCES]


def evaluation(metrics: Any = ("bleu",), **outputs: Sequence[str | None]) -> tt.Evaluation:
    systems = [
        tt.System(name=name, outputs=tt.Lines.of(texts), run=name.partition("@")[2] or None)
        for name, texts in outputs.items()
    ]
    references = tt.References((tt.Lines.of(REFERENCES),), len(REFERENCES))
    return tt.evaluate(tt.TestSet(segments=len(REFERENCES), references=references), systems, metrics)


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "wer", "macrof", "nist", "meteor", "hlepor"])
def test_permutations_are_those_of_swapping_by_hand(metric: str) -> None:
    given = evaluation([metric], a=GOOD, b=BAD)
    chosen = given.metric(metric)
    stats = dict(zip("ab", tt.Stats.aligned([given.stats("a", metric), given.stats("b", metric)]), strict=True))
    got = permuted_differences(stats, chosen, [("a", "b")], 40, 3)["a", "b"]
    for mask, difference in zip(np.concatenate(list(swap_weights(8, 40, 3))), got, strict=True):
        a = [x if keep else y for keep, x, y in zip(mask, GOOD, BAD, strict=True)]
        b = [y if keep else x for keep, x, y in zip(mask, GOOD, BAD, strict=True)]
        swapped = evaluation([metric], a=a, b=b)
        scores = {score.system: score.value for score in swapped.scores()}
        assert difference == pytest.approx(scores["b"] - scores["a"], abs=1e-9)


def test_p_value_against_all_swaps() -> None:
    """With 8 segments there are 256 ways to swap; many random ones come close to their share."""
    given = evaluation(a=GOOD, b=BAD)
    [found] = compare(given, trials=20_000)
    stats, metric = [given.stats(name, "bleu").segments() for name in "ab"], given.metrics[0]
    extreme = []
    for mask in itertools.product([False, True], repeat=8):
        chosen = np.array(mask)[:, None]
        a, b = np.where(chosen, *stats).sum(axis=0), np.where(chosen, *reversed(stats)).sum(axis=0)
        extreme.append(abs(metric.score(a) - metric.score(b)) >= abs(found.difference) - 1e-9)
    assert found.p == pytest.approx(np.mean(extreme), abs=4 * math.sqrt(np.mean(extreme) / 20_000) + 1e-4)


def test_blocks_give_the_same_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(swap_weights(33, 500, 1)))
    monkeypatch.setattr("tertium.inference.paired.BLOCK", 33 * 64)
    assert len(list(swap_weights(33, 500, 1))) > 1
    assert np.array_equal(np.concatenate(list(swap_weights(33, 500, 1))), whole)


def test_equal_systems_do_not_differ() -> None:
    [found] = compare(evaluation(a=GOOD, b=GOOD), trials=100)
    assert (found.p, found.difference, found.effect, found.verdict) == (1.0, 0.0, 0.0, "undecided")
    assert (found.wins, found.losses, found.ties) == (0, 0, 8)


def test_strict_p_value_is_sacrebleus() -> None:
    assert p_value(np.zeros(99), 0.0, "permutation") == 1.0
    assert p_value(np.zeros(99), 0.0, "permutation", strict=True) == 0.01


def test_direction() -> None:
    given = evaluation(["bleu", "ter"], a=BAD, b=GOOD)
    [bleu], [ter] = compare(given, "bleu"), compare(given, "ter")
    assert bleu.difference > 0 > ter.difference  # fewer edits
    for found in (bleu, ter):
        assert found.verdict == "better"
        assert found.wins > found.losses
        assert found.effect > 0
    assert compare(given, "ter", baseline="b")[0].verdict == "worse"


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_segment_tests_are_scipys(test: Any) -> None:
    given = evaluation(["chrf"], a=BAD, b=GOOD)
    [found] = compare(given, test=test)
    values = {name: [s.value for s in given.scores("segment") if s.system == name] for name in "ab"}
    gains = np.subtract(values["b"], values["a"])
    expected = (
        scipy_stats.binomtest(int((gains > 0).sum()), int((gains != 0).sum())).pvalue
        if test == "sign"
        else scipy_stats.wilcoxon(gains).pvalue
    )
    assert found.p == pytest.approx(expected)
    assert compare(evaluation(["chrf"], a=BAD, b=BAD), test=test)[0].p == 1.0


def test_cohens_d_by_hand() -> None:
    assert cohens_d(np.array([1.0, 2.0, 3.0])) == 2.0  # mean 2, standard deviation 1
    assert cohens_d(np.array([1.0])) == 0.0


def test_detectable_difference_by_hand() -> None:
    assert detectable_difference(1.0, 1.95996) == pytest.approx(1.95996 + 0.84162, abs=1e-4)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_is_scipys() -> None:
    p = [0.01, 0.04, 0.03, 0.005, 0.8, 0.2]
    assert benjamini_hochberg(p) == pytest.approx(scipy_stats.false_discovery_control(p))
    assert CORRECTIONS["none"](p) == p


def test_clusters_by_hand() -> None:
    won = {("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "d")}
    assert clusters("abcd", lambda x, y: (x, y) in won) == [["a", "b"], ["c"], ["d"]]
    assert clusters("abcd", lambda x, y: (x, y) in won - {("b", "c")}) == [["a", "b", "c"], ["d"]]
    assert clusters("a", lambda *_: False) == [["a"]]


def test_clusters_of_systems() -> None:
    given = evaluation(bad=BAD, good=GOOD, perfect=REFERENCES)
    found = compare(given, correction="none", trials=500)
    assert [(c.baseline, c.system) for c in found] == [("bad", "good"), ("bad", "perfect"), ("good", "perfect")]
    assert ranked_clusters(found, "higher", shared_scores(given, given.metrics[0]).values) == [
        ["perfect", "good"],
        ["bad"],
    ]


def test_segments_scored_for_both() -> None:
    given = evaluation(a=[None, *GOOD[1:]], b=[*BAD[:7], None], c=GOOD)
    found = {(c.baseline, c.system): c for c in compare(given, trials=50)}
    assert {pair: c.n for pair, c in found.items()} == {("a", "b"): 6, ("a", "c"): 7, ("b", "c"): 7}
    small = evaluation(a=[None, *GOOD[1:]], c=[None, *GOOD[1:]])
    assert found["a", "c"].system_score == small.scores()[1].value


def test_no_common_segment() -> None:
    given = evaluation(a=[GOOD[0]] + [None] * 7, b=[None, *BAD[1:]])
    with pytest.raises(InputError, match="a and b have no scored segment in common under bleu"):
        compare(given)


def test_intervals_are_for_metrics_that_allow_them() -> None:
    given = evaluation(["bleu", "macrof"], a=BAD, b=GOOD)
    bleu, macrof = compare(given, "bleu", trials=50)[0], compare(given, "macrof", trials=50)[0]
    assert bleu.interval is not None
    assert bleu.interval.low <= bleu.difference <= bleu.interval.high
    assert macrof.interval is None
    assert macrof.detectable > 0


def test_a_single_run_is_a_system() -> None:
    named = compare(evaluation(["chrf"], **{"old@0": GOOD, "new": BAD}), trials=200)
    plain = compare(evaluation(["chrf"], old=GOOD, new=BAD), trials=200)
    assert named == plain
    ranks = compare(evaluation(["chrf"], **{"old@0": GOOD, "new": BAD}), test="sign")
    assert ranks == compare(evaluation(["chrf"], old=GOOD, new=BAD), test="sign")


def test_runs_are_drawn_again() -> None:
    given = evaluation(["chrf"], **{"old@1": GOOD, "old@2": GOOD, "new@1": BAD, "new@2": REFERENCES})
    with pytest.raises(OptionError, match="systems with several runs are compared by the bootstrap"):
        compare(given)
    [found] = compare(given, test="bootstrap", baseline="old")
    scores = {score.system: score.value for score in given.scores()}
    assert found.system_score == pytest.approx((scores["new@1"] + scores["new@2"]) / 2)
    assert found.interval is not None
    assert found.interval.low < 0 < found.interval.high  # with luck both runs are the good one, or the bad one
    for run in (BAD, REFERENCES):
        [alone] = compare(evaluation(["chrf"], old=GOOD, new=run), test="bootstrap", baseline="old")
        [twice] = compare(
            evaluation(["chrf"], **{"old@1": GOOD, "new@1": run, "new@2": run}), test="bootstrap", baseline="old"
        )
        assert twice.interval == alone.interval  # equal runs add nothing
        assert alone.interval is not None
        assert found.interval.high - found.interval.low > alone.interval.high - alone.interval.low


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"baseline": "c"}, "no system is called c; there are: a, b"),
        ({"test": "t"}, 'compare: test="t" is unknown; choose from permutation, bootstrap, sign, wilcoxon'),
        ({"correction": "x"}, 'compare: correction="x" is unknown; choose from max-t, holm, bh, none'),
        ({"alpha": 2}, "alpha 2: must lie between 0 and 1, such as 0.05"),
        ({"confidence": 0}, "confidence 0: must lie between 0 and 1, such as 0.95"),
        ({"trials": 0}, "0 trials: at least one is needed"),
        ({"seed": -1}, "seed -1: must not be negative"),
        ({"metric": "ter"}, "the evaluation has no metric ter; there are: bleu"),
    ],
)
def test_mistakes(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(tt.TertiumError) as caught:
        compare(evaluation(a=GOOD, b=BAD), **options)
    assert str(caught.value) == sentence


def test_one_system_cannot_be_compared() -> None:
    with pytest.raises(InputError, match=r"one system, a, cannot be compared; name another \(--hyp FILE\)"):
        compare(evaluation(a=GOOD))
    with pytest.raises(OptionError, match="the evaluation has 2 metrics; say which one: bleu, ter"):
        compare(evaluation(["bleu", "ter"], a=GOOD, b=BAD))


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "macrof"])
@pytest.mark.parametrize("names", ["abcd", "ad"])  # the outputs of a and d are the same
@pytest.mark.parametrize("gap", [0, 3, paired.GAP])
def test_swaps_of_differences_are_swaps_of_rows(
    metric: str, names: str, gap: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole numbers are added up from differences of rows, in the columns that change: bit by bit what all rows give,
    whichever gaps between these columns are passed over."""
    monkeypatch.setattr(paired, "GAP", gap)
    given = evaluation([metric], a=GOOD, b=BAD, c=REFERENCES, d=GOOD)
    chosen = given.metric(metric)
    stats = dict(zip(names, tt.Stats.aligned([given.stats(name, metric) for name in names]), strict=True))
    pairs = list(itertools.permutations(names, 2))
    got = permuted_differences(stats, chosen, pairs, 50, 3)
    for baseline, system in pairs:
        expected = []
        for mask in np.concatenate(list(swap_weights(8, 50, 3))):
            one, other = (
                stats[first].weigh(~mask) + stats[second].weigh(mask)
                for first, second in ((baseline, system), (system, baseline))
            )
            expected.append(chosen.score(one) - chosen.score(other))
        assert got[baseline, system].tolist() == expected


@pytest.mark.parametrize(
    ("count", "n", "width"), [(1, 1, 1), (3, 5000, 1), (64, 20011, 9), (700, 1300, 3), (2, 900, 0)]
)
def test_products_in_pieces_are_products(count: int, n: int, width: int) -> None:
    rng = np.random.default_rng(1)
    weights, rows = rng.integers(0, 2, (count, n)), rng.integers(-40, 40, (n, width))
    found = product(weights.astype(np.float32), rows.astype(np.float32))
    assert np.array_equal(found, weights @ rows)
