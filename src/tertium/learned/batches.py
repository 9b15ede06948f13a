"""Inputs of about the same length are read together, a bounded number of ids at a time; results keep their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from tertium.core.errors import InputError
from tertium.core.run import Run
from tertium.core.wording import counted, duration

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

BUDGET = 4096  # ids that are read at a time, padding included
LONG = 10  # seconds from which on people are told how long it will take
NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")  # by device


def in_batches(
    lengths: Sequence[int], run: Run, stage: str, work: Callable[[list[int]], T]
) -> Iterator[tuple[list[int], T]]:
    """The numbers of inputs of these lengths that are read together, longest first, and what is made of them.

    A batch is at least one input, however long. One for which there is no memory is halved, as all after it are.
    Progress is told in ids, and after the first batch how long all will take.
    """
    if not lengths:
        return
    budget, total, done, first = run.batch or BUDGET, sum(lengths), 0, 0
    order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
    began = perf_counter()
    run.tell(stage, 0, total)
    while first < len(order):
        longest = max(1, lengths[order[first]])
        numbers = order[first : first + max(1, budget // longest)]
        try:
            with torch_threads(run):
                found = work(numbers)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if len(numbers) == 1:
                raise _no_memory(stage, longest, run) from None
            budget = longest * (len(numbers) // 2)
        else:
            yield numbers, found
            first, done = first + len(numbers), done + sum(lengths[k] for k in numbers)
            if first == len(numbers) < len(order):
                stage = _with_estimate(stage, (perf_counter() - began) / max(1, done) * total)
            run.tell(stage, done, total)


def _with_estimate(stage: str, seconds: float) -> str:
    return f"{stage}, about {duration(seconds)}" if seconds >= LONG else stage


def is_out_of_memory(error: Exception) -> bool:
    """Whether it is memory that was lacking; torch's own error of that name is a RuntimeError."""
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in NO_MEMORY)


def _no_memory(stage: str, length: int, run: Run) -> InputError:
    return InputError(
        f"{stage}: there is not enough memory on {run.device} for one input of {counted(length, 'token')} by itself; "
        f'choose a smaller model, precision="bfloat16", or another device'
    )


@contextmanager
def torch_threads(run: Run) -> Iterator[None]:
    """Let torch use as many threads as a run may have, and afterwards as many as before."""
    import torch

    before = torch.get_num_threads()
    wanted = run.threads or before
    if wanted != before:
        torch.set_num_threads(wanted)
    try:
        yield
    finally:
        if wanted != before:
            torch.set_num_threads(before)


def pad(rows: Sequence[Sequence[int]], padding: int, device: str) -> tuple[Tensor, Tensor]:
    """Ids side by side, and which of them are there. # (b, n), (b, n)"""
    import torch

    lengths = torch.tensor([len(row) for row in rows])
    longest = int(lengths.max())
    ids = torch.tensor([[*row, *[padding] * (longest - len(row))] for row in rows], device=device)
    return ids, (torch.arange(longest)[None, :] < lengths[:, None]).to(device)
