"""Direct assessments as lists, in the TSV of MLQE-PE (Fomicheva et al. 2022): one segment of one system per line.

    index original translation scores mean z_scores z_mean model_scores    (also `row`, `segid`; texts may be absent)
    id ratings majority                                                    (catastrophic errors: 0 is none)

`scores` is a list such as [91, 90, 95]. Its places are not persons: the first score of one line and the first of the
next need not be of one rater, so raters are called slot1, slot2, ... The system is called `mt`.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.judgement import SCALES, Judgement
from tertium.core.testset import TestSet
from tertium.io.ratings.rows import Rows, short_number, write_rows
from tertium.io.ratings.segments import Name, name_of, number_segments, output_systems

SYSTEM, SLOT = "mt", "slot"
ROLES = ("index|row|segid|id", "scores|ratings", "original?", "translation?")
SCALE_OF = {"scores": "da100", "ratings": "catastrophic"}


def read_mlqe(rows: Rows, testset: TestSet | None = None) -> Evaluation:
    """Judgements, the outputs and, where no test set is given, one of the file's ids and sources."""
    items, lists, originals, translations = rows.columns(ROLES)
    body = rows.body()
    scale = next(scale for column, scale in SCALE_OF.items() if column in rows.fields[0])
    names = [Name(item) for item in items]
    if len(set(names)) < len(names):
        seen: set[Name] = set()
        k = next(k for k, name in enumerate(names) if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise InputError(f"{body.where(k)}: the segment {items[k]!r} has a line above; expected one line per segment")
    sources = dict(zip(names, originals, strict=True)) if originals else None
    testset, numbers = number_segments(names, body, testset, sources)
    judgements = tuple(
        Judgement(system=SYSTEM, segment=numbers[names[k]], rater=f"{SLOT}{place}", scale=scale, value=value)
        for k, text in enumerate(lists)
        for place, value in enumerate(_read_list(text, scale, body, k), 1)
    )
    outputs = {(SYSTEM, names[k]): text for k, text in enumerate(translations)}
    quoted = output_systems(outputs, numbers, len(testset), rows.path)
    return Evaluation(testset=testset, systems=quoted, judgements=judgements)


def _read_list(text: str, scale: str, rows: Rows, k: int) -> list[float]:
    low, high = SCALES[scale].low, SCALES[scale].high
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or not all(type(value) in (int, float) for value in values):
        raise InputError(f"{rows.where(k)}: the scores {text!r} are no list; expected one such as [91, 90, 95]")
    for value in values:
        if not low <= value <= high:
            raise InputError(
                f"{rows.where(k)}: value {value} is not on the scale {scale}; "
                f"expected a number from {low:g} to {high:g}"
            )
    return [float(value) for value in values]


def write_mlqe(evaluation: Evaluation, path: str | Path) -> None:
    """Write the judgements of one system on one scale, da100 or catastrophic, as lists by segment."""
    write_rows(path, _rows(evaluation, path))


def _rows(evaluation: Evaluation, path: str | Path) -> Iterator[tuple[str, ...]]:
    testset, judgements = evaluation.testset, evaluation.judgements
    systems, scales = {judgement.system for judgement in judgements}, {judgement.scale for judgement in judgements}
    if len(systems) > 1 or len(scales) > 1 or not scales <= set(SCALE_OF.values()):
        raise InputError(
            f"{path}: lists of scores hold one system on one scale, da100 or catastrophic, but there are: "
            f"{', '.join(sorted(systems))}; {', '.join(sorted(scales))}"
        )
    lists: dict[int, list[float]] = defaultdict(list)
    for judgement in judgements:
        if judgement.kind != "genuine":
            raise InputError(f"{path}: lists of scores hold no {judgement.kind} judgements; leave them out first")
        lists[judgement.segment].append(judgement.value)
    outputs = next((system.outputs for system in evaluation.systems if system.name in systems), None)
    catastrophic = scales == {"catastrophic"}
    if catastrophic:
        yield "id", "ratings", "majority"
    else:
        yield "index", *(("original", "translation") if outputs and testset.sources else ()), "scores", "mean"
    for segment, values in lists.items():
        mean = math.fsum(values) / len(values)
        quoted = (testset.sources[segment] or "", outputs[segment] or "") if outputs and testset.sources else ()
        yield (
            name_of(testset, segment).item,
            *(() if catastrophic else quoted),
            f"[{', '.join(map(short_number, values))}]",
            ("ERR" if 2 * sum(value > 0 for value in values) > len(values) else "NOT") if catastrophic else repr(mean),
        )
