"""What a report says, worked out once from an Evaluation by the functions that the command line uses too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from tertium.analysis.buckets import BucketScore, Groups, buckets, segment_groups
from tertium.analysis.contrast import TypeContrast, compare_types
from tertium.analysis.diagnose import Diagnosis, diagnose
from tertium.analysis.guards import SuspectOutputs, guards
from tertium.core.errors import InputError, TertiumError
from tertium.core.evaluation import Evaluation, row_values, segment_scores
from tertium.core.metric import Metric, is_human, is_learned
from tertium.core.run import PLAIN, Run
from tertium.core.score import Interval, Score
from tertium.core.wording import headings
from tertium.human.metric import raw_because
from tertium.inference.compare import Comparison, Test, compare, with_other_unit
from tertium.inference.resolution import enough_trials
from tertium.inference.runs import runs_of
from tertium.inference.scores import interval_warnings, scores
from tertium.inference.seeds import ALPHA, CONFIDENCE, RESAMPLES, SEED, TRIALS
from tertium.inference.standings import keeping_up, ranked_clusters, resolved, shared_scores
from tertium.report.held import HeldSegments, choose_segments
from tertium.report.letters import LETTERS
from tertium.report.segment_numbers import SegmentNumbers
from tertium.report.words import people_title

if TYPE_CHECKING:
    from tertium.core.stats import Array
    from tertium.prompt.experiment import Experiment
    from tertium.report.behind import Behind
    from tertium.report.tables.frozen import Places

LENGTHS = ("reference-length", "source-length")  # the first that the test set has
AT_MOST = 10**10  # numbers that a test of every pair may read: about a minute


@dataclass(frozen=True, eq=False, kw_only=True)
class Results:
    """Everything that sections are made of. What an evaluation does not allow is None or empty, with a note."""

    evaluation: Evaluation
    trials: int | None = None  # as every command has them by default
    seed: int = SEED
    detectors: str | Iterable[str] | None = None  # all that can look
    rules: Mapping[str, Any] = field(default_factory=dict)  # of the house, as `diagnose` has them
    run: Run = PLAIN  # how metrics work where they are asked for marks
    beside: tuple[Places, ...] = ()  # where scores lie among frozen ones
    experiment: Experiment | None = None  # that the systems are of
    linked: bool = False  # the page has the segment browser, to which figures and tables lead
    looks: Mapping[str, int] = field(default_factory=dict)  # places among colours, if not their order
    letters: int = LETTERS  # that the page has for its segments
    wanted: set[int] = field(default_factory=set)  # segments, from 0, that a section shows one by one: pages hold them

    @cached_property
    def behind(self) -> Behind:
        """What stands behind the marks of its charts."""
        from tertium.report.behind import Behind

        return Behind(self)

    @property
    def resamples(self) -> int:
        """Behind intervals."""
        return self.trials or RESAMPLES

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Those of the evaluation."""
        return self.evaluation.metrics

    @cached_property
    def titles(self) -> dict[str, str]:
        """How each metric is called; people's scores as readers know them."""
        found = headings(self.metrics)
        for metric in filter(is_human, self.metrics if self.evaluation.judgements else ()):
            arrow = " ↓" if metric.better == "lower" else ""
            title = people_title(metric, standardised=raw_because(self.evaluation, metric) is None) + arrow
            if title not in found.values():
                found[str(metric)] = title
        return found

    def plain_title(self, metric: Metric) -> str:
        """A metric's name without the arrow."""
        return self.titles[str(metric)].removesuffix(" ↓")

    @cached_property
    def scores(self) -> dict[tuple[str, str], Score]:
        """Corpus scores by system and metric, with intervals where there can be one."""
        allowed = any(metric.resampling == "percentile" for metric in self.metrics)
        found = scores(
            self.evaluation,
            confidence=CONFIDENCE if allowed else None,
            trials=self.resamples,
            seed=self.seed,
            run=self.run,
        )
        return {(score.system, score.metric): score for score in found}

    @cached_property
    def systems(self) -> list[str]:
        """Names from best to worst by the first metric; those without a score last."""
        names = [system.name for system in self.evaluation.systems]
        return self.ranked(self.metrics[0], names)

    def ranked(self, metric: Metric, names: Sequence[str]) -> list[str]:
        """Names from best to worst by a metric."""
        return self._from_best(metric, {name: self.value(name, metric) for name in names})

    def ranked_groups(self, metric: Metric) -> list[str]:
        """Systems without their runs, from best to worst by the mean of their runs."""
        runs = runs_of(self.evaluation.systems)
        order = dict.fromkeys(name for run in self.systems for name, own in runs.items() if run in own)
        return self._from_best(metric, {name: fmean(self.value(run, metric) for run in runs[name]) for name in order})

    def _from_best(self, metric: Metric, values: Mapping[str, float]) -> list[str]:
        sign = -1 if metric.better == "higher" else 1
        return sorted(values, key=lambda name: (math.isnan(values[name]), sign * _known(values[name])))

    def value(self, system: str, metric: Metric) -> float:
        """A corpus score; NaN where there is none."""
        score = self.scores.get((system, str(metric)))
        return math.nan if score is None else score.value

    def group_value(self, name: str, metric: Metric) -> float:
        """A corpus score, the mean over runs; NaN where there is none."""
        return fmean(self.value(run, metric) for run in self.groups[name])

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Systems without their runs, from best to worst by the first metric, and the names of the runs."""
        known = runs_of(self.evaluation.systems)
        return {name: known[name] for name in self.ranked_groups(self.metrics[0])}

    @property
    def test(self) -> Test:
        """Systems with several runs are compared by the bootstrap."""
        return "bootstrap" if any(len(runs) > 1 for runs in self.groups.values()) else "permutation"

    @property
    def comparisons(self) -> dict[str, list[Comparison]]:
        """Every pair of systems, by metric."""
        return self._compared[0]

    @property
    def not_compared(self) -> dict[str, str]:
        """Why there are no comparisons, by metric."""
        return self._compared[1]

    @cached_property
    def _compared(self) -> tuple[dict[str, list[Comparison]], dict[str, str]]:
        """Comparisons, and why there are none by some metric."""
        found: dict[str, list[Comparison]] = {}
        notes: dict[str, str] = {}
        pairs = len(self.groups) * (len(self.groups) - 1) // 2
        for metric in self.metrics if pairs else ():
            widths = [part.width for (_, said), part in self.evaluation.table.items() if said == str(metric)]
            if pairs * (self.trials or enough_trials(ALPHA)) * max(widths, default=0) > AT_MOST:
                notes[str(metric)] = "a test of so many systems and words would take minutes; `tertium compare` does it"
                continue
            try:
                items = compare(
                    self._scored(metric), metric, test=self.test, trials=self.trials, seed=self.seed, alpha=ALPHA,
                    confidence=CONFIDENCE, run=self.run,
                )  # fmt: skip
            except TertiumError as error:  # no segment scored for both, or a gap in a merged evaluation
                notes[str(metric)] = str(error)
                continue
            found[str(metric)] = with_other_unit(self.evaluation, items, self.run)
        return found, notes

    def _scored(self, metric: Metric) -> Evaluation:
        """The evaluation without systems that have no score at all: others can be compared all the same."""
        known = [name for name in self.groups if not math.isnan(self.group_value(name, metric))]
        return self.evaluation if len(known) < 2 else self.only(known)

    def only(self, names: Sequence[str]) -> Evaluation:
        """The evaluation of some of its systems, with all their runs."""
        runs = {run for name in names for run in self.groups[name]}
        return replace(self.evaluation, systems=tuple(s for s in self.evaluation.systems if s.name in runs))

    @cached_property
    def clusters(self) -> dict[str, list[list[str]]]:
        """Systems from best to worst, cut where everyone above is significantly better than everyone below, by metric;
        none where nothing could have been significant."""
        return {
            text: ranked_clusters(items, metric.better, shared_scores(self.evaluation, metric).values)
            for metric in self.metrics
            if (items := self.comparisons.get(text := str(metric), [])) and resolved(items)
        }

    def keeping_up(self, metric: Metric) -> list[str] | None:
        """Systems that are not significantly worse than the best by a metric; None where that could not be tested."""
        items = self.comparisons.get(str(metric), [])
        return keeping_up(items, self.ranked_groups(metric)[0]) if items and resolved(items) else None

    def pairs(self, metric: Metric) -> list[Comparison]:
        """Comparisons from the best pair down, each of the higher system beside the lower: `baseline` is the lower."""
        place = {name: k for k, name in enumerate(self.groups)}
        items = [
            item if place[item.system] < place[item.baseline] else turned(item)
            for item in self.comparisons.get(str(metric), [])
        ]
        return sorted(items, key=lambda item: (place[item.system], place[item.baseline]))

    def pair(self, metric: Metric, first: str, second: str) -> Comparison | None:
        """The comparison of two systems, whichever of them is its baseline."""
        for item in self.comparisons.get(str(metric), []):
            if {item.baseline, item.system} == {first, second}:
                return item
        return None

    @cached_property
    def segments(self) -> dict[tuple[str, str], Array]:
        """Scores of single segments by system and metric; NaN where there is none. # each (n,)"""
        return {
            (system.name, str(metric)): row_values(
                self.evaluation.stats(system.name, metric), partial(segment_scores, metric)
            )
            for metric in self.metrics
            for system in self.evaluation.systems
            if (system.name, str(metric)) in self.evaluation.table
        }

    @cached_property
    def numbers(self) -> SegmentNumbers:
        """What segments are sorted and counted by."""
        return SegmentNumbers(self)

    @cached_property
    def held(self) -> HeldSegments:
        """The segments that the page holds; asked for when all sections know to which they lead."""
        return choose_segments(self)

    @cached_property
    def documents(self) -> list[Score]:
        """Scores of documents; none where there are no documents, or only one."""
        testset = self.evaluation.testset
        if testset.documents is None or len(set(testset.documents)) < 2:
            return []
        return self.evaluation.scores("document")

    @cached_property
    def lengths(self) -> list[BucketScore]:
        """Scores of segments by length of the reference, or of the source where there is no reference."""
        for by in LENGTHS:
            try:
                return buckets(self.evaluation, by)
            except InputError:
                continue
        return []

    @cached_property
    def length_groups(self) -> Groups | None:
        """Which segments these are."""
        for by in LENGTHS:
            try:
                return segment_groups(self.evaluation.testset, by)
            except InputError:
                continue
        return None

    @cached_property
    def diagnosis(self) -> Diagnosis | None:
        """Errors that a program can see; None without texts."""
        return diagnose(self.evaluation, detectors=self.detectors, **self.rules) if self.evaluation.has_texts else None

    @cached_property
    def type_metric(self) -> Metric | None:
        """The first metric that counts types."""
        for metric in self.metrics:
            for system in self.evaluation.systems:
                stats = self.evaluation.table.get((system.name, str(metric)))
                if stats is not None and stats.types is not None:
                    return metric
        return None

    @cached_property
    def contrasts(self) -> Mapping[str, TypeContrast]:
        """The types of the best system beside those of every other; tested for the runner-up only."""
        metric = self.type_metric
        if metric is None:
            return {}
        best, *others = [name for name in self.systems if (name, str(metric)) in self.evaluation.table]
        found = {}
        for k, name in enumerate(others):
            try:
                found[name] = compare_types(
                    self.evaluation,
                    best,
                    name,
                    metric,
                    trials=0 if k else self.trials or TRIALS["permutation"],
                    seed=self.seed,
                )
            except InputError:  # no segment scored for both
                continue
        return found

    @cached_property
    def guards(self) -> tuple[SuspectOutputs, ...]:
        """Outputs that may be no translation, beside what learned metrics give them."""
        learned = any(map(is_learned, self.metrics))
        return guards(self.evaluation, diagnosis=self.diagnosis) if learned else ()

    @cached_property
    def warnings(self) -> list[str]:
        """What to be careful about: of the input, of metrics, of detectors that could not look."""
        reasons = [f"systems are not compared by {self.titles[text]}: {why}" for text, why in self.not_compared.items()]
        notes = [*self.evaluation.warnings, *reasons, *interval_warnings(self.evaluation)]
        notes += [note for item in self.beside for note in item.notes]
        return [*notes, *(self.diagnosis.notes if self.diagnosis else ())]


def _known(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def turned(item: Comparison) -> Comparison:
    """The same comparison with the systems in the other order."""
    verdicts: dict[str, Literal["better", "worse", "undecided"]] = {"better": "worse", "worse": "better"}
    return replace(
        item,
        baseline=item.system,
        system=item.baseline,
        baseline_score=item.system_score,
        system_score=item.baseline_score,
        difference=-item.difference,
        interval=_mirrored(item.interval),
        simultaneous=_mirrored(item.simultaneous),
        effect=-item.effect,
        wins=item.losses,
        losses=item.wins,
        verdict=verdicts.get(item.verdict, "undecided"),
    )


def _mirrored(interval: Interval | None) -> Interval | None:
    return interval and Interval(-interval.high, -interval.low, interval.confidence)
