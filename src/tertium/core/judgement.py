"""Judgement: what a rater said about a segment; scales are data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["genuine", "repeat", "reference", "degraded"]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A question put to raters and the values an answer can have."""

    name: str
    low: float
    high: float
    labels: Mapping[float, str]
    better: Literal["higher", "lower"] = "higher"


# The 1-5 scales are those of LDC (2005), "Linguistic data annotation specification: assessment of fluency and
# adequacy in translations"; 0-100 direct assessment is Graham et al. (2013).
SCALES: dict[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale(
            name="adequacy",
            low=1,
            high=5,
            labels={1: "none of the meaning", 2: "little", 3: "much", 4: "most", 5: "all of the meaning"},
        ),
        Scale(
            name="fluency",
            low=1,
            high=5,
            labels={1: "incomprehensible", 2: "disfluent", 3: "non-native", 4: "good", 5: "flawless"},
        ),
        Scale(name="da100", low=0, high=100, labels={0: "not at all", 100: "perfectly"}),
    )
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """A marked error: characters [start, end) of the output, its severity and category."""

    start: int
    end: int
    severity: str
    category: str = ""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One answer of one rater. `segment` counts from 0."""

    system: str
    segment: int
    rater: str
    scale: str
    value: float
    kind: Kind = "genuine"
    task: str | None = None
    duration: float | None = None
    spans: tuple[Span, ...] = ()
