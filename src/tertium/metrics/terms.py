"""terms: the share of a glossary's terms that outputs translate as it says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Prepared, metric
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import TestSet
from tertium.io.glossary import glossary_languages, read_glossary
from tertium.text.glossary import Demand, TermChecker, TermPlace, stemmer_name

if TYPE_CHECKING:
    from tertium.core.marks import Marks

Languages = tuple[str | None, str | None]


@dataclass(frozen=True, kw_only=True)
class TermsPrepared(Prepared):
    """With the languages of the test set, by which terms are stemmed."""

    languages: Languages = field(default=(None, None))


@metric
class Terms:
    """The share of a glossary's terms in the source that the output translates as the glossary says.

    Formula:
        terms = 100 found / demanded
        demanded: terms of the glossary that the source has, each once a
        segment; of terms that lie within each other, the longest
        found: those of them of which the output has a translation;
        where nothing is demanded, nothing is missing, and terms is 100

    Options:
        glossary: a file of terms and translations (CSV, TSV, TBX), or its name in a folder of models
        stem: compare words by their stems, so that inflections count; scripts without spaces are compared as they are

    Blind to:
        Everything but the glossary's terms: whether a translation stands in the right place, in the right form, or in a
        sentence at all. An output that lists all translations has the best score.

    Paper:
        Alam, Kvapilíková, Anastasopoulos, Besacier, Dinu, Federico, Gallé, Jung, Koehn and Nikoulina (2021), "Findings
        of the WMT shared task on machine translation using terminologies".
    """

    name: ClassVar[str] = "terms"
    title: ClassVar[str] = "terms"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 100.0)
    needs: ClassVar[frozenset[str]] = frozenset({"source", "glossary"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    models: ClassVar[tuple[str, ...]] = ("glossary",)
    learned: ClassVar[bool] = False
    vacuous: ClassVar[str] = (
        "no segment that was scored has a term of the glossary in its source, so nothing is demanded, and 100 says "
        "nothing; are its languages those of the test set, and the right way round?"
    )

    glossary: str = ""
    stem: bool = True

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> TermsPrepared:
        """The terms that each source demands."""
        import numpy as np

        languages = testset.source_language, testset.target_language
        checker = self._checker(languages, run)
        places = np.empty(len(testset), dtype=object)
        for number, source in enumerate(testset.sources or ()):
            places[number] = () if source is None else checker.demanded(source)
        return TermsPrepared(references=testset.references, made={"demanded": places}, languages=languages)

    def _checker(self, languages: Languages, run: Run) -> TermChecker:
        if not self.glossary:
            raise OptionError('terms needs a glossary: terms(glossary="terms.csv")')
        return _read(self.glossary, run.model(self.glossary), languages, self.stem)

    def _found(self, outputs: Lines, prepared: Prepared, run: Run) -> Iterator[list[Demand]]:
        checker = self._checker(getattr(prepared, "languages", (None, None)), run)
        demanded: list[tuple[TermPlace, ...]] = list(prepared.made["demanded"])
        for output, places in zip(outputs, demanded, strict=True):
            yield [] if output is None else checker.check(places, output)

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: terms found, terms demanded."""
        import numpy as np

        rows = np.zeros((len(outputs), 2))
        for number, found in enumerate(self._found(outputs, prepared, run)):
            rows[number] = len([one for one in found if one.output is not None]), len(found)
        return Stats(("found", "demanded"), rows, prepared.scorable(outputs))

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Translations of terms in the output, and terms of the source that have none."""
        from tertium.core.judgement import Span
        from tertium.core.marks import Marks, MatchedPart

        for found in self._found(outputs, prepared, run):
            said = sorted({one.output for one in found if one.output is not None})
            apart = [at for k, at in enumerate(said) if k == 0 or at[0] >= said[k - 1][1]]
            missing = [one for one in found if one.output is None]
            yield Marks(
                hits=tuple(MatchedPart("term", *at) for at in apart),
                spans=tuple(
                    Span(
                        start=one.source[0], end=one.source[1], severity="major", category="Terminology", side="source"
                    )
                    for one in missing
                ),
            )

    def score(self, sums: Sums) -> Number:
        """Terms found of those demanded, in percent; 100 where none is demanded, because none is missing."""
        found, demanded = columns(sums)
        return 100 * ratio(found, demanded, otherwise=1.0)

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Both numbers."""
        found, demanded = columns(sums)
        return {"found": found, "demanded": demanded}

    def versions(self) -> dict[str, str]:
        """How words are read; which glossary it is, the metric's text says."""
        return {"stem": stemmer_name("en") if self.stem else "none"}

    def notes(self, testset: TestSet) -> list[str]:
        """Where stems are asked for and the languages are not known."""
        unknown = [
            side for side, language in (("source", testset.source_language), ("target", testset.target_language))
            if language is None
        ] if self.stem else []  # fmt: skip
        if not unknown:
            return []
        return [
            f"terms: the test set does not name its {' and its '.join(unknown)} language, so inflected forms are found "
            f"only where the glossary names it"
        ]


@lru_cache(maxsize=4)
def _read(name: str, path: str, languages: Languages, stem: bool) -> TermChecker:  # noqa: ARG001
    """A glossary made ready once for each name, which has a digest of the content, and pair of languages."""
    found = read_glossary(path, languages)
    testset = TestSet(segments=0, source_language=languages[0], target_language=languages[1])
    return TermChecker(found, *glossary_languages(found, testset), stem=stem)
