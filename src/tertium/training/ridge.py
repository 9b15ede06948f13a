"""How strongly the weights of `lexical` are held small: chosen from the judgements that it learns from, and no others.

Cross-validation: each part of the examples is left out in turn, and what the others teach is held against people's
scores of it by Kendall's tau-b. The ridge with the best mean is taken: what will be scored is like what was learned
from. Where it is not, as for the embedded weights, caution is the rule of one standard error (Breiman et al. 1984;
Hastie, Tibshirani and Friedman 2009, section 7.10): the strongest ridge of which the mean is no more than one standard
error below the best one's, that being the deviation of the best one's values over the parts, divided by the root of
their number.

A part is a group; of an only group, a fifth of its segments, drawn by what their references say, so that outputs of one
segment stay together and any order of rows gives the same parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from statistics import mean, stdev
from typing import TYPE_CHECKING

from tertium.core.errors import InputError, OptionError
from tertium.core.wording import counted

if TYPE_CHECKING:
    from tertium.io.examples import Examples

GRID = (0.01, 0.0316, 0.1, 0.316, 1.0, 3.16, 10.0, 31.6, 100.0)  # half decades
USUAL = 1.0  # where nothing can be left out
FOLDS = 5  # of an only group


@dataclass(frozen=True)
class Choice:
    """A ridge, and how it was chosen."""

    ridge: float
    agreement: Mapping[float, float]  # by ridge, the mean Kendall's tau-b on parts left out; none if it was given
    error: float = math.nan  # the standard error of the best mean
    parts: str = ""  # what was left out: "5 groups"
    cautious: bool = False

    @property
    def how(self) -> str:
        """The rule, in words."""
        return "the strongest within one standard error of the best" if self.cautious else "the best"

    def __str__(self) -> str:
        """As a model card says it."""
        return f"{self.ridge:g}" + (f": {self.how}, each of {self.parts} left out" if self.agreement else "")


Agreement = Callable[[Sequence["Examples"], "Examples"], Mapping[float, float]]


def given(ridge: float) -> Choice:
    """A ridge that somebody wants."""
    if not ridge > 0 or not math.isfinite(ridge):
        raise OptionError(f"ridge: {ridge:g}; must be a number above 0")
    return Choice(ridge, {})


def choose(groups: Sequence[Examples], agreement: Agreement, *, cautious: bool = False) -> Choice:
    """The ridge that the rule chooses; `agreement` says, for each of the grid, how far what was learned from some
    examples agrees with people on others."""
    found = []
    for rest, part in leave_out(groups):
        with suppress(InputError):  # the rest teaches nothing
            found.append(agreement(rest, part))
    found = [each for each in found if not any(math.isnan(value) for value in each.values())]
    if len(found) < 2:
        return Choice(USUAL, {})
    values = {ridge: [each[ridge] for each in found] for ridge in GRID}
    means = {ridge: mean(column) for ridge, column in values.items()}
    best = max(GRID, key=lambda ridge: means[ridge])
    error = stdev(values[best]) / math.sqrt(len(found))
    chosen = max(ridge for ridge in GRID if means[ridge] >= means[best] - error) if cautious else best
    return Choice(chosen, means, error, counted(len(found), "group" if len(groups) > 1 else "fold"), cautious)


def leave_out(groups: Sequence[Examples]) -> list[tuple[list[Examples], Examples]]:
    """Each part of the examples, after what is left without it."""
    if len(groups) > 1:
        return [([*groups[:k], *groups[k + 1 :]], group) for k, group in enumerate(groups)]
    import numpy as np

    [group] = groups
    folds = np.array([int(sha256((text or "").encode()).hexdigest(), 16) % FOLDS for text in group.references or ()])
    sides = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(FOLDS)]
    return [([group.take(rest)], group.take(part)) for rest, part in sides if len(rest) and len(part)]
