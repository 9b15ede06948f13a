"""PER (position-independent error rate; Tillmann et al. 1997)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Array, Prepared, metric
from tertium.core.stats import Stats
from tertium.metrics._edits import WordErrors


@metric
class Per(WordErrors):
    """Word errors when order does not count: what the two bags of words do not share, per reference word."""

    name: ClassVar[str] = "per"
    title: ClassVar[str] = "PER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def stats_key(self, several: bool) -> str:  # noqa: ARG002
        """Bags, not alignments: rows of its own."""
        return str(self)

    def stats(self, outputs: Lines, prepared: Prepared) -> Stats:
        """Errors, matches and lengths against the reference with the fewest errors, the first of equals."""
        lines = self._reading.outputs(outputs)
        rows, fewest = np.zeros((len(outputs), 4)), np.full(len(outputs), np.inf)
        for stream in prepared.references.streams:
            counts = np.zeros((len(outputs), 4))  # matches, total, output length, reference length
            _kernel.count_ngrams(lines.view, [stream.view], self._reading.kernel_name, prepared.tokenizer, 1, counts)
            matches, _, output, reference = counts.T
            errors = np.maximum(output, reference) - matches
            better = stream.present & (errors < fewest)
            rows[better] = np.stack([errors, matches, output, reference], axis=1)[better]
            fewest[better] = errors[better]
        scored = prepared.scorable(outputs)
        rows[~scored] = 0
        return Stats(("errors", "matches", "output_length", "reference_length"), rows, scored)

    def score(self, sums: Array) -> Array:
        """(max(c, r) - matches) / r, summed over segments before dividing."""
        return 100 * sums[..., 0] / np.maximum(sums[..., 3], 1)

    def parts(self, sums: Array) -> dict[str, Array]:
        """The counts by name."""
        names = ("errors", "matches", "output_length", "reference_length")
        return {name: sums[..., k] for k, name in enumerate(names)}
