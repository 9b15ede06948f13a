"""lexical: a learned metric that needs no network, a linear model of what can be counted in two texts."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Literal

from tertium.core.lines import Lines
from tertium.core.metric import Prepared, choose, metric
from tertium.core.numbers import Number, Sums, columns, ratio
from tertium.core.run import PLAIN, Run
from tertium.core.stats import Stats
from tertium.core.testset import References, TestSet
from tertium.io.lexical import EMBEDDED, LexicalWeights, embedded_digest, read_lexical
from tertium.metrics._lexical import count_features, predict, word_table
from tertium.text.normalise import FORMS, normalise


@metric
class Lexical:
    """How people would judge an output, by a linear model of what it has in common with the reference.

    Formula:
        lexical = mean over segments of b + sum over f of w_f (x_f - m_f) / s_f
        x_f: 33 features of output and reference: character and word n-grams,
        character and word edits, words weighted by how rare they are,
        numbers, capitalised words, stems, order, length, how they end
        b, w_f, m_f, s_f: from ridge regression on people's judgements; of
        several references the one that gives the best score

    Options:
        model: weights of your own, a file that `tertium learn train --recipe lexical` wrote, or its name in a folder of
            models; none: those that come with tertium

    Blind to:
        Meaning: what is not in the letters of the reference. The embedded weights were learned from outputs in English
        beside their post-edits (MLQE-PE) and know which English words are frequent. 0 is an average output there and 1
        a rater's standard deviation; there are no fixed bounds. Scores of different weights cannot be compared.

    Paper:
        Fomicheva et al. (2022), "MLQE-PE: A multilingual quality estimation and post-editing dataset", whose judgements
        the weights are fitted to; Hoerl and Kennard (1970), "Ridge regression: Biased estimation for nonorthogonal
        problems".
    """

    name: ClassVar[str] = "lexical"
    title: ClassVar[str] = "lexical"
    better: ClassVar[Literal["higher", "lower"]] = "higher"
    range: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resampling: ClassVar[Literal["percentile", "paired only"]] = "percentile"
    decimals: ClassVar[int] = 3
    models: ClassVar[tuple[str, ...]] = ("model",)
    learned: ClassVar[bool] = True

    model: str = ""
    unicode: str = "none"

    def __post_init__(self) -> None:
        choose("lexical", "unicode", self.unicode, tuple(FORMS))

    def versions(self) -> dict[str, str]:
        """Which weights the signature must name; those of a model are in the metric's text."""
        return {} if self.model else {"weights": embedded_digest()}

    def prepare(self, testset: TestSet, run: Run = PLAIN) -> Prepared:
        """References, normalised."""
        streams = tuple(normalise(stream, self.unicode) for stream in testset.references.streams)
        return Prepared(references=References(streams, len(testset)))

    def stats(self, outputs: Lines, prepared: Prepared, run: Run = PLAIN) -> Stats:
        """One row per segment: (score, 1), of the reference that scores best."""
        import numpy as np

        path = run.model(self.model) if self.model else None
        weights, words = _load(self.model, path)
        lines = normalise(outputs, self.unicode)
        values = np.full(len(outputs), -np.inf)
        for stream in prepared.streams:
            found = predict(count_features(lines, stream, words), weights, path or EMBEDDED)
            values = np.where(stream.present, np.maximum(values, found), values)
        scorable = prepared.scorable(outputs)
        scored = np.ones(len(outputs), dtype=bool) if scorable is None else scorable
        return Stats(("value", "segments"), np.column_stack([np.where(scored, values, 0.0), scored]), scorable)

    def score(self, sums: Sums) -> Number:
        """The mean of the segments' scores; 0 of none."""
        total, count = columns(sums)
        return ratio(total, count)


@lru_cache(maxsize=4)
def _load(name: str, path: str | None) -> tuple[LexicalWeights, Any]:  # noqa: ARG001
    """Weights and the kernel's table of words, read once for each name, which has a digest of the content."""
    weights = read_lexical(path)
    return weights, word_table(weights.words)
