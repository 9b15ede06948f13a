"""Guards of learned scores, for commands that show scores; where no metric is learned, nothing is loaded for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tertium.core.evaluation import Evaluation
from tertium.core.metric import is_learned
from tertium.core.run import PLAIN, Run

if TYPE_CHECKING:
    from tertium.analysis.guards import SuspectOutputs


def guards_of(evaluation: Evaluation, run: Run = PLAIN) -> tuple[SuspectOutputs, ...]:
    """What is suspect, by system and learned metric."""
    if not any(map(is_learned, evaluation.metrics)):
        return ()
    from tertium.analysis.guards import guards

    return guards(evaluation, run=run)


def guard_sentences(evaluation: Evaluation, found: Sequence[SuspectOutputs]) -> list[str]:
    """The same, as notes."""
    if not found:
        return []
    from tertium.analysis.guards import guard_notes

    return guard_notes(evaluation, found)
