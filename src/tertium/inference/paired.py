"""Paired significance tests of two systems on the same segments.

Permutation (approximate randomization: Noreen 1989; Riezler and Maxwell 2005) swaps the two systems' outputs segment by
segment; if the systems were equal, swapping would make no difference. Bootstrap (Koehn 2004) draws segments again with
replacement. Both need only sums of rows, so they serve every metric; p-values are sacreBLEU's for the same seed and
trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tertium.core.metric import Metric
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.inference.bootstrap import resample_weights
from tertium.inference.products import exact_product
from tertium.inference.seeds import check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Pair = tuple[str, str]  # baseline, system
BLOCK = 1 << 20  # numbers held at a time: larger blocks are given back to the system after each use, and cleared anew
EXACT = 1 << 24  # below which all whole numbers are exact in single precision, which is twice as fast
CACHED = 1 << 18  # numbers of a pair that are scored at a time: a few such arrays fit into a processor's cache


def swap_weights(n: int, trials: int, seed: int, wide: int = 1) -> Iterator[NDArray[np.bool_]]:
    """Fair coins, blocks of rows of W: true where a segment keeps its side, false where it is swapped. # (b, n)

    Blocks are multiples of 32 rows, because numpy takes 32 coins from one random number: so any size of block gives the
    same coins.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    step = max(1, BLOCK // max(1, n, wide) // 32) * 32
    for first in range(0, trials, step):
        yield rng.integers(2, size=(min(step, trials - first), n), dtype=bool)


def weigh_together(stats: Mapping[str, Stats]) -> Callable[[NDArray[Any]], dict[str, Array]]:
    """W @ S for all systems at once: one wide product is several times faster than many narrow ones."""
    import numpy as np

    rows = {name: part.rows for name, part in stats.items()}
    dense = [part for part in rows.values() if isinstance(part, np.ndarray)]
    if len(dense) < len(rows):
        return lambda weights: {name: part.weigh(weights) for name, part in stats.items()}
    stacked, width = np.concatenate(dense, axis=1), dense[0].shape[1]
    whole = np.array_equal(stacked, np.rint(stacked))
    if whole and len(stacked) * np.abs(stacked).max(initial=0.0) < EXACT:
        stacked = stacked.astype(np.float32)
    product = exact_product if whole else np.matmul

    def weigh(weights: NDArray[Any]) -> dict[str, Array]:
        sums = product(weights.astype(stacked.dtype, copy=False), stacked).astype(np.float64, copy=False)
        return {name: sums[:, k * width : (k + 1) * width] for k, name in enumerate(rows)}

    return weigh


def permuted_differences(
    stats: Mapping[str, Stats], metric: Metric, pairs: Sequence[Pair], trials: int, seed: int
) -> dict[Pair, Array]:
    """Differences system - baseline after swapping at random. # each (trials,)

    With P = W @ S for every system and T = the sum of S, the swapped corpora of systems a and b are
    P_a + (T_b - P_b) and P_b + (T_a - P_a): one product for each system serves all pairs.
    """
    import numpy as np

    total = {name: part.total() for name, part in stats.items()}
    n, width = len(next(iter(stats.values()))), max(len(sums) for sums in total.values())
    found: dict[Pair, list[Array]] = {pair: [] for pair in pairs}
    weigh = weigh_changes(stats) if all(map(_are_whole, stats.values())) else weigh_together(stats)
    step = max(1, CACHED // max(1, width))
    for weights in swap_weights(n, trials, seed, width):
        kept = weigh(weights)
        for baseline, system in pairs:
            for first in range(0, len(weights), step):
                here = slice(first, first + step)
                one, other = total[baseline], total[system]
                if system in kept:
                    other = other - kept[system][here]
                if baseline in kept:
                    one, other = one - kept[baseline][here], other + kept[baseline][here]
                if system in kept:
                    one = one + kept[system][here]
                found[baseline, system].append(metric.score(one) - metric.score(other))
    return {pair: np.concatenate(parts) for pair, parts in found.items()}


def weigh_changes(stats: Mapping[str, Stats]) -> Callable[[NDArray[Any]], dict[str, Array]]:
    """W @ (S - R) for all systems but the first, whose rows are R, under weights of 0 and 1.

    Swapping adds and takes away differences of rows alone, so that taking R from all of them changes nothing where sums
    are exact: those of whole numbers are. What is left is mostly 0, because systems are measured by the same references
    and say much the same.
    """
    import numpy as np

    (_, own), *others = ((name, part.rows) for name, part in stats.items())
    if isinstance(own, SparseRows):
        changes = {name: rows.less(own) for name, rows in others if isinstance(rows, SparseRows)}

        def weigh_each(weights: NDArray[Any]) -> dict[str, Array]:
            given = weights.astype(np.float64)
            return {name: part.weigh(given) for name, part in changes.items()}

        return weigh_each

    dense = [rows - own for _, rows in others if isinstance(rows, np.ndarray)]
    stacked = np.concatenate([own[:, :0], *dense], axis=1)
    filled = np.flatnonzero(stacked.any(axis=0))  # without what is counted of references, which is the same for all
    counted = np.ascontiguousarray(stacked[:, filled])
    if np.abs(counted).sum(axis=0).max(initial=0.0) < EXACT:
        counted = counted.astype(np.float32)

    def weigh(weights: NDArray[Any]) -> dict[str, Array]:
        sums = np.zeros((len(weights), stacked.shape[1]))
        sums[:, filled] = exact_product(weights.astype(counted.dtype), counted)
        width = own.shape[1]
        return {name: sums[:, k * width : (k + 1) * width] for k, (name, _) in enumerate(others)}

    return weigh


def _are_whole(stats: Stats) -> bool:
    """Whether all rows are whole numbers."""
    import numpy as np

    rows = stats.rows
    return stats.is_whole if isinstance(rows, SparseRows) else np.array_equal(rows, np.rint(rows))


def resampled_scores(stats: Mapping[str, Stats], metric: Metric, trials: int, seed: int) -> dict[str, Array]:
    """Scores of every system on the same resampled segments. # each (trials,)"""
    import numpy as np

    n = len(next(iter(stats.values())))
    found: dict[str, list[Array]] = {name: [] for name in stats}
    weigh = weigh_together(stats)
    for weights in resample_weights(n, trials, seed):
        for name, sums in weigh(weights).items():
            found[name].append(metric.score(sums))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def null_sizes(differences: Array, observed: float, test: str, *, runs: bool = False) -> Array:
    """How large differences are in trials in which the systems are equal. # (trials,)

    Bootstrap differences are first moved to where they would lie if the systems were equal: sacreBLEU moves their
    absolute values, which makes p about half as large as it should be. Where `runs` are drawn too, which sacreBLEU does
    not know, the differences themselves are moved.
    """
    import numpy as np

    if test != "bootstrap":
        return np.abs(differences)
    if runs:
        return np.abs(differences - observed)
    sizes = np.abs(differences)
    return sizes - sizes.mean()  # type: ignore[no-any-return]


def p_value(differences: Array, observed: float, test: str, *, strict: bool = False, runs: bool = False) -> float:
    """The share of trials that differ at least as much as the systems do."""
    return share_of(null_sizes(differences, observed, test, runs=runs), observed, strict=strict)


def share_of(sizes: Array, observed: float, *, strict: bool = False) -> float:
    """The share of trials that are at least as large as what was observed, which is counted as one trial.

    `strict` counts only trials that differ more, as sacreBLEU does: systems that do not differ at all then have
    p = 1/(trials + 1) instead of 1.
    """
    import numpy as np

    extreme = sizes > abs(observed) if strict else sizes >= abs(observed)
    return (int(np.count_nonzero(extreme)) + 1) / (len(sizes) + 1)


def check_trials(trials: int, seed: int) -> None:
    """Refuse what cannot be drawn."""
    check_drawn(trials, seed)
