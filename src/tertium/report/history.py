"""The history of a test set: scores of each system in the evaluations that were made of it, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tertium.core.table import Rows, Table, numbers, texts
from tertium.core.wording import counted
from tertium.report.figures.history import history_chart
from tertium.report.page import Page
from tertium.report.parts import SectionPart, composed


class Scored(NamedTuple):
    """An evaluation: its name, when it was made (ISO 8601, UTC), and scores by metric and system."""

    name: str
    made: str
    scores: Mapping[str, Mapping[str, float | None]]
    titles: Mapping[str, str]
    verdict: str = ""


def history_page(testset: str, evaluations: Sequence[Scored]) -> Page:
    """A chart and a table of evaluations, the oldest first."""
    titles: dict[str, str] = {}
    for item in evaluations:
        titles |= {text: item.titles.get(text, text) for text in item.scores if text not in titles}
    systems = list(dict.fromkeys(name for item in evaluations for own in item.scores.values() for name in own))
    points = [
        {"metric": titles[text], "system": name, "date": _milliseconds(item.made), "score": score,
         "evaluation": item.name}
        for item in evaluations
        for text, own in item.scores.items()
        for name, score in own.items()
        if score is not None
    ]  # fmt: skip
    charts = [history_chart(points, list(dict.fromkeys(titles.values())), systems)] if points else []
    return Page(
        title="History of a test set",
        subtitle=f"{testset}: {counted(len(evaluations), 'evaluation')} of the same segments and references",
        sections=[
            composed("history", "Scores by date", [SectionPart(charts=charts, tables=[_table(evaluations, titles)])])
        ],
    )


def _table(evaluations: Sequence[Scored], titles: Mapping[str, str]) -> Table:
    """A row for each evaluation and system, the newest first."""
    rows: Rows = []
    for item in reversed(evaluations):
        for name in dict.fromkeys(name for own in item.scores.values() for name in own):
            scores = [item.scores.get(text, {}).get(name) for text in titles]
            rows.append([_day(item.made), item.name, name, *scores])
    return Table(
        title="Scores of every evaluation",
        columns=[*texts("made (UTC)", "evaluation", "system"), *numbers(*titles.values())],
        rows=rows,
        shown=40,
    )


def _day(made: str) -> str:
    return made[:16].replace("T", " ")


def _milliseconds(made: str) -> int:
    read = datetime.fromisoformat(made)
    return int((read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp() * 1000)
