"""Ratings: who answered what about which item, as arrays; built from judgements or from a raters x items matrix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tertium.core.errors import OptionError
from tertium.core.judgement import SCALES, Judgement, Span
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Between = Literal["raters", "repeats"]
BETWEEN: tuple[Between, ...] = ("raters", "repeats")
POINTS = 11  # a scale of more points than these is cut into bins before answers are counted as equal or not
BINS = 5
MOST = 1000  # bins
INFINITE = "ratings must be finite; NaN stands for a missing one"


class RaterPairs(NamedTuple):
    """Every two answers to one item; `left` and `right` are places in the ratings, `pair` numbers the two raters."""

    item: NDArray[np.int64]  # (p,)
    left: NDArray[np.int64]  # (p,)
    right: NDArray[np.int64]  # (p,)
    pair: NDArray[np.int64]  # (p,)
    raters: list[tuple[int, int]]  # of each pair


@dataclass(frozen=True)
class Ratings:
    """At most one answer of each rater to each item, in long form: most cells of the matrix are empty.

    `item` rises, and within an item so does `rater`. Items of one `unit` (a segment) are drawn together when items are
    resampled. A rater who answered a question more than once is here once, with the mean of the answers.
    """

    raters: tuple[str, ...]
    unit: NDArray[np.int64]  # (n,) of each item
    item: NDArray[np.int64]  # (m,)
    rater: NDArray[np.int64]  # (m,)
    value: Array  # (m,)
    judgements: int  # before several answers became one
    spans: tuple[tuple[Span, ...], ...] = ()  # of each rating, or none at all

    @classmethod
    def of(cls, matrix: Any, raters: Sequence[str] | None = None) -> Ratings:
        """From a matrix with a row for each rater and a column for each item; NaN where there is no answer."""
        import numpy as np

        try:
            table = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError("ratings must be judgements, or a matrix of numbers with a row for each rater") from None
        if table.ndim != 2:
            raise OptionError(f"ratings of {table.ndim} dimensions; expected a matrix, a row for each rater")
        if np.isinf(table).any():
            raise OptionError(INFINITE)
        names = tuple(raters) if raters is not None else tuple(str(k + 1) for k in range(len(table)))
        if len(names) != len(table):
            raise OptionError(
                f"{counted(len(names), 'name')} of raters, but the matrix has {counted(len(table), 'row')}"
            )
        item, rater = np.nonzero(~np.isnan(table.T))
        return cls(names, np.arange(table.shape[1]), item, rater, table[rater, item], len(item))

    def matrix(self) -> Array:
        """A row for each rater, a column for each item, NaN where there is no answer. # (raters, n)"""
        import numpy as np

        table = np.full((len(self.raters), len(self.unit)), np.nan)
        table[self.rater, self.item] = self.value
        return table

    def shared(self) -> Ratings:
        """Only items with two answers or more: the others say nothing about agreement."""
        import numpy as np

        often = np.bincount(self.item, minlength=len(self.unit)) > 1
        kept = often[self.item]
        spans = (
            tuple(spans for spans, keep in zip(self.spans, kept.tolist(), strict=True) if keep) if self.spans else ()
        )
        number = np.cumsum(often) - 1
        return Ratings(self.raters, self.unit[often], number[self.item[kept]], self.rater[kept], self.value[kept],
                       self.judgements, spans)  # fmt: skip

    def standardised(self) -> Ratings:
        """Every rater's answers less their mean, by their standard deviation (n - 1); 0 where all are equal."""
        import numpy as np

        count = np.maximum(np.bincount(self.rater, minlength=len(self.raters)), 1)
        gap = self.value - (np.bincount(self.rater, self.value, len(self.raters)) / count)[self.rater]
        spread = np.sqrt(np.bincount(self.rater, gap**2, len(self.raters)) / np.maximum(count - 1, 1))[self.rater]
        constant = _ranges(self.value, self.rater, len(self.raters))[self.rater] == 0
        value = np.divide(gap, spread, out=np.zeros_like(gap), where=~constant)
        return Ratings(self.raters, self.unit, self.item, self.rater, value, self.judgements, self.spans)

    @cached_property
    def pairs(self) -> RaterPairs:
        """Every two answers to one item: as many as there are, never items times items."""
        import numpy as np

        sizes = np.bincount(self.item, minlength=len(self.unit))
        starts = np.cumsum(sizes) - sizes
        left, right = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for size in np.unique(sizes[sizes > 1]).tolist():
            first, second = np.triu_indices(size, 1)
            places = starts[sizes == size][:, None]
            left.append((places + first).ravel())
            right.append((places + second).ravel())
        i, j = np.concatenate(left), np.concatenate(right)
        keys, pair = np.unique(self.rater[i] * len(self.raters) + self.rater[j], return_inverse=True)
        names = [divmod(key, len(self.raters)) for key in keys.tolist()]
        return RaterPairs(self.item[i], i, j, pair, names)


def _ranges(values: Array, group: NDArray[np.int64], groups: int) -> Array:
    """Largest less smallest value of each group. # (groups,)"""
    import numpy as np

    low: Array = np.full(groups, np.inf)
    high: Array = np.full(groups, -np.inf)
    np.minimum.at(low, group, values)
    np.maximum.at(high, group, values)
    return high - low


class RaterAnswer(NamedTuple):
    """A judgement as agreement sees it. Raters are compared on items of one owner only."""

    owner: str  # "" between raters; between repeats the rater
    rater: str
    system: str
    segment: int
    task: str | None
    value: float
    spans: tuple[Span, ...]


def answers(judgements: Iterable[Judgement], scale: str, between: Between = "raters") -> list[RaterAnswer]:
    """The answers on a scale that are compared: between raters those of genuine items, between repeats what a rater
    said at first and again (`kind` repeat) of one item."""
    given = [one for one in judgements if one.scale == scale and not math.isnan(one.value)]  # NaN: no answer
    for one in given:
        if math.isinf(one.value):
            raise OptionError(f"rater {one.rater}, system {one.system}, segment {one.segment + 1}: {INFINITE}")
    if between == "raters":
        return [
            RaterAnswer("", one.rater, one.system, one.segment, one.task, one.value, one.spans)
            for one in given
            if one.kind == "genuine"
        ]
    again = {(one.rater, one.system, one.segment) for one in given if one.kind == "repeat"}
    return [
        RaterAnswer(one.rater, one.rater + AGAIN * (one.kind == "repeat"), one.system, one.segment, one.task, one.value,
               one.spans)
        for one in given
        if one.kind in ("genuine", "repeat") and (one.rater, one.system, one.segment) in again
    ]  # fmt: skip


AGAIN = " again"


def collect(given: Sequence[RaterAnswer]) -> Ratings:
    """Raters x items; an item is a system's output for a segment."""
    import numpy as np

    raters = {name: k for k, name in enumerate(sorted({one.rater for one in given}))}
    items: dict[tuple[str, int, str], int] = {}
    item = np.fromiter(
        (items.setdefault((one.owner, one.segment, one.system), len(items)) for one in given), np.int64, len(given)
    )
    rater = np.fromiter((raters[one.rater] for one in given), np.int64, len(given))
    value = np.fromiter((one.value for one in given), np.float64, len(given))
    unit = np.fromiter((segment for _, segment, _ in items), np.int64, len(items))
    cells, first, cell = np.unique(item * max(1, len(raters)) + rater, return_index=True, return_inverse=True)
    count = np.bincount(cell, minlength=len(cells))
    once = value[first]  # of a single answer, to the last digit
    mean = np.bincount(cell, value, len(cells)) / np.maximum(count, 1)
    spans = tuple(given[k].spans for k in first.tolist()) if any(one.spans for one in given) else ()
    return Ratings(tuple(raters), unit, cells // max(1, len(raters)), cells % max(1, len(raters)),
                   np.where(count > 1, mean, once), len(given), spans)  # fmt: skip


def preferences(given: Sequence[RaterAnswer], *, by_task: bool = False, ties: float = 0.0) -> Ratings:
    """What raters say of every two systems on a segment: -1, 0 or 1, from the order of their answers.

    Answers that differ by at most `ties` are tied. With `by_task` only answers of one task are compared: ranks mean
    nothing outside their own ranking. A comparison that a rater makes more than once counts the first time.
    """
    import numpy as np

    if not 0 <= ties < math.inf:
        raise OptionError(f"ties={ties}: must be 0 or the largest difference that counts as a tie")
    groups: dict[tuple[str, str, int, str | None], dict[str, float]] = {}
    for one in given:
        group = groups.setdefault((one.owner, one.rater, one.segment, one.task if by_task else None), {})
        group.setdefault(one.system, one.value)
    raters = {name: k for k, name in enumerate(sorted({one.rater for one in given}))}
    items: dict[tuple[str, int, str, str], int] = {}
    cells: dict[tuple[int, int], int] = {}
    for (owner, rater, segment, _), said in groups.items():
        systems = sorted(said)
        for k, first in enumerate(systems):
            for second in systems[k + 1 :]:
                item = items.setdefault((owner, segment, first, second), len(items))
                gap = said[first] - said[second]
                cells.setdefault((item, raters[rater]), 0 if abs(gap) <= ties else 1 if gap > 0 else -1)
    order = sorted(cells)
    unit = np.fromiter((segment for _, segment, _, _ in items), np.int64, len(items))
    places = np.array(order, dtype=np.int64).reshape(-1, 2)
    value = np.array([cells[key] for key in order], dtype=np.float64)
    return Ratings(tuple(raters), unit, places[:, 0], places[:, 1], value, len(given))


@dataclass(frozen=True)
class Categories:
    """How answers become categories: `edges` are where the next one begins, and every one has a name."""

    names: tuple[str, ...]
    edges: tuple[float, ...]  # one fewer than names, rising
    binned: bool

    def of(self, values: Array) -> NDArray[np.int64]:
        """The number of each value's category."""
        import numpy as np

        return np.searchsorted(np.asarray(self.edges), values, side="right")

    def __str__(self) -> str:
        return ", ".join(self.names)


def categories(values: Array, scale: str = "", bins: int | Sequence[float] | None = None) -> Categories:
    """The points of a scale that has few, or bins.

    `bins` is a number of bins of equal width over the scale, or where the second bin, the third, ... begin. Without it
    a scale of at most 11 points is taken as it is, and another one is cut into five bins.
    """
    import numpy as np

    low, high = _ends(values, scale)
    if bins is None:
        points = high - low + 1
        if points <= POINTS and float(low).is_integer() and bool((values == np.round(values)).all()):
            names = tuple(f"{low + k:g}" for k in range(int(points)))
            return Categories(names, tuple(low + k + 0.5 for k in range(int(points) - 1)), False)
        bins = BINS
    if isinstance(bins, int):
        if not 2 <= bins <= MOST:
            raise OptionError(f"bins={bins}: there can be 2 to {MOST}")
        edges = [low + (high - low) * k / bins for k in range(1, bins)] if high > low else []
    else:
        edges = [float(edge) for edge in bins]
        rising = all(a < b for a, b in pairwise([low, *edges])) and all(map(math.isfinite, edges))
        if not 0 < len(edges) < MOST or not rising or edges[-1] > high:
            shown = ", ".join(f"{edge:g}" for edge in edges[:10])
            raise OptionError(f"bins {shown}: where bins begin must rise between {low:g} and {high:g}")
    ends = [low, *edges, high]
    spans = [f"[{a:g}, {b:g})" for a, b in pairwise(ends)]
    spans[-1] = spans[-1][:-1] + "]"
    return Categories(tuple(spans), tuple(edges), True)


def _ends(values: Array, scale: str) -> tuple[float, float]:
    """The scale's own ends where it has any, else the lowest and highest value."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    if scale in SCALES:
        known = SCALES[scale]
        low = known.low if math.isfinite(known.low) else low
        high = known.high if math.isfinite(known.high) else high
    return low, high
