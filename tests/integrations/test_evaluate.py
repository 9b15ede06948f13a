"""The interface of Hugging Face evaluate, without it: numbers are those of tt.score, and sacreBLEU's."""

from typing import Any

import pytest
import sacrebleu
from tests.integrations.texts import FIRST, LENGTHS, OUTPUTS, PAIRS, SECOND, SOURCES, scored, value

import tertium as tt
from tertium.integrations.evaluate import load

pytestmark = pytest.mark.filterwarnings("ignore::tertium.TertiumWarning")  # the examples have 96 segments


@pytest.mark.parametrize("metric", ["bleu", "chrf(words=2)", "ter", "macrof", "nist", "wer"])
@pytest.mark.parametrize("references", [FIRST, PAIRS], ids=["one", "two"])
def test_numbers_are_those_of_score(metric: str, references: Any) -> None:
    [score] = scored(metric, references)
    found = load(metric).compute(predictions=OUTPUTS, references=references)
    assert found == {**score.parts, "score": score.value, "n": score.n, "signature": score.signature}


@pytest.mark.parametrize(
    ("metric", "judge"), [("bleu", sacrebleu.BLEU()), ("chrf", sacrebleu.CHRF()), ("ter", sacrebleu.TER())]
)
def test_numbers_are_those_of_sacrebleu(metric: str, judge: Any) -> None:
    found = load(metric).compute(predictions=OUTPUTS, references=PAIRS)
    assert found["score"] == pytest.approx(judge.corpus_score(OUTPUTS, [FIRST, SECOND]).score, abs=1e-9)


def test_texts_are_added_one_by_one_in_batches_and_at_the_end() -> None:
    metric = load("bleu")
    metric.add(prediction=OUTPUTS[0], reference=PAIRS[0])
    metric.add_batch(predictions=OUTPUTS[1:40], references=PAIRS[1:40])
    assert metric.compute(predictions=OUTPUTS[40:], references=PAIRS[40:])["score"] == value("bleu", PAIRS)
    with pytest.raises(tt.TertiumError, match="nothing to score"):  # forgotten
        metric.compute()


def test_as_many_lists_as_texts_in_each_go_by_segment() -> None:
    two = load("bleu").compute(predictions=OUTPUTS[:2], references=PAIRS[:2])
    assert two["score"] == value("bleu", PAIRS[:2], OUTPUTS[:2])


def test_options_are_the_metrics_own_for_once() -> None:
    metric = load("bleu(lowercase=True)")
    found = metric.compute(predictions=OUTPUTS, references=FIRST, order=2)
    assert found["score"] == value("bleu(lowercase=True, order=2)")
    assert metric.compute(predictions=OUTPUTS, references=FIRST)["score"] == value("bleu(lowercase=True)")
    with pytest.raises(tt.TertiumError, match="bleu has no option 'ordr'; options: order=4"):
        metric.compute(predictions=OUTPUTS, references=FIRST, ordr=2)


def test_sources_go_to_metrics_that_read_them() -> None:
    metric = load(LENGTHS)
    metric.add(prediction=OUTPUTS[0], sources=SOURCES[0])
    found = metric.compute(predictions=OUTPUTS[1:], sources=SOURCES[1:])
    [score] = tt.score(OUTPUTS, sources=SOURCES, metrics=LENGTHS)
    assert found["score"] == score.value
    assert metric._feature_names() == ["predictions", "sources"]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({"predictions": ["a", None], "references": ["a", "b"]}, r"predictions\[1\]: None; every segment needs a text"),
        ({"predictions": ["a", 3], "references": ["a", "b"]}, r"predictions\[1\]: int 3; every segment needs a text"),
        ({"predictions": "a", "references": ["a"]}, "predictions: a single string; pass a list of strings"),
        ({"predictions": ["a"], "references": "a"}, "references: a single string; pass a list"),
        ({"predictions": None, "references": ["a"]}, "predictions: NoneType; pass a list of strings"),
        ({"predictions": 7, "references": ["a"]}, "predictions: int; pass a list of strings"),
        ({"predictions": ["a", "b"], "references": ["a"]}, "references: 1 line, but 2 outputs"),
        ({"predictions": ["a", "b"], "references": [["a"]]}, "references: 1 list of 1 text do not fit 2 outputs"),
        ({"predictions": ["a", "b"], "references": ["a", None]}, r"references\[1\]: None; every segment needs"),
        ({"predictions": ["a"], "references": [["a", None]]}, r"references\[0\]\[1\]: None; leave a reference out"),
        ({"predictions": ["a"], "references": [7]}, "references\\[0\\]: int"),
        ({"predictions": ["a", "b"], "references": ["a", "b"], "sources": ["c"]}, "sources: 1 line, but 2 predictions"),
        ({"predictions": ["a"]}, "bleu needs references"),
        ({}, "nothing to score"),
    ],
)
def test_errors_are_sentences(texts: dict[str, Any], said: str) -> None:
    with pytest.raises(tt.TertiumError, match=said):
        load("bleu").compute(**texts)


def test_a_single_segment_is_a_text() -> None:
    with pytest.raises(tt.TertiumError, match="prediction: NoneType; pass a string"):
        load("bleu").add(prediction=None, reference="a")


def test_batches_have_the_same_columns() -> None:
    metric = load("bleu")
    metric.add_batch(predictions=["a"], references=["a"])
    with pytest.raises(tt.TertiumError, match="earlier batches had predictions, references, this one predictions"):
        metric.add_batch(predictions=["a"])
