"""Tables of metric scores and human scores, a row for each system: what correlations are computed from.

A table comes from files, from columns in memory, or from an Evaluation with judgements. Where lower is better, numbers
are negated here, once: in everything that follows higher is better.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.metric import is_human
from tertium.core.score import Level
from tertium.io.columns import ColumnFile
from tertium.io.score_tables import TableFiles, read_table
from tertium.io.texts import suggest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Group = tuple[str, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoreTable:
    """One row per system (and group): the human score (gold) and the score by each metric. NaN is missing."""

    gold: str
    metrics: tuple[str, ...]
    columns: Mapping[str, Array]  # the gold and the metrics by name, each (n,); higher is better
    systems: tuple[str, ...]  # (n,)
    group_names: tuple[str, ...] = ()
    keys: tuple[Group, ...] = ()  # the group of each row (n,)
    lower: frozenset[str] = frozenset()  # columns that have been negated
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.systems)

    @cached_property
    def groups(self) -> dict[Group, NDArray[np.int64]]:
        """The rows of each group, in the order in which groups first appear."""
        import numpy as np

        rows: dict[Group, list[int]] = {}
        for row, key in enumerate(self.keys):
            rows.setdefault(key, []).append(row)
        return {key: np.array(numbers, dtype=np.int64) for key, numbers in rows.items()}

    def shown(self, name: str) -> str:
        """A column's name, with an arrow where lower is better."""
        return f"{name} ↓" if name in self.lower else name


def score_table(
    source: str | Path | Sequence[str | Path] | Mapping[str, Sequence[Any]] | Evaluation,
    *,
    gold: str | None = None,
    metrics: Sequence[str] | None = None,
    group: Sequence[str] = (),
    system: str | None = None,
    lower: Sequence[str] = (),
    long: tuple[str, str] | None = None,
    level: Level = "corpus",
) -> ScoreTable:
    """The table in files, in columns (a dict of lists, a data frame), or of an Evaluation with human scores.

    `gold` is the column of human scores, `metrics` those compared with it (all other columns of numbers if none are
    named), `group` the columns whose values make a group, `system` the one that names systems. A long table has a row
    for every value: `long` names the column that says what was measured and the one that says how much. `lower` names
    columns in which lower is better. Of an Evaluation, `gold` is a metric that reads judgements, and at level
    "segment" every segment is a group.
    """
    if isinstance(source, Evaluation):
        if group or system or lower or long:
            raise OptionError(
                "an Evaluation knows its systems and which way is better; leave out group, system, lower, long"
            )
        return _of_evaluation(source, gold, metrics, level)
    if level != "corpus":
        raise OptionError(f"level={level!r} is for an Evaluation; of a table, name the columns of a group instead")
    if gold is None:
        raise OptionError("no gold: name the column of human scores")
    files = source if isinstance(source, TableFiles) else _files(source)
    keys = [files.column(name) for name in _distinct("group", group)]
    where = _system_column(files, system)
    if long is not None:
        return _of_long(files, gold, metrics, keys, where, lower, long)
    if gold not in files.names and {"metric", "value"} <= {name.lower() for name in files.names}:
        raise InputError(
            f"{files.where}: no column {gold!r}; if there is a row for every value, say so: long metric,value"
        )
    gold = files.column(gold)
    chosen = [files.column(name) for name in _distinct("metrics", metrics or ())]
    chosen = chosen or [name for name in files.names if name not in (gold, where, *keys) and files.is_numeric(name)]
    names = files.places() if where is None else files.texts(where)
    groups = list(zip(*(files.texts(name) for name in keys), strict=True)) if keys else [()] * len(names)
    values = {name: files.numbers(name) for name in dict.fromkeys([gold, *chosen])}
    negated = [files.column(name) for name in lower]
    return _checked(files.where, gold, chosen, values, names, keys, groups, negated, named=where is not None)


def _files(source: Any) -> TableFiles:
    """Files as they are; columns in memory as if they were the columns of a file."""
    if isinstance(source, str | Path) or (isinstance(source, Sequence) and source):
        return read_table(source)
    if not isinstance(source, Mapping) and not hasattr(source, "columns"):
        raise OptionError(f"not a table: {type(source).__name__}; expected a path, a dict of columns or a data frame")
    columns = {str(name): [_text(value) for value in source[name]] for name in getattr(source, "columns", source)}
    counts = {name: len(values) for name, values in columns.items()}
    if not columns or len(set(counts.values())) > 1 or not all(counts.values()):
        raise InputError(f"columns must be equally long and not empty; got {counts or 'none'}")
    table = ColumnFile(tuple(columns), lambda name: (Lines.of(columns[name], name),), range(1, sys.maxsize))
    return TableFiles((("row", table),))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _system_column(files: TableFiles, system: str | None) -> str | None:
    if system is not None:
        return files.column(system)
    return next((name for name in files.names if name.lower() == "system"), None)


def _distinct(what: str, names: Sequence[str]) -> Sequence[str]:
    if isinstance(names, str):
        raise OptionError(f"{what}={names!r}: must be a list of names, such as [{names!r}]")
    for name, count in Counter(names).items():
        if count > 1:
            raise OptionError(f"{what}: {name!r} is named {count} times")
    return names


def _of_long(
    files: TableFiles,
    gold: str,
    metrics: Sequence[str] | None,
    keys: list[str],
    where: str | None,
    lower: Sequence[str],
    long: tuple[str, str],
) -> ScoreTable:
    """A row for every system of every group, from a row for every value."""
    import numpy as np

    if where is None:
        raise InputError(f"{files.where}: no column 'system'; a long table needs one that says whose value it is")
    kinds, numbers = files.texts(files.column(long[0])), files.numbers(files.column(long[1])).tolist()
    groups = list(zip(*(files.texts(name) for name in keys), strict=True)) if keys else [()] * len(kinds)
    cells: dict[tuple[Group, str], dict[str, tuple[float, str]]] = {}
    for key, name, kind, value, place in zip(groups, files.texts(where), kinds, numbers, files.places(), strict=True):
        row = cells.setdefault((key, name), {})
        if kind in row:
            raise InputError(
                f"{place}: a second value of {kind} for {name} (first: {row[kind][1]}); "
                f"is a column missing in the group, such as the year or the level?"
            )
        row[kind] = value, place
    known = list(dict.fromkeys(kinds))
    for kind in (gold, *_distinct("metrics", metrics or ()), *lower):
        if kind not in known:
            raise InputError(
                f"{files.where}: column {long[0]!r} has no {kind!r}{suggest(kind, known)} it has: {', '.join(known)}"
            )
    chosen = list(metrics or (kind for kind in known if kind != gold))
    absent = (math.nan, "")
    values = {
        kind: np.array([row.get(kind, absent)[0] for row in cells.values()], dtype=np.float64)
        for kind in dict.fromkeys([gold, *chosen])
    }
    names, groups = [name for _, name in cells], [key for key, _ in cells]
    return _checked(files.where, gold, chosen, values, names, keys, groups, lower, named=True)


def _checked(
    where: str,
    gold: str,
    metrics: Sequence[str],
    values: dict[str, Array],
    systems: Sequence[str],
    group_names: Sequence[str],
    keys: Sequence[Group],
    lower: Iterable[str],
    *,
    named: bool,
) -> ScoreTable:
    """The table, if there is something to compare; what is suspicious about it becomes a warning."""
    negated = frozenset(lower) & values.keys()  # one that is not asked for needs no turning
    if not metrics:
        raise InputError(f"{where}: no column of numbers besides {gold!r}; name the metrics")
    for name in group_names:
        if name in values:
            raise OptionError(f"{name!r} makes groups, so it is the same within each; leave it out of gold and metrics")
    if gold in metrics:
        raise OptionError(f"{gold!r} is both the gold and a metric; leave it out of the metrics")
    warnings = [*(_twice(systems, keys) if named else ()), *_error_rates(metrics, negated)]
    return ScoreTable(
        gold=gold,
        metrics=tuple(metrics),
        columns={name: -column if name in negated else column for name, column in values.items()},
        systems=tuple(systems),
        group_names=tuple(group_names),
        keys=tuple(keys),
        lower=negated,
        warnings=tuple(warnings),
    )


def _twice(systems: Sequence[str], keys: Sequence[Group]) -> list[str]:
    """A note if a system stands twice in a group: then groups are probably mixed."""
    (key, system), count = Counter(zip(keys, systems, strict=True)).most_common(1)[0]
    if count == 1:
        return []
    inside = f" of {' '.join(key)}" if key else ""
    return [f"{count} rows{inside} are called {system}; is a column missing in the group?"]


def _error_rates(metrics: Sequence[str], lower: frozenset[str]) -> list[str]:
    """A note for columns that are called like a metric of which less is better."""
    from tertium.metrics import known

    worse = {name for name, metric in known().items() if metric.better == "lower"}
    return [
        f"{name} is taken as higher is better; name it under lower if it is an error rate"
        for name in metrics
        if name.lower() in worse and name not in lower
    ]


def _of_evaluation(evaluation: Evaluation, gold: str | None, metrics: Sequence[str] | None, level: Level) -> ScoreTable:
    """Scores of the systems as rows; at segment level every segment is a group."""
    import numpy as np

    human = [str(metric) for metric in evaluation.metrics if is_human(metric)]
    if gold is None and len(human) != 1:
        there = ", ".join(human) or "none"
        raise OptionError(
            f"say which scores people gave: gold= one of the metrics that read judgements (here: {there})"
        )
    gold = str(evaluation.metric(gold or human[0]))
    chosen = [str(evaluation.metric(name)) for name in _distinct("metrics", metrics or ())]
    chosen = chosen or [str(metric) for metric in evaluation.metrics if str(metric) not in (gold, *human)]
    kept = [gold, *chosen]
    rows: dict[tuple[Group, str], dict[str, float]] = {}
    for score in evaluation.scores(level):
        if score.metric in kept:
            unit = score.segment if level == "segment" else score.document
            key: Group = () if unit is None else (unit,)
            rows.setdefault((key, score.system), {})[score.metric] = score.value
    values = {
        name: np.array([row.get(name, math.nan) for row in rows.values()], dtype=np.float64)
        for name in dict.fromkeys(kept)
    }
    lower = [name for name in kept if evaluation.metric(name).better == "lower"]
    units = () if level == "corpus" else (level,)
    return _checked(
        evaluation.testset.name, gold, chosen, values, [system for _, system in rows], units, [key for key, _ in rows],
        lower, named=False,
    )  # fmt: skip
