"""The recipe `lexical`: ridge regression (`regression.py`) on what can be counted in two texts.

All features of the metric are used, and the ridge is chosen (`ridge.py`) from the examples alone: nothing is left to
whoever trains. The same judgements give the same bits in any order, on any number of threads.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.inference.correlations import tau_b
from tertium.io.examples import Examples
from tertium.io.lexical import LexicalWeights, rounded
from tertium.io.mlqe_pe import PAIRS, read_mlqe_pe
from tertium.metrics._lexical import TOKENIZER, count_features, predict, word_table
from tertium.text.tokenizers import kernel_tokenize
from tertium.training.regression import Moments, fit, moments
from tertium.training.ridge import GRID, Choice, choose, given

WORDS = 500  # most frequent words, which have a weight of their own
PLACES = 3  # decimals of it
FEWEST = 50  # examples


@dataclass(frozen=True)
class Fitted:
    """Weights, and how far they agree with people, by what was asked."""

    weights: LexicalWeights
    ridge: Choice
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
    ridge: float | None = None,
    cautious: bool = False,
    card: Mapping[str, Any] | None = None,
) -> Fitted:
    """Weights from groups of examples, each with a reference; and Kendall's tau-b on other ones. A ridge that is not
    given is chosen: the best, or the strongest that is hardly worse."""
    chosen = None if ridge is None else given(ridge)
    examples = sum(len(group) for group in groups)
    if examples < FEWEST:
        raise InputError(f"{examples} examples; at least {FEWEST} are needed to learn from")
    words, found = learn(groups)
    chosen = chosen or choose(groups, agree_on_others, cautious=cautious)
    told = {**(card or {}), "ridge": str(chosen)}
    weights = LexicalWeights(rounded(found.bias), fit(found, chosen.ridge), words, told)
    agreement = {group.where: agree(weights, group) for group in validation}
    return Fitted(weights, chosen, examples, agreement)


def learn(groups: Sequence[Examples]) -> tuple[dict[str, float], Moments]:
    """How much words count, and what weights are solved from."""
    words = weigh_words([references_of(group) for group in groups])
    table = word_table(words)
    counted = [count_features(group.outputs, references_of(group), table) for group in groups]
    return words, moments(counted, [group.scores for group in groups])


def agree_on_others(groups: Sequence[Examples], others: Examples) -> dict[float, float]:
    """By ridge, how far weights from some groups agree with people on other examples."""
    words, found = learn(groups)
    counted = count_features(others.outputs, references_of(others), word_table(words))
    weights = {ridge: LexicalWeights(found.bias, fit(found, ridge), words) for ridge in GRID}
    return {ridge: tau_b(others.scores, predict(counted, each, "weights")).value for ridge, each in weights.items()}


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
