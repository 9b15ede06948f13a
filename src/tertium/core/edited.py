"""Edited segments: what an engine said, what a person made of it, and who, where, and in what time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.testset import TestSet
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Names = tuple[str, ...]
LONGEST = 1e7  # seconds for a segment: more is no time that somebody worked


@dataclass(frozen=True, eq=False, kw_only=True)
class EditedSegments:
    """One row for each output that was edited. Facts are there for all rows, empty or NaN where one has none, or for
    none. Rows of two engines that have the same name in `segments` are of the same segment."""

    name: str
    outputs: Lines
    edited: Lines
    engines: Names
    segments: Names
    sources: Lines | None = None
    documents: Names | None = None
    translators: Names | None = None
    domains: Names | None = None
    seconds: tuple[float, ...] | None = None
    notes: Names = ()

    def __post_init__(self) -> None:
        for what in ("edited", "engines", "segments", "sources", "documents", "translators", "domains", "seconds"):
            values = getattr(self, what)
            if values is not None and len(values) != len(self.outputs):
                raise InputError(
                    f"{self.name}: {counted(len(values), 'row')} of {what}, but {counted(len(self.outputs), 'output')}"
                )

    def __len__(self) -> int:
        return len(self.outputs)

    def with_pseudonyms(self) -> EditedSegments:
        """The same with `translator 1`, `translator 2`, ... in place of names."""
        if self.translators is None:
            return self
        salt = hashlib.sha256(self.outputs.digest() + self.edited.digest()).hexdigest()
        known = pseudonyms((name for name in self.translators if name), salt, "translator")
        return replace(self, translators=tuple(known.get(name, "") for name in self.translators))

    def complete(self) -> EditedSegments:
        """Without the rows that lack an output or what it became; a note says how many they are."""
        import numpy as np

        whole = self.outputs.present & self.edited.present
        lost = len(self) - int(whole.sum())
        if not lost:
            return self
        note = f"{counted(lost, 'row')} of {len(self)} without an output or without its post-edit: not counted"
        return replace(self._take(np.flatnonzero(whole)), notes=(*self.notes, note))

    def _take(self, numbers: NDArray[np.int64]) -> EditedSegments:
        chosen = numbers.tolist()

        def some(values: Sequence[str] | None) -> Names | None:
            return None if values is None else tuple(values[k] for k in chosen)

        return replace(
            self,
            outputs=self.outputs.take(numbers),
            edited=self.edited.take(numbers),
            engines=some(self.engines) or (),
            segments=some(self.segments) or (),
            sources=None if self.sources is None else self.sources.take(numbers),
            documents=some(self.documents),
            translators=some(self.translators),
            domains=some(self.domains),
            seconds=None if self.seconds is None else tuple(self.seconds[k] for k in chosen),
        )


def pseudonyms(names: Iterable[str], salt: str, noun: str = "rater") -> dict[str, str]:
    """`rater 1`, `rater 2`, ...: the same for the same names, in an order that tells nothing about them."""

    def mixed(name: str) -> bytes:
        return hashlib.sha256(f"{salt}/{name}".encode(errors="surrogatepass")).digest()

    return {name: f"{noun} {k}" for k, name in enumerate(sorted(set(names), key=mixed), 1)}


def edited_of(given: Evaluation) -> EditedSegments:
    """The outputs of an evaluation, with its references as post-edits. Where the test set says which engine's output
    was edited, only that is a row; else every output is."""
    testset, systems = given.testset, given.systems
    _, most = testset.references.fewest_and_most
    if most != 1:
        many = f"up to {most} references a segment" if most else "no references"
        raise OptionError(
            f"an output has one post-edit, and test set {testset.name} has {many}; name the post-edits: --ref FILE"
        )
    from tertium.core.system import check_lengths

    for system in systems:
        check_lengths(system, testset)
    facts = {**testset.labels, **getattr(testset, "records", {})}
    names = {system.name for system in systems}
    of = facts.get("engine", ())
    said = bool(names.intersection(of))
    rows = [
        (system, k)
        for system in systems
        for k in range(len(testset))
        if system.outputs[k] is not None and (not said or of[k] == system.name)
    ]
    notes = []
    if not said and len(systems) > 1:
        notes.append(
            "the same post-edits are held against the outputs of every engine: those of an engine that was not edited "
            "look worse than they are"
        )
    if said and (others := sum(name not in names for name in of)):
        which = f"{counted(others, 'segment')} of {len(testset)}"
        notes.append(f"{which} not said to be edited from one of these engines: not counted")
    edited, sources = testset.references.streams[0], testset.sources
    ids = testset.ids or tuple(str(k + 1) for k in range(len(testset)))

    def fact(values: Sequence[str] | None) -> Names | None:
        return None if values is None or not any(values) else tuple(values[k] for _, k in rows)

    seconds = fact(facts.get("seconds"))
    return EditedSegments(
        name=testset.name,
        outputs=Lines.of([system.outputs[k] for system, k in rows]),
        edited=Lines.of([edited[k] for _, k in rows]),
        engines=tuple(system.name for system, _ in rows),
        segments=tuple(ids[k] for _, k in rows),
        sources=None if sources is None else Lines.of([sources[k] for _, k in rows]),
        documents=fact(testset.documents),
        translators=fact(facts.get("translator")),
        domains=fact(facts.get("domain")),
        seconds=None if seconds is None else tuple(map(read_seconds, seconds)),
        notes=tuple(notes),
    )


def read_seconds(text: str) -> float:
    """A time; NaN where nobody says one, or none that somebody worked."""
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
    return value if 0 < value <= LONGEST else math.nan


def as_testset(edited: EditedSegments) -> TestSet:
    """The post-edits as references, for metrics."""
    from tertium.core.testset import References

    return TestSet(name=edited.name, segments=len(edited), references=References((edited.edited,), len(edited)))
