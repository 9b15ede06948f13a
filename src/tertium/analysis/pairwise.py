"""Every output against every reference, as single references: a matrix of segment scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import segment_scores
from tertium.core.lines import Lines
from tertium.core.metric import Metric, Prepared
from tertium.core.run import PLAIN, Run
from tertium.core.sparse import SparseRows
from tertium.core.testset import References, TestSet
from tertium.engines import door
from tertium.engines.threads import map_all
from tertium.metrics import parse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# A block is what one thread does at a time: so large that reading its texts costs little beside comparing them.
TEXTS = 512  # of either side at most
BYTES = 1 << 17  # of either side at most, unless one text alone is longer
PAIRS = 1 << 16
CELLS = 1 << 20  # of rows that a formula gets at a time, so that what it makes of them stays near the processor

ALONE = Run(threads=1)  # of many segments, each is done by one thread

Bounds = tuple[int, int]


def pairwise(
    outputs: Any,
    references: Any,
    metric: str | Metric = "chrf",
    *,
    source: str | None = None,
    aggregate: bool = False,
    run: Run = PLAIN,
) -> Matrix:
    """Segment scores of every output against every reference alone, NaN where either is missing. # (n, m)

    With `aggregate` of every output against the mean of all references instead, in linear time. # (n,)

    Row i is what `tt.score([outputs[i]] * m, references=references, level="segment")` gives. `source`, for metrics
    that read it, is the text that all of them translate.
    """
    lines, others = Lines.of(outputs, "outputs"), Lines.of(references, "references")
    if aggregate:
        return mean_scores(lines, others, parse(metric))
    return pair_scores(lines, others, parse(metric), source, run)


def mean_scores(outputs: Lines, references: Lines, metric: Metric, weights: Sequence[float] | None = None) -> Matrix:
    """Every output against the mean of the references that are there, equally weighted or not. # (n,)"""
    import numpy as np

    check_averages(metric)
    present = references.present
    mass = np.where(
        present, np.ones(len(references)) if weights is None else np.asarray(weights, dtype=np.float64), 0.0
    )
    total = float(mass.sum())
    if not len(outputs) or not total > 0:
        return np.full(len(outputs), np.nan)
    rows = metric.of_mean(outputs, _prepare(metric, references, None), mass / total)  # type: ignore[attr-defined]
    scores = np.asarray(segment_scores(metric, np.asarray(rows)), dtype=np.float64)
    return np.where(outputs.present, scores, np.nan)


def check_averages(metric: Metric) -> None:
    """Refuse a metric whose references have no mean."""
    if not hasattr(metric, "of_mean"):
        raise OptionError(f"{metric.name} has no mean of references to compare with; aggregate needs chrf")


def pair_scores(
    outputs: Lines, references: Lines, metric: Metric, source: str | None = None, run: Run = ALONE
) -> Matrix:
    """The matrix, block by block: none depends on another, so any number of threads gives the same."""
    import numpy as np

    check_metric(metric, source is not None)
    scores = np.full((len(outputs), len(references)), np.nan)
    if not scores.size:
        return scores
    columns = list(_blocks(references, TEXTS))
    prepared = door.share([_prepare(metric, _part(references, bounds), source) for bounds in columns])
    tasks = [
        (rows, k)
        for k, (first, last) in enumerate(columns)
        for rows in _blocks(outputs, max(1, PAIRS // (last - first)))
    ]

    def work(task: tuple[Bounds, int]) -> None:
        rows, k = task
        block, others = _part(outputs, rows), _part(references, columns[k])
        if hasattr(metric, "pairwise"):
            found = _count_at_once(metric, block, prepared[k])
        else:
            found = _count_pair_by_pair(metric, block, others, prepared[k].shared, source)
        scores[slice(*rows), slice(*columns[k])] = found

    map_all(run, work, tasks)
    if not (outputs.complete and references.complete):
        scores[~outputs.present] = np.nan
        scores[:, ~references.present] = np.nan
    return scores


def check_metric(metric: Metric, has_source: bool) -> None:
    """Refuse a metric that has nothing to compare with, or lacks what it needs."""
    if "references" not in metric.needs:
        raise OptionError(
            f"{metric.name} needs no references: every output has one score; use tt.score or tertium rerank"
        )
    if "source" in metric.needs and not has_source:
        raise InputError(f"{metric.name} needs the source, and there is none (source=..., --src FILE)")


def _blocks(lines: Lines, texts: int) -> Iterator[Bounds]:
    """Bounds of blocks with at most so many texts and BYTES bytes, but at least one text."""
    import numpy as np

    sizes = np.cumsum(np.maximum(lines.lengths(), 0))
    first, before = 0, 0
    while first < len(lines):
        fitting = int(np.searchsorted(sizes, before + BYTES, side="right"))
        last = min(max(fitting, first + 1), first + texts, len(lines))
        yield first, last
        first, before = last, int(sizes[last - 1])


def _part(lines: Lines, bounds: Bounds) -> Lines:
    """A block of lines; the lines themselves if it is all of them, so that the kernel sees that two sides are one."""
    return lines if bounds == (0, len(lines)) else lines[slice(*bounds)]


def _prepare(metric: Metric, references: Lines, source: str | None) -> Prepared:
    n = len(references)
    sources = None if source is None else pick(Lines.of([source], "source"), [0] * n)
    return door.prepare(metric, TestSet(segments=n, sources=sources, references=References((references,), n)))


def _count_at_once(metric: Any, outputs: Lines, prepared: Prepared) -> Matrix:
    """By a metric that reads every text once. # (n, m)"""
    import numpy as np

    rows = metric.pairwise(outputs, prepared)  # (n, m, k)
    step = max(1, CELLS // max(1, rows[0].size))
    parts = [segment_scores(metric, rows[first : first + step]) for first in range(0, len(rows), step)]
    return np.concatenate(parts)


def _count_pair_by_pair(metric: Metric, outputs: Lines, references: Lines, shared: Any, source: str | None) -> Matrix:
    """By any metric: as a test set with a segment for every pair. # (n, m)"""
    import numpy as np

    n, m = len(outputs), len(references)
    ready = _prepare(metric, pick(references, np.tile(np.arange(m), n)), source)
    if shared is not None:
        ready = replace(ready, shared=shared)
    stats = door.count(metric, pick(outputs, np.repeat(np.arange(n), m)), ready)
    rows, step = stats.rows, max(1, CELLS // max(1, len(stats.columns)))
    parts = [
        segment_scores(
            metric, rows.dense(k, min(k + step, n * m)) if isinstance(rows, SparseRows) else rows[k : k + step]
        )
        for k in range(0, n * m, step)
    ]
    return np.where(stats.scored, np.concatenate(parts), np.nan).reshape(n, m)


def pick(lines: Lines, which: Any) -> Lines:
    """Lines by their numbers, also several times, without copying their text."""
    import numpy as np

    which = np.asarray(which, dtype=np.int64)
    missing = None if lines.missing is None else lines.missing[which]
    return Lines(lines.buffer, lines.starts[which], lines.ends[which], missing)
