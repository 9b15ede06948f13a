"""Judgement: a rater's answer about a segment; scales are data.

A ranking of several systems is one judgement per system on the scale `rank`, with the same rater, segment and task: the
value is the system's place, 1 is best, and systems that are tied have the same value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tertium.core.errors import InputError

Kind = Literal["genuine", "repeat", "reference", "degraded"]
Side = Literal["output", "source", "none"]  # what raters can mark


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A question put to raters and the values an answer can have."""

    name: str
    low: float
    high: float
    labels: Mapping[float, str]
    better: Literal["higher", "lower"] = "higher"


# The 1-5 scales are those of LDC (2005), "Linguistic data annotation specification: assessment of fluency and
# adequacy in translations"; 0-100 direct assessment is Graham et al. (2013); the 0-6 scale is that of Kocmi et al.
# (2022), "Findings of the 2022 conference on machine translation", which labels every second point; ranking is that of
# Callison-Burch et al. (2007); error span annotation (a score after marking errors) is Kocmi et al. (2024); MQM is
# Lommel et al. (2014) with the weights of Freitag et al. (2021); catastrophic errors are those of MLQE-PE (Fomicheva
# et al. 2022).
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
        Scale(
            name="sqm",
            low=0,
            high=6,
            labels={
                0: "no meaning preserved",
                1: "hardly any",
                2: "some meaning preserved",
                3: "about half",
                4: "most meaning preserved, few grammar mistakes",
                5: "nearly all",
                6: "perfect meaning and grammar",
            },
        ),
        # The same words on a slider, as WMT showed them to its raters.
        Scale(
            name="sqm100",
            low=0,
            high=100,
            labels={
                0: "no meaning preserved",
                17: "hardly any",
                33: "some meaning preserved",
                50: "about half",
                67: "most meaning preserved, few grammar mistakes",
                83: "nearly all",
                100: "perfect meaning and grammar",
            },
        ),
        Scale(name="rank", low=1, high=math.inf, labels={1: "best"}, better="lower"),
        Scale(name="esa", low=0, high=100, labels={0: "no meaning preserved", 100: "perfect"}),
        Scale(name="mqm", low=0, high=math.inf, labels={0: "no error"}, better="lower"),
        # Edits that a post-editor made, in percent of the words of what came out (Snover et al. 2006).
        Scale(name="hter", low=0, high=math.inf, labels={0: "nothing to mend"}, better="lower"),
        # Asked once at the end of a document: another question than that about its last segment.
        Scale(name="document100", low=0, high=100, labels={0: "not at all", 100: "perfectly"}),
        # The data have a few 2s and 3s, which its authors do not explain; whatever is not 0 counts as an error.
        Scale(name="catastrophic", low=0, high=3, labels={0: "no", 1: "a catastrophic error"}, better="lower"),
    )
}


@dataclass(frozen=True, kw_only=True)
class Span:
    """A marked error: characters [start, end) of the output, its severity and category.

    `side` is `source` where the characters are those of the source (something left out), and `none` where no characters
    are marked; then start and end are 0. Metrics, which mark errors too (`core.marks`), can also mark the `reference`.
    """

    start: int
    end: int
    severity: str
    category: str = ""
    side: Side | Literal["reference"] = "output"


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One answer of one rater. `segment` counts from 0.

    `task` is the batch in which the rater saw the segment. `duration` is in seconds and of this judgement alone: where
    only the time of a whole task is known, each of its judgements has an equal share. `start` is a Unix time.
    """

    system: str
    segment: int
    rater: str
    scale: str
    value: float
    kind: Kind = "genuine"
    task: str | None = None
    duration: float | None = None
    spans: tuple[Span, ...] = ()
    start: float | None = None


ENOUGH = 15  # judgements of a rater, below which their mean and sd say little about the rater


def why_raw(scale: str, counts: Iterable[int]) -> str:
    """Why human scores are raw scores by default; empty where they are standard scores (z).

    The rule is the same everywhere: z where at least two raters judged on a scale from 0 to 100 and each of them judged
    15 times or more; else raw scores. `counts` are the judgements of each rater on the scale. A scale of few points
    means the same to all raters; z of a rater of few judgements is mostly noise.
    """
    known = list(counts)
    if (SCALES[scale].low, SCALES[scale].high) != (0, 100):
        return "the scale is not one from 0 to 100"
    if len(known) < 2:
        return "fewer than two raters"
    few = sum(count < ENOUGH for count in known)
    return f"{few} of {len(known)} raters with fewer than {ENOUGH} judgements" if few else ""


# Freitag et al. (2021), "Experts, errors, and context", table 4; `critical` is that of Kocmi and Federmann (2023),
# "GEMBA-MQM", as the raters of Freitag et al. had no such severity.
MQM_WEIGHTS: dict[str, float] = {
    "non-translation": 25,
    "critical": 25,
    "major": 5,
    "minor": 1,
    "minor punctuation": 0.1,
    "neutral": 0,
}


def mqm_penalty(spans: Iterable[Span], weights: Mapping[str, float] = MQM_WEIGHTS) -> float:
    """The sum of the weights of the errors; 0 is perfect, lower is better.

    An error of the category non-translation has that weight whatever its severity; a minor error of punctuation has the
    weight `minor punctuation`. Capitals do not matter. Every rater's errors make one penalty; a segment's score is the
    mean over its raters.
    """
    return math.fsum(weights[_weight_name(span, weights)] for span in spans)


def _weight_name(span: Span, weights: Mapping[str, float]) -> str:
    severity, category = span.severity.casefold(), span.category.casefold()
    if category.startswith("non-translation"):
        return "non-translation"
    if severity == "minor" and category.rpartition("/")[2].strip() == "punctuation":
        return "minor punctuation"
    if severity not in weights:
        raise InputError(f"unknown severity {span.severity!r}; known: {', '.join(weights)}")
    return severity
