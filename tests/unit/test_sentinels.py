"""Sentinels: predicted from other folds alone, as a plain program does it; who is not closer to people is named."""

import math

import numpy as np
import pytest

import tertium as tt
from tertium.meta.arrays import read_tables
from tertium.meta.sentinels import (
    LENGTH,
    REFERENCE,
    RIDGES,
    SOURCE,
    cross_fitted,
    folds,
    lengths,
    sentinels,
    text_features,
)

WORDS = "river stone lamp paper garden winter silver morning ladder button".split()


def plain_ridge(x: np.ndarray, y: np.ndarray, w: np.ndarray, ridge: float) -> np.ndarray:
    """Weighted ridge regression with a constant that is not held small, as one linear system."""
    rows = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    small = ridge * w.sum() * np.eye(rows.shape[1])
    small[0, 0] = 0
    return np.linalg.solve((rows.T * w) @ rows + small, (rows.T * w) @ y)


def by_hand(x: np.ndarray, y: np.ndarray, w: np.ndarray, fold: np.ndarray) -> np.ndarray:
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    told = np.empty(len(x))

    def predicted(train: np.ndarray, test: np.ndarray, ridge: float) -> np.ndarray:
        b = plain_ridge(x[train], y[train], w[train], ridge)
        return b[0] + x[test] @ b[1:]

    for k in set(fold.tolist()):
        errors = [
            sum(float(w[fold == j] @ (predicted((fold != k) & (fold != j), fold == j, r) - y[fold == j]) ** 2)
                for j in set(fold.tolist()) - {k})
            for r in RIDGES
        ]  # fmt: skip
        told[fold == k] = predicted(fold != k, fold == k, RIDGES[int(np.argmin(errors))])
    return told


@pytest.mark.parametrize("noise", [0.1, 1.0, 10.0])
def test_cross_fitting_by_hand(noise: float) -> None:
    rng = np.random.default_rng(3)
    x, w, fold = rng.normal(size=(80, 5)) * [1, 5, 0.1, 2, 1] + 3, rng.integers(0, 4, 80), rng.integers(0, 4, 80)
    y = x[:, 0] - x[:, 2] + noise * rng.normal(size=80)
    found = cross_fitted(x, np.where(w > 0, y, 0), w.astype(float), fold)
    assert found == pytest.approx(by_hand(x, y, w.astype(float), fold), abs=1e-8)


def test_nobody_is_judged_by_what_was_fitted_to_it() -> None:
    """Other scores of people in a fold change no prediction there."""
    rng = np.random.default_rng(5)
    x, y, fold = rng.normal(size=(60, 4)), rng.normal(size=60), np.arange(60) % 5
    before = cross_fitted(x, y, np.ones(60), fold)
    for k in range(5):
        after = cross_fitted(x, np.where(fold == k, rng.normal(size=60) * 100, y), np.ones(60), fold)
        assert after[fold == k] == pytest.approx(before[fold == k], abs=1e-9)
        assert not np.allclose(after[fold != k], before[fold != k])


def evaluation(n: int = 120, documents: int | None = 24, metrics: str = "chrf") -> tt.Evaluation:
    rng = np.random.default_rng(1)

    def line() -> str:
        return " ".join(rng.choice(WORDS, size=rng.integers(1, 20)))

    references = [line() for _ in range(n)]
    testset = tt.TestSet(
        name="made", segments=n, sources=tt.Lines.of([line() for _ in range(n)]),
        references=tt.References((tt.Lines.of(references),), n),
        documents=None if documents is None else tuple(f"d{k * documents // n}" for k in range(n)),
    )  # fmt: skip
    systems = [tt.System(name=name, outputs=tt.Lines.of([line() for _ in range(n)])) for name in ("a", "b", "c")]
    return tt.evaluate(testset, systems, metrics)


def by_length(given: tt.Evaluation) -> dict[str, list[float]]:
    """People who like what is long, with moods of their own."""
    rng = np.random.default_rng(9)
    return {system.name: [math.log(len(text)) + 0.05 * rng.normal() for text in system.outputs]
            for system in given.systems}  # fmt: skip


def test_documents_stay_together() -> None:
    given = evaluation()
    fold, by = folds(given.testset, np.full(120, 3))
    assert by == "documents"
    assert sorted(np.bincount(fold).tolist()) == [20, 25, 25, 25, 25]  # 24 documents of 5 segments
    for document in set(given.testset.documents or ()):
        assert len({fold[k] for k, name in enumerate(given.testset.documents or ()) if name == document}) == 1
    fold, by = folds(evaluation(documents=None).testset, np.full(120, 3))
    assert (by, fold.tolist()) == ("blocks of segments", [k // 24 for k in range(120)])


def test_folds_are_of_what_was_judged() -> None:
    """Ten of 120 segments, all in one fifth of the set and in two documents, or in one."""
    judged = np.zeros(120, dtype=int)
    judged[30:40] = 3
    fold, by = folds(evaluation(documents=None).testset, judged)
    assert (by, fold[30:40].tolist()) == ("blocks of segments", [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    fold, by = folds(evaluation().testset, judged)
    assert by == "documents"
    assert len(set(fold[30:35])) == len(set(fold[35:40])) == 1
    assert fold[30] != fold[35]
    judged[35:] = 0
    fold, by = folds(evaluation().testset, judged)
    assert (by, fold[30:35].tolist()) == ("blocks of segments", [0, 1, 2, 3, 4])
    assert set(fold) == set(range(5))


def test_who_likes_length_is_found_out() -> None:
    given = evaluation()
    found = tt.meta_evaluate(given, by_length(given), sentinels=True, trust_join=True)
    assert found.sentinels == (LENGTH, SOURCE, REFERENCE)
    assert found.metrics == ("chrf",)
    assert found.sentinel_folds == "5 folds of documents"
    assert found.find(LENGTH, "pearson", "segment", "none").value > 0.95
    tests = {(test.sentinel, test.statistic): test for test in found.sentinel_tests}
    assert not tests[LENGTH, "pearson"].better
    assert tests[LENGTH, "pearson"].adjusted > 0.9
    said = [text for text in found.warnings if "the sentinel of the output length" in text]
    assert len(said) == 2
    assert said[1].startswith("made: chrf is not significantly closer to people than the sentinel of the output length")
    for name in (SOURCE, REFERENCE):  # they see nothing that differs from system to system
        assert math.isnan(found.find(name, "pearson").value)
        assert found.find(name, "accuracy").n == 0
        assert math.isnan(found.find(name, "spa").value)
        assert math.isnan(found.find(name, "tau_b", "segment", "item").value)
        assert found.find(name, "acc_eq_calibrated", "segment", "item").value == 0


def test_a_metric_that_says_what_people_say_is_closer() -> None:
    given = evaluation()
    people = dict(zip("abc", read_tables(given, by_length(given)).metrics[0].segments, strict=True))
    found = tt.meta_evaluate(given, people, sentinels=True, trust_join=True)
    assert all(test.better for test in found.sentinel_tests)
    assert not [text for text in found.warnings if "sentinel" in text]
    best = [test for test in found.sentinel_tests if test.statistic == "pearson"]
    assert [test.value for test in best] == pytest.approx([1, 1, 1])
    assert best[0].difference == pytest.approx(1 - best[0].reached)


def test_scores_without_meaning_are_not_predicted() -> None:
    """Of people who throw dice, nothing is learned: held-out correlations lie around 0."""
    given, values = evaluation(), []
    for seed in range(6):
        dice = {
            system.name: np.random.default_rng([seed, k]).normal(size=120) for k, system in enumerate(given.systems)
        }
        found = sentinels(given, read_tables(given, dice))
        gold = np.stack(list(dice.values())).ravel()
        values.append([np.corrcoef(gold, scores.segments.ravel())[0, 1] for scores in found.scores])
    assert (np.mean(values, axis=0) < 0.1).all()  # held out, a little below 0


def test_the_texts_decide_which_there_are() -> None:
    given = evaluation()
    bare = tt.TestSet(name="bare", segments=120, references=given.testset.references)
    found = tt.meta_evaluate(
        tt.evaluate(bare, given.systems, "chrf"), by_length(given), sentinels=True, trust_join=True
    )
    assert found.sentinels == (LENGTH, REFERENCE)
    assert found.sentinel_folds == "5 folds of blocks of segments"


def test_too_little_to_learn_from() -> None:
    given = evaluation(n=40, documents=8)
    with pytest.raises(tt.TertiumError, match=r"^test set made: people judged 40 segments; sentinels are fitted to"):
        tt.meta_evaluate(given, by_length(given), sentinels=True)


def test_missing_outputs_and_judgements() -> None:
    given = evaluation()
    lines = [None if k < 30 else text for k, text in enumerate(given.systems[0].outputs)]
    some = tt.evaluate(given.testset, [tt.System(name="a", outputs=tt.Lines.of(lines)), *given.systems[1:]], "chrf")
    people = {name: np.where(np.arange(120) % 3 == 0, np.nan, values) for name, values in by_length(given).items()}
    found = sentinels(some, read_tables(some, people)).scores[0]
    assert np.isnan(found.segments[0]).tolist() == [True] * 30 + [False] * 90
    assert not np.isnan(found.segments[1:]).any()


def test_features_of_any_text() -> None:
    texts = ["", "a", "\U0001f600" * 3, "x" * 100_000, "\x00\ud7ff", "two words"]
    found = text_features(texts)
    assert np.isfinite(found).all()
    assert found.shape[0] == 6
    assert lengths(["ab c"])[0, :2] == pytest.approx([math.log(5), math.log(3)])
    assert np.array_equal(text_features(["The Cat"])[0, 6:], text_features(["the cat"])[0, 6:])
