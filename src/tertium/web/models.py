"""Models that whoever starts the workbench names: no others can be asked for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.run import Model

NAME = re.compile(r"[A-Za-z0-9][\w.+-]*")

Models = Mapping[str, Model]  # by name, and by name and content


def read_models(texts: Iterable[str]) -> dict[str, Model]:
    """`NAME=PATH`, each found and read through once, so that it is known by its content."""
    from tertium.io.models import find_model

    found: dict[str, Model] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not sign or not path or not NAME.fullmatch(name):
            raise OptionError(
                f"--model {text}: expected NAME=PATH, such as comet22=models/wmt22-comet-da; a name has letters, "
                f"digits and . _ + - in it"
            )
        if name in found:
            raise OptionError(f"--model {text}: the name {name} is given twice; choose another")
        try:
            model = find_model(path)._replace(name=name)
        except InputError:
            raise InputError(f"--model {text}: no such file or folder") from None
        found |= {name: model, model.text: model}
    return found


def names(models: Models) -> str:
    """The names by which models can be asked for."""
    return ", ".join(name for name in models if "@" not in name)


def pinned(metric: Metric, models: Models) -> Any:
    """The metric whose models are called by name and content, those of this server."""
    said = {option: getattr(metric, option) for option in getattr(metric, "models", ())}
    named = {option: models[text].text for option, text in said.items() if text in models}
    return dataclasses.replace(metric, **named) if named else metric  # type: ignore[type-var]


def check_model(metric: Metric, models: Models) -> None:
    """Refuse a metric of models that names none."""
    if "model" in metric.needs and not any(getattr(metric, option) for option in getattr(metric, "models", ())):
        raise OptionError(
            f'{metric.name} needs a model: {metric.name}(model="NAME"); this workbench has {names(models)}'
        )
