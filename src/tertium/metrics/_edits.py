"""Hits, substitutions, deletions and insertions: the rows that WER, CER, MER, WIL and WIP share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Array, Prepared, ratio
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.text.words import Reading

COLUMNS = ("hits", "substitutions", "deletions", "insertions")


class Edits(NamedTuple):
    """Sums of rows by name, and the counts that follow from them (Morris et al. 2004)."""

    hits: Array
    substitutions: Array
    deletions: Array
    insertions: Array

    @classmethod
    def of(cls, sums: Array) -> Edits:
        """Name the columns of sums. # (..., 4)"""
        return cls(*(sums[..., k] for k in range(4)))

    @property
    def errors(self) -> Array:
        """E: substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_length(self) -> Array:
        """r: what the reference has."""
        return self.hits + self.substitutions + self.deletions

    @property
    def output_length(self) -> Array:
        """c: what the output has."""
        return self.hits + self.substitutions + self.insertions

    def parts(self) -> dict[str, Array]:
        """Everything by name."""
        return {**self._asdict(), "reference_length": self.reference_length, "output_length": self.output_length}


def count_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Stats:
    """Rows against the reference with the fewest edits, the first of equals."""
    lines = reading.outputs(outputs)
    rows, fewest = np.zeros((len(outputs), 4)), np.full(len(outputs), np.inf)
    for stream in prepared.references.streams:
        candidate = np.zeros((len(outputs), 4))
        _kernel.count_edits(lines.view, stream.view, reading.kernel_name, prepared.tokenizer, candidate)
        errors = np.where(stream.present, candidate[:, 1:].sum(axis=1), np.inf)
        better = errors < fewest
        rows[better], fewest[better] = candidate[better], errors[better]
    return Stats(COLUMNS, rows, prepared.scorable(outputs))


def word_information_preserved(edits: Edits) -> Array:
    """(H / r)(H / c); 1 where both sides are empty, 0 where one is (Morris et al. 2004)."""
    reference, output = edits.reference_length, edits.output_length
    return ratio(edits.hits, reference, otherwise=output == 0) * ratio(edits.hits, output, otherwise=reference == 0)


@dataclass(frozen=True, kw_only=True)
class WordErrors:
    """What WER, MER, WIL and WIP have in common: options and rows. They differ in the formula."""

    name: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    tokenize: str = "none"
    lowercase: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        Reading(self.tokenize, self.lowercase, self.unicode).check(self.name)

    @property
    def _reading(self) -> Reading:
        """`none` is jiwer's default, which collapses white space and splits on the space character only."""
        return Reading("spaces" if self.tokenize == "none" else self.tokenize, self.lowercase, self.unicode)

    def stats_key(self, several: bool) -> str:  # noqa: ARG002
        """All four share their rows."""
        return f"edits{self._reading}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet) -> Prepared:
        """References as they are; the kernel reads their words."""
        return self._reading.raw_references(testset)

    def stats(self, outputs: Lines, prepared: Prepared) -> Stats:
        """Hits, substitutions, deletions, insertions."""
        return count_edits(outputs, prepared, self._reading)

    def parts(self, sums: Array) -> dict[str, Array]:
        """The counts by name."""
        return Edits.of(sums).parts()
