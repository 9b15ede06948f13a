"""Models that whoever starts the workbench names: no others can be asked for."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tertium.core.errors import InputError, OptionError
from tertium.core.metric import Metric
from tertium.core.run import Model
from tertium.models.open import is_language_model

NAME = re.compile(r"[A-Za-z0-9][\w.+-]*")

Models = Mapping[str, Model]  # by name, and by name and content


def read_models(texts: Iterable[str]) -> dict[str, Model]:
    """`NAME=MODEL`, each found once: the path of a learned model, which is read through, so that it is known by its
    content; or the text of a language model."""
    from tertium.io.models import find_model
    from tertium.models.at_hand import find_language_model, opened

    found: dict[str, Model] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not sign or not path or not NAME.fullmatch(name):
            raise OptionError(
                f"--model {text}: expected NAME=MODEL, such as comet22=models/wmt22-comet-da or "
                f"small=gguf:small.gguf; a name has letters, digits and . _ + - in it"
            )
        if name in found:
            raise OptionError(f"--model {text}: the name {name} is given twice; choose another")
        if is_language_model(path):
            model = find_language_model(path)._replace(name=name)
        else:
            try:
                model = find_model(path)._replace(name=name)
            except InputError:
                raise InputError(f"--model {text}: no such file or folder") from None
        found |= {name: model, model.text: model}
    opened.cache_clear()  # workers open models for themselves
    return found


def names(models: Models, speaking: bool | None = None) -> str:
    """The names by which models can be asked for: all, those of language models, or the others."""
    chosen = (name for name, model in models.items() if speaking in (None, is_language_model(model.path)))
    return ", ".join(name for name in chosen if "@" not in name)


def find_speaking(name: str, models: Models) -> Model:
    """The language model that a request names, if whoever started the workbench named it."""
    if name not in models or not is_language_model(models[name].path):
        known = names(models, speaking=True)
        raise OptionError(
            f"{name!r} is no language model that the workbench was started with "
            f"({f'it has {known}' if known else 'it has none'}); whoever starts it names them: "
            f"tertium serve --model NAME=MODEL"
        )
    return models[name]


def without_places(text: str, models: Models) -> str:
    """A sentence in which models are called by their names: where they lie, or who serves them, is nobody's
    business."""
    for model in models.values():
        address, behind = model.path.partition("#")[0], model.path.partition(":")[2]
        for place in (model.path, address, behind):
            text = text.replace(place, model.name) if len(place) > 3 else text
    return text


def pinned(metric: Metric, models: Models) -> Any:
    """The metric whose models are called by name and content, those of this server."""
    said = {option: getattr(metric, option) for option in getattr(metric, "models", ())}
    named = {option: models[text].text for option, text in said.items() if text in models}
    return dataclasses.replace(metric, **named) if named else metric  # type: ignore[type-var]


def check_model(metric: Metric, models: Models) -> None:
    """Refuse a metric of models that names none, or one of another kind."""
    speaking = hasattr(metric, "find_model")
    known = names(models, speaking) or "none that it could use"
    said = [text for option in getattr(metric, "models", ()) if (text := getattr(metric, option))]
    if "model" in metric.needs and not said:
        raise OptionError(f'{metric.name} needs a model: {metric.name}(model="NAME"); this workbench has {known}')
    for text in said:
        if text in models and is_language_model(models[text].path) != speaking:
            word = "is no language model" if speaking else "is a language model"
            raise OptionError(f"{metric.name}: {text} {word}; this workbench has {known}")
