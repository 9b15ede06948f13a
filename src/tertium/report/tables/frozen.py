"""Where scores lie among frozen ones, as sentences, columns and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from tertium.core.evaluation import Evaluation
from tertium.core.plain import plain
from tertium.core.score import Level, Score
from tertium.core.table import Table, numbers
from tertium.core.wording import headings
from tertium.meta.frozen import FrozenScores, Place, why_other

TEXTS = ("n:", "data:", "src:")  # the parts of a signature that say which texts were read


@dataclass(frozen=True, kw_only=True)
class Places:
    """The scores of an evaluation beside those of one file."""

    frozen: FrozenScores
    places: Sequence[Place]
    notes: Sequence[str]

    def sentences(self, evaluation: Evaluation, metric: str | None = None) -> list[str]:
        """One for each metric, or for the one that is named."""
        own = headings(evaluation.metrics)
        names = [text for text in own if metric in (None, text) and any(item.metric == text for item in self.places)]
        return [self._sentence(text, own[text].removesuffix(" ↓")) for text in names]

    def _sentence(self, metric: str, title: str) -> str:
        """Scores of systems by name; of segments, the middle one of each system."""
        items = [item for item in self.places if item.metric == metric and item.share == item.share]
        shares: dict[str, list[float]] = {}
        for item in items:
            shares.setdefault(item.system, []).append(item.share)
        if not items:
            return f"{title}: there is nothing to set beside {self.frozen.name}."
        middle = ", the middle one of each system's segments" if items[0].of == "segments" else ""
        side = "higher" if self.frozen.metrics[metric].better == "higher" else "lower"
        said = ", ".join(f"{system} {percent(median(own))}" for system, own in shares.items())
        beside = f"{side} than this share of the {items[0].n:,} scores of {items[0].of} in {self.frozen.name}"
        return f"{title}: {beside} (ties count half){middle}: {said}."


def percent(share: float) -> str:
    """`73 %`; not 100 % where it is not all, nor 0 % where it is not none."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return "under 1 %" if share < 0.5 else "over 99 %"
    return f"{100 * share:.0f} %"


def places_beside(evaluation: Evaluation, against: Sequence[FrozenScores], level: Level = "corpus") -> list[Places]:
    """Where scores lie among those of each file, and what must be known of it."""
    return [
        Places(frozen=frozen, places=frozen.places(evaluation, level), notes=_notes(evaluation, frozen))
        for frozen in against
    ]


def _notes(evaluation: Evaluation, frozen: FrozenScores) -> list[str]:
    """Metrics that are others, and a test set that is another."""
    notes = [reason for metric in evaluation.metrics if (reason := why_other(frozen, evaluation, metric))]
    testset = evaluation.testset
    if not _same_texts(evaluation, frozen):
        theirs = [frozen.testset.get(key) for key in ("source_language", "target_language")]
        pair = "-".join(str(language) for language in theirs) if all(theirs) else ""
        if pair and testset.language_pair and pair != testset.language_pair:
            pair = f", and of {pair}, not {testset.language_pair}"
        else:
            pair = ""
        notes.append(
            f"{frozen.name} is of another test set than {testset.name}{pair}: where a score lies among its scores also "
            f"depends on the texts, not on the systems alone"
        )
    return notes


def _same_texts(evaluation: Evaluation, frozen: FrozenScores) -> bool:
    """Whether the texts that a metric reads beside outputs are those of the frozen scores: signatures name them."""
    if frozen.testset.get("digest") == evaluation.testset.digest:
        return True
    for metric in evaluation.metrics:
        if why_other(frozen, evaluation, metric) is None:
            both = (frozen.metrics[str(metric)].signature, evaluation.signatures[str(metric)])
            one, other = ({part for part in said.split("|") if part.startswith(TEXTS)} for said in both)
            return one == other
    return False


def places_objects(found: Sequence[Places]) -> list[dict[str, Any]]:
    """Each file with the places of all scores, for JSON."""
    return [
        {
            "name": item.frozen.name,
            "testset": dict(item.frozen.testset),
            "systems": list(item.frozen.systems),
            "places": plain(list(item.places)),
            "notes": list(item.notes),
        }
        for item in found
    ]


def with_places(table: Table, scores: Sequence[Score], found: Sequence[Places]) -> Table:
    """A table of scores, a row each, with a column for each file: the share of its scores that are worse."""
    columns, rows = [*table.columns], [[*row] for row in table.rows]
    for item in found:
        known = {(place.system, place.metric, place.segment): place.share for place in item.places}
        columns += numbers(f"better than share of {item.frozen.name}")
        for row, score in zip(rows, scores, strict=True):
            row.append(known.get((score.system, score.metric, score.segment)))
    return Table(columns=columns, rows=rows, title=table.title, note=table.note)
