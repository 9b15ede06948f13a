"""Corrections for multiple comparisons: of twenty tests of equal systems at 5 %, one finds a difference on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def holm(p: Sequence[float]) -> list[float]:
    """Holm (1979): the family-wise error rate, the chance of even one false alarm, stays below alpha. The k-th smallest
    p counts m - k + 1 times."""
    order, m, worst = sorted(range(len(p)), key=p.__getitem__), len(p), 0.0
    adjusted = [0.0] * m
    for k, which in enumerate(order):
        worst = max(worst, min(1.0, (m - k) * p[which]))
        adjusted[which] = worst
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg (1995), the false discovery rate: of the differences found, at most a share alpha is
    expected to be false."""
    order, m, best = sorted(range(len(p)), key=p.__getitem__), len(p), 1.0
    adjusted = [0.0] * m
    for k in range(m, 0, -1):
        which = order[k - 1]
        best = min(best, p[which] * m / k)
        adjusted[which] = best
    return adjusted


def uncorrected(p: Sequence[float]) -> list[float]:
    """The p-values as they are."""
    return list(p)


CORRECTIONS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": uncorrected,
}
CORRECTED = {  # as people read it
    "max-t": "p after step-down max-T",
    "holm": "p after Holm",
    "bh": "p after Benjamini-Hochberg",
    "none": "p uncorrected",
}
