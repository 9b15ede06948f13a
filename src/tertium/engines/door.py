"""The one door to a metric: `prepare`, `stats`, `given`, `marks` and `notes` are called from here only. So what a
metric gives is checked once, where it is made, and an error in a segment names the segment's number in the test set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from operator import le
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError, SegmentError, TertiumError
from tertium.core.evaluation import Evaluation
from tertium.core.header import Header, Origin
from tertium.core.lines import Lines
from tertium.core.metric import Counted, Given, Metric, Prepared, is_counted
from tertium.core.run import PLAIN, Run
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.engines.models import pin
from tertium.engines.signature import signature

if TYPE_CHECKING:
    from tertium.core.given import GivenRows
    from tertium.core.marks import Marks  # which brings people's error spans along
    from tertium.core.steps import Step


def prepare(
    metric: Metric, testset: TestSet, run: Run = PLAIN, *, first: int = 0, origin: Origin | None = None
) -> Prepared:
    """A test set, or the part of one that begins at segment `first`, as a metric reads it. Rows say that they are of
    this test set, or of the `origin` that all parts of a test set share."""
    _, run = pin(metric, run)
    header = Header(origin or origin_of(metric, testset, run), (first, first + len(testset)))
    with called(metric, "preparing the test set"), located("references", first):
        return counting(metric).prepare(testset, run).complete(testset, metric.needs, run.located, header)


def origin_of(metric: Metric, testset: TestSet, run: Run = PLAIN) -> Origin:
    """What rows of a metric are of; signature and digest are worked out when somebody asks for them."""
    return Origin(str(metric), lambda: signature(metric, testset, run), lambda: testset.digest)


def count(
    metric: Metric, outputs: Lines, prepared: Prepared, run: Run = PLAIN, *, system: str = "outputs", first: int = 0
) -> Stats:
    """The rows of a system's outputs, which begin at segment `first` of the test set."""
    run = replace(run, located=prepared.models) if prepared.models else run
    with called(metric, f"counting system {system}"), located(system, first):
        stats = counting(metric).stats(outputs, prepared, run)
        check_rows(metric, stats, len(outputs))
    return stats.with_header(prepared.header)


def given(metric: Given, evaluation: Evaluation, run: Run = PLAIN) -> GivenRows:
    """The rows that a metric is given for the systems of an evaluation."""
    with called(metric, f"giving rows of {', '.join(system.name for system in evaluation.systems)}"):
        rows = metric.given(evaluation, run)
    for system, stats in rows.stats.items():
        with located(system, 0):
            check_rows(metric, stats, len(evaluation.testset))
    return rows


def notes(metric: Metric, testset: TestSet) -> list[str]:
    """What a metric itself has to say of a test set; most have nothing."""
    if not hasattr(metric, "notes"):
        return []
    with called(metric, "looking at the test set"):
        return [str(note) for note in metric.notes(testset)]


def counting(metric: Metric) -> Counted:
    """The same metric, if it counts texts."""
    if not is_counted(metric):
        raise OptionError(f"{metric}: its rows are given, not counted; it cannot score texts that are new")
    return metric


def gives_marks(metric: Metric, run: Run = PLAIN) -> bool:
    """Whether a metric shows what its scores are made of, with the models that it names."""
    return callable(getattr(metric, "marks", None)) and (not hasattr(metric, "has_marks") or metric.has_marks(run))


def marks(
    metric: Metric, outputs: Lines, prepared: Prepared, run: Run = PLAIN, *, system: str = "outputs", first: int = 0
) -> Iterator[Marks]:
    """The evidence in a system's outputs, which begin at segment `first` of the test set: one Marks for each, made as
    they are asked for."""
    known, segment = prepared.references.counts.tolist(), -1
    run = replace(run, located=prepared.models) if prepared.models else run
    with called(metric, f"marking system {system}"), located(system, first):
        for segment, marks in enumerate(metric.marks(outputs, prepared, run)):  # type: ignore[attr-defined]
            if segment < len(outputs):
                check_marks(metric, marks, segment, outputs, prepared, known[segment])
                yield marks
        if segment + 1 != len(outputs):
            raise SegmentError(
                min(segment + 1, len(outputs)),
                f"{metric}: {counted(segment + 1, 'item')} of marks for {counted(len(outputs), 'output')}; there must "
                f"be one for each, Marks() where there is nothing to show",
            )


def steps(metric: Metric, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
    """How a metric comes to the score of the one segment that there is; without anything where it cannot say."""
    if not hasattr(metric, "steps"):
        return []
    with called(metric, "explaining a score"), located("output", 0):
        return list(metric.steps(outputs, prepared, run))


def dependence(prepared: Prepared) -> str | None:
    """How rows depend on the whole test set, in words; None where they can be counted part by part."""
    if prepared.shared is None:
        return None
    found: str | None = getattr(prepared.shared, "whole", "its rows depend on the whole test set")
    return found


def share(prepared: Sequence[Prepared]) -> list[Prepared]:
    """Give every shard what the metric knows of all shards."""
    if prepared[0].shared is None:
        return list(prepared)
    shared = reduce(lambda one, other: one.merge(other), (part.shared for part in prepared))
    return [replace(part, shared=shared) for part in prepared]


@contextmanager
def called(metric: Metric, doing: str) -> Iterator[None]:
    """What another package's metric raises, and is no error of ours, becomes a sentence; the exception is its cause, so
    that a mistake can still be found. In our own metrics it would be our mistake, and is not hidden."""
    package = type(metric).__module__.partition(".")[0]
    try:
        yield
    except (TertiumError, MemoryError):
        raise
    except Exception as error:
        if package == "tertium":
            raise
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise TertiumError(f"{metric}: {said} (in {package}, while {doing}; --debug shows the traceback)") from error


@contextmanager
def located(where: str, first: int) -> Iterator[None]:
    """An error in a segment of a shard gets the segment's number in the whole test set."""
    try:
        yield
    except SegmentError as error:
        raise error.at(where, first) from error.__cause__


def check_rows(metric: Metric, stats: Stats, segments: int) -> None:
    """Refuse rows that are not one for each segment, or not finite: 0 x NaN is NaN, and one such row spoils every sum.

    Sums are checked first; only if one of them is not finite are the rows looked at one by one.
    """
    if len(stats) != segments:
        raise TertiumError(
            f"{metric}: {counted(len(stats), 'row')} of statistics for {counted(segments, 'output')}; "
            f"there must be one for each"
        )
    if stats.is_whole or all(map(math.isfinite, stats.sums())):
        return
    import numpy as np

    rows = stats.rows
    if isinstance(rows, SparseRows):
        bad = rows.row_numbers()[~np.isfinite(rows.values)]
    else:
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise SegmentError(
            int(bad[0]),
            f"{metric}: a statistic is not a finite number; a segment that cannot be scored has a row of zeros, and is "
            f"false in `scored`",
        )


def check_marks(
    metric: Metric, marks: Marks, segment: int, outputs: Lines, prepared: Prepared, references: int
) -> None:
    """Refuse marks that are not inside their texts, where a page would draw them elsewhere; or of a reference that the
    segment, which has so many, does not have."""
    if marks.reference is not None and not 0 <= marks.reference < references:
        raise SegmentError(
            segment,
            f"{metric}: marks are about reference {marks.reference}, counted from 0, but the segment has {references}",
        )
    places: dict[str, Sequence[tuple[int, int]]] = {}
    if marks.links or marks.rejected:
        _, places["output"], places["reference"] = zip(*marks.links, *marks.rejected, strict=True)
    if marks.hits:
        _, starts, stops, _ = zip(*marks.hits, strict=True)
        all_of = [(min(starts), max(stops))] if all(map(le, starts, stops)) else zip(starts, stops, strict=True)
        places["output"] = [*places.get("output", ()), *all_of]  # pages have hundreds of thousands of them
    for span in marks.spans:
        if span.side != "none":
            places[span.side] = [*places.get(span.side, ()), (span.start, span.end)]
    for side, ends in places.items():
        text = marked_text(marks, side, segment, outputs, prepared)
        try:
            _check_places(side, ends, text)
        except InputError as error:
            raise SegmentError(segment, f"{metric}: {error}") from None


def _check_places(side: str, places: Sequence[tuple[int, int]], text: str | None) -> None:
    if text is None:
        raise InputError(
            f"marks the {side}, but there is none"
            + (", or `reference` does not say which, counted from 0" if side == "reference" else "")
        )
    size = len(text)
    for start, end in places:
        if not 0 <= start <= end <= size:
            raise InputError(
                f"marks characters {start} to {end} of the {side}, which has {size}; a mark lies inside its text and "
                f"does not end before it starts"
            )


def marked_text(marks: Marks, side: str, segment: int, outputs: Lines, prepared: Prepared) -> str | None:
    """The text of a side in which a segment's marks count characters; None where there is none."""
    if side == "reference" and marks.reference is None:
        return None
    if side in marks.read:
        return marks.read[side]
    if side == "output":
        return outputs[segment]
    if side == "source":
        return None if prepared.sources is None else prepared.sources[segment]
    own = prepared.references[segment]
    return str(own[marks.reference or 0]) if side == "reference" else None
