"""The laws of evaluations: shards, threads, processes, signatures."""

from __future__ import annotations

import math
import re
import sys
from importlib.metadata import version
from itertools import pairwise
from multiprocessing.reduction import ForkingPickler
from typing import Any
from unittest.mock import patch

from hypothesis import assume
from hypothesis import strategies as st

from tertium.core.evaluation import Evaluation
from tertium.core.lines import Lines
from tertium.core.run import Run
from tertium.core.system import System
from tertium.engines import door
from tertium.engines.evaluate import Counting, evaluate
from tertium.engines.models import pin
from tertium.metrics import parse
from tertium.testing.law import LawError, law, require, require_equal
from tertium.testing.rows import require_same_rows
from tertium.testing.subject import Subject
from tertium.testing.texts import Corpus, LawSegment, make_outputs, make_testset

# The engine's file, whose shards are made small; `tertium.engines.evaluate` may also mean the function of that name.
ENGINE = sys.modules[evaluate.__module__]


def _assume_countable(corpus: Corpus) -> None:
    """An evaluation without any reference is refused where the metric needs them."""
    assume(any(reference is not None for segment in corpus for reference in segment.references))


def require_same(got: Evaluation, expected: Evaluation, what: str) -> None:
    """Break the law unless rows and scores are equal, to the last bit."""
    require_equal(list(got.table), list(expected.table), f"systems and metrics {what}")
    for key, stats in got.table.items():
        require_same_rows(stats, expected.table[key], what)
        require_equal(stats.scored.tolist(), expected.table[key].scored.tolist(), f"scored {what}")
    for level in ("corpus", "segment"):
        mine, theirs = (list(map(repr, evaluation.scores(level))) for evaluation in (got, expected))
        require_equal(mine, theirs, f"scores {what}")


@law("shards and threads equal the whole", examples=15)
def shards(subject: Subject, data: st.DataObject) -> None:
    """Any number of segments in a shard, any number of threads."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    shard, threads = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 5))
    _assume_countable(corpus)
    testset, outputs = make_testset(corpus), make_outputs(corpus)
    systems = [System(name="one", outputs=outputs), System(name="other", outputs=Lines.of(list(outputs)[::-1]))]
    whole = evaluate(testset, systems, [metric], run=Run(threads=1))
    with patch.object(ENGINE, "SHARD", shard):
        require_equal(len(Counting(testset, systems, Run(), 1).bounds), math.ceil(len(corpus) / shard), "shards")
        parts = evaluate(testset, systems, [metric], run=Run(threads=threads))
    require_same(parts, whole, f"from shards of {shard}")


@law("many threads equal one")
def threads(subject: Subject) -> None:
    """Real shards: several of them, every thread at work."""
    size: int = ENGINE.SHARD
    n = 2 * size + 17
    words = "the cat sat on a mat in Paris , again".split()
    texts = [" ".join(words[(i + k) % len(words)] for k in range(i % 9)) for i in range(n)]
    corpus = [
        LawSegment(None if i % 11 == 0 else texts[i - 1], [text, None if i % 7 else text[::-1]], text)
        for i, text in enumerate(texts)
    ]
    testset, systems = make_testset(corpus), [System(name="one", outputs=make_outputs(corpus))]
    told: list[tuple[str, int, int]] = []
    alone = evaluate(testset, systems, [subject.metric], run=Run(threads=1))
    many = evaluate(testset, systems, [subject.metric], run=Run(threads=4, progress=lambda *at: told.append(at)))
    require_same(many, alone, "on four threads")
    require_equal({(stage, total) for stage, _, total in told}, {("counting segments", n)}, "what is told")
    counted = [done for _, done, _ in told]
    require_equal((counted[0], counted[-1]), (0, n), "the first and the last that is told")
    require_equal(sorted(b - a for a, b in pairwise(counted)), [17, size, size], "steps that are told")


@law("its signature says what is needed to repeat the score", examples=15)
def signature(subject: Subject, data: st.DataObject) -> None:
    """The metric, the data, the versions of all that took part."""
    metric: Any = data.draw(subject.metrics)
    corpus = data.draw(subject.corpora)
    _assume_countable(corpus)
    evaluation = evaluate(make_testset(corpus), [System(name="one", outputs=make_outputs(corpus))], [metric])
    metric, _ = pin(metric, Run())  # models are called by name and content
    said = evaluation.signatures[str(metric)]
    versions = metric.versions() if hasattr(metric, "versions") else {}
    digests = [key for key, need in (("data", "references"), ("src", "source")) if need in metric.needs]
    text, *parts = said.rsplit("|", 3 + len(digests) + len(versions))
    require_equal(parse(text), metric, "the metric that the signature names")
    facts = {key: value for key, _, value in (part.partition(":") for part in parts)}
    require(versions.items() <= facts.items(), f"{said} does not name {versions}")
    counts = {sum(reference is not None for reference in segment.references) for segment in corpus}
    low, high = min(counts), max(counts)
    require_equal(facts["refs"], f"{low}" if low == high else f"{low}-{high}", "references")
    require_equal(facts["n"], str(len(corpus)), "segments")
    require_equal(facts["tertium"], version("tertium"), "version")
    for key in digests:
        require(re.fullmatch("[0-9a-f]{12}", facts[key]), f"{said} does not name the {key}")
    require(all(score.signature == said for score in evaluation.scores()), "scores have another signature")


@law("processes can be sent it")
def processes(subject: Subject) -> None:
    """Metric, what it prepared, statistics and evaluation come out of a pickle as they went in."""
    corpus = [
        LawSegment("the cat", ["the cat sat", "a cat"], "eins zwei"),
        LawSegment(None, ["on a mat"], "drei"),
        LawSegment("mat", [], None),
    ]
    metric = _sent(subject.metric)
    require_equal(metric, subject.metric, "the metric")
    outputs = make_outputs(corpus)
    stats = door.count(metric, outputs, _sent(door.prepare(metric, make_testset(corpus))))
    again = _sent(stats)
    require_same_rows(again, stats, "behind a pickle")
    require_equal(again.scored.tolist(), stats.scored.tolist(), "scored")
    evaluation = evaluate(make_testset(corpus), [System(name="one", outputs=outputs)], [metric])
    require_same(_sent(evaluation), evaluation, "behind a pickle")


def _sent(value: Any) -> Any:
    try:
        return ForkingPickler.loads(ForkingPickler.dumps(value))
    except Exception as error:  # whatever is in it may refuse in a way of its own
        raise LawError(f"{type(value).__name__} cannot be pickled: {error}") from error


LAWS = (shards, threads, signature, processes)
