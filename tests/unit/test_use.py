"""Metrics as filters and as choosers: by hand, by a plain program, and what is refused."""

import math
from itertools import product

import numpy as np
import pytest

import tertium as tt
from tertium.inference.filtering import (
    FilterSums,
    best_threshold,
    drawn,
    held_out_thresholds,
    interval,
    picks,
    swapped_f,
    swapped_means,
)
from tertium.meta.sentinels import LENGTH, REFERENCE
from tertium.meta.use import ALL, ANY, BEST, beats, judge_use
from tertium.report.tables.use import use_rows
from tertium.report.verdicts.use import chooser_finding, filter_finding, use_verdict

NAN = math.nan


def test_precision_recall_and_f() -> None:
    found = FilterSums(np.array([3.0, 0]), np.array([4.0, 0]), np.array([6.0, 6]))
    assert found.precision()[0] == 0.75
    assert math.isnan(found.precision()[1])  # nothing kept
    assert found.recall().tolist() == [0.5, 0]
    assert found.f().tolist() == [pytest.approx(2 * 0.75 * 0.5 / (0.75 + 0.5)), 0]


def f_of(kept: np.ndarray, good: np.ndarray) -> float:
    right = (kept & good).sum()
    return 0.0 if right == 0 else 2 / (kept.sum() / right + good.sum() / right)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_threshold_by_trying_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, good = rng.integers(0, 8, size=30).astype(float), rng.random(30) < 0.4
    values = {limit: f_of(scores >= limit, good) for limit in sorted(set(scores.tolist()))}
    best = best_threshold(scores, good)
    assert values[best] == pytest.approx(max(values.values()))
    assert best == max(limit for limit, value in values.items() if math.isclose(value, max(values.values())))
    fold = np.arange(30) % 3
    held = held_out_thresholds(scores, good, fold)
    assert held.tolist() == [best_threshold(scores[fold != k], good[fold != k]) for k in range(3)]


def test_picks_by_hand() -> None:
    gold = np.array([[1.0, 5, 2, NAN], [3, 5, NAN, NAN], [2, 4, 1, 7]])
    scores = np.array([[0.1, 2, 1, 1], [0.9, 1, 9, 1], [0.9, 2, 3, NAN]])
    hits, people = picks(gold, scores)
    assert hits.tolist() == [0.5, 0.5, 0, 0]  # a tie of 3 and 2; of 5 and 4; the worse one; no candidate at all
    assert people.tolist() == [2.5, 4.5, 1, 0]


def test_swaps_gone_through_by_hand() -> None:
    rng = np.random.default_rng(0)
    right = rng.integers(0, 4, size=(5, 2)).astype(float)
    kept, good = right + rng.integers(0, 4, size=(5, 2)), right.max(axis=1) + rng.integers(0, 3, size=5)

    def gain(swapped: tuple[bool, ...]) -> float:
        sides = np.array([[1, 0] if swap else [0, 1] for swap in swapped])
        r, k = (np.take_along_axis(table, sides, axis=1).sum(axis=0) for table in (right, kept))
        return float(2 * r[1] / (k[1] + good.sum()) - 2 * r[0] / (k[0] + good.sum()))

    gains = [gain(swapped) for swapped in product((False, True), repeat=5)]
    p = np.mean([abs(value) >= abs(gains[0]) - 1e-12 for value in gains])
    [found] = swapped_f(right, kept, good, [(0, 1)], 100, 1)
    assert found.observed == pytest.approx(gains[0])
    assert found.p("two") == pytest.approx(p)
    means = [sum((b - a) * (-1 if s else 1) for (a, b), s in zip(right, swapped, strict=True)) / 7
             for swapped in product((False, True), repeat=5)]  # fmt: skip
    [found] = swapped_means(right, 7, [(0, 1)], 100, 1)
    assert found.p("two") == pytest.approx(np.mean([abs(value) >= abs(means[0]) - 1e-12 for value in means]))


WORDS = "river stone lamp paper garden winter silver morning ladder button".split()


def evaluation(n: int = 60, documents: int | None = 20) -> tuple[tt.Evaluation, dict[str, list[float]]]:
    """Outputs of which some words are lost, and people who count the words that are there."""
    rng = np.random.default_rng(4)
    references = [list(rng.choice(WORDS, size=8)) for _ in range(n)]
    testset = tt.TestSet(
        name="made", segments=n, references=tt.References((tt.Lines.of([" ".join(r) for r in references]),), n),
        documents=None if documents is None else tuple(f"d{k * documents // n}" for k in range(n)),
    )  # fmt: skip
    lost = rng.integers(0, 6, size=(3, n))
    outputs = [[" ".join(r[: 8 - x]) for r, x in zip(references, row, strict=True)] for row in lost]
    systems = [tt.System(name=name, outputs=tt.Lines.of(lines)) for name, lines in zip("abc", outputs, strict=True)]
    people = {name: (8.0 - row).tolist() for name, row in zip("abc", lost, strict=True)}
    return tt.evaluate(testset, systems, ["ter", "chrf"]), people


def test_a_metric_that_sees_what_people_see() -> None:
    given, people = evaluation()
    found = judge_use(given, people, good=6, trials=200)
    filters = {item.name: item for item in found.filters}
    share = np.mean([value >= 6 for values in people.values() for value in values])
    assert found.share == pytest.approx(share)
    assert (filters[ALL].kept, filters[ALL].recall) == (1, 1)
    assert filters[ALL].precision == pytest.approx(share)
    assert filters[ALL].f == pytest.approx(2 * share / (1 + share))
    assert (filters["ter"].precision, filters["ter"].recall, filters["ter"].f) == (1, 1, 1)
    assert set(filters["ter"].thresholds) == {25.0}  # two of eight words are missing; lower is better
    assert beats(found.filter_tests, "ter", ALL)
    choosers = {item.name: item for item in found.choosers}
    assert choosers["ter"].precision == 1
    assert choosers["ter"].people == pytest.approx(found.best)
    gold = np.array([people[name] for name in "abc"])
    apart = gold.max(axis=0) > gold.min(axis=0)
    assert found.segments == apart.sum()
    assert choosers[ANY].precision == pytest.approx(np.mean((gold == gold.max(axis=0))[:, apart].mean(axis=0)))
    assert choosers[ANY].people == pytest.approx(gold[:, apart].mean(axis=0).mean())
    assert 0 < choosers[BEST].precision < 1
    assert (found.unit, found.units, found.folds) == ("documents", 20, 5)
    names = {"ter": "TER ↓", "chrf": "chrF"}
    assert use_verdict(found, names).case == "group"
    assert filter_finding(found, names).startswith("Of filters TER and chrF lead")
    assert "take" in chooser_finding(found, names)


def test_intervals_draw_documents() -> None:
    """As a plain loop over draws of documents does, with other draws."""
    given, people = evaluation()
    found = judge_use(given, people, good=6, trials=2000)
    filters = {item.name: item for item in found.filters}
    gold = np.array([people[name] for name in "abc"])
    rng, drawn = np.random.default_rng(7), []
    for _ in range(2000):
        segments = np.concatenate([np.arange(3 * d, 3 * d + 3) for d in rng.integers(0, 20, size=20)])
        drawn.append((gold[:, segments] >= 6).mean())
    own = filters[ALL].precision_interval
    assert own is not None
    assert (own.low, own.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.02)


def test_few_are_judged() -> None:
    given, people = evaluation(documents=None)
    some = {name: [*values[:6], *[NAN] * 54] for name, values in people.items()}
    found = judge_use(given, some, good=6, trials=50)
    assert (found.outputs, found.folds) == (18, 5)
    single = {name: [values[0], *[NAN] * 59] for name, values in people.items()}
    with pytest.raises(tt.TertiumError, match=r"^test set made: people judged one segment; at least two are needed"):
        judge_use(given, single, good=min(max(values[0] for values in people.values()), 8), trials=50)


def test_of_one_unit_there_are_no_intervals() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 5.0]])
    assert not np.isnan(drawn(rows, 20, 1)).any()
    assert interval(drawn(rows[:1], 20, 1)[:, 0], 0.95) is None


def test_a_threshold_that_is_given() -> None:
    given, people = evaluation()
    found = judge_use(given, people, good=6, thresholds={"ter": 37.5}, trials=50)
    item = next(item for item in found.filters if item.name == "ter")
    counts = np.array([people[name] for name in "abc"]).ravel()  # three of eight words may be missing
    assert item.thresholds == (37.5,)
    assert item.kept == pytest.approx((counts >= 5).mean())
    assert item.precision == pytest.approx((counts >= 6).sum() / (counts >= 5).sum())


def test_lower_is_better_for_people_too() -> None:
    given, people = evaluation()
    scored = tt.evaluate(given.testset, given.systems, ["ter", "wer"])
    found = judge_use(scored, "wer", good=25, trials=50)  # as if WER were people
    assert found.lower
    assert found.share == pytest.approx(np.mean([value >= 6 for values in people.values() for value in values]))
    ter = next(item for item in found.choosers if item.name == "ter")
    assert ter.people == pytest.approx(found.best)
    assert ter.people >= 0
    assert ter.people_interval is not None
    assert ter.people_interval.low <= ter.people <= ter.people_interval.high


def test_sentinels_and_useless_metrics_are_told() -> None:
    given, _ = evaluation(n=80)
    rng = np.random.default_rng(2)
    dice = {name: rng.integers(0, 5, size=80).astype(float).tolist() for name in "abc"}
    found = judge_use(given, dice, good=3, sentinels=True, trials=200, trust_join=True)
    assert found.metrics == ("ter", "chrf", LENGTH, REFERENCE)
    assert any(
        "as a filter not significantly better than keeping everything, by F: ter, chrf" in w for w in found.warnings
    )
    assert any("always taking the best system: ter, chrf" in w for w in found.warnings)
    same = next(item for item in found.choosers if item.name == REFERENCE)
    chance = next(item for item in found.choosers if item.name == ANY)
    assert same.precision == pytest.approx(chance.precision)  # it says the same of all systems
    names = {"ter": "TER ↓", "chrf": "chrF"}
    assert "no metric is significantly better than keeping everything" in filter_finding(found, names)
    assert "no metric is significantly better than always taking the output of the best" in chooser_finding(
        found, names
    )
    assert use_verdict(found, names).case == "open"


def test_where_there_is_nothing_to_choose() -> None:
    given, people = evaluation(documents=None)
    two = judge_use(given, {"a": people["a"], "b": people["a"]}, good=6, trials=20)
    assert two.choosers == ()
    one = judge_use(given, {"a": people["a"]}, good=6, trials=20)  # a filter takes one system's outputs, too
    assert (one.outputs, one.choosers) == (60, ())
    assert one.share == pytest.approx(np.mean([value >= 6 for value in people["a"]]))
    assert two.unit == "segments"
    assert "Nothing is to be chosen" in chooser_finding(two, {"ter": "TER", "chrf": "chrF"})
    assert {row[0] for row in use_rows(two).rows} == {"filter"}


def test_what_is_refused() -> None:
    given, people = evaluation()
    for good, word in ((100, "no"), (-1, "every")):
        with pytest.raises(
            tt.TertiumError, match=f"^good {good}: {word} output of made is good by that; the quartiles"
        ):
            judge_use(given, people, good=good)
    with pytest.raises(tt.TertiumError, match=r"^a threshold for bleu, but the metrics are ter, chrf"):
        judge_use(given, people, good=6, thresholds={"bleu": 3})
    with pytest.raises(tt.TertiumError, match=r"^threshold of ter is nan"):
        judge_use(given, people, good=6, thresholds={"ter": NAN})
    with pytest.raises(tt.TertiumError, match=r"must lie between 0 and 1"):
        judge_use(given, people, good=6, confidence=1.5)
