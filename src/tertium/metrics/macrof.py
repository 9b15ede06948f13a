"""MacroF (Gowda et al. 2021): the F-score of every type, averaged, so that rare words count as much as common ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tertium.core.metric import metric
from tertium.core.numbers import Number, Sums, ratio
from tertium.metrics._types import TypeAverage, TypeSums

if TYPE_CHECKING:
    from tertium.core.stats import Array


@metric
class Macrof(TypeAverage):
    """Mean over types of the F-score of each type: a rare word counts as much as a common one.

    Formula:
        MacroF = 100 (sum over types of F) / types
        F = (1 + beta^2) P R / (beta^2 P + R), P = m/c, R = m/r
        c, r, m: how often outputs, references and both have the type, m
        clipped segment by segment; a type that only one side has counts, F = 0
    """

    name: ClassVar[str] = "macrof"
    title: ClassVar[str] = "MacroF"
    aliases: ClassVar[tuple[str, ...]] = ("macrof1",)

    def type_weights(self, sums: Sums) -> Array:
        """Every type that occurs counts once. # (..., 3 x types) -> (..., types)"""
        return TypeSums.of(sums).occurs().astype(float)

    def score(self, sums: Sums) -> Number:
        """MacroF = (sum over types of F) / types, in percent; over the types that outputs or references have."""
        types = TypeSums.of(sums)
        F = types.f(self.beta)
        return 100 * ratio(F.sum(axis=-1), types.occurring())
