"""Steps that do not fit into memory are made in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tertium.core.errors import InputError
from tertium.learned.batches import is_out_of_memory


def in_parts(numbers: Sequence[int], work: Callable[[Sequence[int]], float], start: Callable[[], None]) -> float:
    """The sum over examples of what `work` gives for some of them: for all at once, or for halves, quarters, ... where
    there is no memory. `start` comes before each attempt, since one that failed may have left something behind."""
    parts = 1
    while True:
        start()
        step = -(-len(numbers) // parts)
        try:
            return sum(work(numbers[first : first + step]) for first in range(0, len(numbers), step))
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if step == 1:
                raise InputError(
                    "out of memory: not even one example can be learnt from at a time; shorten the texts, take a "
                    "smaller encoder, or keep it frozen (frozen_epochs)"
                ) from None
        parts *= 2
