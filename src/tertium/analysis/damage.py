"""How much a metric depends on single words: one type at a time is damaged, and the outputs are scored again.

Gowda, You, Lignos and May (2021), "Macro-average: rare types are important too", argue that MacroF counts every type
alike and BLEU by how often it comes; this is the experiment that shows it. A type changes only the segments that have
it, so all types together cost about as much as noising every output a few times.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from tertium.analysis.noise.kinds import Noise, parse_noise
from tertium.analysis.noise.outputs import NoiseInput, read_noise_input
from tertium.analysis.noise.words import generator
from tertium.analysis.rescoring import Rescoring
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.inference.seeds import SEED
from tertium.metrics import parse_list

if TYPE_CHECKING:
    import numpy as np

    from tertium.core.stats import Array

BOUNDS = (1, 2, 5, 10, 50, 200)  # upper ends of buckets of frequency
AT_ONCE = 200  # types; a metric over types holds a number for every type of each


@dataclass(frozen=True, kw_only=True)
class TypeDamage:
    """A type, how often outputs have it, in how many segments, and the share of each metric's score that is left when
    it is damaged."""

    type: str
    count: int
    segments: int
    scores: Mapping[str, float]
    left: Mapping[str, float]  # per cent, as in a Curve


@dataclass(frozen=True, kw_only=True)
class DamageBucket:
    """Types that are about as frequent: what is left on average when one of them is damaged."""

    name: str
    low: int
    high: int | None
    types: int
    count: int  # how often outputs have them, together
    left: Mapping[str, float]


def type_damage(
    testset: TestSet,
    system: System | Sequence[str | None] | None,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    noise: str | Noise = "mask",
    min_count: int = 1,
    top: int | None = None,
    seed: int = SEED,
    on: str = "outputs",
    tokenize: str = "none",
) -> list[TypeDamage]:
    """Every type that outputs have at least so often, the most frequent first, and what a score keeps without it."""
    chosen = parse_list(metrics)
    if not chosen:
        raise OptionError("no metric to score with; name at least one, such as bleu")
    if min_count < 1 or (top is not None and top < 1):
        raise OptionError(f"min_count={min_count}, top={top}: both count from 1")
    noise_input = read_noise_input(testset, system, on=on, tokenize=tokenize)
    rewriting = parse_noise(noise).rewrite(noise_input.given, generator(seed, str(noise)))
    if rewriting.unit is not None or rewriting.tail is not None:
        raise OptionError(
            f"{noise} touches more than one word at a time; name a noise of words, such as mask or delete"
        )
    counts = [Rescoring(metric, noise_input.testset, noise_input.system.outputs) for metric in chosen]
    often = noise_input.given.words.counts
    last = int((often >= min_count).sum()) if top is None else min(top, int((often >= min_count).sum()))
    return [
        item
        for first in range(0, last, AT_ONCE)
        for item in _damage(noise_input, rewriting.texts, counts, range(first, min(first + AT_ONCE, last)))
    ]


def _damage(
    noise_input: NoiseInput, texts: Sequence[str | None], counts: Sequence[Rescoring], types: range
) -> Iterator[TypeDamage]:
    """A run of types, which are numbered from the most frequent on."""
    import numpy as np

    words = noise_input.given.words
    chosen = np.flatnonzero((words.type >= types.start) & (words.type < types.stop))
    chosen = chosen[np.argsort(words.type[chosen], kind="stable")]
    keys = (words.type[chosen] - types.start) * len(words.lengths) + words.segment[chosen]
    keys, starts = np.unique(keys, return_index=True)
    variant, segments = np.divmod(keys, len(words.lengths))
    lines = Lines.of(list(_lines(noise_input, texts, np.split(chosen, starts[1:]), segments.tolist())))
    scores = [count.scores(lines, segments, variant, len(types)) for count in counts]
    left = [count.left(row) for count, row in zip(counts, scores, strict=True)]
    in_segments = np.bincount(variant, minlength=len(types)).tolist()
    names = [str(count.metric) for count in counts]
    for k, number in enumerate(types):
        yield TypeDamage(
            type=words.types[number],
            count=int(words.counts[number]),
            segments=in_segments[k],
            scores=_by_metric(names, scores, k),
            left=_by_metric(names, left, k),
        )


def _by_metric(names: Sequence[str], values: Sequence[Array], k: int) -> dict[str, float]:
    return {name: float(row[k]) for name, row in zip(names, values, strict=True)}


def _lines(
    noise_input: NoiseInput, texts: Sequence[str | None], numbers: Sequence[np.ndarray], segments: Sequence[int]
) -> Iterator[str]:
    """Every segment with the words of these numbers damaged."""
    words = noise_input.given.words
    for damaged, segment in zip(numbers, segments, strict=True):
        first, last = int(words.starts[segment]), int(words.starts[segment + 1])
        line = words.texts[first:last]
        for number in damaged.tolist():
            text = texts[number]
            line[number - first] = line[number - first] if text is None else text
        yield " ".join(filter(None, line))


def damage_curve(found: Sequence[TypeDamage], bounds: Sequence[int] = BOUNDS) -> list[DamageBucket]:
    """Types by how often outputs have them, from the rarest on; empty buckets are left out."""
    limits = [0, *bounds]
    if any(low >= high for low, high in pairwise(limits)):
        raise OptionError(f"bounds {', '.join(map(str, bounds))}: must rise from 1 or more")
    ranges: list[tuple[int, int | None]] = [*pairwise(limits), (limits[-1], None)]
    buckets = []
    for below, high in ranges:
        members = [item for item in found if item.count > below and (high is None or item.count <= high)]
        if not members:
            continue
        low = below + 1
        bucket = DamageBucket(
            name=f"{low}+" if high is None else f"{low}" if low == high else f"{low}-{high}",
            low=low,
            high=high,
            types=len(members),
            count=sum(item.count for item in members),
            left={name: sum(item.left[name] for item in members) / len(members) for name in members[0].left},
        )
        buckets.append(bucket)
    return buckets
