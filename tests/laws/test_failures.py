"""What another package's metric raises reaches the user as a sentence, and whoever looks for the mistake as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

import tertium as tt
from tertium.core.given import GivenRows
from tertium.core.metric import Prepared
from tertium.core.stats import Stats
from tertium.engines import door

TESTSET = tt.TestSet(name="one", segments=1, references=tt.References((tt.Lines.of(["a"]),), 1))
PACKAGE = __name__.partition(".")[0]
SYSTEMS = [tt.System(name="atlas", outputs=tt.Lines.of(["b"]))]


class Broken:
    """Fails where it is told to."""

    name: ClassVar[str] = "broken"
    title: ClassVar[str] = "broken"
    better: ClassVar[str] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[str] = "percentile"
    decimals: ClassVar[int] = 2

    def __init__(self, place: str, error: Exception) -> None:
        self.place, self.error = place, error

    def __str__(self) -> str:
        return "broken"

    def fail(self, place: str) -> None:
        if place == self.place:
            raise self.error

    def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:  # noqa: ARG002
        self.fail("prepare")
        return Prepared(references=testset.references)

    def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
        self.fail("stats")
        return Stats(("n",), [[1.0]])  # type: ignore[arg-type]

    def marks(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Any:  # noqa: ARG002
        self.fail("marks")

    def notes(self, testset: tt.TestSet) -> list[str]:  # noqa: ARG002
        self.fail("notes")
        return []

    def score(self, sums: Any) -> Any:
        return sums[..., 0]


class BrokenGiven(Broken):
    """The same, of rows that are given."""

    def given(self, evaluation: tt.Evaluation, run: tt.Run) -> GivenRows:  # noqa: ARG002
        self.fail("given")
        return GivenRows(stats={})


def use(metric: Any) -> None:
    """Rows, then marks, which only pages ask for."""
    tt.evaluate(TESTSET, SYSTEMS, [metric])
    list(door.marks(metric, SYSTEMS[0].outputs, door.prepare(metric, TESTSET), system="atlas"))


@pytest.mark.parametrize(
    ("place", "doing"),
    [("prepare", "preparing the test set"), ("stats", "counting system atlas"), ("given", "giving rows of atlas"),
     ("marks", "marking system atlas"), ("notes", "looking at the test set")],
)  # fmt: skip
def test_an_exception_becomes_a_sentence_and_is_its_cause(place: str, doing: str) -> None:
    error = OSError(2, "No such file or directory", "weights.bin")
    metric: Any = (BrokenGiven if place == "given" else Broken)(place, error)
    with pytest.raises(tt.TertiumError) as raised:
        use(metric)
    assert str(raised.value) == (
        f"broken: FileNotFoundError: [Errno 2] No such file or directory: 'weights.bin' "
        f"(in {PACKAGE}, while {doing}; --debug shows the traceback)"
    )
    assert raised.value.__cause__ is error


@pytest.mark.parametrize("error", [tt.TertiumError("a sentence"), MemoryError()])
def test_sentences_and_lack_of_memory_stay_what_they_are(error: Exception) -> None:
    metric: Any = Broken("stats", error)
    with pytest.raises(type(error)) as raised:
        tt.evaluate(TESTSET, SYSTEMS, [metric])
    assert raised.value is error


def test_a_mistake_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    metric = tt.parse("wer")

    def fail(*_: object) -> None:
        raise ValueError("ours")

    monkeypatch.setattr(type(metric), "stats", fail)
    with pytest.raises(ValueError, match=r"^ours$"):
        tt.evaluate(TESTSET, SYSTEMS, [metric])


def test_the_command_line_shows_a_traceback_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tertium.cli.main import main
    from tertium.core.metric import REGISTRY

    class Named(Broken):
        def __init__(self) -> None:
            super().__init__("stats", RuntimeError("no luck"))

    Named.__dataclass_fields__ = {}  # type: ignore[attr-defined]
    monkeypatch.setitem(REGISTRY, "broken", Named)
    monkeypatch.chdir(tmp_path)
    Path("a.en").write_text("a\n")
    command = ["score", "-r", "a.en", "-t", "a.en", "-m", "broken"]
    with pytest.raises(SystemExit):
        main(command)
    assert capsys.readouterr().err == (
        f"tertium: broken: RuntimeError: no luck (in {PACKAGE}, while counting system a; --debug shows the traceback)\n"
    )
    with pytest.raises(tt.TertiumError) as raised:
        main([*command, "--debug"])
    assert isinstance(raised.value.__cause__, RuntimeError)
