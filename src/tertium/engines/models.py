"""The models that metrics name: found, and called by name and content from then on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from tertium.core.metric import Metric
from tertium.core.run import Model, Run
from tertium.core.testset import TestSet


def pin(metric: Metric, run: Run) -> tuple[Any, Run]:
    """The metric with its models called `NAME@sha8`, which is then in its text, JSON key and signature; and the run in
    which it is known where they lie."""
    named = {option: text for option in getattr(metric, "models", ()) if (text := getattr(metric, option))}
    if not named:
        return metric, run
    models = {option: run.located.get(text) or _find(metric, text, run) for option, text in named.items()}
    known = {text: model for option, model in models.items() for text in (named[option], model.text)}
    return (
        dataclasses.replace(metric, **{option: model.text for option, model in models.items()}),  # type: ignore[type-var]
        dataclasses.replace(run, located={**run.located, **known}),
    )


def uncovered(metric: Metric, run: Run, testset: TestSet) -> Iterator[str]:
    """Languages of a test set that the encoder of a metric's model has never seen, as far as that is known."""
    texts = [text for option in getattr(metric, "models", ()) if (text := getattr(metric, option)) in run.located]
    sides = {"source": testset.source_language if "source" in metric.needs else None, "target": testset.target_language}
    if not texts or not any(sides.values()) or hasattr(metric, "find_model"):  # nobody knows what those have read
        return
    from tertium.learned.coverage import coverage_of

    found = coverage_of(run.located[text].path for text in texts)
    for side, language in sides.items():
        if found is not None and language and not found.has(language):
            yield (
                f"{metric}: its encoder, {found.encoder}, was not trained on the {side} language, {language}: what it "
                f"says of such texts means little"
            )


def _find(metric: Metric, text: str, run: Run) -> Model:
    if hasattr(metric, "find_model"):
        found: Model = metric.find_model(text, run.models)
        return found
    from tertium.io.models import find_model  # only who has models pays for it

    return find_model(text, run.models)
