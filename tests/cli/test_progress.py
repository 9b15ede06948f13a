"""Bars: the whole, and below it what a model is at."""

from typing import Any

import tertium as tt
from tertium.cli.progress import LONG, Bars, size_of


class Drawn:
    """What rich would draw."""

    def __init__(self) -> None:
        self.tasks: list[dict[str, Any]] = []

    def add_task(self, description: str, visible: bool = True) -> int:
        self.tasks.append({"description": description, "visible": visible})
        return len(self.tasks) - 1

    def update(self, task: int, **news: Any) -> None:
        self.tasks[task] |= news

    def shown(self) -> list[tuple[str, int, int]]:
        return [(task["description"], task["completed"], task["total"]) for task in self.tasks if task["visible"]]


def test_what_a_model_is_at_stands_below() -> None:
    drawn = Drawn()
    bars = Bars(drawn)
    bars.tell("counting segments", 0, 200)
    assert drawn.shown() == [("counting segments", 0, 200)]
    bars.tell("reading outputs", 0, 900)
    bars.tell("reading outputs, about 3 min", 300, 900)
    assert drawn.shown() == [("counting segments", 0, 200), ("reading outputs, about 3 min", 300, 900)]
    bars.tell("reading outputs, about 3 min", 900, 900)
    assert drawn.shown() == [("counting segments", 0, 200)]
    bars.tell("encoding sources", 5, 10)
    bars.tell("counting segments", 100, 200)
    assert drawn.shown() == [("counting segments", 100, 200)]


def test_a_model_is_much_work() -> None:
    testset = tt.TestSet(segments=2, references=tt.References((tt.Lines.of(["a", "b"]),), 2))
    systems = (tt.System(name="s", outputs=tt.Lines.of(["a", "b"])),)
    given = tt.Evaluation(testset=testset, systems=systems)
    assert size_of(given, [tt.parse("bleu"), tt.parse("ter")]) == 4
    assert size_of(given, [tt.parse("bleu"), tt.parse("comet")]) == LONG
