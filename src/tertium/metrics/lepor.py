"""LEPOR (Han, Wong and Chao 2012): length penalty, precision, position penalty and recall."""

from __future__ import annotations

from typing import ClassVar

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums
from tertium.metrics._lepor import Factors, Originals


@metric
class Lepor(Originals):
    """Length penalty times position penalty times the harmonic mean of precision and recall.

    Formula:
        LEPOR = 100 LP NPosPenal H, the mean over segments
        LP = exp(1 - longer/shorter length)
        NPosPenal = exp(-NPD), NPD = sum of |j/c - i/r| / c over aligned words
        H = (alpha + beta) / (alpha/R + beta/P), P = m/c, R = m/r
        m: words in common; c, r: words of the output, of the reference;
        j, i: the places of an aligned word in output and reference
    """

    name: ClassVar[str] = "lepor"
    title: ClassVar[str] = "LEPOR"

    def score(self, sums: Sums) -> Number:
        """The mean over segments of LP x NPosPenal x H; or the same of mean factors."""
        return self._aggregate(sums)

    def combine(self, factors: Factors) -> Number:
        """LEPOR = LP x NPosPenal x H, Han et al. (2012)."""
        LP, NPosPenal, H = factors.LP, factors.NPosPenal, factors.H[0]
        return LP * NPosPenal * H
