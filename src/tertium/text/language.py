"""Which language a text is in, by py3langid: an optional package whose model comes with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

from tertium.core.errors import MissingPackageError

Identify = Callable[[str], tuple[str, float]]


def check_identifier() -> None:
    """Refuse, with the way out, where the package is not installed. Loads nothing."""
    if find_spec("py3langid") is None:
        raise MissingPackageError('language identification needs py3langid: pip install "tertium[langid]"')


def identifier() -> Identify:
    """A function from a text to its likeliest language (ISO 639-1) and that language's probability.

    The model is loaded when the first text is identified: that takes most of a second, and often there is none.
    """
    check_identifier()

    @cache
    def model() -> Any:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def identify(text: str) -> tuple[str, float]:
        language, probability = model().classify(text)
        return str(language), float(probability)

    return identify
