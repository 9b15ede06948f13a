"""Work on several threads; results come in the order of the items, so they are the same for any number of threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from tertium.core.run import Run

T = TypeVar("T")
R = TypeVar("R")


def workers(run: Run) -> int:
    """The number of threads."""
    return run.threads or os.cpu_count() or 1


def map_all(run: Run, work: Callable[[T], R], items: Sequence[T], stage: str = "") -> list[R]:
    """All results; with a stage, progress is reported."""
    threads = min(workers(run), len(items))
    if threads <= 1:
        return list(_told(run, map(work, items), stage, len(items)))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(_told(run, pool.map(work, items), stage, len(items)))


def _told(run: Run, results: Iterable[R], stage: str, total: int) -> Iterator[R]:
    for done, result in enumerate(results, 1):
        if stage:
            run.tell(stage, done, total)
        yield result


def in_order(work: Callable[[T], R], items: Iterable[T], run: Run) -> Iterator[R]:
    """Results in the order of the items, of which only a few are held at a time."""
    threads = workers(run)
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) >= 4 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
