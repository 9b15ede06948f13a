"""Counting n-grams (Papineni et al. 2002, section 2)."""

from collections import Counter
from collections.abc import Sequence
from functools import reduce


def count(units: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """How often each n-gram occurs; the units are words or characters."""
    return Counter(tuple(units[i : i + n]) for i in range(len(units) - n + 1))


def clipped(output: list[str], references: list[list[str]], order: int) -> tuple[list[int], list[int]]:
    """Matches and totals for n = 1..order.

    An n-gram matches at most as often as it occurs in the reference that has most of it.
    """
    matches, totals = [], []
    for n in range(1, order + 1):
        found = count(output, n)
        allowed = reduce(lambda a, b: a | b, (count(reference, n) for reference in references))
        matches.append((found & allowed).total())
        totals.append(found.total())
    return matches, totals


def closest_length(output: list[str], references: list[list[str]]) -> int:
    """The reference length nearest to the output's length; of two equally near, the shorter."""
    return min((len(reference) for reference in references), key=lambda r: (abs(r - len(output)), r))
