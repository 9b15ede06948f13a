"""NIST (Doddington 2002), equal to mteval-v13m with compat="mteval"."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.numbers import Number, Sums, columns, exp, log, ratio, total, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.tokenizers import kernel_tokenize
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step

# Doddington's beta: an output two thirds as long as the references keeps half of its score.
BETA = math.log(0.5) / math.log(1.5) ** 2


class Information:
    """Weights of n-grams from all references of a test set. Parts only list their texts; the whole is counted once.

    Where the texts are too many to be held, parts are gathered one after the other: words become numbers, and what is
    left of a text is 4 bytes for each of its words, until n-grams are counted.
    """

    whole = "how much a match counts depends on how often its n-grams occur in all references"
    most = 50_000_000  # words that are gathered, at 4 bytes each, beside the table of their n-grams

    def __init__(self, streams: tuple[Lines, ...], tokenizer: str, order: int) -> None:
        self.streams, self.tokenizer, self.order = streams, tokenizer, order
        self._lock = Lock()
        self._gathered: _kernel.NgramInformation | None = None  # not finished
        self._table: _kernel.NgramInformation | None = None

    def merge(self, other: Information) -> Information:
        """The weights of both parts' references."""
        return Information((*self.streams, *other.streams), self.tokenizer, self.order)

    def gathered(self, known: Information | None) -> Information:
        """What is known of earlier parts and of this one, without their texts. It takes the place of `known`."""
        found = Information((), self.tokenizer, self.order) if known is None else known
        table = found._gathered = found._gathered or _kernel.NgramInformation(self.order)
        table.add([stream.view for stream in self.streams], self.tokenizer)
        if table.words > self.most:
            raise InputError(
                f"nist: the references have more than {self.most} words; how often their n-grams occur does not fit "
                f"into the memory that shards are meant for. Score fewer shards, or files in memory (without --stream)"
            )
        return found

    def table(self) -> _kernel.NgramInformation:
        """The counted n-grams; the first thread that needs them counts, the others wait."""
        with self._lock:
            if self._table is None:
                table = self._gathered or _kernel.NgramInformation(self.order)
                table.add([stream.view for stream in self.streams], self.tokenizer)
                table.finish()
                self._table = table
            return self._table

    def __reduce__(self) -> tuple[Any, ...]:
        if self._gathered is not None:
            raise InputError("nist: what was gathered from shards cannot be handed to another process")
        return Information, (self.streams, self.tokenizer, self.order)


class NistCounts(NamedTuple):
    """Sums of rows: information of the matches and n-grams of the output for n = 1, 2, ...; both sides' words."""

    information: Sequence[Number]
    totals: Sequence[Number]
    c: Number
    r: Number  # of the average reference

    @classmethod
    def of(cls, sums: Sums) -> NistCounts:
        """Name the columns of sums. # (..., 2 x order + 2)"""
        *ngrams, c, r = columns(sums)
        order = len(ngrams) // 2
        return cls(ngrams[:order], ngrams[order:], c, r)

    @property
    def by_order(self) -> list[Number]:
        """I_n / totals_n: the information of an average n-gram of the output."""
        return [ratio(I_n, totals) for I_n, totals in zip(self.information, self.totals, strict=True)]


def length_penalty(c: Number, r: Number) -> Number:
    """exp(beta ln^2 min(1, c/r))."""
    share = ratio(c, r, otherwise=1.0)
    x = log(where(share < 1, share, 1.0))
    return exp(BETA * (x * x))  # not x ** 2: a float's is not rounded as an array's


@metric
class Nist:
    """N-gram precision in which a match counts by how much information it carries, with a length penalty.

    Formula:
        NIST = sum over n of I_n / totals_n, times
        exp(b ln^2 min(1, c/r)) with b = ln(0.5) / ln^2(1.5)
        I_n: sum over matched n-grams of info x clipped count
        info = log2(count of the first n-1 words / count of the n-gram) in
        all references of the test set; of one word: all words / its count
        totals_n: n-grams of the output; c, r: words of the output, of the
        average reference

    Options:
        order: longest n-gram
        compat: mteval has the quirks of mteval-v13m: the word "0" is no history, and lower-casing is of A-Z only

    Blind to:
        Synonyms, inflection and meaning; word order beyond five words. Scores have no upper bound and depend on the
        test set: those of different test sets cannot be compared. Rarer words than the reference's can score more.

    Paper:
        Doddington (2002), "Automatic evaluation of machine translation quality using n-gram co-occurrence statistics".
    """

    name: ClassVar[str] = "nist"
    title: ClassVar[str] = "NIST"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    interval_note: ClassVar[str] = (
        "grows with the size of the test set: its interval is about test sets of this size; larger ones score higher"
    )
    decimals: ClassVar[int] = 2
    gathers: ClassVar[bool] = True

    order: int = 5
    tokenize: str = "13a"
    lowercase: bool = False
    compat: str = "none"
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not 1 <= self.order <= 20:
            raise OptionError(f"nist: order={self.order}; the longest n-gram must have 1 to 20 words")
        choose("nist", "compat", self.compat, ("none", "mteval"))
        self._reading.check("nist")

    @property
    def _lowers_ascii(self) -> bool:
        """mteval lower-cases A-Z only, after tokenising; with its international rules all of Unicode, before."""
        return self.lowercase and self.compat == "mteval" and self.tokenize != "intl"

    @property
    def _reading(self) -> Reading:
        return Reading(self.tokenize, self.lowercase and not self._lowers_ascii, self.unicode)

    def versions(self) -> dict[str, str]:
        """Outside tokenizers that the signature must name."""
        return self._reading.versions()

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Tokenised references, and the information of their n-grams, which is that of all references."""
        prepared = self._reading.references(testset)
        if self._lowers_ascii:
            streams = tuple(lower_ascii(stream, prepared.tokenizer) for stream in prepared.references.streams)
            prepared = Prepared(references=References(streams, len(testset)))
        shared = Information(prepared.references.streams, prepared.tokenizer, self.order)
        return replace(prepared, shared=shared)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Information of the matches and n-grams of the output by order; output length, average reference length."""
        rows: Any = empty_rows(len(outputs), 2 * self.order + 2)
        lines, tokenizer = self._read(outputs)
        _kernel.count_information(
            lines.view,
            [stream.view for stream in prepared.streams],
            tokenizer,
            prepared.tokenizer,
            prepared.shared.table(),
            self.order,
            self.compat == "mteval",
            rows,
        )
        orders = range(1, self.order + 1)
        names = (
            *(f"information_{n}" for n in orders),
            *(f"totals_{n}" for n in orders),
            "output_length",
            "reference_length",
        )
        return Stats(names, rows, prepared.scorable(outputs))

    def _read(self, outputs: Lines) -> tuple[Lines, str]:
        """Outputs for the kernel, and the tokenizer that it still has to run on them."""
        lines, tokenizer = self._reading.outputs(outputs), self._reading.kernel_name
        return (lower_ascii(lines, tokenizer), "none") if self._lowers_ascii else (lines, tokenizer)

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """The longest n-gram that counts at every word, and words that are clipped."""
        from tertium.metrics._links import ngram_marks  # a score needs none

        lines, tokenizer = self._read(outputs)
        return ngram_marks(lines, prepared.streams, (tokenizer, prepared.tokenizer), self.order)

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.ngrams import nist_steps

        return nist_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """NIST = (sum over n of I_n / totals_n) exp(beta ln^2 min(1, c/r)), Doddington (2002)."""
        counts = NistCounts.of(sums)
        return total(counts.by_order) * length_penalty(counts.c, counts.r)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """What each order contributes before the penalty, the penalty, and lengths."""
        counts = NistCounts.of(sums)
        return {
            "information": counts.by_order,
            "length_penalty": length_penalty(counts.c, counts.r),
            "output_length": counts.c,
            "reference_length": counts.r,
        }


def lower_ascii(lines: Lines, tokenizer: str) -> Lines:
    """Tokens with single spaces between them, A to Z lower-cased and nothing else."""
    tokens = kernel_tokenize(lines, tokenizer)
    return Lines(bytes(tokens.buffer).lower(), tokens.starts, tokens.ends, tokens.missing)
