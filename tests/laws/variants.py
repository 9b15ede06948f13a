"""Every registered metric, with its defaults and with other options, found out from its fields."""

import dataclasses
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tertium.core.errors import OptionError
from tertium.core.metric import Metric
from tertium.metrics import known
from tertium.text.normalise import FORMS
from tertium.text.tokenizers import KERNEL

# Rows that come from a model in a file or from people are not counted from texts; they have tests of their own.
CLASSES = {name: cls for name, cls in known().items() if not cls.needs & {"model", "judgements"}}
NAMES = list(CLASSES)

# Words that options take. A metric refuses those that are not its own, and they are left out.
BREVITY = ("closest", "shortest", "average")
SMOOTHING = ("exp", "floor", "add-k")
METEOR = ("fr", "de", "cs", "2005", "adq", "hter", "li", "universal", "lower")
WORDS = (*KERNEL, "py:builtins:str.split", *FORMS, *SMOOTHING, *BREVITY, *METEOR, "factors", "perl", "mteval")


def candidates(field: dataclasses.Field[Any]) -> list[object]:
    """Values to try for an option, by the kind of its default."""
    default = field.default
    if "tuple[str" in str(field.type):
        return [("exact",), ("exact", "stem")]
    if default is None:
        return [(0.4, 0.3, 0.2, 0.1)] if "tuple" in str(field.type) else [0.5]
    if isinstance(default, bool):
        return [not default]
    if isinstance(default, str):
        return [word for word in WORDS if word != default]
    if isinstance(default, tuple):
        return [default[::-1]]
    return [1, 2, 3, default + 1, *([0.5, 1.25] if field.type == "float" else [])]


def make(cls: type[Any], options: dict[str, object]) -> Metric | None:
    """The metric, or None if it refuses the options."""
    try:
        metric: Metric = cls(**options)
    except OptionError:
        return None
    return metric


def acceptable(cls: type[Any], field: dataclasses.Field[Any]) -> list[object]:
    """Candidates without the words that belong to other options."""
    return [
        value for value in candidates(field) if not isinstance(value, str) or make(cls, {field.name: value}) is not None
    ]


@cache
def variants(name: str) -> list[Metric]:
    """The default, then one option changed at a time."""
    cls = CLASSES[name]
    changed = [make(cls, {field.name: value}) for field in dataclasses.fields(cls) for value in candidates(field)]
    return [cls(), *(metric for metric in changed if metric is not None)]


@cache
def metrics(name: str) -> st.SearchStrategy[Metric]:
    """The default in one of three, else any options together."""
    cls = CLASSES[name]
    options = {
        field.name: st.sampled_from([field.default, field.default, *acceptable(cls, field)])
        for field in dataclasses.fields(cls)
    }
    mixed = st.fixed_dictionaries(options).map(lambda values: make(cls, values))
    return st.one_of(st.just(cls()), st.sampled_from(variants(name)), mixed.filter(lambda m: m is not None))
