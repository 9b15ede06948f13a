"""Scores by people: a segment's is the mean of its judgements, a system's the mean of its segments. So every segment
counts the same, however often it was judged, which is how WMT averages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError
from tertium.core.wording import counted
from tertium.human.judgement_arrays import JudgementArrays
from tertium.human.standardise import Policy, policy_of, standardise

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tertium.core.stats import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanScores:
    """Mean judgements of every system and segment, NaN where nobody judged. # (systems, segments)"""

    systems: tuple[str, ...]
    raw: Array
    z: Array
    counts: NDArray[np.int64]  # judgements behind each raw score

    def means(self, table: Array) -> Array:
        """The systems' scores: means of `raw` or `z` over the segments that have one. # (systems,)"""
        import numpy as np

        known = ~np.isnan(table)
        n = known.sum(axis=1)
        return np.where(n > 0, np.where(known, table, 0.0).sum(axis=1) / np.maximum(n, 1), np.nan)


def human_scores(
    answers: JudgementArrays,
    policy: Policy | str = "z0",
    *,
    segments: int | None = None,
    groups: Sequence[str] | None = None,
) -> HumanScores:
    """Raw and standardised scores of all systems that were judged; of outputs at hand, standardised by everything that
    their raters judged."""
    import numpy as np

    chosen = policy_of(policy)
    standard = standardise(answers, chosen, groups)
    scored = standard.answers.among(chosen.scored) & standard.answers.here
    kept, z = standard.answers.take(scored), standard.z[scored]
    last = int(answers.segment.max(initial=-1))
    n = last + 1 if segments is None else segments
    if last >= n:
        raise InputError(
            f"segment {last + 1} was judged, but the test set has {counted(n, 'segment')}; is it another test set?"
        )
    cells = len(answers.systems) * n
    cell = kept.system * n + kept.segment
    known = ~np.isnan(z)
    counts = np.bincount(cell, minlength=cells)
    raw = _means(np.bincount(cell, kept.value, cells), counts)
    standardised = _means(np.bincount(cell[known], z[known], cells), np.bincount(cell[known], minlength=cells))
    shape = (len(answers.systems), n)
    return HumanScores(
        systems=answers.systems,
        raw=raw.reshape(shape),
        z=standardised.reshape(shape),
        counts=counts.reshape(shape),
    )


def _means(sums: NDArray[Any], counts: NDArray[np.int64]) -> Array:
    import numpy as np

    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
