"""Engines against each other: on the same segments by the paired test, on others by the unpaired one, all of them
corrected together (Holm)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from tertium.core.edited import EditedSegments
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.human.effort.measures import Measure
from tertium.inference.compare import compare
from tertium.inference.corrections import holm
from tertium.inference.seeds import ALPHA, SEED
from tertium.inference.units import Unit
from tertium.inference.unpaired import unpaired_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHARED = 0.5  # of the segments of the engine that has fewer: if so many are common, the pair is compared on these
FEWEST = 2  # units of each engine, without which nothing can be drawn


@dataclass(frozen=True, kw_only=True)
class EngineTest:
    """Two engines under a measure. `difference` is the second minus the first, on the segments that were compared."""

    measure: str
    first: str
    second: str
    design: Literal["paired", "unpaired"]
    segments: tuple[int, int]
    units: tuple[int, int]
    values: tuple[float, float]
    difference: float
    p: float
    trials: int
    unit: Unit
    adjusted: float = math.nan
    better: str = ""  # the engine that takes less effort, at level alpha


def compare_engines(
    edited: EditedSegments,
    stats: Stats,
    documents: NDArray[np.int64],
    measure: Measure,
    *,
    unit: Unit,
    seed: int = SEED,
    alpha: float = ALPHA,
    run: Run = PLAIN,
) -> list[EngineTest]:
    """Every pair of engines."""
    found = list(_tested(edited, stats, documents, measure, unit, seed, run))
    adjusted = holm([item.p for item in found])
    return [_judged(replace(item, adjusted=p), measure, alpha) for item, p in zip(found, adjusted, strict=True)]


def _judged(item: EngineTest, measure: Measure, alpha: float) -> EngineTest:
    if not item.adjusted <= alpha or item.difference == 0:
        return item
    second = (item.difference > 0) == (measure.better == "higher")
    return replace(item, better=item.second if second else item.first)


def _tested(
    edited: EditedSegments,
    stats: Stats,
    documents: NDArray[np.int64],
    measure: Measure,
    unit: Unit,
    seed: int,
    run: Run,
) -> Iterator[EngineTest]:
    where: dict[str, dict[tuple[int, str | int], list[int]]] = {}  # a segment may have been edited by several people
    for number, (engine, segment) in enumerate(zip(edited.engines, edited.segments, strict=True)):
        key = int(documents[number]), segment or number  # without a name it is common to nothing
        where.setdefault(engine, {}).setdefault(key, []).append(number)
    for first, second in combinations(where, 2):
        common = [key for key in where[first] if key in where[second]]
        if len(common) >= max(FEWEST, SHARED * min(len(where[first]), len(where[second]))):
            pairs = [[where[name][key] for key in common] for name in (first, second)]
            found = _paired((first, second), pairs, stats, documents, measure, unit, seed, run)
        else:
            numbers = [[k for k, name in enumerate(edited.engines) if name == engine] for engine in (first, second)]
            found = _unpaired((first, second), numbers, stats, documents, measure, unit, seed)
        if found is not None:
            yield found


def _paired(
    engines: tuple[str, str],
    numbers: list[list[list[int]]],
    stats: Stats,
    documents: NDArray[np.int64],
    measure: Measure,
    unit: Unit,
    seed: int,
    run: Run,
) -> EngineTest | None:
    """Both on the segments that they have in common."""
    import numpy as np

    n = len(numbers[0])
    own = tuple(str(documents[rows[0]]) for rows in numbers[0])
    chosen: Unit = unit if len(set(own)) > 1 else "segment"
    evaluation = Evaluation(
        testset=TestSet(segments=n, documents=own),
        systems=tuple(System(name=name, outputs=Lines.of([None] * n)) for name in engines),
        metrics=(measure.metric,),
        table={
            (name, str(measure)): stats.take(np.concatenate(rows)).join(
                np.repeat(np.arange(n), list(map(len, rows))), n
            )
            for name, rows in zip(engines, numbers, strict=True)
        },
    )
    [item] = compare(evaluation, str(measure), unit=chosen, seed=seed, correction="none", run=run)
    return EngineTest(
        measure=measure.name,
        first=engines[0],
        second=engines[1],
        design="paired",
        segments=(n, n),
        units=(item.units, item.units),
        values=(item.baseline_score, item.system_score),
        difference=item.difference,
        p=item.p,
        trials=item.trials,
        unit=chosen,
    )


def _unpaired(
    engines: tuple[str, str],
    numbers: list[list[int]],
    stats: Stats,
    documents: NDArray[np.int64],
    measure: Measure,
    unit: Unit,
    seed: int,
) -> EngineTest | None:
    """Each on its own segments; None where one has too few units for any test: of one document each, what differs may
    be the documents."""
    import numpy as np

    parts = [stats.take(np.array(rows, dtype=np.int64)) for rows in numbers]
    units = parts
    if unit == "document":
        groups = [np.unique(documents[rows], return_inverse=True) for rows in numbers]
        units = [part.join(group, len(names)) for part, (names, group) in zip(parts, groups, strict=True)]
    if min(map(len, units)) < FEWEST:
        return None
    found = unpaired_test(units[0], units[1], measure.metric, seed=seed)
    first, second = (float(measure.score(part.total())) for part in parts)
    return EngineTest(
        measure=measure.name,
        first=engines[0],
        second=engines[1],
        design="unpaired",
        segments=(len(parts[0]), len(parts[1])),
        units=(len(units[0]), len(units[1])),
        values=(first, second),
        difference=second - first,
        p=found.p,
        trials=found.trials,
        unit=unit,
    )
