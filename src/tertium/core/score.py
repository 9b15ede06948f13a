"""Score: one result type for every metric and human scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["corpus", "document", "segment"]
Part = float | tuple[float, ...]


@dataclass(frozen=True)
class Interval:
    """A confidence interval, such as a bootstrap interval: its limits and its confidence level (0.95)."""

    low: float
    high: float
    confidence: float


def ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Both ends; nothing where there is no interval."""
    return (None, None) if interval is None else (interval.low, interval.high)


@dataclass(frozen=True, kw_only=True)
class Score:
    """A value (NaN: not scored), the number of segments that were scored, and the parts of the formula."""

    metric: str
    value: float
    n: int
    system: str = ""
    level: Level = "corpus"
    segment: str | None = None
    document: str | None = None
    parts: Mapping[str, Part] = field(default_factory=dict)
    interval: Interval | None = None
    signature: str = ""

    def __float__(self) -> float:
        return self.value
