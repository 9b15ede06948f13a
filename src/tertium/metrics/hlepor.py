"""hLEPOR (Han et al. 2013, MT Summit): LEPOR's factors in a weighted harmonic mean."""

from __future__ import annotations

from typing import ClassVar

from tertium.core.errors import OptionError
from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums, ratio, total
from tertium.metrics._lepor import Factors, Originals


@metric
class Hlepor(Originals):
    """Weighted harmonic mean of length penalty, position penalty and the harmonic mean of precision and recall.

    Formula:
        hLEPOR = 100 (w1 + w2 + w3) / (w1/LP + w2/NPosPenal + w3/H),
        the mean over segments; the factors are those of LEPOR

    Options:
        weights: of LP, NPosPenal and H; (2, 1, 3) is the variant of WMT19

    Paper:
        Han, Wong, Chao, He, Lu, Xing and Zeng (2013), "Language-independent model for machine translation evaluation
        with reinforced factors".
    """

    name: ClassVar[str] = "hlepor"
    title: ClassVar[str] = "hLEPOR"

    weights: tuple[float, ...] = (2, 1, 7)  # of LP, NPosPenal, H

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "weights", tuple(self.weights))
        if len(self.weights) != 3 or min(self.weights) < 0 or not 0 < total(self.weights) <= 1000:
            raise OptionError(
                f"hlepor: weights={self.weights} must be 3 weights, of length penalty, position penalty and harmonic "
                "mean, none negative, that sum to more than 0 and at most 1000"
            )

    def score(self, sums: Sums) -> Number:
        """The mean over segments of (w1 + w2 + w3) / (w1/LP + w2/NPosPenal + w3/H); or the same of mean factors."""
        return self._aggregate(sums)

    def combine(self, factors: Factors) -> Number:
        """hLEPOR = (w1 + w2 + w3) / (w1/LP + w2/NPosPenal + w3/H), multiplied out: 0 where a factor is 0."""
        LP, NPosPenal, H = factors.LP, factors.NPosPenal, factors.H[0]
        w1, w2, w3 = self.weights
        return ratio((w1 + w2 + w3) * LP * NPosPenal * H, w1 * NPosPenal * H + w2 * LP * H + w3 * LP * NPosPenal)
