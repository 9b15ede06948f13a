"""What intervals of agreement promise: 95 % of them hold the value that very many segments would give."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tertium.human.agreement import agreement

pytestmark = pytest.mark.slow

WORDS = ["cohen", "cohen-quadratic", "fleiss", "alpha-ordinal", "alpha-interval", "pearson", "spearman"]
ROUNDS, ITEMS = 300, 150


def judged(rng: np.random.Generator, items: int) -> NDArray[np.float64]:
    """Three raters, one of them strict and one careless, on a quality that is mostly good; a fifth is missing."""
    quality = rng.choice(5, size=items, p=[0.05, 0.1, 0.2, 0.3, 0.35]) + 1.0
    noise = rng.normal(0, [[0.6], [0.6], [1.2]], (3, items)) - [[0.0], [0.5], [0.0]]
    answers = np.clip(np.round(quality + noise), 1, 5)
    return np.where(rng.random((3, items)) < 0.2, np.nan, answers)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(11)
    truth = {row.word: row.value for row in agreement(judged(rng, 400_000), "adequacy", statistics=WORDS)}
    held = dict.fromkeys(WORDS, 0)
    for _ in range(ROUNDS):
        for row in agreement(judged(rng, ITEMS), "adequacy", statistics=WORDS, confidence=0.95, trials=400):
            assert row.interval is not None
            held[row.word] += row.interval.low <= truth[row.word] <= row.interval.high
    for word, count in held.items():
        assert 0.90 <= count / ROUNDS <= 0.985, (word, count / ROUNDS)  # 4 standard errors below, 3 above
