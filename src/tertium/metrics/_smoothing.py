"""Smoothing of BLEU's precisions (Chen and Cherry 2014), for n-gram lengths of which few or none match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tertium.core.numbers import Number, log, maximum, ratio, where

# What a method takes if it is not told: epsilon, k, K and alpha of Chen and Cherry (2014).
SMOOTHING = {
    "exp": 0.0,
    "floor": 0.1,
    "add-k": 1.0,
    "none": 0.0,
    "length": 5.0,
    "average": 0.0,
    "prior": 5.0,
    "length+average": 5.0,
}
VALUED = ("floor", "add-k", "length", "prior", "length+average")
AVERAGED = ("average", "length+average")  # need the matches of one length more


class Precisions(NamedTuple):
    """Matches and n-grams by length, smoothed, and their ratios."""

    matches: Sequence[Number]
    totals: Sequence[Number]
    p: Sequence[Number]


def smooth(
    matches: Sequence[Number], totals: Sequence[Number], c: Number, method: str, value: float, nltk: bool
) -> Precisions:
    """Smoothed by one of the methods; with `nltk` as NLTK 3.10 has them, where they are others than the paper's."""
    every = totals
    if nltk:  # lengths without n-grams count as one wrong n-gram
        totals = [maximum(total, 1.0) for total in totals]
    steps: dict[str, Callable[..., tuple[list[Number], list[Number]]]] = {"add-k": _add, "floor": _floor, "exp": _halve}
    if method in steps:
        matches, totals = steps[method](matches, totals, value)
    if method.startswith("length"):
        beyond = matches[-1:] if nltk and method in AVERAGED else []  # which NLTK leaves as it is
        known = len(matches) - len(beyond)
        matches = [*_by_length(matches[:known], totals[:known], c, value, nltk), *beyond]
    p = [ratio(m, t) for m, t in zip(matches, totals, strict=True)]
    if method in AVERAGED and nltk:
        p = _neighbours(p)
    elif method in AVERAGED:
        matches = _neighbours(matches)
        p = [_at_most_one(ratio(m, t)) for m, t in zip(matches, totals, strict=False)]
    elif method == "prior":
        p = _with_prior(matches, every, p, value)
    return Precisions(matches, totals, p)


def _none(m: Number, t: Number) -> Number:
    """1 where n-grams of a length are there and none matches."""
    return where((m == 0) & (t > 0), 1.0, 0.0)


def _add(matches: Sequence[Number], totals: Sequence[Number], k: float) -> tuple[list[Number], list[Number]]:
    """Method 2, for n > 1."""
    return [matches[0], *(m + k for m in matches[1:])], [totals[0], *(t + k for t in totals[1:])]


def _floor(matches: Sequence[Number], totals: Sequence[Number], value: float) -> tuple[list[Number], list[Number]]:
    """Method 1."""
    return [where(_none(m, t) > 0, value, m) for m, t in zip(matches, totals, strict=True)], [*totals]


def _halve(matches: Sequence[Number], totals: Sequence[Number], _: float) -> tuple[list[Number], list[Number]]:
    """Method 3: each length without a match counts half as much as the one before."""
    share: Number = 1.0
    smoothed: list[Number] = []
    for m, t in zip(matches, totals, strict=True):
        share = where(_none(m, t) > 0, share / 2, share)
        smoothed.append(where(_none(m, t) > 0, share, m))
    return smoothed, [*totals]


def _by_length(matches: Sequence[Number], totals: Sequence[Number], c: Number, K: float, nltk: bool) -> list[Number]:
    """Method 4: each length without a match counts ln(c)/K as much as the one before; by NLTK half as much, and the
    first ln(c)/(2 K)."""
    scale = log(where(c > 1, c, 1.0)) / K
    share: Number = 1.0
    smoothed: list[Number] = []
    for m, t in zip(matches, totals, strict=True):
        share = where(_none(m, t) > 0, share * (0.5 if nltk else scale), share)
        smoothed.append(where(_none(m, t) > 0, share * scale if nltk else share, m))
    return smoothed


def _neighbours(values: Sequence[Number]) -> list[Number]:
    """Method 5: the mean of what the length before has come to, its own value, and that of the next."""
    before = values[0] + 1
    smoothed = []
    for here, behind in pairwise(values):
        before = (before + here + behind) / 3
        smoothed.append(before)
    return smoothed


def _with_prior(matches: Sequence[Number], totals: Sequence[Number], p: Sequence[Number], alpha: float) -> list[Number]:
    """Method 6, for n > 2: as if alpha n-grams more had been seen, of which as many match as the change from the length
    before last to the last foretells (Gao and He 2013)."""
    smoothed = [*p]
    for n in range(2, len(smoothed)):
        foretold = ratio(smoothed[n - 1] * smoothed[n - 1], smoothed[n - 2])
        smoothed[n] = _at_most_one(ratio(matches[n] + alpha * foretold, totals[n] + alpha))
    return smoothed


def _at_most_one(p: Number) -> Number:
    return where(p > 1, 1.0, p)
