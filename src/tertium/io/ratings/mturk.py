"""Direct assessment as it is collected on Mechanical Turk (Graham et al. 2017): TSV with a header, one rating per line.

    HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time    (ad-*-good-raw.csv of WMT)
    annotator assignment hit doc system seg type raw hit_seconds                        (the same, tidied)

Types: SYSTEM genuine, REPEAT repeat, REF reference, BAD_REF degraded. The task of a judgement is `HITId/hit`. Times are
those of a worker's whole task: each of its judgements has an equal share. `rid` and `doc` number the appearances of
documents on the raters' screens, not the documents of the test set: they are not kept. `sid` and `seg` count segments
as WMT does, through documents in the order of their names, where the test set has documents and no ids.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import Judgement, Kind
from tertium.core.testset import TestSet
from tertium.io.columns import read_number
from tertium.io.ratings.rows import Rows, choose, short_number, write_rows
from tertium.io.ratings.segment_scores import campaign_order
from tertium.io.ratings.segments import Name, name_of, number_segments, split_languages

KINDS: dict[str, Kind] = {"SYSTEM": "genuine", "REPEAT": "repeat", "REF": "reference", "BAD_REF": "degraded"}
TYPES = {kind: word for word, kind in KINDS.items()}
HEADER = ("HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit", "sys_id", "rid", "type", "sid", "score",
          "time")  # fmt: skip
TIDY = ("annotator", "assignment", "hit", "doc", "system", "seg", "type", "raw", "hit_seconds")
ROLES = (
    "WorkerId|annotator", "HITId|assignment", "hit", "sys_id|system", "sid|seg", "type", "score|raw",
    "time|hit_seconds", "Input.src?", "Input.trg?",
)  # fmt: skip
MICROSECONDS = 6  # decimals: a share times the number of shares is the time again


def read_mturk(rows: Rows, testset: TestSet | None = None, order: str = "documents") -> Evaluation:
    """The judgements of either file, with a test set of its ids and languages where none is given. With the order
    `lines`, numbers of segments are those of lines."""
    raters, assignments, hits, systems, items, sorts, scores, times, sources, targets = rows.columns(ROLES)
    body = rows.body()
    names = [Name(item) for item in items]
    if sources and targets:
        pairs = zip(items, sources, targets, strict=True)
        names = [Name(item, "", f"{source}-{target}" if source and target else "") for item, source, target in pairs]
    places = None if testset is None or order == "lines" else _order(testset)
    testset, numbers = number_segments(names, body, testset, order=places)
    shares = Counter(zip(raters, assignments, strict=True))
    judgements = []
    columns = zip(raters, assignments, hits, systems, names, sorts, scores, times, strict=True)
    for k, (rater, assignment, hit, system, name, sort, score, time) in enumerate(columns):
        value, seconds = read_number(score), read_number(time) if time else None
        if not rater or not system:
            raise InputError(f"{body.where(k)}: no {'system' if rater else 'rater'}")
        kind = choose(sort, KINDS, "type", body.where(k))
        if not 0 <= value <= 100:
            raise InputError(
                f"{body.where(k)}: score {score!r} is not on the scale da100; expected a raw score from 0 to 100 "
                f"(standardised scores cannot be read back)"
            )
        if seconds is not None and not 0 <= seconds < math.inf:
            raise InputError(f"{body.where(k)}: time {time!r}; expected the seconds that the task took")
        judgements.append(
            Judgement(
                system=system,
                segment=numbers[name],
                rater=rater,
                scale="da100",
                value=value,
                kind=kind,
                task="/".join(filter(None, (assignment, hit))) or None,
                duration=None if seconds is None else seconds / shares[rater, assignment],
            )
        )
    return Evaluation(testset=testset, systems=(), judgements=tuple(judgements))


def _order(testset: TestSet) -> list[int] | None:
    """The segments as WMT numbers them; None where lines or ids do it."""
    return None if testset.documents is None or testset.ids is not None else campaign_order(testset)


def write_mturk(evaluation: Evaluation, path: str | Path) -> None:
    """Write judgements with the columns of the files of WMT; times are summed over each rater's task."""
    write_rows(path, _rows(evaluation, path))


def _rows(evaluation: Evaluation, path: str | Path) -> Iterator[tuple[str, ...]]:
    times: dict[tuple[str, str | None], list[float]] = defaultdict(list)
    for judgement in evaluation.judgements:
        if judgement.scale != "da100":
            raise InputError(
                f"{path}: a file of direct assessment has no scale {judgement.scale}; "
                f"write the judgements on da100 to a file of their own"
            )
        if judgement.duration is not None:
            times[judgement.rater, judgement.task].append(judgement.duration)
    yield HEADER
    order = _order(evaluation.testset)
    numbers = {segment: str(k) for k, segment in enumerate(order or (), 1)}
    seen: Counter[tuple[str, str | None]] = Counter()
    for judgement in evaluation.judgements:
        place = judgement.rater, judgement.task
        name = name_of(evaluation.testset, judgement.segment)
        source, target = split_languages(name.languages)
        assignment, _, hit = task.rpartition("/") if "/" in (task := judgement.task or "") else (task, "", "")
        yield (
            assignment,
            judgement.rater,
            source,
            target,
            str(seen[place]),
            hit,
            judgement.system,
            name.document,
            TYPES[judgement.kind],
            numbers.get(judgement.segment, name.item),
            short_number(judgement.value),
            short_number(round(math.fsum(times[place]), MICROSECONDS)) if place in times else "",
        )
        seen[place] += 1
