"""The cosine of source and output in a multilingual sentence encoder: a guard, not a measure of quality."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from tertium.core.errors import InputError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.metrics._learned import mean_score, rows_of
from tertium.text.encoder import LANGUAGES, check_encoder, cosines, covers, encoder_version, sentence_vectors

GUARD = "cosine is a guard against outputs that have nothing to do with their source, not a measure of quality"


@metric
class Cosine:
    """How near output and source lie in a multilingual sentence encoder: a guard, not a measure of quality.

    Formula:
        cosine = mean over segments of s . o / (|s| |o|)
        s, o: vectors of the source and of the output

    Blind to:
        Quality. It tells a translation from an unrelated text; it does not tell a good translation from a bad one. On
        1,000 outputs each of MLQE-PE (test20) its Pearson correlation with people was .45 for ru-en, .07 for en-zh and
        -.01 for en-de; of 172 pairs of systems of WMT22 (de-en, ja-en, ru-en) it put 98 in the order of people. A copy
        of the source has 1, more than any translation. It knows 15 languages: ar, de, en, es, fr, it, ja, ko, nl, pl,
        pt, ru, th, tr, zh.

    Paper:
        Yang, Cer, Ahmad, Guo, Law, Constant, Hernandez Abrego, Yuan, Tar, Sung, Strope and Kurzweil (2020),
        "Multilingual universal sentence encoder for semantic retrieval".
    """

    name: ClassVar[str] = "cosine"
    title: ClassVar[str] = "cosine"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[frozenset[str]] = frozenset({"source", "model"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 4
    concurrent: ClassVar[bool] = False  # the package does not say that threads may share its model

    def versions(self) -> dict[str, str]:
        """The package that the signature must name."""
        return dict(encoder_version())

    def notes(self, testset: TestSet) -> Iterator[str]:
        """What it is not; and where nobody said what languages the texts are in."""
        yield GUARD
        if not testset.source_language or not testset.target_language:
            known = ", ".join(LANGUAGES)
            yield f"cosine knows {known}; it is not said what languages these texts are in, so make sure of it"

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """Refuse languages that the encoder does not know."""
        check_encoder(self.name)
        for side, language in (("source", testset.source_language), ("target", testset.target_language)):
            if language and not covers(language):
                raise InputError(
                    f"cosine: the {side} language of test set {testset.name} is {language}, which the encoder does not "
                    f"know; it knows {', '.join(LANGUAGES)}"
                )
        made = {} if testset.sources is None else {"source": self._read(testset.sources, run, "encoding sources")}
        return Prepared(references=testset.references, made=made)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (cosine, 1)."""
        return rows_of(cosines(prepared.made["source"], self._read(outputs, run, "encoding outputs")))

    def _read(self, lines: Lines, run: Run, stage: str) -> Any:
        return sentence_vectors(list(lines), lambda done: run.tell(stage, done, len(lines)))

    def score(self, sums: Any) -> Any:
        """The mean of the segments' cosines."""
        return mean_score(sums)
