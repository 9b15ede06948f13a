"""McNemar's test: do two systems make an error on different numbers of the same segments?"""

from __future__ import annotations

import math


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value (McNemar 1947, with the binomial distribution instead of chi-square).

    Segments on which both systems err, or neither, say nothing. If the systems were equal, each of the others would be
    a fair coin: p = 2 P(X <= the smaller count), X ~ Binomial(n, 1/2), at most 1.
    """
    n, smaller = only_first + only_second, min(only_first, only_second)
    if n == 0 or 2 * smaller == n:
        return 1.0
    term = math.exp(math.lgamma(n + 1) - math.lgamma(smaller + 1) - math.lgamma(n - smaller + 1) - n * math.log(2))
    total = 0.0
    for k in range(smaller, -1, -1):  # terms fall from here on, so the rest is soon too small to matter
        total += term
        if term <= total * 1e-17:
            break
        term *= k / (n - k + 1)
    return min(1.0, 2 * total)
