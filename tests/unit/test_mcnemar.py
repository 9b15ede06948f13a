"""McNemar's test against the binomial distribution in exact fractions."""

import math
from fractions import Fraction

import pytest

from tertium.inference.mcnemar import mcnemar


def exact(b: int, c: int) -> float:
    n = b + c
    tail = sum(Fraction(math.comb(n, k), 2**n) for k in range(min(b, c) + 1))
    return float(min(Fraction(1), 2 * tail))


@pytest.mark.parametrize(
    ("b", "c"), [(0, 0), (1, 0), (0, 5), (3, 3), (2, 9), (10, 1), (40, 60), (400, 300), (999, 1000)]
)
def test_exact(b: int, c: int) -> None:
    assert mcnemar(b, c) == pytest.approx(exact(b, c), rel=1e-11)
    assert mcnemar(b, c) == mcnemar(c, b)


def test_by_hand() -> None:
    assert mcnemar(0, 6) == pytest.approx(2 / 64)
    assert mcnemar(1, 7) == pytest.approx(2 * (1 + 8) / 256)


def test_large_counts() -> None:
    assert 0 < mcnemar(500_000, 501_000) < 1
    assert mcnemar(0, 1_000_000) == 0.0
