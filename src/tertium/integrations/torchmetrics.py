"""The interface of torchmetrics: update, compute, merge_state, reset. The state is rows of statistics, which are
additive, so what processes have counted is put together by putting their rows together."""

from __future__ import annotations

from copy import copy
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import corpus_score
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines import door
from tertium.engines.evaluate import check_input
from tertium.engines.models import pin
from tertium.integrations.texts import read_references, read_texts
from tertium.metrics import parse


class RunningScore:
    """A score that grows batch by batch, and is the one of all texts at once."""

    is_differentiable = False
    full_state_update = False  # counting a batch asks nothing of earlier ones

    def __init__(self, metric: str | Metric = "bleu", *, run: Run = PLAIN) -> None:
        self.metric: Metric
        self.metric, self.run = pin(door.counting(parse(metric)), run)
        self.higher_is_better = self.metric.better == "higher"
        self._parts: list[Stats] = []

    def update(self, preds: Any, target: Any = None, sources: Any = None) -> None:
        """Count a batch: outputs, a reference or a list of references for each, sources where the metric reads them."""
        self._parts.append(self._count(preds, target, sources))

    def forward(self, preds: Any, target: Any = None, sources: Any = None) -> float:
        """Count a batch, and return the score of it alone."""
        rows = self._count(preds, target, sources)
        self._parts.append(rows)
        return self._value(rows)

    __call__ = forward

    def compute(self) -> float:
        """The score of all batches; NaN where no segment could be scored."""
        if not self._parts:
            raise InputError(f"{self.metric}: nothing to score; call update(preds, target) before compute()")
        return self._value(self.rows)

    @property
    def rows(self) -> Stats:
        """The state: a row of statistics for every segment."""
        self._parts = [Stats.concat(self._parts)] if self._parts else []
        if not self._parts:
            raise InputError(f"{self.metric}: there are no rows before the first update(preds, target)")
        return self._parts[0]

    def merge_state(self, incoming_state: RunningScore | Stats) -> None:
        """Add what another has counted, of other segments by the same metric: its rows, after one's own."""
        if isinstance(incoming_state, Stats):
            # Joined now, so that rows of another metric are an error here and not at the end of an epoch.
            self._parts = [Stats.concat([*self._parts, incoming_state])]
            return
        if not isinstance(incoming_state, RunningScore):
            raise OptionError(f"merge_state: {type(incoming_state).__name__}; pass a RunningScore, or its rows")
        if str(incoming_state.metric) != str(self.metric):
            raise OptionError(f"merge_state: {incoming_state.metric} and {self.metric} do not belong together")
        self._parts += incoming_state._parts

    def reset(self) -> None:
        """Forget what was counted."""
        self._parts = []

    def clone(self) -> RunningScore:
        """Another one with the same state."""
        other = copy(self)
        other._parts = list(self._parts)
        return other

    def gather(self, group: Any = None) -> RunningScore:
        """One with the rows of all processes, in the order of their ranks; where torch.distributed does not run, of
        this one alone."""
        from torch import distributed

        gathered = self.clone()
        if not (distributed.is_available() and distributed.is_initialized()):
            return gathered
        states: list[Any] = [None] * distributed.get_world_size(group)
        distributed.all_gather_object(states, self._parts, group)
        gathered._parts = [part for parts in states for part in parts]
        return gathered

    def _value(self, rows: Stats) -> float:
        return corpus_score(self.metric, rows)[0] if rows.n else float("nan")

    def _count(self, preds: Any, target: Any, sources: Any) -> Stats:
        outputs = read_texts(preds, "preds")
        testset = TestSet(
            name="batch",
            segments=len(outputs),
            references=read_references(target, len(outputs), "target"),
            sources=None if sources is None else read_texts(sources, "sources"),
        )
        check_input(testset, [System(name="preds", outputs=outputs)], [self.metric])
        prepared = door.prepare(self.metric, testset, self.run)
        if (whole := door.dependence(prepared)) is not None:
            raise OptionError(
                f"{self.metric} cannot be counted batch by batch: {whole}; collect the texts, and score them at once"
            )
        rows = door.count(self.metric, outputs, prepared, self.run, system="preds")
        return rows.with_header(None)  # batches are of no test set that is known
