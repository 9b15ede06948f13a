"""Ridge regression (Hoerl and Kennard 1970) in closed form, within groups of examples.

Scores and features are centred within each group (a language pair, a file): what is learned is why one output is better
than another of the same pair, not which pair is easier. An example counts (1 - e)^2, where e is the share of errors
among the steps of its character alignment: outputs of which hardly anything stands tell little about those that are
nearly right, and these are what is compared today. All sums are exactly rounded (`math.fsum`), so that the same
judgements give the same bits in any order, on any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tertium.core.errors import InputError
from tertium.io.lexical import Feature, rounded

if TYPE_CHECKING:
    from tertium.core.stats import Array


@dataclass(frozen=True)
class Moments:
    """What the weights of any ridge are solved from: of the features that vary, centred and standardised."""

    means: Mapping[str, float]  # before they are centred
    deviations: Mapping[str, float]
    matrix: Sequence[Sequence[float]]  # features with features
    right: Sequence[float]  # features with scores
    bias: float  # the mean score


def moments(groups: Sequence[Mapping[str, Array]], scores: Sequence[Array]) -> Moments:
    """Sums over all examples, which are the same for every ridge."""
    import numpy as np

    names = list(groups[0])
    columns = {name: np.concatenate([group[name] for group in groups]) for name in names}
    importance = np.concatenate([(1 - group["char_errors"]) ** 2 for group in groups])
    total = math.fsum(importance.tolist())
    if total == 0:
        raise InputError("no output has a character in common with its reference; are outputs and references aligned?")
    if all(len(set(column.tolist())) < 2 for column in scores):
        raise InputError("all scores of a group are equal; there is nothing to learn")
    within = {name: _within([group[name] for group in groups], groups) for name in names}
    target = _within(scores, groups)
    deviations = {name: math.sqrt(_dot(importance, within[name], within[name]) / total) for name in names}
    varying = [name for name in names if deviations[name] > 1e-9]
    standard = {name: within[name] / deviations[name] for name in varying}
    matrix = [[0.0] * len(varying) for _ in varying]
    for i, one in enumerate(varying):
        for j, other in enumerate(varying[: i + 1]):
            matrix[i][j] = matrix[j][i] = _dot(importance, standard[one], standard[other]) / total
    return Moments(
        means={name: mean_of(columns[name]) for name in varying},
        deviations={name: deviations[name] for name in varying},
        matrix=matrix,
        right=[_dot(importance, standard[name], target) / total for name in varying],
        bias=mean_of(np.concatenate(list(scores))),
    )


def fit(found: Moments, ridge: float) -> dict[str, Feature]:
    """The features that vary, with their weights."""
    matrix = [list(row) for row in found.matrix]
    for i in range(len(matrix)):
        matrix[i][i] += ridge
    shrunk = solve(matrix, found.right)
    stretch = calibration(matrix, found.right, shrunk, ridge)
    return {
        name: Feature(rounded(found.means[name]), rounded(found.deviations[name]), rounded(stretch * weight))
        for name, weight in zip(found.means, shrunk, strict=True)
    }


def calibration(
    matrix: Sequence[Sequence[float]], right: Sequence[float], weights: Sequence[float], ridge: float
) -> float:
    """The factor by which predictions fit the scores best; ridge regression makes them too small.

    w'b / w'Cw, where C is the matrix without the ridge.
    """
    cells = [one * other * matrix[i][j] for i, one in enumerate(weights) for j, other in enumerate(weights)]
    below = math.fsum([*cells, *(-ridge * weight * weight for weight in weights)])
    return math.fsum([w * b for w, b in zip(weights, right, strict=True)]) / below if below > 0 else 1.0


def mean_of(values: Array) -> float:
    """The mean, exactly rounded before it is divided."""
    return math.fsum(values.tolist()) / len(values)


def _within(columns: Sequence[Array], groups: Sequence[Mapping[str, Array]]) -> Array:
    """Values less the mean of their group, in which examples count by importance."""
    import numpy as np

    centred = []
    for column, group in zip(columns, groups, strict=True):
        importance = (1 - group["char_errors"]) ** 2
        total = math.fsum(importance.tolist())
        mean = math.fsum((importance * column).tolist()) / total if total else 0.0
        centred.append(column - mean)
    return np.concatenate(centred)


def _dot(importance: Array, one: Array, other: Array) -> float:
    return math.fsum((importance * (one * other)).tolist())


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of a positive definite system by Cholesky's decomposition, in exactly rounded sums.

    Written out, because a library's order of additions depends on the processor and on threads.
    """
    n = len(right)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = math.fsum([matrix[i][j], *(-lower[i][k] * lower[j][k] for k in range(j))])
            lower[i][j] = math.sqrt(rest) if i == j else rest / lower[j][j]
    half = [0.0] * n
    for i in range(n):
        half[i] = math.fsum([right[i], *(-lower[i][k] * half[k] for k in range(i))]) / lower[i][i]
    solution = [0.0] * n
    for i in reversed(range(n)):
        solution[i] = math.fsum([half[i], *(-lower[k][i] * solution[k] for k in range(i + 1, n))]) / lower[i][i]
    return solution
