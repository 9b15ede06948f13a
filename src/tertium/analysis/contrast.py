"""The types of two systems side by side: which words one of them gained or lost, and how rare they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.analysis.types import TypeScore, type_table
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.numbers import ratio
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.core.type_stats import OF_TYPE, TypeColumns
from tertium.inference.corrections import holm
from tertium.inference.paired import check_trials, p_value, permuted_differences
from tertium.inference.resolution import unresolvable
from tertium.inference.seeds import ALPHA, SEED, SWAPS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

BOUNDS = (1, 2, 5, 10, 50, 200)  # reference counts: 1, 2, 3-5, 6-10, 11-50, 51-200, 201+
INVENTED = "only in the output"
ALL = "all"
DIGITS = 9  # decimals of F in percent that are told apart


class TypePair(NamedTuple):
    """One type under two systems. F is NaN for a system whose outputs and references never have it."""

    type: str
    references: int
    a: TypeScore
    b: TypeScore

    @property
    def difference(self) -> float:
        """F of the second system less F of the first."""
        return self.b.f - self.a.f

    @property
    def gain(self) -> int:
        """By how many mistakes the second system is better: words missed and words too many."""
        return _mistakes(self.a) - _mistakes(self.b)


class BucketSide(NamedTuple):
    """One system in a bucket: how many types and words there are, and precision, recall and F in percent.

    Precision and recall are those of the words of the bucket together; F is what the metric makes of its types.
    """

    types: int
    outputs: int
    matches: int
    precision: float
    recall: float
    f: float


class TypeBucket(NamedTuple):
    """Types that the references have about equally often, under two systems.

    `p` is the permutation test's for the difference in F; for types that only outputs have, F is 0 on both sides and
    it is the difference in their number that is tested. `adjusted` is p after Holm's correction over the buckets; the
    row of all types is not one of them. Both are None without a test.
    """

    name: str
    low: int
    high: int | None
    references: int
    a: BucketSide
    b: BucketSide
    difference: float
    p: float | None = None
    adjusted: float | None = None


class CurvePoint(NamedTuple):
    """The mean F of the types up to a frequency rank; `references` is how often references have the last of them."""

    rank: int
    references: int
    a: float
    b: float


@dataclass(frozen=True, kw_only=True)
class TypeContrast:
    """Two systems' types: from the most frequent in the references down, in buckets, and as a curve."""

    systems: tuple[str, str]
    metric: str
    n: int
    pairs: tuple[TypePair, ...]
    buckets: tuple[TypeBucket, ...]
    trials: int
    seed: int

    @property
    def unresolvable(self) -> str | None:
        """Why no bucket's p could be as small as 0.05 after Holm; None where it could, or nothing was tested."""
        tests = sum(bucket.adjusted is not None for bucket in self.buckets[:-1])  # the last one has all types
        return unresolvable(self.trials, ALPHA, tests) if tests else None

    def gained(self, top: int | None = None) -> list[TypePair]:
        """Types of which the second system makes fewer mistakes, the largest gain first."""
        return self._changed(1)[:top]

    def lost(self, top: int | None = None) -> list[TypePair]:
        """Types of which it makes more mistakes, the largest loss first."""
        return self._changed(-1)[:top]

    def _changed(self, sign: int) -> list[TypePair]:
        changed = [pair for pair in self.pairs if sign * pair.gain > 0]
        return sorted(changed, key=lambda pair: (-sign * pair.gain, -_known(sign * pair.difference), pair.type))

    def curve(self) -> list[CurvePoint]:
        """Cumulative mean F by frequency rank (Gowda et al. 2021, figure 1), over the types that references have.

        Types that are equally frequent come in the order of their texts.
        """
        points, one, other = [], 0.0, 0.0
        for rank, pair in enumerate((pair for pair in self.pairs if pair.references), start=1):
            one, other = one + pair.a.f, other + pair.b.f
            points.append(CurvePoint(rank, pair.references, one / rank, other / rank))
        return points


def compare_types(
    evaluation: Evaluation,
    a: str,
    b: str,
    metric: Metric | str | None = None,
    *,
    bounds: Sequence[int] = BOUNDS,
    trials: int = SWAPS,
    seed: int = SEED,
) -> TypeContrast:
    """Set the types of system b against those of system a, under a metric that counts types, such as macrof.

    Buckets hold types by how often the references have them: up to the first bound, then up to the next, and so on.
    They are compared by paired permutation with so many `trials`; 0 leaves the test out. Differences are b less a.
    """
    chosen = evaluation.metric(metric)
    _check(a, b, bounds)
    if trials:
        check_trials(trials, seed)
    first, second = _paired(evaluation, a, b, chosen)
    tables = [type_table(stats, chosen) for stats in (first, second)]
    pairs = [
        TypePair(type=x.type, references=x.references, a=_absent(x), b=_absent(y))
        for x, y in zip(*tables, strict=True)
        if x.references or x.outputs or y.outputs  # else it is of segments that are not scored for both
    ]
    buckets = _buckets(first, second, chosen, bounds, trials, seed)
    return TypeContrast(
        systems=(a, b),
        metric=str(chosen),
        n=len(first),
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.references, pair.type))),
        buckets=tuple(buckets),
        trials=trials,
        seed=seed,
    )


def _check(a: str, b: str, bounds: Sequence[int]) -> None:
    if a == b:
        raise OptionError(f"{a} against itself: name two different systems")
    if any(low >= high for low, high in zip((0, *bounds), bounds, strict=False)):
        raise OptionError(f"bounds {', '.join(map(str, bounds))}: must be positive and rise")


def _paired(evaluation: Evaluation, a: str, b: str, metric: Metric) -> list[Stats]:
    """Both systems on the segments scored for both, with the same columns."""
    import numpy as np

    stats = [evaluation.stats(name, metric) for name in (a, b)]
    for part in stats:
        if part.types is None:
            raise OptionError(f"{metric} counts no types; choose a metric that does, such as macrof")
    common = np.flatnonzero(stats[0].scored & stats[1].scored)
    if len(common) == 0:
        raise InputError(f"no segment is scored for both {a} and {b}")
    if len(common) < len(stats[0]):
        stats = [part.take(common) for part in stats]
    return Stats.aligned(stats)


def _mistakes(score: TypeScore) -> int:
    return score.references + score.outputs - 2 * score.matches


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _absent(score: TypeScore) -> TypeScore:
    """A type that only the other system has is not among this one's: it has no precision, recall or F."""
    if score.references or score.outputs:
        return score
    return score._replace(precision=math.nan, recall=math.nan, f=math.nan)


# Buckets


def _buckets(a: Stats, b: Stats, metric: Metric, bounds: Sequence[int], trials: int, seed: int) -> list[TypeBucket]:
    import numpy as np

    wanted = a.total().reshape(len(OF_TYPE), -1)[1]  # the same for both systems: they have the same references
    number = np.where(wanted == 0, len(bounds) + 1, np.searchsorted(np.asarray(bounds), wanted))
    order = np.argsort(number, kind="stable")
    sizes = np.bincount(number, minlength=len(bounds) + 2)
    parts = BucketScores(metric, sizes.tolist())
    a, b = _reordered(a, order), _reordered(b, order)
    totals = [stats.total() for stats in (a, b)]
    observed = parts.score(totals[1]) - parts.score(totals[0])  # (buckets + 1,)
    p: list[float | None] = [None] * (len(sizes) + 1)
    adjusted = p.copy()
    if trials:
        filled = [*np.flatnonzero(sizes).tolist(), len(sizes)]
        tested = _tested(a, b, parts, observed, trials, seed)
        for k, corrected in zip(filled, [*holm([tested[k] for k in filled[:-1]]), tested[-1]], strict=True):
            p[k], adjusted[k] = tested[k], corrected
    rows = []
    slices = [*parts.slices(), slice(None)]
    ranges = [*_ranges(bounds), (INVENTED, 0, 0), (ALL, 0, None)]
    for k, (name, low, high) in enumerate(ranges):
        sides = [_side(_of_types(total, slices[k]), metric) for total in totals]
        references = int(_of_types(totals[0], slices[k]).reshape(len(OF_TYPE), -1)[1].sum())
        rows.append(
            TypeBucket(name=name, low=low, high=high, references=references, a=sides[0], b=sides[1],
                       difference=sides[1].f - sides[0].f, p=p[k], adjusted=adjusted[k])
        )  # fmt: skip
    return rows


class BucketScores:
    """A formula over sums of rows whose types are ordered by bucket: a score for each bucket, and for all types."""

    def __init__(self, metric: Metric, sizes: Sequence[int]) -> None:
        self.metric = metric
        self.sizes = sizes  # types of each bucket; the last one has those that no reference has

    def slices(self) -> list[slice]:
        """The types of each bucket."""
        ends = [sum(self.sizes[: k + 1]) for k in range(len(self.sizes))]
        return [slice(low, high) for low, high in zip([0, *ends], ends, strict=False)]

    def score(self, sums: Any) -> Array:
        """F of every bucket; the number of types in the last, where F is always 0; F of all. # (..., k) -> (..., g)"""
        import numpy as np

        *known, invented = self.slices()
        found = [self.metric.score(_of_types(sums, here)) for here in known]
        output = sums[..., : sum(self.sizes)]
        types = (output[..., invented] > 0).sum(axis=-1)
        return np.stack([*found, types.astype(np.float64), self.metric.score(sums)], axis=-1)


def _of_types(sums: Array, here: slice) -> Array:
    """The columns of some types. # (..., 3 x types) -> (..., 3 x types here)"""
    shape = sums.shape[:-1]
    return sums.reshape(*shape, len(OF_TYPE), -1)[..., here].reshape(*shape, -1)


def _tested(a: Stats, b: Stats, parts: Any, observed: Array, trials: int, seed: int) -> list[float]:
    """p-values of all buckets from the same swaps.

    Types of a bucket have few different F, so that swapped corpora often differ exactly as the systems do, but for the
    order in which numbers were added: rounding lets them tie.
    """
    swapped = permuted_differences({"a": a, "b": b}, parts, [("a", "b")], trials, seed)["a", "b"].round(DIGITS)
    known = observed.round(DIGITS)
    return [p_value(swapped[:, k], float(known[k]), "permutation") for k in range(len(known))]  # swapped: (trials, g)


def _reordered(stats: Stats, order: NDArray[np.int64]) -> Stats:
    """The same rows with the types in another order."""
    import numpy as np

    rows: Any = stats.rows  # sparse: they have types
    types: Any = stats.types
    place = np.empty(len(order), dtype=rows.indices.dtype)
    place[order] = np.arange(len(order))
    numbers = rows.indices % len(order)
    indices = rows.indices - numbers + place[numbers]
    moved = SparseRows(rows.starts, indices, rows.values, rows.width)
    return Stats(TypeColumns(types.take(order)), moved, None, stats.header)


def _ranges(bounds: Sequence[int]) -> list[tuple[str, int, int | None]]:
    """Names and limits of the buckets: 1, 2, 3-5, ..., 201+."""
    ranges: list[tuple[str, int, int | None]] = []
    for low, high in zip((0, *bounds), bounds, strict=False):
        ranges.append((str(high) if high == low + 1 else f"{low + 1}-{high}", low + 1, high))
    last = bounds[-1] if bounds else 0
    return [*ranges, (f"{last + 1}+", last + 1, None)]


def _side(sums: Array, metric: Metric) -> BucketSide:
    """One system's part of a bucket, from the sums of its types."""
    output, reference, both = sums.reshape(len(OF_TYPE), -1)
    types = int((output + reference > 0).sum())
    outputs, references, matches = float(output.sum()), float(reference.sum()), float(both.sum())
    return BucketSide(
        types=types,
        outputs=int(outputs),
        matches=int(matches),
        precision=100 * float(ratio(matches, outputs, math.nan)),
        recall=100 * float(ratio(matches, references, math.nan)),
        f=float(metric.score(sums)) if types else math.nan,
    )
