"""The rows of effort: what was changed in each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tertium.core.edited import EditedSegments, as_testset
from tertium.core.errors import OptionError
from tertium.core.marks import Link, Marks
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.human.effort.measures import COLUMNS
from tertium.metrics import parse

if TYPE_CHECKING:
    from tertium.core.stats import Array

HTER = "ter"


def count_effort(edited: EditedSegments, metric: str | Metric = HTER, run: Run = PLAIN) -> Stats:
    """A row for each edited segment, in the order of `COLUMNS`."""
    import numpy as np

    ter = parse(metric)
    if ter.name != HTER:
        raise OptionError(f"HTER is TER against post-edits; {ter} is another metric, choose options of ter")
    testset, n = as_testset(edited), len(edited)
    rows = np.zeros((n, len(COLUMNS)))

    def put(name: str, values: Any) -> None:
        rows[:, COLUMNS.index(name)] = values

    prepared = door.prepare(ter, testset, run)
    counts = door.count(ter, edited.outputs, prepared, run).segments()
    put("edits", counts[:, 0])
    put("words", counts[:, 1])
    kinds = np.array([_kinds(marks) for marks in door.marks(ter, edited.outputs, prepared, run)]).reshape(n, 3)
    for k, name in enumerate(("inserted", "deleted", "substituted")):
        put(name, kinds[:, k])
    put("shifted", counts[:, 0] - kinds.sum(axis=1))
    for name, edits, length in (("cer", "character_edits", "characters"), ("wer", "word_edits", "edited_words")):
        own = parse(name)
        hits, substitutions, deletions, insertions = (
            door.count(own, edited.outputs, door.prepare(own, testset, run), run).segments().T
        )
        put(edits, substitutions + deletions + insertions)
        put(length, hits + substitutions + deletions)
    put("untouched", [one == other for one, other in zip(edited.outputs, edited.edited, strict=True)])
    put("segments", 1)
    _put_times(rows, edited)
    return Stats(COLUMNS, rows, None)


def _kinds(marks: Marks) -> tuple[int, int, int]:
    """Words that were inserted into an output, deleted from it and substituted, behind all shifts."""
    said, wanted = (marks.read.get(side, "").split(" ") for side in ("output", "reference"))
    linked = sum(_words(link, marks) for link in marks.links)
    substituted = sum(_words(link, marks) for link in marks.links if link.kind == "substitution")
    return (
        len([word for word in wanted if word]) - linked,
        len([word for word in said if word]) - linked,
        substituted,
    )


def _words(link: Link, marks: Marks) -> int:
    return len(marks.read["output"][slice(*link.output)].split(" "))


def _put_times(rows: Array, edited: EditedSegments) -> None:
    """Words and hours of the segments whose time is known."""
    import numpy as np

    if edited.seconds is None:
        return
    texts = edited.edited if edited.sources is None else edited.sources
    words = np.array([len((text or "").split()) for text in texts], dtype=np.float64)
    seconds = np.array(edited.seconds)
    known = ~np.isnan(seconds)
    rows[known, COLUMNS.index("timed_words")] = words[known]
    rows[known, COLUMNS.index("hours")] = seconds[known] / 3600
