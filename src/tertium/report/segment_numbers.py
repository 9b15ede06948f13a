"""What segments are sorted, filtered and counted by, of all segments and as the page's script has it: rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tertium.analysis.diagnose import Tally
from tertium.analysis.favouritism import benefits
from tertium.core.metric import Metric

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.report.results import Results

STEPS = 100_000  # favouritism is told apart in so many steps of the largest
HALF = 1e-9  # of a number: how close to a half it is rounded digit by digit, and
LARGE = 1e9  # from which on it is


@dataclass(frozen=True, eq=False)
class SegmentNumbers:
    """Numbers of every segment; NaN where there is none."""

    results: Results

    @cached_property
    def scores(self) -> dict[tuple[str, str], Array]:
        """By system and metric. # each (n,)"""
        import numpy as np

        count = len(self.results.evaluation.testset)
        found = {}
        for metric in self.results.metrics:
            for name in self.results.systems:
                values = self.results.segments.get((name, str(metric)))
                found[name, str(metric)] = np.full(count, np.nan) if values is None else _rounded(values, metric)
        return found

    @cached_property
    def _benefits(self) -> dict[tuple[str, str], Array]:
        evaluation = self.results.evaluation
        return {
            (name, str(metric)): benefits(evaluation, name, metric)
            for metric in self.results.metrics
            for name in self.results.systems
            if (name, str(metric)) in evaluation.table
        }

    @cached_property
    def scales(self) -> dict[str, float]:
        """The size of a step of favouritism, by metric."""
        return {
            str(metric): max(
                (_largest(values) for (_, said), values in self._benefits.items() if said == str(metric)), default=0.0
            )
            / STEPS
            for metric in self.results.metrics
        }

    @cached_property
    def steps(self) -> dict[tuple[str, str], Array]:
        """What every segment does for a system's score, in whole steps. # each (n,)"""
        import numpy as np

        absent = np.full(len(self.results.evaluation.testset), np.nan)
        found = {}
        for metric in self.results.metrics:
            scale = self.scales[str(metric)]
            for name in self.results.systems:
                values = self._benefits.get((name, str(metric)))
                known = absent if values is None else np.rint(values / scale) if scale else 0 * values
                found[name, str(metric)] = known
        return found

    def spread(self, metric: Metric, first: str, second: str) -> float:
        """The standard deviation of favouritism over all segments, in which disagreements are measured."""
        import numpy as np

        gains = [self._benefits.get((name, str(metric))) for name in (first, second)]
        if first == second or gains[0] is None or gains[1] is None:
            return 0.0
        values = gains[0] - gains[1]
        known = values[~np.isnan(values)]
        return float(known.std()) if len(known) else 0.0

    def favours(self, metric: Metric, first: str, second: str) -> Array:
        """The steps by which a segment favours the first system. # (n,)"""
        return self.steps[first, str(metric)] - self.steps[second, str(metric)]

    def disagreement(self, one: Metric, other: Metric, first: str, second: str) -> Array:
        """How far two metrics favour different systems: the smaller favour in units of its spread; NaN where they do
        not. # (n,)"""
        import numpy as np

        favours = [self.favours(metric, first, second) for metric in (one, other)]
        sizes = [
            np.abs(part) * self.scales[str(metric)] / (self.spread(metric, first, second) or math.inf)
            for metric, part in zip((one, other), favours, strict=True)
        ]
        opposite = np.sign(favours[0]) * np.sign(favours[1]) < 0
        return np.where(opposite, np.minimum(*sizes), np.nan)

    @cached_property
    def hits(self) -> dict[str, Array]:
        """In how many systems a detector found something, by detector. # each (n,)"""
        import numpy as np

        diagnosis = self.results.diagnosis
        found: dict[str, Any] = {}
        for kind in diagnosis.detectors if diagnosis else ():
            marks = [diagnosis.tallies[name, kind].marks for name in self.results.systems]  # type: ignore[union-attr]
            found[kind] = np.sum([np.frombuffer(each, dtype=np.uint8) == Tally.HIT for each in marks], axis=0)
        return found


def _rounded(values: Array, metric: Metric) -> Array:
    """As `round` has it, to one decimal more than the metric shows. # (n,)"""
    import numpy as np

    scale = 10.0 ** (metric.decimals + 1)
    with np.errstate(over="ignore", invalid="ignore"):  # of numbers that are larger than any score
        times = values * scale
        found = np.rint(times) / scale
        near = np.abs(times - np.floor(times) - 0.5) <= HALF * (1 + np.abs(times))  # the product may have been rounded
    near |= np.abs(times) > LARGE
    found[near] = [round(value, metric.decimals + 1) for value in values[near].tolist()]
    return found


def _largest(values: Array) -> float:
    import numpy as np

    known = np.abs(values[~np.isnan(values)])
    return float(known.max()) if len(known) else 0.0
