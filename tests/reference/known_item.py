"""Known-item, term and pseudo-relevance retrieval by another set of choices than tertium's; shares no code with it.

Terms are lowercase runs of three or more of a-z and 0-9, without numbers and function words, stemmed by NLTK's Porter.
Function words are NLTK's (the list that bm25s carries) without what is left of contractions, but with would and could.
Of equal tf-idf the later in the alphabet comes first. BM25 has k1 = 0.9 and b = 0.4. RBO reads both rankings as deep as
the shorter one goes: the sum of (1-p) p^(d-1) X_d/d, and p^s X_s/s for what lies below.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from bm25s.stopwords import STOPWORDS_EN_PLUS
from nltk.stem import PorterStemmer
from numpy.typing import NDArray

K1, B, P, BETA = 0.9, 0.4, 0.98, 40.0
WORD = re.compile(r"[a-z0-9]{3,}")
PIECES = "ain aren couldn didn doesn hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won wouldn".split()
STOP = frozenset(STOPWORDS_EN_PLUS).difference(PIECES) | {"would", "could"}
PORTER = PorterStemmer()


@cache
def stem(word: str) -> str:
    return str(PORTER.stem(word))


def terms(text: str) -> list[str]:
    return [stem(word) for word in WORD.findall(text.lower()) if not (word in STOP or word.isdigit())]


class Index:
    """Documents by their terms."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.documents = [Counter(terms(text)) for text in texts]
        lengths = np.array([count.total() for count in self.documents], float)
        held = K1 * (1 - B + B * lengths / lengths.mean())
        self.inside: dict[str, list[int]] = defaultdict(list)
        for place, count in enumerate(self.documents):
            for term in count:
                self.inside[term].append(place)
        self.weights = {}
        for term, places in self.inside.items():
            f, n = np.array([self.documents[place][term] for place in places], float), len(places)
            self.weights[term] = math.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) * f / (f + held[places])

    def ranking(self, query: Sequence[str]) -> list[int]:
        """Documents with a term of the query; of equal ones the first comes first."""
        scores: NDArray[np.float64] = np.zeros(len(self.documents))
        for term in query:
            if term in self.weights:
                scores[self.inside[term]] += self.weights[term]
        order = np.argsort(-scores, kind="stable")
        return [int(place) for place in order[: np.count_nonzero(scores)]]


class Topics(NamedTuple):
    known: list[tuple[int, list[str]]]  # the document that is looked for, and the query
    terms: list[str]


def topics(reference: Index) -> Topics:
    known, size = [], len(reference.documents)
    for place, count in enumerate(reference.documents):
        weight = {term: f * math.log(size / len(reference.inside[term])) for term, f in count.items()}
        best = sorted(sorted(weight, reverse=True), key=lambda term: -weight[term])[:9]
        known += [(place, best[k::3]) for k in range(3) if len(best[k::3]) == 3]
    return Topics(known, [term for term, places in reference.inside.items() if 2 <= len(places) <= 10])


def average_precision(ranking: Sequence[int], relevant: set[int]) -> float:
    hits = [rank for rank, place in enumerate(ranking, 1) if place in relevant]
    return sum(k / rank for k, rank in enumerate(hits, 1)) / len(relevant)


def shallow_rbo(one: Sequence[int], other: Sequence[int], p: float = P) -> float:
    depth = min(len(one), len(other))
    if depth == 0:
        return float(len(one) == len(other))
    first: set[int] = set()
    second: set[int] = set()
    total = agreement = 0.0
    for d, (a, b) in enumerate(zip(one, other, strict=False), 1):
        first.add(a)
        second.add(b)
        agreement = len(first & second) / d
        total += (1 - p) * p ** (d - 1) * agreement
    return total + agreement * p**depth


def measures(system: Index, reference: Index, asked: Topics) -> dict[str, float]:
    """The means over topics of one system, under the names of the oracle's columns."""
    found: dict[str, list[float]] = defaultdict(list)
    for place, query in asked.known:
        ranking, truth = system.ranking(query), reference.ranking(query)
        found["MRR"].append(1 / (ranking.index(place) + 1) if place in ranking else 0.0)
        found["mAP_pseudo"].append(average_precision(ranking, set(truth[:10])))
        found["RBO"].append(shallow_rbo(ranking, truth))
    for term in asked.terms:
        ranking, relevant = system.ranking([term]), set(reference.inside[term])
        found["mAP_term"].append(average_precision(ranking, relevant))
        hits, others = len(relevant.intersection(ranking)), len(system.documents) - len(relevant)
        found["AQWV"].append(hits / len(relevant) - BETA * (len(ranking) - hits) / others)
    return {name: sum(values) / len(values) for name, values in found.items()}
