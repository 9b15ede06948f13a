"""Stress: how much of a score is left when outputs are damaged, and what a metric does not notice at all."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tertium.analysis.noise.kinds import Noise
from tertium.analysis.noise.outputs import (
    RATES,
    SEEDS,
    check_aims,
    check_rates,
    check_seeds,
    read_noise_input,
    usable_noises,
)
from tertium.analysis.noise.selection import Plan, plan
from tertium.analysis.noise.words import AIMS
from tertium.analysis.rescoring import Rescoring
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.core.system import System
from tertium.core.testset import TestSet
from tertium.engines.evaluate import evaluate
from tertium.engines.threads import map_all
from tertium.inference.seeds import SEED

if TYPE_CHECKING:
    from tertium.core.stats import Array

UNNOTICED = 1e-9  # per cent of a score that rounding may take
HARDLY = 0.1  # a score that falls ten times slower than words are touched


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A metric under one noise and aim. `left` is 100 for the outputs as they are and 0 for empty outputs."""

    metric: str
    noise: str
    aim: str
    rates: tuple[float, ...]
    able: float  # words that the noise can touch, of which rates are shares: a mean over seeds, as the next
    touched: tuple[float, ...]  # words touched, by rate
    words: int  # all words
    values: tuple[tuple[float, ...], ...]  # scores by rate and seed
    left: tuple[float, ...]  # per cent of the score, by rate: the mean over seeds
    spread: tuple[float, ...]  # its standard deviation over seeds; NaN of one seed
    area: float  # the mean of `left` from rate 0 to the highest

    @property
    def sensitivity(self) -> float:
        """The share of the score lost for each share of words touched, at the highest rate."""
        touched = self.touched[-1] / self.words
        return (1 - self.left[-1] / 100) / touched if touched else math.nan


@dataclass(frozen=True, kw_only=True)
class Selectivity:
    """Whether a metric cares more for rare words: the areas with the rarest and with the most frequent touched."""

    metric: str
    noise: str
    rarest: float
    frequent: float

    @property
    def value(self) -> float:
        """Positive where rare words count for more."""
        return self.frequent - self.rarest


@dataclass(frozen=True, kw_only=True)
class BlindSpot:
    """What a metric does not notice, hardly notices or rewards, at the highest rate."""

    metric: str
    noise: str
    aim: str
    rate: float
    left: float
    share: float  # per cent of all words that were touched
    sensitivity: float
    text: str  # in words


@dataclass(frozen=True, kw_only=True)
class StressTest:
    """The scores of a system's outputs under every noise."""

    testset: str
    system: str
    segments: int
    words: int
    seeds: tuple[int, ...]
    metrics: Mapping[str, str]  # titles by text
    scores: Mapping[str, float]  # of the outputs as they are
    nothing: Mapping[str, float]  # of empty outputs
    curves: tuple[Curve, ...]  # by metric, noise and aim
    selectivity: tuple[Selectivity, ...]  # where both aims were asked for
    blind_spots: tuple[BlindSpot, ...]
    signatures: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def stress(
    testset: TestSet,
    system: System | Sequence[str | None] | None,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    noises: str | Noise | Iterable[str | Noise] | None = None,
    aims: str | Iterable[str] = "random",
    rates: Iterable[float] = RATES,
    seeds: int = SEEDS,
    seed: int = SEED,
    on: str = "outputs",
    tokenize: str = "none",
    run: Run = PLAIN,
) -> StressTest:
    """Damage a system's outputs at rising rates and score them again.

    A rate is a share of the words that the noise can touch; the words of a low rate are among those of a higher one.
    There are `seeds` repetitions, from `seed` on. Without `noises`, all are tried for which the test set has what they
    need. `on="references"` damages the first references as if a system had said them. With a tokenizer, outputs,
    references and sources are tokenised first.
    """
    chosen_rates, chosen_aims, numbers = check_rates(rates), check_aims(aims), check_seeds(seeds, seed)
    noise_input = read_noise_input(testset, system, on=on, tokenize=tokenize)
    evaluation = evaluate(noise_input.testset, [noise_input.system], metrics, run=replace(run, progress=None))
    counts = [Rescoring(metric, noise_input.testset, noise_input.system.outputs) for metric in evaluation.metrics]
    notes: list[str] = []
    noises = usable_noises(noise_input, noises, notes)
    cells = [(noise, aim) for noise in noises for aim in chosen_aims]

    def damage(task: tuple[Noise, str, int]) -> Rescored:
        noise, aim, number = task
        return rescore(plan(noise, noise_input.given, aim, number), chosen_rates, counts)

    tasks = [(noise, aim, number) for noise, aim in cells for number in numbers]
    found = map_all(run, damage, tasks, "damaging outputs")
    split = [found[k : k + len(numbers)] for k in range(0, len(found), len(numbers))]
    curves = [
        _curve(count, row, noise, aim, chosen_rates, of_cell, len(noise_input.given.words))
        for row, count in enumerate(counts)
        for (noise, aim), of_cell in zip(cells, split, strict=True)
    ]
    return StressTest(
        testset=testset.name,
        system=noise_input.system.name,
        segments=len(testset),
        words=len(noise_input.given.words),
        seeds=numbers,
        metrics={str(count.metric): count.metric.title for count in counts},
        scores={str(count.metric): count.score for count in counts},
        nothing={str(count.metric): count.score_of_nothing for count in counts},
        curves=tuple(curves),
        selectivity=tuple(_selectivity(curves)),
        blind_spots=tuple(_blind_spots(curves, evaluation.metrics, noises)),
        signatures=evaluation.signatures,
        warnings=(*evaluation.warnings, *notes, *_untouched(curves)),
    )


class Rescored(NamedTuple):
    """A plan's scores by metric and rate, how many words it can touch, and how many it has touched by rate."""

    scores: Array  # (metrics, rates)
    able: int
    touched: list[int]


def rescore(plan: Plan, rates: Sequence[float], counts: Sequence[Rescoring]) -> Rescored:
    """All rates at once: only lines that are touched are counted again."""
    import numpy as np

    noised = [plan.noised(rate) for rate in rates]
    lines = Lines.of([text for item in noised for text in item.texts])
    segments = np.concatenate([item.segments for item in noised])
    variant = np.repeat(np.arange(len(rates)), [len(item.texts) for item in noised])
    scores = np.stack([count.scores(lines, segments, variant, len(rates)) for count in counts])
    return Rescored(scores, len(plan.order), [int(item.counts.sum()) for item in noised])


def _curve(
    count: Rescoring, row: int, noise: Noise, aim: str, rates: tuple[float, ...], found: Sequence[Rescored], words: int
) -> Curve:
    import numpy as np

    values = np.stack([item.scores[row] for item in found], axis=1)  # (rates, seeds)
    left = count.left(values)
    means = left.mean(axis=1).tolist()
    spread = left.std(axis=1, ddof=1).tolist() if len(found) > 1 else [math.nan] * len(rates)
    points = [(0.0, 100.0), *zip(rates, means, strict=True)]
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points)) / rates[-1]
    return Curve(
        metric=str(count.metric),
        noise=str(noise),
        aim=aim,
        rates=rates,
        able=float(np.mean([item.able for item in found])),
        touched=tuple(np.mean([item.touched for item in found], axis=0).tolist()),
        words=words,
        values=tuple(tuple(row) for row in values.tolist()),
        left=tuple(means),
        spread=tuple(spread),
        area=area,
    )


def _untouched(curves: Sequence[Curve]) -> Iterator[str]:
    """Rates that are too low for a word to be touched: 100 % left says nothing there."""
    for curve in curves:
        none = [f"{100 * rate:g}" for rate, count in zip(curve.rates, curve.touched, strict=True) if not count]
        if none and curve.metric == curves[0].metric:
            aimed = "" if curve.aim == "random" else f" aimed at {curve.aim}"
            yield f"{curve.noise}{aimed} touches no word at {', '.join(none)} %: the text is too short"


def _selectivity(curves: Sequence[Curve]) -> Iterator[Selectivity]:
    areas = {(curve.metric, curve.noise, curve.aim): curve.area for curve in curves}
    for metric, noise in dict.fromkeys((curve.metric, curve.noise) for curve in curves):
        rarest, frequent = (areas.get((metric, noise, aim)) for aim in ("rarest", "frequent"))
        if rarest is not None and frequent is not None:
            yield Selectivity(metric=metric, noise=noise, rarest=rarest, frequent=frequent)


def _blind_spots(curves: Sequence[Curve], metrics: Sequence[Metric], noises: Sequence[Noise]) -> Iterator[BlindSpot]:
    """Curves that hardly fall, or rise, as sentences."""
    titles = {str(metric): metric.title if str(metric) == metric.name else str(metric) for metric in metrics}
    meanings = {str(noise): noise.meaning for noise in noises}
    for curve in curves:
        lost = 100 - curve.left[-1]
        if not curve.touched[-1] or not curve.sensitivity < HARDLY:  # NaN is no blind spot
            continue
        verb = "does not notice" if abs(lost) < UNNOTICED else "hardly notices"
        verb = "rewards" if curve.sensitivity < -HARDLY else verb
        share = 100 * curve.touched[-1] / curve.words
        yield BlindSpot(
            metric=curve.metric,
            noise=curve.noise,
            aim=curve.aim,
            rate=curve.rates[-1],
            left=curve.left[-1],
            share=share,
            sensitivity=curve.sensitivity,
            text=f"{titles[curve.metric]} {verb} {meanings[curve.noise]}{AIMS[curve.aim]}",
        )


def least_left(result: StressTest) -> dict[str, float]:
    """Every blind spot once: word order is one, in however many ways it was tried."""
    found: dict[str, float] = {}
    for spot in result.blind_spots:
        found[spot.text] = min(spot.left, found.get(spot.text, math.inf))
    return found
