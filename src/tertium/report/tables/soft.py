"""How a soft prompt was trained, as a table."""

from __future__ import annotations

from tertium.core.table import Table, numbers
from tertium.prompt.soft import SoftTraining


def loss_table(found: SoftTraining, *, whole: bool = True) -> Table:
    """Losses of every epoch, or of the first, the best and the last."""
    first, best, last = found.curve[0], found.curve[found.best], found.curve[-1]
    shown = found.curve if whole else sorted({first, best, last})
    columns = [*numbers("epoch", decimals=0), *numbers("train", "dev", decimals=4)]
    return Table(
        columns=columns, rows=[list(epoch) for epoch in shown], note="loss in nats a token; 0: before training"
    )
