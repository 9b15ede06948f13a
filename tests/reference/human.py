"""Judgements by the textbook, in plain loops: the judge of what human/ does with arrays."""

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from statistics import fmean, stdev

from tertium.core.judgement import Judgement

Scores = dict[tuple[str, int], float]


def standard_scores(judgements: Sequence[Judgement], over: Sequence[str], zero: str) -> list[float | None]:
    """z of every judgement, None where it has none."""
    values = defaultdict(list)
    for judgement in judgements:
        if judgement.kind in over:
            values[judgement.rater].append(judgement.value)
    found: list[float | None] = []
    for judgement in judgements:
        mine = values[judgement.rater]
        sd = stdev(mine) if len(set(mine)) > 1 else 0.0
        if sd > 0:
            found.append((judgement.value - fmean(mine)) / sd)
        elif zero == "z0":
            found.append(0.0)
        elif zero == "sd1" and mine:
            found.append(judgement.value - fmean(mine))
        else:
            found.append(None)
    return found


def segment_means(judgements: Sequence[Judgement], values: Sequence[float | None], scored: Sequence[str]) -> Scores:
    """The mean of each system's segment."""
    cells = defaultdict(list)
    for judgement, value in zip(judgements, values, strict=True):
        if judgement.kind in scored and value is not None:
            cells[judgement.system, judgement.segment].append(value)
    return {cell: fmean(mine) for cell, mine in cells.items()}


def system_means(scores: Scores) -> dict[str, float]:
    """The mean over segments."""
    systems = defaultdict(list)
    for (system, _), value in scores.items():
        systems[system].append(value)
    return {system: fmean(values) for system, values in systems.items()}


def signed_rank(gains: Sequence[float]) -> float:
    """P(the sum of positive ranks is at least what it is) over all ways to give signs."""
    moved = [gain for gain in gains if gain]
    sizes = sorted(abs(gain) for gain in moved)
    ranks = [fmean(k for k, size in enumerate(sizes, 1) if size == abs(gain)) for gain in moved]
    observed = sum(rank for rank, gain in zip(ranks, moved, strict=True) if gain > 0)
    sums = [
        sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
        for signs in product([0, 1], repeat=len(moved))
    ]
    return sum(total >= observed for total in sums) / len(sums)


def permutation(gains: Sequence[float]) -> float:
    """P(the sum is at least what it is) over all ways to give signs."""
    sums = [
        sum(s * gain for s, gain in zip(signs, gains, strict=True)) for signs in product([-1, 1], repeat=len(gains))
    ]
    return sum(total >= sum(gains) - 1e-9 for total in sums) / len(sums)


def shared_seconds(intervals: Sequence[tuple[int, int]]) -> list[float]:
    """Second by second: everyone who works in it gets an equal share."""
    found = [0.0] * len(intervals)
    for second in range(max((end for _, end in intervals), default=0)):
        busy = [k for k, (start, end) in enumerate(intervals) if start <= second < end]
        for k in busy:
            found[k] += 1 / len(busy)
    return found


def strict_clusters(beats: Sequence[Sequence[bool]]) -> list[int]:
    """Where lines are drawn: everyone above beats everyone below."""
    n = len(beats)
    return [cut for cut in range(1, n) if all(beats[a][b] for a in range(cut) for b in range(cut, n))]


def gini(values: Sequence[float]) -> float:
    """The mean absolute difference of any two."""
    pairs = [abs(a - b) for k, a in enumerate(values) for b in values[:k]]
    return fmean(pairs) if pairs else math.nan


def gwet(items: Sequence[Sequence[int]], k: int, weighting: str) -> float:
    """Gwet's AC1 and AC2 of categories 0 to k - 1; an item is its answers, at least one of them has two."""

    def weight(i: int, j: int) -> float:
        gap = abs(i - j) / (k - 1)
        return {"nominal": float(i == j), "linear": 1 - gap, "quadratic": 1 - gap * gap}[weighting]

    answered = [item for item in items if item]
    agreed = [
        fmean(weight(a, b) for x, a in enumerate(item) for y, b in enumerate(item) if x != y)
        for item in answered
        if len(item) > 1
    ]
    shares = [fmean(item.count(i) / len(item) for item in answered) for i in range(k)]
    weights = sum(weight(i, j) for i in range(k) for j in range(k))
    chance = weights / (k * (k - 1)) * sum(share * (1 - share) for share in shares)
    return (fmean(agreed) - chance) / (1 - chance)
