"""Which rows are kept: conditions on metrics, lengths and columns, asked of each block while its rows are at hand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tertium.core.errors import OptionError, TertiumError
from tertium.core.evaluation import row_values, segment_scores
from tertium.core.expression import Node, Values, parse_condition, refusal, truth_of, unquoted
from tertium.core.metric import Metric
from tertium.core.run import Run
from tertium.core.stats import Stats
from tertium.core.sums import Sums
from tertium.engines.measures import MEASURES, OF_OUTPUT, measure
from tertium.engines.models import pin
from tertium.io.checkpoint import Key
from tertium.io.shards import ShardBlock
from tertium.io.texts import suggest
from tertium.metrics import known, parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tertium.core.stats import Array

KEPT: Key = ("\n", "kept")  # no system and no metric is called so
COLUMN = re.compile(r"column\(\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\s*\)", re.DOTALL)


@dataclass(frozen=True)
class Condition:
    """A condition, and what its names mean: a Metric, the name of a measure, or of a column."""

    text: str
    node: Node
    names: Mapping[int, tuple[Metric | str, int]]  # by where they begin; and the number of the system

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that it needs."""
        return [meant for meant, _ in self.names.values() if not isinstance(meant, str)]


@dataclass(frozen=True)
class KeptCounts:
    """How many rows a condition is true for, false for, and how many it could not be asked of."""

    condition: str
    kept: int
    dropped: int
    unknown: int


class Keep:
    """Conditions that must all hold."""

    def __init__(
        self, texts: Sequence[str], systems: Sequence[str], columns: Sequence[str], run: Run, *, all_known: bool = True
    ) -> None:
        """`columns` are those that tables have; `all_known`: and no others."""
        self.systems, self.run, self.all_known = systems, run, all_known
        self.text = " and ".join(f"({text})" if len(texts) > 1 else text for text in texts)
        self.columns: dict[str, None] = {}  # that conditions name
        self.conditions = [condition for text in texts for condition in self._read(text, columns)]

    @property
    def metrics(self) -> list[Metric]:
        """All metrics that conditions name."""
        return [metric for condition in self.conditions for metric in condition.metrics]

    def _read(self, text: str, columns: Sequence[str]) -> list[Condition]:
        nodes = parse_condition(text)
        return [
            Condition(
                " ".join(text[node.start : node.end].split()),
                node,
                {name.start: self._meaning(text, name, columns) for name in node.names()},
            )
            for node in nodes
        ]

    def _meaning(self, text: str, name: Node, columns: Sequence[str]) -> tuple[Metric | str, int]:
        written = str(name.value)
        if found := COLUMN.fullmatch(written):
            return self._column(text, name, unquoted(found[1]), columns), 0
        if written in MEASURES:
            return written, self._system(text, name) if written in OF_OUTPUT else self._none(text, name)
        if written in columns and not _is_metric(written):
            return self._column(text, name, written, columns), 0
        try:
            metric, self.run = pin(parse(written), self.run)
        except TertiumError as error:
            said = str(error)
            if said.startswith("unknown metric"):
                near = suggest(written.partition("(")[0], (*known(), *MEASURES, *columns)).removesuffix(";")
                said = f"{written!r} is no metric, no column, and none of {', '.join(MEASURES)}{near}"
            raise refusal(text, name.start, said) from None
        return metric, self._system(text, name)

    def _column(self, text: str, name: Node, column: str, columns: Sequence[str]) -> str:
        if self.all_known and column not in columns:
            raise refusal(text, name.start, f"there is no column {column!r}; columns: {', '.join(columns)}")
        self._none(text, name)
        self.columns[column] = None
        return f"column {column}"

    def _none(self, text: str, name: Node) -> int:
        if name.system is not None:
            raise refusal(text, name.start, f"{name.value} is the same for all systems; leave [{name.system}] out")
        return 0

    def _system(self, text: str, name: Node) -> int:
        if name.system is None and len(self.systems) == 1:
            return 0
        if name.system is None:
            raise refusal(text, name.start, f"of which system? Write {name.value}[NAME], "
                          f"with one of {', '.join(self.systems)}")  # fmt: skip
        if name.system not in self.systems:
            raise refusal(text, name.start, f"no system {name.system!r}; there are {', '.join(self.systems)}")
        return list(self.systems).index(name.system)

    def look(self, block: ShardBlock, rows: Mapping[Key, Stats]) -> tuple[NDArray[np.bool_], Mapping[Key, Stats]]:
        """Which rows are kept; sums that say how many by each condition, and of the kept rows under every metric."""
        truths = [truth_of(condition.node, self._values(condition, block, rows)) for condition in self.conditions]
        kept = np.logical_and.reduce([truth == 1 for truth in truths])
        sums = [float(count) for truth in truths for count in ((truth == 1).sum(), np.isnan(truth).sum())]
        false = np.logical_or.reduce([truth == 0 for truth in truths])
        sums += [float(kept.sum()), float((~kept & ~false).sum())]
        names = tuple(f"{what}_{k}" for k in range(len(truths) + 1) for what in ("kept", "unknown"))
        more: dict[Key, Stats] = {KEPT: Stats(names, Sums(sums, len(block), len(block), False))}
        done: dict[tuple[str, int], Stats] = {}  # metrics share rows
        for (system, metric), stats in rows.items():
            key = (system, id(stats))
            if key not in done:
                done[key] = stats.summed(kept)
            more[kept_key(system), metric] = done[key]
        return kept, more

    def _values(self, condition: Condition, block: ShardBlock, rows: Mapping[Key, Stats]) -> Values:
        return Values(
            len(block),
            partial(self._numbers, condition, block, rows),
            lambda node: self._texts(condition, block, node),
        )

    def _numbers(self, condition: Condition, block: ShardBlock, rows: Mapping[Key, Stats], node: Node) -> Array:
        meant, system = condition.names[node.start]
        if not isinstance(meant, str):
            return scores_of(meant, rows[self.systems[system], str(meant)])
        if meant in MEASURES:
            return measure(meant, block, system)
        found: Array = block.whole.numbers(meant.removeprefix("column "))
        return found

    def _texts(self, condition: Condition, block: ShardBlock, node: Node) -> Sequence[str | None]:
        meant, _ = condition.names[node.start]
        if not isinstance(meant, str) or meant in MEASURES:
            raise OptionError(f"{condition.text}: {node.value} is a number and is never equal to a text")
        name = meant.removeprefix("column ")
        if name not in block.whole.names:  # of JSON lines
            return [None] * len(block)
        streams = block.whole.streams(name)
        if len(streams) > 1:
            raise OptionError(f"{condition.text}: {name} holds lists of texts")
        return list(streams[0])

    def counts(self, sums: Stats | None) -> list[KeptCounts]:
        """What the sums say: each condition by itself, and all together."""
        if sums is None:
            return []
        values, n = [int(value) for value in sums.sums()], len(sums)
        texts = [*(condition.text for condition in self.conditions), self.text]
        pairs = zip(texts, values[::2], values[1::2], strict=True)
        return [KeptCounts(text, kept, n - kept - unknown, unknown) for text, kept, unknown in pairs]


def kept_key(system: str) -> str:
    """The system's kept rows, among keys of sums."""
    return f"kept\n{system}"


def _is_metric(text: str) -> bool:
    try:
        parse(text)
    except TertiumError:
        return False
    return True


def scores_of(metric: Metric, stats: Stats) -> Array:
    """The score of every segment; NaN where it is not scored. # (n,)"""
    values = row_values(stats, partial(segment_scores, metric))
    return np.where(np.isfinite(values), values, np.nan)
