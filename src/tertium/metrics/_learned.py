"""What learned metrics share: a mean over segments, the best of several references, what a signature says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose
from tertium.core.numbers import columns, ratio
from tertium.core.stats import Stats
from tertium.learned.weights import PRECISIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Scoring = Callable[[list[int], int | None], tuple[Values, Flags]]


def check_options(metric: Any) -> None:
    """Refuse a precision that does not exist."""
    choose(metric.name, "precision", metric.precision, PRECISIONS)


def need_model(metric: Any) -> None:
    """Refuse to score with no model."""
    if not metric.model:
        raise OptionError(f'{metric.name} needs a model: {metric.name}(model="PATH"), the path of its folder')


def versions(precision: str, *packages: str) -> dict[str, str]:
    """What a signature says beside the model's name and content."""
    from importlib.metadata import PackageNotFoundError, version

    said = {"precision": precision}
    for package in packages:
        try:
            said[package] = version(package)
        except PackageNotFoundError:
            said[package] = "none"
    return said


def mean_score(sums: Any) -> Any:
    """The mean of the scored segments; NaN of none."""
    total, *_, count = columns(sums)
    return ratio(total, count, float("nan"))


def best_rows(outputs: Lines, prepared: Prepared, lower: bool, score: Scoring) -> tuple[Values, int]:
    """The best score of each segment over its references, NaN where it cannot be scored, and how many were cut.

    `score` is asked for the scores of the segments of these numbers, and which of them were cut, against the references
    of one stream, which none of them lacks; against None where the metric needs none.
    """
    import numpy as np

    scorable = prepared.scorable(outputs)
    chosen = np.flatnonzero(np.ones(len(outputs), dtype=bool) if scorable is None else scorable)
    values, cut = np.full(len(outputs), np.nan), np.zeros(len(outputs), dtype=bool)
    best = np.fmin if lower else np.fmax
    for k in range(len(prepared.streams)) if "references" in prepared.needs else [None]:
        numbers = chosen if k is None else chosen[prepared.streams[k].present[chosen]]
        if len(numbers):
            found, too_long = score(numbers.tolist(), k)
            values[numbers] = best(values[numbers], found)
            cut[numbers] |= too_long
    return values, int(cut.sum())


def rows_of(values: Values, cut: int) -> Stats:
    """Rows (value, 1), whose score is a mean; NaN is not scored. # (n,) -> (n, 2)"""
    from tertium.core.given import mean_rows

    stats = mean_rows(values)
    return Stats(stats.columns, stats.rows, stats.scored, cut=cut)


def texts_of(lines: Lines, numbers: Sequence[int]) -> list[str]:
    """The texts of these numbers, none of which is missing."""
    return [lines[k] or "" for k in numbers]
