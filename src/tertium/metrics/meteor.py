"""METEOR: the statistics of the program's version 1.5 (Denkowski and Lavie 2014) and two formulas over them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from tertium import _kernel
from tertium.core.dense import empty_rows
from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.marks import Marks
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, Sums, columns, power, ratio, total
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.meteor import (
    APOSTROPHES,
    SNOWBALL,
    function_words,
    stem_words,
    stemmer_version,
    tokenize_meteor,
)
from tertium.text.normalise import FORMS, normalise
from tertium.text.synonyms import WORDNET_VERSION, read_paraphrases, read_synonyms, table_version

if TYPE_CHECKING:
    from tertium.core.steps import Step

STAGES = ("exact", "stem", "synonym", "paraphrase")
SIDES = ("output_content", "reference_content", "output_function", "reference_function")
COLUMNS = (
    *("output_length", "reference_length", "output_function", "reference_function"),
    *(f"{stage}_{side}" for stage in STAGES for side in SIDES),
    *("chunks", "output_matches", "reference_matches"),
)
BLOCK = 4096  # segments whose different words are in memory at a time
SAME = {"cs": "cz", "sv": "se"}  # METEOR's codes for what ISO 639 calls otherwise


class Parameters(NamedTuple):
    """Of the formula; a match that is not exact counts half where no weight was tuned."""

    alpha: float  # recall's share of the mean
    beta: float  # the penalty's shape
    gamma: float  # its largest value
    delta: float  # the weight of content words
    stem: float = 0.5
    synonym: float = 0.5
    paraphrase: float = 0.5

    def weight(self, stage: str) -> float:
        """What a match of a stage counts."""
        return 1.0 if stage == "exact" else float(getattr(self, stage))


# Tuned by METEOR's authors (Denkowski and Lavie 2014; the program's Constants), by task and language.
RANK = {
    "en": Parameters(0.85, 0.20, 0.60, 0.75, stem=0.6, synonym=0.8, paraphrase=0.6),
    "cz": Parameters(0.95, 0.20, 0.60, 0.80, paraphrase=0.4),
    "fr": Parameters(0.90, 1.40, 0.60, 0.65, stem=0.2, paraphrase=0.4),
    "es": Parameters(0.65, 1.30, 0.50, 0.80, stem=0.8, paraphrase=0.6),
    "de": Parameters(0.95, 1.00, 0.55, 0.55, stem=0.8, paraphrase=0.2),
}
ANY_LANGUAGE = Parameters(0.75, 1.40, 0.70, 0.50)
ENGLISH = {
    "adq": Parameters(0.75, 1.40, 0.45, 0.70, stem=1.0, synonym=0.6, paraphrase=0.8),
    "hter": Parameters(0.40, 1.50, 0.35, 0.55, stem=0.2, synonym=0.6, paraphrase=0.8),
}
UNIVERSAL = Parameters(0.70, 1.40, 0.30, 0.70, paraphrase=0.6)
# Banerjee and Lavie (2005): Fmean = 10 P R / (R + 9 P), penalty 0.5 (chunks / matches)^3.
FIRST = Parameters(0.9, 3.0, 0.5, 0.5, stem=1.0, synonym=1.0, paraphrase=1.0)
TASKS = ("rank", "adq", "hter", "li", "universal")


class SideCounts(NamedTuple):
    """Words of the outputs or of the references, summed over segments."""

    length: Number
    function: Number  # of them, function words
    matched_content: Sequence[Number]  # by stage
    matched_function: Sequence[Number]
    matches: Number

    def matched_share(self, parameters: Parameters) -> Number:
        """P of the outputs, R of the references: the share of words that are matched, weighted by stage and kind."""
        delta = parameters.delta
        matched = total(
            parameters.weight(stage) * (delta * content + (1 - delta) * function)
            for stage, content, function in zip(STAGES, self.matched_content, self.matched_function, strict=True)
        )
        return ratio(matched, delta * (self.length - self.function) + (1 - delta) * self.function)


class MeteorCounts(NamedTuple):
    """Sums of rows: both sides, and the chunks in which they match."""

    output: SideCounts
    reference: SideCounts
    chunks: Number

    @classmethod
    def of(cls, sums: Sums) -> MeteorCounts:
        """Name the columns of sums. # (..., 23)"""
        c, r, c_function, r_function, *stages, chunks, c_matches, r_matches = columns(sums)
        output = SideCounts(c, c_function, stages[0::4], stages[2::4], c_matches)
        reference = SideCounts(r, r_function, stages[1::4], stages[3::4], r_matches)
        return cls(output, reference, chunks)


def f_mean(P: Number, R: Number, alpha: float) -> Number:
    """Fmean = P R / (alpha P + (1 - alpha) R)."""
    return ratio(P * R, alpha * P + (1 - alpha) * R)


def penalty(counts: MeteorCounts, parameters: Parameters) -> Number:
    """Pen = gamma frag^beta, frag = chunks / mean of the words matched on both sides."""
    frag = ratio(counts.chunks, (counts.output.matches + counts.reference.matches) / 2)
    return parameters.gamma * power(frag, parameters.beta)


class Match(NamedTuple):
    """Words output[start:end] stand for reference[start:end]."""

    stage: str
    output: tuple[int, int]
    reference: tuple[int, int]


class Alignment(NamedTuple):
    """The words of both sides as METEOR reads them, and what matches what, from left to right in the reference; of the
    reference of this number, that scores best. `rejected` are two matches that would have exchanged their partners, in
    an alignment with more crossings."""

    output: list[str]
    reference: list[str]
    matches: list[Match]
    number: int = 0
    rejected: tuple[Match, ...] = ()


@metric
class Meteor:
    """Words matched one to one (the same, same stem, synonyms, paraphrases), less a penalty for their disorder.

    Formula:
        METEOR = 100 Fmean (1 - gamma frag^beta)
        Fmean = 1 / ((1 - alpha)/P + alpha/R)
        P, R = sum over stages of weight x (delta content + (1 - delta)
        function words matched) / the same of all words, output or reference
        frag = chunks / mean of the words matched on both sides; 0 where
        everything matches in one chunk; counts are summed over the corpus

    Options:
        language: decides on tokeniser, stemmer, synonyms and parameters
        variant: 1.5, or 2005 for alpha 0.9, beta 3, gamma 0.5, delta 0.5 and weights of 1
        task: what the parameters were tuned for: rank, adq and hter (English), li (any language), universal
        stages: None is all that the language has; or a tuple such as ("exact", "stem", "synonym:PATH")
        text: norm is METEOR's tokeniser and lower case, lower is lower case, none is neither
        no_punct: leave punctuation out

    Blind to:
        Meaning beyond words: a lost "not" costs as much as any other word. What no stem and no list of synonyms relates
        is a miss, and languages without a list have fewer matches: scores of different languages cannot be compared.

    Paper:
        Denkowski and Lavie (2014), "Meteor Universal: language specific translation evaluation for any target
        language"; Banerjee and Lavie (2005), "METEOR: an automatic metric for MT evaluation with improved correlation
        with human judgments".
    """

    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "nothing is matched by two texts without a word", lambda _, sums: sums[0] > 0
        )
    }

    language: str = "en"
    variant: str = "1.5"
    task: str = "rank"
    stages: tuple[str, ...] | None = None
    text: str = "norm"
    no_punct: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        if not re.fullmatch("[a-z]{2,3}", self.language):
            raise OptionError(
                f'meteor: language="{self.language}" must be a code of two or three letters, such as "en"'
            )
        choose("meteor", "variant", self.variant, ("1.5", "2005"))
        choose("meteor", "task", self.task, TASKS)
        choose("meteor", "text", self.text, ("norm", "lower", "none"))
        choose("meteor", "unicode", self.unicode, tuple(FORMS))
        if self.variant == "2005" and self.task != "rank":
            raise OptionError(f'meteor: task="{self.task}" has no meaning with variant="2005"; leave one of them out')
        if self.task in ENGLISH and self.language != "en":
            raise OptionError(f'meteor: task="{self.task}" was tuned for English only, not for "{self.language}"')
        if self.text == "norm" and self._language not in APOSTROPHES:
            raise OptionError(
                f'meteor: METEOR has no tokeniser for language="{self.language}", only for {", ".join(APOSTROPHES)}; '
                f'tokenise the texts and say text="lower"'
            )
        if self.no_punct and self.text != "norm":
            raise OptionError(f'meteor: no_punct=True needs text="norm", not text="{self.text}"')
        if self.stages is not None:
            object.__setattr__(self, "stages", tuple(self.stages))
            self._check_stages()

    def _check_stages(self) -> None:
        names = [stage.partition(":")[0] for stage in self.stages or () if isinstance(stage, str)]
        if names[:1] != ["exact"] or len(names) != len(self.stages or ()) or set(names) - set(STAGES):
            raise OptionError(
                f"meteor: stages={self.stages!r} must be some of {STAGES!r}, exact first; "
                f"a table of one's own is named behind a colon: 'synonym:PATH'"
            )
        if len(set(names)) < len(names):
            raise OptionError(f"meteor: stages={self.stages!r} names a stage twice")
        for stage, source in self._stages.items():
            if stage in ("exact", "stem") and source:
                raise OptionError(f"meteor: stage {stage!r} has no table, but stages={self.stages!r} names one")
            if stage == "stem" and self._language not in SNOWBALL:
                raise OptionError(
                    f'meteor: there is no stemmer for language="{self.language}", only for {", ".join(SNOWBALL)}'
                )
            if stage == "paraphrase" and not source:
                raise OptionError("meteor: stage 'paraphrase' needs a table: 'paraphrase:PATH'")
            if stage == "synonym" and not source and self._language != "en":
                raise OptionError(
                    f"meteor: stage 'synonym' needs a table for language=\"{self.language}\": "
                    f"'synonym:PATH', or 'synonym:wn:LEXICON' with the wn package"
                )

    @property
    def local(self) -> tuple[str, ...]:
        """The option that names files of this computer, if it does."""
        return ("stages",) if any(self._stages.values()) else ()

    @property
    def _language(self) -> str:
        return SAME.get(self.language, self.language)

    @property
    def _stages(self) -> dict[str, str]:
        """Stages in METEOR's order, and where the table of each comes from: '' if from nowhere, or from us."""
        if self.stages is None:
            stem = self._language in SNOWBALL and self.task != "universal"
            synonym = self._language == "en" and self.task != "universal"
            return {"exact": "", **({"stem": ""} if stem else {}), **({"synonym": ""} if synonym else {})}
        given = dict(stage.partition(":")[::2] for stage in self.stages)
        return {stage: given[stage] for stage in STAGES if stage in given}

    @property
    def parameters(self) -> Parameters:
        """Of the formula, by variant, task and language."""
        if self.variant == "2005":
            return FIRST
        if self.task == "universal":
            return UNIVERSAL
        if self.task in ENGLISH:
            return ENGLISH[self.task]
        return RANK.get(self._language, ANY_LANGUAGE) if self.task == "rank" else ANY_LANGUAGE

    def stats_key(self, several: bool) -> str:
        """Parameters belong to the formula; they help to choose among several references."""
        read = [self._language, sorted(self._stages.items()), self.text, self.no_punct, self.unicode]
        return f"meteor{read}{self.parameters if several else ''}"

    def versions(self) -> dict[str, str]:
        """Outside tools and tables that the signature must name."""
        found = {}
        for stage, source in self._stages.items():
            if stage == "stem":
                found["PyStemmer"] = stemmer_version()
            elif stage == "synonym" and not source:
                found["WordNet"] = WORDNET_VERSION
            elif source:
                found[stage] = table_version(source)
        return found

    def _read(self, lines: Lines) -> Lines:
        lines = normalise(lines, self.unicode)
        return tokenize_meteor(lines, self._language, self.no_punct) if self.text == "norm" else lines

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References tokenised once for all systems."""
        streams = tuple(self._read(stream) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """The program's 23 sufficient statistics, of the reference that scores best."""
        candidates = self._count(self._read(outputs), prepared.streams)
        return Stats(COLUMNS, self._chosen(candidates, prepared), prepared.scorable(outputs))

    def _count(self, lines: Lines, streams: tuple[Lines, ...]) -> list[Any]:
        """Rows of all segments, for every stream of references."""
        candidates = [empty_rows(len(lines), len(COLUMNS)) for _ in streams]
        for block in self._blocks(lines, streams):
            for k, rows in enumerate(candidates):
                block.count(k, rows)
        return candidates

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        import numpy as np

        n, m = len(outputs), len(prepared.references)
        rows = np.zeros((n, m, len(COLUMNS)))
        block = self._block(self._read(outputs), prepared.streams[:1], 0, max(n, m))
        block.count_pairs(rows.reshape(n * m, len(COLUMNS)))
        return rows

    def align(self, output: str, reference: str) -> Alignment:
        """What matches what in one segment, to be shown."""
        prepared = Prepared(references=References((self._read(Lines.of([reference], "text")),), 1))
        [alignment] = filter(None, self.alignments(Lines.of([output], "text"), prepared))
        return alignment

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """What matches what in every segment, by stage; in the reference that scores best."""
        for found in self.alignments(outputs, prepared):
            if found is None:
                yield Marks()
            else:
                yield Marks.of_words(found.output, found.reference, found.matches, found.number, found.rejected)

    def alignments(self, outputs: Lines, prepared: Prepared) -> Iterator[Alignment | None]:
        """Of every segment, in the reference that scores best; None where a side is missing."""
        lines, streams = self._read(outputs), prepared.streams
        best = self._best(self._count(lines, streams), prepared) if len(streams) > 1 else None
        reference, numbers = prepared.chosen(best)
        segments = (segment for block in self._blocks(lines, (reference,)) for segment in block.matches(0))
        for number, segment in zip(numbers, segments, strict=True):
            if segment is None:
                yield None
            else:
                said, wanted, found, exchanged = segment
                matches = [Match(STAGES[s], (i, i + n), (j, j + m)) for s, i, n, j, m in found]
                one, two = (matches[k] for k in exchanged) if exchanged else (None, None)
                swapped = (
                    (one._replace(reference=two.reference), two._replace(reference=one.reference))
                    if one and two
                    else ()
                )
                yield Alignment(said, wanted, matches, number, swapped)

    def _blocks(self, lines: Lines, streams: tuple[Lines, ...]) -> Iterator[_kernel.MeteorBlock]:
        for first in range(0, len(lines), BLOCK):
            yield self._block(lines, streams, first, min(len(lines), first + BLOCK))

    def _block(self, lines: Lines, streams: tuple[Lines, ...], first: int, last: int) -> _kernel.MeteorBlock:
        """Segments for the kernel to align, with what the stages know about each of their different words."""
        views = [stream.view for stream in streams]
        block = _kernel.MeteorBlock(lines.view, views, self.text == "lower", first, last)
        block.set_function_words(function_words())
        for stage, source in self._stages.items():
            if stage == "stem":
                block.set_stems(stem_words(block.words(), self._language))
            elif stage == "synonym":
                block.set_synonyms(read_synonyms(source), self._language == "en")
            elif stage == "paraphrase":
                block.set_paraphrases(read_paraphrases(source))
        return block

    def _best(self, candidates: list[Any], prepared: Prepared) -> Any:
        """The number of the reference that scores best, the first of equals. # (n,)"""
        import numpy as np

        scores = [
            np.where(stream.present, self.score(np.asarray(rows)), -1.0)
            for stream, rows in zip(prepared.streams, candidates, strict=True)
        ]
        return np.argmax(scores, axis=0)

    def _chosen(self, candidates: list[Any], prepared: Prepared) -> Any:
        if len(candidates) == 1:
            return candidates[0]
        import numpy as np

        best = self._best(candidates, prepared)
        return np.stack(candidates)[best, np.arange(len(best))]

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.alignments import meteor_steps

        return meteor_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """METEOR = Fmean (1 - Pen), in percent: Denkowski and Lavie (2014), section 2."""
        counts, parameters = MeteorCounts.of(sums), self.parameters
        P = counts.output.matched_share(parameters)
        R = counts.reference.matched_share(parameters)
        return 100 * f_mean(P, R, parameters.alpha) * (1 - penalty(counts, parameters))

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Precision and recall in percent, the penalty, chunks and words matched."""
        counts, parameters = MeteorCounts.of(sums), self.parameters
        return {
            "precision": 100 * counts.output.matched_share(parameters),
            "recall": 100 * counts.reference.matched_share(parameters),
            "penalty": penalty(counts, parameters),
            "chunks": counts.chunks,
            "output_matches": counts.output.matches,
            "reference_matches": counts.reference.matches,
            "output_length": counts.output.length,
            "reference_length": counts.reference.length,
        }
