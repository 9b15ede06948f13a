"""Measures of retrieval as a metric: rows are topics, and given by rankings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.given import GivenRows, mean_rows
from tertium.core.metric import metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.wording import counted
from tertium.retrieval.aqwv import BETA, COLUMNS, query_weighted_value, sweep, value_rows
from tertium.retrieval.measures import (
    Judged,
    average_precision,
    judge,
    ndcg,
    precision,
    rank_biased_overlap,
    recall,
    reciprocal_rank,
)
from tertium.retrieval.rankings import Ranking, Relevance

if TYPE_CHECKING:
    from tertium.core.stats import Array

NAMES = "AP, RR, P@K, R@K, nDCG, nDCG@K, RBO(P), AQWV, mAQWV"
MEASURE = re.compile(r"(AP|RR|nDCG|AQWV|mAQWV)|(P|R|nDCG)@([1-9][0-9]{0,8})|RBO\((0?\.[0-9]{1,9})\)")
MEANS = {"AP": "mAP", "RR": "MRR"}  # what the mean over topics is called


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicEvaluation(Evaluation):
    """An evaluation whose segments are topics and whose systems are rankings. The outputs of a system are the ids of
    the first documents, the reference of a topic those of the relevant ones."""

    rankings: Mapping[str, Ranking] = field(default_factory=dict)  # by system
    relevance: Relevance | None = None
    truth: Ranking | None = None  # the ranking of the reference, where that is taken for the truth
    size: int | None = None  # documents in the collection
    facts: Mapping[str, str] = field(default_factory=dict)  # of topics and search, for signatures
    judged: Mapping[str, Judged] = field(default_factory=dict)  # rankings beside judgements, worked out once

    @property
    def measures(self) -> list[Retrieval]:
        """The metrics, all of which are measures of rankings."""
        return [metric for metric in self.metrics if isinstance(metric, Retrieval)]


@metric
class Retrieval:
    """A measure of how well documents are found, of each topic and as the mean over topics.

    Formula:
        AP = 1/R * sum of P@rank over the ranks of relevant documents
        RR = 1 / rank of the first relevant document
        P@K = relevant documents among the first K / K
        R@K = relevant documents among the first K / R
        nDCG@K = DCG / DCG of the best ranking
        DCG = sum over the first K of grade / log2(rank + 1)
        RBO(P) = (1-P) * sum over depths d of P^(d-1) * overlap(d) / d
        AQWV = 1 - (mean P_miss + beta * mean P_fa)
        mAQWV = the highest AQWV of any threshold
        R: relevant documents; the means of AP and RR are mAP and MRR

    Options:
        measure: AP, RR, P@K, R@K, nDCG, nDCG@K, RBO(P), AQWV or mAQWV; K is a number of documents, P a share
        beta: AQWV: what a false alarm costs beside a miss
        threshold: AQWV: scores from which on a document is handed over; 0 for all that were retrieved

    Blind to:
        Whatever queries do not ask for: word order, grammar, and every sentence without a word of a topic. A wrong
        translation that keeps the words of the query is found like a right one.

    Paper:
        Voorhees and Harman (2005), "TREC: Experiment and Evaluation in Information Retrieval"; Webber, Moffat and Zobel
        (2010), "A similarity measure for indefinite rankings"; for AQWV, the plan of NIST for MATERIAL's evaluation.
    """

    name: ClassVar[str] = "retrieval"
    title: ClassVar[str] = "retrieval"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)  # of AQWV, down to -beta
    needs: ClassVar[frozenset[str]] = frozenset({"rankings"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4

    measure: str = "AP"
    beta: float = BETA
    threshold: float = 0.0

    def __post_init__(self) -> None:
        if MEASURE.fullmatch(self.measure) is None:
            raise OptionError(f"measure {self.measure!r} is unknown; write one of {NAMES}, such as nDCG@10")
        if not 0 <= self.beta < math.inf or not -math.inf < self.threshold < math.inf:
            raise OptionError(f"{self}: beta must be a number from 0 up, threshold a number")
        if self.weighted:
            object.__setattr__(self, "range", (-float(self.beta), 1.0))
        object.__setattr__(self, "heading", MEANS.get(self.measure, self.measure))

    @property
    def weighted(self) -> bool:
        """Whether it is AQWV or its highest value, whose rows are misses and false alarms."""
        return self.measure in ("AQWV", "mAQWV")

    def given(self, evaluation: Evaluation, run: Run = PLAIN) -> GivenRows:
        """A row for each topic: (value, 1), or P_miss and P_fa with 1 where they are defined."""
        if not isinstance(evaluation, TopicEvaluation) or evaluation.relevance is None:
            raise InputError(
                f"{self} is a measure of rankings, and test set {evaluation.testset.name} has none; "
                f"see tertium retrieve"
            )
        facts, stats, best = dict(evaluation.facts), {}, []
        for done, system in enumerate(evaluation.systems):
            run.tell("scoring rankings", done, len(evaluation.systems))
            ranking = evaluation.rankings[system.name]
            judged = evaluation.judged.get(system.name) or judge(ranking, evaluation.relevance)
            if self.weighted:
                stats[system.name], threshold = self._weighted_rows(judged, evaluation)
                best.append(f"{threshold:.6g}")
            else:
                stats[system.name] = mean_rows(self._values(judged, ranking, evaluation))
        if self.weighted:
            facts["documents"] = str(evaluation.size)
        if self.measure == "mAQWV":
            facts["thresholds"] = ",".join(best)
        return GivenRows(stats=stats, columns=COLUMNS if self.weighted else ("value", "scored"), facts=facts,
                         notes=self._notes(evaluation.relevance))  # fmt: skip

    def _values(self, judged: Judged, ranking: Ranking, evaluation: TopicEvaluation) -> Array:
        kind, _, depth = self.measure.partition("@")
        if kind.startswith("RBO"):
            if evaluation.truth is None:
                raise OptionError(
                    f"{self.measure} compares rankings, and these topics have no true one (recipe pseudo)"
                )
            return rank_biased_overlap(ranking, evaluation.truth, float(self.measure[4:-1]))
        if depth:
            measures: dict[str, Callable[[Judged, int], Array]] = {"P": precision, "R": recall, "nDCG": ndcg}
            return measures[kind](judged, int(depth))
        return {"AP": average_precision, "RR": reciprocal_rank, "nDCG": ndcg}[kind](judged)

    def _weighted_rows(self, judged: Judged, evaluation: TopicEvaluation) -> tuple[Stats, float]:
        if evaluation.size is None:
            raise OptionError(f"{self.measure} needs the number of documents in the collection (--documents N)")
        threshold = self.threshold if self.measure == "AQWV" else sweep(judged, evaluation.size, self.beta).best[0]
        rows = value_rows(judged, evaluation.size, threshold)
        scored = rows[:, 1] + rows[:, 3] > 0
        return Stats(COLUMNS, rows, scored), threshold

    def _notes(self, relevance: Relevance) -> tuple[str, ...]:
        bare = int((relevance.counts == 0).sum())
        if not bare:
            return ()
        have, their = ("has", "its") if bare == 1 else ("have", "their")
        return (
            f"{bare} of {counted(len(relevance), 'topic')} {have} no relevant document: AQWV counts {their} false "
            f"alarms, other measures leave {'it' if bare == 1 else 'them'} out",
        )

    def score(self, sums: Any) -> Any:
        """The mean over topics; of AQWV the means of misses and false alarms, put together."""
        import numpy as np

        sums = np.asarray(sums, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            if not self.weighted:
                return sums[..., 0] / sums[..., 1]
            missed, relevant, alarms, others = np.moveaxis(sums, -1, 0)
            miss = np.where(relevant > 0, missed / relevant, 0.0)
            alarm = np.where(others > 0, alarms / others, 0.0)
        return query_weighted_value(miss, alarm, self.beta)


def parse_measure(text: str | Retrieval) -> Retrieval:
    """`AP`, `nDCG@10`, `RBO(0.9)`, and the field's words for means over topics: mAP, MRR."""
    if isinstance(text, Retrieval):
        return text
    word = {mean.lower(): name for name, mean in MEANS.items()}.get(text.strip().lower(), text.strip())
    known = {"ap": "AP", "rr": "RR", "ndcg": "nDCG", "aqwv": "AQWV", "maqwv": "mAQWV", "p": "P", "r": "R", "rbo": "RBO"}
    name = re.match(r"[A-Za-z]*", word)
    start = name[0] if name else ""
    return Retrieval(measure=known.get(start.lower(), start) + word[len(start) :])
