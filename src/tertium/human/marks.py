"""Span F1: how far raters mark the same characters as wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tertium.core.judgement import Span
from tertium.human.coefficients import Coefficient, divide

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.human.ratings import Ratings

Ranges = list[tuple[int, int]]


def span_f1(ratings: Ratings, *, severity: bool) -> Coefficient:
    """F1 of the characters that two raters mark, summed over items and pairs of raters.

    F1 = 2 c / (a + b); a, b: characters that one and the other marks; c: those that both mark. With `severity` a
    character counts once for each severity it is marked with, and must be marked with the same. Characters of the
    source count as those of the output do; marks without any character do not count. An output that neither rater marks
    adds nothing: agreement that there is no error is not seen here. F1 is symmetric: neither rater is taken as the
    truth.
    """
    import numpy as np

    marked = [_marks(spans, severity) for spans in ratings.spans]
    sizes = np.array([sum(_length(ranges) for ranges in marks.values()) for marks in marked], dtype=np.float64)
    pairs = ratings.pairs
    busy = np.flatnonzero((sizes[pairs.left] > 0) & (sizes[pairs.right] > 0)).tolist() if len(sizes) else []
    both = np.zeros(len(pairs.item))
    for place in busy:
        left, right = marked[pairs.left[place]], marked[pairs.right[place]]
        both[place] = sum(_overlap(left[sort], right[sort]) for sort in left.keys() & right.keys())
    n = len(ratings.unit)
    total = sizes[pairs.left] + sizes[pairs.right] if len(sizes) else both
    rows = np.stack([2 * np.bincount(pairs.item, both, n), np.bincount(pairs.item, total, n)], axis=1)

    def under(weights: Array) -> Array:
        shared, all_marks = (weights @ rows).T
        return divide(shared, all_marks)

    return Coefficient(under, 2)


def _marks(spans: Iterable[Span], severity: bool) -> dict[tuple[str, str], Ranges]:
    """What is marked, in output and source, by severity or all together: ranges that rise and do not touch."""
    found: dict[tuple[str, str], Ranges] = {}
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        ranges = found.setdefault((span.side, span.severity if severity else ""), [])
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.end))
        else:
            ranges.append((span.start, span.end))
    return found


def _length(ranges: Ranges) -> int:
    return sum(end - start for start, end in ranges)


def _overlap(left: Ranges, right: Ranges) -> int:
    """Characters that are in both, in one walk along both lists."""
    i = j = shared = 0
    while i < len(left) and j < len(right):
        shared += max(0, min(left[i][1], right[j][1]) - max(left[i][0], right[j][0]))
        if left[i][1] <= right[j][1]:
            i += 1
        else:
            j += 1
    return shared
