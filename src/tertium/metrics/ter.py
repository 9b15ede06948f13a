"""TER (Snover et al. 2006), equal to sacreBLEU's (Post 2018), which follows tercom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tertium import _kernel
from tertium.core.dense import empty_rows, pair_rows
from tertium.core.lines import Lines
from tertium.core.metric import Exemption, Prepared, choose, metric
from tertium.core.numbers import Number, Sums, columns, ratio, where
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.text.normalise import FORMS
from tertium.text.tokenizers import kernel_tokenize
from tertium.text.words import Reading

if TYPE_CHECKING:
    from tertium.core.marks import Marks
    from tertium.core.steps import Step


@metric
class Ter:
    """Insertions, deletions, substitutions and shifts of blocks, per word of the average reference.

    Formula:
        TER = 100 edits / reference words
        edits: words inserted, deleted, substituted, and blocks of words
        shifted, each 1, found by tercom's greedy search; with several
        references the fewest edits and the average length

    Options:
        normalized: separate punctuation from words first, by tercom's rules
        no_punct: leave punctuation out
        asian: with normalized, set East Asian characters apart; with no_punct, remove their punctuation too
        case_sensitive: upper and lower case differ

    Blind to:
        How bad an edit is: a wrong number costs as much as a wrong article. The search is greedy, so the edits are not
        always the fewest possible.

    Paper:
        Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), "A study of translation edit rate with targeted human
        annotation".
    """

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    better: ClassVar[Literal["higher", "lower"]] = "lower"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 1
    exempt: ClassVar[dict[str, Exemption]] = {
        "perfect output is best": Exemption(
            "with `normalized` references are tokenised twice, as sacreBLEU does",
            lambda metric, _: not metric.normalized,
        )
    }

    normalized: bool = False
    no_punct: bool = False
    asian: bool = False
    case_sensitive: bool = False
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("ter", "unicode", self.unicode, tuple(FORMS))

    @property
    def _reading(self) -> Reading:
        flags = [name for name in ("normalized", "no_punct", "asian") if getattr(self, name)]
        return Reading("+".join(["tercom", *flags]), not self.case_sensitive, self.unicode)

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References tokenised twice, outputs once: so does sacreBLEU, and under `normalized` it shows (`'s,`)."""
        prepared = self._reading.references(testset)
        if not self.normalized:
            return prepared
        streams = (kernel_tokenize(stream, self._reading.kernel_name) for stream in prepared.references.streams)
        return Prepared(references=References(tuple(streams), len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """Fewest edits over the references, average reference length."""
        pairs, scored = self._count(self._reading.outputs(outputs), prepared), prepared.scorable(outputs)
        rows = pairs[0] if len(pairs) == 1 and scored is None else _fewest_edits(pairs, prepared, scored)
        return Stats(("edits", "reference_length"), rows, scored)

    def _count(self, lines: Lines, prepared: Prepared) -> list[Any]:
        """Edits and reference length for every stream of references."""
        pairs: list[Any] = [empty_rows(len(lines), 2) for _ in prepared.streams]
        for stream, pair in zip(prepared.streams, pairs, strict=True):
            _kernel.count_translation_edits(
                lines.view, stream.view, self._reading.kernel_name, prepared.tokenizer, pair
            )
        return pairs

    def marks(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Iterator[Marks]:
        """Words kept, shifted and substituted, in the reference with the fewest edits, the first of equals."""
        from tertium.metrics._edits import fewest  # a score needs neither
        from tertium.metrics._links import word_marks

        lines, best = self._reading.outputs(outputs), None
        if len(prepared.streams) > 1:
            best = fewest(self._count(lines, prepared), prepared, errors=slice(0, 1))
        names = self._reading.kernel_name, prepared.tokenizer
        return word_marks(
            lines, *prepared.chosen(best), lambda one, other: _kernel.link_edits(one, other, *names, True)
        )

    def pairwise(self, outputs: Lines, prepared: Prepared) -> Any:
        """The same rows, of every output against every reference. # (n, m, k)"""
        planes, rows = pair_rows(2, len(outputs), len(prepared.references))
        lines, names = self._reading.outputs(outputs), (self._reading.kernel_name, prepared.tokenizer)
        _kernel.count_translation_edit_pairs(lines.view, prepared.streams[0].view, *names, planes)
        return rows

    def steps(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> list[Step]:
        """How the score of one segment comes about."""
        from tertium.metrics._steps.edits import ter_steps

        return ter_steps(self, outputs, prepared, run)

    def score(self, sums: Sums) -> Number:
        """TER = edits / reference words, in percent; 100 if there is no reference word but an edit."""
        edits, length = columns(sums)
        return 100 * ratio(edits, length, otherwise=where(edits > 0, 1.0, 0.0))

    def parts(self, sums: Sums) -> dict[str, Any]:
        """Edits and reference length."""
        edits, length = columns(sums)
        return {"edits": edits, "reference_length": length}


def _fewest_edits(pairs: list[Any], prepared: Prepared, scored: Any) -> Any:
    import numpy as np

    edits, lengths = np.moveaxis(np.stack(pairs), -1, 0)  # (r, n) each
    present = np.stack([stream.present for stream in prepared.streams])
    average = lengths.sum(axis=0) / np.maximum(prepared.references.counts, 1)
    rows = np.column_stack([np.where(present, edits, np.inf).min(axis=0), average])
    if scored is not None:
        rows[~scored] = 0
    return rows
