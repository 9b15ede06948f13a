"""How every page begins: what there is to say first, how far to trust it, and what to be careful about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tertium.report.charts import Chart
from tertium.report.page import Section
from tertium.report.trust import Trust


class PageVerdict(NamedTuple):
    """The first sentence of a page, by which rule it was chosen, and a line of what belongs to it."""

    case: str
    sentence: str
    more: str = ""


def opening(
    said: PageVerdict, trust: Sequence[Trust] = (), charts: Sequence[Chart] = (), cautions: Sequence[str] = ()
) -> Section:
    """The first section of a page, by the report's own template."""
    return Section(
        id="summary",
        title="Verdict",
        first=True,
        template="verdict.html",
        charts=charts,
        data={"verdict": said, "trust": trust, "hero": None, "key": "", "cautions": [_sentence(c) for c in cautions]},
    )


def _sentence(note: str) -> str:
    """A note as a sentence; what begins with the name of a test set or a metric keeps its first letter."""
    head, *_ = note.split(" ", 1)
    start = note[:1].upper() if head.isalpha() and head.islower() else note[:1]
    return f"{start}{note[1:]}" + ("" if note.endswith((".", "?")) else ".")
