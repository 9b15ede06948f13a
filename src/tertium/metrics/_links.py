"""What the kernel aligns and matches, as the marks of a metric: words of WER, TER and LEPOR, n-grams of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, repeat

from tertium import _kernel
from tertium.core.lines import Lines
from tertium.core.marks import EXACT, Link, Marks, MatchedPart
from tertium.text.tokenizers import kernel_tokenize

BLOCK = 4096  # segments whose words are in memory at a time
SUBSTITUTION = "substitution"
KINDS = (SUBSTITUTION, EXACT, "shifted")  # by the kernel's numbers
CLIPPED = "clipped"


def word_marks(
    outputs: Lines,
    references: Lines,
    numbers: Sequence[int],
    link: Callable[[_kernel.View, _kernel.View], list[_kernel.Linked | None]],
) -> Iterator[Marks]:
    """Of every output the links of its words with those of a reference, whose number among the segment's own is given:
    exact where the words are the same, shifted where TER moved them as well, else substitutions."""
    for first in range(0, len(outputs), BLOCK):
        here = slice(first, first + BLOCK)
        for number, segment in zip(numbers[here], link(outputs[here].view, references[here].view), strict=True):
            if segment is None:
                yield Marks()
                continue
            said, wanted, found = segment
            links = [Link(KINDS[kind], (i, end), (j, to)) for kind, i, end, j, to in found]
            yield Marks(links=tuple(links), reference=number, read={"output": said, "reference": wanted})


def hit_marks(
    matched: Iterable[_kernel.Matched | None], kinds: Sequence[str], numbers: Iterable[int | None]
) -> Iterator[Marks]:
    """Of every output what is matched, by the length of n-grams under the names of kinds; and what is clipped."""
    for segment, number in zip(matched, numbers, strict=False):
        if segment is None:
            yield Marks()
            continue
        text, runs = segment
        hits = [
            MatchedPart(kinds[n - 1], start, end)
            if n
            else MatchedPart(CLIPPED, start, end, f"{said} here, {most} in a reference")
            for n, start, end, said, most in runs
        ]
        yield Marks(hits=tuple(hits), reference=number, read={"output": text})


def ngram_marks(
    outputs: Lines,
    streams: Sequence[Lines],
    names: tuple[str, str],
    order: int,
    numbers: Sequence[int] | None = None,
) -> Iterator[Marks]:
    """Words of the longest matched n-gram of `order` words or fewer, clipped as BLEU clips; in all references together,
    or in one, whose number among the segment's own is given."""
    kinds = ["matched"] if order == 1 else [f"{n}-gram" for n in range(1, order + 1)]
    for first in range(0, len(outputs), BLOCK):
        here = slice(first, first + BLOCK)
        views = [stream[here].view for stream in streams]
        known = repeat(None) if numbers is None else numbers[here]
        yield from hit_marks(_kernel.mark_ngrams(outputs[here].view, views, *names, order), kinds, known)


def character_marks(
    outputs: Lines, references: Lines, order: int, flags: tuple[bool, bool], numbers: Sequence[int]
) -> Iterator[Marks]:
    """Characters of the longest matched n-gram of `order` characters or fewer, of two at least unless only single ones
    count; `flags`: lower case, white space counts."""
    ends = [f"{n}" if n == order else f"{n}-{n + 1}" for n in range(2, order + 1)]
    kinds = ["character", *(f"{end} characters" for end in ends)]
    for first in range(0, len(outputs), BLOCK):
        here = slice(first, first + BLOCK)
        found = _kernel.mark_characters(outputs[here].view, references[here].view, order, *flags)
        yield from hit_marks(found, kinds, numbers[here])


def character_edit_marks(outputs: Lines, references: Lines, name: str, numbers: Sequence[int]) -> Iterator[Marks]:
    """Characters kept and substituted in the alignment that is counted."""
    sides = [kernel_tokenize(lines, name) for lines in (outputs, references)]  # characters with spaces between them
    for said, wanted, number, *given in zip(*sides, numbers, outputs, references, strict=True):
        if said is None or wanted is None or None in given:
            yield Marks()
            continue
        links, i, j = [], 0, 0
        for kind, same in groupby(_kernel.edit_operations(given[0].encode(), given[1].encode(), name)):
            length = len(list(same))
            if kind in "=S":
                links.append(Link(EXACT if kind == "=" else SUBSTITUTION, (i, i + length), (j, j + length)))
            i, j = i + length * (kind != "D"), j + length * (kind != "I")
        read = {"output": said[::2], "reference": wanted[::2]}
        yield Marks(links=tuple(links), reference=number, read=read)
