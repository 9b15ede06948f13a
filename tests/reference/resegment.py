"""All segmentations of an output, and the one that is chosen: naive, for a handful of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

Words = tuple[str, ...]


@cache
def distance(one: Words, other: Words) -> int:
    """Levenshtein's, by its recursion."""
    if not one or not other:
        return len(one) + len(other)
    swap = distance(one[:-1], other[:-1]) + (one[-1] != other[-1])
    return min(swap, distance(one[:-1], other) + 1, distance(one, other[:-1]) + 1)


def all_ends(words: int, segments: int) -> Iterator[tuple[int, ...]]:
    """Every way to cut: where each segment ends; the last ends where the output does."""
    if segments == 1:
        yield (words,)
        return
    for first in range(words + 1):
        for rest in all_ends(words - first, segments - 1):
            yield (first, *(first + end for end in rest))


def edits(output: Words, segments: Sequence[Sequence[Words]], ends: Sequence[int]) -> int:
    """Errors of all segments, each against the reference with the fewest."""
    starts = (0, *ends[:-1])
    parts = [output[start:end] for start, end in zip(starts, ends, strict=True)]
    return sum(min(distance(part, each) for each in refs) for part, refs in zip(parts, segments, strict=True))


def resegment(output: Words, segments: Sequence[Sequence[Words]], closing: str = "") -> tuple[int, tuple[int, ...]]:
    """The fewest edits, and of the segmentations that have them the one that the rule chooses: from the last segment
    to the first, the length closest to that of a reference with which it is among the best, 8 farther where no
    sentence ends before it (a word in `closing`); of two the smaller."""
    costs = {ends: edits(output, segments, ends) for ends in all_ends(len(output), len(segments))}
    fewest = min(costs.values())
    best = {ends for ends, cost in costs.items() if cost == fewest}
    for k in range(len(segments) - 1, 0, -1):

        def rank(ends: tuple[int, ...], k: int = k) -> tuple[int, int]:
            start = ends[k - 1]
            part = output[start : ends[k]]
            least = min(distance(part, each) for each in segments[k])
            lengths = [len(each) for each in segments[k] if distance(part, each) == least]
            far = 0 if start > 0 and output[start - 1] in closing else 8
            return far + min(abs(len(part) - length) for length in lengths), len(part)

        wanted = min(map(rank, best))
        best = {ends for ends in best if rank(ends) == wanted}
    [chosen] = best
    return fewest, chosen
