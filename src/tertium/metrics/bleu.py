"""BLEU (Papineni et al. 2002), equal to sacreBLEU (Post 2018)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows, pair_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, Sums, Truth, columns, exp, log, ratio, total, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._smoothing import AVERAGED, SMOOTHING, VALUED, Precisions, smooth
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step


class BleuCounts(NamedTuple):
    """Sums of rows: clipped matches and n-grams of the output for n = 1, 2, ...; words of the output, the reference."""

    matches: Sequence[Number]
    totals: Sequence[Number]
    c: Number
    r: Number

    @classmethod
    def of(cls, sums: Sums) -> BleuCounts:
        """Name the columns of sums. # (..., 2 x order + 2)"""
        *ngrams, c, r = columns(sums)
        order = len(ngrams) // 2
        return cls(ngrams[:order], ngrams[order:], c, r)

    @property
    def p(self) -> list[Number]:
        """p_n = matches_n / totals_n, Papineni et al. (2002), section 2.1.1."""
        return [ratio(matches, totals) for matches, totals in zip(self.matches, self.totals, strict=True)]

    @property
    def matched(self) -> Truth:
        """Whether any word matches; without one BLEU is 0, however it is smoothed."""
        return total(self.matches) > 0


def brevity_penalty(c: Number, r: Number) -> Number:
    """BP = 1 if c > r else exp(1 - r/c), Papineni et al. (2002), section 2.3; not exp(1 - c/r), as often printed."""
    return where(c >= r, 1.0, exp(1 - ratio(r, c, otherwise=float("inf"))))


def geometric_mean(p: Sequence[Number], w: Sequence[Number]) -> Number:
    """exp(sum over n of w_n ln p_n), the weights divided by their sum; 0 where no order has a weight."""
    logs = total(w_n * log(where(w_n > 0, p_n, 1.0)) for w_n, p_n in zip(w, p, strict=True))
    return where(total(w) > 0, exp(ratio(logs, total(w))), 0.0)


@metric
class Bleu:
    """Geometric mean of clipped n-gram precisions times a brevity penalty.

    Formula:
        BLEU = 100 BP exp(sum over n of w_n ln p_n)
        p_n = matches_n / totals_n, counted over the whole corpus
        BP = 1 if c >= r, else exp(1 - r/c)
        matches_n: n-grams of the output that a reference has, each at most
        as often as in one reference; totals_n: all n-grams of the output;
        c, r: words of the output, of the reference; w_n: weights, 1/order

    Options:
        order: longest n-gram
        weights: one weight for each n-gram length, divided by their sum; None: all equal
        smooth: for lengths without a match: exp takes 1/2, 1/4, ... of a match, floor takes smooth_value, add-k
            adds smooth_value to matches and totals for n > 1, none makes the score 0; for single segments: length takes
            ln(c)/smooth_value of a match, its square, ..., average takes means with the lengths beside, prior adds
            smooth_value n-grams that match as the shorter lengths foretell (n > 2), length+average does both
        smooth_value: None: 0.1 for floor, 1 for add-k, 5 for the others
        effective_order: leave out n-gram lengths that no output is long enough for, as segment scores do in any case
        compat: nltk smooths as NLTK does, where that is not as the paper has it; without effective order
        brevity: which length counts among several references: closest to the output's, shortest, average

    Blind to:
        Synonyms and inflection (a near miss is a miss), meaning (a lost "not" costs as much as a comma), the order of
        longer blocks. Scores of different test sets, languages or tokenizers cannot be compared.

    Paper:
        Papineni, Roukos, Ward and Zhu (2002), "BLEU: a method for automatic evaluation of machine translation";
        smoothing: Chen and Cherry (2014), "A systematic comparison of smoothing techniques for sentence-level BLEU";
        tokenizers and signatures: Post (2018), "A call for clarity in reporting BLEU scores".
    """

    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "the precision of an order without n-grams is 0; with brevity='average' a longer second reference counts; "
            "means with other n-gram lengths are of the lengths of segments too",
            lambda metric, sums: (
                sums[metric._counted + metric.order - 1] > 0 and sums[-2] >= sums[-1] and metric.smooth not in AVERAGED
            ),
        )
    }

    order: int = 4
    weights: tuple[float, ...] | None = None
    tokenize: str = "13a"
    lowercase: bool = False
    smooth: str = "exp"
    smooth_value: float | None = None
    brevity: str = "closest"
    effective_order: bool = False
    compat: str = "none"
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 100:
            raise OptionError(f"bleu: order={self.order}; the longest n-gram must have 1 to 100 words")
        if self.weights is not None:
            object.__setattr__(self, "weights", tuple(self.weights))
            if len(self.weights) != self.order or total(self.weights) <= 0 or min(self.weights) < 0:
                raise OptionError(
                    f"bleu: weights={self.weights} must be {self.order} weights, one for each n-gram order"
                )
        choose("bleu", "smooth", self.smooth, tuple(SMOOTHING))
        choose("bleu", "brevity", self.brevity, ("closest", "shortest", "average"))
        choose("bleu", "compat", self.compat, ("none", "nltk"))
        if self.smooth_value is not None:
            if self.smooth not in VALUED:
                known = " or ".join(f'smooth="{name}"' for name in VALUED)
                raise OptionError(f"bleu: smooth_value={self.smooth_value} needs {known}")
            if self.smooth not in ("floor", "add-k") and not 0 < self.smooth_value <= 1e6:
                raise OptionError(
                    f"bleu: smooth_value={self.smooth_value}; for {self.smooth} it must be above 0 and at most 1e6"
                )
            if self.smooth_value < 0 or (self.smooth == "floor" and self.smooth_value > 1):
                raise OptionError(f"bleu: smooth_value={self.smooth_value} must not be negative, nor a floor above 1")
        self._reading.check("bleu")

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase, self.unicode)

    @property
    def _counted(self) -> int:
        """The longest n-gram of which rows have counts: averages look one further, NLTK's at 5-grams."""
        if self.smooth not in AVERAGED:
            return self.order
        return max(self.order + 1, 5 if self.compat == "nltk" else 0)

    def stats_key(self, several: bool) -> str:
        """Smoothing and weights belong to the formula; how the reference length is chosen matters with several."""
        brevity = self.brevity if several else "closest"
        return str(
            Bleu(
                order=self._counted,
                tokenize=self.tokenize,
                lowercase=self.lowercase,
                brevity=brevity,
                unicode=self.unicode,
            )
        )

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references."""
        return self._reading.references(testset)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Matches and totals for n = 1..order, output length, reference length."""
        streams = prepared.streams
        fixed = 2 * self._counted + 1
        rows: Any = empty_rows(len(outputs), fixed + max(1, len(streams)))  # lengths of all references at the end
        _kernel.count_ngrams(
            self._reading.outputs(outputs).view,
            [stream.view for stream in streams],
            self._reading.kernel_name,
            prepared.tokenizer,
            self._counted,
            rows,
        )
        scored = prepared.scorable(outputs)
        if len(streams) > 1:
            rows = _choose_length(rows, fixed, self.brevity)
        if scored is not None:
            import numpy as np

            rows = np.asarray(rows)
            rows[~scored] = 0
        orders = range(1, self._counted + 1)
        names = (
            *(f"matches_{n}" for n in orders),
            *(f"totals_{n}" for n in orders),
            "output_length",
            "reference_length",
        )
        return Stats(names, rows, scored)

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """The longest n-gram that counts at every word, and words that are clipped."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        return ngram_marks(lines, prepared.streams, names, self.order)

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        planes, rows = pair_rows(2 * self._counted + 2, len(outputs), len(prepared.references))
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        _kernel.count_ngram_pairs(lines.view, prepared.streams[0].view, *names, self._counted, planes)
        return rows

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.ngrams import bleu_steps

        return bleu_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """BLEU = BP exp(sum over n of w_n ln p_n), in percent: Papineni et al. (2002), section 2.3."""
        if self.effective_order:
            return self.segment_score(sums)
        counts = BleuCounts.of(sums)
        return self._bleu(counts, self._smoothed(counts).p, self._w)

    def segment_score(self, sums: Sums) -> Number:
        """With the effective order: n-gram lengths that the output is too short for have no weight."""
        counts = BleuCounts.of(sums)
        smoothed = self._smoothed(counts)
        if self.compat == "nltk" and not self.effective_order:
            return self._bleu(counts, smoothed.p, self._w)
        totals = counts.totals if self.compat == "nltk" or self.smooth == "prior" else smoothed.totals
        w = [where(total > 0, w_n, 0.0) for w_n, total in zip(self._w, totals, strict=False)]
        return self._bleu(counts, smoothed.p, w)

    @property
    def _w(self) -> tuple[float, ...]:
        return self.weights or (1.0,) * self.order

    def _bleu(self, counts: BleuCounts, p: Sequence[Number], w: Sequence[Number]) -> Number:
        BP = brevity_penalty(counts.c, counts.r)
        if self.compat == "nltk" and self.smooth != "none":  # which leaves out what is 0 in spite of smoothing
            p = [where(p_n > 0, p_n, 1.0) for p_n in p]
        if self.compat == "nltk":  # whose averages can exceed 1
            score = BP * geometric_mean(p, w)
            return 100 * where(counts.matched, where(score > 1, 1.0, score), 0.0)
        return 100 * BP * where(counts.matched, geometric_mean(p, w), 0.0)

    def _smoothed(self, counts: BleuCounts) -> Precisions:
        """Smoothed matches and totals, and precisions, for n = 1..order (Chen and Cherry 2014)."""
        value = SMOOTHING[self.smooth] if self.smooth_value is None else self.smooth_value
        nltk, matches, totals = self.compat == "nltk", counts.matches, counts.totals
        if nltk and self.smooth in AVERAGED:  # behind the longest n-gram it has 5-grams, however long that is
            matches, totals = ([*part[: self.order], part[4]] for part in (matches, totals))
        found = smooth(matches, totals, counts.c, self.smooth, value, nltk)
        return Precisions(*(part[: self.order] for part in found))

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Precisions, brevity penalty and lengths."""
        counts = BleuCounts.of(sums)
        smoothed, matched = self._smoothed(counts), counts.matched
        if self.smooth in AVERAGED or self.smooth == "prior":
            precisions = [100 * p for p in smoothed.p]
        else:  # to the last bit as programs print them
            precisions = [ratio(100 * m, t) for m, t in zip(smoothed.matches, smoothed.totals, strict=True)]
        return {
            "precisions": [where(matched, precision, 0.0) for precision in precisions],
            "brevity_penalty": brevity_penalty(counts.c, counts.r),
            "output_length": counts.c,
            "reference_length": counts.r,
            "matches": counts.matches[: self.order],
            "totals": counts.totals[: self.order],
        }


def _choose_length(rows: Any, fixed: int, brevity: str) -> Any:
    """Rows in which the lengths of all references (-1: none) have become the one that counts."""
    import numpy as np

    rows = np.asarray(rows)
    output, lengths = rows[:, fixed - 1], rows[:, fixed:]
    present = lengths >= 0
    if brevity == "average":
        chosen = np.where(present, lengths, 0).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    else:
        lengths = np.where(present, lengths, np.inf)
        distance = np.abs(lengths - (output[:, None] if brevity == "closest" else 0))
        closest = distance == distance.min(axis=1, keepdims=True)
        chosen = np.where(closest, lengths, np.inf).min(axis=1)  # tie: the shorter
    return np.column_stack([rows[:, :fixed], chosen])
