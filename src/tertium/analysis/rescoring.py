"""Scores of outputs in which some lines have changed: only their rows are counted again."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.engines import door

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

    Numbers = NDArray[np.int64]


class Rescoring:
    """A metric's rows of some outputs. What changes is `total - old rows + new rows`."""

    def __init__(self, metric: Metric, testset: TestSet, outputs: Lines) -> None:
        self.metric, self.outputs = metric, outputs
        self.prepared = door.prepare(metric, testset)  # with what the metric knows of the whole test set
        self.stats = door.count(metric, outputs, self.prepared)

    @cached_property
    def score(self) -> float:
        """Of the outputs as they are; NaN if no segment is scored."""
        return float(self.metric.score(self.stats.total())) if self.stats.n else math.nan

    @cached_property
    def score_of_nothing(self) -> float:
        """Of outputs that are all empty."""
        empty = Lines.of([None if text is None else "" for text in self.outputs])
        stats = door.count(self.metric, empty, self.prepared)
        return float(self.metric.score(stats.total())) if stats.n else math.nan

    def scores(self, lines: Lines, segments: Numbers, variant: Numbers, count: int) -> Array:
        """Of `count` variants: in variant[k], segment segments[k] says lines[k]; all else is as it was. # (count,)"""
        import numpy as np

        if not self.stats.n:
            return np.full(count, np.nan)
        fresh = door.count(self.metric, lines, self.prepared.take(segments))
        old, new = Stats.aligned([self.stats, fresh])
        # Counts are whole numbers, so that sums that come back to where they were are equal, to the bit.
        sums = old.total() - old.take(segments).groups(variant, count) + new.groups(variant, count)
        found: Array = np.asarray(self.metric.score(sums), dtype=np.float64)
        return found

    def left(self, scores: Array) -> Array:
        """Per cent: 100 is the score of the outputs as they are, 0 that of empty ones; NaN where these are equal."""
        import numpy as np

        whole = self.score - self.score_of_nothing
        return 100 * ((scores - self.score_of_nothing) / whole) if whole else np.full_like(scores, np.nan)
