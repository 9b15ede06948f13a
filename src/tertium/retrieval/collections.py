"""Collections: the documents of a test set as each system, each reference and the source has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tertium.core.errors import InputError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.wording import counted

Role = Literal["system", "ceiling", "topics", "floor"]
SOURCE = "source"


@dataclass(frozen=True, eq=False, kw_only=True)
class Collection:
    """Documents in one version: a system's translation, a reference, the source.

    The role says what a search in it shows: a `system`; the `ceiling`, a reference from which no topic comes; the
    reference of the `topics`; the untranslated source, the `floor`. The lines of a text are the segments.
    """

    name: str
    role: Role
    texts: tuple[str, ...]  # by document

    def __len__(self) -> int:
        return len(self.texts)


def reference_name(stream: int) -> str:
    """What the reference of a number, from 0, is called."""
    return f"reference {stream + 1}"


def document_texts(numbers: Sequence[int], count: int, lines: Lines) -> tuple[str, ...]:
    """The segments of each document, one below the other; a missing segment is left out."""
    parts: list[list[str]] = [[] for _ in range(count)]
    for number, line in zip(numbers, lines, strict=True):
        if line is not None:
            parts[number].append(line)
    return tuple("\n".join(part) for part in parts)


def document_ids(evaluation: Evaluation) -> tuple[tuple[str, ...], list[int]]:
    """The ids of documents in their order, and the number of every segment's document. In TREC's files white space
    separates columns, so an id has none: it becomes an underscore."""
    names, numbers = evaluation.testset.by_document()
    ids = tuple("_".join(name.split()) or "_" for name in names)
    check_distinct(ids, f"test set {evaluation.testset.name}")
    return ids, numbers.tolist()


def check_distinct(ids: Sequence[str], where: str) -> None:
    """Refuse two documents of the same id."""
    for name, times in Counter(ids).items():
        if times > 1:
            raise InputError(f"{where}: {times} documents are called {name}; ids must differ")


def collections_of(evaluation: Evaluation, topic_reference: int) -> tuple[Collection, ...]:
    """Every system, the references and the source as collections."""
    testset = evaluation.testset
    ids, numbers = document_ids(evaluation)

    def texts(lines: Lines) -> tuple[str, ...]:
        return document_texts(numbers, len(ids), lines)

    found = [Collection(name=s.name, role="system", texts=texts(s.outputs)) for s in evaluation.systems]
    for stream, lines in enumerate(testset.references.streams):
        role: Role = "topics" if stream == topic_reference else "ceiling"
        found.append(Collection(name=reference_name(stream), role=role, texts=texts(lines)))
    if testset.sources is not None:
        found.append(Collection(name=SOURCE, role="floor", texts=texts(testset.sources)))
    taken = Counter(collection.name for collection in found)
    for name, times in taken.items():
        if times > 1:
            raise InputError(f"a system is called {name!r}, as the collection beside it; give it another name")
    return tuple(found)


def empty_notes(collections: Sequence[Collection]) -> Iterator[str]:
    """Documents without a word, which no search can find."""
    for collection in collections:
        empty = sum(not text.strip() for text in collection.texts)
        if empty:
            verb = "is" if empty == 1 else "are"
            yield (
                f"{collection.name}: {empty} of {counted(len(collection), 'document')} {verb} empty and cannot be found"
            )
