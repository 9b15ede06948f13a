"""Measures of a ranking, topic by topic: average precision and its kin. All as trec_eval has them.

A topic for which nothing was retrieved scores 0; one without relevant documents is not scored (NaN).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tertium.retrieval.rankings import Ranking, Relevance, TopicDocuments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array


class Judged(NamedTuple):
    """A ranking beside the judgements: of every entry the topic, its rank from 1, and its grade (0: not judged)."""

    ranking: Ranking
    relevance: Relevance
    rank: NDArray[np.int64]  # (e,)
    grade: Array  # (e,)

    def total(self, values: Array) -> Array:
        """Sums over the entries of each topic. # (e,) -> (n,)"""
        import numpy as np

        return np.bincount(self.ranking.rows, values, len(self.ranking)).astype(np.float64)

    @property
    def relevant(self) -> Array:
        """1 where a retrieved document is relevant. # (e,)"""
        found: Array = (self.grade >= 1).astype(float)
        return found

    def among(self, k: int) -> Array:
        """How many of the first k documents of each topic are relevant. # (n,)"""
        return self.total(self.relevant * (self.rank <= k))

    def per_relevant(self, sums: Array) -> Array:
        """Sums divided by the number of relevant documents; NaN where there is none. # (n,)"""
        import numpy as np

        counts = self.relevance.counts
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)

    def scored(self, values: Array) -> Array:
        """The values of topics that have relevant documents, else NaN. # (n,)"""
        import numpy as np

        return np.where(self.relevance.counts > 0, values, np.nan)


def judge(ranking: Ranking, relevance: Relevance) -> Judged:
    """The grades of what was retrieved. Topics are those that were judged; documents are known by their ids."""
    import numpy as np

    known = relevance.over(relevance.topics, _all_documents(ranking, relevance))
    ranked = ranking.over(relevance.topics, known.documents)
    size = len(known.documents)
    keys = known.rows * size + known.places
    order = np.argsort(keys, kind="stable")
    wanted = ranked.rows * size + ranked.places
    if len(keys):
        at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
        grade = np.where(keys[order][at] == wanted, known.values[order][at], 0.0)
    else:
        grade = np.zeros(len(wanted))
    rank = np.arange(len(wanted)) - ranked.starts[ranked.rows] + 1
    return Judged(ranked, known, rank, grade)


def _all_documents(one: TopicDocuments, other: TopicDocuments) -> tuple[str, ...]:
    if one.documents == other.documents:
        return one.documents
    return tuple(dict.fromkeys((*one.documents, *other.documents)))


def average_precision(judged: Judged) -> Array:
    """AP = (1/R) * sum of precision(rank) over the ranks of relevant documents. # (n,)"""
    import numpy as np

    relevant, starts = judged.relevant, judged.ranking.starts
    running = np.concatenate([[0.0], np.cumsum(relevant)])
    found = running[1:] - running[starts[judged.ranking.rows]]  # relevant documents up to here
    return judged.per_relevant(judged.total(relevant * found / np.maximum(judged.rank, 1)))


def reciprocal_rank(judged: Judged) -> Array:
    """RR = 1 / rank of the first relevant document. # (n,)"""
    import numpy as np

    best = np.zeros(len(judged.ranking))
    np.maximum.at(best, judged.ranking.rows, judged.relevant / np.maximum(judged.rank, 1))
    return judged.scored(best)


def precision(judged: Judged, k: int) -> Array:
    """P@k = relevant documents among the first k, divided by k. # (n,)"""
    return judged.scored(judged.among(k) / k)


def recall(judged: Judged, k: int) -> Array:
    """R@k = relevant documents among the first k, divided by R. # (n,)"""
    return judged.per_relevant(judged.among(k))


def ndcg(judged: Judged, k: int | None = None) -> Array:
    """nDCG@k = DCG / DCG of the best ranking, DCG = sum of grade / log2(rank + 1) (Järvelin and Kekäläinen 2002);
    without k, of the whole ranking. # (n,)"""
    import numpy as np

    relevance = judged.relevance
    best = np.lexsort((-relevance.values, relevance.rows))  # grades of each topic, the highest first
    ideal_rank = np.arange(len(best)) - relevance.starts[relevance.rows] + 1
    limit = math.inf if k is None else k

    def gain(grades: Array, ranks: NDArray[np.int64]) -> Array:
        gains: Array = np.maximum(grades, 0) * (ranks <= limit) / np.log2(ranks + 1)
        return gains

    found = judged.total(gain(judged.grade, judged.rank))
    ideal = np.bincount(relevance.rows, gain(relevance.values[best], ideal_rank), len(relevance))
    return np.where(ideal > 0, found / np.where(ideal > 0, ideal, 1), np.nan)


def rank_biased_overlap(ranking: TopicDocuments, truth: TopicDocuments, p: float) -> Array:
    """RBO_ext of every topic with the ranking that is taken for the truth (Webber, Moffat and Zobel 2010, equation 32);
    1 where both are empty. # (n,)"""
    import numpy as np

    names = _all_documents(ranking, truth)
    one, other = ranking.over(truth.topics, names), truth.over(truth.topics, names)
    return np.array([
        overlap(one.places[one.of(k)].tolist(), other.places[other.of(k)].tolist(), p) for k in range(len(truth))
    ])  # fmt: skip


def overlap(one: list[int], other: list[int], p: float) -> float:
    """RBO_ext of two rankings without ties. With S the shorter, of s documents, L the longer, of l, and X_d the overlap
    of their first d:

        (1-p)/p * (sum_{d=1..l} X_d/d p^d + sum_{d=s+1..l} X_s (d-s)/(s d) p^d) + ((X_l - X_s)/l + X_s/s) p^l
    """
    short, long = sorted((one, other), key=len)
    s, l = len(short), len(long)  # noqa: E741 - as the paper has it
    if s == 0:
        return 1.0 if l == 0 else 0.0
    seen_short: set[int] = set()
    seen_long: set[int] = set()
    x, x_s, total, weight = 0, 0, 0.0, 1.0
    for d in range(1, l + 1):
        weight *= p
        added = long[d - 1]
        seen_long.add(added)
        x += added in seen_short
        if d <= s:
            x += short[d - 1] in seen_long
            seen_short.add(short[d - 1])
            x_s = x
            total += x / d * weight
        else:
            total += (x / d + x_s * (d - s) / (s * d)) * weight
    return (1 - p) / p * total + ((x - x_s) / l + x_s / s) * weight
