"""Examples from which a metric learns: texts, and what people said of the output.

    train.csv    src,mt,ref,score[,system]

Any table will do (.csv, .tsv, .jsonl, .parquet, also compressed). `ref` may be absent where a recipe needs none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.io.score_tables import TableFiles, read_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

SOURCE, OUTPUT, REFERENCE, SCORE, SYSTEM = "src", "mt", "ref", "score", "system"


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of texts with a score each; a higher score is better."""

    outputs: Lines
    scores: Array  # (n,), finite
    sources: Lines | None = None
    references: Lines | None = None
    systems: tuple[str, ...] | None = None
    where: str = "examples"  # for messages

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, numbers: NDArray[np.int64]) -> Examples:
        """The rows of these numbers, in their order."""
        return Examples(
            outputs=self.outputs.take(numbers),
            scores=self.scores[numbers],
            sources=self.sources.take(numbers) if self.sources is not None else None,
            references=self.references.take(numbers) if self.references is not None else None,
            systems=tuple(self.systems[k] for k in numbers) if self.systems is not None else None,
            where=self.where,
        )


def read_examples(paths: str | Path | Sequence[str | Path], needs: Sequence[str] = ()) -> Examples:
    """The examples in these files; `needs` are columns besides `mt` and `score` that must be there."""
    table = read_table(paths)
    for name in (OUTPUT, SCORE, *needs):
        table.column(name)
    scores = table.numbers(table.column(SCORE))
    for place, score in zip(table.places(), scores.tolist(), strict=True):
        if math.isnan(score):
            raise InputError(f"{place}: no score; leave out rows that nobody judged")
    return Examples(
        outputs=_texts(table, OUTPUT),
        scores=scores,
        sources=_texts(table, SOURCE) if SOURCE in table.names else None,
        references=_texts(table, REFERENCE) if REFERENCE in table.names else None,
        systems=tuple(table.texts(SYSTEM)) if SYSTEM in table.names else None,
        where=table.where,
    )


def _texts(table: TableFiles, name: str) -> Lines:
    return Lines.of(table.texts(table.column(name)))
