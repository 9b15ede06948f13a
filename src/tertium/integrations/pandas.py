"""An accessor of data frames, registered when this file is imported: `df.tertium.score(hyp="mt", ref="ref")`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tertium.core.errors import InputError, MissingPackageError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.score import Score, ends
from tertium.core.wording import counted
from tertium.inference.scores import score

try:
    import pandas as pd
except ImportError:
    raise MissingPackageError("tertium.integrations.pandas is for pandas: pip install pandas") from None

Metrics = str | Metric | Iterable[str | Metric]


@pd.api.extensions.register_dataframe_accessor("tertium")
class TertiumAccessor:
    """`hyp` and `ref` name a column or several: systems, and references of the same segments; `src` names one."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def score(
        self,
        hyp: str | Sequence[str] = "mt",
        ref: str | Sequence[str] | None = "ref",
        src: str | None = None,
        metrics: Metrics = "bleu",
        *,
        confidence: float | None = None,
        run: Run = PLAIN,
    ) -> Any:
        """A row for each system and metric: value, segments scored, signature; with `confidence`, the interval."""
        found = self._scores(hyp, ref, src, metrics, confidence=confidence, run=run)
        rows = []
        for each in found:
            row: dict[str, Any] = {"system": each.system, "metric": each.metric, "value": each.value, "n": each.n}
            if confidence is not None:
                row["low"], row["high"] = ends(each.interval)
            rows.append({**row, "signature": each.signature})
        return pd.DataFrame(rows)

    def segments(
        self,
        hyp: str | Sequence[str] = "mt",
        ref: str | Sequence[str] | None = "ref",
        src: str | None = None,
        metrics: Metrics = "bleu",
        *,
        run: Run = PLAIN,
    ) -> Any:
        """A column for each metric, with the frame's index: `bleu`; for each system, too, where `hyp` is a list:
        `mt bleu`. Not scored is NaN."""
        columns: dict[str, list[float]] = {}
        for each in self._scores(hyp, ref, src, metrics, level="segment", run=run):
            name = each.metric if self._is_name(hyp) else f"{each.system} {each.metric}"
            columns.setdefault(name, []).append(each.value)
        return pd.DataFrame(columns, index=self._frame.index)

    def _scores(self, hyp: Any, ref: Any, src: Any, metrics: Metrics, **options: Any) -> list[Score]:
        systems = [hyp] if self._is_name(hyp) else list(hyp)
        references = [] if ref is None else [ref] if self._is_name(ref) else list(ref)
        return score(
            {str(name): self._column(name) for name in systems},
            references={str(name): self._column(name) for name in references} or None,
            sources=None if src is None else self._column(src),
            metrics=metrics,
            **options,
        )

    def _is_name(self, given: Any) -> bool:
        """Whether it is one column: a text, a number, or a tuple that is the name of a column on several levels."""
        if isinstance(given, tuple):
            return given in [*self._frame.columns]
        return isinstance(given, str) or not isinstance(given, Iterable)

    def _column(self, name: Any) -> Any:
        alike = [column for column in self._frame.columns if column == name]
        if not alike:
            known = ", ".join(map(str, self._frame.columns))
            raise InputError(f"the frame has no column {name!r}; it has: {known or 'none'}")
        if len(alike) > 1:
            raise InputError(f"the frame has {counted(len(alike), 'column')} {name!r}; rename all but one")
        return self._frame[name].tolist()
