"""Paired significance tests of two systems on the same segments.

Permutation (approximate randomization: Noreen 1989; Riezler and Maxwell 2005) swaps the two systems' outputs segment by
segment; if the systems were equal, swapping would make no difference. Bootstrap (Koehn 2004) draws segments again with
replacement. Both need only sums of rows, so they serve every metric; p-values are sacreBLEU's for the same seed and
trials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium import _kernel
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.engines.threads import in_order, map_all
from tertium.inference.bootstrap import resampled_blocks, threads_for
from tertium.inference.products import EXACT, Changes, is_whole, product, scores_of
from tertium.inference.seeds import check_drawn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Pair = tuple[str, str]  # baseline, system
BLOCK = 1 << 20  # numbers held at a time: larger blocks are given back to the system after each use, and cleared anew
CACHED = 1 << 18  # numbers that are scored at a time: a few such arrays fit into a processor's cache
GAP = 256  # columns from which on it is cheaper to pass over what does not change
WORD = 64  # coins that come from one random number
HOLDS = {2: 1 << 15, 4: 1 << 31}  # bytes of a whole number, and what it must stay below


class Coins(NamedTuple):
    """Fair coins of some trials, one for each of n units: true where a unit keeps its side, false where it is swapped.

    They are numpy's `default_rng(seed).integers(2, dtype=bool)`, one trial after the other. Where the coins of a trial
    stand in the stream is known, so that every block can be drawn by itself, on any thread.
    """

    n: int
    seed: int
    first: int  # a multiple of WORD, so that a block begins with a random number
    trials: int

    def packed(self) -> NDArray[np.uint64]:
        """The coins as bits, the lowest first."""
        import numpy as np

        generator = np.random.PCG64(self.seed).advance(self.first // WORD * self.n)
        raw: Any = generator.random_raw(-(-self.trials * self.n // WORD))
        return np.asarray(raw, dtype=np.uint64)

    def kept(self) -> NDArray[np.bool_]:
        """The coins one by one. # (trials, n)"""
        import numpy as np

        octets = self.packed().astype("<u8", copy=False).view(np.uint8)
        bits = np.unpackbits(octets, count=self.trials * self.n, bitorder="little")
        return bits.view(np.bool_).reshape(self.trials, self.n)


def coins(n: int, trials: int, seed: int, wide: int) -> list[Coins]:
    """All coins in blocks of trials; of each trial, `wide` numbers are held."""
    step = max(1, BLOCK // max(1, wide) // WORD) * WORD
    return [Coins(n, seed, first, min(step, trials - first)) for first in range(0, trials, step)]


def swap_weights(n: int, trials: int, seed: int, wide: int = 1) -> Iterator[NDArray[np.bool_]]:
    """Fair coins, blocks of rows of W: true where a segment keeps its side, false where it is swapped. # (b, n)"""
    return (block.kept() for block in coins(n, trials, seed, max(n, wide)))


def permuted_differences(
    stats: Mapping[str, Stats], metric: Metric, pairs: Sequence[Pair], trials: int, seed: int, run: Run = PLAIN
) -> dict[Pair, Array]:
    """Differences system - baseline after swapping at random. # each (trials,)

    With P = W @ S for every system and T = the sum of S, the swapped corpora of systems a and b are
    T_a - P_a + P_b and T_b - P_b + P_a: one product for each system serves all pairs. Swapping adds and takes away
    differences of rows alone, so the rows of one system may be taken from all: that changes nothing where sums are
    exact, as those of whole numbers are.
    """
    import numpy as np

    parts = list(stats.values())
    n, width = len(parts[0]), max(part.width for part in parts)
    total = {name: part.total() for name, part in stats.items()}
    changes, held = _countable_changes(parts)
    if changes is None:
        blocks = coins(n, trials, seed, max(n, width))
        if all(part.form == "sparse" and is_whole(part) for part in parts):
            sparse = _sparse_changes(stats)
            work = _by_sums(_weigh_sparse(sparse), total, metric, pairs, spans=_spans(sparse.values(), width))
        else:
            work = _by_sums(weigh_together(stats), total, metric, pairs)
    else:
        blocks = coins(n, trials, seed, max(n // 8, 4 * len(pairs) * width))
        work = _by_changes(changes, held, total, metric, pairs)
    found = map_all(threads_for(run, parts, trials), work, blocks)
    return {pair: np.concatenate(values) for pair, values in zip(pairs, zip(*found, strict=True), strict=True)}


def _countable_changes(parts: Sequence[Stats]) -> tuple[Changes | None, int]:
    """Differences of dense rows whose sums the kernel can count, and the bytes that hold those; None for others."""
    import numpy as np

    if any(part.form != "dense" for part in parts) or not all(map(is_whole, parts)):
        return None, 0
    changes = Changes(parts)
    largest = np.abs(changes.rows).sum(axis=0).max(initial=0.0)
    held = [size for size, limit in HOLDS.items() if largest < limit]
    return (changes, held[0]) if held else (None, 0)


def _by_changes(
    changes: Changes, held: int, totals: Mapping[str, Array], metric: Metric, pairs: Sequence[Pair]
) -> Callable[[Coins], list[Array]]:
    """The differences of a block of trials, in the order of the pairs, of which many are scored at a time."""
    import numpy as np

    names = list(totals)
    baselines, systems = ([names.index(pair[side]) for pair in pairs] for side in (0, 1))
    total = np.stack(list(totals.values()), axis=1)[:, :, None]  # (k, systems, 1)

    def differences(block: Coins) -> list[Array]:
        sums = np.empty((len(changes.filled), block.trials))
        _kernel.weigh_coins(block.packed(), changes.rows, held, sums)
        kept = changes.spread(sums)  # (k, systems, b)
        step = max(1, CACHED // max(1, len(total) * block.trials))
        found: list[Array] = []
        for first in range(0, len(pairs), step):
            a, b = baselines[first : first + step], systems[first : first + step]
            one = scores_of(metric, total[:, a] - kept[:, a] + kept[:, b])
            found += list(one - scores_of(metric, total[:, b] - kept[:, b] + kept[:, a]))
        return found

    return differences


def weigh_together(stats: Mapping[str, Stats]) -> Callable[[NDArray[Any]], dict[str, Array]]:
    """W @ S for all systems at once: one wide product is several times faster than many narrow ones."""
    import numpy as np

    rows = {name: part.rows for name, part in stats.items()}
    dense = [part for part in rows.values() if isinstance(part, np.ndarray)]
    if len(dense) < len(rows):
        return lambda weights: {name: part.weigh(weights) for name, part in stats.items()}
    stacked, width = np.concatenate(dense, axis=1), dense[0].shape[1]

    def weigh(weights: NDArray[Any]) -> dict[str, Array]:
        sums = product(weights.astype(np.float64, copy=False), stacked)
        return {name: sums[:, k * width : (k + 1) * width] for k, name in enumerate(rows)}

    return weigh


def _sparse_changes(stats: Mapping[str, Stats]) -> dict[str, SparseRows]:
    """S - R for all systems but the first, whose rows are R, of sparse rows of whole numbers."""
    rows = {name: part.rows for name, part in stats.items() if isinstance(part.rows, SparseRows)}
    first, own = next(iter(rows.items()))
    return {name: part.less(own) for name, part in rows.items() if name != first}


def _weigh_sparse(parts: Mapping[str, SparseRows]) -> Callable[[NDArray[Any]], dict[str, Array]]:
    """W @ S for every one of them."""
    import numpy as np

    def weigh(weights: NDArray[Any]) -> dict[str, Array]:
        given = weights.astype(np.float64)
        return {name: part.weigh(given) for name, part in parts.items()}

    return weigh


def _spans(parts: Iterable[SparseRows], width: int) -> list[slice]:
    """The columns in which anything is stored, in runs that may have short gaps: types have a third of their columns
    for the references, which are the same for all systems."""
    import numpy as np

    filled = np.zeros(width, dtype=np.bool_)
    for part in parts:
        filled[part.indices] = True
    columns = np.flatnonzero(filled)
    ends = np.flatnonzero(np.diff(columns) > GAP)
    lows, highs = columns[[0, *(ends + 1)]] if len(columns) else (), columns[[*ends, -1]] if len(columns) else ()
    return [slice(low, high + 1) for low, high in zip(map(int, lows), map(int, highs), strict=True)]


def _by_sums(
    weigh: Callable[[NDArray[Any]], dict[str, Array]],
    total: Mapping[str, Array],
    metric: Metric,
    pairs: Sequence[Pair],
    *,
    spans: Sequence[slice] | None = None,
) -> Callable[[Coins], list[Array]]:
    """The same of rows of any kind, a pair at a time; `spans` are the columns that change, where sums of changes are
    exact."""
    import numpy as np

    width = max(map(len, total.values()))
    step = max(1, CACHED // max(1, width))
    swapped: Callable[..., Sequence[Array]] = _swapped if spans is None else partial(_swapped_in, spans)

    def differences(block: Coins) -> list[Array]:
        kept, found = weigh(block.kept()), []
        # used again: new memory costs more than what is done in it
        room = np.empty((3, min(step, block.trials), width))
        for baseline, system in pairs:
            parts = []
            ends = total[baseline], total[system]
            if spans is not None:
                room[0], room[1] = ends  # which columns that do not change keep
            for first in range(0, block.trials, step):
                here = slice(first, min(first + step, block.trials))
                own, others = (kept[name][here] if name in kept else None for name in (baseline, system))
                one, other = swapped(*ends, own, others, room[:, : here.stop - first])
                parts.append(metric.score(one) - metric.score(other))
            found.append(np.concatenate(parts))
        return found

    return differences


def _swapped(one: Array, other: Array, kept: Array, moved: Array, room: Array) -> Sequence[Array]:
    """T_a - P_a + P_b and T_b - P_b + P_a, added up in this order. # (k,), (k,), (b, k), (b, k) -> 2 x (b, k)"""
    import numpy as np

    first, second, _ = room
    np.add(np.subtract(one, kept, out=first), moved, out=first)
    np.add(np.subtract(other, moved, out=second), kept, out=second)
    return first, second


def _swapped_in(
    spans: Sequence[slice], one: Array, other: Array, kept: Array | None, moved: Array | None, room: Array
) -> Sequence[Array]:
    """The same of whole numbers, whose sums are the same in any order, in these columns; the others of the room are
    there. None is 0, of at most one of the two."""
    import numpy as np

    for span in spans:
        first, second, change = room[..., span]
        if kept is not None and moved is not None:
            np.subtract(moved[:, span], kept[:, span], out=change)
            np.add(one[span], change, out=first)
            np.subtract(other[span], change, out=second)
        elif kept is not None:
            np.subtract(one[span], kept[:, span], out=first)
            np.add(other[span], kept[:, span], out=second)
        elif moved is not None:
            np.add(one[span], moved[:, span], out=first)
            np.subtract(other[span], moved[:, span], out=second)
    return room[0], room[1]


def resampled_scores(
    stats: Mapping[str, Stats], metric: Metric, trials: int, seed: int, run: Run = PLAIN
) -> dict[str, Array]:
    """Scores of every system on the same resampled segments. # each (trials,)"""
    import numpy as np

    parts, n = list(stats.values()), len(next(iter(stats.values())))
    if any(part.form != "dense" for part in parts) or not all(map(is_whole, parts)):
        weigh = weigh_together(stats)

        def each(blocks: list[NDArray[Any]]) -> list[Array]:
            sums = [weigh(weights) for weights in blocks]
            return [metric.score(np.concatenate([part[name] for part in sums])) for name in stats]

        drawn = resampled_blocks(n, trials, seed, single=False)
        separate = list(in_order(each, drawn, threads_for(run, parts, trials)))
        return dict(zip(stats, map(np.concatenate, zip(*separate, strict=True)), strict=True))
    changes = Changes(parts)
    width = changes.own.shape[1]
    rows = np.concatenate([changes.own, changes.rows], axis=1)
    single = n * np.abs(rows).max(initial=0.0) < EXACT
    rows = rows.astype(np.float32) if single else rows

    def scores(blocks: list[NDArray[Any]]) -> Array:
        sums = np.concatenate([product(weights, rows).T for weights in blocks], axis=1, dtype=np.float64)
        return scores_of(metric, changes.spread(sums[width:]) + sums[:width, None])  # sums: (k + filled, b)

    drawn = resampled_blocks(n, trials, seed, single)
    found = in_order(scores, drawn, threads_for(run, parts, trials))
    return dict(zip(stats, np.concatenate(list(found), axis=1), strict=True))


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
