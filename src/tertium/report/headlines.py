"""What else is found, on the first screen: the findings of later sections, each leading to its section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from tertium.report.page import Section

MOST = 3  # of a report; of several test sets, one for each
ORDER = ("errors", "types", "metrics-people", "parts", "metrics", "retrieval", "experiment")  # the first that there are


class Headline(NamedTuple):
    """A finding: the section in which it is, and its sentence."""

    id: str
    title: str
    sentence: str


def headlines(sections: Sequence[Section]) -> list[Headline]:
    """The findings that stand on the first screen. Of several test sets, the verdict on each."""
    known = {section.id: section for section in sections}
    sets = [section for section in sections if section.data.get("set")]
    if sets:
        return [Headline(section.id, section.title, section.finding) for section in sets if section.finding]
    found = (Headline(name, known[name].title, said) for name in ORDER if name in known
             and (said := finding(known[name])))  # fmt: skip
    return list(islice(found, MOST))


def finding(section: Section) -> str:
    """What a section says first; nothing where it has no finding."""
    return next(iter(_findings(section)), "")


def _findings(section: Section) -> Iterator[str]:
    if section.finding:
        yield section.finding
    for part in section.data.get("parts") or ():
        if part.finding and not part.folded:
            yield part.finding


def with_headlines(sections: Sequence[Section]) -> list[Section]:
    """The same sections, the first with what the others find."""
    found = headlines(sections)
    return [
        replace(section, data={**section.data, "headlines": found}) if section.first else section
        for section in sections
    ]
