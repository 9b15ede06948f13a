"""Evaluation: a test set, systems, judgements, and the table system x metric of statistics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.score import Level, Part, Score
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import TestSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.judgement import Judgement


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation:
    """What is saved, merged, tested, rendered and served. `table` is keyed by (system name, metric text)."""

    testset: TestSet
    systems: tuple[System, ...]
    metrics: tuple[Metric, ...]
    table: Mapping[tuple[str, str], Stats]
    signatures: Mapping[str, str] = field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    warnings: tuple[str, ...] = ()

    def stats(self, system: str, metric: Metric | str) -> Stats:
        """The rows of one system under one metric."""
        if (system, str(metric)) not in self.table:
            known = ", ".join(f"({name}, {text})" for name, text in self.table)
            raise OptionError(f"no statistics of system {system!r} under {metric}; there are: {known}")
        return self.table[system, str(metric)]

    def metric(self, metric: Metric | str | None = None) -> Metric:
        """The metric of that text; the only one if none is named."""
        known = {str(item): item for item in self.metrics}
        if metric is None and len(known) == 1:
            return self.metrics[0]
        if metric is None:
            raise OptionError(f"the evaluation has {len(known)} metrics; say which one: {', '.join(known)}")
        if str(metric) not in known:
            raise OptionError(f"the evaluation has no metric {metric}; there are: {', '.join(known)}")
        return known[str(metric)]

    def scores(self, level: Level = "corpus") -> list[Score]:
        """All scores of a level, in the order of systems and metrics."""
        levels = {"corpus": self._corpus, "document": self._documents, "segment": self._segments}
        if level not in levels:
            raise OptionError(f"level {level!r} is unknown; choose from {', '.join(levels)}")
        make = levels[level]
        return [
            score
            for system in self.systems
            for metric in self.metrics
            if (system.name, str(metric)) in self.table  # merged evaluations may have gaps
            for score in make(system.name, metric)
        ]

    def _corpus(self, system: str, metric: Metric) -> list[Score]:
        stats = self.stats(system, metric)
        sums = stats.sums() if stats.types is None else stats.total()  # a type average is over thousands of numbers
        value = metric.score(sums) if stats.n else math.nan
        parts = metric_parts(metric, sums) if stats.n else {}
        return [self._score(system, str(metric), float(value), stats.n, parts, level="corpus")]

    def _documents(self, system: str, metric: Metric) -> list[Score]:
        import numpy as np

        names, group = self.testset.by_document()
        stats = self.stats(system, metric)
        counts = np.bincount(group[stats.scored], minlength=len(names))
        values, parts = row_scores(metric, stats.join(group, len(names)), metric.score)
        said = str(metric)
        return [
            self._score(system, said, v, n, part, level="document", document=name)
            for name, v, n, part in zip(names, values, counts.tolist(), parts, strict=True)
        ]

    def _segments(self, system: str, metric: Metric) -> list[Score]:
        stats = self.stats(system, metric)
        values, parts = row_scores(metric, stats, partial(segment_scores, metric))
        ids = self.testset.ids or tuple(str(i + 1) for i in range(len(self.testset)))
        documents = self.testset.documents or (None,) * len(ids)
        said = str(metric)
        facts = zip(values, stats.scored.tolist(), parts, ids, documents, strict=True)
        return [
            self._score(system, said, v, int(n), part, level="segment", segment=segment, document=document)
            for v, n, part, segment, document in facts
        ]

    def _score(
        self,
        system: str,
        metric: str,
        value: float,
        n: int,
        parts: Mapping[str, Part],
        *,
        level: Level,
        segment: str | None = None,
        document: str | None = None,
    ) -> Score:
        return Score(
            metric=metric,
            value=value,
            n=n,
            system=system,
            level=level,
            segment=segment,
            document=document,
            parts=parts,
            signature=self.signatures.get(metric, ""),
        )

    def merge(self, other: Evaluation) -> Evaluation:
        """Join the systems and metrics of two evaluations of the same test set."""
        if self.testset.digest != other.testset.digest:
            raise InputError(
                f"evaluations of different test sets cannot be merged: {self.testset.name} "
                f"({self.testset.digest[:12]}) and {other.testset.name} ({other.testset.digest[:12]})"
            )
        systems = {system.name: system for system in self.systems}
        for system in other.systems:
            mine = systems.setdefault(system.name, system)
            if mine.outputs != system.outputs:
                raise InputError(f"both evaluations have a system {system.name}, with different outputs; rename one")
            if mine.outputs.withheld is not None:  # prefer the one that has its texts
                systems[system.name] = system
        for text in self.signatures.keys() & other.signatures.keys():
            pair = self.signatures[text], other.signatures[text]
            if len({signature.rpartition("|tertium:")[0] for signature in pair}) > 1:  # another model or tokenizer
                raise InputError(f"both evaluations have {text}, counted differently: {' and '.join(pair)}")
        return dataclasses.replace(
            self if self.testset.has_texts else other,
            systems=tuple(systems.values()),
            metrics=tuple({str(m): m for m in (*self.metrics, *other.metrics)}.values()),
            table={**self.table, **other.table},
            signatures={**self.signatures, **other.signatures},
            judgements=tuple(dict.fromkeys((*self.judgements, *other.judgements))),
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
        )


def row_scores(
    metric: Metric, stats: Stats, formula: Callable[[Any], Any]
) -> tuple[list[float], list[dict[str, Part]]]:
    """The value of every row by the formula, NaN where it is not scored, and its named parts."""
    parts: list[dict[str, Part]] = [{}] * len(stats)
    for numbers, rows in stats.blocks():
        for number, part in zip(numbers.tolist(), metric_parts_of_rows(metric, rows), strict=True):
            parts[number] = part
    scored = stats.scored.tolist()
    return row_values(stats, formula).tolist(), [
        part if known else {} for part, known in zip(parts, scored, strict=True)
    ]


def row_values(stats: Stats, formula: Callable[[Any], Any]) -> NDArray[np.float64]:
    """The value of every row by the formula, NaN where it is not scored. # (n,)"""
    import numpy as np

    values = np.full(len(stats), np.nan)
    for numbers, rows in stats.blocks():
        values[numbers] = formula(rows)
    return np.where(stats.scored, values, np.nan)


def segment_scores(metric: Metric, rows: Any) -> Any:
    """Scores of single segments, by the field's convention where it has one of its own. # (n, k) -> (n,)"""
    return getattr(metric, "segment_score", metric.score)(rows)


def metric_parts_of_rows(metric: Metric, rows: Any) -> Iterable[dict[str, Part]]:
    """The named parts of every row, worked out for all rows at once. # (n, k)"""
    if not hasattr(metric, "parts"):
        return ({} for _ in rows)
    found = {
        name: list(zip(*(column.tolist() for column in value), strict=True))
        if isinstance(value, list)
        else value.tolist()
        for name, value in metric.parts(rows).items()
    }
    return (dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True))


def metric_parts(metric: Metric, sums: Any) -> dict[str, Part]:
    """The named parts of a score."""
    parts = getattr(metric, "parts", None)
    if parts is None:
        return {}
    return {
        name: tuple(float(x) for x in value) if isinstance(value, list | tuple) else float(value)
        for name, value in parts(sums).items()
    }
