"""Search: topics in, rankings out. BM25, or cosines of sentence vectors where the encoder is installed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tertium.core.errors import OptionError
from tertium.core.run import PLAIN, Run
from tertium.retrieval.collections import Collection
from tertium.retrieval.rankings import Ranking, id_order
from tertium.retrieval.topics import Topics
from tertium.text.bm25 import K1, B, Bm25Index
from tertium.text.terms import INSTALL, TermReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array

Method = Literal["bm25", "encoder"]
METHODS: tuple[Method, ...] = get_args(Method)
DEPTH = 1000  # documents of a ranking, as at TREC
STEP = 64  # queries between two reports of progress


@dataclass(frozen=True, kw_only=True)
class Retriever:
    """How documents are searched."""

    method: Method = "bm25"
    k1: float = K1
    b: float = B
    depth: int = DEPTH

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"unknown retriever {self.method!r}; choose from {', '.join(METHODS)}")
        if not 0 <= self.k1 < math.inf or not 0 <= self.b <= 1:
            raise OptionError(f"k1={self.k1:g}, b={self.b:g}: k1 must be 0 or more, b between 0 and 1")
        if self.depth < 1:
            raise OptionError(f"depth: {self.depth}; must be at least 1")

    def facts(self, read: TermReader) -> dict[str, str]:
        """What a signature must say of a search."""
        if self.method == "encoder":
            from tertium.text.encoder import encoder_version

            return {"retriever": "encoder", "depth": str(self.depth), **encoder_version()}
        return {"retriever": "bm25", "k1": f"{self.k1:g}", "b": f"{self.b:g}", "depth": str(self.depth), **read.facts()}


def search(
    collection: Collection,
    topics: Topics,
    ids: Sequence[str],
    read: TermReader,
    retriever: Retriever,
    run: Run = PLAIN,
) -> Ranking:
    """The ranking of a collection's documents for every topic."""
    make = _encoded if retriever.method == "encoder" else _indexed
    scores, order, found = make(collection, topics, read, retriever, run), id_order(ids), []
    for done, query in enumerate(topics.texts):
        if done % STEP == 0:
            run.tell(f"searching {collection.name}", done, len(topics))
        found.append(_best(scores(query), order, retriever.depth))
    run.tell(f"searching {collection.name}", len(topics), len(topics))
    return Ranking.gather(topics.ids, ids, found)


def _best(scores: Array, order: NDArray[np.int64], depth: int) -> tuple[NDArray[np.int64], Array]:
    """The documents with the highest scores above 0; of equal ones the greater id first, as trec_eval has it."""
    import numpy as np

    places = np.flatnonzero(scores > 0)
    if len(places) > 4 * depth:  # all that could be among the first, equal ones with the last of them included
        least = np.partition(scores[places], len(places) - depth)[len(places) - depth]
        places = places[scores[places] >= least]
    best = places[np.lexsort((order[places], -scores[places]))][:depth]
    return best, scores[best]


def _indexed(
    collection: Collection,
    topics: Topics,  # noqa: ARG001
    read: TermReader,
    retriever: Retriever,
    run: Run,
) -> Callable[[str], Array]:
    index = Bm25Index(collection.texts, read=read, k1=retriever.k1, b=retriever.b, run=run, install=INSTALL)
    return index.scores


def _encoded(
    collection: Collection,
    topics: Topics,
    read: TermReader,  # noqa: ARG001
    retriever: Retriever,  # noqa: ARG001
    run: Run,
) -> Callable[[str], Array]:
    """The score of a document is the highest cosine of the query with one of its segments (lines)."""
    import numpy as np

    from tertium.text.encoder import check_encoder, sentence_vectors

    check_encoder("--retriever encoder")
    lines = [line for text in collection.texts for line in text.split("\n")]
    firsts = np.cumsum([0, *(text.count("\n") + 1 for text in collection.texts)])[:-1]
    total = len(lines) + len(topics)
    stage = f"encoding {collection.name}"
    segments = _unit(sentence_vectors([line or None for line in lines], lambda done: run.tell(stage, done, total)))
    known = list(dict.fromkeys(topics.texts))
    queries = _unit(sentence_vectors(known, lambda done: run.tell(stage, len(lines) + done, total)))
    number = {text: k for k, text in enumerate(known)}

    def scores(query: str) -> Array:
        cosines: Array = np.maximum.reduceat(segments @ queries[number[query]], firsts)
        return cosines

    return scores


def _unit(vectors: NDArray[np.float32]) -> Array:
    """Vectors of length 1, or 0. # (n, d)"""
    import numpy as np

    wide = vectors.astype(np.float64)
    lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
    found: Array = wide / np.where(lengths > 0, lengths, 1)
    return found
