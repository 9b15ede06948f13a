"""Which judgements are of outputs that are here; what is left out is counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.evaluation import Evaluation
from tertium.core.judged_names import left_out
from tertium.core.judgement import Judgement
from tertium.core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LISTED = 12  # names; of more, some are counted


@dataclass(frozen=True, eq=False, kw_only=True)
class AtHand:
    """The systems that are here and the outputs that they have; no system at all where there are only judgements."""

    systems: frozenset[str]
    outputs: Mapping[str, NDArray[np.bool_]]  # of systems that lack some
    absent: Mapping[str, int]  # judged systems that are not here, with how often they were judged
    missing: int  # judgements of outputs that are missing

    def has(self, judgement: Judgement) -> bool:
        """Whether what was judged is here."""
        if not self.systems:
            return True
        present = self.outputs.get(judgement.system)
        return judgement.system in self.systems and (
            present is None or judgement.segment >= len(present) or bool(present[judgement.segment])
        )

    def notes(self) -> Iterator[str]:
        """What was left out, in sentences."""
        if self.absent:
            names, judged = list(self.absent), sum(self.absent.values())
            rest = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
            yield (
                f"people also judged {', '.join(names[:LISTED])}{rest} ({counted(judged, 'judgement')}), which are not "
                f"among the systems here; left out"
            )
        if self.missing:
            yield f"{counted(self.missing, 'judgement')} of outputs that are missing here; left out"


def at_hand(evaluation: Evaluation) -> AtHand:
    """What is here of what people judged. A system that was not judged, beside names that no system has, is an error:
    it may be called otherwise in the judgements."""
    systems = [system.name for system in evaluation.systems]
    judged = Counter(judgement.system for judgement in evaluation.judgements)
    strange = left_out(judged, systems) if systems else []
    lacking = {
        system.name: system.outputs.present
        for system in evaluation.systems
        if system.outputs.withheld is None and not system.outputs.complete
    }
    missing = sum(
        judgement.segment < len(lacking[judgement.system]) and not lacking[judgement.system][judgement.segment]
        for judgement in evaluation.judgements
        if judgement.system in lacking
    )
    absent = {name: judged[name] for name in strange}
    return AtHand(systems=frozenset(systems), outputs=lacking, absent=absent, missing=missing)
