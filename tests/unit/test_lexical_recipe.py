"""The recipe lexical: the same bits from the same judgements, and weights that a library finds too."""

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.inference.correlations import tau_b
from tertium.io.examples import Examples
from tertium.io.lexical import lexical_text
from tertium.metrics._lexical import count_features, word_table
from tertium.training.lexical import FEWEST, references_of, train, weigh_words
from tertium.training.regression import fit, moments, solve

VOCABULARY = [f"{letter}{k}" for letter in "abcdeF" for k in range(1, 30)]


def examples(seed: int, n: int = 150, shift: float = 0.0, where: str = "made up") -> Examples:
    """Outputs that lack some words of their references; scores say how many, and whether the last is right."""
    rng = random.Random(seed)
    outputs, references, scores = [], [], []
    for _ in range(n):
        words = rng.choices(VOCABULARY, weights=range(1, len(VOCABULARY) + 1), k=rng.randint(3, 14))
        rate = rng.random() * 0.6
        outputs.append(" ".join(rng.choice(VOCABULARY) if rng.random() < rate else word for word in words))
        references.append(" ".join(words))
        same = outputs[-1].split()[-1] == words[-1]
        scores.append(shift - 3 * rate + same + rng.gauss(0, 0.3))
    return Examples(Lines.of(outputs), np.array(scores), None, Lines.of(references), None, where)


def text_of(groups: Sequence[Examples]) -> str:
    return lexical_text(train(groups).weights)


def test_the_same_bits_in_any_order() -> None:
    groups = [examples(1), examples(2, shift=50.0)]
    first = text_of(groups)
    assert text_of([examples(1), examples(2, shift=50.0)]) == first
    order = np.random.default_rng(3).permutation(len(groups[0]))
    shuffled = Examples(
        groups[0].outputs.take(order), groups[0].scores[order], None, groups[0].references.take(order), None, "shuffled"
    )
    assert text_of([shuffled, groups[1]]) == first
    assert text_of([examples(1), examples(4)]) != first


def test_it_learns_what_there_is_to_learn() -> None:
    """More than any of its features knows alone."""
    other = examples(3, 300)
    fitted = train([examples(1, 400), examples(2, 400, shift=50.0)], [other])
    assert fitted.examples == 800
    counted = count_features(other.outputs, references_of(other), word_table(fitted.weights.words))
    alone = {name: abs(tau_b(other.scores, values).value) for name, values in counted.items() if np.ptp(values) > 0}
    assert fitted.agreement["made up"] > max(alone.values())


def test_weights_are_a_library_s() -> None:
    """scikit-learn's Ridge, on features centred within groups and standardised, stretched to fit best."""
    groups = [examples(1), examples(2, shift=50.0)]
    table = word_table({})
    counted = [count_features(group.outputs, group.references, table) for group in groups]
    found = moments(counted, [group.scores for group in groups])
    features = fit(found, 0.7)
    importance = [(1 - one["char_errors"]) ** 2 for one in counted]
    columns, targets = [], []
    for one, group, weight in zip(counted, groups, importance, strict=True):
        values = np.stack([one[name] for name in features], axis=1)
        columns.append(values - np.average(values, axis=0, weights=weight))
        targets.append(group.scores - np.average(group.scores, weights=weight))
    x, y, v = np.concatenate(columns), np.concatenate(targets), np.concatenate(importance)
    deviations = np.sqrt(np.average(x**2, axis=0, weights=v))
    judge = Ridge(alpha=0.7 * v.sum(), fit_intercept=False).fit(x / deviations, y, sample_weight=v)
    predicted = judge.predict(x / deviations)
    stretch = (v * predicted * y).sum() / (v * predicted**2).sum()
    assert np.allclose([feature.weight for feature in features.values()], stretch * judge.coef_, atol=1e-8)
    assert np.allclose([feature.deviation for feature in features.values()], deviations, rtol=1e-9)
    assert found.bias == pytest.approx(np.mean([*groups[0].scores, *groups[1].scores]))


def test_cholesky() -> None:
    rng = np.random.default_rng(5)
    square = rng.normal(size=(12, 12))
    matrix, right = square @ square.T + np.eye(12), rng.normal(size=12)
    assert np.allclose(solve(matrix.tolist(), right.tolist()), np.linalg.solve(matrix, right), atol=1e-10)


def test_words_weigh_by_how_few_references_have_them() -> None:
    lines = Lines.of(["The cat", "the the dog", "the cow.", None])
    found = weigh_words([lines], most=2)
    assert found == {"the": round(math.log(4 / 3) / math.log(4), 3)}  # the others are as rare as the first left out


def test_too_few_examples() -> None:
    with pytest.raises(InputError, match=f"^{FEWEST - 1} examples; at least {FEWEST} are needed to learn from"):
        train([examples(1, FEWEST - 1)])


def test_no_references() -> None:
    made = examples(1)
    with pytest.raises(InputError, match="made up: no column 'ref'; the recipe lexical needs references"):
        train([Examples(made.outputs, made.scores, where="made up")])


def test_nothing_in_common() -> None:
    group = Examples(Lines.of(["a"] * 60), np.zeros(60), None, Lines.of(["b"] * 60))
    with pytest.raises(InputError, match="no output has a character in common with its reference"):
        train([group])


@pytest.mark.parametrize("ridge", [0.0, -1.0, math.nan, math.inf])
def test_ridge_that_is_none(ridge: float) -> None:
    with pytest.raises(OptionError, match=r"must be a number above 0$"):
        train([examples(1)], ridge=ridge)


def test_scores_that_are_all_equal() -> None:
    made = examples(1)
    with pytest.raises(InputError, match="all scores of a group are equal; there is nothing to learn"):
        train([Examples(made.outputs, np.full(len(made), 3.0), None, made.references)])


def test_the_ridge_is_judged_on_what_was_left_out() -> None:
    """The same as training on the others and validating on it, for each ridge of the grid."""
    groups = [examples(k, 120, where=f"group {k}") for k in range(3)]
    found = train(groups).ridge
    for ridge, agreement in found.agreement.items():
        left_out = [
            train([other for other in groups if other is not group], [group], ridge=ridge).agreement[group.where]
            for group in groups
        ]
        assert agreement == pytest.approx(np.mean(left_out), abs=1e-12)
    assert train(groups).weights.features == train(groups, ridge=found.ridge).weights.features
