"""The metric that is put through the laws, with its own options and with others, found out from its fields."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.metrics import known, parse
from tertium.testing.texts import LawSegment, corpora
from tertium.text.normalise import FORMS
from tertium.text.tokenizers import KERNEL

WORDS = (*KERNEL, "py:builtins:str.split", *FORMS)


def find_metric(said: str | type[Any] | Metric) -> Metric:
    """The metric of a text (`bleu(order=2)`), a class, the place of a class (`package.module:Class`), or itself."""
    if isinstance(said, str) and re.fullmatch(r"[\w.]+:\w+", said):
        module, _, name = said.partition(":")
        said = getattr(import_module(module), name)
    return parse(said() if isinstance(said, type) else said)


class Subject:
    """A metric, and how its options may vary. Options that name files (`local`, `models`) stay as they are."""

    def __init__(self, metric: Metric, words: Sequence[str] = ()) -> None:
        self.metric = metric
        self.words = (*WORDS, *words)  # a metric refuses those that are not its own, and they are left out
        local = (*getattr(metric, "local", ()), *getattr(metric, "models", ()))
        self.fields = [field for field in dataclasses.fields(metric) if field.name not in local]  # type: ignore[arg-type]

    def __str__(self) -> str:
        return str(self.metric)

    @property
    def needs(self) -> frozenset[str]:
        """What it reads besides outputs."""
        return self.metric.needs

    @cached_property
    def corpora(self) -> st.SearchStrategy[list[LawSegment]]:
        """Segments with what it needs, some of it missing."""
        return corpora(self.needs)

    def candidates(self, field: dataclasses.Field[Any]) -> list[object]:
        """Values to try for an option, by the kind of its default, or of its annotation where that is None."""
        default, kind = getattr(self.metric, field.name), str(field.type)
        if "tuple[str" in kind:
            return [*((word,) for word in self.words), *pairwise(self.words)]
        if isinstance(default, tuple):
            return [default[::-1]]
        if default is None and "tuple" in kind:
            return [(0.4, 0.3, 0.2, 0.1)]
        if isinstance(default, bool):
            return [not default]
        if isinstance(default, str) or (default is None and "str" in kind):
            return [word for word in self.words if word != default]
        if default is None:
            return [0.5] if "float" in kind else [1, 2]
        return [1, 2, 3, default + 1, *([0.5, 1.25] if "float" in kind else [])]

    def changed(self, options: dict[str, object]) -> Metric | None:
        """The metric with these options, or None if it refuses them."""
        try:
            metric: Metric = dataclasses.replace(self.metric, **options)  # type: ignore[type-var]
        except OptionError:
            return None
        return metric

    def _acceptable(self, field: dataclasses.Field[Any]) -> list[object]:
        """Candidates without the words that belong to other options; a number may need another option to go with it."""
        words = "str" in str(field.type)
        return [value for value in self.candidates(field) if not words or self.changed({field.name: value}) is not None]

    @cached_property
    def variants(self) -> list[Metric]:
        """The metric, then one option changed at a time."""
        changed = [self.changed({field.name: value}) for field in self.fields for value in self.candidates(field)]
        return [self.metric, *(metric for metric in changed if metric is not None)]

    @cached_property
    def metrics(self) -> st.SearchStrategy[Metric]:
        """The metric in one of three, else any options together."""
        options: dict[str, st.SearchStrategy[object]] = {}
        for field in self.fields:
            usual = getattr(self.metric, field.name)
            options[field.name] = st.sampled_from([usual, usual, *self._acceptable(field)])
        mixed = st.fixed_dictionaries(options).map(self.changed).filter(lambda metric: metric is not None)
        return st.one_of(st.just(self.metric), st.sampled_from(self.variants), mixed)

    @cached_property
    def others(self) -> st.SearchStrategy[Metric]:
        """Any metric there is whose rows are counted from texts."""
        counted = [cls for cls in known().values() if cls.needs <= {"references", "source"}]
        subjects = {cls.name: Subject(cls(), self.words) for cls in counted}
        return st.sampled_from(sorted(subjects)).flatmap(lambda name: subjects[name].metrics)
