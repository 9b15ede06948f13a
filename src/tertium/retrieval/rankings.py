"""Rankings and judged documents: for every topic some documents, each with a number.

A ranking (a run, in TREC's words) has the documents that a search found, with their scores, the best first. Equal
scores stand in the order of trec_eval: the document whose id is greater comes first. A document that was not retrieved
has no score; a score of 0 is no retrieval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self, TypeVar

from tertium.core.errors import InputError
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class TopicDocuments:
    """For each topic documents with a number each: rows of a sparse matrix, topics by documents."""

    topics: tuple[str, ...]
    documents: tuple[str, ...]  # their ids
    starts: NDArray[np.int64]  # where the documents of each topic begin (n + 1,)
    places: NDArray[np.int64]  # documents, by their number in `documents` (e,)
    values: Array  # scores or grades (e,)

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The number of the topic of every entry. # (e,)"""
        import numpy as np

        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def of(self, topic: int) -> slice:
        """The entries of a topic."""
        return slice(int(self.starts[topic]), int(self.starts[topic + 1]))

    def named(self, topic: int) -> dict[str, float]:
        """Documents of a topic by id, in their order, with their numbers."""
        here = self.of(topic)
        ids = (self.documents[place] for place in self.places[here].tolist())
        return dict(zip(ids, self.values[here].tolist(), strict=True))

    @classmethod
    def gather(
        cls,
        topics: Sequence[str],
        documents: Sequence[str],
        found: Iterable[tuple[NDArray[np.int64], Array]],
    ) -> Self:
        """From the places and numbers of each topic's documents, in the topics' order."""
        import numpy as np

        pairs = list(found)
        sizes = [len(places) for places, _ in pairs]
        return cls(
            topics=tuple(topics),
            documents=tuple(documents),
            starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            places=np.concatenate([np.zeros(0, np.int64), *(places for places, _ in pairs)]).astype(np.int64),
            values=np.concatenate([np.zeros(0), *(values for _, values in pairs)]).astype(np.float64),
        )

    def over(self, topics: Sequence[str], documents: Sequence[str]) -> Self:
        """The same for these topics, and with these numbers of documents; those that are not known are left out."""
        import numpy as np

        if tuple(topics) == self.topics and tuple(documents) == self.documents:
            return self
        number = {name: k for k, name in enumerate(documents)}
        moved = np.array([number.get(name, -1) for name in self.documents], dtype=np.int64)
        row = {name: k for k, name in enumerate(self.topics)}
        found = []
        for topic in topics:
            here = self.of(row[topic]) if topic in row else slice(0, 0)
            places = moved[self.places[here]] if len(moved) else np.zeros(0, np.int64)
            found.append((places[places >= 0], self.values[here][places >= 0]))
        return self.gather(topics, documents, found)


class Ranking(TopicDocuments):
    """What a search found: scores, the best first."""


class Relevance(TopicDocuments):
    """Which documents are relevant to which topic (qrels, in TREC's words): grades, of which 1 and more is relevant.
    What is not judged is not relevant."""

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many relevant documents each topic has. # (n,)"""
        import numpy as np

        return np.bincount(self.rows, self.values >= 1, len(self)).astype(np.int64)


def id_order(documents: Sequence[str]) -> NDArray[np.int64]:
    """The place of every document when the greatest id comes first: how equal scores are ordered. # (d,)"""
    import numpy as np

    order = np.empty(len(documents), dtype=np.int64)
    order[sorted(range(len(documents)), key=documents.__getitem__, reverse=True)] = np.arange(len(documents))
    return order


T = TypeVar("T", bound=TopicDocuments)


def from_mapping(kind: type[T], found: Mapping[str, Mapping[str, float]], documents: Sequence[str] | None = None) -> T:
    """From {topic: {document: number}}; a ranking is put into order. Documents are all that are named, unless given."""
    import numpy as np

    names = tuple(dict.fromkeys(d for row in found.values() for d in row)) if documents is None else tuple(documents)
    number, order = {name: k for k, name in enumerate(names)}, id_order(names)
    pairs = []
    for row in found.values():
        places = np.array([number[name] for name in row], dtype=np.int64)
        values = np.array(list(row.values()), dtype=np.float64)
        if kind is Ranking:
            best = np.lexsort((order[places], -values))
            places, values = places[best], values[best]
        pairs.append((places, values))
    return kind.gather(tuple(found), names, pairs)


def check_known(relevance: TopicDocuments, documents: Sequence[str], topics: Sequence[str], where: str) -> None:
    """Refuse judgements of documents and topics that are not there."""
    for what, named, known in (
        ("document", relevance.documents, set(documents)),
        ("topic", relevance.topics, set(topics)),
    ):
        unknown = [name for name in named if name not in known]
        if unknown:
            few = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
            one = len(unknown) == 1
            raise InputError(
                f"{where}: {counted(len(unknown), what)} that {'is' if one else 'are'} not in the collection: {few}; "
                f"it has {counted(len(known), what)}, such as {next(iter(known), 'none')}"
            )
