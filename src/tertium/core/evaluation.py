"""Evaluation: a test set, systems, judgements, and the table system x metric of statistics."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.header import check_alike, rows_text, without_version
from tertium.core.metric import Metric
from tertium.core.run import Model
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
    """A test set, systems, metrics and judgements, and the statistics of every system under every metric.

    This is what is saved, merged, tested, rendered and served. `table` is keyed by (system name, metric text).
    """

    testset: TestSet
    systems: tuple[System, ...]
    metrics: tuple[Metric, ...] = ()
    table: Mapping[tuple[str, str], Stats] = field(default_factory=dict)
    signatures: Mapping[str, str] = field(default_factory=dict)
    judgements: tuple[Judgement, ...] = ()
    warnings: tuple[str, ...] = ()
    # These four are not saved: folders in which metrics' models are looked for, metrics whose scores came along with
    # the test set and are added with the first others, what metrics were called before their models were known, and
    # where these were found.
    models: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    located: Mapping[str, Model] = field(default_factory=dict)

    @property
    def has_texts(self) -> bool:
        """Whether all texts are here, and not only their digests."""
        return self.testset.has_texts and all(system.outputs.withheld is None for system in self.systems)

    def stats(self, system: str, metric: Metric | str) -> Stats:
        """The rows of one system under one metric."""
        key = (system, self._text(metric))
        if key not in self.table:
            known = ", ".join(f"({name}, {text})" for name, text in self.table)
            raise OptionError(f"no statistics of system {system!r} under {metric}; there are: {known}")
        return self.table[key]

    def _text(self, metric: Metric | str) -> str:
        """What a metric is called here; it may have been asked for by the path of its model."""
        return self.called.get(str(metric), str(metric))

    def metric(self, metric: Metric | str | None = None) -> Metric:
        """The metric of that text; the only one if none is named."""
        known = {str(item): item for item in self.metrics}
        if metric is None and len(known) == 1:
            return self.metrics[0]
        if not known:
            raise OptionError("the evaluation has no metric yet; count one: add_metrics(evaluation, 'bleu')")
        if metric is None:
            raise OptionError(f"the evaluation has {len(known)} metrics; say which one: {', '.join(known)}")
        if self._text(metric) not in known:
            raise OptionError(f"the evaluation has no metric {metric}; there are: {', '.join(known)}")
        return known[self._text(metric)]

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
        value, parts = corpus_score(metric, stats) if stats.n else (math.nan, {})
        return [self._score(system, str(metric), value, stats.n, parts, level="corpus")]

    def _documents(self, system: str, metric: Metric) -> list[Score]:
        import numpy as np

        names, group = self.testset.by_document()
        stats = self.stats(system, metric)
        counts = np.bincount(group[stats.scored], minlength=len(names))
        values, parts = row_scores(metric, stats.join(group, len(names)), metric.score)
        text = str(metric)
        return [
            self._score(system, text, v, n, part, level="document", document=name)
            for name, v, n, part in zip(names, values, counts.tolist(), parts, strict=True)
        ]

    def _segments(self, system: str, metric: Metric) -> list[Score]:
        stats = self.stats(system, metric)
        values, parts = row_scores(metric, stats, partial(segment_scores, metric))
        ids = self.testset.ids or tuple(str(i + 1) for i in range(len(self.testset)))
        documents = self.testset.documents or (None,) * len(ids)
        text = str(metric)
        facts = zip(values, stats.scored.tolist(), parts, ids, documents, strict=True)
        return [
            self._score(system, text, v, int(n), part, level="segment", segment=segment, document=document)
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
            if len(set(map(without_version, pair))) > 1:  # another model or tokenizer
                raise InputError(f"both evaluations have {text}, counted differently: {' and '.join(pair)}")
        _check_headers(self.testset, [*self.table.items(), *other.table.items()])
        return dataclasses.replace(
            self if self.testset.has_texts else other,
            systems=tuple(systems.values()),
            metrics=tuple({str(m): m for m in (*self.metrics, *other.metrics)}.values()),
            table={**self.table, **other.table},
            signatures={**self.signatures, **other.signatures},
            judgements=tuple(dict.fromkeys((*self.judgements, *other.judgements))),
            warnings=tuple(dict.fromkeys((*self.warnings, *other.warnings))),
            called={**self.called, **other.called},
            located={**self.located, **other.located},
        )


def _check_headers(testset: TestSet, table: Iterable[tuple[tuple[str, str], Stats]]) -> None:
    """Refuse statistics that are known not to be those of their metric and of the whole test set."""
    whole, known = (0, len(testset)), [(key, stats.header) for key, stats in table if stats.header is not None]
    for (system, metric), header in known:
        name = f"system {system}: statistics under {metric}"
        if header.metric != metric:
            raise InputError(f"{name} are of {header.metric}; evaluate it again")
        if header.testset != testset.digest:
            raise InputError(
                f"{name} are of another test set ({header.testset[:12]}) than {testset.name} "
                f"({testset.digest[:12]}); evaluate it again"
            )
        if header.rows != whole:
            raise InputError(
                f"{name} hold {rows_text(header.rows)} of the test set, not {rows_text(whole)}; join all parts first"
            )
    for metric in dict.fromkeys(metric for (_, metric), _ in known):
        check_alike(header for (_, own), header in known if own == metric)


def corpus_score(metric: Metric, stats: Stats) -> tuple[float, dict[str, Part]]:
    """The score of all rows together, and its named parts."""
    # A type average is over thousands of numbers; and others' formulas are of arrays, whatever is written in them.
    plain = stats.types is None and takes_numbers(metric)
    sums = stats.sums() if plain else stats.total()
    return float(metric.score(sums)), metric_parts(metric, sums)


def takes_numbers(metric: Metric) -> bool:
    """Whether formulas are of plain numbers as well, as all of this package's are: then no numpy is imported."""
    formulas = (metric.score, getattr(metric, "parts", metric.score))
    return all(str(formula.__module__).startswith("tertium.metrics.") for formula in formulas)


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
    with np.errstate(divide="ignore", invalid="ignore"):  # of rows of zeros, which are not scored
        for numbers, rows in stats.blocks():
            values[numbers] = formula(np.asfortranarray(rows))  # formulas read a column after the other
    return np.where(stats.scored, values, np.nan)


def segment_scores(metric: Metric, rows: Any) -> Any:
    """Scores of single segments: by `segment_score` where a metric has one, else by the formula. # (n, k) -> (n,)"""
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
