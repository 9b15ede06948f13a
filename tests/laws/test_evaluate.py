"""The laws of evaluate: shards, threads, sharing of statistics, signatures, refusals."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Sequence
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tertium.engines.evaluate  # noqa: F401
from tertium.core.errors import InputError, OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Metric, Prepared
from tertium.core.run import Run
from tertium.core.stats import Stats
from tertium.core.system import System
from tertium.core.testset import References, TestSet
from tertium.engines.signature import signature
from tertium.metrics import parse
from tertium.testing.rows import dense

from .texts import CORPORA, SENTENCES, Corpus, make_testset
from .variants import NAMES, metrics

engine = sys.modules["tertium.engines.evaluate"]
evaluate = engine.evaluate
some = settings(max_examples=15)


def systems_of(*outputs: Sequence[str | None]) -> list[System]:
    return [System(name=f"system{k}", outputs=Lines.of(texts)) for k, texts in enumerate(outputs)]


@some
@given(data=st.data(), corpus=CORPORA)
def test_together_equals_alone(data: st.DataObject, corpus: Corpus) -> None:
    """Metrics that share statistics, and systems side by side, change nothing."""
    assume(any(reference is not None for _, references in corpus for reference in references))
    chosen = data.draw(st.lists(st.sampled_from(NAMES).flatmap(metrics), min_size=2, max_size=5, unique=True))
    testset = make_testset([references for _, references in corpus])
    systems = systems_of([output for output, _ in corpus], ["the cat"] * len(corpus))
    together = evaluate(testset, systems, chosen)
    for system in systems:
        for metric in chosen:
            alone = evaluate(testset, [system], [metric])
            mine, other = together.stats(system.name, metric), alone.stats(system.name, metric)
            assert dense(mine)[1].tobytes() == dense(other)[1].tobytes()


@given(texts=st.lists(SENTENCES, min_size=1, max_size=4), k=st.integers(0, 3), change=SENTENCES)
def test_signature_tells_references_apart(texts: list[str], k: int, change: str) -> None:
    other = [*texts]
    other[k % len(texts)] = change
    signatures = {signature(parse("bleu"), make_testset([[text] for text in side])) for side in (texts, other)}
    assert len(signatures) == (1 if texts == other else 2)


# What is refused, and what is only suspicious


@pytest.mark.parametrize(
    ("references", "outputs", "chosen", "said"),
    [
        ([["a"]], [], ["bleu"], "no system to score"),
        ([["a"]], [1], [], "no metric to score with"),
        ([], [0], ["bleu"], "is empty"),
        ([["a"]], [1, 1], ["bleu"], "two systems are called system0"),
        ([[]], [1], ["bleu"], "bleu needs references, and test set testset has none"),
        ([[None]], [1], ["ter"], "ter needs references"),
        ([["a"]], [2], ["bleu"], "2 lines, but test set testset has 1 segment. Did a line break"),
        ([["a"], ["a"]], [1], ["bleu"], "1 line, but .* 2 segments. Did the decoder drop"),
    ],
)
def test_refuses(references: list[list[str | None]], outputs: list[int], chosen: list[str | Metric], said: str) -> None:
    """`outputs`: how many lines each system has."""
    systems = [system for n in outputs for system in systems_of(["a"] * n)]
    with pytest.raises(InputError, match=said):
        evaluate(make_testset(references), systems, chosen)


def test_length_error_names_the_file_and_the_document() -> None:
    testset = TestSet(
        name="wmt", segments=3, references=References((Lines.of(["a"] * 3),), 3), documents=("x", "x", "y")
    )
    short = System(name="s", outputs=Lines.of(["a"] * 2), origin="s.txt")
    with pytest.raises(
        InputError, match=r"^s\.txt: 2 lines, but .* wmt has 3 segments \(first missing in document y\)"
    ):
        evaluate(testset, [short], ["bleu"])


def test_a_metric_that_needs_the_source_is_refused_without_it() -> None:
    class Fake:
        name, needs, stats = "fake", frozenset({"source"}), None

    with pytest.raises(InputError, match="fake needs the source"):
        evaluate(TestSet(segments=1), systems_of(["a"]), [Fake()])  # type: ignore[list-item]


def warnings_of(outputs: list[str | None], references: list[list[str | None]]) -> list[str]:
    return list(evaluate(make_testset(references), systems_of(outputs), ["wer"]).warnings)


def test_references_that_were_made_from_outputs() -> None:
    """Half of what a post-edit shows is whose output it was: nobody who reads a score sees that in the texts."""
    references: list[list[str | None]] = [[f"s{k}"] for k in range(120)]
    references[0] = [None]
    texts = {"fjord": ["x", "y"] * 60, "lumen": ["z", "w"] * 60}
    systems = [System(name=name, outputs=Lines.of(outputs)) for name, outputs in texts.items()]
    plain = make_testset(references)
    engines = ("fjord",) * 3 + ("lumen",) * 4 + ("another",) * 3 + ("",) * 110
    said = dataclasses.replace(plain, records={"engine": engines})
    missing = "1 of 120 segments has no reference and is not scored"
    assert list(evaluate(plain, systems, ["wer"]).warnings) == [missing]
    assert list(
        evaluate(dataclasses.replace(plain, records={"engine": ("another",) * 120}), systems, ["wer"]).warnings
    ) == [missing]
    assert list(evaluate(said, systems, ["wer"]).warnings) == [
        missing,
        "references of 6 segments were made from outputs of lumen (4), fjord (2): a system may score better against "
        "those that were made from its own",
    ]


def test_suspicions() -> None:
    n = 120
    plain = [f"the cat {i}" for i in range(n)]
    references: list[list[str | None]] = [[text] for text in plain]
    assert warnings_of([*plain], references) == []
    assert "only 1 segment:" in warnings_of(["a"], [["a"]])[0]
    assert "only 99 segments" in warnings_of([*plain[:99]], references[:99])[0]
    assert warnings_of([*plain], [[None], *references[1:]]) == ["1 of 120 segments has no reference and is not scored"]
    assert warnings_of([None, *plain[1:]], references) == ["system0: 1 of 120 outputs is missing and not scored"]
    assert warnings_of(["same"] * n, references) == ["system0: all 120 outputs are the same"]
    assert warnings_of([f"{text} ." for text in plain[:99]] + plain[99:], references) == []
    [tokenised] = warnings_of([f"{text} ." for text in plain[:100]] + plain[100:], references)
    assert "still tokenised?" in tokenised


def test_systems_that_say_the_same() -> None:
    texts, others = [f"the cat {i}" for i in range(120)], [f"the dog {i}" for i in range(120)]  # of the same lengths
    references: list[list[str | None]] = [[text] for text in texts]
    named = {"a": texts, "b": others, "c": [*texts], "d": [*others], "e": [*texts], "f": [*texts[:-1], "x"]}
    systems = [System(name=name, outputs=Lines.of(outputs)) for name, outputs in named.items()]
    assert list(evaluate(make_testset(references), systems, ["wer"]).warnings) == [
        "a, c and e have the same outputs: is one of them another's copy?",
        "b and d have the same outputs: is one of them another's copy?",
    ]


def test_levels() -> None:
    """Corpus, document and segment scores are sums of the same rows; what is not scored is NaN."""
    references = References((Lines.of(["a b", "c d", None, "e"]),), 4)
    testset = TestSet(segments=4, references=references, documents=("x", "y", "z", "x"), ids=("i", "j", "k", "l"))
    evaluation = evaluate(testset, systems_of(["a x", None, "c", "e f"]), ["wer"])
    [corpus] = evaluation.scores()
    assert (corpus.value, corpus.n, float(corpus)) == (pytest.approx(200 / 3), 2, corpus.value)
    documents = {score.document: score for score in evaluation.scores("document")}
    assert documents["x"].value == corpus.value
    assert documents["x"].n == 2
    assert [math.isnan(documents[name].value) for name in "xyz"] == [False, True, True]
    segments = {score.segment: score for score in evaluation.scores("segment")}
    assert [segments[name].n for name in "ijkl"] == [1, 0, 0, 1]
    assert (segments["i"].value, segments["l"].value, segments["l"].document) == (50, 100, "x")
    assert math.isnan(segments["j"].value)
    assert segments["j"].parts == {}
    assert corpus.parts["hits"] == 2
    nothing = evaluate(testset, systems_of([None] * 4), ["wer", "bleu"]).scores()
    assert [(math.isnan(score.value), score.n) for score in nothing] == [(True, 0)] * 2
    with pytest.raises(InputError, match="has no documents"):
        evaluate(make_testset([["a"]]), systems_of(["a"]), ["wer"]).scores("document")


def test_sharing_counts_only_once() -> None:
    with patch("tertium.metrics._edits.count_edits", wraps=sys.modules["tertium.metrics._edits"].count_edits) as calls:
        evaluation = evaluate(make_testset([["a b"]]), systems_of(["a c"]), ["wer", "mer,wil", "wip", "wer"])
    assert calls.call_count == 1
    assert [score.value for score in evaluation.scores()] == pytest.approx([50, 50, 75, 25])
    assert np.array_equal(evaluation.stats("system0", "wip").segments(), [[1, 1, 0, 0]])


def test_what_there_is_not_is_named() -> None:
    evaluation = evaluate(make_testset([["a"]]), systems_of(["a"]), ["wer"])
    with pytest.raises(OptionError, match=r"no statistics of system 'x' under wer; there are: \(system0, wer\)"):
        evaluation.stats("x", "wer")
    with pytest.raises(OptionError, match="level 'word' is unknown; choose from corpus, document, segment"):
        evaluation.scores("word")  # type: ignore[arg-type]


@dataclasses.dataclass(frozen=True)
class Total:
    """How many words all references have, the knowledge that one shard has not."""

    words: int

    def merge(self, other: Total) -> Total:
        return Total(self.words + other.words)


class Shares:
    """A metric whose rows depend on the whole test set, as NIST's do."""

    name, title, better, range, decimals = "shares", "Shares", "higher", (0.0, 1.0), 1
    needs, resampling = frozenset({"references"}), "percentile"

    def __str__(self) -> str:
        return self.name

    def prepare(self, testset: TestSet, run: Run) -> Prepared:  # noqa: ARG002
        words = sum(len(text.split()) for texts in testset.references for text in texts)
        return Prepared(references=testset.references, shared=Total(words))

    def stats(self, outputs: Lines, prepared: Prepared, run: Run) -> Stats:  # noqa: ARG002
        rows = [[len(str(text).split()) / prepared.shared.words] for text in outputs]
        return Stats(("share",), np.array(rows), None)

    def score(self, sums: Any) -> Any:
        return sums[..., 0] if isinstance(sums, np.ndarray) else sums[0]


def test_shards_know_what_all_of_them_know() -> None:
    testset = make_testset([["a b"], ["c"], ["d e f"], ["g", "h i"]])
    with patch.object(engine, "SHARD", 1):
        evaluation = evaluate(testset, systems_of(["a", "b c", "", "d e f"]), [Shares()], run=Run(threads=2))  # type: ignore[list-item]
    assert evaluation.stats("system0", "shares").segments().ravel().tolist() == [1 / 9, 2 / 9, 0, 3 / 9]


def test_evaluations_of_the_same_test_set_merge() -> None:
    testset = make_testset([["a b"], ["c"]])
    one = evaluate(testset, systems_of(["a b", "x"]), ["wer"])
    other = evaluate(testset, [System(name="other", outputs=Lines.of(["a", "c"]))], ["wer", "per"])
    merged = one.merge(other)
    found = {(score.system, score.metric): score.value for score in merged.scores()}
    assert found == {("system0", "wer"): pytest.approx(100 / 3), ("other", "wer"): pytest.approx(100 / 3),
                     ("other", "per"): pytest.approx(100 / 3)}  # fmt: skip
    assert merged.signatures.keys() == {"wer", "per"}
    assert merged.warnings == one.warnings
    again = merged.merge(one)
    assert [repr(score) for score in again.scores()] == [repr(score) for score in merged.scores()]
    with pytest.raises(InputError, match="evaluations of different test sets cannot be merged"):
        one.merge(evaluate(make_testset([["a b"], ["d"]]), systems_of(["a b", "x"]), ["wer"]))
    with pytest.raises(InputError, match="both evaluations have a system system0, with different outputs"):
        one.merge(evaluate(testset, systems_of(["a b", "y"]), ["wer"]))
