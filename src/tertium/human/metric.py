"""Human judgements as a metric: the mean of the judgements of each segment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.given import GivenRows, mean_rows
from tertium.core.judgement import SCALES, Judgement
from tertium.core.metric import Metric, choose, is_human, metric
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.human.at_hand import at_hand
from tertium.human.judgement_arrays import PAIR, judgement_arrays_of
from tertium.human.scores import human_scores
from tertium.human.standardise import USUAL, raw_reason
from tertium.inference.join import check_people
from tertium.metrics import parse

COLUMNS = ("value", "judged")

# human.standardise says what each of them does; `auto` is decided by core.judgement.why_raw.
STANDARDISE = ("auto", "none", "z0", "raw-only", "drop", "sd1", "wmt22-toen", "wmt21-toen", "appraise22")


@metric
class Human:
    """Human judgements of the outputs: the mean over segments of the mean of each segment's judgements.

    Formula:
        human = mean over judged segments of mean(x)
        x: judgements of the segment on the scale, or standard scores
        (x - mean) / sd with the mean and sd of each judgement's rater

    Options:
        scale: the question that raters answered: da100 (0 to 100), adequacy or fluency (1 to 5), mqm and others
        standardise: auto for standard scores (as wmt22-toen) where at least two raters judged on a scale from 0 to 100
            and each judged 15 times or more, else raw values; none for raw values; else standard scores, by the name of
            a published evaluation (wmt22-toen, wmt21-toen, appraise22) or by what becomes of raters whose judgements
            never differ: z0, raw-only, drop, sd1

    Blind to:
        What raters were not asked, and who they were: a system that strict raters happened to judge is worse off unless
        scores are standardised.

    Paper:
        Graham, Baldwin, Moffat and Zobel (2013), "Continuous measurement scales in human evaluation of machine
        translation".
    """

    name: ClassVar[str] = "human"
    title: ClassVar[str] = "human"
    better: ClassVar[Literal["higher", "lower"]] = "higher"  # or as the scale says
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)  # of the scale; standard scores have none
    needs: ClassVar[frozenset[str]] = frozenset({"judgements"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 2

    scale: str = "da100"
    standardise: str = "auto"

    def __post_init__(self) -> None:
        choose(self.name, "scale", self.scale, tuple(SCALES))
        choose(self.name, "standardise", self.standardise, STANDARDISE)
        scale = SCALES[self.scale]
        object.__setattr__(self, "better", scale.better)
        points = (scale.low, scale.high) == (0, 100)
        if self.standardise == "none" or (self.standardise == "auto" and not points):
            object.__setattr__(self, "range", (float(scale.low), float(scale.high)))
        else:
            object.__setattr__(self, "range", (float("-inf"), float("inf")))
            object.__setattr__(self, "decimals", 3)

    def given(self, evaluation: Evaluation, run: Run = PLAIN) -> GivenRows:  # noqa: ARG002
        """A row for each judged segment: (mean of its judgements, 1). Judgements of systems that are not here are left
        out; where a system may only be called otherwise, that is an error."""
        import numpy as np

        check_judged(evaluation, self)
        here, testset = at_hand(evaluation), evaluation.testset
        answers, groups = judgement_arrays_of(evaluation.judgements, self.scale, here.has), testset.labels.get(PAIR)
        how = self.standardise
        if how == "auto":
            how = "none" if raw_reason(answers, groups) else USUAL
        found = human_scores(answers, USUAL if how == "none" else how, segments=len(testset), groups=groups)
        values = found.raw if how == "none" else found.z
        stats = {system: mean_rows(values[k], COLUMNS) for k, system in enumerate(found.systems)}
        unjudged = [system.name for system in evaluation.systems if not (system.name in stats and stats[system.name].n)]
        return GivenRows(
            stats=stats,
            columns=COLUMNS,
            facts={
                "scores": "raw" if how == "none" else f"z/{how}",
                "raters": str(len(np.unique(answers.rater[answers.here]))),
                "judgements": str(int(found.counts.sum())),
                "n": str(len(testset)),
            },
            notes=(*here.notes(), *([f"{self}: nobody judged {', '.join(unjudged)}"] if unjudged else [])),
            check=check_people,
        )

    def score(self, sums: Sums) -> Number:
        """The mean of the segments that were judged."""
        value, judged = columns(sums)
        return ratio(value, judged, otherwise=float("nan"))


def raw_because(evaluation: Evaluation, metric: Metric) -> str | None:
    """Why a metric of people's judgements means raw scores; None where it means standard scores."""
    how = metric.standardise  # type: ignore[attr-defined]
    if how != "auto":
        return "asked for" if how == "none" else None
    answers = judgement_arrays_of(evaluation.judgements, metric.scale)  # type: ignore[attr-defined]
    return raw_reason(answers, evaluation.testset.labels.get(PAIR)) or None


def usual_gold(judgements: Iterable[Judgement]) -> Metric:
    """The human scores that metrics are compared with by default: `human`, on the first scale there is if its own was
    not used."""
    scales = list(dict.fromkeys(judgement.scale for judgement in judgements))
    return Human() if not scales or "da100" in scales else Human(scale=scales[0])


def chosen_gold(judgements: Iterable[Judgement], gold: str | Metric | None) -> Metric:
    """The metric of people's judgements that is asked for, or the usual one."""
    if gold is None:
        return usual_gold(judgements)
    found = parse(gold)
    if not is_human(found):
        raise OptionError(f"gold {found}: it does not read judgements; name one that does, such as human")
    return found


def check_judged(evaluation: Evaluation, metric: Metric) -> None:
    """Refuse a metric of judgements where there are none on its scale."""
    scale, name = metric.scale, evaluation.testset.name  # type: ignore[attr-defined]
    if not evaluation.judgements:
        raise InputError(f"{metric.name} needs judgements, and test set {name} has none (judgements = in testset.toml)")
    known = list(dict.fromkeys(judgement.scale for judgement in evaluation.judgements))
    if scale not in known:
        words = ", ".join(f'human(scale="{word}")' for word in known)
        raise OptionError(f"{metric}: nobody judged test set {name} on the scale {scale}; there are: {words}")
