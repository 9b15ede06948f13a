"""The models that metrics name: found, and called by name and content from then on."""

from __future__ import annotations

import dataclasses
from typing import Any

from tertium.core.metric import Metric
from tertium.core.run import Model, Run


def pin(metric: Metric, run: Run) -> tuple[Any, Run]:
    """The metric with its models called `NAME@sha8`, which is then in its text, JSON key and signature; and the run in
    which it is known where they lie."""
    named = {option: text for option in getattr(metric, "models", ()) if (text := getattr(metric, option))}
    if not named:
        return metric, run
    models = {option: run.located.get(text) or _find(text, run) for option, text in named.items()}
    known = {text: model for option, model in models.items() for text in (named[option], model.text)}
    return (
        dataclasses.replace(metric, **{option: model.text for option, model in models.items()}),  # type: ignore[type-var]
        dataclasses.replace(run, located={**run.located, **known}),
    )


def _find(text: str, run: Run) -> Model:
    from tertium.io.models import find_model  # only who has models pays for it

    return find_model(text, run.models)
