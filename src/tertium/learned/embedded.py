"""COMET of sentence embeddings: output, source and reference are read alone, so sources and references only once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.run import Run
from tertium.learned.batches import in_batches, pad
from tertium.learned.comet import CometModel
from tertium.learned.memory import Keys, Memo, work_out

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    Vectors = NDArray[np.float32]


def embed(
    model: CometModel, texts: Sequence[str | None], run: Run, keys: Keys, memo: Memo, what: str = "outputs"
) -> tuple[Vectors, NDArray[np.bool_]]:
    """A vector for each text, and whether it was cut; NaN where there is no text. # (n, d), (n,)"""
    import numpy as np

    vectors = np.full((len(texts), model.encoder.width), np.nan, dtype=np.float32)
    cut = np.zeros(len(texts), dtype=bool)
    there = [k for k, text in enumerate(texts) if text is not None]
    known = [text for text in texts if text is not None]

    def compute(numbers: list[int]) -> Iterator[tuple[list[int], list[bytes]]]:
        read = model.read([known[k] for k in numbers])

        def work(batch: list[int]) -> Vectors:
            encoded = model.encode([read.rows[k] for k in batch])
            return np.asarray(encoded.pooled(way, model.padding).cpu().numpy(), dtype="<f4")

        for batch, pooled in in_batches([len(row) for row in read.rows], run, f"encoding {what}", work):
            found = [vector.tobytes() + bytes([bool(read.cut[k])]) for k, vector in zip(batch, pooled, strict=True)]
            yield [numbers[k] for k in batch], found

    way = model.settings.get("pool", "avg")
    for k, value in zip(there, work_out(run, memo, [keys.of(text) for text in known], compute), strict=True):
        vectors[k], cut[k] = np.frombuffer(value[:-1], dtype="<f4"), value[-1]
    return vectors, cut


def score_vectors(
    model: CometModel, output: Vectors, source: Vectors, reference: Vectors | None = None
) -> NDArray[np.float64]:
    """Scores from embeddings; NaN where one is missing. # (n, d) each -> (n,)"""
    import numpy as np
    import torch

    sides = [torch.from_numpy(side).to(model.device) for side in (output, source, reference) if side is not None]
    with torch.inference_mode():
        found = score_sides(model, *sides)
    return np.asarray(found.cpu().double().numpy(), dtype=np.float64)


def vectors_of(model: CometModel, rows: Sequence[Sequence[int]]) -> Tensor:
    """A vector for each row of ids, read together; gradients flow where they are wanted. # (b, d)"""
    ids, mask = pad(rows, model.padding, model.device)
    return model.mixed(ids, mask).pooled(model.settings.get("pool", "avg"), model.padding)


def score_sides(model: CometModel, *sides: Tensor) -> Tensor:
    """Scores of embeddings of output, source and, where it is read, reference. # (n, d) each -> (n,)"""
    return SCORES[model.kind](model, *sides)


def _regression(model: CometModel, h: Tensor, s: Tensor, r: Tensor) -> Tensor:
    """Rei et al. (2020), section 2.4, without the source by itself."""
    import torch

    return model.estimate(torch.cat([h, r, h * r, (h - r).abs(), h * s, (h - s).abs()], 1))


def _referenceless(model: CometModel, h: Tensor, s: Tensor) -> Tensor:
    import torch

    return model.estimate(torch.cat([h, s, h * s, (h - s).abs()], 1))


def _ranking(_: CometModel, h: Tensor, s: Tensor, r: Tensor) -> Tensor:
    """1 / (1 + the harmonic mean of the distances to source and reference), Rei et al. (2020), section 2.5."""
    from torch.nn.functional import pairwise_distance

    a, b = pairwise_distance(h, s), pairwise_distance(h, r)
    return 1 / (1 + 2 * a * b / (a + b))


SCORES: dict[str, Callable[..., Tensor]] = {
    "regression_metric": _regression,
    "referenceless_regression_metric": _referenceless,
    "ranking_metric": _ranking,
}
