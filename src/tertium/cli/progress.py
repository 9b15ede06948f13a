"""How commands work: on so many threads, with a cache of what models work out, with a bar where it takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tertium.cli.output import write_notes
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.run import Run

LONG = 300_000  # segments to count, over all systems and metrics, before a bar is worth its while


@contextmanager
def working(
    threads: int | None = None, *, size: int = LONG, cache: str | None = None, rate: bool = False
) -> Iterator[Run]:
    """A Run whose progress is a bar, if there is a terminal and the work is long; `size` is in segments, and `rate`
    shows how many are done in a second. What goes wrong with the cache is a note, once."""
    notes: dict[str, None] = {}

    def note(sentence: str) -> None:
        if sentence not in notes:
            notes[sentence] = None
            write_notes([sentence])

    if size < LONG or not sys.stderr.isatty():
        yield Run(threads=threads, cache=cache, notes=note)
        return
    from rich.console import Console
    from rich.progress import Progress

    columns = (*Progress.get_default_columns(), _rate_column()) if rate else ()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield Run(threads=threads, cache=cache, notes=note, progress=Bars(bar).tell)


def _rate_column() -> Any:
    """How many segments are done in a second."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if not task.speed else f"{task.speed:,.0f}/s")

    return Rate()


class Bars:
    """All that is counted, and below it the part that a model is at, with about how long that part takes."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._whole, self._part = bar.add_task(""), bar.add_task("", visible=False)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is. Models count tokens, and only while segments are being counted."""
        inner = stage.startswith(("encoding ", "reading ", "asking ", "scoring by ", "replaying "))
        if not inner:
            self._bar.update(self._part, visible=False)
        self._bar.update(
            self._part if inner else self._whole,
            description=stage,
            completed=done,
            total=total,
            visible=not inner or done < total,
        )


def size_of(given: Evaluation, metrics: Sequence[Metric]) -> int:
    """Segments that are counted, over all systems and metrics; one that a model reads is as much work as very many."""
    if any("model" in metric.needs for metric in metrics):
        return LONG
    return len(given.testset) * len(given.systems) * len(metrics)
