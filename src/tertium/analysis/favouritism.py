"""Favouritism (Gowda et al. 2021, section 4): which segments make a metric prefer one system, and where metrics differ.

The benefit of a segment is what a corpus score loses without it: `score(total) - score(total - S)`, one row of weights
for each segment, ones minus the identity. Favouritism is the benefit to one system less the benefit to another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.numbers import ratio
from tertium.core.stats import Stats
from tertium.inference.jackknife import leave_one_out
from tertium.metrics import parse, parse_list

if TYPE_CHECKING:
    from tertium.core.stats import Array


def benefits(evaluation: Evaluation, system: str, metric: Metric | str) -> Array:
    """What every segment does for a system's corpus score: positive is good, NaN where it is not scored. # (n,)

    Where lower scores are better, the sign is turned.
    """
    chosen = parse(metric)
    return segment_benefits(evaluation.stats(system, chosen), chosen)


def favouritism(evaluation: Evaluation, first: str, second: str, metric: Metric | str) -> Array:
    """How much more every segment does for the first system than for the second: positive favours the first. # (n,)"""
    return benefits(evaluation, first, metric) - benefits(evaluation, second, metric)


def segment_benefits(stats: Stats, metric: Metric) -> Array:
    """The benefit of every segment. # (n,)"""
    import numpy as np

    if stats.n < 2:  # without its only segment a corpus has no score
        return np.full(len(stats), np.nan)
    whole, without = leave_one_out(stats, metric)
    sign = 1 if metric.better == "higher" else -1
    return np.where(stats.scored, sign * (whole - without), np.nan)


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A segment, its favouritism by each metric, and its texts."""

    segment: str  # its id, or its number from 1
    index: int  # its place, from 0
    document: str | None
    size: float  # what the list is sorted by
    favouritism: Mapping[str, float]  # by metric; positive: for the first system
    standardised: Mapping[str, float]  # the same in standard deviations of all segments
    ranks: Mapping[str, int]  # the segment's place by size of favouritism, from 1
    source: str | None
    references: tuple[str, ...]
    outputs: Mapping[str, str | None]  # by system


def disagreements(
    evaluation: Evaluation,
    first: str,
    second: str,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    by: str = "opposite",
    top: int | None = None,
) -> list[Disagreement]:
    """Segments on which metrics judge two systems differently, the worst first.

    by="opposite": two metrics favour different systems; sorted by the smaller of the two standardised favouritisms.
    by="rank": sorted by how far apart two metrics rank a segment by the size of its favouritism.
    by="size": sorted by the size of the first metric's favouritism; the other metrics are shown beside it.
    """
    return rank_segments(evaluation, first, second, metrics, by=by).items(top)


@dataclass(frozen=True, kw_only=True)
class FavourRanking:
    """Figures of all segments that have any, and which of them are listed in which order; texts are looked up later."""

    evaluation: Evaluation
    systems: tuple[str, str]
    metrics: tuple[str, ...]
    index: Any  # (n,): the segments' places
    favouritism: Array  # (metrics, n), and so are the next two
    standardised: Array
    ranks: Any
    sizes: Array  # (n,)
    order: Any  # which of the n are listed, the largest first

    def __len__(self) -> int:
        return len(self.order)

    def items(self, top: int | None = None) -> list[Disagreement]:
        """The first ones, with their texts."""
        outputs = {system.name: system.outputs for system in self.evaluation.systems}
        testset, found = self.evaluation.testset, []
        for k in self.order[:top].tolist():
            index = int(self.index[k])
            by_metric = (
                dict(zip(self.metrics, numbers[:, k].tolist(), strict=True))
                for numbers in (self.favouritism, self.standardised, self.ranks)
            )
            favoured, standardised, ranks = by_metric
            item = Disagreement(
                segment=str(index + 1) if testset.ids is None else testset.ids[index],
                index=index,
                document=None if testset.documents is None else testset.documents[index],
                size=float(self.sizes[k]),
                favouritism=favoured,
                standardised=standardised,
                ranks=ranks,
                source=None if testset.sources is None else testset.sources[index],
                references=tuple(str(text) for text in testset.references[index]),
                outputs={name: outputs[name][index] for name in self.systems},
            )
            found.append(item)
        return found


def rank_segments(
    evaluation: Evaluation,
    first: str,
    second: str,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    by: str = "opposite",
) -> FavourRanking:
    """The segments that `disagreements` lists, and their numbers."""
    import numpy as np

    chosen = evaluation.metrics if metrics is None else parse_list(metrics)
    order = _order(by, chosen)
    if first == second:
        raise OptionError(f"system {first} is compared with itself; name two systems")
    values = np.array([favouritism(evaluation, first, second, metric) for metric in chosen])
    known = np.flatnonzero(~np.isnan(values).any(axis=0))
    values = values[:, known]
    spread = values.std(axis=1, keepdims=True) if len(known) else values
    # not centred: the sign says whom a segment favours
    standard = np.asarray(ratio(values, spread + np.zeros_like(values)))
    ranks = np.array([_ranks(np.abs(row)) for row in values])
    kept, sizes = order(values, standard, ranks)
    return FavourRanking(
        evaluation=evaluation,
        systems=(first, second),
        metrics=tuple(str(metric) for metric in chosen),
        index=known,
        favouritism=values,
        standardised=standard,
        ranks=ranks,
        sizes=sizes,
        order=kept[np.argsort(-sizes[kept], kind="stable")],
    )


def _opposite(values: Array, standard: Array, ranks: Any) -> tuple[Any, Array]:  # noqa: ARG001
    import numpy as np

    return np.flatnonzero(np.sign(values[0]) * np.sign(values[1]) < 0), np.abs(standard).min(axis=0)


def _rank_difference(values: Array, standard: Array, ranks: Any) -> tuple[Any, Array]:  # noqa: ARG001
    import numpy as np

    return np.arange(values.shape[1]), np.abs(ranks[0] - ranks[1]).astype(np.float64)


def _size(values: Array, standard: Array, ranks: Any) -> tuple[Any, Array]:  # noqa: ARG001
    import numpy as np

    return np.arange(values.shape[1]), np.abs(values[0])


# How a list is made: which segments are in it, and how large their disagreement is.
Order = Callable[[Any, Any, Any], tuple[Any, Any]]
ORDERS: dict[str, Order] = {"opposite": _opposite, "rank": _rank_difference, "size": _size}


def _order(by: str, metrics: tuple[Metric, ...]) -> Order:
    if by not in ORDERS:
        raise OptionError(f"by={by!r} is unknown; choose from {', '.join(ORDERS)}")
    if not metrics:
        raise OptionError("no metric to look with; name at least one, such as bleu")
    if by != "size" and len(metrics) != 2:
        named = ", ".join(str(metric) for metric in metrics)
        raise OptionError(f"by={by!r} compares two metrics, not {len(metrics)} ({named}); name two, or use by='size'")
    return ORDERS[by]


def _ranks(sizes: Array) -> Any:
    """1 for the largest; equal ones share a place."""
    import numpy as np

    return np.searchsorted(np.sort(-sizes), -sizes) + 1
