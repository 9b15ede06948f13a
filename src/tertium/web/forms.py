"""Forms for metrics, made of the metrics' own fields; and what comes back from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from tertium.analysis.explanation import Option, explain
from tertium.core.errors import OptionError
from tertium.core.metric import make_metric, metric_text
from tertium.metrics import known, parse_list, refuse_local
from tertium.web.models import Models, check_model, names, pinned

USUAL = ("bleu", "chrf", "ter")
AT_HAND = {"references", "source", "judgements"}  # what an upload can have that a worker counts with
WORDS = {"int": "number", "float": "number", "bool": "checkbox"}


class Field(NamedTuple):
    """One option as a form shows it."""

    name: str
    kind: str  # of the input element
    default: str
    step: str
    meaning: str


class MetricForm(NamedTuple):
    """One metric as a form shows it."""

    name: str
    title: str
    summary: str
    better: str
    usual: bool
    needs: str  # besides references
    fields: tuple[Field, ...]


def metric_forms(models: Models | None = None) -> list[MetricForm]:
    """All metrics, the usual ones first; options that name files or code of this computer are left out. Metrics that
    need a model are there if there are models."""
    forms = []
    for name, cls in known().items():
        speaking = hasattr(cls, "find_model")
        own = names(models or {}, speaking)
        if not cls.needs <= AT_HAND | ({"model"} if own else set()):
            continue
        about, local = explain(cls), getattr(cls(), "local", ())
        served = getattr(cls(), "models", ())
        fields = tuple(
            _field(option)._replace(default=own) if option.name in served else _field(option)
            for option in about.options
            if option.name not in local
        )
        needs = " and ".join(sorted(cls.needs - {"references"}))
        forms.append(MetricForm(name, about.title, about.summary, about.better, name in USUAL, needs, fields))
    order = {name: k for k, name in enumerate(USUAL)}
    return sorted(forms, key=lambda form: (order.get(form.name, len(USUAL)), form.name))


def _field(option: Option) -> Field:
    default = option.default
    kind = WORDS.get(option.kind.partition(" |")[0], "text")
    if isinstance(default, tuple):
        shown = ", ".join(str(item) for item in default)
    elif isinstance(default, bool):
        shown = "true" if default else "false"
    else:
        shown = "" if default is None else str(default)
    return Field(option.name, kind, shown, "1" if option.kind == "int" else "any", option.meaning)


def read_metrics(
    texts: Iterable[str],
    ticked: Iterable[str],
    values: Mapping[str, str],
    allowed: Collection[str] = (),
    models: Models | None = None,
) -> list[str]:
    """The metrics that a form asks for: texts such as `chrf(words=2)`, and names with values `chrf.words`.

    An empty value is the default. Options that name files or code of this computer are refused, unless the operator
    allowed the metric; so are models, unless the operator named them, which then are called by name and content.
    """
    models = models or {}
    chosen = list(parse_list(texts))
    classes = known()
    for name in ticked:
        if name not in classes:
            raise OptionError(f"unknown metric {name!r}; known: {', '.join(classes)}")
        options = {}
        for option in explain(classes[name]).options:
            text = values.get(f"{name}.{option.name}")
            if text is not None and (text.strip() or option.kind == "bool"):
                options[option.name] = read_value(name, option, text.strip())
        chosen.append(make_metric(classes[name], options))
    found = {metric_text(metric): metric for metric in chosen}
    if not found:
        raise OptionError("no metric is chosen; choose at least one, such as bleu")
    for metric in found.values():
        refuse_local(metric, allowed, models)
        at_hand = AT_HAND | ({"model"} if models else set())
        if metric.needs <= at_hand:
            check_model(metric, models)
        elif str(metric) not in allowed:
            raise OptionError(
                f"{metric} needs {', '.join(sorted(metric.needs - AT_HAND))}; use the command line for it"
            )
    return [metric_text(pinned(metric, models)) for metric in found.values()]


def read_value(metric: str, option: Option, text: str) -> Any:
    """An option's value from what was written into its field."""
    kinds = [word.strip() for word in option.kind.split("|")]
    try:
        if "bool" in kinds:
            return text.lower() in ("true", "on", "1", "yes")
        if text.lower() == "none" and "None" in kinds:
            return None
        if any(kind.startswith("tuple") for kind in kinds):
            items = [item.strip() for item in text.split(",") if item.strip()]
            return tuple(items) if "str" in option.kind else tuple(float(item) for item in items)
        if "int" in kinds:
            return int(text)
        if "float" in kinds:
            return float(text)
    except ValueError:
        raise OptionError(f"{metric}: {option.name}={text!r} must be {option.kind}; the default is {option}") from None
    return text
