"""TestSet: the sources and references that outputs are compared with, and facts about the segments."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.wording import are, counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


TAGS = ("strip", "protect", "keep")  # ways to read inline tags
FILE = "file"  # the record of the localisation file that a segment stands in


@dataclass(frozen=True, eq=False)
class References(Sequence[tuple[str, ...]]):
    """References inside their segments: `references[i]` are those of segment i, none, one or several.

    They are kept as streams (first references, second references, ...), missing where a segment has fewer.
    """

    streams: tuple[Lines, ...]
    segments: int
    known: tuple[int, int] | None = None  # `fewest_and_most`, of texts that are left out, which look missing

    def __post_init__(self) -> None:
        for k, stream in enumerate(self.streams):
            if len(stream) != self.segments:
                raise InputError(
                    f"reference stream {k + 1} has {counted(len(stream), 'line')}, but there "
                    + are(self.segments, "segment")
                )

    def __len__(self) -> int:
        return self.segments

    def __getitem__(self, index: int | slice) -> tuple[str, ...] | References:  # type: ignore[override]
        if isinstance(index, slice):
            streams = tuple(stream[index] for stream in self.streams)
            return References(streams, len(range(*index.indices(self.segments))))
        texts = (stream[index] for stream in self.streams)
        return tuple(text for text in texts if text is not None)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (self[i] for i in range(self.segments))  # type: ignore[misc]

    def take(self, numbers: NDArray[np.int64]) -> References:
        """Those of the segments of these numbers, in this order."""
        return References(tuple(stream.take(numbers) for stream in self.streams), len(numbers))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many references each segment has. # (n,)"""
        import numpy as np

        counts = np.zeros(self.segments, dtype=np.int64)
        for stream in self.streams:
            counts += stream.present
        return counts

    @cached_property
    def fewest_and_most(self) -> tuple[int, int]:
        """The smallest and the largest number of references a segment has."""
        if self.known is not None:
            return self.known
        if all(stream.complete for stream in self.streams) or self.segments == 0:
            return len(self.streams), len(self.streams)
        return int(self.counts.min()), int(self.counts.max())

    @cached_property
    def digest(self) -> str:
        """A hash of the references as they stand in their segments."""
        digest = hashlib.sha256()
        for stream in self.streams:
            digest.update(stream.digest())
        return digest.hexdigest()


NO_REFERENCES = References((), 0)


@dataclass(frozen=True, eq=False, kw_only=True)
class TestSet:
    """The source, references, documents and labels of every segment. Lengths are checked once, here."""

    __test__ = False  # not a pytest class

    name: str = "testset"
    source_language: str | None = None
    target_language: str | None = None
    segments: int
    sources: Lines | None = None
    references: References = NO_REFERENCES
    documents: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    resegmented: str | None = None  # by what outputs were cut into these segments, where they had others
    # What a file says about segments and no score or group depends on (states, translators, times), empty where it says
    # nothing. It is neither hashed nor saved: it names people.
    records: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: str | None = None  # how inline tags were read, of files that have them

    def __post_init__(self) -> None:
        if not isinstance(self.references, References):
            raise InputError(f"test set {self.name}: references must be References, which references_of() makes")
        if self.sources is not None and not isinstance(self.sources, Lines):
            raise InputError(f"test set {self.name}: sources must be Lines, which Lines.of() makes")
        if self.references is NO_REFERENCES:
            object.__setattr__(self, "references", References((), self.segments))
        parts: dict[str, Sequence[object] | None] = {
            "sources": self.sources,
            "references": self.references,
            "documents": self.documents,
            "ids": self.ids,
            **{f"labels {key!r}": values for key, values in self.labels.items()},
            **{f"records {key!r}": values for key, values in self.records.items()},
        }
        for what, values in parts.items():
            if values is not None and len(values) != self.segments:
                raise InputError(
                    f"test set {self.name}: {what}: {counted(len(values), 'line')}, but there "
                    + are(self.segments, "segment")
                )

    def __len__(self) -> int:
        return self.segments

    def by_document(self) -> tuple[list[str], NDArray[np.int64]]:
        """The documents in order of appearance, and the number of every segment's document. # (n,)"""
        import numpy as np

        if self.documents is None:
            raise InputError(
                f"test set {self.name} has no documents; name them (documents = in testset.toml, --doc FILE)"
            )
        number = {name: k for k, name in enumerate(dict.fromkeys(self.documents))}
        return list(number), np.array([number[name] for name in self.documents], dtype=np.int64)

    def slice(self, first: int, last: int) -> TestSet:
        """The segments [first, last) as a test set."""
        here = slice(first, last)
        references = self.references[here]
        assert isinstance(references, References)
        return TestSet(
            name=self.name,
            source_language=self.source_language,
            target_language=self.target_language,
            segments=len(references),
            sources=None if self.sources is None else self.sources[here],
            references=references,
            documents=None if self.documents is None else self.documents[here],
            ids=None if self.ids is None else self.ids[here],
            labels={key: values[here] for key, values in self.labels.items()},
            resegmented=self.resegmented,
            records={key: values[here] for key, values in self.records.items()},
            tags=self.tags,
        )

    def take(self, numbers: NDArray[np.int64]) -> TestSet:
        """The segments of these numbers, in this order."""
        chosen = numbers.tolist()

        def names(values: Sequence[str] | None) -> tuple[str, ...] | None:
            return None if values is None else tuple(values[k] for k in chosen)

        return replace(
            self,
            segments=len(chosen),
            sources=None if self.sources is None else self.sources.take(numbers),
            references=self.references.take(numbers),
            documents=names(self.documents),
            ids=names(self.ids),
            labels={key: tuple(values[k] for k in chosen) for key, values in self.labels.items()},
            records={key: tuple(values[k] for k in chosen) for key, values in self.records.items()},
        )

    @cached_property
    def digest(self) -> str:
        """A hash of everything that scores and groups depend on; Evaluations merge only where it is equal."""
        parts = {"references": self.references.digest}
        if self.sources is not None:
            parts["sources"] = self.sources.digest().hex()
        names = {"documents": self.documents, "ids": self.ids, **{f"label {key}": v for key, v in self.labels.items()}}
        parts |= {name: Lines.of(values).digest().hex() for name, values in names.items() if values is not None}
        facts = [str(self.segments), *(f"{name}:{parts[name]}" for name in sorted(parts))]
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()

    @property
    def has_texts(self) -> bool:
        """Whether sources and references are here, not only their digests (Lines.withhold)."""
        streams = (*self.references.streams, *([] if self.sources is None else [self.sources]))
        return all(stream.withheld is None for stream in streams)

    @property
    def language_pair(self) -> str | None:
        """For example `de-en`, if both languages are known."""
        if self.source_language and self.target_language:
            return f"{self.source_language}-{self.target_language}"
        return None
