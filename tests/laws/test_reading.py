"""The laws of reading: what normalises and tokenises a text does so before anything is counted, for every metric."""

import dataclasses
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tertium.core.errors import OptionError
from tertium.core.lines import Lines
from tertium.core.metric import Metric
from tertium.core.system import System
from tertium.engines.evaluate import evaluate
from tertium.metrics import parse, refuse_local
from tertium.text.normalise import FORMS
from tertium.text.words import tokenize

from .test_metrics import Corpus, count, dense
from .texts import CORPORA, make_testset
from .variants import CLASSES, NAMES, metrics

TOKENIZED = [name for name in NAMES if "tokenize" in CLASSES[name].__dataclass_fields__]
every_metric = pytest.mark.parametrize("name", NAMES)
every_tokenized = pytest.mark.parametrize("name", TOKENIZED)
some = settings(max_examples=15)


def halves(text: str) -> list[str]:
    """A tokenizer unlike any other: words, cut in the middle."""
    return [part for word in text.split() for part in (word[: len(word) // 2], word[len(word) // 2 :]) if part]


def tuned(metric: Metric, **options: object) -> Metric:
    changed: Metric = dataclasses.replace(metric, **options)  # type: ignore[type-var]
    return changed


def as_written(metric: Metric, tokenizer: str) -> Metric:
    """The metric with this tokenizer and without any other change of the text."""
    plain: dict[str, object] = {"lowercase": False} if hasattr(metric, "lowercase") else {}
    return tuned(metric, tokenize=tokenizer, unicode="none", **plain)


def rewritten(corpus: Corpus, change: object) -> Corpus:
    def new(text: str | None) -> str | None:
        return None if text is None else change(text)  # type: ignore[operator]

    return [(new(output), [new(reference) for reference in references]) for output, references in corpus]


def same_rows(one: Metric, corpus: Corpus, other: Metric, changed: Corpus) -> None:
    mine, theirs = dense(count(one, corpus)), dense(count(other, changed))
    assert mine[0] == theirs[0]
    assert mine[1].tobytes() == theirs[1].tobytes()


@every_metric
@pytest.mark.parametrize("form", FORMS)
@some
@given(data=st.data(), corpus=CORPORA)
def test_unicode_is_normalised_before_anything_else(name: str, form: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    assert type(metric)().unicode == "none"  # type: ignore[attr-defined]
    same_rows(tuned(metric, unicode=form), corpus, tuned(metric, unicode="none"), rewritten(corpus, FORMS[form]))


def test_there_are_metrics_with_tokenizers() -> None:
    assert {"bleu", "wer", "per"} <= set(TOKENIZED)


@every_tokenized
@some
@given(data=st.data(), corpus=CORPORA)
def test_a_function_tokenises_before_anything_is_counted(name: str, data: st.DataObject, corpus: Corpus) -> None:
    metric = data.draw(metrics(name))
    outside = as_written(metric, f"py:{__name__}:halves")
    before = rewritten(corpus, lambda text: " ".join(halves(text)))
    same_rows(outside, corpus, as_written(metric, "none"), before)
    assert list(outside.versions()) == ["py"]  # type: ignore[attr-defined]
    assert parse(str(outside)) == outside


@every_tokenized
def test_a_model_tokenises_before_anything_is_counted(name: str, spm_model: Path) -> None:
    corpus: Corpus = [("Der Bus fährt heute nicht.", ["Der Bus fährt nie.", None]), ("", ["x"]), (None, ["a b"])]
    metric = as_written(CLASSES[name](), f"spm:{spm_model}")
    before = rewritten(corpus, lambda text: " ".join(tokenize(text, f"spm:{spm_model}")))
    same_rows(metric, corpus, as_written(metric, "none"), before)
    assert list(metric.versions()) == ["spm"]  # type: ignore[attr-defined]
    assert parse(str(metric)) == metric


@every_tokenized
@pytest.mark.parametrize("tokenizer", ["py:no_such_module_anywhere:split", "spm:no/such/file"])
def test_strangers_cannot_name_files_or_code(name: str, tokenizer: str) -> None:
    """Parsing looks for nothing; a server's evaluate refuses before anything is looked for."""
    metric = parse(f"{name}(tokenize={tokenizer!r})")
    assert "no_such_module_anywhere" not in sys.modules
    told = (
        f'{name}: tokenize="{tokenizer}" names a file or a function of this computer, which is not allowed here; '
        f"score where they are, and show the result"
    )
    with pytest.raises(OptionError) as caught:
        refuse_local(metric)
    assert str(caught.value) == told
    testset, system = make_testset([["a"]]), System(name="s", outputs=Lines.of(["a"]))
    with pytest.raises(OptionError) as caught:
        evaluate(testset, [system], [metric], trusted=False)
    assert str(caught.value) == told


@every_metric
def test_strangers_may_use_everything_else(name: str) -> None:
    testset, system = make_testset([["a b"]]), System(name="s", outputs=Lines.of(["a b"]))
    assert evaluate(testset, [system], [name], trusted=False).scores()[0].n == 1
