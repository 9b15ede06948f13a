"""Hits, substitutions, deletions and insertions: the rows that WER, CER, MER, WIL and WIP share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.numbers import Number, columns, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats, empty_rows, pair_rows
from tertium.core.testset import TestSet
from tertium.text.words import Reading


class Edits(NamedTuple):
    """Sums of rows by name, and the counts that follow from them (Morris et al. 2004)."""

    hits: Number
    substitutions: Number
    deletions: Number
    insertions: Number

    @classmethod
    def of(cls, sums: Any) -> Edits:
        """Name the columns of sums. # (..., 4)"""
        return cls(*columns(sums))

    @property
    def errors(self) -> Number:
        """E: substitutions, deletions and insertions."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def reference_length(self) -> Number:
        """r: what the reference has."""
        return self.hits + self.substitutions + self.deletions

    @property
    def output_length(self) -> Number:
        """c: what the output has."""
        return self.hits + self.substitutions + self.insertions

    def error_rate(self) -> Number:
        """E / r. Without anything in the reference it counts the insertions, as jiwer does."""
        return ratio(self.errors, self.reference_length, otherwise=self.errors)

    def information_preserved(self) -> Number:
        """(H / r)(H / c); 1 where both sides are empty, 0 where one is."""
        reference, output = self.reference_length, self.output_length
        return ratio(self.hits, reference, otherwise=where(output == 0, 1.0, 0.0)) * ratio(
            self.hits, output, otherwise=where(reference == 0, 1.0, 0.0)
        )

    def parts(self) -> dict[str, Number]:
        """Everything by name."""
        return {**self._asdict(), "reference_length": self.reference_length, "output_length": self.output_length}


def count_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Stats:
    """Rows against the reference with the fewest edits, the first of equals."""
    lines, streams = reading.outputs(outputs), prepared.streams
    candidates: list[Any] = [empty_rows(len(outputs), 4) for _ in streams]
    for stream, rows in zip(streams, candidates, strict=True):
        _kernel.count_edits(lines.view, stream.view, reading.kernel_name, prepared.tokenizer, rows)
    rows = candidates[0] if len(streams) == 1 else best_rows(candidates, prepared, errors=slice(1, 4))
    return Stats(Edits._fields, rows, prepared.scorable(outputs))


def pair_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Any:
    """The same rows, of every output against every reference. # (n, m, 4)"""
    planes, rows = pair_rows(4, len(outputs), len(prepared.references))
    views = reading.outputs(outputs).view, prepared.streams[0].view
    _kernel.count_edit_pairs(*views, reading.kernel_name, prepared.tokenizer, planes)
    return rows


def best_rows(candidates: list[Any], prepared: Prepared, errors: slice) -> Any:
    """Segment by segment the rows with the fewest errors, the sum of these columns; the first of equals."""
    import numpy as np

    stacked = np.stack(candidates)  # (r, n, k)
    present = np.stack([stream.present for stream in prepared.streams])
    fewest = np.argmin(np.where(present, stacked[..., errors].sum(axis=-1), np.inf), axis=0)  # (n,)
    return stacked[fewest, np.arange(len(fewest))]


@dataclass(frozen=True, kw_only=True)
class WordErrors:
    """What WER, MER, WIL, WIP and PER have in common: options and rows. They differ in the formula.

    Blind to:
        Synonyms and meaning, and the difference between a moved phrase and a wrong one: a word that moved costs two
        edits.

    Paper:
        Morris, Maier and Green (2004), "From WER and RIL to MER and WIL: improved evaluation measures for connected
        speech recognition".
    """

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

    def stats_key(self, several: bool) -> str:
        """All but PER share their rows."""
        return f"edits{self._reading}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References as they are; the kernel reads their words."""
        return self._reading.raw_references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Hits, substitutions, deletions, insertions."""
        return count_edits(outputs, prepared, self._reading)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        return pair_edits(outputs, prepared, self._reading)

    def parts(self, sums: Any) -> dict[str, Any]:
        """The counts by name."""
        return Edits.of(sums).parts()
