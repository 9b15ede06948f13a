"""What stands behind the marks of charts: outputs by two scores, words by how often they come, answers of raters.

Figures ask here for a link and say how many segments it shows. What the page's script needs to find them again is kept,
and goes into the browser's data, which are made last. Bounds are of the numbers that the page has, so that a mark and
its list agree to the last segment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tertium.analysis.contrast import ALL, INVENTED, TypeBucket, TypeContrast
from tertium.core.sparse import SparseRows
from tertium.core.type_stats import rows_at_a_time, types_of_rows
from tertium.report.links import as_shown, segments_link

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array
    from tertium.report.results import Results

    Masks = NDArray[np.int64]

# What a condition takes besides its value; the page's script has the same list (`assets/only.js`)
ASIDE = {"said": ("of", "rater", "scale"), "outputs": ("by", "people"), "times": ("of",)}
PEOPLE_DECIMALS = 4  # of people's scores on the page


@dataclass(frozen=True, eq=False)
class Behind:
    """What figures of a report lead to."""

    results: Results
    counts: dict[str, int] = field(default_factory=dict)  # segments behind a mark, by what is asked
    people: dict[str, Mapping[str, Array]] = field(default_factory=dict)  # scores by title and system # each (n,)

    def link(self, kind: str, segments: int, **asked: str) -> dict[str, Any]:
        """Fields of a mark's row: where it leads, and to how many segments; nothing on a page without segments."""
        if not self.results.linked or not segments:
            return {}
        self.counts["\n".join([kind, *(as_shown(name, asked[name]) for name in (kind, *ASIDE[kind]))])] = segments
        return {"segments": segments, "href": segments_link(self.results, **asked)}

    @cached_property
    def frequencies(self) -> dict[str, Masks]:
        """For every system and segment the buckets of frequency of which it has a type, in a reference or in the
        output: a bit for each. # each (n,)"""
        found: dict[str, Masks] = {}
        for contrast in self.results.contrasts.values():
            for system in contrast.systems:
                if system not in found:
                    found[system] = self._masks(contrast, system)
        return found

    def _masks(self, contrast: TypeContrast, system: str) -> Masks:
        import numpy as np

        evaluation = self.results.evaluation
        stats = [evaluation.stats(name, contrast.metric) for name in (system, *contrast.systems)]
        masks, rows, types = np.zeros(len(stats[0]), dtype=np.int64), stats[0].rows, stats[0].types
        if types is None or not isinstance(rows, SparseRows):
            return masks
        bits = {pair.type: bit(contrast, pair.references) for pair in contrast.pairs}
        of_type = np.array([bits.get(str(word), 0) for word in types], dtype=np.int64)
        for first, part in rows_at_a_time(rows):
            row_of, type_of, _ = types_of_rows(part)
            np.bitwise_or.at(masks, first + row_of, of_type[type_of])
        return np.where(stats[1].scored & stats[2].scored, masks, 0)

    def bucket(self, system: str, name: str, contrast: TypeContrast) -> dict[str, Any]:
        """The link of a bucket of frequency under a system."""
        place = [each.name for each in frequency_buckets(contrast)].index(name)
        segments = int((self.frequencies[system] >> place & 1).sum())
        return self.link("times", segments, times=name, of=system, first=system)


def frequency_buckets(contrast: TypeContrast) -> list[TypeBucket]:
    """Those of types that references have."""
    return [bucket for bucket in contrast.buckets if bucket.name not in (INVENTED, ALL)]


def bit(contrast: TypeContrast, references: int) -> int:
    """The bit of the bucket of types that come so often; 0 of those that references never have."""
    for place, bucket in enumerate(frequency_buckets(contrast)):
        if bucket.low <= references and (bucket.high is None or references <= bucket.high):
            return 1 << place
    return 0


def ends(low: float, high: float) -> str:
    """From here to below there, as an address says it; just that where both are the same."""
    return "..".join(f"{end:g}" if float(f"{end:g}") == end else repr(end) for end in (low, high)).replace(
        "inf", "Infinity"
    )


# Outputs by a metric and by people


@dataclass(frozen=True, eq=False)
class OutputLinks:
    """Scores of outputs as the page has them, and links to those that lie between bounds of both."""

    results: Results
    people: str  # how their scores are called
    judged: Mapping[str, Array]  # by system # each (n,)

    @classmethod
    def of(cls, results: Results, people: str, systems: Mapping[str, Array]) -> OutputLinks:
        """The same scores with as many decimals as the page has."""
        import numpy as np

        kept = {name: np.round(values, PEOPLE_DECIMALS) for name, values in systems.items()}
        results.behind.people[people] = kept
        return cls(results, people, kept)

    def scores(self, metric: str) -> Array:
        """Of the systems that people judged. # (systems, n)"""
        import numpy as np

        return np.array([self.results.numbers.scores[name, metric] for name in self.judged])

    def between(
        self, metric: str, x: tuple[float, float], y: tuple[float, float], segments: int, **asked: str
    ) -> dict[str, Any]:
        """The link of the outputs between these bounds."""
        title = self.results.titles[metric]
        return self.results.behind.link(
            "outputs", segments, outputs=f"{ends(*x)},{ends(*y)}", by=title, people=self.people, metric=title, **asked
        )

    def system(self, metric: str, name: str) -> str:
        """The address of a system's segments by a metric."""
        return segments_link(self.results, first=name, metric=self.results.titles[metric], sort="score")


def outermost(edges: Array | tuple[float, ...], place: int) -> tuple[float, float]:
    """A bar or square's bounds: the first and the last hold what lies beyond."""
    low = -math.inf if place == 0 else float(edges[place])
    high = math.inf if place == len(edges) - 2 else float(edges[place + 1])
    return low, high
