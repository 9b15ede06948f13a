"""AQWV: the average query-weighted value of a set of documents that a system hands over (NIST 2017, for MATERIAL).

    AQWV(theta) = 1 - (mean of P_miss over topics with relevant documents + beta * mean of P_fa over topics)
    P_miss = relevant documents that were not handed over / relevant documents
    P_fa   = others that were handed over / all others in the collection

A document is handed over if its score is theta or more. mAQWV is the highest AQWV of any theta. Handing over nothing
has AQWV 0, all that is relevant and nothing else has 1; with beta 40 it can be as low as -40.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tertium.retrieval.measures import Judged

if TYPE_CHECKING:
    from tertium.core.stats import Array

BETA = 40.0
COLUMNS = ("missed", "with_relevant", "false_alarms", "with_others")


def query_weighted_value(miss: Any, false_alarm: Any, beta: float = BETA) -> Any:
    """AQWV of the mean P_miss and the mean P_fa: numbers, or arrays of them."""
    return 1 - (miss + beta * false_alarm)


def value_rows(judged: Judged, documents: int, threshold: float) -> Array:
    """P_miss, 1 where the topic has relevant documents, P_fa, 1 where the collection has others. # (n, 4)"""
    import numpy as np

    handed = (judged.ranking.values >= threshold).astype(float)
    relevant, counts = judged.relevant, judged.relevance.counts
    others = documents - counts
    hits, alarms = judged.total(handed * relevant), judged.total(handed * (1 - relevant))
    has, other = counts > 0, others > 0
    miss = np.where(has, 1 - hits / np.maximum(counts, 1), 0.0)
    return np.column_stack([miss, has, np.where(other, alarms / np.maximum(others, 1), 0.0), other]).astype(float)


class Sweep(NamedTuple):
    """AQWV at every threshold that changes what is handed over, from the highest: infinity hands over nothing."""

    thresholds: Array  # (t,)
    values: Array  # (t,)

    @property
    def best(self) -> tuple[float, float]:
        """The threshold with the highest AQWV, of several the highest threshold, and that AQWV (mAQWV)."""
        import numpy as np

        k = int(np.argmax(self.values))
        return float(self.thresholds[k]), float(self.values[k])


def sweep(judged: Judged, documents: int, beta: float = BETA) -> Sweep:
    """AQWV at every threshold. Every document that is handed over adds or takes away its share."""
    import numpy as np

    counts = judged.relevance.counts
    others = documents - counts
    rows, relevant = judged.ranking.rows, judged.relevant
    hit = 1 / (np.maximum(counts, 1) * max(1, int((counts > 0).sum())))
    alarm = beta / (np.maximum(others, 1) * max(1, int((others > 0).sum())))
    gain = np.where(relevant > 0, hit[rows], -alarm[rows])
    scores = judged.ranking.values
    order = np.argsort(-scores, kind="stable")
    running, ranked = np.cumsum(gain[order]), scores[order]
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True)) if len(ranked) else np.zeros(0, int)
    return Sweep(np.append(np.inf, ranked[last]), np.append(0.0, running[last]))
