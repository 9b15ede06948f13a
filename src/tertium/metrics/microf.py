"""MicroF (Gowda et al. 2021): the F-score of every type, weighted by how often the references have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tertium.core.errors import OptionError
from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums, ratio
from tertium.metrics._types import TypeAverage, TypeSums

if TYPE_CHECKING:
    from tertium.core.stats import Array


@metric
class Microf(TypeAverage):
    """Mean over types of the F-score of each type, weighted by its frequency in the references.

    Formula:
        MicroF = 100 (sum over types of (r + k) F) / (sum of (r + k))
        F = (1 + beta^2) P R / (beta^2 P + R), P = m/c, R = m/r
        c, r, m: how often outputs, references and both have the type, m
        clipped segment by segment

    Options:
        k: added to the weight of every type, so that types that only outputs have count too
    """

    name: ClassVar[str] = "microf"
    title: ClassVar[str] = "MicroF"
    aliases: ClassVar[tuple[str, ...]] = ("microf1",)

    k: float = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.k <= 1e9:
            raise OptionError(f"microf: k={self.k}; must lie between 0 and 1000000000")

    def type_weights(self, sums: Sums) -> Array:
        """r + k: how often the references have the type, and k. # (..., 3 x types) -> (..., types)"""
        import numpy as np

        types = TypeSums.of(sums)
        return np.where(types.occurs(), types.reference + self.k, 0.0)

    def score(self, sums: Sums) -> Number:
        """MicroF = (sum over types of (r + k) F) / (sum over types of (r + k)), in percent."""
        F, weight = TypeSums.of(sums).f(self.beta), self.type_weights(sums)
        return 100 * ratio((weight * F).sum(axis=-1), weight.sum(axis=-1))
