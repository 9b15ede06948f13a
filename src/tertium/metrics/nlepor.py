"""nLEPOR (Han et al. 2013, WMT): LEPOR with n-grams. The authors' program of this name computes plain LEPOR."""

from __future__ import annotations

from typing import Any, ClassVar

from tertium.core.errors import OptionError
from tertium.core.metric import metric
from tertium.core.numbers import Number, exp, log
from tertium.metrics._lepor import Factors, Lepors


@metric
class Nlepor(Lepors):
    """Length penalty times position penalty times the geometric mean of the n-grams' harmonic means.

    Formula:
        nLEPOR = 100 LP NPosPenal exp(sum over n of ln(H_n) / N),
        the mean over segments
        H_n = (alpha + beta) / (alpha/R_n + beta/P_n), of n-grams in common;
        LP and NPosPenal as in LEPOR; N: order

    Options:
        order: longest n-gram

    Paper:
        Han, Lu, Wong, Chao, He and Xing (2013), "Quality estimation for machine translation using the joint method of
        evaluation criteria and statistical modeling".
    """

    name: ClassVar[str] = "nlepor"
    title: ClassVar[str] = "nLEPOR"

    order: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= 100:
            raise OptionError(f"nlepor: order={self.order}; the longest n-gram must have 1 to 100 words")

    @property
    def _order(self) -> int:
        return self.order

    def score(self, sums: Any) -> Any:
        """The mean over segments of LP x NPosPenal x exp(sum over n of log H_n / N); or the same of mean factors."""
        return self._aggregate(sums)

    def combine(self, factors: Factors) -> Number:
        """0 where an order has no match."""
        logs = sum(log(mean) for mean in factors.harmonic_means) / self.order
        return factors.length_penalty * factors.position_penalty * exp(logs)

    def _name_parts(self, mean: Factors) -> dict[str, Any]:
        return {
            "length_penalty": mean.length_penalty,
            "position_penalty": mean.position_penalty,
            "precisions": [100 * precision for precision in mean.precisions],
            "recalls": [100 * recall for recall in mean.recalls],
            "harmonic_means": [100 * harmonic for harmonic in mean.harmonic_means],
        }
