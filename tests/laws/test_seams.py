"""What a metric is promised by those who call it: a whole view of the test set, one door, rows that are checked."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import tertium as tt
from tertium.core.errors import CancelledError, InputError, SegmentError, TertiumError
from tertium.core.metric import ALIASES, REGISTRY, Prepared
from tertium.core.stats import Stats
from tertium.core.version import VERSION
from tertium.engines import door

from .texts import make_testset

SOURCES = ["eins zwei", "drei", None, "vier fünf sechs", ""]
OUTPUTS = ["one two", "three", "x", None, "four"]
ROOMS = Path(door.__file__).parents[1]


@pytest.fixture
def source_ratio() -> Iterator[type]:
    """A metric that reads sources, and has something of its own for each segment."""
    metrics, aliases = dict(REGISTRY), dict(ALIASES)

    @tt.metric
    class SourceRatio:
        """Output length as a share of the source's, in bytes."""

        name: ClassVar[str] = "source_ratio"
        title: ClassVar[str] = "source ratio"
        better: ClassVar[Literal["higher", "lower"]] = "higher"
        range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
        needs: ClassVar[frozenset[str]] = frozenset({"source"})
        resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
        decimals: ClassVar[int] = 1

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
            assert testset.sources is not None
            return Prepared(references=testset.references, made={"lengths": testset.sources.lengths()})

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
            assert prepared.sources is not None
            assert prepared.made["lengths"].tolist() == prepared.sources.lengths().tolist()
            scored = prepared.scorable(outputs)
            rows = np.stack([outputs.lengths(), prepared.made["lengths"]], axis=1).astype(float)
            if scored is not None:
                rows[~scored] = 0
            return Stats(("output", "source"), rows, scored)

        def score(self, sums: Any) -> Any:
            sums = np.asarray(sums)
            return 100 * sums[..., 0] / np.maximum(sums[..., 1], 1)

    yield SourceRatio
    for now, before in ((REGISTRY, metrics), (ALIASES, aliases)):
        now.clear()
        now.update(before)


def testset(sources: list[str | None]) -> tt.TestSet:
    return tt.TestSet(segments=len(sources), sources=tt.Lines.of(sources))


testset.__test__ = False  # type: ignore[attr-defined]


def test_a_metric_of_sources_needs_no_references(source_ratio: type) -> None:
    """It gave NaN of no segment, without a word."""
    system = tt.System(name="a", outputs=tt.Lines.of(OUTPUTS))
    evaluation = tt.evaluate(testset(SOURCES), [system], [source_ratio()])
    [score] = evaluation.scores()
    assert (score.n, score.value) == (3, pytest.approx(100 * (7 + 5 + 4) / (9 + 4 + 0)))
    assert evaluation.stats("a", "source_ratio").scored.tolist() == [True, True, False, False, True]
    with pytest.raises(InputError, match="source_ratio needs the source"):
        tt.evaluate(tt.TestSet(segments=5), [system], [source_ratio()])


@pytest.mark.usefixtures("source_ratio")
def test_a_metric_of_sources_is_stressed_shared_and_chosen_by() -> None:
    sources: list[str | None] = [f"wort {k} und noch eins" for k in range(40)]
    outputs = [f"word {k} and another one" for k in range(40)]
    found = tt.stress(testset(sources), outputs, "source_ratio", noises="delete", rates=[0.5], seeds=1)
    assert 20 < found.curves[0].left[0] < 80
    system = tt.System(name="a", outputs=tt.Lines.of(outputs))
    whole = tt.evaluate(testset(sources), [system], "source_ratio")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tertium.engines.evaluate.SHARD", 7)
        shards = tt.evaluate(testset(sources), [system], "source_ratio", run=tt.Run(threads=3))
    assert shards.stats("a", "source_ratio").segments().tolist() == whole.stats("a", "source_ratio").segments().tolist()
    assert tt.rerank(["a", "abc"], "source_ratio", source="xx").text == "abc"


@pytest.mark.usefixtures("source_ratio")
def test_signatures_tell_sources_apart() -> None:
    system = tt.System(name="a", outputs=tt.Lines.of(["x"]))
    said = {
        text: tt.evaluate(testset([text]), [system], "source_ratio,source_ratio").signatures["source_ratio"]
        for text in ("eins", "zwei")
    }
    assert said["eins"] != said["zwei"]
    assert "|src:" in said["eins"]


def test_a_view_is_taken_as_a_whole() -> None:
    given = tt.TestSet(
        segments=3,
        sources=tt.Lines.of(["x", "y", None]),
        references=make_testset([["a"], ["b"], ["c"]]).references,
        documents=("d", "d", "e"),
    )
    own = {"numbers": np.array([1, 2, 3]), "lines": tt.Lines.of(["l", "m", "n"])}
    whole = Prepared(references=given.references, made=own).complete(given, frozenset({"source"}))
    part = whole.take(np.array([2, 0, 0]))
    assert list(part.references.streams[0]) == ["c", "a", "a"]
    assert part.sources is not None
    assert list(part.sources) == [None, "x", "x"]
    assert part.documents == ("e", "d", "d")
    assert part.made["numbers"].tolist() == [3, 1, 1]
    assert list(part.made["lines"]) == ["n", "l", "l"]
    scorable = part.scorable(tt.Lines.of(["o", "o", None]))
    assert scorable is not None
    assert scorable.tolist() == [False, True, False]


def test_nobody_else_calls_a_metric() -> None:
    """`prepare`, `stats`, `given` and `marks` of metrics are called in one file; an Evaluation has its own `stats`."""
    found = set()
    for path in ROOMS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and "metrics" not in path.parts:
                owner = ast.unparse(node.func.value)
                if node.func.attr in ("prepare", "given", "marks") and owner != "door":
                    found.add((path.name, owner))
                if node.func.attr == "stats" and "evaluation" not in owner and owner != "self":
                    found.add((path.name, owner))
    assert found == {("door.py", "metric"), ("door.py", "counting(metric)")}


# Rows


class Broken:
    """Gives whatever rows it was made with."""

    name, title, better, range = "broken", "broken", "higher", (0.0, 1.0)
    needs, resampling, decimals = frozenset[str](), "percentile", 1

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __str__(self) -> str:
        return "broken"

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        return Prepared(references=testset.references)

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
        return Stats(("value", "count"), self.rows)

    def score(self, sums: Any) -> Any:
        return np.asarray(sums)[..., 0] / np.asarray(sums)[..., 1]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_row_that_is_not_finite_is_refused_where_it_is_made(bad: float) -> None:
    """It made the score 0.0 of all ten segments."""
    rows = np.ones((10, 2))
    rows[3, 0] = bad
    system = tt.System(name="atlas", outputs=tt.Lines.of(["x"] * 10))
    with pytest.raises(SegmentError) as refused:
        tt.evaluate(tt.TestSet(segments=10), [system], [Broken(rows)])
    assert str(refused.value) == (
        "atlas, segment 4: broken: a statistic is not a finite number; a segment that cannot be scored has a row of "
        "zeros, and is false in `scored`"
    )


def test_large_rows_are_finite_even_if_their_sum_is_not() -> None:
    system = tt.System(name="atlas", outputs=tt.Lines.of(["x", "y"]))
    evaluation = tt.evaluate(tt.TestSet(segments=2), [system], [Broken(np.full((2, 2), 1e308))])
    assert evaluation.table["atlas", "broken"].n == 2


def test_rows_are_one_for_each_output() -> None:
    system = tt.System(name="atlas", outputs=tt.Lines.of(["x"] * 3))
    with pytest.raises(TertiumError, match="broken: 2 rows of statistics for 3 outputs; there must be one for each"):
        tt.evaluate(tt.TestSet(segments=3), [system], [Broken(np.ones((2, 2)))])


# Names


def test_a_metric_of_ours_keeps_its_name(source_ratio: type) -> None:
    """Whichever is loaded first: a text means one metric."""
    tt.parse("bleu")
    for taken in ({"name": "bleu"}, {"name": "mine", "aliases": ("bleu",)}):
        with pytest.raises(tt.TertiumError, match="the name 'bleu' is taken by a metric of tertium; choose another"):
            tt.metric(type("Mine", (source_ratio,), {**taken, "__module__": "outside"}))
    del REGISTRY["bleu"]  # as if it had not been loaded yet
    tt.metric(type("Mine", (source_ratio,), {"name": "bleu", "__module__": "outside"}))
    with pytest.raises(tt.TertiumError, match=r"^outside: the name 'bleu' is taken"):
        tt.metric(type("Ours", (source_ratio,), {"name": "bleu", "__module__": "tertium.metrics.bleu"}))


def test_python_m_tertium() -> None:
    done = subprocess.run([sys.executable, "-m", "tertium", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"tertium {VERSION}\n"
    wrong = subprocess.run([sys.executable, "-m", "tertium", "scoer"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, "__main__" in wrong.stderr) == (2, False)


# Run


def test_cancelled_work_ends_between_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 10)
    told: list[int] = []
    run = tt.Run(threads=1, progress=lambda _, done, __: told.append(done), cancelled=lambda: len(told) > 2)
    with pytest.raises(CancelledError, match=r"^cancelled while counting segments \(30 of 100\)$"):
        tt.score(["a b"] * 100, references=["a c"] * 100, metrics="wer", run=run)
    assert told == [0, 10, 20]


def test_a_metric_may_want_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertium.engines.evaluate.SHARD", 1)
    asked = []

    class Alone(Broken):
        concurrent = False

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:
            asked.append((threading.get_ident(), run.threads))
            return super().stats(outputs, prepared, run)

    system = tt.System(name="atlas", outputs=tt.Lines.of(["x"] * 3))
    tt.evaluate(tt.TestSet(segments=3), [system], [Alone(np.ones((1, 2)))], run=tt.Run(threads=4))
    assert asked == [(threading.get_ident(), 4)] * 3  # called in one thread; it may have four of its own, as torch has


@pytest.mark.parametrize("options", [{"threads": 0}, {"threads": "2"}, {"batch": 1.5}, {"batch": -1}])
def test_impossible_runs_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(tt.TertiumError, match=r"^(threads|batch): .*; must be (a whole number|at least 1)$"):
        tt.Run(**options)
