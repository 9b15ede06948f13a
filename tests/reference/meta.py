"""Metrics against people, written as the definitions read: slow, obvious, and the judge of tertium.inference."""

import math
from fractions import Fraction
from itertools import combinations, product

Column = list[float]


def known_pairs(gold: Column, metric: Column) -> list[tuple[float, float]]:
    """Differences of people and metric for every pair of members that both have both."""
    members = [(g, m) for g, m in zip(gold, metric, strict=True) if not math.isnan(g) and not math.isnan(m)]
    return [(a[0] - b[0], a[1] - b[1]) for a, b in combinations(members, 2)]


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def acc_eq(gold: Column, metric: Column, eps: float = 0.0) -> Fraction | None:
    """The share of pairs on which both say the same: better, worse, tied."""
    pairs = known_pairs(gold, metric)
    if not pairs:
        return None
    right = [sign(g) == (0 if abs(m) <= eps else sign(m)) for g, m in pairs]
    return Fraction(sum(right), len(right))


def calibrated(groups: list[tuple[Column, Column]]) -> tuple[Fraction, float, float]:
    """The largest mean of acc_eq over groups, and the smallest and largest eps that give it."""
    gaps = {0.0} | {abs(m) for gold, metric in groups for _, m in known_pairs(gold, metric)}
    values = {}
    for eps in gaps:
        found = [value for gold, metric in groups if (value := acc_eq(gold, metric, eps)) is not None]
        values[eps] = sum(found, Fraction(0)) / len(found)
    best = max(values.values())
    chosen = [eps for eps, value in values.items() if value == best]
    return best, min(chosen), max(chosen)


def kendall_like(groups: list[tuple[Column, Column]], threshold: float) -> float:
    """Concordant minus discordant over pairs that people set apart; a tie of the metric is discordant."""
    votes = [
        1 if sign(g) == sign(m) else -1
        for gold, metric in groups
        for g, m in known_pairs(gold, metric)
        if abs(g) >= threshold
    ]
    return sum(votes) / len(votes) if votes else math.nan


def flip_p(first: Column, second: Column) -> Fraction:
    """The share of all ways to swap segments in which the difference is at least what it is."""
    gaps = [a - b for a, b in zip(first, second, strict=True)]
    observed = sum(gaps)
    signs = list(product((1, -1), repeat=len(gaps)))
    return Fraction(sum(sum(s * g for s, g in zip(way, gaps, strict=True)) >= observed for way in signs), len(signs))


def spa(gold: list[Column], metric: list[Column]) -> Fraction:
    """1 minus the mean distance of p-values over pairs of systems."""
    pairs = list(combinations(range(len(gold)), 2))
    apart = [abs(flip_p(gold[a], gold[b]) - flip_p(metric[a], metric[b])) for a, b in pairs]
    return 1 - sum(apart, Fraction(0)) / len(pairs)
