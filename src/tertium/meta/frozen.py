"""Where a score lies among others: the distributions of an evaluation's scores, kept in a small file.

    share(x) = (scores below x + half of those equal to x) / all scores

the mid-rank of x, so that ties count half. Scores of systems are set beside those of systems, scores of segments beside
those of segments. A distribution holds for the metric, options and models that it was frozen with, and for no other.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, is_counted
from tertium.core.score import Level
from tertium.core.version import VERSION
from tertium.core.wording import counted
from tertium.io.files import read_bytes, write_atomically

FORMAT = "tertium frozen scores"
WRITTEN = 1  # the version of the format
STEPS = 1000  # of more values than these, some are left out: places are then exact to a thousandth
KINDS: Mapping[Level, Literal["systems", "segments"]] = {"corpus": "systems", "segment": "segments"}


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """Values in rising order, how many scores lie below each, and how many are equal to it; `n` are all."""

    n: int
    values: tuple[float, ...]
    below: tuple[int, ...]
    equal: tuple[int, ...]

    def share(self, value: float) -> float:
        """The mid-rank of a value, as a share of all; NaN where there is no value, or nothing to set it beside.

        Where values were left out, the share between two that were kept is interpolated.
        """
        if math.isnan(value) or not self.n:
            return math.nan
        k = bisect_left(self.values, value)
        if k < len(self.values) and self.values[k] == value:
            return (self.below[k] + self.equal[k] / 2) / self.n
        if k in (0, len(self.values)):
            return 0.0 if k == 0 else 1.0
        low, high = self.values[k - 1], self.values[k]
        start, end = self.below[k - 1] + self.equal[k - 1], self.below[k]
        return (start + (end - start) * ((value - low) / (high - low) if end > start else 0)) / self.n


def distribution(scores: Sequence[float]) -> Distribution:
    """The distribution of scores, NaN left out; of more than a thousand different values, about a thousand are kept:
    the ends, those that many scores share, and steps of equal numbers of scores between them."""
    import numpy as np

    known = np.asarray(scores, dtype=np.float64)
    values, equal = np.unique(known[np.isfinite(known)], return_counts=True)
    below = np.concatenate([[0], np.cumsum(equal)[:-1]]) if len(values) else np.empty(0)
    n = int(equal.sum())
    kept = np.ones(len(values), dtype=bool)
    if len(values) > STEPS:
        step = n / STEPS
        kept = (equal >= step) | (np.floor(below / step) != np.floor((below + equal) / step))
        kept[[0, -1]] = True
    columns = (column[kept].tolist() for column in (values, below.astype(np.int64), equal))
    return Distribution(n=n, **dict(zip(("values", "below", "equal"), map(tuple, columns), strict=True)))


@dataclass(frozen=True, kw_only=True)
class FrozenMetric:
    """The scores of one metric: `refs` is how many references segments had, as signatures say it."""

    metric: str
    title: str
    better: Literal["higher", "lower"]
    refs: str | None  # None where the metric reads none
    signature: str
    systems: Distribution
    segments: Distribution


@dataclass(frozen=True, kw_only=True)
class FrozenScores:
    """What was frozen: a name for it, the test set, the systems, and the scores by the metrics' texts."""

    name: str
    testset: Mapping[str, Any]  # name, digest, languages, segments
    systems: tuple[str, ...]
    metrics: Mapping[str, FrozenMetric]

    def places(self, evaluation: Evaluation, level: Level = "corpus") -> list[Place]:
        """Where the scores of an evaluation lie among these; those of metrics that are others are left out."""
        return _places(self, evaluation, level)

    def save(self, path: str | Path) -> None:
        """Write it as JSON, whole or not at all."""
        with write_atomically(path) as file:
            file.write(json.dumps(frozen_object(self), ensure_ascii=False, allow_nan=False).encode() + b"\n")


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a score lies: better than this share of the frozen scores, ties counted half."""

    system: str
    metric: str
    level: Level
    segment: str | None
    value: float
    name: str  # of what was frozen
    of: Literal["systems", "segments"]
    n: int
    share: float


def freeze(evaluation: Evaluation, name: str | None = None) -> FrozenScores:
    """The distributions of an evaluation's scores: of its systems, and of all segments of all systems.

    Only metrics that are counted from texts: those of people, of files and of functions mean something else elsewhere.
    """
    chosen = [metric for metric in evaluation.metrics if is_counted(metric) and "function" not in metric.needs]
    if not chosen or not evaluation.table:
        raise OptionError("there are no scores to freeze; count metrics that read texts, such as bleu or comet")
    testset = evaluation.testset
    return FrozenScores(
        name=name or testset.name,
        testset={
            "name": testset.name,
            "digest": testset.digest,
            "source_language": testset.source_language,
            "target_language": testset.target_language,
            "segments": len(testset),
        },
        systems=tuple(system.name for system in evaluation.systems),
        metrics={str(metric): _frozen(evaluation, metric) for metric in chosen},
    )


def _frozen(evaluation: Evaluation, metric: Metric) -> FrozenMetric:
    import numpy as np

    text = str(metric)
    found = [stats for (_, own), stats in evaluation.table.items() if own == text]
    return FrozenMetric(
        metric=text,
        title=metric.title,
        better=metric.better,
        refs=references_of(evaluation, metric),
        signature=evaluation.signatures[text],
        systems=distribution([float(metric.score(stats.total())) for stats in found if stats.n]),
        segments=distribution(
            np.concatenate([row_values(stats, partial(segment_scores, metric)) for stats in found]).tolist()
        ),
    )


def references_of(evaluation: Evaluation, metric: Metric) -> str | None:
    """How many references segments have, as signatures say it; None where the metric reads none."""
    low, high = evaluation.testset.references.fewest_and_most
    return None if "references" not in metric.needs else str(low) if low == high else f"{low}-{high}"


def why_other(frozen: FrozenScores, evaluation: Evaluation, metric: Metric) -> str | None:
    """Why scores of a metric cannot be set beside the frozen ones: other options or models, other references."""
    own = frozen.metrics.get(str(metric))
    if own is None:
        there = ", ".join(frozen.metrics)
        return f"{frozen.name} has no scores of {metric}, with these options and models; it has: {there}"
    refs = references_of(evaluation, metric)
    if refs != own.refs:
        return f"scores of {metric} in {frozen.name} are of {own.refs} references per segment; here there are {refs}"
    return None


def _places(frozen: FrozenScores, evaluation: Evaluation, level: Level) -> list[Place]:
    if level not in KINDS:
        raise OptionError(f"frozen scores are of systems and of segments, not of {level}s; choose one of those levels")
    of = KINDS[level]
    reasons = {str(metric): why_other(frozen, evaluation, metric) for metric in evaluation.metrics}
    fit = {str(metric): metric for metric in evaluation.metrics if reasons[str(metric)] is None}
    if not fit:
        raise InputError(next((str(reason) for reason in reasons.values()), "there are no scores to look for"))
    found = []
    for score in evaluation.scores(level):
        if score.metric not in fit:
            continue
        own: Distribution = getattr(frozen.metrics[score.metric], of)
        share = own.share(score.value)
        found.append(
            Place(
                system=score.system,
                metric=score.metric,
                level=level,
                segment=score.segment,
                value=score.value,
                name=frozen.name,
                of=of,
                n=own.n,
                share=share if fit[score.metric].better == "higher" else 1 - share,
            )
        )
    return found


# The file


def frozen_object(frozen: FrozenScores) -> dict[str, Any]:
    """What the file holds."""
    return {
        "format": FORMAT,
        "version": WRITTEN,
        "tertium": VERSION,
        "name": frozen.name,
        "testset": dict(frozen.testset),
        "systems": list(frozen.systems),
        "metrics": {
            text: {
                "title": own.title,
                "better": own.better,
                "refs": own.refs,
                "signature": own.signature,
                **{kind: vars(getattr(own, kind)) for kind in KINDS.values()},
            }
            for text, own in frozen.metrics.items()
        },
    }


def read_frozen(path: str | Path) -> FrozenScores:
    """Frozen scores from a file that `freeze` has made."""
    return frozen_in(bytes(read_bytes(path)), str(path))


def frozen_in(data: bytes, where: str) -> FrozenScores:
    """Frozen scores from a file's content; `where` is what errors call it."""
    try:
        told = json.loads(data)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise InputError(f"{where}: no frozen scores; make them with: tertium freeze EVALUATION.zip -o FILE")
    if told.get("version") != WRITTEN:
        raise InputError(f"{where}: version {told.get('version')} of frozen scores; this tertium reads {WRITTEN}")
    try:
        return FrozenScores(
            name=_text(told["name"]),
            testset={str(key): value for key, value in told["testset"].items()},
            systems=tuple(_text(name) for name in told["systems"]),
            metrics={text: _read_metric(text, own) for text, own in told["metrics"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InputError(f"{where}: damaged ({error}); make it again with tertium freeze") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _read_metric(text: str, told: Mapping[str, Any]) -> FrozenMetric:
    if told["better"] not in ("higher", "lower"):
        raise ValueError(f"better: {told['better']!r}")
    return FrozenMetric(
        metric=text,
        title=_text(told["title"]),
        better=told["better"],
        refs=None if told["refs"] is None else _text(told["refs"]),
        signature=_text(told["signature"]),
        systems=_read_distribution(told["systems"]),
        segments=_read_distribution(told["segments"]),
    )


def _read_distribution(told: Mapping[str, Any]) -> Distribution:
    """A distribution, if its numbers can be those of one."""
    values = tuple(float(value) for value in told["values"])
    n, below, equal = int(told["n"]), tuple(map(int, told["below"])), tuple(map(int, told["equal"]))
    if not len(values) == len(below) == len(equal):
        raise ValueError(f"{counted(len(values), 'value')}, but {len(below)} and {len(equal)} counts")
    if not all(map(math.isfinite, values)) or any(one >= other for one, other in pairwise(values)):
        raise ValueError("values must be finite and rise")
    ends = [first + same for first, same in zip(below, equal, strict=True)]
    starts = (*below[1:], n) if values else ()
    if (
        n < 0
        or (not values and n)
        or any(same < 1 for same in equal)
        or any(end > start for end, start in zip(ends, starts, strict=True))
        or (values and (below[0], ends[-1]) != (0, n))
    ):
        raise ValueError("counts do not add up")
    return Distribution(n=n, values=values, below=below, equal=equal)
