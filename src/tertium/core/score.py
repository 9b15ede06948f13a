"""Score: one result type for every metric and human scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["corpus", "document", "segment"]
Part = float | tuple[float, ...]


@dataclass(frozen=True)
class Interval:
    """What a score could have been: values that the segments at hand do not speak against."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Score:
    """A value (NaN: not scored), how many segments it rests on, and what it is made of."""

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
