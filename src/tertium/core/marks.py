"""Marks: the evidence of a metric in one segment, for pages to draw: spans, what is matched, what stands for what.

Places are characters (code points), from `start` up to but without `end`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from tertium.core.judgement import Span

EXACT = "exact"  # the kind of a link between what is the same on both sides; drawn without emphasis


class Link(NamedTuple):
    """A stretch of the output stands for a stretch of the reference; `kind` says why: exact, stem, substitution."""

    kind: str
    output: tuple[int, int]
    reference: tuple[int, int]


class MatchedPart(NamedTuple):
    """A stretch of the output that a reference has; `kind` says as what: 2-gram. One of the kind clipped is there too
    often to count; `note` says how often."""

    kind: str
    start: int
    end: int
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """What a metric shows in a segment. Without anything it has nothing to show: no output, or nothing found.

    `spans` are what raters mark too: a category, or a severity, or both, at a place of the output, the source or the
    reference. `hits` are what is matched, in order, without overlaps; shown under the metric's own name only.
    `rejected` are links in whose place others were chosen: the alignment that was rejected has these, and otherwise the
    same.
    `reference` is the number, from 0, of the segment's reference that links, hits and spans are about; None where the
    output is not aligned with one. `read` has the text of a side (output, source, reference) where places are those
    of the text as the metric reads it, not of the one that it was given.

    `dataclasses.asdict` gives it as JSON knows it.
    """

    spans: tuple[Span, ...] = ()
    links: tuple[Link, ...] = ()
    hits: tuple[MatchedPart, ...] = ()
    rejected: tuple[Link, ...] = ()
    reference: int | None = None
    read: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_words(
        cls,
        output: Sequence[str],
        reference: Sequence[str],
        links: Iterable[tuple[str, tuple[int, int], tuple[int, int]]],
        number: int = 0,
        rejected: Iterable[tuple[str, tuple[int, int], tuple[int, int]]] = (),
    ) -> Marks:
        """Links between words, in the order of the reference; both texts are these words, with spaces between them.

        Neighbours that are the same on both sides become one link.
        """
        runs: list[list[int]] = []
        kinds: list[str] = []
        for kind, (start, end), (at, until) in links:
            if kinds and kind == kinds[-1] == EXACT and runs[-1][1] == start and runs[-1][3] == at:
                runs[-1][1], runs[-1][3] = end, until
            else:
                kinds.append(kind)
                runs.append([start, end, at, until])
        said, wanted = (list(accumulate(map(len, words), initial=0)) for words in (output, reference))  # without spaces

        def link(kind: str, i: int, end: int, j: int, until: int) -> Link:
            return Link(kind, (said[i] + i, said[end] + end - 1), (wanted[j] + j, wanted[until] + until - 1))

        return cls(
            links=tuple(link(kind, *run) for kind, run in zip(kinds, runs, strict=True)),
            rejected=tuple(link(kind, *own, *other) for kind, own, other in rejected),
            reference=number,
            read={"output": " ".join(output), "reference": " ".join(reference)},
        )
