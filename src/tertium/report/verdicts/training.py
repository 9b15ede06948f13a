"""What is said first of a training: how far the metric that was learnt agrees with people, and from where it began."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tertium.core.wording import counted, number
from tertium.report.opening import PageVerdict
from tertium.report.trust import Trust
from tertium.training.curve import Training

FEW = 100  # examples of the validation data, below which Kendall's tau says little


def training_verdict(training: Training) -> PageVerdict:
    """Whether training came nearer to people on the validation data; the epoch was chosen by them."""
    start, best = training.curve[0], training.curve[training.best]
    chosen = (
        f"Epoch {training.best} was chosen by these {counted(training.validation, 'example')}, so its Kendall is too "
        "high on average; what the metric is worth, other judgements have to say."
    )
    after = number(best.kendall, 3)
    if math.isnan(best.kendall):
        return PageVerdict("undefined", "The training gave no metric that tells outputs apart.",
                           "Kendall tau-b with people is undefined after every epoch.")  # fmt: skip
    if training.best == 0 or (not math.isnan(start.kendall) and best.kendall <= start.kendall):
        same = f"Training came no nearer to people: Kendall tau-b is {after}, no higher than at the start."
        return PageVerdict("no better", same, chosen)
    if math.isnan(start.kendall):  # from where it came nearer, nobody knows
        found = (
            f"After training, Kendall tau-b with people is {after} on the validation data; at the start it is undefined"
        )
        return PageVerdict("from nothing", f"{found}.", chosen)
    nearer = f"Kendall tau-b is {after} on the validation data, {number(start.kendall, 3)} at the start"
    return PageVerdict("nearer", f"Training came nearer to people: {nearer}.", chosen)


def training_trust(training: Training) -> Iterator[Trust]:
    """On how much it learnt and was judged."""
    yield Trust("learnt from ", counted(training.examples, "example"))
    yield Trust("judged by ", counted(training.validation, "example"), "",
                "bad" if training.validation < FEW else "plain")  # fmt: skip
    if training.stopped:
        yield Trust("stopped early: ", "no epoch was better", " any more")
    if training.cut:
        yield Trust("", counted(training.cut, "text"), " cut, because too long", "bad")
