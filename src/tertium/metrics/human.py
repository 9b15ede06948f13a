"""What people said, as a metric: the mean of the judgements of each segment."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from tertium.core.errors import OptionError
from tertium.core.judgement import SCALES
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.numbers import columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet

# human.standardise says what each of them does; `auto` is decided by core.judgement.why_raw.
STANDARDISE = ("auto", "none", "z0", "raw-only", "drop", "sd1", "wmt22-toen", "wmt21-toen", "appraise22")


@metric
class Human:
    """What people said of the outputs: the mean over segments of the mean of each segment's judgements.

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

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """There is nothing to read."""
        return Prepared(references=testset.references)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """No text says what people think of it."""
        raise OptionError(
            f"{self}: what people said is not counted from texts; add it to an evaluation that has judgements: "
            f"tt.judge(evaluation, {str(self)!r})"
        )

    def score(self, sums: Any) -> Any:
        """The mean of the segments that were judged."""
        value, judged = columns(sums)
        return ratio(value, judged, otherwise=float("nan"))
