"""Metrics as filters and as choosers: counts that add up over documents, so that documents can be drawn and swapped.

As a filter a metric keeps the outputs that score at least a threshold: precision is the share of good ones among those
kept, recall the share of the good ones that are kept. As a chooser it takes the output that it scores highest among
those of a segment: precision is how often people score none higher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tertium.core.score import Interval
from tertium.inference.bootstrap import interval_of, resample_weights
from tertium.inference.correlation_tests import Gains
from tertium.inference.flips import goes_through_all, mask_blocks
from tertium.inference.pairs import divided

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array


class FilterSums(NamedTuple):
    """Sums of outputs: good ones kept, kept ones, good ones. # each (...)"""

    right: Array
    kept: Array
    good: Array

    def precision(self) -> Array:
        """Right among kept; NaN where nothing is kept."""
        return divided(self.right, self.kept)

    def recall(self) -> Array:
        """Right among good; NaN where nothing is good."""
        return divided(self.right, self.good)

    def f(self) -> Array:
        """The harmonic mean of both: 2 right / (kept + good); 0 where nothing is right."""
        return divided(2 * self.right, self.kept + self.good)


def best_threshold(scores: Array, good: NDArray[np.bool_]) -> float:
    """The score from which on outputs are kept for F to be highest; of several the highest. # (n,), (n,)"""
    import numpy as np

    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], np.cumsum(good[order])
    kept = np.arange(1, len(order) + 1)
    last = np.append(ranked[1:] != ranked[:-1], True)  # equal scores are kept together
    f = 2 * right[last] / (kept[last] + good.sum())
    return float(ranked[last][int(np.argmax(f))])


def held_out_thresholds(scores: Array, good: NDArray[np.bool_], fold: NDArray[np.int64]) -> Array:
    """For each fold, the best threshold of all others. # (n,), (n,), (n,) -> (folds,)"""
    import numpy as np

    return np.array([best_threshold(scores[fold != k], good[fold != k]) for k in range(int(fold.max()) + 1)])


def picks(gold: Array, scores: Array) -> tuple[Array, Array]:
    """Of each segment: whether people score none higher than what is chosen, and people's score of it. Of outputs that
    score equal, each is as likely to be taken. NaN are no candidates. # (systems, segments) -> 2 x (segments,)"""
    import numpy as np

    known = ~(np.isnan(gold) | np.isnan(scores))
    shown = np.where(known, scores, -np.inf)
    taken = known & (shown == shown.max(axis=0))
    people = np.where(known, gold, -np.inf)
    best = known & (people == people.max(axis=0))
    count = np.maximum(taken.sum(axis=0), 1)
    return (taken & best).sum(axis=0) / count, np.where(taken, gold, 0.0).sum(axis=0) / count


def drawn(rows: Array, trials: int, seed: int) -> Array:
    """Sums of rows of units that are drawn again; NaN of one alone, of which nothing is drawn.
    # (units, k) -> (trials, k)"""
    import numpy as np

    if len(rows) < 2:
        return np.full((trials, rows.shape[1]), np.nan)
    return np.concatenate([weights @ rows for weights in resample_weights(len(rows), trials, seed)])


def interval(values: Array, confidence: float) -> Interval | None:
    """The middle of what was drawn; None where it is undefined in some trial."""
    import numpy as np

    return None if np.isnan(values).any() else interval_of(values, confidence)


def swapped_f(right: Array, kept: Array, good: Array, pairs: Sequence[tuple[int, int]], trials: int,
              seed: int) -> list[Gains]:  # fmt: skip
    """How much higher F is by the second of two filters, when what both keep of a unit is swapped at random; the same
    units in all pairs. # (units, filters), (units, filters), (units,)"""
    import numpy as np

    size, both = right.shape[1], np.concatenate([right, kept], axis=1)
    total, wanted = both.sum(axis=0), float(good.sum())
    stay = _stay(both, trials, seed)
    found = []
    for first, second in pairs:
        sides = [_swap(total, stay, *order, size) for order in ((first, second), (second, first))]
        one, other = (FilterSums(right, kept, wanted).f() for right, kept in sides)  # type: ignore[arg-type]
        plain = FilterSums(total[:size], total[size:], wanted).f()  # type: ignore[arg-type]
        found.append(Gains(float(plain[second] - plain[first]), other - one))
    return found


def swapped_means(hits: Array, n: float, pairs: Sequence[tuple[int, int]], trials: int, seed: int) -> list[Gains]:
    """The same of how often two choosers are right, of n segments. # (units, choosers)"""
    total, stay = hits.sum(axis=0), _stay(hits, trials, seed)
    return [
        Gains(float(total[b] - total[a]) / n, (2 * (stay[:, b] - stay[:, a]) - (total[b] - total[a])) / n)
        for a, b in pairs
    ]


def _stay(rows: Array, trials: int, seed: int) -> Array:
    """Sums over the units that are not swapped. # (units, k) -> (trials, k)"""
    import numpy as np

    stay = np.concatenate([block.astype(np.float64) @ rows for block in mask_blocks(len(rows), trials, seed)])
    return stay[:-1] if goes_through_all(len(rows), trials) else stay  # the last one swaps nothing


def _swap(total: Array, stay: Array, first: int, second: int, size: int) -> tuple[Array, Array]:
    """Right and kept of the first, with the other's of the units that are swapped. # each (trials,)"""
    right = stay[:, first] + total[second] - stay[:, second]
    kept = stay[:, first + size] + total[second + size] - stay[:, second + size]
    return right, kept
