"""The one door to a metric: every `prepare` and every `stats` is called from here. So what a metric gives is checked
once, where it is made, and an error in a segment is told with the number that the segment has."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce

from tertium.core.errors import SegmentError, TertiumError
from tertium.core.lines import Lines
from tertium.core.metric import Metric, Prepared
from tertium.core.run import PLAIN, Run
from tertium.core.shown import counted
from tertium.core.stats import SparseRows, Stats
from tertium.core.testset import TestSet


def prepare(metric: Metric, testset: TestSet, run: Run = PLAIN, *, first: int = 0) -> Prepared:
    """A test set, or the part of one that begins at segment `first`, as a metric reads it."""
    with located("references", first):
        return metric.prepare(testset, run).complete(testset, metric.needs)


def count(
    metric: Metric, outputs: Lines, prepared: Prepared, run: Run = PLAIN, *, system: str = "outputs", first: int = 0
) -> Stats:
    """The rows of a system's outputs, which begin at segment `first` of the test set."""
    with located(system, first):
        stats = metric.stats(outputs, prepared, run)
        check_rows(metric, stats, len(outputs))
    return stats


def share(prepared: Sequence[Prepared]) -> list[Prepared]:
    """Give every part of a test set what the metric knows of all parts."""
    if prepared[0].shared is None:
        return list(prepared)
    shared = reduce(lambda one, other: one.merge(other), (part.shared for part in prepared))
    return [replace(part, shared=shared) for part in prepared]


@contextmanager
def located(where: str, first: int) -> Iterator[None]:
    """An error in a segment of a part is told with the number that the segment has in the whole."""
    try:
        yield
    except SegmentError as error:
        raise error.at(where, first) from error.__cause__


def check_rows(metric: Metric, stats: Stats, segments: int) -> None:
    """Refuse rows that are not one for each segment, or not finite: 0 x NaN is NaN, and one such row spoils every sum.

    A sum tells; only where it does the rows are looked at, one by one.
    """
    if len(stats) != segments:
        raise TertiumError(
            f"{metric}: {counted(len(stats), 'row')} of statistics for {counted(segments, 'output')}; "
            f"there must be one for each"
        )
    if stats.is_whole or all(map(math.isfinite, stats.sums())):
        return
    import numpy as np

    rows = stats.rows
    if isinstance(rows, SparseRows):
        bad = rows.row_numbers()[~np.isfinite(rows.values)]
    else:
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise SegmentError(
            int(bad[0]),
            f"{metric}: a statistic is not a finite number; a segment that cannot be scored has a row of zeros, and is "
            f"false in `scored`",
        )
