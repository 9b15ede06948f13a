"""TER (Snover et al. 2006), equal to sacreBLEU's (Post 2018), which follows tercom."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Array, Prepared, choose, metric, ratio
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.normalise import FORMS
from tertium.text.tokenizers import kernel_tokenize
from tertium.text.words import Reading


@metric
class Ter:
    """Insertions, deletions, substitutions and shifts of blocks, per word of the average reference."""

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    normalized: bool = False
    no_punct: bool = False
    asian: bool = False
    case_sensitive: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("ter", "unicode", self.unicode, tuple(FORMS))

    @property
    def _reading(self) -> Reading:
        flags = [name for name in ("normalized", "no_punct", "asian") if getattr(self, name)]
        return Reading("+".join(["tercom", *flags]), not self.case_sensitive, self.unicode)

    def prepare(self, testset: TestSet) -> Prepared:
        """References tokenised twice, outputs once: so does sacreBLEU, and under `normalized` it shows (`'s,`)."""
        prepared = self._reading.references(testset)
        if not self.normalized:
            return prepared
        streams = (kernel_tokenize(stream, self._reading.kernel_name) for stream in prepared.references.streams)
        return Prepared(references=References(tuple(streams), len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared) -> Stats:
        """Fewest edits over the references, average reference length."""
        lines, streams = self._reading.outputs(outputs), prepared.references.streams
        rows = np.zeros((len(outputs), 2))
        edits = np.full(len(outputs), np.inf)
        for stream in streams:
            pair = np.zeros((len(outputs), 2))
            _kernel.count_translation_edits(lines.view, stream.view, self._reading.kernel_name, prepared.tokenizer, pair)
            edits = np.where(stream.present, np.minimum(edits, pair[:, 0]), edits)
            rows[:, 1] += pair[:, 1]
        scored = prepared.scorable(outputs)
        rows[:, 0] = np.where(scored, edits, 0.0)
        rows[:, 1] /= np.maximum(prepared.references.counts, 1)
        return Stats(("edits", "reference_length"), rows, scored)

    def score(self, sums: Array) -> Array:
        """Edits / reference words; 100 if there is no reference word but an edit."""
        edits, length = sums[..., 0], sums[..., 1]
        return 100 * ratio(edits, length, otherwise=edits > 0)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Edits and reference length."""
        return {"edits": sums[..., 0], "reference_length": sums[..., 1]}
