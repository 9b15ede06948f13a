"""PERM-PAIRS: is one metric's pairwise accuracy with ties higher than another's? (WMT's metrics task from 2023 on.)

What is swapped at random is not scores but what two metrics say of one pair of outputs: better, worse or tied, each at
its own threshold for ties. So metrics whose scores have nothing in common are compared, and no threshold has to be
chosen anew in every trial. acc_eq is a mean over pairs, so a swap adds or takes away what the pair counts: all trials
of all metrics are one product.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from tertium.inference.correlation_tests import Gains
from tertium.inference.flips import goes_through_all, mask_blocks
from tertium.inference.pairs import as_groups, differences
from tertium.inference.seeds import WMT_SEED, WMT_TRIALS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from tertium.core.stats import Array

Pair = tuple[str, str]


class Tied(NamedTuple):
    """A metric's scores and the largest difference that is a tie. # (systems, segments)"""

    scores: ArrayLike
    eps: float


class _Share(NamedTuple):
    """Pairs of metrics that know the same pairs of outputs, and what each of those counts. # (pairs, groups)"""

    pairs: list[Pair]
    weights: Array


def right_pairs(gold: ArrayLike, metric: ArrayLike, eps: float) -> Array:
    """1 for each pair of members of which the metric says what people say, 0 for others, NaN where one is missing.
    # (m, g) -> (pairs, g)"""
    import numpy as np

    left, right = as_groups(gold, metric)
    people, machine = differences(left), differences(right)
    said = np.where(np.abs(machine) <= eps, 0.0, np.sign(machine))
    return np.where(np.isnan(people), np.nan, (np.sign(people) == said).astype(float))


def permuted_pairs(
    gold: ArrayLike, metrics: Mapping[str, Tied], *, trials: int = WMT_TRIALS, seed: int = WMT_SEED
) -> dict[Pair, Gains]:
    """How much higher the mean over groups of acc_eq is by the second metric, for every two; the same pairs of outputs
    are swapped for all of them. # each (members, groups)

    Pairs of outputs that either metric has not scored take no part; those of which no two metrics say different things
    change nothing, and are not drawn. Where there are no more ways to swap than trials, all are gone through.
    """
    import numpy as np

    right = {name: right_pairs(gold, metric.scores, metric.eps) for name, metric in metrics.items()}
    columns: list[Array] = []
    places: dict[Pair, tuple[int, int]] = {}
    differ = np.zeros(next(iter(right.values())).size if right else 0, dtype=bool)
    shares = _shares(right)
    for share in shares:
        names = list(dict.fromkeys(name for pair in share.pairs for name in pair))
        own = [np.where(share.weights > 0, right[name] * share.weights, 0.0).ravel() for name in names]
        where = {name: len(columns) + k for k, name in enumerate(names)}
        places |= {pair: (where[pair[0]], where[pair[1]]) for pair in share.pairs}
        for one in own[1:]:
            differ |= one != own[0]
        columns += own
    if not columns:
        return {}
    counted = np.stack(columns, axis=1)[differ]  # (units, columns)
    kept = np.concatenate([block.astype(np.float64) @ counted for block in mask_blocks(len(counted), trials, seed)])
    if goes_through_all(len(counted), trials):
        kept = kept[:-1]  # the last one swaps nothing: these are the pairs as they are
    total = counted.sum(axis=0)
    known = {pair: share.weights.any() for share in shares for pair in share.pairs}
    return {pair: _gains(total, kept, *where, known=bool(known[pair])) for pair, where in places.items()}


def _gains(total: Array, kept: Array, first: int, second: int, *, known: bool) -> Gains:
    import numpy as np

    if not known:
        return Gains(float("nan"), np.empty(0))
    observed = float(total[second] - total[first])
    return Gains(observed, 2 * (kept[:, second] - kept[:, first]) - observed)


def _shares(right: Mapping[str, Array]) -> list[_Share]:
    """Every two metrics, by the pairs of outputs that both have scored: mostly all have scored the same."""
    import numpy as np

    found: dict[bytes, _Share] = {}
    for pair in combinations(right, 2):
        known: NDArray[np.bool_] = ~np.isnan(right[pair[0]]) & ~np.isnan(right[pair[1]])
        key = np.packbits(known).tobytes()
        if key not in found:
            found[key] = _Share([], _weights(known))
        found[key].pairs.append(pair)
    return list(found.values())


def _weights(known: NDArray[np.bool_]) -> Array:
    """What a pair counts in the mean over groups of the means over their pairs."""
    import numpy as np

    sizes = known.sum(axis=0)
    return np.where(known, 1.0 / np.maximum(sizes, 1) / max(1, np.count_nonzero(sizes)), 0.0)
