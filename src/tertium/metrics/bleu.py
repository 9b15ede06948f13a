"""BLEU (Papineni et al. 2002), equal to sacreBLEU (Post 2018)."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from tertium import _kernel
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Array, Prepared, choose, metric, ratio
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.text.words import Reading

# Defaults of Chen and Cherry (2014), "A systematic comparison of smoothing techniques for sentence-level BLEU".
SMOOTHING = {"exp": 0.0, "floor": 0.1, "add-k": 1.0, "none": 0.0}


@metric
class Bleu:
    """Geometric mean of clipped n-gram precisions times a brevity penalty."""

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1

    order: int = 4
    weights: tuple[float, ...] | None = None
    tokenize: str = "13a"
    lowercase: bool = False
    smooth: str = "exp"
    smooth_value: float | None = None
    brevity: str = "closest"
    unicode: str = "none"

    def __post_init__(self) -> None:
        if self.order < 1:
            raise OptionError(f"bleu: order={self.order}; the longest n-gram must have at least one word")
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(self.weights))
            if len(self.weights) != self.order or sum(self.weights) <= 0 or min(self.weights) < 0:
                raise OptionError(f"bleu: weights={self.weights} must be {self.order} weights, one for each n-gram order")
        choose("bleu", "smooth", self.smooth, tuple(SMOOTHING))
        choose("bleu", "brevity", self.brevity, ("closest", "shortest", "average"))
        if self.smooth_value is not None and (self.smooth not in ("floor", "add-k") or self.smooth_value < 0):
            raise OptionError(f"bleu: smooth_value={self.smooth_value} needs smooth=\"floor\" or \"add-k\" and must not be negative")
        self._reading.check("bleu")

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def stats_key(self, several: bool) -> str:
        """Smoothing and weights belong to the formula; how the reference length is chosen matters with several."""
        brevity = self.brevity if several else "closest"
        return str(Bleu(order=self.order, tokenize=self.tokenize, lowercase=self.lowercase, brevity=brevity, unicode=self.unicode))

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared) -> Stats:
        """Matches and totals for n = 1..order, output length, reference length."""
        streams = prepared.references.streams
        fixed = 2 * self.order + 1
        rows = np.zeros((len(outputs), fixed + max(1, len(streams))))  # lengths of all references at the end
        _kernel.count_ngrams(
            self._reading.outputs(outputs).view,
            [stream.view for stream in streams],
            self._reading.kernel_name,
            prepared.tokenizer,
            self.order,
            rows,
        )
        if len(streams) > 1:
            rows[:, fixed] = _effective_length(rows[:, fixed - 1], rows[:, fixed:], self.brevity)
            rows = np.ascontiguousarray(rows[:, : fixed + 1])
        scored = prepared.scorable(outputs)
        if not scored.all():
            rows[~scored] = 0
        orders = range(1, self.order + 1)
        columns = (*(f"matches_{n}" for n in orders), *(f"totals_{n}" for n in orders), "output_length", "reference_length")
        return Stats(columns, rows, scored)

    def score(self, sums: Array) -> Array:
        """BP x exp(sum over n of w_n log p_n), Papineni et al. (2002), equation 1."""
        return self._geometric(sums, np.full(sums.shape[:-1], self.order))

    def segment_score(self, sums: Array) -> Array:
        """With the effective order: n-gram lengths that the output is too short for are left out."""
        totals = sums[..., self.order : 2 * self.order]
        return self._geometric(sums, np.count_nonzero(totals > 0, axis=-1))

    def _geometric(self, sums: Array, orders: Array) -> Array:
        precisions = self._precisions(sums)  # (..., order)
        weights = np.ones(self.order) if self.weights is None else np.array(self.weights)
        used = weights * (np.arange(self.order) < orders[..., None])
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(used > 0, used * np.log(precisions), 0.0).sum(axis=-1)
            mean = np.exp(logs / used.sum(axis=-1))
        matched = sums[..., : self.order].any(axis=-1)
        return 100 * _brevity_penalty(sums) * np.where(matched, mean, 0.0)

    def _precisions(self, sums: Array) -> Array:
        """Smoothed precisions p_1..p_order; 0 where there is nothing to match."""
        matches, totals = sums[..., : self.order], sums[..., self.order : 2 * self.order]
        value = SMOOTHING[self.smooth] if self.smooth_value is None else self.smooth_value
        if self.smooth == "add-k":
            longer = np.arange(self.order) > 0
            matches, totals = matches + value * longer, totals + value * longer
        zero = (matches == 0) & (totals > 0)
        if self.smooth == "exp":  # each order without a match counts half as much as the one before
            matches = np.where(zero, 0.5 ** np.cumsum(zero, axis=-1), matches)
        elif self.smooth == "floor":
            matches = np.where(zero, value, matches)
        return ratio(matches, totals)

    def parts(self, sums: Array) -> dict[str, Array]:
        """Precisions, brevity penalty and lengths."""
        matched = sums[..., : self.order].any(axis=-1)[..., None]
        output, reference = sums[..., -2], sums[..., -1]
        return {
            "precisions": 100 * np.where(matched, self._precisions(sums), 0.0),
            "brevity_penalty": _brevity_penalty(sums),
            "output_length": output,
            "reference_length": reference,
            "matches": sums[..., : self.order],
            "totals": sums[..., self.order : 2 * self.order],
        }


def _brevity_penalty(sums: Array) -> Array:
    """1 if c > r else exp(1 - r/c); not exp(1 - c/r), as it is often printed."""
    output, reference = sums[..., -2], sums[..., -1]
    return np.where(output >= reference, 1.0, np.exp(1 - ratio(reference, output, np.inf)))


def _effective_length(output: Array, references: Array, brevity: str) -> Array:
    """The reference length that counts; -1 stands for no reference. # (n,), (n, r) -> (n,)"""
    present = references >= 0
    if brevity == "average":
        return np.where(present, references, 0).sum(axis=-1) / np.maximum(present.sum(axis=-1), 1)
    lengths = np.where(present, references, np.inf)
    if brevity == "shortest":
        return lengths.min(axis=-1)
    distance = np.abs(lengths - output[:, None])
    closest = distance == distance.min(axis=-1, keepdims=True)
    return np.where(closest, lengths, np.inf).min(axis=-1)  # tie: the shorter
