"""RIBES (Isozaki et al. 2010): how far the words of an output are in the reference's order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, exp, power, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.testset import TestSet
from tertium.metrics._means import SegmentMeans
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks


@metric
class Ribes(SegmentMeans):
    """Rank correlation of word positions, times precision and a brevity penalty, both damped.

    Formula:
        RIBES = 100 NKT P^alpha BP^beta, the mean over segments
        NKT = pairs of ranked words in the reference's order / all pairs
        P = ranked words / c, BP = min(1, exp(1 - r/c))
        ranked: words whose place in the reference is certain, because they,
        or a phrase around them, occur once on both sides
        c, r: words of the output, of the reference

    Options:
        alpha: how much precision counts
        beta: how much brevity counts
        compat: nltk-3.9.1 counts only pairs within runs of neighbours, as NLTK did up to that version; none counts all

    Blind to:
        Words that are missing, but for a tenth power of their share; meaning. It was made for languages whose word
        order is far apart, such as Japanese and English. A segment with fewer than two ranked words scores 0.

    Paper:
        Isozaki, Hirao, Duh, Sudoh and Tsukada (2010), "Automatic evaluation of translation quality for distant language
        pairs".
    """

    name: ClassVar[str] = "ribes"
    title: ClassVar[str] = "RIBES"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    quantities: ClassVar[tuple[str, ...]] = ("rank_correlation", "precision", "brevity_penalty")
    percents: ClassVar[frozenset[str]] = frozenset({"precision"})
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "one word has no order, and the places of words that are repeated without a context are not certain",
            lambda _, sums: sums[1] == sums[-1] == sums[2],
        )
    }

    alpha: float = 0.25
    beta: float = 0.10
    tokenize: str = "13a"
    lowercase: bool = False
    compat: str = "none"
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1000 and 0 <= self.beta <= 1000):
            raise OptionError(f"ribes: alpha={self.alpha}, beta={self.beta}; both must lie between 0 and 1000")
        choose("ribes", "compat", self.compat, ("none", "nltk-3.9.1"))
        self._reading.check("ribes")

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def _read(self, outputs: Lines) -> Lines:
        return self._reading.outputs(outputs)

    def _count(self, lines: Lines, stream: Lines, prepared: Prepared) -> Any:
        counts = empty_rows(len(lines), 5)
        _kernel.count_ranks(lines.view, stream.view, self._reading.kernel_name, prepared.tokenizer, counts)
        return counts

    def _row(self, counts: Any) -> tuple[Number, ...]:
        """NKT P^alpha BP^beta, Isozaki et al. (2010), section 3; BP is of the authors' program."""
        ranked, increasing, in_runs, c, r = counts
        pairs = in_runs if self.compat != "none" else increasing
        NKT, P = ratio(pairs, ranked * (ranked - 1) / 2), ratio(ranked, c)
        BP = where(c >= r, where(c > 0, 1.0, 0.0), exp(1 - ratio(r, c, otherwise=float("inf"))))
        return NKT * power(P, self.alpha) * power(BP, self.beta), NKT, P, BP

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words whose place in the reference is certain."""
        names = self._reading.kernel_name, prepared.tokenizer
        return self._linked(outputs, prepared, lambda one, other: _kernel.link_ranks(one, other, *names))
