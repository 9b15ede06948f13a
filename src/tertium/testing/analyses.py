"""The laws of analyses: what is behind a score agrees with the score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from tertium.analysis.favouritism import segment_benefits
from tertium.analysis.pairwise import pairwise
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.system import System
from tertium.engines.evaluate import evaluate
from tertium.inference.jackknife import leave_one_out
from tertium.testing.formulas import reads_references
from tertium.testing.law import law, require, require_close, require_equal
from tertium.testing.rows import count
from tertium.testing.subject import Subject
from tertium.testing.texts import TEXTS, LawSegment, make_testset

SIDES = st.lists(st.none() | TEXTS | TEXTS, min_size=1, max_size=4)
SOURCE = "Die Quelle."


@law("leaving out a segment is scoring the rest", examples=20)
def left_out(subject: Subject, data: st.DataObject) -> None:
    """The corpus without a segment scores what that corpus scores when it is counted alone."""
    metric = data.draw(subject.metrics)
    stats = count(metric, data.draw(subject.corpora))
    whole, without = leave_one_out(stats, metric)
    rows = stats.segments()
    require_close(whole, float(metric.score(stats.total())), "score of the whole")
    rest = np.array([float(metric.score(np.delete(rows, k, axis=0).sum(axis=0))) for k in range(len(rows))])
    require_close(without, rest, "scores without each segment")
    found = segment_benefits(stats, metric)
    known = stats.scored if stats.n > 1 else np.zeros(len(stats), dtype=bool)
    require_equal((~np.isnan(found)).tolist(), known.tolist(), "segments with a benefit")
    sign = 1 if metric.better == "higher" else -1
    gap = np.abs(found - sign * (whole - rest))[known]
    require((gap <= np.maximum(1e-9 * np.abs(whole - rest)[known], 1e-9)).all(), "a benefit is not the difference")


@law("pairs equal scores", examples=25, applies=reads_references)
def pairs(subject: Subject, data: st.DataObject) -> None:
    """The matrix says what a score says of every output against every reference alone, to the last bit."""
    metric, outputs, references = data.draw(subject.metrics), data.draw(SIDES), data.draw(SIDES)
    found = pairwise(outputs, references, metric, source=SOURCE)
    require_equal(found.shape, (len(outputs), len(references)), "shape of the matrix")
    if all(reference is None for reference in references):
        require(np.isnan(found).all(), "an output has a score without any reference")
        return
    for output, row in zip(outputs, found, strict=True):
        alone = [repr(float(value)) for value in _segment_scores(metric, output, references)]
        require_equal([repr(float(value)) for value in row], alone, f"scores of {output!r} against each reference")


def _segment_scores(metric: Metric, output: str | None, references: Sequence[str | None]) -> list[float]:
    """An output against all references, a segment each."""
    testset = make_testset([LawSegment(output, [reference], SOURCE) for reference in references])
    system = System(name="one", outputs=Lines.of([output] * len(references)))
    return [score.value for score in evaluate(testset, [system], [metric]).scores("segment")]


LAWS = (left_out, pairs)
