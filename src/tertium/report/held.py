"""Which segments a page holds: all of them or, where there are very many, those that stand out and a sample.

A page that held all would grow with the test set, and so would what it takes to make and to open it; so it has so many
segments at most, and so many letters for them (`letters.py`). What is counted
and drawn is of all segments whichever are held (`whole.py`), and the others stand in a file beside the page
(`side_file.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from tertium.report.letters import letters_of_segments, surely_fit
from tertium.report.words import listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array
    from tertium.report.results import Results

    Numbers = NDArray[np.int64]

WHOLE = 20_000  # segments, and
OUTPUTS = 60_000  # outputs, up to which a page holds all
CHOSEN = 2_000  # segments that it holds otherwise, at most: half because they stand out, half at random
PAIRS = 45  # of systems, each with its largest differences; where there are more, those of the best system


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldSegments:
    """The segments that a page holds."""

    total: int  # segments of the test set
    outstanding: Numbers | None = None  # those that stand out, and
    sample: Numbers | None = None  # those drawn at random among the others; None where all are held
    reasons: tuple[str, ...] = ()  # by which they stand out
    seed: int = 0

    @property
    def whole(self) -> bool:
        """Whether all are held."""
        return self.outstanding is None

    @cached_property
    def numbers(self) -> Numbers:
        """Their numbers, from 0, in order."""
        import numpy as np

        if self.outstanding is None or self.sample is None:
            return np.arange(self.total)
        return np.sort(np.concatenate([self.outstanding, self.sample]))

    def __len__(self) -> int:
        return len(self.numbers)

    def sentence(self) -> str:
        """What a reader has to know of them; nothing where all are held."""
        if self.outstanding is None or self.sample is None:
            return ""
        return (
            f"This page holds {len(self):,} of {self.total:,} segments: {len(self.outstanding):,} that stand out "
            f"({listed(self.reasons)}) and {len(self.sample):,} of the others, drawn at random (seed {self.seed}). "
            "Counts and figures are of all segments, unless they say otherwise."
        )


def choose_segments(results: Results) -> HeldSegments:
    """Those of a page: all, or the choice of it."""
    import numpy as np

    total, systems = len(results.evaluation.testset), len(results.systems)
    bounded = total > WHOLE or total * systems > OUTPUTS
    if not bounded and surely_fit(results):
        return HeldSegments(total=total)
    needed = letters_of_segments(results)
    if not bounded and needed.sum() <= results.letters:
        return HeldSegments(total=total)
    room = max(2, min(CHOSEN, OUTPUTS // systems, total - 1))
    lists: dict[str, list[Numbers]] = {}
    for reason, keys in _keys(results):
        lists.setdefault(reason, []).append(_top(keys, room // 2))
    ranked = [found for several in lists.values() for found in several]
    wanted = sorted(number for number in results.wanted if number < total)
    ordered = np.array(list(dict.fromkeys([*wanted, *_in_turn(ranked)])), dtype=np.int64)[: max(room // 2, len(wanted))]
    fitting = _fitting(needed[ordered], results.letters / 2)
    fitting[: len(wanted)] = True  # what is linked is there, whatever it takes
    outstanding = ordered[fitting]
    others = np.setdiff1d(np.arange(total), outstanding)
    drawn = np.random.default_rng(results.seed).choice(others, min(len(others), room - room // 2), replace=False)
    sample = drawn[_fitting(needed[drawn], results.letters - needed[outstanding].sum())]
    reasons = tuple(reason for reason, several in lists.items() if any(map(len, several)))
    return HeldSegments(
        total=total, outstanding=outstanding, sample=np.sort(sample), reasons=reasons, seed=results.seed
    )


def _fitting(needed: Array, letters: float) -> NDArray[np.bool_]:
    """Which of these segments, one after the other, fit into so many letters; one that does not fit is passed over."""
    import numpy as np

    found, left = np.zeros(len(needed), dtype=bool), letters
    for place, size in enumerate(needed.tolist()):
        if size <= left:
            found[place], left = True, left - size
    return found


def _keys(results: Results) -> Iterator[tuple[str, Array]]:
    """Why segments stand out, and how much every segment does; 0 or NaN where it does not. # each (n,)"""
    import numpy as np

    pairs, numbers = list(combinations(results.systems, 2)), results.numbers
    if len(pairs) > PAIRS:
        pairs = [pair for pair in pairs if results.systems[0] in pair]
    for metric in results.metrics:
        for a, b in pairs:
            one, other = (numbers.scores[name, str(metric)] for name in (a, b))
            yield "the largest differences of two systems", one - other
            yield "the largest differences of two systems", other - one
    for hits in numbers.hits.values():
        yield "errors that detectors found", hits
    for (a, b), metrics in ((pair, two) for pair in pairs[:1] for two in combinations(results.metrics, 2)):
        yield "disagreements of two metrics", numbers.disagreement(*metrics, a, b)
    for metric in results.metrics:
        sign = 1.0 if metric.better == "higher" else -1.0
        for name in results.systems:
            values = sign * numbers.scores[name, str(metric)]
            yield "the lowest scores", np.nanmax(values, initial=-np.inf) - values  # never above 0 where there is none


def _top(keys: Array, limit: int) -> Numbers:
    """The segments with the largest keys above 0, the largest first; where keys are equal, in their order."""
    import numpy as np

    found = np.flatnonzero(keys > 0)
    if len(found) > limit:
        found = found[keys[found] >= np.partition(keys[found], -limit)[-limit]]
    return found[np.argsort(-keys[found], kind="stable")][:limit]


def _in_turn(lists: Sequence[Numbers]) -> Iterable[int]:
    """The first of every list, then the second of every list, and so on."""
    for place in range(max(map(len, lists), default=0)):
        for found in lists:
            if place < len(found):
                yield int(found[place])
