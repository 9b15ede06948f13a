"""The interface of Hugging Face `evaluate`: load, add, add_batch, compute. The library itself is not needed."""

from __future__ import annotations

import dataclasses
from typing import Any

from tertium.core.errors import InputError
from tertium.core.metric import Metric, make_metric
from tertium.core.run import PLAIN, Run
from tertium.core.wording import counted
from tertium.inference.scores import score
from tertium.integrations.texts import read_references, read_texts
from tertium.metrics import parse


def load(metric: str | Metric, *, run: Run = PLAIN) -> EvaluationModule:
    """What `evaluate.load` returns, for a metric of tertium: `load("bleu")`, `load("chrf(words=2)")`."""
    return EvaluationModule(parse(metric), run)


class EvaluationModule:
    """Texts are collected until `compute`, which scores them all and forgets them."""

    def __init__(self, metric: Metric, run: Run = PLAIN) -> None:
        self.metric, self.run = metric, run
        self._columns: dict[str, list[Any]] = {}

    @property
    def name(self) -> str:
        """The metric's text."""
        return str(self.metric)

    def _feature_names(self) -> list[str]:  # what evaluate.combine asks each module for
        needed = {"references": "references", "source": "sources"}
        return ["predictions", *(column for need, column in needed.items() if need in self.metric.needs)]

    def add(self, *, prediction: Any = None, reference: Any = None, sources: Any = None) -> None:
        """One segment: its output, its reference or a list of them, its source where the metric reads it."""
        if not isinstance(prediction, str):
            raise InputError(f"prediction: {type(prediction).__name__}; pass a string")
        self.add_batch(
            predictions=[prediction],
            references=None if reference is None else [reference],
            sources=None if sources is None else [sources],
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, sources: Any = None) -> None:
        """Several segments."""
        lines = read_texts(predictions, "predictions")
        given: dict[str, Any] = {"predictions": list(lines)}
        if references is not None:
            given["references"] = list(read_references(references, len(lines)))
        if sources is not None:
            given["sources"] = list(read_texts(sources, "sources"))
        if len(given.get("sources", lines)) != len(lines):
            raise InputError(
                f"sources: {counted(len(given['sources']), 'line')}, but {counted(len(lines), 'prediction')}; "
                f"there must be one per segment"
            )
        if self._columns and set(given) != set(self._columns):
            raise InputError(f"earlier batches had {', '.join(self._columns)}, this one {', '.join(given)}")
        for column, values in given.items():
            self._columns.setdefault(column, []).extend(values)

    def compute(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, **options: Any
    ) -> dict[str, Any]:
        """The score of all that was added and of these: `score`, its parts, `n` and `signature`. Options are the
        metric's, for this once."""
        metric = self._with(options)
        if predictions is not None or references is not None or sources is not None:
            self.add_batch(predictions=predictions, references=references, sources=sources)
        if not self._columns:
            raise InputError("nothing to score; pass predictions=[...] and references=[...], or add() them before")
        texts, self._columns = self._columns, {}
        [found] = score(
            texts["predictions"],
            references=texts.get("references"),
            sources=texts.get("sources"),
            metrics=metric,
            layout="segments",
            run=self.run,
        )
        return {**found.parts, "score": found.value, "n": found.n, "signature": found.signature}

    def _with(self, options: dict[str, Any]) -> Metric:
        if not options:
            return self.metric
        own = {field.name: getattr(self.metric, field.name) for field in dataclasses.fields(self.metric)}  # type: ignore[arg-type]
        made: Metric = make_metric(type(self.metric), own | options)
        return made
