"""A metric that needs a model, for workbenches: the model is a file of letters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import tertium as tt
from tertium.core.metric import REGISTRY, Prepared
from tertium.core.stats import Stats
from tertium.web import work


def register() -> None:
    """Make it known in this process."""

    @tt.metric
    class Letters:
        """The share of an output's letters that a model knows."""

        name, title, better, range = "letters", "letters", "higher", (0.0, 1.0)
        needs, resampling, decimals = frozenset({"source", "model"}), "percentile", 2
        models = ("model", "other")
        model: str = ""
        other: str = ""

        def prepare(self, testset: tt.TestSet, run: tt.Run) -> Prepared:
            known = "".join(Path(run.model(text)).read_text() for text in (self.model, self.other) if text)
            return Prepared(references=testset.references, shared=None, made={}, tokenizer=known)

        def stats(self, outputs: tt.Lines, prepared: Prepared, run: tt.Run) -> Stats:  # noqa: ARG002
            counts = [[sum(c in prepared.tokenizer for c in text or ""), len(text or "")] for text in outputs]
            return Stats(("known", "letters"), np.array(counts, dtype=float))

        def score(self, sums: Any) -> Any:
            return sums[..., 0] / np.maximum(sums[..., 1], 1)


@contextmanager
def registered() -> Iterator[None]:
    """Known for as long as this lasts."""
    register()
    yield
    del REGISTRY["letters"]


def run(pipe: Any, task: str, options: dict[str, Any]) -> None:
    """A worker's life, as `work.run`, in a process that knows the metric."""
    register()
    work.run(pipe, task, options)
