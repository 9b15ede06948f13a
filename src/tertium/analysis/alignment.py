"""Outputs beside their references, word by word or character by character, and what is confused with what.

Any metric whose errors come of an alignment has it (`aligned`: what is aligned, words or characters): the alignment is
the one that it counts, told by its marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.marks import EXACT, Marks
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines import door

Operation = Literal["=", "S", "D", "I"]  # hit, substitution, deletion, insertion
KINDS = {"S": "substitution", "D": "deletion", "I": "insertion"}


class AlignedPair(NamedTuple):
    """A word of the reference and one of the output that stand for each other; one of them is empty where the other
    has no partner."""

    operation: Operation
    reference: str
    output: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AlignedSegment:
    """A segment of a system: its number from 1, which of its references counts (from 1), and the pairs."""

    system: str
    segment: int
    reference: int
    pairs: tuple[AlignedPair, ...]

    def count(self, operation: Operation) -> int:
        """How many pairs are of a kind."""
        return sum(pair.operation == operation for pair in self.pairs)

    @property
    def errors(self) -> int:
        """Substitutions, deletions and insertions."""
        return len(self.pairs) - self.count("=")

    @property
    def operations(self) -> str:
        """`=S=D`: one letter for each pair."""
        return "".join(pair.operation for pair in self.pairs)


class Confusion(NamedTuple):
    """What stands in references, what outputs have instead, and how often; one of them is empty where it is missing or
    too much."""

    kind: str
    reference: str
    output: str
    times: int


def unit_of(metric: Metric) -> str:
    """`word` or `character`: what a metric aligns; a metric that aligns nothing is refused."""
    unit = getattr(metric, "aligned", None)
    if unit is None:
        raise OptionError(f"{metric} counts no errors of an alignment; choose from wer, cer, mer, wil, wip")
    return str(unit)


def align_system(testset: TestSet, system: System, metric: Metric, run: Run = PLAIN) -> list[AlignedSegment]:
    """The alignment of every segment that has an output and a reference."""
    unit = unit_of(metric)
    prepared = door.prepare(metric, testset, run)
    marked = door.marks(metric, system.outputs, prepared, run)
    return [
        AlignedSegment(
            system=system.name, segment=number, reference=(marks.reference or 0) + 1, pairs=tuple(_pairs(marks, unit))
        )
        for number, marks in enumerate(marked, 1)
        if marks.read
    ]


def _pairs(marks: Marks, unit: str) -> Iterator[AlignedPair]:
    """Links and what is between them, word by word. Between two links one side has nothing: else a substitution would
    have been cheaper."""
    said, wanted = marks.read["output"], marks.read["reference"]

    def split(text: str) -> list[str]:
        return list(text) if unit == "character" else text.strip(" ").split(" ") if text.strip(" ") else []

    end = until = 0
    for link in (*marks.links, None):
        (start, to), (at, past) = (link.output, link.reference) if link else ((len(said), 0), (len(wanted), 0))
        yield from (AlignedPair("D", word, "") for word in split(wanted[until:at]))
        yield from (AlignedPair("I", "", word) for word in split(said[end:start]))
        if link is None:
            return
        operation: Operation = "=" if link.kind == EXACT else "S"
        words = zip(split(wanted[at:past]), split(said[start:to]), strict=True)
        yield from (AlignedPair(operation, one, other) for one, other in words)
        end, until = to, past


def confusions(alignments: Iterable[AlignedSegment], unit: str = "word", *, runs: bool = False) -> list[Confusion]:
    """What was substituted, left out and put in, the most frequent first; equal ones by their text. With `runs`,
    neighbours of one kind count together, as jiwer has it."""
    found: Counter[tuple[str, str, str]] = Counter()
    between = " " if unit == "word" else ""
    for alignment in alignments:
        for operation, group in groupby(alignment.pairs, key=lambda pair: pair.operation):
            if operation == "=":
                continue
            pairs = list(group)
            parts = [pairs] if runs else [[pair] for pair in pairs]
            for part in parts:
                wanted = "" if operation == "I" else between.join(pair.reference for pair in part)
                said = "" if operation == "D" else between.join(pair.output for pair in part)
                found[KINDS[operation], wanted, said] += 1
    order = list(KINDS.values())
    listed = [Confusion(*key, count) for key, count in found.items()]
    return sorted(listed, key=lambda item: (order.index(item.kind), -item.times, item.reference, item.output))


def of_kind(found: Sequence[Confusion], kind: str, most: int | None = None) -> list[Confusion]:
    """The confusions of a kind, so many at most."""
    return [item for item in found if item.kind == kind][:most]
