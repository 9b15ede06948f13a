"""Words that the kernel aligns, as the marks of a metric: what WER, TER and LEPOR share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.marks import EXACT, Link, Marks

BLOCK = 4096  # segments whose words are in memory at a time
SUBSTITUTION = "substitution"


def word_marks(
    outputs: Lines,
    references: Lines,
    numbers: Sequence[int],
    link: Callable[[_kernel.View, _kernel.View], list[_kernel.Linked | None]],
) -> Iterator[Marks]:
    """Of every output the links of its words with those of a reference, whose number among the segment's own is given:
    exact where the words are the same, else substitutions."""
    for first in range(0, len(outputs), BLOCK):
        here = slice(first, first + BLOCK)
        for number, segment in zip(numbers[here], link(outputs[here].view, references[here].view), strict=True):
            if segment is None:
                yield Marks()
                continue
            said, wanted, found = segment
            links = [Link(EXACT if same else SUBSTITUTION, (i, end), (j, to)) for same, i, end, j, to in found]
            yield Marks(links=tuple(links), reference=number, read={"output": said, "reference": wanted})
