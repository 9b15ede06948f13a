"""The curve of a training, as a table and as sentences."""

from __future__ import annotations

import math

from tertium.core.table import Column, Table, numbers, texts
from tertium.core.wording import counted, number
from tertium.training.curve import Training

DECIMALS = 4


def training_table(training: Training) -> Table:
    """What the network was worth after each epoch."""
    columns = [
        *texts("epoch", "stage"),
        *numbers("steps"),
        *numbers("loss", decimals=DECIMALS),
        Column("Kendall", decimals=DECIMALS, better="higher"),
        Column("Pearson", decimals=DECIMALS, better="higher"),
    ]
    return Table(
        title="After each epoch, on the validation data",
        columns=columns,
        rows=[
            [str(point.number), point.stage, point.steps, point.loss, point.kendall, point.pearson]
            for point in training.curve
        ],
        note="Loss: mean squared error on the training data, in standard deviations of their scores. Kendall: tau-b.",
    )


def training_sentences(training: Training) -> list[str]:
    """What was learnt from, which epoch was kept and how far it is from where it began; the model's folder."""
    learnt = f"Recipe {training.recipe}: {counted(training.examples, 'example')}"
    if training.pairs:
        learnt += f", before them {counted(training.pairs, 'damaged reference')}"
    start, best = training.curve[0], training.curve[training.best]
    found = [
        f"{learnt}; judged by {counted(training.validation, 'example')}; seed {training.settings.seed}.",
        f"Best epoch {training.best}: Kendall {number(best.kendall, DECIMALS)}, at the start "
        f"{_or_undefined(start.kendall)}{'; stopped, because it got no better' if training.stopped else ''}.",
    ]
    if training.cut:
        found.append(f"Too long, and cut: {counted(training.cut, 'text')} of the training data.")
    return found


def _or_undefined(value: float) -> str:
    return "undefined" if math.isnan(value) else number(value, DECIMALS)


def settings_sentence(training: Training) -> str:
    """All settings, by their names."""
    said = {name: value for name, value in training.settings.told().items() if name != "seed"}
    shown = {name: (",".join(map(str, value)) or "usual") if isinstance(value, list) else value
             for name, value in said.items()}  # fmt: skip
    return f"Settings: {', '.join(f'{name} {value}' for name, value in shown.items())}."
