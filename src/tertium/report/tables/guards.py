"""Guards of learned scores, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tertium.analysis.guards import KINDS, SuspectOutputs
from tertium.core.evaluation import Evaluation
from tertium.core.table import Cell, Rows, Table, numbers, texts
from tertium.core.wording import counted, number

NOTE = (
    "Outputs that a program suspects to be no translation, and what the model gives them beside all others; an output "
    "of several kinds counts once as suspect. Read such segments by hand: no score was altered."
)


def guard_table(evaluation: Evaluation, found: Sequence[SuspectOutputs], titles: Mapping[str, str]) -> Table:
    """A row for each system and learned metric, a column for each kind that was found."""
    kinds = [kind for kind in KINDS if any(kind in guard.kinds for guard in found)]
    cut = any(guard.cut for guard in found)
    rows: Rows = [
        [
            guard.system,
            titles[guard.metric].removesuffix(" ↓"),
            Cell(str(guard.suspect), guard.suspect, title=f"of {counted(guard.outputs, 'output')}"),
            *(guard.kinds.get(kind, 0) for kind in kinds),
            *([guard.cut] if cut else []),
            *(
                _score(evaluation, guard.metric, value)
                for value in (guard.lowest, guard.highest, guard.mean, guard.others)
            ),
        ]
        for guard in found
    ]
    columns = [*texts("system", "metric"), *numbers("suspect", *(KINDS[kind] for kind in kinds))]
    columns += numbers(*(["cut off"] if cut else []), "lowest score", "highest", "mean", "mean of the others")
    return Table(title="Guards of learned scores", columns=columns, rows=rows, note=NOTE)


def _score(evaluation: Evaluation, metric: str, value: float) -> Cell | None:
    return None if value != value else Cell(number(value, evaluation.metric(metric).decimals), value)
