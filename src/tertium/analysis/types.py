"""The types behind a type average: which words a system gets right, and which it misses or invents."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.numbers import ratio
from tertium.core.stats import Stats
from tertium.core.type_stats import OF_TYPE

if TYPE_CHECKING:
    from tertium.core.stats import Array

ONLY = ("both", "output", "reference")


class TypeScore(NamedTuple):  # test sets have tens of thousands
    """One type: how often references and outputs have it and how often they agree; the last three in percent."""

    type: str
    references: int
    outputs: int
    matches: int
    precision: float
    recall: float
    f: float


COLUMNS = TypeScore._fields


def types(
    evaluation: Evaluation,
    system: str | None = None,
    metric: Metric | str | None = None,
    *,
    sort: str = "references",
    reverse: bool = False,
    min_references: int = 0,
    max_references: int | None = None,
    pattern: str | None = None,
    only: str | None = None,
    top: int | None = None,
) -> list[TypeScore]:
    """The types of a system's outputs and their references, under a metric that counts types, such as macrof.

    Numbers are sorted from the largest down and texts from A on, or the other way round with `reverse`. `only` keeps
    types that are on "both" sides, or in the "output" or the "reference" alone; `pattern` is a regular expression.
    """
    chosen = evaluation.metric(metric)
    names = [item.name for item in evaluation.systems]
    if system is None and len(names) != 1:
        raise OptionError(f"the evaluation has {len(names)} systems; say which one: {', '.join(names)}")
    name = system if system is not None else names[0]
    found = select_types(
        type_table(evaluation.stats(name, chosen), chosen),
        min_references=min_references,
        max_references=max_references,
        pattern=pattern,
        only=only,
    )
    return sort_types(found, sort, reverse=reverse)[:top]


def type_table(stats: Stats, metric: Metric) -> list[TypeScore]:
    """Every type once, in the order of the statistics. What the metric makes of a single type is its F."""
    import numpy as np

    known = stats.types
    if known is None:
        raise OptionError(f"{metric} counts no types; choose a metric that does, such as macrof")
    sums = stats.total().reshape(len(OF_TYPE), -1)
    output, reference, both = sums
    counts = np.stack([reference, output, both], axis=1).astype(np.int64).tolist()
    precision, recall = 100 * ratio(both, output, 1.0), 100 * ratio(both, reference, 1.0)
    values: Array = np.stack([precision, recall, metric.score(sums.T)], axis=1)
    return [
        TypeScore(str(text), *numbers, *shares)
        for text, numbers, shares in zip(known, counts, values.tolist(), strict=True)
    ]


def select_types(
    found: Iterable[TypeScore],
    *,
    min_references: int = 0,
    max_references: int | None = None,
    pattern: str | None = None,
    only: str | None = None,
) -> list[TypeScore]:
    """Those that occur so often in the references, look so, and are on the sides asked for."""
    if only is not None and only not in ONLY:
        raise OptionError(f"only={only!r} is unknown; choose from {', '.join(ONLY)}")
    try:
        looks = re.compile(pattern or "")
    except re.error as error:
        raise OptionError(f"pattern {pattern!r} is not a regular expression: {error}") from None
    sides = {None: {(True, True), (True, False), (False, True)}, "both": {(True, True)},
             "output": {(True, False)}, "reference": {(False, True)}}[only]  # fmt: skip
    most = float("inf") if max_references is None else max_references
    return [
        row
        for row in found
        if (row.outputs > 0, row.references > 0) in sides
        and min_references <= row.references <= most
        and looks.search(row.type)
    ]


def sort_types(found: Iterable[TypeScore], sort: str, *, reverse: bool = False) -> list[TypeScore]:
    """Sorted by a column; equal ones by how often references have them, then outputs, then by text."""
    if sort not in COLUMNS:
        raise OptionError(f"sort={sort!r} is unknown; choose from {', '.join(COLUMNS)}")
    rows = sorted(found, key=lambda row: (-row.references, -row.outputs, row.type))
    return sorted(rows, key=lambda row: getattr(row, sort), reverse=(sort != "type") != reverse)
