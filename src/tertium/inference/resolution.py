"""How small a p-value can become: with N trials none is below 1/(N + 1), whatever the data say.

The systems as they are count as one trial of N + 1. A correction over m tests that multiplies the smallest p by m
(Bonferroni, Holm) makes it m/(N + 1); where this exceeds alpha, nothing can be significant, and "not significant"
says nothing about the systems. Corrections by the largest statistic of each trial (`max-t`) have m = 1.
"""

from __future__ import annotations

import math

from tertium.core.wording import counted

SHARE = 0.1  # of alpha: the smallest p that default trials can show


def smallest_p(trials: int, tests: int = 1) -> float:
    """The smallest p that so many trials can show after a correction over so many tests."""
    return min(1.0, tests / (trials + 1))


def enough_trials(alpha: float, tests: int = 1, share: float = SHARE) -> int:
    """The fewest trials whose smallest p is at most that share of alpha."""
    needed = math.ceil(tests / (alpha * share) * (1 - 1e-12)) - 1  # 1 / (0.05 * 0.1) is a hair above 200
    return max(1, needed)


def smallest_swap_p(units: int, tests: int = 1) -> float:
    """The smallest two-sided p of all 2^n ways to swap n units: none and all swapped show the full difference."""
    return min(1.0, tests * 2.0 ** (1 - units))


def unresolvable(trials: int, alpha: float, tests: int = 1) -> str | None:
    """Where no result could be significant: how many trials were made, and how many it takes; else None."""
    if smallest_p(trials, tests) <= alpha:
        return None
    return f"not resolvable with {counted(trials, 'trial')}; needs {enough_trials(alpha, tests)}"
