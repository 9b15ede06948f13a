"""All systems from comparisons of pairs: scores on common segments, clusters, systems that are not significantly worse
than the best, and notes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.wording import counted
from tertium.inference.clusters import clusters
from tertium.inference.compare import Comparison
from tertium.inference.runs import FEW, runs_of

MANY = 6  # more names than these are counted, not listed
UNIT_NOTE = "segments of one document are not independent of each other"


class SharedScores(NamedTuple):
    """Scores of systems on the segments that were scored for all of them, so that they can be compared."""

    values: Mapping[str, float]  # the mean over runs; NaN where no segment is common
    n: int


def shared_scores(evaluation: Evaluation, metric: Metric) -> SharedScores:
    """Scores on the segments that every system has."""
    import numpy as np

    groups = runs_of(evaluation.systems)
    rows = {run: evaluation.stats(run, metric) for runs in groups.values() for run in runs}
    whole = all(stats.n == len(stats) for stats in rows.values())
    numbers = None if whole else np.flatnonzero(np.logical_and.reduce([stats.scored for stats in rows.values()]))
    n = len(next(iter(rows.values()))) if numbers is None else len(numbers)
    taken = {run: stats if numbers is None else stats.take(numbers) for run, stats in rows.items()}
    values = {run: float(metric.score(stats.total())) if n else math.nan for run, stats in taken.items()}
    return SharedScores({name: fmean(values[run] for run in runs) for name, runs in groups.items()}, n)


def resolved(comparisons: Sequence[Comparison]) -> bool:
    """Whether any of them could have been significant."""
    return any(item.unresolvable is None for item in comparisons)


def ranked_clusters(
    comparisons: Sequence[Comparison], better: Literal["higher", "lower"], scores: Mapping[str, float]
) -> list[list[str]]:
    """Systems from best to worst, cut where everyone above is significantly better than everyone below; of comparisons
    of every pair. None where nothing could have been significant: one cluster would say that systems are alike."""
    if not resolved(comparisons):
        return []
    won = {(c.system, c.baseline) for c in comparisons if c.verdict == "better"}
    won |= {(c.baseline, c.system) for c in comparisons if c.verdict == "worse"}
    return clusters(ranked(scores, better), lambda above, below: (above, below) in won)


def ranked(scores: Mapping[str, float], better: Literal["higher", "lower"]) -> list[str]:
    """Names from best to worst; those without a score last."""
    sign = -1 if better == "higher" else 1
    known = [name for name in scores if not math.isnan(scores[name])]
    return [*sorted(known, key=lambda name: sign * scores[name]), *(name for name in scores if name not in known)]


def keeping_up(comparisons: Sequence[Comparison], best: str) -> list[str]:
    """The systems that are not significantly worse than the best one, of those compared with it."""
    found = []
    for item in comparisons:
        if item.baseline == best and item.verdict != "worse":
            found.append(item.system)
        elif item.system == best and item.verdict != "better":
            found.append(item.baseline)
    return found


def notes(evaluation: Evaluation, comparisons: Sequence[Comparison]) -> list[str]:
    """Limits of these comparisons that a reader must know, and what would change them."""
    first = comparisons[0]
    found = [item.unresolvable for item in comparisons if item.unresolvable][:1]
    runs = runs_of(evaluation.systems)
    several = [len(own) for own in runs.values() if len(own) > 1]
    if first.test == "bootstrap" and not several:
        found.append(
            "this is sacreBLEU's bootstrap p, which finds a difference between equal systems about twice as often as "
            "alpha says; --test permutation keeps alpha"
        )
    if several and min(several) < FEW:
        found.append(
            f"with fewer than {FEW} runs of a system, how much runs vary is hardly known, and differences are found "
            "more often than alpha says"
        )
    return [*found, *unit_notes(comparisons)]


def unit_notes(comparisons: Sequence[Comparison]) -> list[str]:
    """Which unit was drawn, and the pairs whose verdict changes by the other; nothing where only one was asked."""
    known = [item for item in comparisons if item.other_verdict is not None]
    if not known:
        return []
    unit = known[0].unit
    other = "segment" if unit == "document" else "document"
    changed = [item for item in known if item.verdict != item.other_verdict]
    if not changed:
        return [f"tested by {unit}s; by {other}s no verdict changes"]
    start = f"tested by {unit}s" + (f", though {UNIT_NOTE}" if unit == "segment" else "")
    named = ": " + "; ".join(_changed(item, other) for item in changed) if len(changed) <= MANY else ""
    of = f"{len(changed)} of {counted(len(known), 'verdict')}"
    return [f"{start}. By {other}s {of} {'changes' if len(changed) == 1 else 'change'}{named}"]


def _changed(item: Comparison, other: str) -> str:
    return f"{item.system} against {item.baseline} ({item.verdict}, by {other}s {item.other_verdict})"
