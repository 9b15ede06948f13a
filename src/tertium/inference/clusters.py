"""Clusters of systems, as WMT prints them: no two systems of different clusters are undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def clusters(ranked: Sequence[str], beats: Callable[[str, str], bool]) -> list[list[str]]:
    """Systems from best to worst, cut wherever everyone above is significantly better than everyone below."""
    found: list[list[str]] = []
    first = 0
    for cut in range(1, len(ranked) + 1):
        if all(beats(above, below) for above in ranked[first:cut] for below in ranked[cut:]):
            found.append(list(ranked[first:cut]))
            first = cut
    return found
