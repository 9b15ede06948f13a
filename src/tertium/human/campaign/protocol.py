"""Protocols: what a rater is asked about an output, as data. One field of campaign.toml names one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tertium.core.judgement import SCALES, Kind, Scale

Mark = Literal["none", "severity", "taxonomy"]  # what raters say of a span: nothing, how bad it is, or also what it is


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """A way to judge: the questions, how many outputs are on the screen, whether errors are marked or mended."""

    name: str
    title: str  # for people who set a campaign up
    scales: tuple[str, ...]
    marks: Mark = "none"
    several: bool = False  # outputs are compared side by side
    edits: bool = False  # the rater mends the output
    controls: frozenset[Kind] = frozenset({"degraded", "repeat", "reference"})  # which control items make sense

    @property
    def questions(self) -> tuple[Scale, ...]:
        """The scales that raters see, in this order."""
        return tuple(SCALES[name] for name in self.scales)


# The categories of Freitag et al. (2021), "Experts, errors, and context", table 12.
MQM_CATEGORIES = (
    "Accuracy/Addition",
    "Accuracy/Omission",
    "Accuracy/Mistranslation",
    "Accuracy/Untranslated text",
    "Fluency/Punctuation",
    "Fluency/Spelling",
    "Fluency/Grammar",
    "Fluency/Register",
    "Fluency/Inconsistency",
    "Fluency/Character encoding",
    "Terminology/Inappropriate for context",
    "Terminology/Inconsistent use",
    "Style/Awkward",
    "Locale convention/Address format",
    "Locale convention/Currency format",
    "Locale convention/Date format",
    "Locale convention/Name format",
    "Locale convention/Telephone format",
    "Locale convention/Time format",
    "Non-translation!",
    "Other",
)
ONLY_REPEATS = frozenset[Kind]({"repeat"})

PROTOCOLS: Mapping[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        Protocol(name="da", title="direct assessment, 0-100 (Graham et al. 2013)", scales=("da100",)),
        Protocol(
            name="adequacy-fluency",
            title="adequacy and fluency, 1-5 each (LDC 2005)",
            scales=("adequacy", "fluency"),
        ),
        Protocol(
            name="sqm", title="scalar quality metric, 0-100 with seven labels (Kocmi et al. 2022)", scales=("sqm100",)
        ),
        Protocol(
            name="ranking",
            title="outputs side by side, ranked, ties allowed (Callison-Burch et al. 2007)",
            scales=("rank",),
            several=True,
            controls=ONLY_REPEATS,
        ),
        Protocol(
            name="esa",
            title="error spans with severity, then a score 0-100 (Kocmi et al. 2024)",
            scales=("esa",),
            marks="severity",
        ),
        Protocol(
            name="mqm",
            title="error spans with severity and category (Freitag et al. 2021)",
            scales=("mqm",),
            marks="taxonomy",
        ),
        Protocol(
            name="post-edit",
            title="the output is mended; edits and time are measured",
            scales=("hter",),
            edits=True,
            controls=frozenset(),
        ),
    )
}
