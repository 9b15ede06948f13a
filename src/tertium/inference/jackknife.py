"""The corpus without each of its segments (jackknife): ones minus the identity. For favouritism and BCa intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tertium.core.metric import Metric
from tertium.core.numbers import ratio
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.type_stats import OF_TYPE, rows_at_a_time, types_of_rows

if TYPE_CHECKING:
    from tertium.core.stats import Array

BLOCK = 1 << 20  # numbers worked on at a time


def leave_one_out(stats: Stats, metric: Metric) -> tuple[float, Array]:
    """The corpus score, and the scores of the corpus without each segment. # (), (n,)"""
    import numpy as np

    rows, weights = stats.rows, getattr(metric, "type_weights", None)
    if isinstance(rows, SparseRows) and stats.types is not None and weights is not None:
        return _without_types(rows, metric, weights)
    total, found = stats.total(), np.empty(len(stats))
    step = max(1, BLOCK // max(1, len(total)))
    for first in range(0, len(stats), step):
        last = min(first + step, len(stats))
        block = rows.dense(first, last) if isinstance(rows, SparseRows) else rows[first:last]
        found[first:last] = metric.score(total - block)
    return float(metric.score(total)), found


def _without_types(rows: SparseRows, metric: Metric, weights: Callable[[Any], Any]) -> tuple[float, Array]:
    """The same for a mean over types: only the types of a segment change when it goes, so only they are looked at."""
    import numpy as np

    def terms(sums: Array) -> tuple[Array, Array]:
        weight = weights(sums)[..., 0]
        return weight * metric.score(sums), weight

    total = rows.total().reshape(len(OF_TYPE), -1).T
    values, weight = terms(total)
    value_sum, weight_sum, words = values.sum(), weight.sum(), total.sum()
    found = np.empty(len(rows))
    for first, part in rows_at_a_time(rows):
        last = first + len(part)
        row_of, type_of, sums = types_of_rows(part)
        new_values, new_weight = terms(total[type_of] - sums)
        above = value_sum + np.bincount(row_of, new_values - values[type_of], last - first)
        below = weight_sum + np.bincount(row_of, new_weight - weight[type_of], last - first)
        left = words - np.bincount(row_of, sums.sum(axis=1), last - first)  # of no words, rounding errors are left
        found[first:last] = ratio(above, np.where(left > 0, below, 0.0))
    return float(ratio(value_sum, weight_sum)), found
