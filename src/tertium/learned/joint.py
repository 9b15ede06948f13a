"""COMET of joint inputs: UniTE and COMETKiwi (Wan et al. 2022; Rei et al. 2022), and XCOMET, which marks errors too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.learned.comet import BOTH, CometModel, Read

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
class JointScores:
    """Scores of outputs beside one reference, or beside none."""

    values: NDArray[np.float64]  # (n,)
    cut: NDArray[np.bool_]  # (n,)
    spans: list[tuple[ErrorSpan, ...]]  # of each output; none, where the model tags no words


def read_side(model: CometModel, texts: Sequence[str]) -> Read:
    """The ids of texts; those of <pad> are left out, as they would be padding."""
    read = model.read(texts)
    real = [[k for k, number in enumerate(row) if number != model.padding] for row in read.rows]
    rows = [[row[k] for k in kept] for row, kept in zip(read.rows, real, strict=True)]
    offsets = [[each[k] for k in kept if k < len(each)] for each, kept in zip(read.offsets, real, strict=True)]
    return Read(rows, offsets, read.cut)


def score_jointly(
    model: CometModel, inputs: str, output: Read, source: Read | None, reference: Read | None, run: Run
) -> JointScores:
    """Scores of outputs beside sources and references, which are read as one text: by (output, source),
    (output, reference) and (output, source, reference) where there are both."""
    import numpy as np

    beside = [side for side in (source, reference) if side is not None]
    ways = [*([side] for side in beside), *([beside] if inputs == BOTH else [])]
    tags_words = model.kind == "xcomet_metric"
    passes = [_pass(model, [output, *sides], run, tags_words) for sides in ways]
    cut = np.logical_or.reduce([output.cut, *(side.cut for side in beside), *(each.cut for each in passes)])
    if not tags_words:
        return JointScores(np.mean([each.scores for each in passes], axis=0), cut, [()] * len(cut))
    shares = TAG_SHARES if inputs == BOTH else (1.0,)
    tags = [_weighted(shares, each) for each in zip(*(each.tags for each in passes), strict=True)]
    spans = [_spans(model, *each) for each in zip(tags, output.rows, output.offsets, strict=True)]
    marked = np.array([1 - min(WORST, sum(POINTS[span.severity] for span in each)) / WORST for each in spans])
    *parts, last = SCORE_SHARES
    scores = _weighted(parts if inputs == BOTH else [sum(parts)], [np.minimum(each.scores, 1) for each in passes])
    return JointScores(scores + last * marked, cut, spans)


def _weighted(shares: Sequence[float], parts: Sequence[Any]) -> Any:
    return sum(share * part for share, part in zip(shares, parts, strict=True))


@dataclass(frozen=True)
class _Pass:
    scores: NDArray[np.float64]  # (n,)
    cut: NDArray[np.bool_]  # (n,)
    tags: list[NDArray[np.float32]]  # of each output, probabilities of labels: (m, 4)


def _pass(model: CometModel, sides: Sequence[Read], run: Run, tags_words: bool) -> _Pass:
    """One way of reading outputs with what is beside them."""
    import numpy as np
    import torch

    longest = model.longest + 2
    joined = [_join(model, rows) for rows in zip(*(side.rows for side in sides), strict=True)]
    rows = [row[:longest] for row in joined]
    scores, tags = np.zeros(len(rows)), [np.zeros((0, len(LABELS)), np.float32)] * len(rows)
    for numbers, encoded in model.encode(rows, run, "reading outputs"):
        scores[numbers] = model.estimate(encoded.mixed[:, 0]).cpu().double().numpy()
        if tags_words:
            if encoded.words is None:
                raise InputError(f"{model.weights.name}: its hyper-parameters name no layer of its own as word_layer")
            found = torch.softmax((model.weights / "hidden2tag").linear(encoded.words), 2).cpu().numpy()
            for k, each in zip(numbers, found, strict=True):
                tags[k] = each[: len(sides[0].rows[k])]
    return _Pass(scores, np.array([len(row) > longest for row in joined], dtype=bool), tags)


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
