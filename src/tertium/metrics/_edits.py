"""Hits, substitutions, deletions and insertions: the rows that WER, CER, MER, WIL and WIP share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows, pair_rows
from tertium.core.lines import Lines
from tertium.core.metric import Prepared
from tertium.core.numbers import Number, Sums, columns, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step


class Edits(NamedTuple):
    """Sums of rows by name, and the counts that follow from them (Morris et al. 2004)."""

    hits: Number
    substitutions: Number
    deletions: Number
    insertions: Number

    @classmethod
    def of(cls, sums: Sums) -> Edits:
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
        """E / r; E where the reference is empty, as jiwer has it."""
        E, r = self.errors, self.reference_length
        return ratio(E, r, otherwise=E)

    def information_preserved(self) -> Number:
        """(H / r)(H / c); 1 where both sides are empty, 0 where one is."""
        H, r, c = self.hits, self.reference_length, self.output_length
        return ratio(H, r, otherwise=where(c == 0, 1.0, 0.0)) * ratio(H, c, otherwise=where(r == 0, 1.0, 0.0))

    def parts(self) -> dict[str, Number]:
        """Everything by name."""
        return {**self._asdict(), "reference_length": self.reference_length, "output_length": self.output_length}


def count_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Stats:
    """Rows against the reference with the fewest edits, the first of equals."""
    candidates = _count(reading.outputs(outputs), prepared, reading)
    rows = candidates[0] if len(candidates) == 1 else best_rows(candidates, prepared, errors=slice(1, 4))
    return Stats(Edits._fields, rows, prepared.scorable(outputs))


def _count(lines: Lines, prepared: Prepared, reading: Reading) -> list[Any]:
    """Rows for every stream of references."""
    candidates: list[Any] = [empty_rows(len(lines), 4) for _ in prepared.streams]
    for stream, rows in zip(prepared.streams, candidates, strict=True):
        _kernel.count_edits(lines.view, stream.view, reading.kernel_name, prepared.tokenizer, rows)
    return candidates


def mark_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Iterator[Marks]:
    """Words kept and substituted in the alignment that is counted; words too many and missing have no link."""
    from tertium.metrics._links import word_marks  # a score needs none

    lines = reading.outputs(outputs)
    best = fewest_edits(lines, prepared, reading)
    names = reading.kernel_name, prepared.tokenizer
    return word_marks(lines, *prepared.chosen(best), lambda one, other: _kernel.link_edits(one, other, *names, False))


def fewest_edits(lines: Lines, prepared: Prepared, reading: Reading) -> Any:
    """The stream of references that is counted for each segment; None where there is one. # (n,)"""
    if len(prepared.streams) == 1:
        return None
    return fewest(_count(lines, prepared, reading), prepared, errors=slice(1, 4))


def pair_edits(outputs: Lines, prepared: Prepared, reading: Reading) -> Any:
    """The same rows, of every output against every reference. # (n, m, 4)"""
    planes, rows = pair_rows(4, len(outputs), len(prepared.references))
    views = reading.outputs(outputs).view, prepared.streams[0].view
    _kernel.count_edit_pairs(*views, reading.kernel_name, prepared.tokenizer, planes)
    return rows


def best_rows(candidates: list[Any], prepared: Prepared, errors: slice) -> Any:
    """Segment by segment the rows with the fewest errors, the sum of these columns; the first of equals."""
    import numpy as np

    best = fewest(candidates, prepared, errors)
    return np.stack(candidates)[best, np.arange(len(best))]


def fewest(candidates: list[Any], prepared: Prepared, errors: slice) -> Any:
    """The stream of references in which each segment has the fewest errors, the first of equals. # (n,)"""
    import numpy as np

    stacked = np.stack(candidates)  # (r, n, k)
    present = np.stack([stream.present for stream in prepared.streams])
    return np.argmin(np.where(present, stacked[..., errors].sum(axis=-1), np.inf), axis=0)


class EditRows(ABC):
    """Rows of edits, of words or characters: what the reading says."""

    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    @property
    @abstractmethod
    def _reading(self) -> Reading: ...

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References as they are; the kernel reads their words or characters."""
        return self._reading.raw_references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Hits, substitutions, deletions, insertions."""
        return count_edits(outputs, prepared, self._reading)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        return pair_edits(outputs, prepared, self._reading)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """The counts by name."""
        return Edits.of(sums).parts()


@dataclass(frozen=True, kw_only=True)
class WordErrors(EditRows):
    """What WER, MER, WIL, WIP and PER have in common: options and rows. They differ in the formula.

    Blind to:
        Synonyms and meaning, and the difference between a moved phrase and a wrong one: a word that moved costs two
        edits.

    Paper:
        Morris, Maier and Green (2004), "From WER and RIL to MER and WIL: improved evaluation measures for connected
        speech recognition".
    """

    name: ClassVar[str]

    tokenize: str = "none"
    lowercase: bool = False
    unicode: str = "none"
    normalise: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "normalise", tuple(self.normalise))  # a list is as good
        Reading(self.tokenize, self.lowercase, self.unicode, self.normalise).check(self.name)

    @property
    def _reading(self) -> Reading:
        """`none` is jiwer's default, which collapses white space and splits on the space character only."""
        scheme = "spaces" if self.tokenize == "none" else self.tokenize
        return Reading(scheme, self.lowercase, self.unicode, self.normalise)

    def stats_key(self, several: bool) -> str:
        """All but PER share their rows."""
        return f"edits{self._reading}"

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()


@dataclass(frozen=True, kw_only=True)
class AlignedErrors(WordErrors):
    """Those that come of an alignment, which can be shown: all but PER."""

    aligned: ClassVar[str] = "word"

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words kept and substituted, in the reference that is counted."""
        return mark_edits(outputs, prepared, self._reading)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.edits import edit_steps

        return edit_steps(self, outputs, prepared, run)
