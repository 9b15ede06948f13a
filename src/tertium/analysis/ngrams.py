"""N-grams that a system says more often, or less often, than the references do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tertium import _kernel
from tertium.core.errors import InputError, OptionError
from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.system import find_system
from tertium.text.tokenizers import kernel_tokenize
from tertium.text.words import Reading

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

LONGEST = 9  # words of an n-gram: longer ones hardly ever come twice


@dataclass(frozen=True, kw_only=True)
class NgramCount:
    """An n-gram: how often references and outputs have it, and how often both do, segment by segment."""

    ngram: str
    order: int
    references: int
    outputs: int
    matches: int

    @property
    def excess(self) -> int:
        """How much more often outputs have it than references; negative if less often."""
        return self.outputs - self.references


def ngrams(
    evaluation: Evaluation,
    system: str,
    *,
    order: int = 4,
    tokenize: str = "13a",
    lowercase: bool = False,
    unicode: str = "none",
    normalise: tuple[str, ...] = (),
    top: int | None = None,
) -> list[NgramCount]:
    """N-grams of 1 to `order` words that outputs have more or less often than references.

    Shorter ones come first, and among them the most over-produced; `top` keeps so many over-produced and so many
    under-produced ones of each length. Equal ones come in the order in which they first occur. Of several references,
    the one that has an n-gram most often counts.
    """
    if not 1 <= order <= LONGEST:
        raise OptionError(f"order {order}: n-grams have 1 to {LONGEST} words")
    if top is not None and top < 1:
        raise OptionError(f"top {top}: at least one n-gram of each kind")
    reading = Reading(tokenize, lowercase, unicode, tuple(normalise))
    reading.check("ngrams")
    outputs, streams = _texts(evaluation, system)
    tokens = [tokenised(lines, reading) for lines in (outputs, *streams)]
    return [row for n in range(1, order + 1) for row in _counted(tokens, n, top)]


def reading_of(metric: Metric) -> Reading:
    """How a metric reads texts, as far as its options say; by default as most do."""
    return Reading(
        getattr(metric, "tokenize", "13a"),
        getattr(metric, "lowercase", False),
        getattr(metric, "unicode", "none"),
        getattr(metric, "normalise", ()),
    )


def tokenised(lines: Lines, reading: Reading) -> Lines:
    """Tokens with single spaces between them, and nothing between the lines."""
    return kernel_tokenize(reading.outputs(lines), reading.kernel_name)


class Spans(NamedTuple):
    """Pieces of tokenised lines: which segment they are of, and their texts."""

    segments: Numbers
    texts: Lines


def spans(lines: Lines, order: int = 1) -> Spans:
    """All runs of `order` words in tokenised lines: where a run starts and ends in the buffer is all there is to it."""
    import numpy as np

    some = lines.ends > lines.starts
    spaces = np.flatnonzero(np.frombuffer(lines.buffer, dtype=np.uint8) == ord(" "))
    starts = np.sort(np.concatenate([lines.starts[some], spaces + 1]))
    ends = np.sort(np.concatenate([lines.ends[some], spaces]))
    of_segment = np.flatnonzero(some)[np.searchsorted(lines.ends[some], starts, side="right")]
    last = len(starts) - order + 1
    if last <= 0:
        return Spans(np.zeros(0, dtype=np.int64), Lines.of([]))
    within = of_segment[:last] == of_segment[order - 1 :]
    return Spans(of_segment[:last][within], Lines(lines.buffer, starts[:last][within], ends[order - 1 :][within]))


class SegmentCounts(NamedTuple):
    """How often segments have texts: sorted keys, each `segment x different texts + text`, and counts."""

    keys: Numbers
    counts: Numbers

    @classmethod
    def of(cls, segments: Numbers, texts: Numbers, width: int) -> SegmentCounts:
        """Counted from a list of occurrences."""
        import numpy as np

        return cls(*np.unique(segments * width + texts, return_counts=True))

    @classmethod
    def most(cls, parts: Sequence[SegmentCounts]) -> SegmentCounts:
        """The largest count of every segment and text: what is wanted of outputs by several references."""
        import numpy as np

        keys, places = np.unique(np.concatenate([part.keys for part in parts]), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.maximum.at(counts, places, np.concatenate([part.counts for part in parts]))
        return cls(keys, counts)

    def shared(self, other: SegmentCounts) -> SegmentCounts:
        """What both have."""
        import numpy as np

        keys, mine, theirs = np.intersect1d(self.keys, other.keys, assume_unique=True, return_indices=True)
        return SegmentCounts(keys, np.minimum(self.counts[mine], other.counts[theirs]))

    def by_text(self, width: int) -> Numbers:
        """Over all segments. # (width,)"""
        import numpy as np

        return np.bincount(self.keys % max(1, width), self.counts, width).astype(np.int64)


def count_spans(parts: Sequence[Spans]) -> tuple[Lines, list[SegmentCounts]]:
    """The different texts of several lists of spans, and how often the segments of each list have them."""
    import numpy as np

    texts, numbers = _kernel.join_types([part.texts.view for part in parts])
    different = Lines(*texts)
    split = np.split(np.asarray(numbers), np.cumsum([len(part.texts) for part in parts])[:-1])
    return different, [
        SegmentCounts.of(part.segments, places, len(different)) for part, places in zip(parts, split, strict=True)
    ]


def _counted(tokens: Sequence[Lines], order: int, top: int | None) -> list[NgramCount]:
    """The n-grams of one length that are not said equally often; outputs come first, then streams of references.

    They are chosen as numbers and only then made into rows: of a large corpus there are millions.
    """
    import numpy as np

    texts, (outputs, *streams) = count_spans([spans(lines, order) for lines in tokens])
    references = SegmentCounts.most(streams)
    in_references, in_outputs = references.by_text(len(texts)), outputs.by_text(len(texts))
    matches = outputs.shared(references).by_text(len(texts))
    over = np.flatnonzero(in_outputs > in_references)
    under = np.flatnonzero(in_outputs < in_references)
    over = over[np.lexsort((over, -in_outputs[over], (in_references - in_outputs)[over]))][:top]
    under = under[np.lexsort((under, -in_references[under], (in_outputs - in_references)[under]))][:top]
    chosen = [*over.tolist(), *reversed(under.tolist())]
    return [
        NgramCount(
            ngram=str(texts[k]),
            order=order,
            references=int(in_references[k]),
            outputs=int(in_outputs[k]),
            matches=int(matches[k]),
        )
        for k in chosen
    ]


def _texts(evaluation: Evaluation, system: str) -> tuple[Lines, tuple[Lines, ...]]:
    """Outputs and references, missing where either side is."""
    import numpy as np

    testset, outputs = evaluation.testset, find_system(evaluation.systems, system).outputs
    if not testset.has_texts or outputs.withheld is not None:
        raise InputError(f"n-grams of {system}: the evaluation was saved without its texts; save it with them")
    streams = testset.references.streams
    if not streams:
        raise InputError(f"n-grams need references, and test set {testset.name} has none (--ref FILE)")
    scored = outputs.present & (testset.references.counts > 0)
    if scored.all():
        return outputs, streams
    kept = [
        Lines(lines.buffer, lines.starts, lines.ends, np.logical_not(lines.present & scored))
        for lines in (outputs, *streams)
    ]
    return kept[0], tuple(kept[1:])
