"""The recipe `lexical`: ridge regression in closed form on what can be counted in two texts.

Scores and features are centred within each group of examples (a language pair, a file): what is learned is why one
output is better than another of the same pair, not which pair is easier. An example counts (1 - e)^2, where e is the
share of errors among the steps of its character alignment: outputs of which hardly anything stands tell little about
those that are nearly right, and these are what is compared today. All sums are exactly rounded (`math.fsum`), so that
the same judgements give the same bits in any order, on any number of threads.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.inference.correlations import tau_b
from tertium.io.examples import Examples
from tertium.io.lexical import Feature, LexicalWeights, rounded
from tertium.io.mlqe_pe import PAIRS, read_mlqe_pe
from tertium.metrics._lexical import TOKENIZER, count_features, predict, word_table
from tertium.text.tokenizers import kernel_tokenize

if TYPE_CHECKING:
    from tertium.core.stats import Array

RIDGE = 1.0  # chosen on MLQE-PE dev: docs/explanation/lexical.md
WORDS = 500  # most frequent words, which have a weight of their own
PLACES = 3  # decimals of it
FEWEST = 50  # examples


@dataclass(frozen=True)
class Fitted:
    """Weights, and how far they agree with people, by what was asked."""

    weights: LexicalWeights
    examples: int
    agreement: Mapping[str, float]  # Kendall's tau-b by group of validation examples


def mlqe_examples(folder: str) -> tuple[list[Examples], list[Examples]]:
    """What the embedded weights are learned from, MLQE-PE's pairs into English, and all pairs of its dev set."""
    english = [pair for pair in PAIRS if pair.endswith("-en")]
    train = [read_mlqe_pe(folder, "train", pair) for pair in english]
    return train, [read_mlqe_pe(folder, "dev", pair) for pair in PAIRS]


def train(
    groups: Sequence[Examples],
    validation: Sequence[Examples] = (),
    *,
    ridge: float = RIDGE,
    card: Mapping[str, Any] | None = None,
) -> Fitted:
    """Weights from groups of examples, each with a reference; and Kendall's tau-b on other ones."""
    if not ridge > 0 or not math.isfinite(ridge):
        raise OptionError(f"ridge: {ridge:g}; must be a number above 0")
    examples = sum(len(group) for group in groups)
    if examples < FEWEST:
        raise InputError(f"{examples} examples; at least {FEWEST} are needed to learn from")
    words = weigh_words([references_of(group) for group in groups])
    table = word_table(words)
    counted = [count_features(group.outputs, references_of(group), table) for group in groups]
    features, bias = fit(counted, [group.scores for group in groups], ridge)
    weights = LexicalWeights(bias, features, words, dict(card or {}))
    agreement = {group.where: agree(weights, group) for group in validation}
    return Fitted(weights, examples, agreement)


def references_of(group: Examples) -> Lines:
    """References of examples, which this recipe cannot do without."""
    if group.references is None:
        raise InputError(f"{group.where}: no column 'ref'; the recipe lexical needs references")
    return group.references


def agree(weights: LexicalWeights, group: Examples) -> float:
    """Kendall's tau-b of predicted and given scores."""
    table = word_table(weights.words)
    predicted = predict(count_features(group.outputs, references_of(group), table), weights, "weights")
    return tau_b(group.scores, predicted).value


def weigh_words(references: Sequence[Lines], most: int = WORDS) -> dict[str, float]:
    """How much the most frequent words count: log(N / df) / log(N / df of the first that is left out), at most 1.

    N references, of which df have the word. Words of equal df are in order of code points.
    """
    counts: Counter[str] = Counter()
    n = 0
    for lines in references:
        for tokens in kernel_tokenize(lines, f"{TOKENIZER}+lower"):
            counts.update(set((tokens or "").split()))
            n += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    least = ordered[most][1] if len(ordered) > most else 1
    if n <= least:
        return {}
    return {word: round(math.log(n / df) / math.log(n / least), PLACES) for word, df in ordered[:most] if df > least}


def fit(
    groups: Sequence[Mapping[str, Array]], scores: Sequence[Array], ridge: float
) -> tuple[dict[str, Feature], float]:
    """Features that vary, standardised, with their weights; and the mean score."""
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
    right = [_dot(importance, standard[name], target) / total for name in varying]
    matrix = [[0.0] * len(varying) for _ in varying]
    for i, one in enumerate(varying):
        for j, other in enumerate(varying[: i + 1]):
            matrix[i][j] = matrix[j][i] = _dot(importance, standard[one], standard[other]) / total
        matrix[i][i] += ridge
    shrunk = solve(matrix, right)
    stretch = calibration(matrix, right, shrunk, ridge)
    weights = [stretch * weight for weight in shrunk]
    features = {
        name: Feature(*map(rounded, (mean_of(columns[name]), deviations[name], weight)))
        for name, weight in zip(varying, weights, strict=True)
    }
    return features, rounded(mean_of(np.concatenate(list(scores))))


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
