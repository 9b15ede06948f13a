"""What the page's script counts and draws where the page does not hold all segments: worked out here, of all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from tertium.core.wording import visible
from tertium.report.figures.parts import held_documents

if TYPE_CHECKING:
    from tertium.core.metric import Metric
    from tertium.core.stats import Array
    from tertium.report.results import Results

NEAR = 1e-6  # of a step: rounding of a difference
BINS = 40  # of the histogram, at most, as the chart has them


def counted_wholly(results: Results) -> dict[str, Any]:
    """How many segments every filter would show, how many disagreements there are, and histograms of differences."""
    systems, metrics, numbers = results.systems, results.metrics, results.numbers
    return {
        "total": len(results.evaluation.testset),
        "higher": [[[_higher(results, metric, a, b) for b in systems] for a in systems] for metric in metrics],
        "found": [int((hits > 0).sum()) for hits in numbers.hits.values()],
        "found_of": [[results.diagnosis.tallies[name, kind].hits for name in systems] for kind in numbers.hits]
        if results.diagnosis
        else [],
        "parts": list(_parts(results)),
        "opposite": [[_opposite(results, one, other) for other in metrics] for one in metrics],
        "links": results.behind.counts,
        "differences": [_histograms(results, metric) for metric in metrics],
    }


def _higher(results: Results, metric: Metric, a: str, b: str) -> int:
    """Segments that score higher for the first."""
    scores = results.numbers.scores
    return int((scores[a, str(metric)] > scores[b, str(metric)]).sum())


def _parts(results: Results) -> Iterator[dict[str, Any]]:
    """Labels, lengths and documents, in the order in which the page's script has them."""
    testset, lengths = results.evaluation.testset, results.length_groups
    held = results.held.numbers.tolist()
    for values in testset.labels.values():
        yield _part(values, held)
    if lengths is not None:
        yield _part([visible(lengths.names[number]) for number in lengths.numbers], held)
    if testset.documents is not None:
        yield _part(testset.documents, held, held_documents(results))


def _part(values: Sequence[str], held: Sequence[int], linked: Sequence[str] = ()) -> dict[str, Any]:
    """Different values, and how many segments have each of those that are on the page, in the order in which they are
    met there; and of the others to which a table leads."""
    counts = Counter(values)
    here = dict.fromkeys(values[k] for k in held)
    return {
        "different": len(counts),
        "counts": [counts[value] for value in here],
        "others": [[value, counts[value]] for value in linked if value not in here],
    }


def _opposite(results: Results, one: Metric, other: Metric) -> list[list[int]]:
    """Segments on which two metrics favour different systems, by the two systems."""
    import numpy as np

    if one is other:
        return []

    def opposite(a: str, b: str) -> int:
        favours = [np.sign(results.numbers.favours(metric, a, b)) for metric in (one, other)]
        return int((favours[0] * favours[1] < 0).sum())

    return [[opposite(a, b) for b in results.systems] for a in results.systems]


def _histograms(results: Results, metric: Metric) -> list[dict[str, Any] | None]:
    """Of every two systems."""
    means = {name: _mean(results, metric, name) for name in results.groups}
    return [histogram(means[a] - means[b]) for a, b in combinations(results.groups, 2)]


def _mean(results: Results, metric: Metric, group: str) -> Array:
    """Scores of a system's segments, the mean over its runs. # (n,)"""
    import numpy as np

    return np.mean([results.numbers.scores[run, str(metric)] for run in results.groups[group]], axis=0)  # type: ignore[no-any-return]


def histogram(differences: Array) -> dict[str, Any] | None:
    """Differences that are not 0, counted in steps of a power of ten, and those that lie just where a step begins: the
    chart's own bins, which are 1, 2 or 5 times such a power wide, are made of whole steps. None where there is none."""
    import numpy as np

    known = differences[~np.isnan(differences) & (differences != 0)]
    if not len(known):
        return None
    low, high = float(known.min()), float(known.max())
    power = math.floor(math.log10((high - low or abs(high)) / BINS))
    step, per = 10 ** max(power, 0), 10 ** max(-power, 0)  # whole numbers: the script's places are exact
    places = known * per / step
    lower = np.floor(places + NEAR).astype(np.int64)
    first, size = int(lower.min()), int(lower.max() - lower.min()) + 1
    return {
        "low": low,
        "high": high,
        "step": step,
        "divisor": per,
        "first": first,
        "counts": np.bincount(lower - first, minlength=size).tolist(),
        "begin": np.bincount((lower - first)[places - lower < NEAR], minlength=size).tolist(),
    }
