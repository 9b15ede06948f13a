"""Rows that are given, not counted: they come through the same door, and then are rows like any other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import InputError, SegmentError, TertiumError
from tertium.core.given import GivenRows, mean_rows
from tertium.core.stats import Stats
from tertium.core.version import VERSION

EXAMPLE = Path(__file__).parents[2] / "examples" / "testset.toml"
OUTPUTS = ["one two", "three four", "five six"]
TESTSET = tt.TestSet(
    name="three", segments=3, references=tt.References((tt.Lines.of(["one two", "three", "five six seven"]),), 3)
)
SYSTEMS = [tt.System(name=name, outputs=tt.Lines.of(OUTPUTS)) for name in ("a", "b")]


class Elsewhere:
    """Scores that another program has worked out."""

    name: ClassVar[str] = "elsewhere"
    title: ClassVar[str] = "elsewhere"
    better: ClassVar[str] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset()
    resampling: ClassVar[str] = "percentile"
    decimals: ClassVar[int] = 2

    def __init__(self, stats: Mapping[str, Stats], check: Callable[[tt.Evaluation], None] | None = None) -> None:
        self.rows, self.check = stats, check

    def __str__(self) -> str:
        return "elsewhere"

    def given(self, evaluation: tt.Evaluation, run: tt.Run) -> GivenRows:  # noqa: ARG002
        self.seen = [str(metric) for metric in evaluation.metrics]
        return GivenRows(stats=self.rows, facts={"file": "scores.tsv"}, notes=("one was left out",), check=self.check)

    def score(self, sums: Any) -> Any:
        sums = np.asarray(sums)
        return sums[..., 0] / sums[..., 1]


def scores(values: Sequence[float]) -> Elsewhere:
    return Elsewhere({"a": mean_rows(values)})


def test_they_are_rows_like_any_other() -> None:
    metric = scores([0.5, math.nan, 0.75])
    evaluation = tt.evaluate(TESTSET, SYSTEMS, [metric, "wer"])
    assert metric.seen == ["wer"]  # rows of texts are in place by then
    assert [str(item) for item in evaluation.metrics] == ["elsewhere", "wer"]  # in the order that was asked for
    [a] = [score for score in evaluation.scores() if (score.system, score.metric) == ("a", "elsewhere")]
    assert (a.value, a.n) == (0.625, 2)
    [b] = [score for score in evaluation.scores() if (score.system, score.metric) == ("b", "elsewhere")]
    assert (math.isnan(b.value), b.n) == (True, 0)  # nothing was given for it
    assert a.signature == f"elsewhere|file:scores.tsv|tertium:{VERSION}"
    assert "one was left out" in evaluation.warnings
    segments = [score.value for score in evaluation.scores("segment") if score.metric == "elsewhere"]
    assert segments[:3] == [0.5, pytest.approx(math.nan, nan_ok=True), 0.75]


def test_they_can_be_added_later() -> None:
    counted = tt.evaluate(TESTSET, SYSTEMS, "wer")
    later = tt.add_metrics(counted, scores([0.5, 1, 0]))
    both = tt.evaluate(TESTSET, SYSTEMS, ["wer", scores([0.5, 1, 0])])
    assert {k: v.segments().tolist() for k, v in later.table.items()} == {
        k: v.segments().tolist() for k, v in both.table.items()
    }
    assert later.signatures == both.signatures
    assert tt.add_metrics(later, "wer").table["a", "wer"] is counted.table["a", "wer"]  # not counted again


def test_they_are_checked_where_they_come_in() -> None:
    with pytest.raises(TertiumError, match="elsewhere: 2 rows of statistics for 3 outputs; there must be one for each"):
        tt.evaluate(TESTSET, SYSTEMS, [scores([0.5, 1])])
    rows = np.array([[1.0, 1.0], [np.inf, 1.0], [0.0, 1.0]])
    with pytest.raises(SegmentError, match=r"^a, segment 2: elsewhere: a statistic is not a finite number"):
        tt.evaluate(TESTSET, SYSTEMS, [Elsewhere({"a": Stats(("value", "scored"), rows)})])


def test_a_join_is_looked_at_when_all_rows_are_there() -> None:
    seen = []

    def refuse(evaluation: tt.Evaluation) -> None:
        seen.append(sorted(evaluation.table))
        raise InputError("of other texts")

    metric = Elsewhere({"a": mean_rows([1, 1, 1])}, refuse)
    with pytest.raises(InputError, match="of other texts"):
        tt.evaluate(TESTSET, SYSTEMS, [metric, "wer"])
    assert seen == [[("a", "elsewhere"), ("a", "wer"), ("b", "elsewhere"), ("b", "wer")]]
    assert tt.evaluate(TESTSET, SYSTEMS, [metric], trust_join=True).metrics == (metric,)


def test_they_cannot_score_other_texts() -> None:
    with pytest.raises(TertiumError, match=r"^elsewhere: its rows are given, not counted"):
        tt.stress(TESTSET, SYSTEMS[0], metrics=[scores([1, 1, 1])])


def test_people_can_be_added_where_texts_are_left_out(tmp_path: Path) -> None:
    """Nothing is said of texts that are not here: they were called missing, and all the same."""
    tt.save(tt.read_testset(EXAMPLE), tmp_path / "e.tertium", texts=False)
    bare = tt.load(tmp_path / "e.tertium")
    judged = tt.add_metrics(bare, "human")
    assert {score.n for score in judged.scores()} == {96}
    assert judged.warnings == ()
    with pytest.raises(InputError) as refused:
        tt.add_metrics(bare, "human", "bleu")
    assert str(refused.value) == (
        "bleu cannot be counted: test set town-notes or a system was saved without its texts; count it where the texts "
        "are, and save it again"
    )
