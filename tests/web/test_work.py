"""What workers do, done in this process."""

from pathlib import Path

import pytest
from tests.web.conftest import EXAMPLES

import tertium as tt
from tertium.core.errors import OptionError
from tertium.web import work
from tertium.web.answers import ANSWERS


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    given = tt.read_testset(EXAMPLES / "testset.toml")
    tt.save(given, tmp_path / "evaluation.zip")
    return tmp_path / "evaluation.zip"


def test_scoring_counts_what_is_lacking_and_says_how_far_it_is(kept: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def tell(*progress: object) -> None:
        told.append(progress)  # type: ignore[arg-type]

    assert work.score({"path": str(kept), "metrics": ["bleu", "chrf"]}, tell).metrics == ["bleu", "chrf"]
    counted = [(done, total) for stage, done, total in told if stage == "counting segments"]
    assert counted == sorted(counted)
    assert counted[0] == (0, 96 * 4 * 2)
    assert counted[-1] == (96 * 4 * 2, 96 * 4 * 2)
    given = tt.read_testset(EXAMPLES / "testset.toml")
    expected = tt.evaluate(given.testset, given.systems, ["bleu", "chrf"])
    found = tt.load(kept)
    assert [score.value for score in found.scores()] == [score.value for score in expected.scores()]
    assert found.judgements == given.judgements

    told.clear()
    assert work.score({"path": str(kept), "metrics": ["bleu", "ter"]}, tell).metrics == ["bleu", "chrf", "ter"]
    assert ("counting segments", 0, 96 * 4) in told
    before = kept.read_bytes()
    work.score({"path": str(kept), "metrics": ["ter"]}, tell)  # nothing is lacking
    assert kept.read_bytes() == before


def test_local_metrics_are_not_scored(kept: Path) -> None:
    with pytest.raises(OptionError, match="names a file or a function of this computer"):
        work.score({"path": str(kept), "metrics": ['bleu(tokenize="py:shlex:split")']}, lambda *_: None)


def test_pages_are_written(kept: Path, tmp_path: Path) -> None:
    work.score({"path": str(kept), "metrics": ["bleu"]}, lambda *_: None)
    for systems, title in (([], "town-notes"), (["cinder", "brook"], "cinder and brook")):
        target = tmp_path / "page.html"
        work.page({"path": str(kept), "page": {"systems": systems}, "target": str(target)}, lambda *_: None)
        assert f"<h1><bdi>{title}</bdi></h1>" in target.read_text()


@pytest.mark.usefixtures("few_trials")
def test_pages_say_how_far_they_are(kept: Path, tmp_path: Path) -> None:
    work.score({"path": str(kept), "metrics": ["bleu", "macrof"]}, lambda *_: None)
    told: list[tuple[str, int, int]] = []
    target = tmp_path / "page.html"
    options = {"path": str(kept), "page": {"systems": []}, "target": str(target)}
    work.page(options, lambda *at: told.append(at) if not target.exists() else None)
    assert told[0] == ("reading", 0, 1)
    stages, done, totals = zip(*told[1:], strict=True)
    assert done == tuple(range(totals[0]))
    assert len(set(totals)) == 1
    assert len(set(stages)) == len(stages)
    assert [stages.index(stage) for stage in ("comparing systems", "looking for errors", "drawing")] == [1, 2, done[-1]]


class Pipe:
    """Notes what a worker sends."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, object]] = []

    def send(self, message: tuple[str, object]) -> None:
        self.sent.append(message)

    def close(self) -> None:
        self.sent.append(("closed", None))


def test_a_new_stage_is_told_at_once_and_the_rest_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    def task(_: object, tell: work.Tell) -> str:
        for stage, steps in (("a", 50), ("b", 1)):
            for k in range(steps):
                tell(stage, k, 100)
        tell("b", 100, 100)
        return "x"

    monkeypatch.setattr(work, "live_with_parent", lambda: None)
    monkeypatch.setattr(work.time, "monotonic", lambda: 5.0)
    monkeypatch.setitem(work.TASKS, "task", task)
    pipe = Pipe()
    work.run(pipe, "task", {})  # type: ignore[arg-type]
    told = [("a", 0, 100), ("b", 0, 100), ("b", 100, 100)]
    assert pipe.sent == [*(("progress", at) for at in told), ("done", "x"), ("closed", None)]


@pytest.mark.parametrize(("question", "options"), [
    ("score", {"level": "corpus", "confidence": 0.9, "method": "percentile", "trials": 20, "seed": 1}),
    ("compare", {"metrics": [], "baseline": None, "trials": 20}),
    ("disagree", {"first": "atlas", "second": "brook", "metrics": [], "by": "opposite", "top": 2}),
    ("types", {"metric": None, "filters": {}, "sort": "references", "top": 3}),
    ("diagnose", {"detectors": None, "keep": 1}),
    ("buckets", {"by": "domain", "confidence": None}),
])  # fmt: skip
def test_every_question_has_an_answer(kept: Path, question: str, options: dict[str, object]) -> None:
    work.score({"path": str(kept), "metrics": ["bleu", "macrof"]}, lambda *_: None)
    asked = {"path": str(kept), "question": question, "options": options}
    assert work.answer(asked, lambda *_: None)["tertium"] == tt.__version__


def test_questions_without_metrics(kept: Path) -> None:
    given = tt.load(kept)
    with pytest.raises(OptionError, match="the evaluation has no metric; score it first"):
        ANSWERS["compare"](given, metrics=[], baseline=None)
    with pytest.raises(OptionError, match="no metric of this evaluation counts types"):
        ANSWERS["types"](given, metric=None, filters={}, sort="references")
