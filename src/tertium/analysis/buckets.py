"""Buckets of segments: scores by document, label, length or share of rare words: a 0/1 group matrix, no more."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tertium.analysis.ngrams import SegmentCounts, count_spans, spans, tokenised
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation, corpus_score
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.score import Interval, Part
from tertium.core.testset import TestSet
from tertium.core.wording import counted
from tertium.inference.bootstrap import percentile_interval
from tertium.inference.scores import interval_warnings
from tertium.inference.seeds import RESAMPLES, SEED, check_drawn
from tertium.text.words import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

BY = ("document", "source-length", "reference-length", "rare-words")
LENGTHS = (10.0, 20.0, 30.0, 40.0, 50.0)  # words
SHARES = (0.0, 10.0, 20.0, 30.0, 50.0)  # per cent
ALL = "all"


@dataclass(frozen=True, kw_only=True)
class BucketScore:
    """A system's score on the segments of a bucket; the last one, `whole`, has all segments of the test set.

    `comparable` is false for an average over types on a part of the test set: the part has other types than the whole,
    so the score says nothing beside those of the whole or of other parts. Systems can be compared within a bucket.
    """

    bucket: str
    segments: int  # in the bucket
    system: str
    metric: str
    value: float
    n: int  # of them scored
    interval: Interval | None = None
    comparable: bool = True
    whole: bool = False
    parts: Mapping[str, Part] = field(default_factory=dict)
    signature: str = ""


class Groups(NamedTuple):
    """Every segment in one bucket: the buckets' names, and the number of each segment's. # (n,)"""

    names: list[str]
    numbers: NDArray[np.int64]


def buckets(
    evaluation: Evaluation,
    by: str | Sequence[str] = "reference-length",
    *,
    bounds: Sequence[float] | None = None,
    tokenize: str = "13a",
    rare: int = 1,
    confidence: float | None = None,
    trials: int = RESAMPLES,
    seed: int = SEED,
) -> list[BucketScore]:
    """Scores of every system and metric on parts of the test set, and on all of it.

    `by` is document, source-length, reference-length, rare-words, the name of one of the test set's labels, or a label
    for each segment. Lengths are words by the tokenizer; a rare word is one that the references have at most `rare`
    times. `bounds` are the upper ends of the buckets of numbers. With `confidence` there are percentile intervals where
    the metric allows one and the bucket has at least two segments.
    """
    groups = segment_groups(evaluation.testset, by, bounds=bounds, tokenize=tokenize, rare=rare)
    if confidence is not None and not any(metric.resampling == "percentile" for metric in evaluation.metrics):
        raise OptionError("; ".join(interval_warnings(evaluation)))
    if confidence is not None:
        check_drawn(trials, seed, "resamples")
    return [
        score
        for system in evaluation.systems
        for metric in evaluation.metrics
        if (system.name, str(metric)) in evaluation.table
        for score in _scores(evaluation, system.name, metric, groups, confidence, trials, seed)
    ]


def segment_groups(
    testset: TestSet,
    by: str | Sequence[str],
    *,
    bounds: Sequence[float] | None = None,
    tokenize: str = "13a",
    rare: int = 1,
) -> Groups:
    """The bucket of every segment."""
    reading = Reading(tokenize)
    reading.check("buckets")
    if rare < 1:
        raise OptionError(f"rare={rare}: a rare word is one that the references have at least once")
    numbers = by in ("source-length", "reference-length", "rare-words")
    if bounds is not None and not numbers:
        raise OptionError("bounds are for lengths and shares of rare words; documents and labels are what they are")
    if by == "source-length":
        if testset.sources is None:
            raise InputError(f"test set {testset.name} has no source to measure (--src FILE)")
        _check_texts(testset)
        return _ranged(_words(testset.sources, reading), bounds, LENGTHS, "", "no source")
    if by == "reference-length":
        return _ranged(_reference_lengths(testset, reading), bounds, LENGTHS, "", "no reference")
    if by == "rare-words":
        return _ranged(_rare_shares(testset, reading, rare), bounds, SHARES, "%", "no reference")
    return _named(_labels(testset, by))


def _labels(testset: TestSet, by: str | Sequence[str]) -> Sequence[str]:
    """A word for each segment."""
    if not isinstance(by, str):
        if len(by) != len(testset):
            raise InputError(
                f"{counted(len(by), 'label')}, but test set {testset.name} has {counted(len(testset), 'segment')}"
            )
        return by
    if by == "document":
        if testset.documents is None:
            raise InputError(
                f"test set {testset.name} has no documents; name them (documents = in testset.toml, --doc FILE)"
            )
        return testset.documents
    if by not in testset.labels:
        known = ", ".join([*BY, *testset.labels])
        raise OptionError(f"by={by!r} is unknown; choose from {known}, or give a label for each segment (--label FILE)")
    return testset.labels[by]


def _named(labels: Sequence[str]) -> Groups:
    """Buckets in the order in which their names first come."""
    import numpy as np

    place = {name: k for k, name in enumerate(dict.fromkeys(labels))}
    return Groups(list(place), np.array([place[name] for name in labels], dtype=np.int64))


def _ranged(values: Array, bounds: Sequence[float] | None, usual: Sequence[float], unit: str, nothing: str) -> Groups:
    """Buckets of numbers, in order, without empty ones; NaN has a bucket of its own at the end."""
    import numpy as np

    limits = [float(bound) for bound in (usual if bounds is None else bounds)]
    rising = all(low < high for low, high in pairwise(limits))
    if not limits or not rising or limits[0] < 0 or not all(map(math.isfinite, limits)):
        raise OptionError(f"bounds {', '.join(f'{bound:g}' for bound in limits)}: must rise from 0 or more")
    number = np.where(np.isnan(values), len(limits) + 1, np.searchsorted(np.asarray(limits), values))
    kept, numbers = np.unique(number, return_inverse=True)
    names = [*_range_names(limits, unit), nothing]
    return Groups([names[k] for k in kept.tolist()], numbers.astype(np.int64))


def _range_names(limits: Sequence[float], unit: str) -> list[str]:
    """0-10, 11-20, ..., 51+ of whole numbers; 0%, >0-10%, ..., >50% of shares."""
    whole = not unit and all(limit == int(limit) for limit in limits)
    names = [f"0-{limits[0]:g}{unit}" if limits[0] else f"0{unit}"]
    for low, high in pairwise(limits):
        if whole:
            names.append(f"{high:g}" if high == low + 1 else f"{low + 1:g}-{high:g}")
        else:
            names.append(f">{low:g}-{high:g}{unit}")
    return [*names, f"{limits[-1] + 1:g}+" if whole else f">{limits[-1]:g}{unit}"]


def _check_texts(testset: TestSet) -> None:
    if not testset.has_texts:
        raise InputError(f"test set {testset.name} was saved without its texts; lengths and words need them")


def _reference_streams(testset: TestSet) -> tuple[Lines, ...]:
    _check_texts(testset)
    if not testset.references.streams:
        raise InputError(f"test set {testset.name} has no references to measure (--ref FILE)")
    return testset.references.streams


def _words(lines: Lines, reading: Reading) -> Array:
    """Words of every line; NaN where it is missing. # (n,)"""
    import numpy as np

    counts = np.bincount(spans(tokenised(lines, reading)).segments, minlength=len(lines))
    return np.where(lines.present, counts, np.nan)


def _reference_lengths(testset: TestSet, reading: Reading) -> Array:
    """The mean of a segment's references, rounded up. # (n,)"""
    import numpy as np

    lengths = np.stack([_words(stream, reading) for stream in _reference_streams(testset)])
    counts = testset.references.counts
    return np.where(counts > 0, np.ceil(np.nansum(lengths, axis=0) / np.maximum(counts, 1)), np.nan)


def _rare_shares(testset: TestSet, reading: Reading, rare: int) -> Array:
    """The share of a segment's reference words that are rare in the references of the whole test set. # (n,)"""
    import numpy as np

    streams = [spans(tokenised(stream, reading)) for stream in _reference_streams(testset)]
    texts, counts = count_spans(streams)
    keys, found = SegmentCounts.most(counts)  # of several references the one that has the word most often
    segment, word = np.divmod(keys, max(1, len(texts)))
    often = np.bincount(word, found, len(texts))
    words = np.bincount(segment, found, len(testset))
    few = np.bincount(segment, found * (often[word] <= rare), len(testset))
    shares = 100 * few / np.maximum(words, 1)  # an empty reference has no rare word
    return np.where(testset.references.counts > 0, shares, np.nan)


def _scores(
    evaluation: Evaluation,
    system: str,
    metric: Metric,
    groups: Groups,
    confidence: float | None,
    trials: int,
    seed: int,
) -> list[BucketScore]:
    """All buckets of one system under one metric, and all segments."""
    import numpy as np

    stats = evaluation.stats(system, metric)
    drawn = confidence is not None and metric.resampling == "percentile"
    signature = evaluation.signatures.get(str(metric), "")
    signature += f"|bs:{trials}|seed:{seed}|ci:{confidence:g}" if drawn else ""
    order = np.argsort(groups.numbers, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(groups.numbers, minlength=len(groups.names)))[:-1])
    found = []
    everything = np.arange(len(stats))
    for name, numbers in zip([*groups.names, ALL], [*members, everything], strict=True):
        part = stats.take(numbers)
        score = BucketScore(bucket=name, segments=len(part), system=system, metric=str(metric), value=math.nan,
                            n=part.n, comparable=stats.types is None or len(part) == len(stats),
                            whole=numbers is everything, signature=signature)  # fmt: skip
        if part.n:
            value, parts = corpus_score(metric, part)
            score = dataclasses.replace(score, value=value, parts=parts)
        if part.n > 1 and drawn and confidence is not None:  # one segment drawn again and again is always the same
            interval = percentile_interval(part, metric, confidence=confidence, trials=trials, seed=seed)
            score = dataclasses.replace(score, interval=interval)
        found.append(score)
    return found
