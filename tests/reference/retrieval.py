"""Measures of retrieval and BM25 as textbooks have them: topic by topic, document by document, without arrays."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence


def bm25(query: Sequence[str], documents: Sequence[Sequence[str]], k1: float, b: float) -> list[float]:
    """Robertson's formula with Lucene's idf, for every document."""
    mean = sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        counts, score = Counter(document), 0.0
        for word in query:
            f, n = counts[word], sum(word in other for other in documents)
            if f:
                idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
                score += idf * f / (f + k1 * (1 - b + b * len(document) / mean))
        scores.append(score)
    return scores


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Retrieved documents, the best first; of equal ones the greater id."""
    by_id = sorted((name for name, score in scores.items() if score > 0), reverse=True)
    return sorted(by_id, key=lambda name: -scores[name])


def handed_over(scores: Mapping[str, float], threshold: float) -> set[str]:
    return {name for name, score in scores.items() if score >= threshold}


def aqwv(
    run: Mapping[str, Mapping[str, float]],
    relevant: Mapping[str, set[str]],
    documents: int,
    threshold: float,
    beta: float = 40.0,
) -> float:
    """1 - (mean P_miss over topics with relevant documents + beta * mean P_fa over topics with others)."""
    misses, alarms = [], []
    for topic, wanted in relevant.items():
        given = handed_over(run.get(topic, {}), threshold)
        if wanted:
            misses.append(len(wanted - given) / len(wanted))
        if documents > len(wanted):
            alarms.append(len(given - wanted) / (documents - len(wanted)))
    miss = sum(misses) / len(misses) if misses else 0.0
    alarm = sum(alarms) / len(alarms) if alarms else 0.0
    return 1 - (miss + beta * alarm)


def thresholds(run: Mapping[str, Mapping[str, float]]) -> list[float]:
    """Every score that occurs, from the highest, after infinity."""
    return [math.inf, *sorted({score for row in run.values() for score in row.values()}, reverse=True)]


def rbo(one: Sequence[str], other: Sequence[str], p: float) -> float:
    """Webber, Moffat and Zobel 2010, equation 32, with overlaps counted anew at every depth."""
    short, long = sorted((list(one), list(other)), key=len)
    s, l = len(short), len(long)  # noqa: E741
    if s == 0:
        return 1.0 if l == 0 else 0.0

    def overlap(d: int) -> int:
        return len(set(short[:d]) & set(long[:d]))

    x_s, x_l = overlap(s), overlap(l)
    first = sum(overlap(d) / d * p**d for d in range(1, l + 1))
    second = sum(x_s * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * (first + second) + ((x_l - x_s) / l + x_s / s) * p**l
