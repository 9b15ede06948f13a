"""Types of two systems side by side, against the textbook; buckets, the curve, and the permutation test."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.texts import make_testset
from reference.contrast import bucket_f, bucket_of, permutation_p
from reference.macrof import Segment, counts, f_scores

import tertium as tt
from tertium.analysis.contrast import BOUNDS, TypeContrast
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.inference.paired import swap_weights
from tertium.metrics import parse

REFERENCES = ["the old harbour is closed", "the ferry is late"]
A = ["the harbour is shut", "the ferry is is late"]
B = ["the old harbour is closed", "the ship is late too"]


def evaluation(
    references: list[list[str | None]],
    a: list[str | None],
    b: list[str | None],
    metric: str = 'macrof(tokenize="none")',
) -> Evaluation:
    systems = [tt.System(name=name, outputs=Lines.of(texts)) for name, texts in (("a", a), ("b", b))]
    return tt.evaluate(make_testset(references), systems, metric)


def example() -> Evaluation:
    return evaluation([[text] for text in REFERENCES], list(A), list(B))


def corpus(seed: int, n: int, types: int) -> tuple[list[list[str]], list[str], list[str]]:
    """Zipfian words; system b loses more of the rare ones."""
    rng = random.Random(seed)

    def word() -> int:
        return int(types ** rng.random()) - 1

    references, a, b = [], [], []
    for _ in range(n):
        words = [word() for _ in range(rng.randint(1, 12))]
        references.append([" ".join(f"w{k}" for k in words)])
        for outputs, loss in ((a, 0.1), (b, 0.25)):
            outputs.append(" ".join(f"w{word() if rng.random() < loss else k}" for k in words))
    return references, a, b


def segments(references: list[list[str]], outputs: list[str]) -> list[Segment]:
    return [(text.split(), [r.split() for r in refs]) for text, refs in zip(outputs, references, strict=True)]


def test_the_worked_example_of_the_explanation() -> None:
    """docs/explanation/types.md."""
    found = tt.compare_types(example(), "a", "b", bounds=[1], trials=0)
    rows = {pair.type: pair for pair in found.pairs}
    assert list(rows) == ["is", "the", "closed", "ferry", "harbour", "late", "old", "ship", "shut", "too"]
    assert (rows["is"].a.f, rows["is"].b.f, rows["is"].gain) == (pytest.approx(80), pytest.approx(100), 1)
    assert (rows["old"].difference, rows["old"].gain) == (100, 1)
    assert (rows["ferry"].difference, rows["ferry"].gain) == (-100, -1)
    assert (rows["shut"].a.f, math.isnan(rows["shut"].b.f), rows["shut"].gain) == (0, True, 1)
    assert [pair.type for pair in found.gained()] == ["closed", "old", "is", "shut"]
    assert [pair.type for pair in found.lost()] == ["ferry", "ship", "too"]
    once, more, invented, everything = found.buckets
    assert (once.name, once.a.types, once.references) == ("1", 5, 5)
    assert (once.a.f, once.b.f, once.difference) == (60, 80, 20)
    assert (once.a.precision, once.a.recall, once.b.precision, once.b.recall) == (100, 60, 100, 80)
    assert (more.name, more.a.types) == ("2+", 2)
    assert (more.a.f, more.b.f) == (pytest.approx(90), 100)
    assert (more.a.precision, more.a.recall) == (80, 100)
    assert (invented.name, invented.a.types, invented.b.types) == ("only in the output", 1, 2)
    assert (invented.a.f, invented.a.precision, math.isnan(invented.a.recall)) == (0, 0, True)
    assert (everything.name, everything.a.types, everything.b.types) == ("all", 8, 9)
    assert everything.a.f == pytest.approx(60)
    assert everything.b.f == pytest.approx(100 * 6 / 9)
    points = found.curve()
    assert [(point.rank, point.references) for point in points] == [(1, 2), (2, 2), *((k, 1) for k in range(3, 8))]
    assert [point.a for point in points[:3]] == pytest.approx([80, 90, 60])
    assert [point.b for point in points[-2:]] == pytest.approx([100 * 5 / 6, 100 * 6 / 7])


def judge(found: TypeContrast, references: list[list[str]], a: list[str], b: list[str]) -> None:
    """Everything but the test, against plain counting."""
    sides = {"a": segments(references, a), "b": segments(references, b)}
    for side, texts in sides.items():
        preds, refs, match = counts(texts)
        scores = f_scores(texts)
        for pair in found.pairs:
            row = getattr(pair, side)
            word = pair.type
            assert (pair.references, row.outputs, row.matches) == (refs[word], preds[word], match[word])
            assert row.f == pytest.approx(100 * scores[word], rel=1e-12) if word in scores else math.isnan(row.f)
        expected = bucket_f(texts, BOUNDS)
        for bucket, value in zip(found.buckets, expected, strict=False):
            f = getattr(bucket, side).f
            assert math.isnan(f) if value is None else f == pytest.approx(value, rel=1e-12)
        for k, bucket in enumerate(found.buckets[:-1]):
            words = [word for word in scores if bucket_of(refs[word], BOUNDS) == k]
            part = getattr(bucket, side)
            totals = [sum(counter[word] for word in words) for counter in (refs, preds, match)]
            assert (len(words), totals) == (part.types, [bucket.references, part.outputs, part.matches])
    changes = {pair.type: pair.gain for pair in found.pairs}
    assert {pair.type for pair in found.gained()} == {word for word, gain in changes.items() if gain > 0}
    assert [pair.gain for pair in found.lost()] == sorted(gain for gain in changes.values() if gain < 0)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), types=st.integers(2, 60))
def test_against_the_textbook(seed: int, n: int, types: int) -> None:
    references, a, b = corpus(seed, n, types)
    found = tt.compare_types(evaluation(references, list(a), list(b)), "a", "b", trials=0)  # type: ignore[arg-type]
    judge(found, references, a, b)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), metric=st.sampled_from(["macrof", "macrof(beta=2)"]))
def test_buckets_add_up(seed: int, n: int, metric: str) -> None:
    """Words and types of the buckets are all there are, and the mean of all is the mean of the buckets' means."""
    references, a, b = corpus(seed, n, 40)
    counted = evaluation(references, list(a), list(b), metric)  # type: ignore[arg-type]
    found = tt.compare_types(counted, "a", "b", trials=0)
    *parts, everything = found.buckets
    for side, score in zip(("a", "b"), counted.scores(), strict=True):
        whole = getattr(everything, side)
        assert whole.f == pytest.approx(score.value, rel=1e-12)  # types are added in another order
        for what in ("types", "outputs", "matches"):
            assert sum(getattr(getattr(part, side), what) for part in parts) == getattr(whole, what)
        filled = [getattr(part, side) for part in parts if getattr(part, side).types]
        assert sum(part.types * part.f for part in filled) / whole.types == pytest.approx(whole.f, rel=1e-12)
    known = [pair for pair in found.pairs if pair.references]
    last = found.curve()[-1]
    assert (last.rank, last.a) == (len(known), pytest.approx(np.mean([pair.a.f for pair in known])))


def test_p_values_are_those_of_swapped_texts() -> None:
    references, a, b = corpus(1, 30, 50)
    counted = evaluation(references, list(a), list(b))  # type: ignore[arg-type]
    found = tt.compare_types(counted, "a", "b", bounds=[1, 3], trials=200, seed=5)
    coins = np.concatenate(list(swap_weights(30, 200, 5))).tolist()
    one, other = segments(references, a), segments(references, b)

    def mean_f(k: int) -> object:
        return lambda texts: bucket_f(texts, [1, 3])[k]

    def invented(texts: list[Segment]) -> float:
        preds, refs, _ = counts(texts)
        return sum(not refs[word] for word in preds)

    def everything(texts: list[Segment]) -> float:
        scores = f_scores(texts)
        return 100 * sum(scores.values()) / len(scores)

    measures = [*(mean_f(k) for k in range(3)), invented, everything]
    expected = [permutation_p(one, other, coins, measure) for measure in measures]  # type: ignore[arg-type]
    assert [bucket.p for bucket in found.buckets] == pytest.approx(expected, abs=1e-12)
    assert min(expected) < 0.1 < max(expected)  # so that the comparison says something
    ordered = sorted(expected[:-1])
    holm = [max(min(1, (4 - j) * ordered[j]) for j in range(k + 1)) for k in range(4)]
    assert sorted(b.adjusted for b in found.buckets[:-1]) == pytest.approx(holm)  # type: ignore[type-var]
    assert found.buckets[-1].adjusted == found.buckets[-1].p


def test_equal_systems_do_not_differ() -> None:
    references, a, _ = corpus(2, 20, 30)
    found = tt.compare_types(evaluation(references, list(a), list(a)), "a", "b", trials=50)  # type: ignore[arg-type]
    assert {bucket.p for bucket in found.buckets if bucket.a.types} == {1.0}
    assert all(bucket.p is None for bucket in found.buckets if not bucket.a.types)
    assert (found.gained(), found.lost()) == ([], [])


def test_only_segments_scored_for_both_count() -> None:
    references: list[list[str | None]] = [["x y"], ["z"], [None], ["v"]]
    found = tt.compare_types(evaluation(references, ["x", None, "u", "v"], ["x y", "z", "u", "w"]), "a", "b", trials=9)
    assert found.n == 2
    assert [pair.type for pair in found.pairs] == ["v", "x", "y", "w"]
    nothing = evaluation(references, ["x", None, None, None], [None, "z", None, None])
    with pytest.raises(InputError, match=r"^no segment is scored for both a and b$"):
        tt.compare_types(nothing, "a", "b")


def test_several_references_and_another_metric() -> None:
    counted = evaluation([["x x", "x y"]], ["x"], ["x x y"], 'microf(tokenize="none", k=0)')
    found = tt.compare_types(counted, "a", "b", trials=9)
    assert {pair.type: pair.references for pair in found.pairs} == {"x": 2, "y": 1}
    assert found.buckets[-1].a.f == counted.scores()[0].value
    assert found.buckets[-1].b.f == 100


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"a": "a", "b": "a"}, "a against itself: name two different systems"),
        ({"b": "c"}, "no statistics of system 'c' under macrof(tokenize=\"none\"); there are: (a, macrof(tokenize="
         '"none")), (b, macrof(tokenize="none"))'),
        ({"bounds": [1, 1]}, "bounds 1, 1: must be positive and rise"),
        ({"bounds": [0, 1]}, "bounds 0, 1: must be positive and rise"),
        ({"trials": -1}, "-1 trials: at least one is needed"),
        ({"seed": -1}, "seed -1: must not be negative"),
    ],
)  # fmt: skip
def test_mistakes(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        tt.compare_types(example(), **{"a": "a", "b": "b", **options})  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_a_metric_without_types() -> None:
    with pytest.raises(OptionError, match=r"^bleu counts no types; choose a metric that does, such as macrof$"):
        tt.compare_types(evaluation([["x"]], ["x"], ["y"], "bleu"), "a", "b")


def test_empty_outputs_have_no_types() -> None:
    found = tt.compare_types(evaluation([[""]], [""], [""]), "a", "b", trials=3)
    assert found.pairs == ()
    assert found.curve() == []
    assert all(bucket.a.types == 0 and math.isnan(bucket.a.f) for bucket in found.buckets)
    assert parse("macrof").score(np.zeros(0)) == 0


def test_too_few_trials_are_said() -> None:
    """Three buckets hold types: p after Holm is at least 3/(trials + 1)."""
    few, enough, none = (tt.compare_types(example(), "a", "b", bounds=[1], trials=trials) for trials in (58, 59, 0))
    assert few.unresolvable == "not resolvable with 58 trials; needs 599"
    assert enough.unresolvable is None
    assert none.unresolvable is None
