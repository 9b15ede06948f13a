"""The laws of reading: what normalises and tokenises a text does so before anything is counted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tertium.core.metric import Metric
from tertium.metrics import parse
from tertium.testing.law import law, require, require_equal
from tertium.testing.rows import count, require_same_rows
from tertium.testing.subject import Subject
from tertium.testing.texts import Corpus, LawSegment
from tertium.text.normalise import FORMS


def halves(text: str) -> list[str]:
    """A tokenizer unlike any other: words, cut in the middle."""
    return [part for word in text.split() for part in (word[: len(word) // 2], word[len(word) // 2 :]) if part]


def tuned(metric: Metric, **options: object) -> Metric:
    """The metric with those of the options that it has."""
    known = {field.name for field in dataclasses.fields(metric)}  # type: ignore[arg-type]
    changed: Metric = dataclasses.replace(metric, **{k: v for k, v in options.items() if k in known})  # type: ignore[type-var]
    return changed


def as_written(metric: Metric, tokenizer: str) -> Metric:
    """The metric with this tokenizer and without any other change of the text."""
    return tuned(metric, tokenize=tokenizer, unicode="none", lowercase=False)


def rewritten(corpus: Corpus, change: Callable[[str], str]) -> list[LawSegment]:
    """Segments whose texts are changed, all of them."""

    def new(text: str | None) -> str | None:
        return None if text is None else change(text)

    return [LawSegment(new(output), [*map(new, references)], new(source)) for output, references, source in corpus]


def _has(option: str) -> Callable[[Subject], str]:
    return lambda subject: "" if hasattr(subject.metric, option) else f"it has no option {option!r}"


@law("Unicode is normalised before anything else", examples=15, applies=_has("unicode"))
def normalised(subject: Subject, data: st.DataObject) -> None:
    """The option `unicode` does what a text normalised beforehand does."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    usual: Any = type(metric)()
    require_equal(usual.unicode, "none", "the default of unicode")
    plain = tuned(metric, unicode="none")
    for form, change in FORMS.items():
        before = count(plain, rewritten(corpus, change))
        require_same_rows(count(tuned(metric, unicode=form), corpus), before, f"with unicode={form!r}")


@law("a function tokenises before anything is counted", examples=15, applies=_has("tokenize"))
def tokenised(subject: Subject, data: st.DataObject) -> None:
    """The option `tokenize` does what a text tokenised beforehand does; the signature names the function."""
    metric, corpus = data.draw(subject.metrics), data.draw(subject.corpora)
    outside: Any = as_written(metric, f"py:{__name__}:{halves.__name__}")
    before = count(as_written(metric, "none"), rewritten(corpus, lambda text: " ".join(halves(text))))
    require_same_rows(count(outside, corpus), before, "of a text that a function tokenises")
    require(hasattr(outside, "versions"), "it has no versions(), so that its signature cannot name the function")
    require_equal(list(outside.versions()), ["py"], "what versions() names")
    require_equal(parse(str(outside)), outside, "the metric that its text means")


LAWS = (normalised, tokenised)
