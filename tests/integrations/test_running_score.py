"""The interface of torchmetrics in plain Python: batches, merged states and copies score as all texts at once."""

import pickle
from typing import Any

import pytest
from tests.integrations.texts import FIRST, LENGTHS, OTHERS, OUTPUTS, PAIRS, SOURCES, value

import tertium as tt
from tertium.integrations.torchmetrics import RunningScore

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # the examples have 96 segments
METRICS = ["bleu", "chrf(words=2)", "ter", "macrof", "microf", "meteor", "wer", "lepor"]


def batches(metric: str, references: Any, size: int, first: int = 0, last: int = len(OUTPUTS)) -> RunningScore:
    running = RunningScore(metric)
    for k in range(first, last, size):
        end = min(k + size, last)
        running.update(OUTPUTS[k:end], references[k:end])
    return running


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("references", [FIRST, PAIRS], ids=["one", "two"])
@pytest.mark.parametrize("size", [7, 96])
def test_batches_score_as_the_whole(metric: str, references: Any, size: int) -> None:
    assert batches(metric, references, size).compute() == value(metric, references)


@pytest.mark.parametrize("metric", METRICS)
def test_states_merge(metric: str) -> None:
    """As after two processes, one of which sent its state through a pickle and the other its rows alone."""
    here, there = batches(metric, FIRST, 10, 0, 30), batches(metric, FIRST, 20, 30, 70)
    here.merge_state(pickle.loads(pickle.dumps(there)))
    here.merge_state(pickle.loads(pickle.dumps(batches(metric, FIRST, 5, 70).rows)))
    assert here.compute() == value(metric)
    assert there.compute() == value(metric, FIRST[30:70], OUTPUTS[30:70])


def test_segments_may_have_different_numbers_of_references() -> None:
    ragged = [pair[: 1 + k % 2] for k, pair in enumerate(PAIRS)]
    assert batches("chrf", ragged, 9).compute() == value("chrf", ragged)


def test_a_call_returns_the_score_of_its_batch() -> None:
    running = RunningScore("bleu")
    assert running(OUTPUTS[:50], FIRST[:50]) == value("bleu", FIRST[:50], OUTPUTS[:50])
    assert running(OUTPUTS[50:], FIRST[50:]) == value("bleu", FIRST[50:], OUTPUTS[50:])
    assert running.compute() == running.compute() == value("bleu")


def test_reset_forgets_and_clones_are_others() -> None:
    running = batches("bleu", FIRST, 48)
    other = running.clone()
    running.reset()
    with pytest.raises(tt.TertiumError, match="bleu: nothing to score; call update"):
        running.compute()
    with pytest.raises(tt.TertiumError, match="there are no rows before the first update"):
        _ = running.rows
    running.update(OTHERS, FIRST)
    assert running.compute() == value("bleu", FIRST, OTHERS)
    assert other.compute() == value("bleu")


def test_what_a_metric_declares() -> None:
    assert RunningScore("bleu").higher_is_better
    assert not RunningScore("ter").higher_is_better
    assert RunningScore.full_state_update is RunningScore.is_differentiable is False


def test_sources() -> None:
    running = RunningScore(LENGTHS)
    running.update(OUTPUTS[:9], sources=SOURCES[:9])
    running.update(OUTPUTS[9:], sources=SOURCES[9:])
    [score] = tt.score(OUTPUTS, sources=SOURCES, metrics=LENGTHS)
    assert running.compute() == score.value


def test_what_depends_on_all_references_is_refused() -> None:
    with pytest.raises(tt.TertiumError, match="nist cannot be counted batch by batch: how much a match counts"):
        batches("nist", FIRST, 10)


def test_what_is_given_is_refused() -> None:
    with pytest.raises(tt.TertiumError, match="its rows are given, not counted"):
        RunningScore("human")


@pytest.mark.parametrize(
    ("preds", "target", "said"),
    [
        (["a", "b"], ["a"], "1 line, but 2 outputs"),
        (["a", None], ["a", "b"], r"preds\[1\]: None; every segment needs a text"),
        (["a"], [None], r"target\[0\]: None; every segment needs a reference"),
        ("a", ["a"], "preds: a single string; pass a list of strings"),
        ([b"a"], ["a"], r"preds\[0\]: bytes b'a'; every segment needs a text"),
        (["a"], None, "bleu needs references"),
        ([], [], "is empty: there is no segment to score"),
    ],
)
def test_errors_are_sentences(preds: Any, target: Any, said: str) -> None:
    running = RunningScore("bleu")
    with pytest.raises(tt.TertiumError, match=said):
        running.update(preds, target)
    with pytest.raises(tt.TertiumError, match="nothing to score"):  # and nothing was counted
        running.compute()


def test_states_of_another_kind_do_not_merge() -> None:
    running = batches("bleu", FIRST, 96)
    with pytest.raises(tt.TertiumError, match="merge_state: chrf and bleu do not belong together"):
        running.merge_state(RunningScore("chrf"))
    other = RunningScore("chrf")
    other.update(["a cat"], ["a dog"])
    with pytest.raises(tt.TertiumError, match="statistics with different columns"):
        running.merge_state(other.rows)
    with pytest.raises(tt.TertiumError, match="merge_state: dict; pass a RunningScore, or its rows"):
        running.merge_state({})  # type: ignore[arg-type]
    assert running.compute() == value("bleu")
