"""COMET of joint inputs: UniTE and COMETKiwi (Wan et al. 2022; Rei et al. 2022), and XCOMET, which marks errors too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.learned.batches import in_batches
from tertium.learned.comet import BOTH, XCOMET, CometModel, Read
from tertium.learned.memory import Memo, read_once
from tertium.learned.windows import Window

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LABELS = ("", "minor", "major", "critical")
POINTS = {"minor": 1, "major": 5, "critical": 10}  # as MQM takes off, 25 at most
WORST = 25
TAG_SHARES = (0.1667, 0.3333, 0.5)  # of the inputs with the source, with the reference, with both
SCORE_SHARES = (0.12, 0.33, 0.33, 0.22)  # of the same, and of the marked errors


@dataclass(frozen=True, kw_only=True)
class ErrorSpan:
    """Characters [start, end) of an output that XCOMET takes for an error, and how sure it is."""

    start: int
    end: int
    severity: str
    confidence: float
    text: str


@dataclass(frozen=True)
class JointScore:
    """What is said of an output beside one reference, or beside none."""

    value: float
    cut: bool
    spans: tuple[ErrorSpan, ...] = ()  # none, where the model tags no words

    def pack(self) -> bytes:
        """As bytes, from which it comes back as it is."""
        return json.dumps([self.value, self.cut, [list(vars(span).values()) for span in self.spans]]).encode()

    @staticmethod
    def unpack(data: bytes) -> JointScore:
        """What `pack` made bytes of."""
        value, cut, spans = json.loads(data)
        names = [each.name for each in fields(ErrorSpan)]
        return JointScore(value, cut, tuple(ErrorSpan(**dict(zip(names, span, strict=True))) for span in spans))


def read_side(model: CometModel, texts: Sequence[str]) -> Read:
    """The ids of texts; those of <pad> are left out, as they would be padding."""
    read = model.read(texts)
    real = [[k for k, number in enumerate(row) if number != model.padding] for row in read.rows]
    rows = [[row[k] for k in kept] for row, kept in zip(read.rows, real, strict=True)]
    offsets = [[each[k] for k in kept if k < len(each)] for each, kept in zip(read.offsets, real, strict=True)]
    return Read(rows, offsets, read.cut)


def read_beside(model: CometModel, texts: Sequence[str], memo: Memo) -> Read:
    """The ids of sources or references, which are the same for all systems."""
    import numpy as np

    def read(lacking: list[str]) -> list[tuple[list[int], bool]]:
        side = read_side(model, lacking)
        return list(zip(side.rows, side.cut.tolist(), strict=True))

    found = read_once(memo, texts, read)
    return Read([row for row, _ in found], [[] for _ in found], np.array([cut for _, cut in found], dtype=bool))


def score_jointly(
    model: CometModel, inputs: str, output: Read, source: Read | None, reference: Read | None, run: Run
) -> Iterator[tuple[list[int], list[JointScore]]]:
    """Scores of outputs beside sources and references, which are read as one text: by (output, source),
    (output, reference) and (output, source, reference) where there are both. Some at a time: their numbers, the
    scores."""
    ways = _ways(inputs, output, source, reference)
    joined = [[_join(model, rows) for rows in zip(*(side.rows for side in way), strict=True)] for way in ways]
    longest = model.longest + 2
    cut = _cut_off(ways, joined, longest)
    rows = [[row[:longest] for row in way] for way in joined]

    def work(numbers: list[int]) -> list[JointScore]:
        words = [len(output.rows[k]) for k in numbers]
        passes = [_pass(model, [way[k] for k in numbers], words) for way in rows]
        spans = _tagged(model, inputs, passes, [output.rows[k] for k in numbers], [output.offsets[k] for k in numbers])
        values = _values(model, inputs, passes, spans).tolist()
        return [JointScore(value, cut[k], own) for k, value, own in zip(numbers, values, spans, strict=True)]

    yield from in_batches([max(map(len, each)) for each in zip(*rows, strict=True)], run, "reading outputs", work)


def cut_jointly(
    model: CometModel, inputs: str, output: Read, source: Read | None, reference: Read | None
) -> list[bool]:
    """Which outputs cannot be read whole beside these texts."""
    ways = _ways(inputs, output, source, reference)
    joined = [[_join(model, rows) for rows in zip(*(side.rows for side in way), strict=True)] for way in ways]
    return _cut_off(ways, joined, model.longest + 2)


def _ways(inputs: str, output: Read, source: Read | None, reference: Read | None) -> list[list[Read]]:
    """What is read together, and in which order."""
    beside = [side for side in (source, reference) if side is not None]
    return [*([output, side] for side in beside), *([[output, *beside]] if inputs == BOTH else [])]


def _cut_off(ways: list[list[Read]], joined: list[list[list[int]]], longest: int) -> list[bool]:
    import numpy as np

    flags = [side.cut for way in ways for side in way]
    flags += [np.array([len(row) > longest for row in rows], dtype=bool) for rows in joined]
    return np.logical_or.reduce(flags).tolist()  # type: ignore[no-any-return]


def _tagged(
    model: CometModel,
    inputs: str,
    passes: Sequence[_Pass],
    ids: Sequence[Sequence[int]],
    offsets: Sequence[Sequence[tuple[int, int]]],
) -> list[tuple[ErrorSpan, ...]]:
    """The errors in each output, by the tags of all passes together."""
    if model.kind != XCOMET:
        return [()] * len(ids)
    shares = TAG_SHARES if inputs == BOTH else (1.0,)
    tags = [_weighted(shares, each) for each in zip(*(each.tags for each in passes), strict=True)]
    return [_spans(model, *each) for each in zip(tags, ids, offsets, strict=True)]


def _values(model: CometModel, inputs: str, passes: Sequence[_Pass], spans: Sequence[tuple[ErrorSpan, ...]]) -> Any:
    """The scores of all passes together, and for XCOMET of the marked errors. # (b,)"""
    import numpy as np

    if model.kind != XCOMET:
        return np.mean([each.scores for each in passes], axis=0)
    marked = np.array([1 - min(WORST, sum(POINTS[span.severity] for span in each)) / WORST for each in spans])
    *parts, last = SCORE_SHARES
    scores = _weighted(parts if inputs == BOTH else [sum(parts)], [np.minimum(each.scores, 1) for each in passes])
    return scores + last * marked


def _weighted(shares: Sequence[float], parts: Sequence[Any]) -> Any:
    return sum(share * part for share, part in zip(shares, parts, strict=True))


@dataclass(frozen=True)
class _Pass:
    scores: NDArray[np.float64]  # (b,)
    tags: list[NDArray[np.float32]]  # of each output, probabilities of labels: (m, 4)


def _pass(model: CometModel, rows: Sequence[Sequence[int]], words: Sequence[int]) -> _Pass:
    """One way of reading outputs, which have so many ids, with what is beside them."""
    import torch

    encoded = model.encode(rows, words)
    with torch.inference_mode():
        scores = model.estimate(encoded.mixed[:, 0]).cpu().double().numpy()
        if model.kind != XCOMET:
            return _Pass(scores, [])
        if encoded.words is None:
            raise InputError(f"{model.weights.name}: its hyper-parameters name no layer of its own as word_layer")
        found = torch.softmax((model.weights / "hidden2tag").linear(encoded.words), 2).cpu().numpy()
    return _Pass(scores, [each[:count] for each, count in zip(found, words, strict=True)])


def _join(model: CometModel, rows: Sequence[list[int]]) -> list[int]:
    """`<s> output </s> </s> source </s>`: the special ids of each are replaced by those between two texts."""
    tokenizer = model.tokenizer
    start, end = len(tokenizer.start), len(tokenizer.end)
    joined = list(rows[0][: len(rows[0]) - end])
    for row in rows[1:]:
        joined += [*tokenizer.between, *row[start : len(row) - end]]
    return [*joined, *tokenizer.end]


def _spans(
    model: CometModel, tags: NDArray[np.float32], ids: Sequence[int], offsets: Sequence[tuple[int, int]]
) -> tuple[ErrorSpan, ...]:
    """Neighbouring tokens that are not free of errors are one span, as severe as its first token says. A span that is
    still open when the output ends is none: so unbabel-comet has it."""
    labels, found, first = tags.argmax(1), [], None
    for k, label in enumerate(labels):
        if label and first is None:
            first = k
        elif not label and first is not None:
            found.append(
                ErrorSpan(
                    start=offsets[first][0],
                    end=offsets[k - 1][1],
                    severity=LABELS[labels[first]],
                    confidence=float(tags[first:k].max(1).mean()),
                    text=model.tokenizer.decode(ids[first:k]),
                )
            )
            first = None
    return tuple(found)


def spans_of_windows(windows: Sequence[Window], spans: Sequence[tuple[ErrorSpan, ...]]) -> tuple[ErrorSpan, ...]:
    """The errors in an output that was read in windows; one that is in two of them is taken from that whose middle is
    nearer to where it begins."""
    moved = [
        (window, replace(span, start=span.start + window.start, end=span.end + window.start))
        for window, own in zip(windows, spans, strict=True)
        for span in own
    ]
    *_, last = windows
    return tuple(
        span for window, span in moved if window.own[0] <= span.start < window.own[1] or span.start == last.own[1]
    )
