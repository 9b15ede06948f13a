"""The laws of declarations and rows."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from tertium.core.metric import Metric, Prepared
from tertium.core.sparse import SparseRows
from tertium.core.stats import Stats
from tertium.engines import door
from tertium.metrics import parse
from tertium.testing.law import law, require, require_equal
from tertium.testing.subject import Subject
from tertium.testing.texts import ANY, HARD, TEXTS, Corpus, LawSegment, make_outputs, make_testset

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEEDS = frozenset({"references", "source", "model", "glossary"})


def prepare(metric: Metric, corpus: Corpus) -> Prepared:
    """The test set of segments as the metric reads it."""
    return door.prepare(metric, make_testset(corpus))


def count(metric: Metric, corpus: Corpus) -> Stats:
    """The rows of segments."""
    return door.count(metric, make_outputs(corpus), prepare(metric, corpus))


def dense(stats: Stats) -> tuple[list[str], NDArray[np.float64]]:
    """Rows as one block; sparse columns in the order of their names, because theirs is of no meaning."""
    rows = stats.segments()
    if not isinstance(stats.rows, SparseRows):
        return list(stats.columns), rows
    order = sorted(range(len(stats.columns)), key=lambda k: stats.columns[k])
    return [stats.columns[k] for k in order], rows[:, order]


def require_same_rows(got: Stats, expected: Stats, what: str) -> None:
    """Break the law unless columns and rows are equal, to the last bit."""
    (columns, rows), (others, theirs) = dense(got), dense(expected)
    require_equal(columns, others, f"columns {what}")
    if rows.tobytes() != theirs.tobytes():
        require_equal(rows.tolist(), theirs.tolist(), f"rows {what}")
        require_equal(rows.tobytes(), theirs.tobytes(), f"rows {what}, in bytes (-0.0 is not 0.0)")


# Declarations


@law("it declares what it is")
def declarations(subject: Subject) -> None:
    """What tables, tests and pages ask of a metric."""
    metric: Any = subject.metric
    require(isinstance(metric, Metric), f"{metric!r} lacks a member of tertium.Metric")
    require_equal(str(type(metric)()), metric.name, "text of the metric with its defaults")
    require(metric.better in ("higher", "lower"), f"better={metric.better!r}; must be 'higher' or 'lower'")
    low, high = metric.range
    require(low < high, f"range={metric.range!r}; the first must be less than the second")
    require(metric.resampling in ("percentile", "paired only"), f"resampling={metric.resampling!r} is unknown")
    require(metric.needs <= NEEDS, f"needs={sorted(metric.needs)}; must be some of {sorted(NEEDS)}")
    require(isinstance(metric.title, str), f"title={metric.title!r}; must be a text")
    require(metric.decimals >= 0, f"decimals={metric.decimals!r}; must not be negative")
    options = {field.name for field in dataclasses.fields(metric)}
    require(set(getattr(metric, "local", ())) <= options, "local must name options of the metric")


@law("its text means the metric", examples=100)
def text(subject: Subject, data: st.DataObject) -> None:
    """A metric is a value: parse(str(m)) == m."""
    metric = data.draw(subject.metrics)
    again = parse(str(metric))
    require_equal(again, metric, "the metric that its text means")
    require_equal(str(again), str(metric), "text")
    require_equal(hash(again), hash(metric), "hash")
    try:
        metric.name = "changed"  # type: ignore[misc]
    except dataclasses.FrozenInstanceError:
        return
    require(False, f"{metric} could be changed; make its class one with @tertium.metric")


@law("every variant has a text of its own")
def texts(subject: Subject) -> None:
    """Options that differ are told apart."""
    found = subject.variants
    require_equal(len({str(metric) for metric in found}), len(set(found)), "different texts of different options")
    require_equal([parse(str(metric)) for metric in found], found, "what the texts mean")
    require(
        len(set(found)) > 1 or not subject.fields,
        "no other value was accepted for any option; name words that they take: laws_of(..., words=(...))",
    )


@law("equal keys mean equal rows", examples=20)
def keys(subject: Subject, data: st.DataObject) -> None:
    """Metrics with equal stats_key share rows: so what helps to make rows has to be part of the key."""
    one, other = data.draw(subject.metrics), data.draw(subject.others)
    corpus = data.draw(subject.corpora)
    several = any(sum(reference is not None for reference in segment.references) > 1 for segment in corpus)
    for candidate in (other, *subject.variants):
        if _key(candidate, several) == _key(one, several):
            require_same_rows(count(candidate, corpus), count(one, corpus), f"of {candidate}, which has {one}'s key")


def _key(metric: Any, several: bool) -> str:
    return metric.stats_key(several) if hasattr(metric, "stats_key") else str(metric)


# Rows


@law("rows are finite, and zero where not scored", examples=20)
def finite(subject: Subject, data: st.DataObject) -> None:
    """0 x NaN is NaN: one such row would spoil every sum."""
    corpus = data.draw(subject.corpora)
    stats = count(data.draw(subject.metrics), corpus)
    rows = stats.segments()
    require_equal(rows.shape, (len(corpus), len(stats.columns)), "shape of the rows")
    require(np.isfinite(rows).all(), "a statistic is not a finite number")
    require_equal(stats.scored.tolist(), [segment.scorable(subject.needs) for segment in corpus], "scored")
    require(not rows[~stats.scored].any(), "a segment that is not scored has a row that is not zero")


@law("the order of segments does not matter", examples=20)
def order(subject: Subject, data: st.DataObject) -> None:
    """A segment takes its row along."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    numbers = data.draw(st.permutations(range(len(corpus))))
    shuffled = count(metric, [corpus[k] for k in numbers])
    require_same_rows(shuffled, count(metric, corpus).take(np.array(numbers)), "in another order")


@law("a segment alone has the row it has among others", examples=20)
def alone(subject: Subject, data: st.DataObject) -> None:
    """Given the same knowledge of the test set: nothing of a segment is left for the next."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    shared = prepare(metric, corpus).shared
    columns, rows = dense(count(metric, corpus))
    for k, segment in enumerate(corpus):
        prepared = dataclasses.replace(prepare(metric, [segment]), shared=shared)
        names, row = dense(door.count(metric, make_outputs([segment]), prepared))
        kept = [columns.index(name) for name in names]
        require_equal(row[0].tolist(), rows[k, kept].tolist(), f"row of segment {k + 1} alone")


# Any text


@law("no text is too hard")
def hard(subject: Subject) -> None:
    """Every hard line against every other, and as a second reference."""
    corpus = [LawSegment(output, [other], other) for output in HARD for other in HARD]
    corpus += [LawSegment(output, ["the cat", output[::-1]], output[::-1]) for output in HARD]
    metric = subject.metric
    stats = count(metric, corpus)
    require(stats.scored.all(), "a segment was not scored")
    require(np.isfinite(stats.segments()).all(), "a statistic is not a finite number")
    require(np.isfinite(metric.score(stats.segments())).all(), "the score of a segment is not a finite number")
    low, high = metric.range
    require(low <= float(metric.score(stats.total())) <= high, "the score is out of range")


@law("no line is too long", examples=12)
def long(subject: Subject, data: st.DataObject) -> None:
    """Up to 3000 times any text."""
    metric, text = data.draw(subject.metrics), data.draw(ANY) * data.draw(st.sampled_from([1, 100, 3000]))
    corpus = [
        LawSegment(text, [text], text),
        LawSegment(text, ["the cat"], "the cat"),
        LawSegment("the cat", [text], text),
    ]
    stats = count(metric, corpus)
    require(stats.scored.all(), "a segment was not scored")
    require(np.isfinite(stats.segments()).all(), "a statistic is not a finite number")


@law("an empty output is scored, and a missing one is not", examples=12)
def empty(subject: Subject, data: st.DataObject) -> None:
    """Missing is not empty, on any side."""
    metric, given = data.draw(subject.metrics), data.draw(TEXTS)
    corpus = [
        LawSegment("", [given], given),
        LawSegment(None, [given], given),
        *(LawSegment("", references, None) for references in ([None], [])),
        LawSegment("", [""], ""),
        *(LawSegment("", [given], None), LawSegment("", [], given)),
    ]
    stats = count(metric, corpus)
    require_equal(stats.scored.tolist(), [segment.scorable(subject.needs) for segment in corpus], "scored")
    require(not stats.segments()[~stats.scored].any(), "a segment that is not scored has a row that is not zero")


LAWS = (declarations, text, texts, keys, finite, order, alone, hard, long, empty)
