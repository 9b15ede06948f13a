"""Which of several answers to one prompt is taken: the likeliest, a metric's choice, or minimum Bayes risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tertium.analysis.mbr import check_reference_free, mbr, rerank
from tertium.analysis.pairwise import check_metric
from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.run import PLAIN, Run
from tertium.metrics import parse

LIKELIEST, MBR = "probability", "mbr:"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How the best of several answers is chosen; its text is `probability`, `mbr:METRIC` or a metric's."""

    metric: Metric | None = None  # None: the likeliest
    among: bool = False  # each answer is compared with the others (minimum Bayes risk)

    def __str__(self) -> str:
        if self.metric is None:
            return LIKELIEST
        return f"{MBR}{self.metric}" if self.among else str(self.metric)

    def choose(
        self,
        answers: Sequence[Sequence[str]],
        log_probabilities: Sequence[Sequence[float | None]],
        sources: Sequence[str],
        run: Run = PLAIN,
    ) -> list[int]:
        """For each segment the place of the best answer; of equals, the first."""
        if self.metric is None:
            return [_likeliest(values, place) for place, values in enumerate(log_probabilities)]
        lists: Any = [list(texts) for texts in answers]
        found = (
            mbr(lists, self.metric, source=list(sources), run=run)
            if self.among
            else rerank(lists, self.metric, source=list(sources), run=run)
        )
        return [ranking.index for ranking in found]


def parse_rule(text: str | Rule) -> Rule:
    """The rule a text means; parse_rule(str(rule)) == rule."""
    if isinstance(text, Rule):
        return text
    if text == LIKELIEST:
        return Rule()
    among = text.startswith(MBR)
    metric = parse(text.removeprefix(MBR))
    if among:
        check_metric(metric, has_source=True)
        if "references" not in metric.needs:
            raise OptionError(f"{metric.name} needs no references, so nothing is compared; write {metric}")
    elif "references" in metric.needs:
        raise OptionError(f"{metric.name} needs references, which nobody has here; write {MBR}{metric}")
    else:
        check_reference_free(metric, has_source=True)
    return Rule(metric=metric, among=among)


def _likeliest(values: Sequence[float | None], place: int) -> int:
    known = [value for value in values if value is not None and not math.isnan(value)]
    if len(known) < len(values):
        raise InputError(
            f"segment {place + 1}: the model did not say how likely its answers are; choose by a metric, "
            f"such as {MBR}chrf"
        )
    return known.index(max(known))
