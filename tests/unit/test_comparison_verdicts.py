"""What comparisons may say: trials that can show it, documents, segments that all systems have, several runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, OptionError
from tertium.core.stats import Stats
from tertium.inference import compare as module
from tertium.inference.compare import compare, with_other_unit
from tertium.inference.resolution import enough_trials, smallest_p, smallest_swap_p, unresolvable
from tertium.inference.runs import resampled_runs
from tertium.inference.scores import interval_warnings, scores
from tertium.inference.standings import keeping_up, notes, ranked, ranked_clusters, shared_scores, unit_notes

WORDS = "one two three four five six seven eight nine ten".split()


def made(
    systems: int,
    segments: int = 40,
    *,
    documents: Sequence[str] | None = None,
    metrics: Any = ("bleu",),
    gaps: dict[str, set[int]] | None = None,
) -> tt.Evaluation:
    """Systems s0, s1, ...: each gets a few more words wrong than the one before."""
    rng = np.random.default_rng(0)
    references = [list(rng.choice(WORDS, 9)) for _ in range(segments)]
    outputs = {}
    for k in range(systems):
        wrong = rng.random((segments, 9)) < 0.02 + 0.04 * k
        outputs[f"s{k}"] = [
            " ".join("x" if bad else word for bad, word in zip(row, words, strict=True))
            for row, words in zip(wrong, references, strict=True)
        ]
    for name, missing in (gaps or {}).items():
        outputs[name] = [None if i in missing else text for i, text in enumerate(outputs[name])]  # type: ignore[misc]
    testset = tt.TestSet(
        segments=segments,
        references=tt.References((tt.Lines.of([" ".join(words) for words in references]),), segments),
        documents=None if documents is None else tuple(documents),
    )
    return tt.evaluate(testset, [tt.System(name=n, outputs=tt.Lines.of(o)) for n, o in outputs.items()], metrics)


# Trials


def test_the_rule_by_hand() -> None:
    assert enough_trials(0.05) == 199  # 1/200 is a tenth of 0.05
    assert enough_trials(0.05, tests=120) == 23_999
    assert smallest_p(enough_trials(0.05, 120), 120) <= 0.005
    assert smallest_p(enough_trials(0.05, 120) - 1, 120) > 0.005
    assert smallest_p(1, 10) == 1.0
    assert unresolvable(1000, 0.05, 120) == "not resolvable with 1000 trials; needs 23999"
    assert unresolvable(23_999, 0.05, 120) is None
    assert smallest_swap_p(3) == 2 / 8
    assert smallest_swap_p(3, 10) == 1.0


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_sixteen_systems_are_told_apart_by_default_trials(test: Any) -> None:
    """120 pairs and 1,000 trials: after Holm no p is below 120/1001, and all would be in one cluster."""
    given = made(16, 60)
    found = compare(given, test=test)
    values = shared_scores(given, given.metrics[0]).values
    assert found[0].correction == "max-t"
    assert min(item.adjusted for item in found) <= 0.005
    assert len(ranked_clusters(found, "higher", values)) > 1
    held = compare(given, test=test, correction="holm", trials=1000)
    assert {item.unresolvable for item in held} == {"not resolvable with 1000 trials; needs 23999"}
    assert ranked_clusters(held, "higher", values) == []
    assert {item.verdict for item in held} == {"undecided"}
    assert all(math.isnan(item.detectable) for item in held)
    assert notes(given, held)[0] == "not resolvable with 1000 trials; needs 23999"


def test_default_trials_are_enough_for_holm_where_they_take_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    given = made(6)
    assert compare(given, correction="holm")[0].trials == 10_000
    assert compare(given, correction="holm", test="bootstrap")[0].trials == enough_trials(0.05, 15)
    assert compare(given, correction="none", test="bootstrap")[0].trials == 1000
    monkeypatch.setattr(module, "BUDGET", 1)
    assert compare(given)[0].trials == 199  # enough for max-t
    [first, *_] = compare(given, correction="holm")
    assert (first.trials, first.unresolvable) == (199, "not resolvable with 199 trials; needs 2999")


def test_large_vocabularies_get_fewer_trials() -> None:
    given = made(3, metrics=("bleu", "macrof"))
    stats = given.stats("s0", "macrof")
    numbers = 3 * stats.width + sum(given.stats(f"s{k}", "macrof").stored for k in range(3)) // module.CHEAPER
    assert module.BUDGET // numbers > 10_000
    assert compare(given, "macrof")[0].trials == 10_000


def test_max_t_needs_shared_trials() -> None:
    gaps = made(3, gaps={"s1": {0}})
    assert compare(gaps, trials=300)[0].correction == "holm"
    assert compare(made(3), test="sign")[0].correction == "holm"
    with pytest.raises(OptionError, match="correction max-t needs trials that all pairs share, but some segments are "):
        compare(gaps, correction="max-t")
    with pytest.raises(OptionError, match="but sign draws nothing; take holm"):
        compare(made(3), test="sign", correction="max-t")
    together = made(3, gaps={"s0": {0}, "s1": {0}, "s2": {0}})
    assert compare(together, trials=300)[0].correction == "max-t"


def test_one_pair_needs_no_correction() -> None:
    [item] = compare(made(2))
    assert item.adjusted == item.p


def test_a_difference_is_detectable_only_beyond_what_all_pairs_show() -> None:
    """With more pairs it takes a larger difference to be significant."""
    [alone] = (compare(made(9), baseline="s0")[:1],)
    several = {(c.baseline, c.system): c for c in compare(made(9))}
    [plain] = [c for c in compare(made(9), correction="none", baseline="s0") if c.system == "s1"]
    assert plain.detectable < alone[0].detectable < several["s0", "s1"].detectable


def test_three_segments_cannot_show_anything() -> None:
    [item] = compare(made(2, 3))
    assert item.unresolvable == "not resolvable with 3 segments: no p can be below 0.25"
    assert math.isnan(item.detectable)
    assert item.verdict == "undecided"
    assert compare(made(2, 3), test="bootstrap")[0].unresolvable is None


# Documents


@pytest.mark.parametrize("metric", ["bleu", "chrf", "macrof", "nist", "meteor"])
@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_one_segment_per_document_is_the_same(metric: str, test: Any) -> None:
    given = made(3, 30, documents=[f"d{i}" for i in range(30)], metrics=[metric])
    by_segment = compare(given, test=test, trials=300)
    by_document = compare(given, test=test, trials=300, unit="document")
    for a, b in zip(by_segment, by_document, strict=True):
        assert (a.p, a.adjusted, a.interval, a.units) == (b.p, b.adjusted, b.interval, b.units)
    assert with_other_unit(given, by_segment) == by_segment  # there is no other unit


def test_documents_are_swapped_whole() -> None:
    """Two documents: four ways to swap, of which two show the full difference."""
    given = made(2, 40, documents=["a"] * 20 + ["b"] * 20)
    [item] = compare(given, unit="document")
    assert (item.n, item.units, item.unit) == (40, 2, "document")
    assert item.p == pytest.approx(0.5, abs=0.03)
    assert item.unresolvable == "not resolvable with 2 documents: no p can be below 0.5"


def test_documents_are_drawn_whole() -> None:
    documents = [f"d{i // 10}" for i in range(40)]
    given = made(1, 40, documents=documents)
    joined = Stats(given.stats("s0", "bleu").columns, given.stats("s0", "bleu").rows.reshape(4, 10, -1).sum(axis=1))
    [score] = scores(given, confidence=0.95, unit="document")
    rng = np.random.default_rng(12345)
    drawn = np.sort([given.metrics[0].score(joined.rows[rng.integers(0, 4, 4)].sum(axis=0)) for _ in range(1000)])
    assert score.interval is not None
    assert (score.interval.low, score.interval.high) == pytest.approx((drawn[25], drawn[974]))
    assert score.signature.endswith("|bs:1000|seed:12345|ci:0.95|unit:document")


def test_verdicts_that_change_by_documents_are_named() -> None:
    given = made(2, 40, documents=["a"] * 10 + ["b"] * 10 + ["c"] * 20)
    [item] = with_other_unit(given, compare(given))
    assert (item.verdict, item.other_verdict) == ("worse", "undecided")  # three documents cannot show it
    assert unit_notes([item]) == [
        "tested by segments, though segments of one document are not independent of each other. By documents "
        "1 of 1 verdict changes: s1 against s0 (worse, by documents undecided)"
    ]
    same = made(2, 200, documents=[f"d{i // 2}" for i in range(200)])
    assert unit_notes(with_other_unit(same, compare(same))) == ["tested by segments; by documents no verdict changes"]
    assert unit_notes(compare(same)) == []


def test_documents_that_are_not_known() -> None:
    with pytest.raises(InputError, match="test set testset has no documents; name them"):
        compare(made(2), unit="document")
    with pytest.raises(OptionError, match='compare: unit="word" is unknown; choose from segment, document'):
        compare(made(2), unit="word")  # type: ignore[arg-type]


@pytest.mark.parametrize("test", ["sign", "wilcoxon"])
def test_documents_have_scores_of_their_own(test: Any) -> None:
    from scipy import stats as scipy_stats

    documents = [f"d{i // 4}" for i in range(40)]
    given = made(2, 40, documents=documents)
    values = {name: [s.value for s in given.scores("document") if s.system == name] for name in ("s0", "s1")}
    gains = np.subtract(values["s1"], values["s0"])
    [item] = compare(given, test=test, unit="document")
    moved = gains[gains != 0]
    expected = (
        scipy_stats.binomtest(int((moved > 0).sum()), len(moved)).pvalue
        if test == "sign"
        else scipy_stats.wilcoxon(moved).pvalue
    )
    assert item.p == pytest.approx(expected)


# Segments that some systems do not have


def test_scores_beside_each_other_are_of_common_segments() -> None:
    given = made(3, 40, gaps={"s0": set(range(10)), "s2": set(range(5, 20))})
    shared = shared_scores(given, given.metrics[0])
    assert shared.n == 20
    small = made(3, 40, gaps={name: set(range(20)) for name in ("s0", "s1", "s2")})
    assert shared.values == {score.system: score.value for score in small.scores()}
    found = {(c.baseline, c.system): c.n for c in compare(given, trials=200)}
    assert found == {("s0", "s1"): 30, ("s0", "s2"): 20, ("s1", "s2"): 25}


def test_no_segment_in_common() -> None:
    given = made(2, 4, gaps={"s0": {0, 1}, "s1": {2, 3}})
    shared = shared_scores(given, given.metrics[0])
    assert shared.n == 0
    assert all(math.isnan(value) for value in shared.values.values())
    assert ranked({"a": math.nan, "b": 1.0, "c": 2.0}, "higher") == ["c", "b", "a"]


# The best


def test_a_cluster_hides_who_is_worse_than_the_best() -> None:
    """a beats c, but b beats nobody: all three share a cluster, and c does not keep up."""
    given = made(3)
    items = compare(given, trials=200)
    verdicts = {("s0", "s1"): "undecided", ("s0", "s2"): "worse", ("s1", "s2"): "undecided"}
    items = [module.replace(c, verdict=verdicts[c.baseline, c.system], unresolvable=None) for c in items]
    assert ranked_clusters(items, "higher", {"s0": 3.0, "s1": 2.0, "s2": 1.0}) == [["s0", "s1", "s2"]]
    assert keeping_up(items, "s0") == ["s1"]


# Runs


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_means_of_drawn_runs_vary_as_means_of_runs_do(runs: int) -> None:
    """The variance of a mean of k runs is that of a run divided by k, estimated with k - 1 (McCarthy and Snowden)."""
    runs_scores = {f"a@{k}": np.full(200_000, float(k**2)) for k in range(runs)}
    drawn = resampled_runs(runs_scores, {"a": list(runs_scores)}, 1)["a"]
    values = np.arange(runs) ** 2.0
    assert drawn.var() == pytest.approx(values.var(ddof=1) / runs, rel=0.02)


def test_few_runs_are_said_to_be_few() -> None:
    rows = made(4)
    texts = {system.name: list(system.outputs) for system in rows.systems}
    systems = [
        tt.System(name=f"{name}@{run}", run=str(run), outputs=tt.Lines.of(texts[own]))
        for name, run, own in (("a", 1, "s0"), ("a", 2, "s1"), ("b", 1, "s2"), ("b", 2, "s3"))
    ]
    given = tt.evaluate(rows.testset, systems, ["bleu"])
    said = notes(given, compare(given, test="bootstrap"))
    assert said == [
        "with fewer than 5 runs of a system, how much runs vary is hardly known, and differences are found more often "
        "than alpha says"
    ]
    assert "sacreBLEU's bootstrap p" in notes(rows, compare(rows, test="bootstrap"))[0]


# Intervals


def test_nist_says_what_its_interval_is_about() -> None:
    """On WMT22 de-en the intervals of random halves held the score of the other half as often as BLEU's do (85 %), and
    that of the whole set never, in 150 halves."""
    said = interval_warnings(made(1, metrics=("nist", "bleu")))
    assert len(said) == 1
    assert said[0].startswith("nist grows with the size of the test set: its interval is about test sets of this size;")
