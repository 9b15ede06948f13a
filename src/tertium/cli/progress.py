"""How commands work: on so many threads, with a bar on a terminal where it takes long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tertium.core.evaluation import Evaluation
from tertium.core.run import Run

LONG = 300_000  # segments to count, over all systems and metrics, before a bar is worth its while


@contextmanager
def working(threads: int | None = None, *, size: int = LONG) -> Iterator[Run]:
    """A Run whose progress is a bar, if there is a terminal and the work is long; `size` is in segments."""
    if size < LONG or not sys.stderr.isatty():
        yield Run(threads=threads)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")

        def tell(stage: str, done: int, total: int) -> None:
            bar.update(task, description=stage, completed=done, total=total)

        yield Run(threads=threads, progress=tell)


def size_of(given: Evaluation, metrics: int) -> int:
    """Segments that are counted, over all systems and metrics."""
    return len(given.testset) * len(given.systems) * metrics
