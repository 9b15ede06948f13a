"""Which words a noise touches at which rate: exactly so many, and those of a low rate among those of a higher one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tertium.analysis.noise.kinds import Material, Noise, parse_noise
from tertium.analysis.noise.words import Words, generator, ranks
from tertium.core.lines import Lines

if TYPE_CHECKING:
    from tertium.analysis.noise.words import Numbers


@dataclass(frozen=True, eq=False)
class Plan:
    """Which words go first under an aim, where one may stop, and what becomes of them."""

    words: Words
    texts: list[str | None]
    order: Numbers  # words that can be touched, by number
    stops: Numbers  # how many of them may be touched, rising from 0

    def touched(self, rate: float) -> Numbers:
        """The words of a rate: exactly that share of those that can be touched, or up to the last whole unit."""
        import numpy as np

        wanted = int(rate * len(self.order) + 0.5)
        return self.order[: self.stops[np.searchsorted(self.stops, wanted, side="right") - 1]]

    def noised(self, rate: float) -> Noised:
        """The lines that a rate touches."""
        import numpy as np

        words, numbers = self.words, self.touched(rate)
        texts = list(words.texts)
        for number in numbers.tolist():
            texts[number] = self.texts[number] or ""
        segments, counts = np.unique(words.segment[numbers], return_counts=True)
        starts = words.starts
        lines = [" ".join(filter(None, texts[starts[k] : starts[k + 1]])) for k in segments.tolist()]
        return Noised(segments, lines, counts)


class Noised(NamedTuple):
    """Lines with touched words in them: their numbers, what they say now, and how many of their words were touched."""

    segments: Numbers
    texts: list[str]
    counts: Numbers

    def outputs(self, lines: Lines) -> Lines:
        """All lines; those that were not touched are as they were, to the byte."""
        found = list(lines)
        for segment, text in zip(self.segments.tolist(), self.texts, strict=True):
            found[segment] = text
        return Lines.of(found)


def plan(noise: Noise | str, given: Material, aim: str = "random", seed: int = 0) -> Plan:
    """What a noise does to words under an aim. The words of an aim are the same for every noise and rate of a seed."""
    import numpy as np

    chosen, words = parse_noise(noise), given.words
    rewriting = chosen.rewrite(given, generator(seed, str(chosen)))
    rank = ranks(words, aim, seed, given.language)
    able = np.flatnonzero([text is not None for text in rewriting.texts])
    order = able[np.argsort(rank[able], kind="stable")]
    if rewriting.unit is not None:
        unit = rewriting.unit[order]
        _, first, inverse = np.unique(unit, return_index=True, return_inverse=True)
        order = order[np.lexsort((order, first[inverse]))]  # a unit comes when its first word does
        ends = np.flatnonzero(np.diff(rewriting.unit[order], append=-1)) + 1
        return Plan(words, rewriting.texts, order, np.concatenate([[0], ends]))
    if rewriting.tail is not None:
        first = np.full(len(words.lengths), len(words))
        np.minimum.at(first, words.segment, rank)
        order = np.lexsort((-words.place, first[words.segment], ~rewriting.tail))
    return Plan(words, rewriting.texts, order, np.arange(len(order) + 1))
