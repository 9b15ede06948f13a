"""Inputs of about the same length are read together, a bounded number of ids at a time; results keep their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertium.core.run import Run

if TYPE_CHECKING:
    from torch import Tensor

BUDGET = 4096  # ids that are read at a time, padding included


def batches(inputs: Sequence[Sequence[int]], run: Run, stage: str) -> Iterator[list[int]]:
    """The numbers of inputs to read together, longest first; at least one, however long. Progress is told."""
    budget = run.batch or BUDGET
    order = sorted(range(len(inputs)), key=lambda k: -len(inputs[k]))
    first = 0
    run.tell(stage, 0, len(order))
    while first < len(order):
        step = max(1, budget // max(1, len(inputs[order[first]])))
        yield order[first : first + step]
        first = min(first + step, len(order))
        run.tell(stage, first, len(order))


def pad(rows: Sequence[Sequence[int]], padding: int, device: str) -> tuple[Tensor, Tensor]:
    """Ids side by side, and which of them are there. # (b, n), (b, n)"""
    import torch

    lengths = torch.tensor([len(row) for row in rows])
    longest = int(lengths.max())
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], device=device)
    return ids, (torch.arange(longest)[None, :] < lengths[:, None]).to(device)
