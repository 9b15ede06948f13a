"""The laws of formulas: score = metric.score(W @ S)."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tertium.core.evaluation import metric_parts, segment_scores, takes_numbers
from tertium.core.metric import Metric, find_exemption
from tertium.testing.law import law, require, require_close, require_equal
from tertium.testing.rows import count
from tertium.testing.subject import Subject
from tertium.testing.texts import SENTENCES, TEXTS, LawSegment

PERFECT = "perfect output is best"


def best_score(metric: Metric) -> float:
    """The end of the range that is aimed at."""
    return metric.range[1] if metric.better == "higher" else metric.range[0]


def reads_references(subject: Subject) -> str:
    """Why a law about references does not apply, or ""."""
    return "" if "references" in subject.needs else "it reads no reference"


def _has_best_score(subject: Subject) -> str:
    if math.isinf(best_score(subject.metric)):
        return "its range has no end, so there is no best score"
    return reads_references(subject)


def _takes_numbers(subject: Subject) -> str:
    return "" if takes_numbers(subject.metric) else "formulas of other packages are handed arrays"


@law("vectorised equals loop", examples=20)
def vectorised(subject: Subject, data: st.DataObject) -> None:
    """Many rows at once score what each does alone, in any shape."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    stats = count(metric, corpus)
    rows = stats.segments()
    score, loop = metric.score(rows), [float(metric.score(row)) for row in rows]
    require_close(score, loop, "scores of all rows at once")
    if stats.types is None:  # sums over types are numpy's own, in an order of its own
        require_equal(score.tolist(), loop, "scores of all rows at once")
    single = [float(segment_scores(metric, row)) for row in rows]
    require_close(segment_scores(metric, rows), single, "segment scores of all rows at once")
    pair = [score, metric.score(rows[::-1])]
    require_close(metric.score(np.stack([rows, rows[::-1]])), pair, "scores of two blocks at once")
    if hasattr(metric, "parts"):
        row_by_row = [metric_parts(metric, row) for row in rows]
        for part, together in metric.parts(rows).items():
            require_close(np.transpose(together), [parts[part] for parts in row_by_row], f"part {part!r}")


@law("plain numbers equal arrays", examples=20, applies=_takes_numbers)
def plain_numbers(subject: Subject, data: st.DataObject) -> None:
    """A corpus score needs no numpy: the formula of a list of floats is that of an array, to the last bit."""
    metric = data.draw(subject.metrics)
    stats = count(metric, data.draw(subject.corpora))
    require_close(stats.sums(), stats.total(), "sums")
    for row in [stats.total(), *stats.segments()]:
        for formula in (metric.score, getattr(metric, "segment_score", metric.score)):
            plain, array = formula(row.tolist()), float(formula(row))
            require(isinstance(plain, float), f"the score of plain numbers is a {type(plain).__name__}, not a float")
            require_close(plain, array, "score of plain numbers")
            if stats.types is None:
                require_equal(plain, array, "score of plain numbers")
        for part, value in metric_parts(metric, row).items():
            require_close(metric_parts(metric, row.tolist())[part], value, f"part {part!r} of plain numbers")


@law("a weight counts a row so many times", examples=20)
def weights(subject: Subject, data: st.DataObject) -> None:
    """(n,) gives one score, (b, n) gives b; the sums are those of a loop; a row of ones is the corpus."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    stats = count(metric, corpus)
    b, n, k = data.draw(st.integers(1, 4)), len(corpus), len(stats.columns)
    counts = data.draw(st.lists(st.integers(0, 5), min_size=b * n, max_size=b * n))
    weights = np.array(counts, dtype=np.float64).reshape(b, n)
    sums = stats.weigh(weights)
    require_equal(sums.shape, (b, k), "shape of the sums")
    require_equal(np.shape(metric.score(sums)), (b,), "shape of the scores")
    rows = stats.segments()
    for j in range(b):
        looped = [sum(weights[j, i] * rows[i, c] for i in range(n)) for c in range(k)]
        require_close(sums[j], looped, "sums under weights")
        require_close(stats.weigh(weights[j]), looped, "sums under one row of weights")
        require_equal(np.shape(metric.score(stats.weigh(weights[j]))), (), "shape of one score")
    require_close(stats.total(), stats.weigh(np.ones(n)), "sum of all rows")
    require_equal(stats.weigh(np.eye(n)).tolist(), rows.tolist(), "rows under the identity")


@law("scores stay in range", examples=20)
def in_range(subject: Subject, data: st.DataObject) -> None:
    """Of the corpus, of any weights, of segments; and of no segment at all, whose sums are zero."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    stats = count(metric, corpus)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(corpus), max_size=len(corpus)))
    sums = np.stack([stats.total(), stats.weigh(np.array(weights, dtype=np.float64)), np.zeros(len(stats.columns))])
    low, high = metric.range
    for rows, values in (
        (sums, metric.score(sums)),
        (stats.segments(), metric.score(stats.segments())),
        (stats.segments(), segment_scores(metric, stats.segments())),
    ):
        for row, value in zip(rows, values, strict=True):
            require(math.isfinite(value), f"the score of sums {row.tolist()} is {value}; it must be a finite number")
            told = f"the score of sums {row.tolist()} is {value}, which is not in the range {metric.range}"
            require(low - 1e-9 <= value <= high + 1e-9, told)


@law(PERFECT, examples=20, applies=_has_best_score)
def perfect(subject: Subject, data: st.DataObject) -> None:
    """An output that says what the reference says has the best score that there is."""
    metric = data.draw(subject.metrics)
    more = st.lists(st.none() | SENTENCES, max_size=1)
    said = data.draw(st.lists(SENTENCES | SENTENCES | TEXTS, min_size=1, max_size=5))
    stats = count(metric, [LawSegment(text, [text, *data.draw(more)]) for text in said])
    exemption = find_exemption(metric, PERFECT)
    assume(exemption is None or exemption.holds is None or exemption.holds(metric, stats.sums()))
    require_close(float(metric.score(stats.total())), best_score(metric), "score of a perfect output")


@law("an output that lacks everything is worse than a perfect one", applies=reads_references)
def worse(subject: Subject) -> None:
    """An empty output is scored: adding one never helps."""
    metric, text = subject.metric, "the cat sat on the mat"

    def score(output: str) -> float:
        return float(metric.score(count(metric, [LawSegment(text, [text]), LawSegment(output, [text])]).total()))

    perfect = score(text)
    require_equal(score(text), perfect, "the same score once more")
    for output in ("", "x"):
        found = score(output)
        lost = found < perfect if metric.better == "higher" else found > perfect
        require(lost, f"score with {output!r} for {text!r}: {found}; it must be worse than {perfect}")


LAWS = (vectorised, plain_numbers, weights, in_range, perfect, worse)
