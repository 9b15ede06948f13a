"""nLEPOR (Han et al. 2013, WMT): LEPOR with n-grams. The authors' program of this name computes plain LEPOR."""

from __future__ import annotations

from typing import Any, ClassVar

from tertium.core.errors import OptionError
from tertium.core.metric import Exemption, metric
from tertium.core.numbers import Number, Sums, exp, log, total
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
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "a segment that is too short for the longest n-gram shares none",
            lambda metric, sums: sums[2 + metric.order] == sums[-1],
        )
    }

    order: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= 100:
            raise OptionError(f"nlepor: order={self.order}; the longest n-gram must have 1 to 100 words")

    @property
    def _order(self) -> int:
        return self.order

    def score(self, sums: Sums) -> Number:
        """The mean over segments of LP x NPosPenal x exp(sum over n of log H_n / N); or the same of mean factors."""
        return self._aggregate(sums)

    def combine(self, factors: Factors) -> Number:
        """nLEPOR = LP x NPosPenal x exp(sum over n of ln H_n / N); 0 where an order has no match."""
        LP, NPosPenal, N = factors.LP, factors.NPosPenal, self.order
        return LP * NPosPenal * exp(total(log(H_n) for H_n in factors.H) / N)

    def _name_parts(self, mean: Factors) -> dict[str, Any]:
        return {
            "length_penalty": mean.LP,
            "position_penalty": mean.NPosPenal,
            "precisions": [100 * P_n for P_n in mean.P],
            "recalls": [100 * R_n for R_n in mean.R],
            "harmonic_means": [100 * H_n for H_n in mean.H],
        }
