"""Minimum Bayes risk (Kumar and Byrne 2004) by the book: a loop over references in a loop over candidates."""

from collections.abc import Callable, Sequence
from fractions import Fraction


def expected_utilities(
    candidates: Sequence[str],
    references: Sequence[str],
    weights: Sequence[float],
    utility: Callable[[str, str], float],
) -> list[Fraction]:
    """Of every candidate the average utility against all references, each counted by its weight; not rounded."""
    total = sum(map(Fraction, weights))
    return [
        sum(
            (Fraction(weight) * Fraction(utility(candidate, reference))
             for reference, weight in zip(references, weights, strict=True)),
            Fraction(0),
        ) / total
        for candidate in candidates
    ]  # fmt: skip


def first_best(utilities: Sequence[Fraction]) -> int:
    """The place of the best, the first of equals."""
    return max(range(len(utilities)), key=lambda k: (utilities[k], -k))
