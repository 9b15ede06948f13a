"""Few-shot curves and best settings of an experiment, with what is uncertain about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from tertium.core.evaluation import Evaluation
from tertium.core.metric import Metric
from tertium.core.score import Interval
from tertium.inference.bootstrap import bootstrap_together, interval_of
from tertium.inference.compare import Comparison, compare
from tertium.inference.seeds import CONFIDENCE, RESAMPLES, SEED
from tertium.inference.standings import notes
from tertium.prompt.experiment import Experiment, by_system
from tertium.prompt.setting import Setting

BEST = 5  # systems that are compared with each other


class ShotPoint(NamedTuple):
    """A score at a number of demonstrations: the mean over seeds, and how far one can rely on it."""

    shots: int
    system: str
    seeds: int  # 1 where nothing is drawn
    mean: float
    lowest: float  # of the seeds
    highest: float
    interval: Interval | None  # of the mean, when segments are drawn again; the seeds stay what they are
    prompt: float  # characters of a prompt, on average


class FewShotCurve(NamedTuple):
    """Scores by the number of demonstrations, everything else being the same."""

    name: str
    metric: str
    points: tuple[ShotPoint, ...]


def curve_name(setting: Setting) -> str:
    """What a curve holds fixed: the name without the number of demonstrations."""
    selector = setting.selector_text
    return replace(setting, shots=1, seed=None).system.replace(f"/1-{selector}", f"/{selector}", 1)


def few_shot_curves(experiment: Experiment, metric: Metric) -> list[FewShotCurve]:
    """A curve for every setting of which there are two numbers of demonstrations or more; none is one of them."""
    groups = by_system(experiment.results)
    curves: dict[str, list[str]] = {}
    for system, own in groups.items():
        if own[0].setting.shots:
            curves.setdefault(curve_name(own[0].setting), []).append(system)
    found = []
    for name, systems in curves.items():
        first = groups[systems[0]][0].setting
        bare = replace(first, shots=0, selector=Setting(template=first.template).selector, seed=None).system
        shown = [*([bare] if bare in groups else []), *systems]
        points = sorted((curve_point(experiment, metric, system) for system in shown), key=lambda point: point.shots)
        if len(points) > 1:
            found.append(FewShotCurve(name, str(metric), tuple(points)))
    return found


def curve_point(experiment: Experiment, metric: Metric, system: str) -> ShotPoint:
    """The score of a system over its seeds."""
    own = by_system(experiment.results)[system]
    names = [one.setting.name for one in own]
    values = [value_of(experiment.scored, name, metric) for name in names]
    prompts = [len(item.prompt.before) for one in own for item in one.translation.segments if item.prompt is not None]
    return ShotPoint(
        shots=own[0].setting.shots,
        system=system,
        seeds=len(own),
        mean=fmean(values),
        lowest=min(values),
        highest=max(values),
        interval=mean_interval(experiment.scored, names, metric),
        prompt=fmean(prompts) if prompts else math.nan,
    )


def value_of(evaluation: Evaluation, system: str, metric: Metric) -> float:
    """A corpus score; NaN where no segment could be scored."""
    stats = evaluation.stats(system, metric)
    return float(metric.score(stats.total())) if stats.n else math.nan


def mean_interval(evaluation: Evaluation, names: Sequence[str], metric: Metric) -> Interval | None:
    """The bootstrap interval of the mean over runs: the same segments are drawn for all of them; None where the metric
    allows none."""
    import numpy as np

    rows = [evaluation.stats(name, metric) for name in names]
    if metric.resampling != "percentile" or not all(stats.n for stats in rows):
        return None
    drawn = bootstrap_together([(stats, metric) for stats in rows], trials=RESAMPLES, seed=SEED)  # each (trials,)
    return interval_of(np.mean(drawn, axis=0), CONFIDENCE)


class Best(NamedTuple):
    """The best systems of an experiment by a metric, from best to worst, and every pair of them tested."""

    systems: tuple[ShotPoint, ...]
    comparisons: tuple[Comparison, ...]
    of: int  # systems that they are the best of
    notes: tuple[str, ...] = ()  # limits of the tests


def best_systems(experiment: Experiment, metric: Metric, count: int = BEST) -> Best:
    """The best systems and their paired tests; of systems with runs by the bootstrap, which draws runs, too."""
    points = ranked_points(experiment, metric)
    best = points[:count]
    if len(best) < 2:
        return Best(tuple(best), (), len(points))
    kept = {one.setting.name for system in best for one in by_system(experiment.results)[system.system]}
    evaluation = experiment.scored
    subset = replace(evaluation, systems=tuple(one for one in evaluation.systems if one.name in kept))
    several = any(point.seeds > 1 for point in best)
    found = compare(subset, metric, test="bootstrap" if several else "permutation")
    order = {point.system: k for k, point in enumerate(best)}
    found.sort(key=lambda item: sorted((order[item.baseline], order[item.system])))
    return Best(tuple(best), tuple(found), len(points), tuple(notes(subset, found)))


def ranked_points(experiment: Experiment, metric: Metric) -> list[ShotPoint]:
    """All systems from best to worst; those without a score last."""
    sign = -1 if metric.better == "higher" else 1
    points = [curve_point(experiment, metric, system) for system in by_system(experiment.results)]
    return sorted(points, key=lambda one: (math.isnan(one.mean), sign * (0 if math.isnan(one.mean) else one.mean)))
