"""`tertium sacrebleu --paired-bs` and `--paired-ar`: sacreBLEU's tables, p-values and signatures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tertium.cli.sacrebleu import command as sacrebleu
from tertium.inference.bootstrap import interval_of
from tertium.inference.paired import p_value, permuted_differences, resampled_scores

if TYPE_CHECKING:
    from tertium.core.evaluation import Evaluation
    from tertium.core.metric import Metric

THRESHOLD = 0.05
PERMUTED = """\
p is the chance of a larger difference if baseline and system were equally good; * marks p <= 0.05.
"""
RESAMPLED = """\
If baseline and system were equally good, a difference as large as theirs would come about twice as often as p says:
* (p <= 0.05) marks about 10 of 100 such pairs, not 5. The permutation test keeps its promise: --paired-ar.
"""
BOTH = """\
A small p says that luck alone hardly explains a difference, not which system is better: look at the scores for that.
"""


class Result(NamedTuple):
    """A system under one metric; mean and half the interval are of the bootstrap's resamples."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def text(self, width: int, separator: str) -> str:
        """The score, its interval and its p-value."""
        shown = f"{self.score:.{width}f}"
        if self.mean is not None:
            shown += f" ({self.mean:.{width}f} ± {self.ci:.{width}f})"
        if self.p_value is not None:
            shown += f"{separator}(p = {self.p_value:.4f}){'*' if self.p_value <= THRESHOLD else ''}"
        return shown


def paired(options: argparse.Namespace, evaluation: Evaluation) -> Iterator[str]:
    """Every system against the first, the baseline."""
    found = {sacrebleu.title(options, metric): _results(options, evaluation, metric) for metric in evaluation.metrics}
    names = [system.name for system in evaluation.systems]
    names[0] = "Baseline" if options.input is None else f"Baseline: {names[0]}"
    if options.input is None:
        names[1:] = [f"System {k}" for k in range(1, len(names))]
    if options.format == "json":
        objects = [
            {"system": name} | {head: results[k]._asdict() for head, results in found.items()}
            for k, name in enumerate(names)
        ]
        yield json.dumps(objects, indent=4)
        return
    separator = " " if options.format == "latex" else "\n"
    heads = [f"{head} (μ ± 95% CI)" if options.paired_bs else head for head in found]
    rows = [
        [name, *(results[k].text(options.width, separator) for results in found.values())]
        for k, name in enumerate(names)
    ]
    yield from sacrebleu.table(["System", *heads], rows, options.format == "latex")
    kind, trials = ("bootstrap resampling", "resampling trials") if options.paired_bs else (
        "approximate randomization", "trials")  # fmt: skip
    heading = f"Paired {kind} test with {options.drawn[1]} {trials}"
    rule = "-" * len(heading)
    yield f"\n{rule}\n{heading}\n{rule}\n{RESAMPLED if options.paired_bs else PERMUTED}{BOTH}"
    yield from sacrebleu.signatures(options, evaluation)


def _results(options: argparse.Namespace, evaluation: Evaluation, metric: Metric) -> list[Result]:
    """One result for each system, the baseline first."""
    stats = {system.name: evaluation.stats(system.name, metric) for system in evaluation.systems}
    scores = {name: float(metric.score(part.total())) for name, part in stats.items()}
    (_, trials), seed = options.drawn, sacrebleu.seed()
    baseline, *others = stats
    pairs = [(baseline, name) for name in others]
    if options.paired_bs:
        resampled = resampled_scores(stats, metric, trials, seed)
        differences = {(a, b): resampled[b] - resampled[a] for a, b in pairs}
        spreads = {name: interval_of(values, 0.95) for name, values in resampled.items()}
        means = {name: (float(resampled[name].mean()), (s.high - s.low) / 2) for name, s in spreads.items()}
    else:
        differences, means = permuted_differences(stats, metric, pairs, trials, seed), {}
    test = "bootstrap" if options.paired_bs else "permutation"
    return [Result(scores[baseline], None, *means.get(baseline, ()))] + [
        Result(scores[b], p_value(differences[a, b], scores[b] - scores[a], test, strict=True), *means.get(b, ()))
        for a, b in pairs
    ]
