"""What an axis covers: one bad system does not squeeze all others. It is drawn at the edge, marked, with its figure."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

FAR = 3.0  # times as far as the system in the middle
Ends = tuple[float, float]


def near_ends(values: Sequence[float], better: str) -> Ends:
    """What an axis covers: the best, and all that are not much further from it than the one in the middle."""
    best = max(values, default=0.0) if better == "higher" else min(values, default=0.0)
    near = [value for value in values if not is_far(value, values, best)] or [best]
    low, high = min(near), max(near)
    room = 0.08 * (high - low) or 0.5
    return low - room, high + room


def is_far(value: float, values: Sequence[float], best: float) -> bool:
    """As the first chart has it: more than three times as far from the best as the system in the middle."""
    others = sorted(abs(other - best) for other in values)[1:]
    limit = FAR * median(others) if others else 0.0
    return 0 < limit < abs(value - best)
